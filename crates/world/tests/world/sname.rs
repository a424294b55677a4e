//! Tests the conversion of published coefficients.

use merrow_world::import::sname::{Derivative, coefficient_matrix};
use merrow_world::keys::{Axes, Coefficients};
use merrow_world::{Place, Problems};
use merrow_yaml::read::{Located, Places};

fn here(value: f64) -> Located<f64> {
    Located {
        value,
        place: Place::default(),
    }
}

#[test]
fn published_signs_and_axes_are_converted() {
    let set = Coefficients::Sname {
        derivatives: [
            ("X_udot".into(), here(-5.5)),
            ("Y_rdot".into(), here(2.0)),
            ("Z_qdot".into(), here(3.0)),
        ]
        .into(),
        at: Places::default(),
    };
    let m = coefficient_matrix(
        &set,
        Derivative::AddedMass,
        Axes::Flu,
        "added_mass",
        &mut Problems::new(),
    );
    assert_eq!(m[3][3], 5.5);
    // sway-yaw: both axes flip, so the sign of the product stays; the same for heave-pitch
    assert_eq!(m[4][2], -2.0);
    assert_eq!(m[5][1], -3.0);
    let rows =
        std::array::from_fn(|i| std::array::from_fn(|j| if (i, j) == (0, 4) { 7.0 } else { 0.0 }));
    let full = Coefficients::Matrix {
        rows,
        at: Places::default(),
    };
    let m = coefficient_matrix(
        &full,
        Derivative::AddedMass,
        Axes::Frd,
        "added_mass",
        &mut Problems::new(),
    );
    assert_eq!(m[3][1], -7.0, "surge-pitch: one axis flips");
}

#[test]
fn a_wrong_derivative_is_named() {
    let set = Coefficients::Sname {
        derivatives: [("X_udto".into(), here(-1.0))].into(),
        at: Places::default(),
    };
    let mut problems = Problems::new();
    coefficient_matrix(
        &set,
        Derivative::AddedMass,
        Axes::Frd,
        "added_mass",
        &mut problems,
    );
    let text = problems.iter().next().unwrap().to_string();
    assert!(
        text.contains("`X_udto`") && text.contains("X_udot"),
        "{text}"
    );
}
