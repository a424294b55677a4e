//! The cases of `merrow validate`, for tests.

use merrow::validate::cases::materials::Materials;
use merrow::validate::cases::{Found, all};
use std::path::Path;

/// Gives `use_them` worlds, tables and recordings.
pub fn with_materials<T>(use_them: impl FnOnce(&Materials<'_>) -> T) -> T {
    merrow::world::materials::materials(&Path::new(env!("CARGO_MANIFEST_DIR")).join("test/data"), use_them)
}

/// Runs the case of this number; fails if a comparison is out of its tolerance.
#[track_caller]
pub fn run(number: u32) -> Found {
    let case = all().into_iter().find(|c| c.number == number).expect("a case of this number");
    let found =
        with_materials(|materials| (case.run)(materials)).unwrap_or_else(|why| panic!("V{number:02}: {why}"));
    assert!(!found.checks.is_empty(), "V{number:02} compares nothing");
    for check in &found.checks {
        assert!(
            check.holds(),
            "V{number:02}, {}: {} instead of {} ({})",
            check.what,
            check.found(),
            check.wanted(),
            check.allowance()
        );
    }
    found
}
