//! Tests of wrong tethers, tether ends, lines and winches.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::check;

/// Returns a world with a BlueROV2 `r` and the tether `t`, whose keys are in line 4 from column 7
/// on.
fn tether(line: &str, ends: &str, more: &str) -> String {
    format!(
        "robots:\n  r: {{model: bluerov2, position_m: [5, 0, -5]}}\ntethers:\n  t: {{line: {line}, {ends}, {more}}}\n"
    )
}

const LINE: &str = "fathom_rov_tether";
const ENDS: &str = "from: {kind: world, position_m: [0, 0, 0]}, to: {kind: robot, robot: r}";

#[test]
fn valid_tether_is_accepted() {
    check(&tether(LINE, ENDS, "length_m: 10"), "accepted");
    check(
        &tether(
            LINE,
            ENDS,
            "length_m: 10, segments: 2, winch: {max_speed_m_s: 1}",
        ),
        "accepted",
    );
}

#[test]
fn lengths_and_segments() {
    check(
        &tether(LINE, ENDS, "length_m: 0"),
        "w.yaml:4:115: `length_m`: expected a positive number [m], found `0`",
    );
    check(
        &tether(LINE, ENDS, "length_m: -5"),
        "w.yaml:4:115: `length_m`: expected a positive number [m], found `-5`",
    );
    check(
        &tether(LINE, ENDS, "length_m: 10, segments: 0"),
        "w.yaml:4:129: `segments`: expected a whole number from 2 to 2000, found `0`",
    );
    check(
        &tether(LINE, ENDS, "segments: 5"),
        "w.yaml:4:6: missing key `length_m` (unstretched length of the line) in `t`",
    );
    check(
        &tether(LINE, ENDS, "length_m: 3"),
        "w.yaml:4:115: the ends of t are 7.071 m apart; expected at most twice its length of 3 m",
    );
}

#[test]
fn invalid_lines_are_rejected() {
    let line = |keys: &str| {
        tether(
            &format!("{{source: test, diameter_m: 0.01, {keys}}}"),
            ENDS,
            "length_m: 10",
        )
    };
    check(
        &line("mass_kg_per_m: 0.1, axial_stiffness_n: 0"),
        "w.yaml:4:85: `axial_stiffness_n`: expected a positive number [N], found `0`",
    );
    check(
        &line("mass_kg_per_m: 0, axial_stiffness_n: 1e5"),
        "w.yaml:4:61: `mass_kg_per_m`: expected a positive number [kg/m], found `0`",
    );
    check(
        &tether("fathom", ENDS, "length_m: 10"),
        "w.yaml:4:13: no file `lines/fathom.yaml`, looked in `.`, `params`",
    );
}

#[test]
fn invalid_tether_ends_are_rejected() {
    let to = |end: &str| {
        tether(
            LINE,
            &format!("from: {{kind: world, position_m: [0, 0, 0]}}, to: {{{end}}}"),
            "length_m: 10",
        )
    };
    check(
        &to("kind: robot, robot: rov"),
        "w.yaml:4:101: no robot or prop `rov` for t; expected `r`",
    );
    check(
        &to("kind: robot, robot: r, link: bas_link"),
        "w.yaml:4:110: no link `bas_link` on r; did you mean `base_link`?",
    );
    check(
        &to("kind: ship"),
        "w.yaml:4:87: `kind`: expected one of `world`, `seabed`, `robot`, `free`, found string `ship`",
    );
    check(
        "robots: {}\ntethers: {t: {line: fathom_rov_tether, from: {kind: free, position_m: [0, 0, 0]}, to: {kind: robot, robot: a}, length_m: 1}}\n",
        "w.yaml:2:108: no robot or prop `a` for t; there are none",
    );
}

#[test]
fn catenaries_and_winches() {
    check(
        &tether(LINE, ENDS, "length_m: 10, method: catenary")
            .replace("robots:", "water: {density_kg_m3: 948}\nrobots:"),
        "w.yaml:5:127: t weighs -0.0001 N/m in this water; expected at least 0.01 N/m up or down for a catenary; use the method `lumped`",
    );
    check(
        &tether(
            LINE,
            "from: {kind: world, position_m: [0, 0, 0]}, to: {kind: free, position_m: [5, 0, 0]}",
            "length_m: 10, method: catenary",
        ),
        "w.yaml:4:139: t has a free end; expected two held ends for a catenary; use the method `lumped`",
    );
    check(
        &tether(
            LINE,
            ENDS,
            "length_m: 10, winch: {max_speed_m_s: 1, max_length_m: 8}",
        ),
        "w.yaml:4:126: the winch of t holds 1 m to 8 m of line; expected the length of 10 m within this range",
    );
    check(
        &tether(
            LINE,
            "from: {kind: world, position_m: [0, 0, 0]}, to: {kind: free, position_m: [5, 0, 0]}",
            "length_m: 10, winch: {max_speed_m_s: 1, mounted_at: to}",
        ),
        "w.yaml:4:138: the winch of t is at `to`; expected an end that is not free",
    );
}

#[test]
fn bending_and_breaking() {
    let line = |keys: &str, more: &str| {
        tether(
            &format!("{{extends: lines/{LINE}.yaml, {keys}}}"),
            ENDS,
            &format!("length_m: {more}"),
        )
    };
    let stiff = "bending_stiffness_nm2: 0.02";
    check(
        &line("bending_stiffness_nm2: 0.02, breaking_load_n: 1500", "10"),
        "accepted",
    );
    check(
        &line("bending_stiffness_nm2: -1", "10"),
        "w.yaml:4:76: `bending_stiffness_nm2`: expected a non-negative number [N m2], found `-1`",
    );
    check(
        &line("breaking_load_n: 0", "10"),
        "w.yaml:4:70: `breaking_load_n`: expected a positive number [N], found `0`",
    );
    check(
        &line("bending_stiffness_n_m2: 1", "10"),
        "w.yaml:4:53: unknown key `bending_stiffness_n_m2` in `line`; expected one of `description`, `source`, `estimated`, `diameter_m`, `mass_kg_per_m`, `axial_stiffness_n`, `axial_damping_n_s`, `bending_stiffness_nm2`, `breaking_load_n`, `normal_drag`, `tangential_drag`, `added_mass`, `seabed_stiffness_n_per_m2`, `seabed_friction`; did you mean `bending_stiffness_nm2`?",
    );
    check(
        &line(stiff, "10, method: catenary")
            .replace("robots:", "water: {density_kg_m3: 500}\nrobots:"),
        "w.yaml:5:178: t has a bending stiffness; expected none for a catenary; use the method `lumped`",
    );
    check(
        &line("breaking_load_n: 1000", "5"),
        "w.yaml:4:160: t is stretched to 7.071 m and bears 20711 N at the start; expected less than its breaking load of 1000 N",
    );
    let clamped = |line: &str, direction: &str| {
        let from = format!("from: {{kind: world, position_m: [0, 0, 0], direction: {direction}}}");
        tether(
            line,
            &format!("{from}, to: {{kind: robot, robot: r}}"),
            "length_m: 10",
        )
    };
    let rod = format!("{{extends: lines/{LINE}.yaml, {stiff}}}");
    check(&clamped(&rod, "[0, 0, -1]"), "accepted");
    check(
        &clamped(&rod, "[0, 0, 0]"),
        "w.yaml:4:137: `direction` of an end of t: expected a direction, found a vector without length",
    );
    check(
        &clamped(LINE, "[0, 0, -1]"),
        "w.yaml:4:86: t is clamped; expected a line with `bending_stiffness_nm2`: a clamp has no effect without it",
    );
}
