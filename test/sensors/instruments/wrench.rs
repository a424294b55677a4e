//! Tests of wrench sensors against the Newton-Euler sum over the subtree of the joint, and against
//! a weight in water.

use crate::common::physics::largest;
use crate::common::tree::{self, Random, Recipe};
use crate::common::{
    advance, close_vectors, initial_environment, reading, readings, relative, simulation,
};
use merrow_math::rng::Stream;
use merrow_math::{Mat3, SpatialForce, Vec3};
use merrow_model::scene::{Robot, Sensor, SensorKind};
use merrow_model::sensor::vehicle::{WrenchDirection, WrenchKeys, WrenchSpec};
use merrow_model::sensor::{Errors, PublisherQos, Reliability};
use merrow_model::state::reading::Reading;
use merrow_model::state::{Command, Workspace};
use merrow_sensors::vehicle::wrench;
use merrow_sim::{Simulation, step::Kernel};
use merrow_yaml::read::{Places, from_defaults};

/// Returns the wrench that the parent exerts on link `i` at Lo, in W about the world origin: the
/// rate of change of momentum of the link and its subtree, minus the external forces on them.
fn subtree_wrench(robot: &Robot, work: &Workspace, i: usize) -> SpatialForce {
    let hangs = |mut k: usize| loop {
        if k == i {
            return true;
        }
        match robot.links[k].parent {
            Some(parent) => k = parent,
            None => return false,
        }
    };
    (0..robot.links.len())
        .filter(|k| hangs(*k))
        .fold(SpatialForce::zero(), |sum, k| {
            let w = &work.links[k];
            sum + (w.inertia.mul(&w.A) - w.F).to_parent(&w.R_WL, w.p_WL)
        })
}

// The wrench through a joint includes weight, hydrodynamics, inertia and added mass of its whole
// subtree. Method: random submerged trees in general motion; IA a + pA of the forward dynamics
// against the Newton-Euler sum over the subtree, which uses no articulated inertia. Tolerance:
// 1e-10 of the largest force on a link.
#[test]
fn wrench_matches_newton_euler_of_the_subtree() {
    for links in [2, 4, 9, 20] {
        for floating in [true, false] {
            let recipe = Recipe {
                links,
                floating,
                damping: true,
                held_joints: true,
                potential: true,
            };
            let scene = tree::scene(900 + links as u64, recipe);
            let robot = &scene.robots[0];
            let mut random = Random::new(60 + links as u64);
            let motion = tree::motion(&mut random, robot);
            let commands: Vec<f64> = (1..links).map(|_| random.between(-3.0, 3.0)).collect();
            let mut work = Workspace::new(robot);
            Kernel::new().evaluate(
                robot,
                &initial_environment(&scene),
                &motion,
                &commands,
                &mut work,
            );
            let scale = work.links.iter().map(|w| largest(&w.F)).fold(1.0, f64::max);
            for i in 1..links {
                let sensor = sensor(i, random.vector(0.3), random.attitude().matrix());
                let found = wrench::wrench_at_sensor(
                    &sensor,
                    &wrench::joint_wrench(robot, &work, i, None),
                    WrenchDirection::ParentToChild,
                );
                let w = &work.links[i];
                // Position and axes of the sensor in W.
                let (p_WS, R_WS) = (
                    w.p_WL + w.R_WL.mul_vec(sensor.p_LoS),
                    w.R_WL.mul_mat(&sensor.R_LS),
                );
                let difference = found.to_parent(&R_WS, p_WS) - subtree_wrench(robot, &work, i);
                let error = largest(&difference) / scale;
                // 100 m below the origin the moments about it are 100 times the forces.
                assert!(error < 1e-10 * 100.0, "{links} links, joint {i}: {error:e}");
            }
        }
    }
}

