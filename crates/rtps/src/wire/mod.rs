//! (module wire)
