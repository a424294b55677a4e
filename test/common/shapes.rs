//! Helpers for worlds with contacts.

use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::CollisionFilter;
use merrow_model::scene::{Collider, Geometry, Material, Primitive, Scene, Structure};
use merrow_sim::Simulation;
use std::sync::Arc;

/// Returns a shape at the origin of a link, with the given friction and restitution.
pub(crate) fn collider(
    link: usize,
    geometry: Geometry,
    friction: f64,
    restitution: f64,
) -> Collider {
    Collider {
        name: "shape".into(),
        link,
        geometry,
        R_LG: Mat3::identity(),
        p_LoG: Vec3::zero(),
        material: Material {
            friction,
            restitution,
            ..Material::default()
        },
        filter: CollisionFilter::default(),
        texture: None,
        file: None,
        file_colors: true,
        fin: None,
    }
}

/// Returns a cube with the half edge `half` [m].
pub(crate) fn cube(half: f64) -> Geometry {
    Geometry::Primitive(Primitive::Box {
        half: Vec3::new(half, half, half),
    })
}

/// Returns the simulation of `scene`; the seabed has the material of the first robot's first shape.
pub(crate) fn start(mut scene: Scene) -> Simulation {
    if let Some(first) = scene.robots.iter().find_map(|r| r.colliders.first()) {
        scene.seabed_material = first.material;
    }
    Simulation::new(Arc::new(scene), 1).expect("a simulation")
}

/// Returns a structure of one shape at the position `p_W` [m, W].
pub(crate) fn structure(geometry: Geometry, p_W: Vec3, friction: f64) -> Structure {
    let mut shape = collider(0, geometry, friction, 0.0);
    shape.p_LoG = p_W;
    Structure {
        name: "block".into(),
        colliders: vec![shape],
    }
}
