//! Tests the correction of the estimated position by positions that arrive over a bridge.

use crate::common::simulation;
use merrow::publisher::connect_bridges;
use merrow_math::Vec3;
use merrow_model::state::Command;
use merrow_model::state::firmware::tasks::MotionEstimate;
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::geometry_msgs::{Point, PointStamped};
use merrow_ros2::msg::std_msgs::Header;
use merrow_sim::Simulation;

/// Time constant of the correction in the world of [`world`] [s].
const TIME_CONSTANT: f64 = 2.0;

/// Returns a vehicle that measures its attitude only, and `sensors`, with a bridge from a fixed
/// modem that transmits positions of the point `arm` of the vehicle.
fn world(sensors: &str, arm: [f64; 3]) -> Simulation {
    let mut s = simulation(&format!(
        "
step: {{dt_s: 0.005}}
seabed: {{depth_m: 20}}
robots:
  v:
    position_m: [3, 4, -5]
    model:
      extends: robots/bluerov2_heavy.yaml
      battery: null
      sensors: {{ahrs: {{device: xsens_mti_3}}}}
      firmware: {{extends: firmware/bluerov2_heavy_motion.yaml, feedback: sensors, feedback_sensors: {{attitude: ahrs{sensors}}}}}
      modems: {{acoustic: {{modem: evologics_s2c_r_18_34}}}}
modems:
  buoy: {{modem: evologics_s2c_r_18_34, position_m: [0, 0, -1]}}
bridges:
  fix: {{from: buoy, to: v/acoustic, topic: /survey, message_type: geometry_msgs/msg/PointStamped, fix: {{position_m: {arm:?}, correction_time_s: {TIME_CONSTANT}}}}}
"
    ));
    connect_bridges(&mut s);
    s.advance(100);
    s
}

fn estimate(s: &Simulation) -> MotionEstimate {
    s.state.robots[0].firmware.as_ref().unwrap().estimate
}

/// Transmits a position in `frame` that was measured at `stamp_ns` [ns], and advances until the
/// estimate uses it, at most 1.5 s. Returns the reasons of rejections.
fn transmit(s: &mut Simulation, frame: &str, p: Vec3, stamp_ns: u64) -> Vec<String> {
    let message = PointStamped {
        header: Header {
            stamp: Time::from_nanos(stamp_ns),
            frame_id: frame.to_string(),
        },
        point: Point {
            x: p.x,
            y: p.y,
            z: p.z,
        },
    };
    let message = to_bytes(&message);
    s.apply(&Command::Bridge { bridge: 0, message }).unwrap();
    s.schedule_rejections.clear();
    let before = estimate(s).fix_ns;
    for _ in 0..300 {
        s.advance(1);
        if estimate(s).fix_ns != before {
            break;
        }
    }
    let rejections = s.schedule_rejections.iter();
    rejections
        .map(|rejection| rejection.reason.clone())
        .collect()
}

// The first position replaces the estimate, a later one corrects the fraction Δt/T of the error,
// and the velocity by this fraction over T, an earlier one has no effect. After 2 s without a
// position the velocity is zero. Method: equations (4) and (5) of `estimate.rs` at zero velocity,
// which is the estimate without a velocity sensor. Tolerance: rounding.
#[test]
fn fixes_correct_the_position_exponentially() {
    let mut s = world("", [0.0; 3]);
    let none: Vec<String> = Vec::new();
    let is_equal = |a: Vec3, b: Vec3| (a - b).norm() < 1e-12;
    assert_eq!(estimate(&s).p_WB, Vec3::new(3.0, 4.0, -5.0));
    let (first, second) = (Vec3::new(10.0, 20.0, -6.0), Vec3::new(14.0, 12.0, -8.0));
    let start = s.time_ns();
    assert_eq!(transmit(&mut s, "world", first, start), none);
    let found = estimate(&s);
    assert!(
        is_equal(found.p_WB, first) && found.v_WB == Vec3::zero(),
        "{found:?}"
    );
    s.advance(500);
    let stamp = start + 500_000_000;
    assert_eq!(transmit(&mut s, "", second, stamp), none);
    let found = estimate(&s);
    let step = (second - first).scale(0.5 / TIME_CONSTANT);
    assert!(is_equal(found.p_WB, first + step), "{found:?}");
    assert!(
        is_equal(found.v_WB, step.scale(1.0 / TIME_CONSTANT)),
        "{found:?}"
    );
    s.advance(500);
    let rest = estimate(&s);
    assert!(rest.v_WB.x == 0.0 && rest.v_WB.y == 0.0, "{rest:?}");
    for stamp_ns in [start, stamp] {
        assert_eq!(transmit(&mut s, "world", Vec3::zero(), stamp_ns), none);
        assert!(is_equal(estimate(&s).p_WB, rest.p_WB));
    }
}

// The point of the position need not be the origin of the vehicle, and the pressure sensor
// determines the depth. Method: a point 0.8 m ahead of the vehicle, which heads east within the 2
// deg of its AHRS. Tolerance: 0.05 m for the heading; 0.05 m for the noise of the depth.
#[test]
fn fixes_are_positions_of_a_point_of_the_vehicle() {
    let mut s = world(", pressure: pressure", [0.8, 0.0, 0.0]);
    let start = s.time_ns();
    transmit(&mut s, "world", Vec3::new(10.8, 20.0, 7.0), start);
    let (p, z) = (estimate(&s).p_WB, s.state.robots[0].motion.p_WB.z);
    assert!(
        (p.x - 10.0).abs() < 0.05 && (p.y - 20.0).abs() < 0.05,
        "{p:?}"
    );
    assert!((p.z - z).abs() < 0.05, "{p:?} at {z}");
}

#[test]
fn impossible_fixes_are_rejected() {
    let mut s = world("", [0.0; 3]);
    s.advance(4000);
    let (p, now) = (Vec3::new(1.0, 2.0, -3.0), s.time_ns());
    let later = now + 60_000_000_000;
    for (frame, p, stamp_ns, expected) in [
        ("v/base", p, now, "pose in frame \"v/base\"; expected world"),
        (
            "world",
            Vec3::new(f64::NAN, 0.0, 0.0),
            now,
            "position: found a value that is not finite",
        ),
        ("world", p, later, "s ago; expected an age of 0 to 10 s"),
        ("world", p, 0, "s ago; expected an age of 0 to 10 s"),
    ] {
        let before = estimate(&s).p_WB;
        let reasons = transmit(&mut s, frame, p, stamp_ns);
        assert!(
            reasons.len() == 1
                && reasons[0].starts_with("bridge fix: ")
                && reasons[0].ends_with(expected),
            "{reasons:?}"
        );
        assert_eq!(estimate(&s).p_WB, before);
    }
}
