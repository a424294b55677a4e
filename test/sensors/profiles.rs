//! Tests of the units and frames in which the profiles of other simulators publish readings.

use crate::common::scene;
use crate::common::turntable::{ball, set_motion};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::topic::{AnySample, SampleData, topics};
use merrow_messages::frames::static_frames;
use merrow_model::scene::robot::profile::Profile;
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::geometry_msgs::{Quaternion, TwistWithCovarianceStamped, Vector3};
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::sensor_msgs::{FluidPressure, Imu, MagneticField};
use merrow_sim::Simulation;
use std::sync::Arc;

const SENSORS: &str = "odometry: {device: {source: test, kind: odometry, rate_hz: 500}}, \
    imu: {device: {source: test, kind: imu, rate_hz: 500, attitude_std_deg: [0, 0, 0]}}, \
    ins: {device: {source: test, kind: ins, rate_hz: 500, start_position_std_m: 1, start_attitude_std_deg: [1, 2, 3]}}, \
    pressure: {device: {source: test, kind: pressure, rate_hz: 500, errors: {turn_on_bias_std: 200}}}, \
    magnetometer: {device: {source: test, kind: magnetometer, rate_hz: 500}}, \
    dvl: {device: {source: test, kind: dvl, rate_hz: 500, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [0.5, 100]}, position_m: [1, 0, 0]}";

/// World whose robot is 5 m deep, 20 m north and 10 m east, heads 30 degrees north of east with its
/// bow 0.1 rad down, moves ahead at 1 m/s and turns.
fn world(profile: Option<Profile>) -> Simulation {
    let top = "water: {density_kg_m3: 1000, air_pressure_pa: 100000}\norigin: {magnetic_field_nt: [4000, 20000, -30000]}\nseabed: {depth_m: 40}";
    let mut scene = scene(&ball(top, "", SENSORS));
    scene.robots[0].profile = profile;
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    for sensor in &mut s.state.robots[0].sensors {
        sensor.noise = false;
    }
    set_motion(
        &mut s,
        Vec3::new(10.0, 20.0, -5.0),
        [0.0, 0.1, std::f64::consts::FRAC_PI_6],
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.1, 0.2, 0.3),
    );
    s.clear_outboxes();
    s.advance(1);
    s
}

/// Returns the first message of a topic of a sensor.
fn message<M: Message>(s: &Simulation, sensor: &str, suffix: &str) -> M {
    let robot = &s.scene.robots[0];
    let index = robot.sensors.iter().position(|own| own.name == sensor);
    let index = index.expect("a sensor");
    let found = s.runners[0].outbox.iter().find(|d| d.sensor == index);
    let stamped = found.expect("a reading").stamped;
    let mut all = topics(&robot.sensors[index]);
    let topic = all.iter_mut().find(|topic| topic.suffix == suffix);
    let mut bytes = Vec::new();
    let sample = AnySample {
        scene: &s.scene,
        robot: 0,
        sensor: index,
        stamp_ns: stamped.stamp_ns,
        data: SampleData::Reading(&stamped.reading),
    };
    topic
        .expect("a topic")
        .encode(&sample, &mut |message| bytes = message);
    from_bytes(&bytes).expect("a message")
}

fn close(what: &str, found: [f64; 3], expected: [f64; 3]) {
    for (a, b) in found.into_iter().zip(expected) {
        assert!(
            (a - b).abs() < 2e-3 * (1.0 + b.abs()),
            "{what}: {found:?} instead of {expected:?}"
        );
    }
}

