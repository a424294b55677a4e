//! Tests of impossible bodies, and of coefficients with the wrong sign or name.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{BLUEROV2, bluerov2, body, check};

#[test]
fn mass_and_inertia() {
    check(
        &bluerov2("body: {mass_kg: -11.5}"),
        "w.yaml:5:23: `mass_kg`: expected a positive number [kg], found `-11.5`",
    );
    check(
        &bluerov2("body: {mass_kg: 0}"),
        "w.yaml:5:23: `mass_kg`: expected a positive number [kg], found `0`",
    );
    check(
        &bluerov2("body: {inertia_kg_m2: {xx: -0.16}}"),
        "w.yaml:5:34: `xx`: expected a non-negative number, found `-0.16`",
    );
    check(
        &bluerov2("body: {inertia_kg_m2: {xy: 0.5}}"),
        "w.yaml:5:29: the inertia of base_link, which moves, is not positive definite; expected positive principal moments, found -3.400e-1 kg m2; correct the inertia",
    );
    check(
        &bluerov2("body: {inertia_kg_m2: {xx: 1, yy: 0.1, zz: 0.1}}"),
        "w.yaml:5:29: the inertia of base_link violates the triangle inequality; expected no principal moment above the sum of the two others, found 1.0000 above 0.1000 + 0.1000 kg m2; correct the moments",
    );
    check(
        &bluerov2("body: {inertia_kg_m2: [0.16, 0.16, 0.16]}"),
        "w.yaml:5:29: `inertia_kg_m2`: expected a map with keys, found a list of 3",
    );
}

#[test]
fn buoyancy_and_hull() {
    check(
        &bluerov2("body: {volume_m3: 0.0115}"),
        "w.yaml:5:25: base_link has both `volume_m3` and `net_buoyancy_n` (at params/bodies/bluerov2_wu2018.yaml:10:17); expected one of them; set the other to null",
    );
    check(
        &("water: {density_kg_m3: 0}\n".to_string() + BLUEROV2),
        "params/bodies/bluerov2_wu2018.yaml:10:17: `net_buoyancy_n` of base_link needs gravity and water; write `volume_m3` instead",
    );
    check(
        &bluerov2("body: {net_buoyancy_n: -500}"),
        "w.yaml:5:30: base_link would displace -0.038506 m3; expected at least 0",
    );
    check(
        &body("volume_m3: -1, "),
        "w.yaml:5:50: `volume_m3`: expected a non-negative number [m3], found `-1`",
    );
    check(
        &body("hull: {kind: box}, "),
        "w.yaml:5:45: missing key `size_m` (length, width and height, along x, y and z) in `hull`",
    );
    check(
        &body("hull: {kind: box, size_m: [1, 1, 0]}, "),
        "w.yaml:5:72: `size_m[2]`: expected a positive number [m], found `0`",
    );
    check(
        &body("loads: [3], "),
        "w.yaml:5:46: `loads`: expected a map of names to maps with keys, found a list of 1",
    );
}

#[test]
fn invalid_added_mass_is_rejected() {
    check(
        &bluerov2("body: {added_mass: {derivatives: {X_udot: 20}}}"),
        "w.yaml:5:26: mass plus added mass of base_link is not positive definite; expected an added mass without negative eigenvalues, found -2.000e1; SNAME derivatives of added mass are usually negative numbers",
    );
    check(
        &bluerov2("body: {added_mass: {derivatives: {X_qdot: 20, M_udot: 20}}}"),
        "w.yaml:5:26: mass plus added mass of base_link is not positive definite; expected an added mass without negative eigenvalues, found -1.737e1; SNAME derivatives of added mass are usually negative numbers",
    );
    check(
        &bluerov2("body: {added_mass: {derivatives: {X_qdot: -0.3}}}"),
        "w.yaml:5:26: the added mass of base_link is not symmetric (by more than 1 %)",
    );
    check(
        &body("added_mass: {kind: diagonal, values: [1, 1, -11, 0, 0, 0]}, "),
        "w.yaml:5:51: mass plus added mass of base_link is not positive definite; expected an added mass without negative eigenvalues, found -1.100e1",
    );
    check(
        &body("added_mass: [1, 1, 1, 0, 0, 0], "),
        "w.yaml:5:51: `added_mass`: expected a map with the key `kind`: one of `none`, `diagonal`, `matrix`, `sname`, found a list of 6",
    );
}

