//! Forces on the links, one law per file. Only `sum` combines them.

pub mod actuators;
pub mod contributions;
pub mod derivatives;
pub mod external;
pub mod hydrodynamics;
mod incidence;
pub mod joint;
pub mod lines;
pub mod link;
pub mod rigid_body;
pub mod route;
pub mod sum;

pub use crate::forces::sum::sum;
