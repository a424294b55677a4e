//! Tests contacts against the closed-form solutions of impacts, rest and sliding.

use crate::common::shapes::{collider, cube, start, structure};
use crate::common::{advance, close, scene};
use merrow_math::Vec3;
use merrow_model::scene::{Geometry, Primitive, Scene};

/// Returns a world in air with a plane seabed at z = 0 [m, W] and one body of 2 kg.
fn dropped(z: f64, dt: f64, slope: f64, extra: &str) -> Scene {
    scene(&format!(
        "step: {{dt_s: {dt}}}\nwater: {{density_kg_m3: 0}}\nseabed: {{depth_m: 1.0e-9, slope_east_north: [{slope}, 0]}}\n\
         robots:\n  a:\n    position_m: [0, 0, {z}]\n    {extra}\n    model: {{source: test, body: {{source: test, axes: flu, mass_kg: 2, \
         inertia_kg_m2: {{xx: 0.0133333, yy: 0.0133333, zz: 0.0133333}}}}}}\n"
    ))
}

/// A ball of radius 0.1 m is released at 1.1 m with restitution 0.8; its lowest point falls 1 m. It
/// hits the seabed after t1 = sqrt(2/g) = 0.451524 s and rises to 0.64 m above it. At every instant
/// its height matches the ballistic solution. Tolerance: impacts are resolved at their time, so
/// only rounding and the gap of the shape (1e-9) remain. Gravity over the step of the impact is
/// applied as the mean over the step, an error of h² g = 1e-5 m.
#[test]
fn ball_bounce_height_matches_ballistics() {
    let mut world = dropped(1.1, 0.001, 0.0, "");
    world.robots[0].colliders.push(collider(
        0,
        Geometry::Primitive(Primitive::Sphere { radius: 0.1 }),
        0.0,
        0.8,
    ));
    let mut sim = start(world);
    let (g, e) = (9.81_f64, 0.8_f64);
    let t1 = (2.0 / g).sqrt();
    let v1 = e * g * t1;
    advance(&mut sim, 0.4);
    close(
        "falling",
        sim.state.robots[0].motion.p_WB.z - 0.1,
        1.0 - 0.5 * g * 0.16,
        1e-9,
    );
    advance(&mut sim, 0.3);
    let t = 0.7 - t1;
    close(
        "rising",
        sim.state.robots[0].motion.p_WB.z - 0.1,
        v1 * t - 0.5 * g * t * t,
        2e-5,
    );
    // Second bounce.
    advance(&mut sim, 1.0);
    let t2 = t1 + 2.0 * v1 / g;
    let t = 1.7 - t2;
    close(
        "after the second",
        sim.state.robots[0].motion.p_WB.z - 0.1,
        e * v1 * t - 0.5 * g * t * t,
        1e-4,
    );
}

/// Two balls of equal mass collide head on at 2 m/s with a restitution of 0.8 and separate at 1.6
/// m/s. The result does not depend on the instant of the collision within a step, including just
/// after the end of a step. Tolerance: rounding; there is no weight.
#[test]
fn ball_restitution_is_independent_of_impact_time() {
    for k in 0..=40 {
        let apart = 0.2 + 1e-4 * f64::from(k) + 1e-7;
        let mut world = dropped(5.0, 0.001, 0.0, "");
        world.gravity = 0.0;
        world.robots[0].colliders.push(collider(
            0,
            Geometry::Primitive(Primitive::Sphere { radius: 0.1 }),
            0.0,
            0.8,
        ));
        let mut other = world.robots[0].clone();
        (other.name, other.start.p_WB.x) = ("other".into(), apart);
        (world.robots[0].start.v_WB_B.x, other.start.v_WB_B.x) = (1.0, -1.0);
        world.robots.push(other);
        let mut sim = start(world);
        advance(&mut sim, 0.02);
        let [a, b] = [0, 1].map(|r| sim.state.robots[r].motion.V_WB_B.v.x);
        close(&format!("parting from {apart} m"), b - a, 1.6, 1e-9);
    }
}

/// A cube at rest does not drift: the limit is 1 um/s; the measured drift is rounding only.
#[test]
fn a_cube_at_rest_does_not_drift() {
    for slope in [0.0, 0.3] {
        let tilt = -f64::atan(slope).to_degrees();
        let lift = 0.1 / f64::cos(f64::atan(slope));
        let mut world = dropped(lift, 0.002, slope, &format!("attitude_deg: [0, {tilt}, 0]"));
        world.robots[0]
            .colliders
            .push(collider(0, cube(0.1), 0.5, 0.0));
        let mut sim = start(world);
        advance(&mut sim, 1.0);
        let before = sim.state.robots[0].motion.p_WB;
        advance(&mut sim, 10.0);
        let drift = (sim.state.robots[0].motion.p_WB - before).norm() / 10.0;
        assert!(drift < 1e-9, "slope {slope}: {drift:e} m/s");
        assert!(sim.state.robots[0].motion.V_WB_B.v.norm() < 1e-9);
        assert!((before.z - lift).abs() < 2e-6, "{}", before.z - lift);
    }
}

