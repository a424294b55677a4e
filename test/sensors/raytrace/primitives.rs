//! Tests of single rays at closed-form shapes, with distances computed by hand, and of rays that
//! hit no shape.

use super::single_shape_scene;
use merrow_math::{Mat3, Vec3};
use merrow_raytrace::{PosedShape, Primitive, Ray, RayShape, Scratch, ShapeScene};

/// Returns distance, normal and face of the closest hit at least `from` [m] away from `o`.
fn hit(shape: Primitive, o: [f64; 3], d: [f64; 3], from: f64) -> Option<(f64, [f64; 3], u32)> {
    let ray = Ray {
        origin: Vec3::from(o),
        direction: Vec3::from(d),
        range: [from, 1e9],
    };
    let scene = single_shape_scene(RayShape::Primitive(shape), Mat3::identity(), Vec3::zero());
    let hit = scene.closest(&ray, 0..0)?;
    Some((hit.distance, hit.normal.to_array(), hit.face))
}

// Entry, exit, rays from inside, along the axis, and misses. Method: distances computed by hand.
#[test]
fn entry_and_exit_points_match_closed_forms() {
    let (up, down) = ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]);
    let sphere = Primitive::Sphere { radius: 2.0 };
    assert_eq!(hit(sphere, [0.0, 0.0, 5.0], down, 0.0), Some((3.0, up, 0)));
    assert_eq!(
        hit(sphere, [0.0, 0.0, 5.0], down, 3.5),
        Some((7.0, down, 0))
    );
    assert_eq!(hit(sphere, [0.0; 3], down, 0.0), Some((2.0, down, 0)));
    assert_eq!(hit(sphere, [0.0, 0.0, 5.0], up, 0.0), None);
    assert_eq!(hit(sphere, [0.0, 2.1, 5.0], down, 0.0), None);
    let cuboid = Primitive::Box {
        half: Vec3::new(1.0, 2.0, 3.0),
    };
    assert_eq!(
        hit(cuboid, [0.5, 9.0, 1.0], [0.0, -1.0, 0.0], 0.0),
        Some((7.0, [0.0, 1.0, 0.0], 3))
    );
    assert_eq!(
        hit(cuboid, [0.5, 0.0, 1.0], [0.0, -1.0, 0.0], 0.0),
        Some((2.0, [0.0, -1.0, 0.0], 2))
    );
    // In a side face of the box, along it.
    assert_eq!(
        hit(cuboid, [1.0, 9.0, 1.0], [0.0, -1.0, 0.0], 0.0),
        Some((7.0, [0.0, 1.0, 0.0], 3))
    );
    assert_eq!(hit(cuboid, [1.1, 9.0, 1.0], [0.0, -1.0, 0.0], 0.0), None);
    let cylinder = Primitive::Cylinder {
        radius: 1.0,
        half_length: 2.0,
    };
    assert_eq!(
        hit(cylinder, [0.3, 0.3, 5.0], down, 0.0),
        Some((3.0, up, 2))
    );
    assert_eq!(
        hit(cylinder, [0.3, 0.3, 0.0], down, 0.0),
        Some((2.0, down, 1))
    );
    assert_eq!(
        hit(cylinder, [5.0, 0.0, 1.0], [-1.0, 0.0, 0.0], 0.0),
        Some((4.0, [1.0, 0.0, 0.0], 0))
    );
    assert_eq!(hit(cylinder, [1.1, 0.0, 5.0], down, 0.0), None);
    let capsule = Primitive::Capsule {
        radius: 1.0,
        half_length: 2.0,
    };
    assert_eq!(hit(capsule, [0.0, 0.0, 5.0], down, 0.0), Some((2.0, up, 0)));
    assert_eq!(
        hit(capsule, [0.0, 0.0, 0.0], down, 0.0),
        Some((3.0, down, 0))
    );
    assert_eq!(
        hit(capsule, [5.0, 0.0, -1.0], [-1.0, 0.0, 0.0], 0.0),
        Some((4.0, [1.0, 0.0, 0.0], 0))
    );
    assert_eq!(
        hit(capsule, [0.8, 0.0, 5.0], down, 0.0).map(|m| m.2),
        Some(0)
    );
    assert_eq!(hit(capsule, [1.1, 0.0, 5.0], down, 0.0), None);
}

// Untraceable rays have no hit. Method: origins, directions and ranges that are NaN or infinite,
// shapes without a valid pose, an empty scene.
#[test]
fn invalid_rays_and_poses_hit_nothing() {
    let sphere = RayShape::Primitive(Primitive::Sphere { radius: 1.0 });
    let sphere_at = |p_WG: Vec3| PosedShape {
        shape: sphere.clone(),
        R_WG: Mat3::identity(),
        p_WG,
    };
    let nan = Vec3::new(f64::NAN, 0.0, 0.0);
    let all = ShapeScene::new(
        vec![sphere_at(Vec3::zero()), sphere_at(nan)],
        vec![sphere_at(Vec3::new(1e300, 0.0, 0.0))],
    );
    let valid = Ray {
        origin: Vec3::new(0.0, 0.0, 3.0),
        direction: Vec3::new(0.0, 0.0, -1.0),
        range: [0.0, f64::INFINITY],
    };
    assert_eq!(
        all.closest(&valid, 0..0)
            .map(|hit| (hit.distance, hit.shape)),
        Some((2.0, 0))
    );
    for ray in [
        Ray {
            origin: nan,
            ..valid
        },
        Ray {
            direction: nan,
            ..valid
        },
        Ray {
            direction: Vec3::zero(),
            ..valid
        },
        Ray {
            range: [f64::NAN, 1.0],
            ..valid
        },
        Ray {
            range: [0.0, f64::NAN],
            ..valid
        },
        Ray {
            range: [3.0, 2.5],
            ..valid
        },
        Ray {
            origin: Vec3::new(0.0, 0.0, 1e200),
            range: [0.0, 1.0],
            ..valid
        },
    ] {
        assert_eq!(all.closest(&ray, 0..0), None, "{ray:?}");
        assert!(!all.blocked_with(&ray, &(0..0), &mut Scratch::default()));
    }
    assert_eq!(ShapeScene::default().closest(&valid, 0..0), None);
}
