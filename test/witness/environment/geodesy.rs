//! Tests WGS84 coordinates against pyproj (V70).

use crate::witness::cases::run;

// Goal, method and tolerance are stated with the case, in `crates/validate/src/cases/sea/water.rs`.
#[test]
fn coordinates_match_pyproj() {
    run(70);
}
