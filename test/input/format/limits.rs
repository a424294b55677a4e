//! Limits on the number of objects of a world: each is refused with a message.

use crate::input::messages;
use std::fmt::Write;

/// Returns the section `section` with `count` entries of the same `value`.
fn section(section: &str, count: usize, value: &str) -> String {
    let mut text = format!("{section}:\n");
    for k in 0..count {
        writeln!(text, "  o{k}: {value}").unwrap();
    }
    text
}

// More objects than labels of 16 bits are refused if a camera has labels, which repeated numbers
// before, and are accepted without one. Method: one robot and structures up to and beyond the
// limit.
#[test]
fn objects_beyond_the_labels_of_cameras_are_refused() {
    let world = |structures: usize, outputs: &str| {
        let camera =
            format!("{{device: {{extends: sensors/lowlight_hd.yaml, outputs: [{outputs}]}}}}");
        let robot = format!(
            "robots: {{r: {{model: {{source: test, base: fixed, body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}, sensors: {{c: {camera}}}}}}}}}\n"
        );
        robot
            + &section(
                "structures",
                structures,
                "{shapes: {s: {kind: sphere, radius_m: 0.1}}}",
            )
    };
    let refused = messages(&world(65_532, "labels"));
    assert!(
        refused.ends_with(
            "the world has 65533 robots, props, actors and structures; expected at most 65532 with a segmentation camera; remove objects or the \
             output `labels`"
        ),
        "{refused}"
    );
    assert_eq!(messages(&world(65_531, "labels")), "accepted");
    assert_eq!(messages(&world(65_532, "depth")), "accepted");
}

// More modems than the state of their pairs allows are refused. Method: fixed modems beyond the
// limit.
#[test]
fn modems_beyond_the_limit_are_refused() {
    let found = messages(&format!(
        "robots: {{}}\n{}",
        section("modems", 2001, "{modem: evologics_s2c_r_18_34}")
    ));
    assert!(
        found.ends_with(
            "the world has 2001 modems; expected at most 2000, because every pair of modems has a state; remove modems"
        ),
        "{found}"
    );
}
