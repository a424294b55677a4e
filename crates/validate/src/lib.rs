//! Validation of the simulator: cases with a known answer, and the program and page that run and show
//! them. The simulation itself does not use this crate; the studies of `studies/` do.
//!
//! # Example
//! ```
//! use merrow_validate::cases::all_cases;
//! use merrow_validate::cases::reference_data::ReferenceData;
//! use merrow_validate::page::{Outcome, format_outcome};
//! use merrow_validate::{read, sets};
//!
//! // V30: added mass of a sphere, closed form and panel method
//! let case = all_cases().into_iter().find(|case| case.number == 30).ok_or("no such case")?;
//! assert_eq!((case.set, case.title), (&sets::BODIES, "added mass of a sphere"));
//! let folder = read::data_folder().ok_or("no folder test/data")?;
//! let found = (case.run)(&ReferenceData { folder });
//! let outcome = Outcome { case, found };
//! assert!(outcome.passes(), "{}", format_outcome(&outcome));
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod cases;
pub mod page;
pub mod program;
pub mod read;
pub mod sets;
