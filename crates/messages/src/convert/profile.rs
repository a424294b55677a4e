//! Units and frames in which other simulators publish readings.
//!
//! | profile | reading | in the other simulator |
//! | --- | --- | --- |
//! | `uuv`, `plankton`, `gz` | pressure | kPa instead of Pa |
//! | `uuv`, `plankton` | magnetic field | µT instead of T |
//! | `uuv`, `plankton` | true pose | velocities along the axes of the world |
//! | `gz` | magnetic field | G instead of T |
//! | `vrx`, `gz` | true pose, INS | in `map` instead of `world` |
//! | `stonefish` | pressure | above the pressure of the air |
//! | `stonefish` | true pose, INS | north, east, down; body in forward, right, down |
//! | `stonefish` | IMU, magnetic field, velocity of a DVL | sensor in forward, right, down |
//!
//! Sources: `wamv_p3d.xacro` of osrf/vrx; `SubseaPressureROSPlugin.cc`, `PoseGTROSPlugin.cc` and `magnetometer_snippets.xacro` of
//! uuvsimulator/uuv_simulator and Liquid-ai/Plankton; `sea_pressure_sensor.cc` and `model.sdf` of the robots of IOES-Lab/dave;
//! `Magnetometer.cc` of gazebosim/gz-sim; `Pressure.cpp`, `IMU.cpp`, `DVL.cpp` and `Odometry.cpp` of
//! patrykcieslak/stonefish; `ROS2Interface.cpp` of patrykcieslak/stonefish_ros2.

use crate::convert::WORLD_FRAME;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::sensor::inertial::{Imu, Magnetometer, Navigation};
use merrow_model::sensor::vehicle::Odometry;
use merrow_model::sensor::water::{Dvl, Pressure};
use std::f64::consts::FRAC_1_SQRT_2;

/// World frame of Stonefish: north, east, down.
pub(crate) const WORLD_NED: &str = "world_ned";

/// Rotation from east, north, up to north, east, down, and back: a half turn about north-east.
pub(crate) const NED: Quat = Quat {
    w: 0.0,
    x: FRAC_1_SQRT_2,
    y: FRAC_1_SQRT_2,
    z: 0.0,
};

/// Rotation from forward, left, up to forward, right, down, and back: a half turn about forward.
pub(crate) const FRD: Quat = Quat {
    w: 0.0,
    x: 1.0,
    y: 0.0,
    z: 0.0,
};

/// Returns true if the readings of a robot are in north, east, down and forward, right, down.
pub(crate) fn is_down(robot: &Robot) -> bool {
    match robot.profile {
        Some(Profile::Stonefish) => true,
        None | Some(Profile::Vrx | Profile::Gz | Profile::Uuv | Profile::Plankton) => false,
    }
}

/// World frame of Virtual RobotX and DAVE, with the origin and the axes of W.
pub(crate) const MAP: &str = "map";

/// Returns the world frame of the profile of a robot.
pub(crate) fn world_frame(robot: &Robot) -> &'static str {
    match robot.profile {
        Some(Profile::Stonefish) => WORLD_NED,
        Some(Profile::Vrx | Profile::Gz) => MAP,
        None | Some(Profile::Uuv | Profile::Plankton) => WORLD_FRAME,
    }
}

/// Returns the frame of a reading with the axes of the profile, from the frame with Merrow's axes.
pub(crate) fn body_frame(robot: &Robot, frame: String) -> String {
    if is_down(robot) {
        format!("{frame}_frd")
    } else {
        frame
    }
}

/// Returns `x`, expressed in forward, right, down instead of forward, left, up.
fn to_frd(x: Vec3) -> Vec3 {
    Vec3::new(x.x, -x.y, -x.z)
}

/// Returns `x`, expressed in north, east, down instead of east, north, up.
fn to_ned(x: Vec3) -> Vec3 {
    Vec3::new(x.y, x.x, -x.z)
}

/// Returns the attitude of forward, right, down in north, east, down from the attitude
/// `q` of forward, left, up in east, north, up.
fn attitude_to_ned(q: &Quat) -> Quat {
    NED.mul(q).mul(&FRD)
}

/// Returns a pressure in the unit of the profile.
pub(crate) fn pressure(robot: &Robot, r: &Pressure) -> Pressure {
    match robot.profile {
        Some(Profile::Uuv | Profile::Plankton | Profile::Gz) => Pressure {
            pressure: 1e-3 * r.pressure,
            variance: 1e-6 * r.variance,
            ..*r
        },
        Some(Profile::Stonefish) => Pressure {
            pressure: r.pressure - r.water.surface_pressure,
            ..*r
        },
        None | Some(Profile::Vrx) => *r,
    }
}