/// Coulomb friction: on a slope of 0.3 a cube sticks with a friction coefficient of 0.303. With
/// 0.297 it slides with the acceleration g (sin a - mu cos a). Tolerance: the motion is integrated
/// exactly, and friction is constant over each step.
#[test]
fn a_cube_sticks_below_and_slides_above_the_angle_of_friction() {
    let slope = 0.3_f64;
    let a = slope.atan();
    for mu in [0.303, 0.297] {
        let tilt = -a.to_degrees();
        let mut world = dropped(
            0.1 / a.cos(),
            0.002,
            slope,
            &format!("attitude_deg: [0, {tilt}, 0]"),
        );
        world.robots[0]
            .colliders
            .push(collider(0, cube(0.1), mu, 0.0));
        let mut sim = start(world);
        advance(&mut sim, 2.0);
        let x = sim.state.robots[0].motion.p_WB.x / a.cos();
        let expected = if mu > slope {
            0.0
        } else {
            -0.5 * 9.81 * (a.sin() - mu * a.cos()) * 4.0
        };
        close(&format!("mu {mu}"), x, expected, 2e-6);
    }
}

/// A stack of five cubes stays upright for a minute.
#[test]
fn a_stack_of_five_stands_for_a_minute() {
    let mut world = dropped(0.1, 0.002, 0.0, "");
    let one = world.robots[0].clone();
    world.robots[0]
        .colliders
        .push(collider(0, cube(0.1), 0.5, 0.0));
    for k in 1..5 {
        let mut next = one.clone();
        next.name = format!("cube {k}");
        next.start.p_WB.z = 0.1 + 0.2 * f64::from(k);
        next.colliders.push(collider(0, cube(0.1), 0.5, 0.0));
        world.robots.push(next);
    }
    let mut sim = start(world);
    advance(&mut sim, 60.0);
    for (k, robot) in sim.state.robots.iter().enumerate() {
        let p = robot.motion.p_WB;
        let expected = Vec3::new(0.0, 0.0, 0.1 + 0.2 * k as f64);
        assert!((p - expected).norm() < 1e-4, "cube {k}: {p:?}");
    }
}

/// A cube that carries a thousand times its own weight neither penetrates the seabed nor is
/// ejected.
#[test]
fn light_cube_carries_thousand_times_its_mass() {
    let mut world = dropped(0.1, 0.002, 0.0, "");
    let mut heavy = world.robots[0].clone();
    heavy.name = "heavy".into();
    heavy.start.p_WB.z = 0.3;
    let link = &mut heavy.links[0];
    link.mass_kg *= 1000.0;
    link.rigid = link.rigid.scale(1000.0);
    link.total = link.total.scale(1000.0);
    for robot in [&mut world.robots[0], &mut heavy] {
        robot.colliders.push(collider(0, cube(0.1), 0.5, 0.0));
    }
    world.robots.push(heavy);
    let mut sim = start(world);
    advance(&mut sim, 10.0);
    close("light", sim.state.robots[0].motion.p_WB.z, 0.1, 1e-4);
    close("heavy", sim.state.robots[1].motion.p_WB.z, 0.3, 1e-4);
    // The seabed carries both weights: mean force of the last step.
    let force: f64 = sim
        .state
        .contacts
        .touching
        .iter()
        .map(|c| match c.b {
            merrow_model::state::contact::ContactBody::Seabed => c.impulse_W.z / 0.002,
            _ => 0.0,
        })
        .sum();
    close("force on the seabed", force / (2002.0 * 9.81), 1.0, 1e-4);
}

/// A ball at 500 m/s, one metre per step, is stopped by a wall of 2 cm.
#[test]
fn a_fast_ball_does_not_pass_through_a_thin_wall() {
    let mut world = dropped(5.0, 0.002, 0.0, "velocity_m_s: [500, 0, 0]");
    world.gravity = 0.0;
    world.robots[0].colliders.push(collider(
        0,
        Geometry::Primitive(Primitive::Sphere { radius: 0.02 }),
        0.0,
        0.0,
    ));
    let wall = Geometry::Primitive(Primitive::Box {
        half: Vec3::new(0.01, 5.0, 5.0),
    });
    world.structures.push(crate::common::shapes::structure(
        wall,
        Vec3::new(7.3, 0.0, 5.0),
        0.0,
    ));
    let mut sim = start(world);
    advance(&mut sim, 0.1);
    let p = sim.state.robots[0].motion.p_WB;
    assert!((p.x - 7.27).abs() < 2e-3, "{p:?}");
}

