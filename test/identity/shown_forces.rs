//! Tests that the live view shows the forces of the step: their sum is the rate of momentum of the
//! bodies in every bundled world.

use crate::common::{run, simulation};
use merrow_math::{SpatialForce, SpatialInertia, SpatialVelocity, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{CouplingEnd, Robot, Scene, TetherEnd};
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{AppliedWrench, Motion, Workspace, WrenchFrame, WrenchSource};
use merrow_physics::forces::contributions::Law;
use merrow_sim::Simulation;
use merrow_view::readings::forces::Evaluation;
use merrow_world::{Overrides, load_world};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Laws that act in no bundled world.
const OTHER_LAWS: &str = "
seed: 3
seabed: {depth_m: 30}
water: {density_kg_m3: 1000, waves: {kind: kelpie, beaufort: 4, period_s: 4}}
weather: {wind_speed_m_s: 6.7, wind_from_deg: 40}
robots:
  leaking:
    model: bluerov2
    position_m: [0, 0, -10]
  kelpie:
    position_m: [20, 0, 0]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 30, inertia_kg_m2: {xx: 2, yy: 5, zz: 6},
        net_buoyancy_n: 10, linear_damping: {kind: diagonal, values: [50, 50, 300, 0, 0, 10]},
        kelpie_attitude: {pitch_rad_per_m: 0.1, roll_rad_per_m: 0.2}}
  pushed:
    model: remus100
    position_m: [40, 0, -10]
    velocity_m_s: [1, 0.2, 0]
  glider: {model: seawing, position_m: [60, 0, -10]}
  published: {model: remus100_prestero, position_m: [80, 0, -10], velocity_m_s: [1, 0.2, 0]}
faults:
  hole: {robot: leaking, target: base_link, kind: leak, hole_diameter_m: 0.02, compartment_m3: 0.01,
    center_m: [0.1, 0, 0]}
actors:
  ferry:
    body: {source: test, axes: flu, mass_kg: 6150, volume_m3: 12,
      inertia_kg_m2: {xx: 4000, yy: 20000, zz: 20000}, hull: {kind: box, size_m: [6, 2, 1]},
      collisions: {hull: {kind: box, size_m: [6, 2, 1]}}}
    waypoints_m: [[0, 60, 0], [40, 60, 0]]
    speed_m_s: 2
";

/// Returns the sum of the shown forces and of their moments about a point, in W.
fn shown_sum(shown: &Evaluation, about: Vec3) -> SpatialForce {
    shown
        .forces
        .iter()
        .fold(SpatialForce::zero(), |sum, force| {
            let m = force.m_W + (force.p_W - about).cross(force.f_W);
            sum + SpatialForce { m, f: force.f_W }
        })
}

/// Returns the links with the accelerations that follow from the accelerations of base and joints.
fn accelerated_links(
    robot: &Robot,
    motion: &Motion,
    A_base: SpatialVelocity,
    qdd: &[f64],
) -> Vec<LinkWork> {
    let mut links = Workspace::new(robot).links;
    kinematics::poses(robot, motion, &mut links);
    kinematics::velocities(robot, motion, &mut links);
    links[0].A = A_base;
    for (i, link) in robot.links.iter().enumerate().skip(1) {
        let A_P = links[link.parent.unwrap_or(0)].A;
        let own = kinematics::joint_velocity(link.joint.kind, qdd[i - 1]);
        let w = &mut links[i];
        let carried = A_P.to_child(&w.R_PC, w.p_PC).add_scaled(&w.c, 1.0);
        w.A = carried.add_scaled(&own, 1.0);
    }
    links
}

/// Returns the rate of momentum of the bodies and of the water in their compartments about a point,
/// in W.
fn momentum_rate(
    robot: &Robot,
    links: &[LinkWork],
    flood: &[SpatialInertia],
    about: Vec3,
) -> SpatialForce {
    let all = robot.links.iter().zip(links).zip(flood);
    all.fold(SpatialForce::zero(), |sum, ((link, w), flood)| {
        let inertia = link.rigid + *flood;
        let of_velocity = w.V.cross_force(&inertia.mul(&w.V));
        let rate = inertia.mul(&w.A) + of_velocity;
        sum + rate.to_parent(&w.R_WL, w.p_WL - about)
    })
}

/// Fails if the forces do not balance within a fraction of the sum of their sizes.
fn assert_balance(name: &str, shown: &Evaluation, [found, rate]: [&SpatialForce; 2], limit: f64) {
    let size = |f: &SpatialForce| f.f.norm() + f.m.norm();
    let sizes = shown
        .forces
        .iter()
        .map(|force| force.f_W.norm() + force.m_W.norm());
    let error = size(&(*found - *rate)) / sizes.sum::<f64>().max(1.0);
    let forces: Vec<_> = shown
        .forces
        .iter()
        .map(|f| (f.law.name(), &f.name, f.f_W))
        .collect();
    assert!(
        error <= limit,
        "{name}: error {error}, {found:?} instead of {rate:?}, of {forces:?}"
    );
}