/// Returns the velocity of a DVL in the frame of the profile, with its covariance. The beams keep
/// the axes of Merrow, because no profile has a message with them.
pub(crate) fn dvl_velocity(robot: &Robot, r: &Dvl) -> (Vec3, [f64; 9]) {
    let (v, c) = (r.velocity, r.covariance);
    if !is_down(robot) {
        return (v, c);
    }
    let covariance = [c[0], -c[1], -c[2], -c[3], c[4], c[5], -c[6], c[7], c[8]];
    (to_frd(v), covariance)
}

/// Returns a magnetic field in the unit and the frame of the profile.
pub(crate) fn magnetic_field(robot: &Robot, r: &Magnetometer) -> Magnetometer {
    let scaled = |k: f64| Magnetometer {
        field: r.field.scale(k),
        variances: r.variances.scale(k * k),
    };
    match robot.profile {
        Some(Profile::Uuv | Profile::Plankton) => scaled(1e6),
        Some(Profile::Gz) => scaled(1e4),
        Some(Profile::Stonefish) => Magnetometer {
            field: to_frd(r.field),
            ..*r
        },
        None | Some(Profile::Vrx) => *r,
    }
}

/// Returns a reading of an IMU or AHRS in the frames of the profile.
pub(crate) fn imu(robot: &Robot, r: &Imu) -> Imu {
    if !is_down(robot) {
        return *r;
    }
    Imu {
        angular_velocity: to_frd(r.angular_velocity),
        linear_acceleration: to_frd(r.linear_acceleration),
        orientation: r.orientation.as_ref().map(attitude_to_ned),
        ..*r
    }
}

/// Returns a true pose in the frames of the profile.
pub(crate) fn odometry(robot: &Robot, r: &Odometry) -> Odometry {
    match robot.profile {
        Some(Profile::Uuv | Profile::Plankton) => {
            let R_WS = r.q_WS.matrix();
            Odometry {
                v_WS_S: R_WS.mul_vec(r.v_WS_S),
                w_WS_S: R_WS.mul_vec(r.w_WS_S),
                ..*r
            }
        }
        Some(Profile::Stonefish) => Odometry {
            p_WS: to_ned(r.p_WS),
            q_WS: attitude_to_ned(&r.q_WS),
            v_WS_S: to_frd(r.v_WS_S),
            w_WS_S: to_frd(r.w_WS_S),
        },
        None | Some(Profile::Vrx | Profile::Gz) => *r,
    }
}

/// Returns the solution of an INS in the frames of the profile.
pub(crate) fn navigation(robot: &Robot, r: &Navigation) -> Navigation {
    if !is_down(robot) {
        return *r;
    }
    let [ned, frd]: [Mat3; 2] = [NED.matrix(), FRD.matrix()];
    Navigation {
        p_WS: to_ned(r.p_WS),
        q_WS: attitude_to_ned(&r.q_WS),
        v_WS_S: to_frd(r.v_WS_S),
        w_WS_S: to_frd(r.w_WS_S),
        position_covariance: r.position_covariance.rotated(&ned),
        cross_covariance: ned.mul_mat(&r.cross_covariance).mul_mat_tr(&ned),
        attitude_covariance: r.attitude_covariance.rotated(&ned),
        velocity_covariance: r.velocity_covariance.rotated(&frd),
        ..*r
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::Sym3;

    fn close(what: &str, found: Vec3, expected: Vec3) {
        assert!(
            (found - expected).norm() < 1e-12,
            "{what}: {found:?}, not {expected:?}"
        );
    }

    #[test]
    fn half_turns_change_the_axes() {
        let x = Vec3::new(1.0, 2.0, 3.0);
        close("ned", NED.matrix().mul_vec(x), to_ned(x));
        close("frd", FRD.matrix().mul_vec(x), to_frd(x));
        // heading north-east with the bow up by 0.1 rad: yaw 45 deg from north, pitch 0.1 rad
        let eighth = std::f64::consts::FRAC_PI_4;
        let q = attitude_to_ned(&Quat::from_rpy(0.2, -0.1, eighth));
        let rpy = q.matrix().to_rpy();
        close("angles", Vec3::from(rpy), Vec3::new(0.2, 0.1, eighth));
        let c = Sym3 {
            xx: 1.0,
            xy: 0.1,
            xz: 0.2,
            yy: 2.0,
            yz: 0.3,
            zz: 3.0,
        };
        let turned = c.rotated(&NED.matrix());
        assert!((turned.xx - 2.0).abs() < 1e-12 && (turned.xz + 0.3).abs() < 1e-12);
    }
}
