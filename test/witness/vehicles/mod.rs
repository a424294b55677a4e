//! Tests of vehicles and mechanics against other programs and published data.

mod contact;
mod hemisphere;
mod otter;
mod pinocchio;
mod prestero;
mod remus;
mod uvms;
mod uvms_files;
