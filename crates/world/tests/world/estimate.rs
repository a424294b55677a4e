//! Tests the estimates against closed-form solutions, a boundary-element solution and each other.

use crate::sample::box_mesh;
use merrow_math::{Mat3, Vec3};
use merrow_world::import::estimate::{PlacedSolid, Solid, equivalent_ellipsoid, estimate};
use std::f64::consts::PI;

fn added(solid: Solid) -> [f64; 6] {
    solid.unit_coefficients().added
}

#[track_caller]
fn within(what: &str, found: f64, expected: f64, part: f64) {
    assert!(
        (found / expected - 1.0).abs() <= part,
        "{what}: {found}, expected {expected} within {part}"
    );
}

#[test]
fn spheroids_match_lamb() {
    // reference V31: a/b, k1, k2, k'; the values have six digits
    for (ratio, k1, k2, k) in [
        (2.0, 0.210_015, 0.704_210, 0.239_424),
        (5.0, 0.059_121, 0.894_261, 0.699_851),
        (8.42105, 0.027_036, 0.948_702, 0.850_647),
        (10.0, 0.020_706, 0.960_235, 0.883_538),
    ] {
        let solid = Solid::Ellipsoid([ratio, 1.0, 1.0]);
        let (a, v) = (added(solid), solid.volume());
        let inertia = v * (ratio * ratio + 1.0) / 5.0;
        for (found, expected) in [
            (a[0] / v, k1),
            (a[1] / v, k2),
            (a[2] / v, k2),
            (a[4] / inertia, k),
        ] {
            assert!(
                (found - expected).abs() < 1e-5,
                "{ratio}: {found} instead of {expected}"
            );
        }
        assert_eq!((a[3], a[4]), (0.0, a[5]));
    }
    within(
        "sphere",
        added(Solid::Ellipsoid([0.3; 3]))[1],
        0.5 * Solid::Ellipsoid([0.3; 3]).volume(),
        1e-14,
    );
    // limit of an elliptic cylinder: ρ π b² per section, and π/8 (a² - b²)² about its length
    let long = added(Solid::Ellipsoid([1.0, 2.0, 1e4]));
    let ends = 4.0 / 3.0 * 1e4;
    within(
        "across an elliptic cylinder",
        long[0],
        PI * 4.0 * ends,
        1e-4,
    );
    // a section scaled by s has (a² - b²)² s⁴; ∫(1 - t²)² dt = 16/15
    within(
        "about it",
        long[5],
        PI / 8.0 * 9.0 * 16.0 / 15.0 * 1e4,
        1e-4,
    );
}

#[test]
fn a_disc_is_the_limit_of_cylinder_and_ellipsoid() {
    let flat = added(Solid::Ellipsoid([1.0, 1.0, 1e-5]));
    let disc = added(Solid::Cylinder {
        radius: 1.0,
        length: 1e-9,
    });
    within("along", disc[2], flat[2], 1e-4);
    within("turning", disc[3], flat[3], 1e-4);
}

#[test]
fn cylinder_and_block_agree_with_boundary_elements() {
    // reference V32, in water of 1000 kg/m3: 3.556, 36.60 kg, 4.512 kg m2; the tables are less
    // accurate than this
    let a = added(Solid::Cylinder {
        radius: 0.0955,
        length: 1.33,
    })
    .map(|a| 1000.0 * a);
    within("across", a[0], 36.60, 0.05);
    within("along", a[2], 3.556, 0.12);
    within("turning", a[4], 4.512, 0.20);
    assert_eq!(a[5], 0.0);
    // V33: 0.6466, handbooks 0.67
    within("cube", added(Solid::Box([1.0; 3]))[0], 0.6466, 0.06);
    // a long bar across the flow: DNV's square section, 1.51 π/4
    within(
        "bar",
        added(Solid::Box([100.0, 1.0, 1.0]))[1],
        1.51 * PI / 4.0 * 100.0,
        0.06,
    );
    // a long bar rotating about its centre: strips
    within(
        "bar turning",
        added(Solid::Box([100.0, 1.0, 1.0]))[5],
        1.51 * PI / 4.0 * 1e6 / 12.0,
        1e-9,
    );
    // a square plate: 0.579 π/4
    within(
        "plate",
        added(Solid::Box([1.0, 1.0, 1e-9]))[2],
        0.579 * PI / 4.0,
        1e-6,
    );
    // the same body with permuted axes
    let (b, c) = (
        added(Solid::Box([1.0, 2.0, 3.0])),
        added(Solid::Box([2.0, 3.0, 1.0])),
    );
    assert_eq!([b[1], b[2], b[0], b[4], b[5], b[3]], c);
}

