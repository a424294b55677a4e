//! The docking study: RexROV approaches a dock on the seabed. The dock measures the position of the
//! vehicle and transmits it by sound or by radio.
//!
//! The source is the thesis of the docking co-simulation [Erdemir 2018]. Its values are constants
//! of this module; the text of each states what the thesis does not publish.

pub mod clock;
pub mod law;
pub mod packet;
pub mod physical;
pub mod plant;
pub mod run;
pub mod scenario;
pub mod study;
pub(crate) mod tasks;
pub mod variants;
