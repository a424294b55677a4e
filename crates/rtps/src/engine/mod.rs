//! (module engine)