#[test]
fn drag_of_known_shapes() {
    let drag = |solid: Solid| solid.unit_coefficients().drag;
    within(
        "sphere",
        drag(Solid::Ellipsoid([0.5; 3]))[0],
        0.5 * 0.48 * PI * 0.25,
        1e-12,
    );
    assert_eq!(drag(Solid::Ellipsoid([0.5; 3]))[3..], [0.0; 3]);
    within("cube", drag(Solid::Box([1.0; 3]))[2], 0.5 * 1.16, 1e-12);
    // numeric strip sum: a cylinder of 10 m that rotates about its centre, without its ends
    let (r, l) = (0.01, 10.0);
    let c = 1.2 * 0.98;
    let n = 20_000;
    let counted: f64 = (0..n)
        .map(|k| {
            let x = (f64::from(k) + 0.5) / f64::from(n) * l - 0.5 * l;
            0.5 * c * 2.0 * r * x.abs().powi(3) * l / f64::from(n)
        })
        .sum();
    within(
        "turning",
        drag(Solid::Cylinder {
            radius: r,
            length: l,
        })[3],
        counted,
        1e-6,
    );
    let capsule = Solid::capsule(0.1, 1.0);
    within(
        "capsule",
        capsule.volume(),
        PI * 0.01 * (1.0 + 0.4 / 3.0),
        1e-12,
    );
}

#[test]
fn shapes_are_combined_in_the_body_frame() {
    // two spheres on the x axis, 1 m from the origin
    let ball = Solid::Ellipsoid([0.1; 3]);
    let at = |x: f64| PlacedSolid {
        solid: ball,
        R: Mat3::identity(),
        p: Vec3::new(x, 0.0, 0.0),
    };
    let both = estimate(&[at(1.0), at(-1.0)], 1000.0).unwrap();
    let half = 500.0 * ball.volume();
    within("volume", both.volume, 2.0 * ball.volume(), 1e-14);
    assert!(both.center.norm() < 1e-15);
    within("along", both.added.D.xx, 2.0 * half, 1e-12);
    within("about", both.added.A.zz, 2.0 * half, 1e-12);
    let one = 1000.0 * ball.unit_coefficients().drag[0];
    within("drag about", both.drag[5], 2.0 * one, 1e-12);
    // a sphere off the origin couples sway with yaw: B = m [p]x
    let off = estimate(&[at(1.0)], 1000.0).unwrap();
    within("coupling", off.added.to_matrix()[2][4], half, 1e-12);
    assert!(off.drag[5].abs() < 1e-15, "drag acts at the centre");
    // rotated by 90 degrees about z: x and y are exchanged
    let R = Mat3::from_rows(
        Vec3::new(0.0, -1.0, 0.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, 0.0, 1.0),
    );
    let bar = Solid::Box([2.0, 0.2, 0.1]);
    let turned = estimate(
        &[PlacedSolid {
            solid: bar,
            R,
            p: Vec3::zero(),
        }],
        1.0,
    )
    .unwrap();
    let own = bar.unit_coefficients();
    within("turned", turned.added.D.yy, own.added[0], 1e-12);
    within("turned drag", turned.drag[0], own.drag[1], 1e-12);
    assert_eq!(estimate(&[], 1000.0), None);
}

#[test]
fn mesh_is_replaced_by_ellipsoid_of_equal_moments() {
    let far = Vec3::new(100.0, -200.0, 300.0);
    let placed = equivalent_ellipsoid(&box_mesh([1.0, 2.0, 3.0], far), true).unwrap();
    let Solid::Ellipsoid(axes) = placed.solid else {
        panic!("{placed:?}")
    };
    assert!((placed.p - far).norm() < 1e-9);
    within("volume", placed.solid.volume(), 6.0, 1e-9);
    let mut sorted = axes;
    sorted.sort_by(f64::total_cmp);
    // the second moments of a box are V l²/12, so the semi-axes are proportional to the edges
    within("ratio", sorted[1] / sorted[0], 2.0, 1e-9);
    within("ratio", sorted[2] / sorted[0], 3.0, 1e-9);
    // the longest axis is z
    let longest = (0..3).max_by(|i, j| axes[*i].total_cmp(&axes[*j])).unwrap();
    assert!(placed.R.col(longest).z.abs() > 1.0 - 1e-9);
    let open = equivalent_ellipsoid(&box_mesh([1.0, 2.0, 3.0], far), false).unwrap();
    // the convex hull of an open mesh
    within("open", open.solid.volume(), 6.0, 1e-9);
}
