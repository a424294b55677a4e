//! Conversion of firmware files.

mod feedback;
mod glider;
mod motion_control;
mod sailing;

use crate::build::robot::firmware::feedback::{check_depth, feedback};
use crate::context::Context;
use crate::keys::robot::firmware::FirmwareConfig;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::firmware::{
    DifferentialDrive, DifferentialDriveKeys, Firmware, FirmwareLaw, HeadingDepthHold,
    HeadingDepthHoldKeys, HeadingDepthStart, Multirotor, MultirotorKeys, SpeedControl,
    SpeedControlKeys, SurgeYawRate,
};
use merrow_model::scene::{Link, Robot};
use merrow_yaml::error::{Place, quote};
use merrow_yaml::read::Places;

/// Builds the firmware of `robot`, whose links and thrusters are complete.
pub(crate) fn build_firmware(file: &FirmwareConfig, robot: &Robot, cx: Context<'_>) -> Firmware {
    match file {
        FirmwareConfig::Multirotor(file) => multirotor(file, robot, cx),
        FirmwareConfig::HeadingDepthHold(file) => heading_depth_hold(file, robot, cx),
        FirmwareConfig::Drive(file) => differential_drive(file, robot, cx),
        FirmwareConfig::SurgeYawRate(file) => surge_yaw_rate(file, robot, cx),
        FirmwareConfig::MotionControl(file) => motion_control::motion_control(file, robot, cx),
        FirmwareConfig::Sailing(file) => sailing::sailing(file, robot, cx),
        FirmwareConfig::Glider(file) => glider::glider(file, robot, cx),
    }
}

/// Reports a firmware rate above one cycle per time step.
fn check_rate(rate: f64, places: &Places, cx: Context<'_>) {
    let dt = cx.dt;
    if rate * dt > 1.0 + 1e-9 {
        let text = format!(
            "`rate_hz`: expected at most {} with steps of {dt} s, found {rate}",
            1.0 / dt
        );
        cx.error(places.key_place("rate_hz"), text);
    }
}

/// Returns the index of the item `name` among `names`; 0 after reporting a missing `what` at
/// `place`.
fn find_by_name<'a>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
    place: &Place,
    cx: Context<'_>,
) -> usize {
    let found = cx.find(place, name, names, |name| format!("no {what} {name}"));
    found.unwrap_or(0)
}

/// Reports the motions in `axes` that the thrusters cannot produce independently.
fn check_thrusters(
    kind: &str,
    axes: &[(usize, &str)],
    robot: &Robot,
    places: &Places,
    cx: Context<'_>,
) {
    let can = |axis: usize| {
        robot
            .allocation
            .as_ref()
            .is_some_and(|m| m.matrix.iter().any(|row| row[axis].abs() > 1e-9))
    };
    for (_, what) in axes.iter().filter(|(axis, _)| !can(*axis)) {
        let text = format!(
            "firmware {}: the thrusters of {} cannot {what}",
            quote(kind),
            robot.name
        );
        cx.error(&places.whole, text);
    }
}

fn multirotor(file: &MultirotorKeys, robot: &Robot, cx: Context<'_>) -> Firmware {
    check_rate(file.rate_hz, &file.at, cx);
    let axes = [
        (2, "lift it"),
        (3, "roll it"),
        (4, "pitch it"),
        (5, "turn it"),
    ];
    check_thrusters("multirotor", &axes, robot, &file.at, cx);
    if robot.n_joints() > 0 {
        let text = "firmware `multirotor`: the mass properties are computed with all joints at 0 and are not updated";
        cx.note(&file.at.whole, text);
    }
    let (mass, p_BoBcm, inertia) = total_mass_properties(&robot.links);
    let settings = Multirotor {
        keys: file.clone(),
        mass,
        p_BoBcm,
        inertia,
    };
    Firmware {
        rate_hz: file.rate_hz,
        command_timeout_s: file.command_timeout_s,
        guidance: file.guidance.clone(),
        feedback: feedback(&file.source_of_motion, robot, cx),
        law: FirmwareLaw::Multirotor(Box::new(settings)),
    }
}

/// Returns the mass [kg], the centre of mass in B [m] and the inertia about it [kg m²] of all links
/// with their joints at 0.
fn total_mass_properties(links: &[Link]) -> (f64, Vec3, Mat3) {
    let poses = crate::build::robot::poses_at_rest(links);
    let sum = links.iter().zip(&poses).fold(
        merrow_math::SpatialInertia::zero(),
        |sum, (link, (R, p))| sum + link.rigid.to_parent(R, *p),
    );
    let m = sum.to_matrix();
    let mass = m[3][3];
    // The off-diagonal block is m [c]×.
    let c = Vec3::new(m[2][4], m[0][5], m[1][3]).scale(1.0 / mass);
    let about = |i: usize, j: usize| {
        let (c, d) = (c.to_array(), if i == j { c.dot(c) } else { 0.0 });
        m[i][j] - mass * (d - c[i] * c[j])
    };
    let row = |i: usize| Vec3::new(about(i, 0), about(i, 1), about(i, 2));
    (
        mass,
        c,
        Mat3 {
            r: [row(0), row(1), row(2)],
        },
    )
}