/// A body whose added mass is five times its mass falls freely in water with a = W/(m + m_a), where
/// a lagged force would diverge (gz-sim issue 1923). Afterwards it rests on the seabed. Tolerance:
/// constant acceleration is integrated exactly.
#[test]
fn added_mass_above_the_bodys_own_is_stable_in_fall_and_rest() {
    let mut world = scene(
        "step: {dt_s: 0.002}\nseabed: {depth_m: 10}\nrobots:\n  a:\n    position_m: [0, 0, -5]\n    model: {source: test, body: {source: test, \
         axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 0.01, yy: 0.01, zz: 0.01}, added_mass: {kind: diagonal, \
         values: [5, 5, 5, 0.05, 0.05, 0.05]}}}\n",
    );
    world.robots[0]
        .colliders
        .push(collider(0, cube(0.1), 0.5, 0.0));
    let mut sim = start(world);
    advance(&mut sim, 1.0);
    close(
        "fallen",
        sim.state.robots[0].motion.p_WB.z,
        -5.0 - 0.5 * 9.81 / 6.0,
        1e-9,
    );
    advance(&mut sim, 9.0);
    close("at rest", sim.state.robots[0].motion.p_WB.z, -9.9, 1e-4);
    assert!(sim.state.robots[0].motion.V_WB_B.v.norm() < 1e-9);
}

/// The bundled world of crates on a sloping seabed. After half a minute all crates rest on the
/// slope or on one another. No penetration exceeds 0.1 mm, and the contact forces equal their
/// weight in water. Tolerance: the sum of the mean forces of one step compared with the weight, 0.1
/// %.
#[test]
fn crates_come_to_rest_on_the_sea_floor() {
    let path = merrow_world::data_dir::world_file("sea_floor");
    let world = merrow_world::load_world(&path, merrow_world::Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    let mut sim =
        merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 2).expect("a simulation");
    advance(&mut sim, 30.0);
    let crates: Vec<usize> = (0..sim.scene.robots.len())
        .filter(|r| sim.scene.robots[*r].name.starts_with("crate"))
        .collect();
    assert_eq!(crates.len(), 8);
    for r in &crates {
        let v = sim.state.robots[*r].motion.V_WB_B;
        assert!(
            v.v.norm() < 1e-6 && v.w.norm() < 1e-6,
            "{}: {v:?}",
            sim.scene.robots[*r].name
        );
    }
    let contacts = &sim.state.contacts.touching;
    assert!(
        contacts.iter().all(|c| c.gap > -1e-4),
        "{:?}",
        contacts.iter().map(|c| c.gap).fold(0.0, f64::min)
    );
    let borne: f64 = contacts
        .iter()
        .filter(|c| c.b == merrow_model::state::contact::ContactBody::Seabed)
        .filter(|c| matches!(c.a, merrow_model::state::contact::ContactBody::Link { robot, .. } if crates.contains(&(robot as usize))))
        .map(|c| c.impulse_W.z / 0.002)
        .sum();
    let weight = 8.0 * 9.81 * (12.0 - 10.25);
    close("borne", borne / weight, 1.0, 1e-3);
}

/// Every bundled prop that is fixed in the world stays at its pose and carries a crate, which falls
/// on it from above and comes to rest. Tolerance: the slow sinking of a crate that still moves is
/// below 1 cm/s.
#[test]
fn crates_come_to_rest_on_fixed_props() {
    let props = merrow_world::catalogue::bundled_models()
        .into_iter()
        .filter(|model| model.is_prop);
    let mut count = 0;
    for name in props.map(|model| model.name) {
        let text = format!("robots: {{prop: {{model: props/{name}.yaml}}}}");
        if scene(&text).robots[0].floating {
            continue;
        }
        let mut sim = start(scene(&format!(
            "step: {{dt_s: 0.004}}\nseabed: {{depth_m: 200}}\nrobots:\n  \
             prop: {{model: props/{name}.yaml, position_m: [0, 0, -100]}}\n  \
             crate: {{model: props/crate.yaml, position_m: [0.45, 0.1, -82]}}\n"
        )));
        advance(&mut sim, 60.0);
        let [prop, falling] = [0, 1].map(|r| &sim.state.robots[r].motion);
        assert_eq!(prop.p_WB, Vec3::new(0.0, 0.0, -100.0), "{name}");
        let (z, speed) = (falling.p_WB.z, falling.V_WB_B.v.norm());
        assert!(z > -102.0 && speed < 0.01, "{name}: {z} m, {speed} m/s");
        count += 1;
    }
    assert_eq!(count, 6);
}

