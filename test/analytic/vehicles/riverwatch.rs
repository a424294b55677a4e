//! Tests the river of `worlds/riverwatch.yaml`: its water, bed, banks, buoys, trees, boat and
//! drone.

use crate::common::{advance, simulation};
use merrow_environment::{EnvironmentState, Variation};
use merrow_math::Vec3;
use merrow_model::scene::TetherEnd;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::contact::{Contact, ContactBody};
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_scenery::river::River;
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use std::sync::Arc;

const BOAT: usize = 0;
const DRONE: usize = 1;

fn riverwatch() -> Simulation {
    let world = load_world(&data_dir::world_file("riverwatch"), Overrides::default());
    let world = world.unwrap_or_else(|problems| panic!("{problems}"));
    Simulation::new(Arc::new(world.scene), 1).unwrap()
}

fn position(s: &Simulation, robot: usize) -> Vec3 {
    s.state.robots[robot].motion.p_WB
}

/// Drives for `seconds` [s] under a velocity command that is repeated ten times a second.
fn drive(s: &mut Simulation, robot: usize, ahead: f64, yaw_rate: f64, seconds: f64) {
    for _ in 0..(seconds * 10.0).round() as usize {
        let (linear, angular) = (Vec3::new(ahead, 0.0, 0.0), Vec3::new(0.0, 0.0, yaw_rate));
        s.apply(&Command::Firmware(
            robot,
            FirmwareCommand::Velocity { linear, angular },
        ))
        .unwrap();
        advance(s, 0.1);
    }
}

// The current of the river acts on robots: each cross-section passes the discharge of the
// generator, and no water flows over land. Method: the along-course speed times the depth over
// strips of 0.25 m, at sections every 40 m, as a hull and an echo sounder would measure them.
// Tolerance: 5 %: both are linear between samples 3 m and 4 m apart, in a channel 32 m wide.
#[test]
fn every_section_passes_the_river_discharge() {
    let scene = riverwatch().scene;
    let river = River::new(1);
    let at = EnvironmentState {
        sea: &scene.sea,
        gravity: 9.81,
        time: 0.0,
        variation: Variation::NONE,
        waves: None,
    };
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    let mut s = 100.0;
    for _ in 0..24 {
        s += 40.0;
        let foot = |n: f64| {
            river
                .valley
                .course
                .to_course_coordinates(river.valley.course.to_position(s, n))
        };
        if river.valley.course.to_position(s, 0.0)[0].abs() > 360.0 {
            continue;
        }
        let mut sum = 0.0;
        for k in -100..100 {
            let n = 0.25 * (f64::from(k) + 0.5);
            let [x, y] = river.valley.course.to_position(s, n);
            let z = scene.sea.seabed.height(x, y);
            let (u, _) = at.water_motion(Vec3::new(x, y, -0.1));
            let along = foot(n).along;
            sum += 0.25 * (-z).max(0.0) * (u.x * along[0] + u.y * along[1]);
        }
        (least, most) = (least.min(sum), most.max(sum));
    }
    let q = river.stream.discharge;
    assert!(
        least > 0.95 * q && most < 1.05 * q,
        "{least} to {most} of {q} m3/s"
    );
    for tree in &river.trees {
        let (u, _) = at.water_motion(Vec3::new(tree.p[0], tree.p[1], 0.0));
        assert_eq!(u.norm(), 0.0);
    }
}

// Buoys float downstream of their anchors, within the length of their lines. Method: a minute of
// river and wind. Tolerance: 0.4 m beyond the circle of a taut line, for the buoy's own radius; 0.3
// m of height.
#[test]
fn buoys_keep_within_their_moorings() {
    let mut s = riverwatch();
    advance(&mut s, 60.0);
    assert_eq!(s.scene.tethers.len(), 8);
    for (tether, state) in s.scene.tethers.iter().zip(&s.state.tethers) {
        let (TetherEnd::World(anchor), TetherEnd::Link { robot, .. }) =
            (tether.ends[0], tether.ends[1])
        else {
            panic!()
        };
        let p = position(&s, robot);
        let radius = (tether.length_m * tether.length_m - anchor.z * anchor.z).sqrt();
        let away = p - anchor;
        let out = libm::hypot(away.x, away.y);
        assert!(
            out < radius + 0.4,
            "{}: {out:.2} m from its anchor, {radius:.2} m of line",
            tether.name
        );
        assert!(p.z.abs() < 0.3, "{} lies at {:.2} m", tether.name, p.z);
        assert!(s.state.robots[robot].halted.is_none() && state.halted_ns.is_none());
        // The current keeps the buoy downstream of its anchor.
        let at = EnvironmentState {
            sea: &s.scene.sea,
            gravity: 9.81,
            time: 0.0,
            variation: Variation::NONE,
            waves: None,
        };
        let (u, _) = at.water_motion(anchor);
        assert!(
            u.norm() < 0.2 || away.dot(u) > 0.0,
            "{}: {away:?} in {u:?}",
            tether.name
        );
    }
}