fn heading_depth_hold(file: &HeadingDepthHoldKeys, robot: &Robot, cx: Context<'_>) -> Firmware {
    check_rate(file.rate_hz, &file.at, cx);
    let fins = robot.fins.iter().map(|f| match f.is_azimuth() {
        true => "",
        false => f.name.as_str(),
    });
    let find = |name: &str, place: &Place| find_by_name("fin", name, fins.clone(), place, cx);
    let rudder = find(&file.rudder, file.at.key_place("rudder"));
    let stern_planes = find(&file.stern_planes, file.at.key_place("stern_planes"));
    let bow_planes = file
        .bow_planes
        .as_ref()
        .map(|name| find(name, file.at.key_place("bow_planes")));
    let [down, up] = file.pitch_limits_deg;
    if down > up {
        let text =
            format!("`pitch_limits_deg`: expected the steepest dive first, found [{down}, {up}]");
        cx.error(file.at.key_place("pitch_limits_deg"), text);
    }
    let start = file
        .start
        .as_ref()
        .map(|start| initial_thruster_command(start, robot, cx));
    let cruise = file
        .cruise
        .as_ref()
        .map(|cruise| initial_thruster_command(cruise, robot, cx));
    let law = FirmwareLaw::HeadingDepthHold(Box::new(HeadingDepthHold {
        keys: file.clone(),
        cruise,
        speed_control: file
            .speed_control
            .as_ref()
            .map(|file| speed_control(file, robot, cx)),
        rudder,
        stern_planes,
        bow_planes,
        start,
    }));
    let feedback = feedback(&file.source_of_motion, robot, cx);
    check_depth(&feedback, &file.source_of_motion, robot, cx);
    Firmware {
        rate_hz: file.rate_hz,
        command_timeout_s: file.command_timeout_s,
        guidance: None,
        feedback,
        law,
    }
}

/// Converts the speed control of a torpedo-shaped vehicle.
fn speed_control(file: &SpeedControlKeys, robot: &Robot, cx: Context<'_>) -> SpeedControl {
    let names = robot.thrusters.iter().map(|t| t.name.as_str());
    let place = file.at.key_place("propeller");
    SpeedControl {
        keys: file.clone(),
        propeller: find_by_name("thruster", &file.propeller, names, place, cx),
    }
}

/// Returns index and command of a thruster that the heading and depth hold starts.
fn initial_thruster_command(
    file: &HeadingDepthStart,
    robot: &Robot,
    cx: Context<'_>,
) -> (usize, f64) {
    let names = robot.thrusters.iter().map(|t| t.name.as_str());
    let place = file.at.key_place("propeller");
    let found = cx.find(place, &file.propeller, names, |name| {
        format!("no thruster {name}")
    });
    let Some(k) = found else {
        return (0, 0.0);
    };
    let [low, high] = robot.thrusters[k].motor.range;
    if !(low..=high).contains(&file.command) {
        let text = format!("`command` is {}; expected {low} to {high}", file.command);
        cx.error(file.at.key_place("command"), text);
    }
    (k, file.command)
}

fn differential_drive(file: &DifferentialDriveKeys, robot: &Robot, cx: Context<'_>) -> Firmware {
    check_rate(file.rate_hz, &file.at, cx);
    let side = |names: &[String], place: &Place| -> Vec<usize> {
        let joints = robot.links[1..].iter().map(|l| &l.joint).enumerate();
        let servos: Vec<_> = joints
            .filter(|(_, joint)| joint.servo().is_some())
            .collect();
        let find = |name: &String| {
            let names = servos.iter().map(|(_, joint)| joint.name.as_str());
            let found = cx.find(place, name, names, |name| {
                format!("no joint {name} with a servo")
            })?;
            Some(servos[found].0)
        };
        names.iter().filter_map(find).collect()
    };
    let wheels = [
        side(&file.left, file.at.key_place("left")),
        side(&file.right, file.at.key_place("right")),
    ];
    let law = FirmwareLaw::Drive(Box::new(DifferentialDrive {
        keys: file.clone(),
        wheels,
    }));
    Firmware {
        rate_hz: file.rate_hz,
        command_timeout_s: file.command_timeout_s,
        guidance: file.guidance.clone(),
        feedback: feedback(&file.source_of_motion, robot, cx),
        law,
    }
}

fn surge_yaw_rate(file: &SurgeYawRate, robot: &Robot, cx: Context<'_>) -> Firmware {
    check_rate(file.rate_hz, &file.at, cx);
    check_thrusters(
        "surge_yaw_rate",
        &[(0, "push it ahead"), (5, "turn it")],
        robot,
        &file.at,
        cx,
    );
    Firmware {
        rate_hz: file.rate_hz,
        command_timeout_s: file.command_timeout_s,
        guidance: file.guidance.clone(),
        feedback: feedback(&file.source_of_motion, robot, cx),
        law: FirmwareLaw::SurgeYawRate(Box::new(file.clone())),
    }
}