fn sensor(link: usize, p_LoS: Vec3, R_LS: Mat3) -> Sensor {
    let errors = Errors::new(&from_defaults(), 100.0, Stream::new(1, "wrench"));
    let keys = WrenchKeys {
        direction: WrenchDirection::ParentToChild,
        ..from_defaults()
    };
    Sensor {
        name: "ft".into(),
        link,
        p_LoS,
        R_LS,
        p_UoS_U: p_LoS,
        R_US: R_LS,
        rate: 100.0,
        latency_ns: 0,
        start_ns: 0,
        loss_probability: 0.0,
        power_w: 0.0,
        queue: 2,
        lazy: true,
        qos: PublisherQos {
            reliability: Reliability::Reliable,
            depth: 10,
            at: Places::default(),
        },
        stream: Stream::new(1, "ft"),
        kind: SensorKind::Wrench(WrenchSpec::new(&keys, |_, _| errors)),
    }
}

// A load suspended in water pulls down with its submerged weight, in the axes and at the position
// of the sensor, also through a fixed joint. Method: 3 kg of 1 litre, 0.5 m ahead of the joint, on
// a base that is rolled by 90 deg: submerged weight (3 - 1) 9.81 = 19.62 N. Tolerance: rounding.
#[test]
fn load_pulls_with_its_submerged_weight() {
    for kind in [
        "fixed",
        "revolute, lower_rad: -1, upper_rad: 1, drive: position",
    ] {
        for (direction, sign) in [("child_to_parent", 1.0), ("parent_to_child", -1.0)] {
            let mut s = simulation(&format!(
                "
water: {{density_kg_m3: 1000}}
robots:
  r:
    position_m: [0, 0, -10]
    attitude_deg: [90, 0, 0]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      links:
        load:
          parent: base_link
          joint: {{kind: {kind}, axis: [0, 1, 0]}}
          body:
            {{source: test, axes: flu, mass_kg: 3, volume_m3: 0.001, center_of_mass_m: [0.5, 0, 0],
            center_of_buoyancy_m: [0.5, 0, 0], inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors:
        ft:
          link: load
          position_m: [0.2, 0, 0]
          device: {{source: test, rate_hz: 100, kind: wrench, direction: {direction}}}
"
            ));
            let Reading::Wrench(r) = reading(&mut s, 0) else {
                panic!("not a wrench")
            };
            // Down in W is -y of the rolled link; the arm from the sensor to the load is 0.3 m
            // along x.
            close_vectors(
                "force",
                r.force,
                Vec3::new(0.0, -19.62, 0.0).scale(sign),
                1e-9,
            );
            close_vectors(
                "torque",
                r.torque,
                Vec3::new(0.0, 0.0, -0.3 * 19.62).scale(sign),
                1e-9,
            );
        }
    }
}

/// Returns the keys of a sensor in the joint before `link`, sampled at every step of 1 ms; `more`
/// holds keys of its pose.
fn every_step(link: &str, more: &str) -> String {
    format!("ft: {{link: {link}, {more}device: {{source: test, rate_hz: 1000, kind: wrench}}}}")
}

/// Returns a robot held at the height `z` [m] with the links `links` and one wrench sensor.
fn held_robot(z: f64, links: &str, sensor: &str) -> String {
    format!(
        "  r:\n    position_m: [0, 0, {z}]\n    model:\n      source: test\n      base: fixed\n      body: {{source: test, axes: flu, mass_kg: 1, \
         inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}\n      links:\n{links}      sensors:\n        {sensor}\n"
    )
}

fn wrench_now(s: &mut Simulation) -> (Vec3, Vec3) {
    let Reading::Wrench(r) = reading(s, 0) else {
        panic!("not a wrench")
    };
    (r.force, r.torque)
}

// A wrench sensor of an arm that presses on the floor measures the floor force, the weight and the
// buoyancy of its subtree, whether its elbow rests on its stop or is held by a spring. Method: an
// arm of two links of 0.5 m in water, 12 N m at the shoulder, no friction at the tip, so that the
// floor pushes straight up. Moments about the shoulder give N = (τ + w (x₁ + x₂)) / x_c, w = (3 -
// 1) 9.81 N per link; the sensor of the elbow then measures N - w, and the moments of both about
// itself. Tolerance: 1e-6 for the residual motion, with N as computed by the contact solver. This N
// is a mean over the step; it is smaller than N from the moments by h d/(2 I) because damping slows
// the free motion, 5e-4 for damping d and inertia I of the joints. The contact point is the point
// before the correction of the step, 3 um higher: 2e-5 of the moment.
#[test]
fn arm_presses_on_the_floor() {
    let piece = |name: &str, parent: &str, x: f64, joint: &str, more: &str| {
        format!(
            "        {name}:\n          parent: {parent}\n          joint: {{kind: revolute, axis: [0, 1, 0], position_m: [{x}, 0, 0], {joint}}}\n          \
             body: {{source: test, axes: flu, mass_kg: 3, volume_m3: 0.001, center_of_mass_m: [0.25, 0, 0], \
             center_of_buoyancy_m: [0.25, 0, 0], inertia_kg_m2: {{xx: 0.01, yy: 0.1, zz: 0.1}}, \
             added_mass: {{kind: diagonal, values: [0.2, 1, 1, 0, 0.02, 0.02]}}, linear_damping: {{kind: diagonal, values: [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]}}{more}}}\n"
        )
    };
    let foot = ", collisions: {foot: {kind: sphere, radius_m: 0.05, position_m: [0.5, 0, 0], material: {friction: 0}}}";
    for (elbow, effort) in [
        ("lower_rad: -0.4, upper_rad: 0.4", 12.0),
        (
            "lower_rad: -2, upper_rad: 2, damping: 1, drive: {kind: effort, stiffness: 300, spring_rest: 0.1}",
            12.0,
        ),
    ] {
        let links = piece(
            "upper",
            "base_link",
            0.0,
            "lower_rad: -2, upper_rad: 2, damping: 0.2",
            "",
        ) + &piece("fore", "upper", 0.5, elbow, foot);
        let mut s = simulation(&format!(
            "step: {{dt_s: 0.001}}\nwater: {{density_kg_m3: 1000}}\nseabed: {{depth_m: 10, material: {{friction: 0}}}}\nrobots:\n{}",
            held_robot(
                -9.5,
                &links,
                &every_step("fore", "position_m: [0.03, 0, 0.01], ")
            )
        ));
        s.state.robots[0].joint_commands[0] = effort;
        advance(&mut s, 20.0);
        let (force, torque) = wrench_now(&mut s);
        let [c] = s.state.contacts.touching[..] else {
            panic!("{} contacts", s.state.contacts.touching.len())
        };
        let links = &s.runners[0].work.links;
        let middle =
            |k: usize| links[k].p_WL + links[k].R_WL.mul_vec(s.scene.robots[0].links[k].p_LoLcm);
        let sensor = &s.scene.robots[0].sensors[0];
        let (fore, R_WS) = (
            &links[sensor.link],
            links[sensor.link].R_WL.mul_mat(&sensor.R_LS),
        );
        let p_WS = fore.p_WL + fore.R_WL.mul_vec(sensor.p_LoS);
        let w = 2.0 * 9.81;
        let N = c.impulse_W.z / s.scene.dt();
        relative(
            "by moments",
            N,
            (effort + w * (middle(1).x + middle(2).x)) / c.p_W.x,
            5e-4,
        );
        let (up, down) = (Vec3::new(0.0, 0.0, N), Vec3::new(0.0, 0.0, -w));
        close_vectors("force", R_WS.mul_vec(force), up + down, 1e-6);
        let moment = (c.p_W - p_WS).cross(up) + (middle(2) - p_WS).cross(down);
        close_vectors("torque", R_WS.mul_vec(torque), moment, 2e-5);
        assert!(N > 20.0, "{N} N");
    }
}

// No impulse is lost. Method: a ball of 2 kg falls on a plate on a wrench sensor and bounces until
// it rests: force times time summed over all steps equals weight times time of ball and plate,
// including all impacts. The same for a robot at rest without external forces. Tolerance: rounding
// over 3000 readings, and the residual speed of the ball.
#[test]
fn force_plate_measures_bouncing_impulses() {
    let plate = "        top:\n          parent: base_link\n          joint: {kind: fixed, position_m: [0, 0, 0.5]}\n          body:\n            \
                 {source: test, axes: flu, mass_kg: 4, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, collisions: {top: {kind: box, size_m: [1, 1, 0.1], \
                 material: {restitution: 0.6}}}}\n";
    let mut s = simulation(&format!(
        "step: {{dt_s: 0.001}}\nwater: {{density_kg_m3: 0}}\nrobots:\n{}props:\n  ball:\n    position_m: [0.2, 0, 6]\n    body: {{source: test, axes: flu, \
         mass_kg: 2, inertia_kg_m2: {{xx: 0.01, yy: 0.01, zz: 0.01}}, collisions: {{ball: {{kind: sphere, radius_m: 0.1, material: {{restitution: 0.6}}}}}}}}\n",
        held_robot(5.0, plate, &every_step("top", ""))
    ));
    let (mut sum, mut torque, mut largest) = (Vec3::zero(), Vec3::zero(), 0.0_f64);
    for r in readings(&mut s, 0, 3.0) {
        let Reading::Wrench(r) = r.reading else {
            panic!("not a wrench")
        };
        sum += r.force.scale(1e-3);
        torque += r.torque.scale(1e-3);
        largest = largest.max(r.force.norm());
    }
    assert!(
        largest > 2000.0,
        "an impact of {largest} N, one of 2.8 m/s in a step of 1 ms has 9 kN"
    );
    assert!(s.state.robots[1].motion.V_WB_B.v.norm() < 1e-6);
    close_vectors(
        "impulse",
        sum,
        Vec3::new(0.0, 0.0, -(2.0 + 4.0) * 9.81 * 3.0),
        1e-7,
    );
    close_vectors(
        "its moment",
        torque,
        Vec3::new(0.0, 0.2 * 2.0 * 9.81 * 3.0, 0.0),
        1e-6,
    );
}

// A wrist sensor measures the load of an object that the jaws hold by friction, and of an object
// that is held rigidly. Method: two sprung jaws on a wrist hold 0.5 kg of 0.36 litres in a current
// of 0.3 m/s: submerged weight 0.14 · 9.81 N down, drag 2 · 0.3² N along x, at the centre of the
// object. Tolerance: 2e-4: the friction force is a mean over a step in which the free object would
// drift and have less drag, h 1.2 N s/m / (2 · 0.65 kg) of 0.18 N; 1e-5 when held rigidly, because
// the object is not completely at rest.
#[test]
fn wrist_measures_the_load_of_its_jaws() {
    let jaw = |name: &str, side: i32| {
        format!(
            "        {name}:\n          parent: wrist\n          joint: {{kind: prismatic, axis: [0, {side}, 0], position_m: [0.3, 0, 0], lower_m: 0, upper_m: 0.1, \
             damping: 5, drive: {{kind: effort, stiffness: 200, spring_rest: -0.035}}}}\n          body: {{source: test, axes: flu, mass_kg: 0.2, net_buoyancy_n: 0, \
             inertia_kg_m2: {{xx: 1.0e-4, yy: 2.0e-4, zz: 2.0e-4}}, collisions: {{pad: {{kind: box, size_m: [0.1, 0.02, 0.06], material: {{friction: 0.6}}}}}}}}\n"
        )
    };
    let wrist = "        wrist:\n          parent: base_link\n          joint: {kind: fixed}\n          body: {source: test, axes: flu, mass_kg: 1, net_buoyancy_n: 0, \
                 inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}\n";
    let robot = held_robot(
        -10.0,
        &(wrist.to_string() + &jaw("left", 1) + &jaw("right", -1)),
        &every_step("wrist", "position_m: [0.1, 0, 0], "),
    )
    .replace(
        "    model:",
        "    joint_positions: {left_joint: 0.04, right_joint: 0.04}\n    model:",
    );
    let mut s = simulation(&format!(
        "step: {{dt_s: 0.001}}\nwater: {{density_kg_m3: 1000, current: {{kind: uniform, speed_m_s: 0.3, direction_deg: 90}}}}\nrobots:\n{robot}props:\n  object:\n    \
         position_m: [0.3, 0, -10]\n    body: {{source: test, axes: flu, mass_kg: 0.5, volume_m3: 0.00036, inertia_kg_m2: {{xx: 3.0e-4, yy: 5.7e-4, zz: 5.7e-4}}, \
         quadratic_damping: {{kind: diagonal, values: [2, 3, 3, 1.0e-4, 1.0e-4, 1.0e-4]}}, added_mass: {{kind: diagonal, values: [0.15, 0.3, 0.3, 0, 1.0e-4, 1.0e-4]}}, \
         collisions: {{block: {{kind: box, size_m: [0.1, 0.06, 0.06], material: {{friction: 0.6}}}}}}}}\ncouplings:\n  grip: {{kind: grasp, a: {{robot: r, link: wrist}}, reach_m: 0.5}}\n"
    ));
    for rigidly in [false, true] {
        if rigidly {
            s.apply(&Command::SetCoupling {
                coupling: 0,
                engage: true,
                partner: None,
            })
            .unwrap();
            // The jaws open to their limits.
            s.state.robots[0].joint_commands[1..].fill(30.0);
        }
        advance(&mut s, 3.0);
        let (force, torque) = wrench_now(&mut s);
        let expected = Vec3::new(2.0 * 0.09, 0.0, -0.14 * 9.81);
        let arm = s.state.robots[1].motion.p_WB - Vec3::new(0.1, 0.0, -10.0);
        let tolerance = if rigidly { 1e-5 } else { 2e-4 };
        close_vectors("force", force, expected, tolerance);
        close_vectors("torque", torque, arm.cross(expected), tolerance);
        assert_eq!(s.state.couplings[0].engaged, rigidly);
        assert!(
            (arm.x - 0.2).abs() < 1e-3,
            "the object has slipped to {arm:?}"
        );
    }
}

/// Returns the readings of a sensor at the shoulder of a swinging arm with a load that is part of
/// the arm or welded to it.
fn swinging(load: &str, more: &str, dt: f64) -> Vec<SpatialForce> {
    let arm = "        arm:\n          parent: base_link\n          joint: {kind: revolute, axis: [0, 1, 0], lower_rad: -9, upper_rad: 9}\n          body: {source: test, axes: flu, \
               mass_kg: 2, volume_m3: 0.001, center_of_mass_m: [0.4, 0, 0], inertia_kg_m2: {xx: 0.01, yy: 0.1, zz: 0.1}}\n";
    let mut s = simulation(&format!(
        "step: {{dt_s: {dt}}}\nwater: {{density_kg_m3: 1000}}\nrobots:\n{}{more}",
        held_robot(
            -10.0,
            &(arm.to_string() + load),
            &every_step("arm", "").replace("1000", "100")
        )
    ));
    let all = readings(&mut s, 0, 2.0);
    all.iter()
        .map(|r| match r.reading {
            Reading::Wrench(r) => SpatialForce {
                m: r.torque,
                f: r.force,
            },
            _ => panic!("not a wrench"),
        })
        .collect()
}

// A coupled load produces the same sensor readings as a load that is part of the arm. Method: 3 kg
// with an anisotropic added mass at the end of an arm that swings freely from horizontal, welded by
// a coupling, against the same mass as a link. Tolerance: the force of a coupling is the mean of
// the last step and thus half a step old: the difference falls with the step, and is under 0.5 h ·
// 60 N · 20 rad/s = 0.6 N h/ms at 1 ms.
#[test]
fn coupled_load_reads_like_a_link() {
    let body = "{source: test, axes: flu, mass_kg: 3, volume_m3: 0.0004, inertia_kg_m2: {xx: 0.02, yy: 0.03, zz: 0.04}, \
                added_mass: {kind: diagonal, values: [0.3, 2, 1.5, 0, 0.01, 0.02]}}";
    let link = format!(
        "        load:\n          parent: arm\n          joint: {{kind: fixed, position_m: [0.8, 0, 0]}}\n          body: {body}\n"
    );
    let other = format!(
        "  load: {{position_m: [0.8, 0, -10], model: {{source: test, body: {body}}}}}\ncouplings: {{tie: {{kind: weld, a: {{robot: r, link: arm, position_m: [0.8, 0, 0]}}, b: {{robot: load}}}}}}\n"
    );
    let worst = |dt: f64| {
        let (one, two) = (swinging(&link, "", dt), swinging("", &other, dt));
        assert!(
            one.len() > 150 && one.len() == two.len(),
            "{} and {}",
            one.len(),
            two.len()
        );
        let apart = one
            .iter()
            .zip(&two)
            .map(|(a, b)| largest(&(*a - *b)))
            .fold(0.0, f64::max);
        let scale = one.iter().map(largest).fold(0.0, f64::max);
        println!("{dt}: {apart:e} of {scale}");
        apart
    };
    let (coarse, fine) = (worst(0.001), worst(0.0005));
    assert!(
        coarse < 0.6 && coarse / fine > 1.7,
        "{coarse} N with 1 ms, {fine} N with 0.5 ms"
    );
}

// The wrench sensor of a dock measures every load on it: contact with the funnel wall, a latch that
// holds, and a latch that breaks. Method: a float of 5 N net buoyancy under a seat that faces down:
// first it rests against the closed end of the funnel, then it is latched, then pulled down with
// more than the strength of the latch. Tolerance: rounding, except for the reduction of a contact
// impulse by the damping of the float, 9 N s/m, within a step: h 9 / (2 · 2 kg) = 2.25e-3.
#[test]
fn dock_measures_contact_and_latch_forces() {
    let seat = "        seat:\n          parent: base_link\n          joint: {kind: fixed, position_m: [0, 0, -0.5]}\n          body: {source: test, axes: flu, mass_kg: 1, net_buoyancy_n: 0, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}\n";
    let mut s = simulation(&format!(
        "step: {{dt_s: 0.001}}\nwater: {{density_kg_m3: 1000}}\nrobots:\n{}  float: {{position_m: [0.02, 0, -10.6], model: {{source: test, body: {{source: test, axes: flu, \
         mass_kg: 2, net_buoyancy_n: 5, inertia_kg_m2: {{xx: 0.1, yy: 0.1, zz: 0.1}}, linear_damping: {{kind: diagonal, values: [9, 9, 9, 1, 1, 1]}}}}}}}}\ncouplings:\n  dock: {{kind: latch, \
         a: {{robot: r, link: seat}}, b: {{robot: float, position_m: [0, 0, 0], attitude_deg: [0, 0, 0]}}, break_force_n: 20, distance_m: 0.06, \
         funnel: {{entrance_radius_m: 0.1, exit_radius_m: 0.02, length_m: 0.3}}}}\n",
        held_robot(-10.0, seat, &every_step("seat", ""))
    ));
    let couple = |s: &mut Simulation, engage: bool| {
        s.apply(&Command::SetCoupling {
            coupling: 0,
            engage,
            partner: None,
        })
        .unwrap();
    };
    couple(&mut s, false);
    advance(&mut s, 5.0);
    close_vectors(
        "against the funnel",
        wrench_now(&mut s).0,
        Vec3::new(0.0, 0.0, 5.0),
        2.3e-3,
    );
    assert!(!s.state.couplings[0].engaged && s.state.couplings[0].guided);
    couple(&mut s, true);
    advance(&mut s, 5.0);
    close_vectors(
        "latched",
        wrench_now(&mut s).0,
        Vec3::new(0.0, 0.0, 5.0),
        1e-6,
    );
    assert!(s.state.couplings[0].engaged);
    // 30 N down on the float minus its buoyancy: the latch carries 25 N for one step and breaks.
    s.state.robots[1].external_force[0].f.z = -30.0;
    s.state.robots[0].external_force[0].f.z = 0.0;
    close_vectors(
        "while it breaks",
        wrench_now(&mut s).0,
        Vec3::new(0.0, 0.0, -25.0),
        3e-3,
    );
    assert!(!s.state.couplings[0].engaged, "the latch carried 25 N");
    close_vectors("after it broke", wrench_now(&mut s).0, Vec3::zero(), 1e-6);
}
