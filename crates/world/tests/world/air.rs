//! Tests the start time of worlds.

use merrow_world::{Overrides, load_text};

/// Returns the start time of a world [s since 1970-01-01]; `None`: it is refused.
fn start_utc(text: &str) -> Option<f64> {
    let world = format!("robots: {{}}\nweather: {{start_utc: '{text}'}}\n");
    let world = load_text("w.yaml", &world, Overrides::default()).ok()?;
    Some(world.scene.sea.air.start_utc)
}

#[test]
fn dates_are_counted_from_1970() {
    assert_eq!(start_utc("1970-01-01T00:00:00Z"), Some(0.0));
    assert_eq!(start_utc("2000-01-01 12:00"), Some(946_728_000.0));
    assert_eq!(start_utc("2026-03-20T12:00:00Z"), Some(1_774_008_000.0));
    assert_eq!(start_utc("2024-03-01T00:00:00Z"), Some(1_709_251_200.0));
    for wrong in [
        "",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00",
        "2026-03-20",
        "2026-03-20T24:00",
        "26-3-20T1:0",
    ] {
        assert_eq!(start_utc(wrong), None, "{wrong}");
    }
}