#[test]
fn invalid_damping_is_rejected() {
    check(
        &bluerov2("body: {linear_damping: {derivatives: {X_u: 4.03}}}"),
        "w.yaml:5:30: the linear damping of base_link would add energy; expected a positive semi-definite matrix (SNAME derivatives are negative numbers, `values` and `rows` are positive numbers)",
    );
    check(
        &bluerov2("body: {linear_damping: {derivatives: {Y_r: -50}}}"),
        "w.yaml:5:30: the linear damping of base_link would add energy; expected a positive semi-definite matrix (SNAME derivatives are negative numbers, `values` and `rows` are positive numbers)",
    );
    check(
        &bluerov2("body: {quadratic_damping: {derivatives: {X_uu: 18.18}}}"),
        "w.yaml:5:33: the quadratic damping of base_link would add energy; expected a positive semi-definite matrix (SNAME derivatives are negative numbers, `values` and `rows` are positive numbers)",
    );
    check(
        &body("linear_damping: {kind: diagonal, values: [1, 1, 1, 0, 0]}, "),
        "w.yaml:5:80: `values`: expected 6 numbers, found 5",
    );
    check(
        &body(
            "linear_damping: {kind: matrix, rows: [[1, 0, 0, 0, 0, 0], [0, 1, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}, ",
        ),
        "w.yaml:5:97: `rows[1]`: expected 6 numbers, found 3",
    );
}

#[test]
fn names_of_derivatives() {
    check(
        &bluerov2("body: {added_mass: {derivatives: {X_udto: -5.5}}}"),
        "w.yaml:5:49: in added_mass: `X_udto` is not a derivative of this set; expected names like X_udot; did you mean `X_udot`?",
    );
    check(
        &bluerov2("body: {added_mass: {derivatives: {X_uu: -5.5}}}"),
        "w.yaml:5:47: in added_mass: `X_uu` is not a derivative of this set; expected names like X_udot",
    );
    check(
        &bluerov2("body: {quadratic_damping: {derivatives: {X_u: -5.5}}}"),
        "w.yaml:5:53: in quadratic_damping: `X_u` is not a derivative of this set; expected names like X_uu; did you mean `X_uu`?",
    );
    check(
        &bluerov2("body: {quadratic_damping: {derivatives: {Y_ur: -5.5}}}"),
        "w.yaml:5:54: in quadratic_damping: `Y_ur` is not a derivative of this set; expected names like X_uu; did you mean `Y_uu`?",
    );
    check(
        &bluerov2("body: {linear_damping: {derivatives: {Xu: -5.5}}}"),
        "w.yaml:5:49: in linear_damping: `Xu` is not a derivative of this set; expected names like X_u",
    );
    check(
        &bluerov2("body: {linear_damping: {derivatives: {X_u: none}}}"),
        "w.yaml:5:50: `X_u`: expected a number, found string `none`",
    );
}

#[test]
fn invalid_restoring_is_rejected() {
    let with = |keys: &str| {
        body(&format!(
            "{keys}restoring: {{floating_mass_kg: 10, floating_mass_center_m: [0, 0, 0], heave_n_per_m: 1, roll_nm_per_rad: 1, pitch_nm_per_rad: 1, max_supported_kg: 20}}, "
        ))
    };
    check(
        &with("volume_m3: 1, "),
        "w.yaml:5:64: base_link has `restoring` and `hull`, `volume_m3` or `net_buoyancy_n`; expected either `restoring` or the other keys",
    );
    check(
        &with("").replace("max_supported_kg: 20", "max_supported_kg: 10"),
        "w.yaml:5:185: `max_supported_kg` is 10; expected more than `floating_mass_kg` 10: the hull would not float",
    );
    check(
        &with("").replace("roll_nm_per_rad: 1", "roll_nm_per_rad: 0"),
        "w.yaml:5:143: `roll_nm_per_rad`: expected a positive number [N m/rad], found `0`",
    );
}

#[test]
fn only_one_wind_model() {
    let ship = "side_drag: 1, head_drag: 1, stern_drag: 1, delta: 0.5, length_m: 2";
    check(
        &body(&format!(
            "wind: {{area_m2: [1, 1, 1], law: kelpie, blendermann: {{{ship}}}}}, "
        )),
        "w.yaml:5:71: the wind on base_link has both `law` and `blendermann`; expected one of them",
    );
}
