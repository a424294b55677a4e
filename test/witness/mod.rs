//! Other programs agree; where the data come from stands in `test/data/README.md`.

mod contact;
mod geodesy;
mod pinocchio;
mod remus;
mod uvms;
mod uvms_files;