/// Returns the robots at the ends of tethers and couplings.
fn linked_robots(scene: &Scene) -> BTreeSet<usize> {
    let of_tethers = scene.tethers.iter().flat_map(|tether| &tether.ends);
    let tethered = of_tethers.filter_map(|end| match end {
        TetherEnd::Link { robot, .. } => Some(*robot),
        _ => None,
    });
    let of_couplings = scene.couplings.iter().flat_map(|c| [Some(c.a), c.b]);
    let ends = of_couplings
        .flatten()
        .filter_map(|end: CouplingEnd| end.link());
    tethered.chain(ends.map(|(robot, _)| robot)).collect()
}

/// Checks the shown forces of all robots against the accelerations of the next step. Returns the
/// shown laws.
fn check_next_step(name: &str, s: &mut Simulation) -> BTreeSet<Law> {
    let scene = Arc::clone(&s.scene);
    let linked = linked_robots(&scene);
    let (mut laws, mut free) = (BTreeSet::new(), Vec::new());
    for (r, robot) in scene.robots.iter().enumerate() {
        let state = &s.state.robots[r];
        if !robot.floating || state.halted.is_some() {
            continue;
        }
        let name = format!("{name}, {}", robot.name);
        let shown = Evaluation::new(s, r);
        laws.extend(shown.forces.iter().map(|force| force.law));
        let work = s.contributions(r).0;
        let base = state.motion.p_WB;
        let sum = shown_sum(&shown, base);
        let rate = momentum_rate(robot, &work.links, &work.flood, base);
        let touches = state.impulse_acceleration.is_nonzero;
        let limit = if touches { 0.02 } else { 1e-9 };
        assert_balance(&name, &shown, [&sum, &rate], limit);
        // tethers and couplings have the forces of the last step
        if !touches && !linked.contains(&r) {
            free.push((r, name, shown, sum, work.flood, state.motion.clone()));
        }
    }
    s.advance(1);
    for (r, name, shown, sum, flood, motion) in free {
        if s.state.robots[r].halted.is_none() {
            let (robot, work) = (&scene.robots[r], &s.runners[r].work);
            let links = accelerated_links(robot, &motion, work.A_start, &work.qdd_start);
            let rate = momentum_rate(robot, &links, &flood, motion.p_WB);
            assert_balance(&format!("next step of {name}"), &shown, [&sum, &rate], 1e-9);
        }
    }
    laws
}

// The shown forces are complete, and are the forces of the step. Method: in every bundled world and
// a world with the other laws, the sum of the shown forces and moments on each robot that floats is
// the rate of momentum of its bodies by the accelerations of the next step. Every law acts at least
// once. Tolerance: rounding; 2 % for robots in contact, whose forces are the mean of the last step.
#[test]
fn shown_forces_are_those_of_the_step() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds");
    let mut laws = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let world = load_world(&path, Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut s = Simulation::new(Arc::new(world.scene), 1).unwrap();
        for seconds in [0.0, 0.5] {
            s.advance((seconds / s.scene.dt()) as u64);
            laws.extend(check_next_step(&path.display().to_string(), &mut s));
        }
    }
    let mut s = simulation(OTHER_LAWS);
    s.advance((2.0 / s.scene.dt()) as u64);
    let of = |name: &str| s.scene.robots.iter().position(|r| r.name == name).unwrap();
    let (pushed, glider) = (of("pushed"), of("glider"));
    let wrench = AppliedWrench {
        link: 0,
        source: WrenchSource::Topic,
        frame: WrenchFrame::World,
        F: SpatialForce {
            m: Vec3::new(0.0, 1.0, 0.0),
            f: Vec3::new(3.0, 4.0, 5.0),
        },
        p_LoP: Vec3::new(0.1, 0.2, 0.3),
        start_ns: 0,
        end_ns: u64::MAX,
    };
    s.state.robots[pushed].applied_wrenches.push(wrench);
    s.state.robots[glider].buoyancy_engines[0].volume = 2e-4;
    laws.extend(check_next_step("other laws", &mut s));
    let missing: Vec<_> = Law::ALL.iter().filter(|law| !laws.contains(law)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

// Contacts are among the shown forces. Method: the sum on a vehicle whose thrusters hold it on the
// seabed with 60 N is zero. Tolerance: 1 % of the thrust.
#[test]
fn shown_forces_on_a_vehicle_at_rest_cancel() {
    let text = "
seabed: {depth_m: 5}
robots: {rov: {model: bluerov2, position_m: [0, 0, -4.7]}}
schedule: {push: {time_s: 0, robot: rov, kind: wrench, force_n: [0, 0, -60], duration_s: 99}}
";
    let s = run(text, 20.0);
    let shown = Evaluation::new(&s, 0);
    let of = |law: Law| {
        let own = shown.forces.iter().filter(|force| force.law == law);
        own.fold(Vec3::zero(), |sum, force| sum + force.f_W)
    };
    let sum = shown
        .forces
        .iter()
        .fold(Vec3::zero(), |sum, force| sum + force.f_W);
    assert!(of(Law::Contact).z > 50.0, "{:?}", shown.forces);
    assert!(sum.norm() < 0.6, "{sum:?}");
}
