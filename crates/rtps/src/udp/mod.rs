//! (module udp)
