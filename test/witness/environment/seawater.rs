//! Tests sea water properties against published check values and a table of other programs (V65),
//! and the absorption of sound (V66).

use crate::common::relative;
use crate::witness::cases::run;
use merrow_environment::seawater::ipts68_from_its90;

// Goal, method and tolerance are stated with the cases, in `crates/validate/src/cases/`.
#[test]
fn check_values_and_grid_of_other_programs() {
    run(65);
    relative("scale of 1968", ipts68_from_its90(20.0), 20.0048, 1e-12);
}

#[test]
fn absorption_of_sound() {
    run(66);
}
