//! Links: from the ratio of signal to noise and interference to the reception of frames.

pub mod modulation;
pub mod rate;
pub mod receivers;
pub mod reception;