// The boat moves upriver under velocity commands and stops when they end. Method: 1.5 m/s over
// ground for 15 s against the current, the mean of the last five, then no commands. Tolerance: 5 %
// of the speed under gusts, in a current that changes along the path.
#[test]
fn boat_drives_upriver() {
    let mut s = riverwatch();
    let start = position(&s, BOAT);
    drive(&mut s, BOAT, 1.5, 0.0, 10.0);
    let mut sum = 0.0;
    for _ in 0..50 {
        drive(&mut s, BOAT, 1.5, 0.0, 0.1);
        sum += s.state.robots[BOAT].motion.V_WB_B.v.x;
    }
    assert!((sum / 50.0 - 1.5).abs() < 0.075, "{}", sum / 50.0);
    assert!(
        position(&s, BOAT).x < start.x - 15.0,
        "{:?}",
        position(&s, BOAT)
    );
    assert!(
        s.state.couplings[0].engaged,
        "the drone is still on the deck"
    );
    advance(&mut s, 1.5);
    assert!(
        s.state.robots[BOAT]
            .actuators
            .iter()
            .all(|a| a.command == 0.0)
    );
}

/// Applies the same `thrust` [N] on both engines for `seconds` [s].
fn push(s: &mut Simulation, thrust: f64, seconds: f64) {
    for thruster in 0..2 {
        s.apply(&Command::Actuator(
            BOAT,
            ActuatorCommand::Thruster {
                thruster,
                value: thrust,
            },
        ))
        .unwrap();
    }
    advance(s, seconds);
}

// A boat driven against the bank grounds there. It passes neither through the bank nor over it, for
// any heading. Method: turned to the outer bank, then both engines ahead with 150 N, which give 1
// m/s in open water, for 30 s. Tolerance: the hulls penetrate the terrain by less than 2 cm; the
// terrain reacts with at least half of the engine thrust; the centre of the boat does not pass over
// ground higher than 0.1 m, but its bow reaches land.
#[test]
fn the_bank_stops_a_boat() {
    let mut s = riverwatch();
    drive(&mut s, BOAT, 0.3, 0.5, 3.0);
    advance(&mut s, 1.2);
    let mut hardest = 0.0_f64;
    let (mut deepest, mut middle, mut bow) =
        (f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for _ in 0..150 {
        push(&mut s, 150.0, 0.2);
        let ground_pushes = |c: &&Contact| {
            c.b == ContactBody::Seabed
                && matches!(c.a, ContactBody::Link { robot, .. } if robot as usize == BOAT)
        };
        let dt = s.scene.dt();
        let push: f64 = s
            .state
            .contacts
            .touching
            .iter()
            .filter(ground_pushes)
            .map(|c| c.impulse_W.norm() / dt)
            .sum();
        hardest = hardest.max(push);
        let motion = &s.state.robots[BOAT].motion;
        let R = motion.q_WB.matrix();
        let at = |x: f64, y: f64, z: f64| motion.p_WB + R.mul_vec(Vec3::new(x, y, z));
        let ground = |p: Vec3| s.scene.sea.seabed.height(p.x, p.y);
        for (x, y) in [(-2.6, 1.03), (1.8, 1.03), (-2.6, -1.03), (1.8, -1.03)] {
            let keel = at(x, y, -0.089);
            deepest = deepest.max(ground(keel) - keel.z);
        }
        middle = middle.max(ground(at(-0.4, 0.0, 0.0)));
        bow = bow
            .max(ground(at(2.2, 1.03, 0.0)))
            .max(ground(at(2.2, -1.03, 0.0)));
    }
    assert!(hardest > 150.0, "the terrain pushed with {hardest} N");
    assert!(deepest < 0.02, "the hull was {deepest} m in the terrain");
    assert!(
        middle < 0.1 && bow > 0.0,
        "its centre is over ground at {middle} m, its bow at {bow} m"
    );
}

// A drone that is released on the deck of a boat under way stays there until it takes off. Method:
// 1.5 m/s upriver, release of the latch, then 12 s in which the commands end, and the boat slows
// down, drifts and rocks on the waves. Tolerance: 2 cm on the deck.
#[test]
fn released_drone_stays_on_moving_deck() {
    let mut s = riverwatch();
    drive(&mut s, BOAT, 1.5, 0.0, 4.0);
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    })
    .unwrap();
    let on_deck = |s: &Simulation| {
        s.state.robots[BOAT]
            .motion
            .q_WB
            .matrix()
            .tr_mul_vec(position(s, DRONE) - position(s, BOAT))
    };
    let stood = on_deck(&s);
    advance(&mut s, 12.0);
    let slid = (on_deck(&s) - stood).norm();
    assert!(slid < 0.02, "it slid {slid} m");
    s.apply(&Command::Firmware(
        DRONE,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::TakeOff,
        },
    ))
    .unwrap();
    advance(&mut s, 4.0);
    assert!(position(&s, DRONE).z > 2.5, "{:?}", position(&s, DRONE));
}

