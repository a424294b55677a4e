//! (module qos)