/// Terrain given as heights and as triangles has the correct slope everywhere. A ball is lowered at
/// several positions onto the plane z = 0.3 x - 0.1 y - 5. The contact is at the plane, along its
/// normal. The grid is not square, so that a swapped axis is detected. Tolerance: the contact
/// margin, 1 mm.
#[test]
fn height_field_and_mesh_contacts_match_plane() {
    let plane = |x: f64, y: f64| 0.3 * x - 0.1 * y - 5.0;
    // 5 x 4 samples over 8 m x 6 m, northernmost row first.
    let row = |j: usize| -> Vec<String> {
        (0..5)
            .map(|i| format!("{:.6}", plane(-4.0 + 2.0 * i as f64, 3.0 - 2.0 * j as f64)))
            .collect()
    };
    let heights: Vec<String> = (0..4).map(|j| format!("[{}]", row(j).join(", "))).collect();
    let ground = format!(
        "{{kind: heightfield, size_m: [8, 6], heights_m: [{}]}}",
        heights.join(", ")
    );
    let field = scene(&format!(
        "seabed: {{depth_m: 100}}\nstructures:\n  ground: {{shapes: {{top: {ground}}}}}\nrobots: {{}}\n"
    ));
    let corner = |x: f64, y: f64| Vec3::new(x, y, plane(x, y));
    let mesh = merrow_model::scene::robot::collision::Mesh {
        vertices: vec![
            corner(-4.0, -3.0),
            corner(4.0, -3.0),
            corner(4.0, 3.0),
            corner(-4.0, 3.0),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        parts: Vec::new(),
    };
    let triangles = Geometry::Mesh(std::sync::Arc::new(mesh));
    let normal = Vec3::new(-0.3, 0.1, 1.0).scale(1.0 / 1.1_f64.sqrt());
    for ground in [
        field.structures[0].clone(),
        structure(triangles, Vec3::zero(), 0.5),
    ] {
        for (x, y) in [(-3.1, 2.2), (2.7, -2.4), (1.3, 1.9), (-2.2, -1.1)] {
            for shape in [
                Geometry::Primitive(Primitive::Sphere { radius: 0.1 }),
                cube(0.1),
            ] {
                let mut world = dropped(0.0, 0.002, 0.0, "");
                (world.sea.seabed.z0, world.structures) = (-100.0, vec![ground.clone()]);
                world.robots[0].start.p_WB = Vec3::new(x, y, plane(x, y) + 0.3);
                world.robots[0].colliders.push(collider(0, shape, 0.5, 0.0));
                let mut sim = start(world);
                let mut steps = 0;
                while sim.state.contacts.touching.is_empty() && steps < 500 {
                    sim.advance(1);
                    steps += 1;
                }
                let found = sim
                    .state
                    .contacts
                    .touching
                    .first()
                    .copied()
                    .expect("a contact");
                let (p, n) = (found.p_W, found.n_W);
                assert!((n - normal).norm() < 1e-6, "at {x}, {y}: {n:?}");
                assert!((p.z - plane(p.x, p.y)).abs() < 2e-2, "at {x}, {y}: {p:?}");
                assert!((found.gap).abs() < 2e-2);
            }
        }
    }
}

/// A contact impulse that is not finite halts the robots involved at their position with a cause;
/// other robots continue.
#[test]
fn non_finite_impulse_halts_only_its_robots() {
    let mut world = dropped(0.3, 0.002, 0.0, "");
    // The cube hits the seabed at 2 m/s; its rebound speed would overflow.
    world.robots[0]
        .colliders
        .push(collider(0, cube(0.1), 0.5, 1e308));
    let mut other = world.robots[0].clone();
    (other.name, other.start.p_WB.x) = ("other".into(), 3.0);
    other.colliders[0].material.restitution = 0.0;
    world.robots.push(other);
    let mut sim = merrow_sim::Simulation::new(std::sync::Arc::new(world), 1).expect("a simulation");
    advance(&mut sim, 0.5);
    let halt = sim.state.robots[0].halted.as_ref().expect("a halt");
    assert!(halt.cause.contains("impulse"), "{}", halt.cause);
    assert!(sim.state.robots[0].motion.first_non_finite().is_none());
    assert!(sim.state.robots[1].halted.is_none());
    // Gravity over the step of an impact is applied as the mean: h² g.
    close("the other", sim.state.robots[1].motion.p_WB.z, 0.1, 4e-5);
}