fn vector(v: &Vector3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

fn rpy(q: &Quaternion) -> [f64; 3] {
    let q = Quat {
        w: q.w,
        x: q.x,
        y: q.y,
        z: q.z,
    };
    q.matrix().to_rpy()
}

// True pose and INS are in north, east, down for Stonefish, the velocities of the true pose along
// the axes of the world for UUV Simulator and Plankton, and as in REP-103 for the others. Method:
// by hand. Tolerance: 2e-3, for one step of 2 ms.
#[test]
fn poses_have_the_frames_of_the_profile() {
    let third = std::f64::consts::FRAC_PI_3;
    for profile in [
        None,
        Some(Profile::Vrx),
        Some(Profile::Gz),
        Some(Profile::Uuv),
        Some(Profile::Plankton),
    ] {
        let s = world(profile);
        let m: Odometry = message(&s, "odometry", "");
        let p = &m.pose.pose.position;
        close("position", [p.x, p.y, p.z], [10.0, 20.0, -5.0]);
        let frame = match profile {
            Some(Profile::Vrx | Profile::Gz) => "map",
            _ => "world",
        };
        assert_eq!(m.header.frame_id, frame);
        let frames = static_frames(&s.scene).transforms;
        let map = frames.iter().find(|t| t.child_frame_id == "map");
        assert_eq!(map.is_some(), frame == "map");
        if let Some(map) = map {
            let (p, q) = (&map.transform.translation, &map.transform.rotation);
            assert_eq!(map.header.frame_id, "world");
            assert_eq!([p.x, p.y, p.z, q.x, q.y, q.z], [0.0; 6]);
        }
        let (sp, cp) = 0.1_f64.sin_cos();
        let (sy, cy) = (0.5 * third).sin_cos();
        let along = if matches!(profile, Some(Profile::Uuv | Profile::Plankton)) {
            [cy * cp, sy * cp, -sp]
        } else {
            [1.0, 0.0, 0.0]
        };
        close("velocity", vector(&m.twist.twist.linear), along);
    }
    let s = world(Some(Profile::Stonefish));
    for (sensor, suffix) in [("odometry", ""), ("ins", "/odometry")] {
        let m: Odometry = message(&s, sensor, suffix);
        let p = &m.pose.pose.position;
        assert_eq!(m.header.frame_id, "world_ned");
        close("position", [p.x, p.y, p.z], [20.0, 10.0, 5.0]);
        close(
            "attitude",
            rpy(&m.pose.pose.orientation),
            [0.0, -0.1, third],
        );
        close("velocity", vector(&m.twist.twist.linear), [1.0, 0.0, 0.0]);
        close("rate", vector(&m.twist.twist.angular), [0.1, -0.2, -0.3]);
    }
    let m: Odometry = message(&s, "ins", "/odometry");
    let stds = [21, 28, 35].map(|k| m.pose.covariance[k].sqrt().to_degrees());
    close("attitude covariance", stds, [2.0, 1.0, 3.0]);
    let frames = static_frames(&s.scene).transforms;
    let child = |name: &str| frames.iter().find(|t| t.child_frame_id == name);
    let ned = child("world_ned").expect("world_ned");
    assert_eq!(ned.header.frame_id, "world");
    assert!(child(&m.child_frame_id).is_some(), "{}", m.child_frame_id);
}

// The velocity of a DVL that is 1 m ahead of the base is along forward, right, down for Stonefish
// and along forward, left, up for the others, in a frame of `/tf_static`. Method: by hand.
// Tolerance: 2e-3, for one step of 2 ms.
#[test]
fn velocities_of_a_dvl_have_the_axes_of_the_profile() {
    let all = Profile::ALL.map(Some);
    for profile in all.into_iter().chain([None]) {
        let s = world(profile);
        let m: TwistWithCovarianceStamped = message(&s, "dvl", "/twist");
        let sign = if profile == Some(Profile::Stonefish) {
            -1.0
        } else {
            1.0
        };
        close(
            "velocity",
            vector(&m.twist.twist.linear),
            [1.0, sign * 0.3, sign * -0.2],
        );
        let frames = static_frames(&s.scene).transforms;
        let has_frame = frames.iter().any(|t| t.child_frame_id == m.header.frame_id);
        assert!(has_frame, "{}", m.header.frame_id);
        assert_eq!(m.header.frame_id.ends_with("_frd"), sign < 0.0);
    }
}

// Readings of IMU, magnetometer and pressure sensor have the units and axes of each profile.
// Method: by hand. Tolerance: 2e-3, for one step of 2 ms.
#[test]
fn readings_have_the_units_of_the_profile() {
    let plain = world(None);
    let imu: Imu = message(&plain, "imu", "/data");
    let field: MagneticField = message(&plain, "magnetometer", "/data");
    let pressure: FluidPressure = message(&plain, "pressure", "/data");
    close(
        "pressure",
        [pressure.fluid_pressure / 1e5, pressure.variance / 4e4, 0.0],
        [1.4905, 1.0, 0.0],
    );
    let third = std::f64::consts::FRAC_PI_3;
    for (profile, tesla, scale, offset) in [
        (Profile::Vrx, 1.0, 1.0, 0.0),
        (Profile::Gz, 1e4, 1e-3, 0.0),
        (Profile::Uuv, 1e6, 1e-3, 0.0),
        (Profile::Plankton, 1e6, 1e-3, 0.0),
        (Profile::Stonefish, 1.0, 1.0, 1e5),
    ] {
        let s = world(Some(profile));
        let sign = if profile == Profile::Stonefish {
            -1.0
        } else {
            1.0
        };
        let turned = |v: &Vector3| [v.x, sign * v.y, sign * v.z];
        let m: FluidPressure = message(&s, "pressure", "/data");
        let expected = scale * (pressure.fluid_pressure - offset);
        close(
            "pressure",
            [m.fluid_pressure / expected, 0.0, 0.0],
            [1.0, 0.0, 0.0],
        );
        close(
            "variance",
            [m.variance / (scale * scale * pressure.variance), 0.0, 0.0],
            [1.0, 0.0, 0.0],
        );
        let m: MagneticField = message(&s, "magnetometer", "/data");
        let expected = turned(&field.magnetic_field).map(|x| 1e6 * x);
        close(
            "field",
            vector(&m.magnetic_field).map(|x| 1e6 * x / tesla),
            expected,
        );
        let m: Imu = message(&s, "imu", "/data");
        close(
            "rate",
            vector(&m.angular_velocity),
            turned(&imu.angular_velocity),
        );
        close(
            "force",
            vector(&m.linear_acceleration),
            turned(&imu.linear_acceleration),
        );
        let attitude = if sign < 0.0 {
            [0.0, -0.1, third]
        } else {
            [0.0, 0.1, 0.5 * third]
        };
        close("attitude", rpy(&m.orientation), attitude);
    }
}
