//! Validation of the simulator: replays recorded experiments and runs cases with a known answer,
//! scores them and draws figures. The simulation itself does not use this crate.
//!
//! # Example
//! ```
//! use merrow_validate::cases::{CaseSet, all_cases};
//! use merrow_validate::page::{Outcome, format_outcome};
//! use merrow_validate::read::reference_data;
//!
//! // V30: added mass of a sphere, closed form and panel method
//! let case = all_cases().into_iter().find(|case| case.number == 30).ok_or("no such case")?;
//! assert_eq!((case.set, case.title), (CaseSet::Bodies, "added mass of a sphere"));
//! let data = reference_data::data_folder().ok_or("no folder test/data")?;
//! // the case has no bridges
//! let found = reference_data::with_reference_data(&data, &|_| (), case.run);
//! let outcome = Outcome { case, found };
//! assert!(outcome.passes(), "{}", format_outcome(&outcome));
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod cases;
pub mod docking;
pub mod figure;
pub mod page;
pub mod pool;
pub mod read;
pub mod thetis;
