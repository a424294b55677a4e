//! Wrench sensors: against Newton-Euler summed over what hangs on the joint, and against a weight in water.

use crate::common::physics::largest;
use crate::common::tree::{self, Random, Recipe};
use crate::common::{instant, near, reading, simulation};
use merrow::math::rng::Stream;
use merrow::math::{Mat3, SpatialForce, Vec3};
use merrow::scene::sensor::{Errors, Noise};
use merrow::scene::{Robot, Sensor, SensorKind};
use merrow::sensors::wrench;
use merrow::sim::step;
use merrow::state::Workspace;
use merrow::state::reading::Reading;

/// What its parent exerts on link `i` at Lo, in W about the world's origin: the rate of the momentum of the link and of all that
/// hangs on it, less the forces on them.
fn summed(robot: &Robot, work: &Workspace, i: usize) -> SpatialForce {
    let hangs = |mut k: usize| loop {
        if k == i {
            return true;
        }
        match robot.links[k].parent {
            Some(parent) => k = parent,
            None => return false,
        }
    };
    (0..robot.links.len()).filter(|k| hangs(*k)).fold(SpatialForce::zero(), |sum, k| {
        let w = &work.links[k];
        sum.plus(&w.inertia.mul(&w.A).minus(&w.F).to_parent(&w.R_WL, w.p_WL))
    })
}

// Goal: the wrench through a joint holds weight, water, inertia and added mass of all beyond it. Method: random trees under water in
// general motion, IA a + pA of the forward dynamics against the sum over the subtree, which knows no articulated inertia, as
// Newton-Euler does it. Tolerance: 1e-10 of the largest force on a link.
#[test]
fn wrench_is_newton_euler_of_what_hangs_on_the_joint() {
    for links in [2, 4, 9, 20] {
        for floating in [true, false] {
            let recipe = Recipe { links, floating, damping: true, held_joints: true, potential: true };
            let scene = tree::scene(900 + links as u64, recipe);
            let robot = &scene.robots[0];
            let mut random = Random::new(60 + links as u64);
            let motion = tree::motion(&mut random, robot);
            let commands: Vec<f64> = (1..links).map(|_| random.between(-3.0, 3.0)).collect();
            let mut work = Workspace::new(robot);
            step::evaluate(robot, &instant(&scene), &motion, &commands, 0, &mut work);
            let scale = work.links.iter().map(|w| largest(&w.F)).fold(1.0, f64::max);
            for i in 1..links {
                let sensor = sensor(i, random.vector(0.3), random.attitude().matrix());
                let found = wrench::through_joint(&sensor, &wrench::on_link(robot, &work, i, None), false);
                let w = &work.links[i];
                // the sensor's place and axes in W
                let (p_WS, R_WS) = (w.p_WL + w.R_WL.mul_vec(sensor.p_LoS), w.R_WL.mul_mat(&sensor.R_LS));
                let error = largest(&found.to_parent(&R_WS, p_WS).minus(&summed(robot, &work, i))) / scale;
                // 100 m below the origin the moments about it are 100 times the forces
                assert!(error < 1e-10 * 100.0, "{links} links, joint {i}: {error:e}");
            }
        }
    }
}

fn sensor(link: usize, p_LoS: Vec3, R_LS: Mat3) -> Sensor {
    let errors = Errors::new(&Noise::NONE, 100.0, Stream::new(1, "wrench"));
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
        drop_out: 0.0,
        power: 0.0,
        queue: 2,
        stream: Stream::new(1, "ft"),
        kind: SensorKind::Wrench { force: errors, torque: errors, on_parent: false },
    }
}

// Goal: a load that hangs in water pulls down with its weight in water, in the axes and at the place of the sensor, also through a
// fixed joint. Method: 3 kg of 1 litre, 0.5 m ahead of the joint, on a base that is rolled by 90 deg: weight in water
// (3 - 1) 9.81 = 19.62 N. Tolerance: rounding.
#[test]
fn a_load_pulls_with_its_weight_in_water() {
    for kind in ["fixed", "revolute, lower_rad: -1, upper_rad: 1, drive: position"] {
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
            let Reading::Wrench(r) = reading(&mut s, 0) else { panic!("not a wrench") };
            // down in W is -y of the rolled link; the arm from sensor to load is 0.3 m along x
            near("force", r.force, Vec3::new(0.0, -19.62, 0.0).scale(sign), 1e-9);
            near("torque", r.torque, Vec3::new(0.0, 0.0, -0.3 * 19.62).scale(sign), 1e-9);
        }
    }
}
