//! ?

pub mod contact;
pub mod dynamics;
pub mod forces;
