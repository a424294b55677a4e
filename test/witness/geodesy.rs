//! WGS84 against pyproj (V70).

use crate::common::cases::run;

// Goal, method, tolerance: beside the case, in `src/validate/cases/water.rs`.
#[test]
fn coordinates_match_pyproj() {
    run(70);
}