// The drone returns to the deck of a boat that is driven upriver, in waves, wind and gusts, and is
// latched. Method: take-off, over the deck by velocity commands, then down at 0.3 m/s into the
// ground effect of the deck. Tolerance: none: the latch captures within 15 cm and 15 degrees.
#[test]
fn the_drone_lands_on_the_deck() {
    let mut s = riverwatch();
    drive(&mut s, BOAT, 1.0, 0.0, 3.0);
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    })
    .unwrap();
    s.apply(&Command::Firmware(
        DRONE,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::TakeOff,
        },
    ))
    .unwrap();
    drive(&mut s, BOAT, 1.0, 0.0, 4.0);
    for k in 0..250 {
        let (boat, drone) = (&s.state.robots[BOAT].motion, &s.state.robots[DRONE].motion);
        let velocity = boat.q_WB.matrix().mul_vec(boat.V_WB_B.v);
        let over = if k < 100 { 2.5 } else { 1.25 };
        let e = boat.p_WB + Vec3::new(0.0, 0.0, over) - drone.p_WB;
        let mut v = velocity + e.scale(0.8);
        if k >= 100 {
            v.z = -0.3;
        }
        let linear = drone.q_WB.matrix().tr_mul_vec(v);
        s.apply(&Command::Firmware(
            DRONE,
            FirmwareCommand::Velocity {
                linear,
                angular: Vec3::zero(),
            },
        ))
        .unwrap();
        drive(&mut s, BOAT, 1.0, 0.0, 0.1);
        if k > 100 && s.state.couplings[0].engaged {
            return;
        }
    }
    panic!(
        "not captured: {:?}",
        position(&s, DRONE) - position(&s, BOAT)
    );
}

// The drone leaves the deck and hovers in wind and gusts. Method: release of the latch, take-off,
// 10 s. Tolerance: a metre about its hover, 1.5 m above its start: a wind of 4 m/s displaces it by
// a quarter of that, gusts by the same amount again.
#[test]
fn the_drone_leaves_the_deck_and_hovers() {
    let mut s = riverwatch();
    advance(&mut s, 1.0);
    assert!(s.state.couplings[0].engaged);
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    })
    .unwrap();
    let start = position(&s, DRONE);
    s.apply(&Command::Firmware(
        DRONE,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::TakeOff,
        },
    ))
    .unwrap();
    advance(&mut s, 4.0);
    let mut furthest = 0.0_f64;
    for _ in 0..30 {
        advance(&mut s, 0.2);
        furthest = furthest.max((position(&s, DRONE) - start - Vec3::new(0.0, 0.0, 1.5)).norm());
    }
    assert!(furthest < 1.0, "{furthest}");
    // The boat drifts away below it.
    assert!((position(&s, BOAT) - start).norm() > 1.5);
}

// The trunk and the crown of trees are obstacles, and the terrain supports falling bodies. Method:
// balls of 0.2 m thrown at 6 m/s at the trunk and at the crown of a tree from 2 m away, one past
// it.
#[test]
fn trees_are_hit() {
    let river = River::new(1);
    let tree = &river.trees[0];
    let ([x, y, z], [height, trunk, crown]) = (tree.p, tree.size);
    let ball = |name: &str, at: [f64; 3]| {
        format!(
            "  {name}: {{position_m: {at:?}, velocity_m_s: [6, 0, 0], body: {{source: test, axes: flu, mass_kg: 4, \
             inertia_kg_m2: {{xx: 0.06, yy: 0.06, zz: 0.06}}, collisions: {{ball: {{kind: sphere, radius_m: 0.2}}}}}}}}\n"
        )
    };
    let text = format!(
        "extends: grids/riverwatch/valley.yaml\nstep: {{dt_s: 0.004}}\nprops:\n{}{}{}",
        ball("low", [x - 2.0 - trunk, y, z + 1.2]),
        ball("high", [x - 2.0 - crown, y, z + height - crown]),
        ball("past", [x - 2.0, y + crown + 1.5, z + 1.2]),
    );
    let mut s = simulation(&text);
    advance(&mut s, 1.0);
    let of = |s: &Simulation, name: &str| {
        position(
            s,
            s.scene.robots.iter().position(|r| r.name == name).unwrap(),
        )
    };
    assert!(
        of(&s, "low").x < x - trunk && of(&s, "high").x < x,
        "{:?} {:?}",
        of(&s, "low"),
        of(&s, "high")
    );
    assert!(of(&s, "past").x > x + 1.0, "{:?}", of(&s, "past"));
    advance(&mut s, 4.0);
    for name in ["low", "high", "past"] {
        let p = of(&s, name);
        let ground = s.scene.sea.seabed.height(p.x, p.y);
        assert!(
            p.z > ground + 0.15 && p.z < ground + 0.3,
            "{name} at {p:?} over ground at {ground}"
        );
    }
}
