//! Conversion of servos, joint groups and keep-out zones of a robot.

use crate::context::Context;
use crate::keys::robot::servo::{ActuatorConfig, KeepOutConfig, ServoConfig};
use crate::keys::{JointConfig, JointDriveConfig, RobotModelConfig};
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::scene::robot::actuator::{
    Actuator, Elastic, JointGroup, KeepOut, Servo, Sphere, TorqueSpeedLine, Winding,
};
use merrow_model::scene::{Drive, JointKind, JointMode, Robot};

/// Name of the group of all moving joints if a file names no groups.
pub(crate) const DEFAULT_GROUP: &str = "arm";
/// Natural frequency of a gear with backlash on its rotor if no stiffness is given [rad/s].
const GEAR_FREQUENCY: f64 = 2.0 * std::f64::consts::PI * 50.0;

/// Builds the drive of the joint of `link`. [`build_joint_extras`] sets its random streams,
/// when the robot's name is known.
pub(crate) fn build_drive(link: &str, joint: &JointConfig, cx: Context<'_>) -> Drive {
    let limit = joint.max_speed.unwrap_or(f64::INFINITY);
    match &joint.drive {
        JointDriveConfig::Effort {
            stiffness,
            spring_rest,
            ..
        } => Drive::Effort {
            stiffness: *stiffness,
            spring_rest: *spring_rest,
        },
        JointDriveConfig::Position {
            bandwidth_rad_s,
            max_speed,
            max_acceleration,
            ..
        } => Drive::Position {
            bandwidth_rad_s: *bandwidth_rad_s,
            max_speed: max_speed.min(limit),
            max_acceleration: *max_acceleration,
        },
        JointDriveConfig::Servo(file) => {
            let mut servo = servo(link, file, cx);
            servo.max_speed = servo.max_speed.min(limit);
            Drive::Servo(Box::new(servo))
        }
    }
}

fn servo(link: &str, file: &ServoConfig, cx: Context<'_>) -> Servo {
    let has_loop = file.position_gain_per_s > 0.0;
    let mode = file.mode.unwrap_or(if has_loop {
        JointMode::Position
    } else {
        JointMode::Velocity
    });
    if mode == JointMode::Position && !has_loop {
        let text = format!(
            "the servo of {link} starts in position mode; expected a `position_gain_per_s` above 0"
        );
        cx.error(file.at.key_place("mode"), text);
    }
    Servo {
        mode,
        rate_hz: file.rate_hz,
        position_gain_per_s: file.position_gain_per_s,
        max_speed: file.max_speed,
        law: file.law.clone(),
        actuator: actuator(link, &file.actuator, cx),
        encoder: file.encoder.clone(),
        encoder_stream: Stream::new(0, ""),
    }
}

fn actuator(link: &str, file: &ActuatorConfig, cx: Context<'_>) -> Actuator {
    let rotor_inertia = file.gear_ratio * file.gear_ratio * file.rotor_inertia_kg_m2;
    let has_spring = file.backlash > 0.0 || file.stiffness.is_some();
    if has_spring && rotor_inertia == 0.0 {
        let text = format!(
            "the gear of {link} has a gap or a spring; expected a `rotor_inertia_kg_m2` above 0"
        );
        cx.error(
            file.at.key_place(if file.backlash > 0.0 {
                "backlash"
            } else {
                "stiffness"
            }),
            text,
        );
    }
    let elastic = has_spring.then(|| {
        let stiffness = file
            .stiffness
            .unwrap_or(rotor_inertia * GEAR_FREQUENCY * GEAR_FREQUENCY);
        let spring_damping = file
            .spring_damping
            .unwrap_or(2.0 * (stiffness * rotor_inertia).sqrt());
        Elastic {
            backlash: file.backlash,
            stiffness,
            spring_damping,
        }
    });
    let line = match (file.stall_effort, file.no_load_speed) {
        (Some(stall_effort), Some(no_load_speed)) => Some(TorqueSpeedLine {
            stall_effort,
            no_load_speed,
        }),
        (None, None) => None,
        (given, _) => {
            let keys = ["stall_effort", "no_load_speed"];
            let [has, lacks] = if given.is_some() {
                keys
            } else {
                [keys[1], keys[0]]
            };
            cx.refuse(
                file.at.key_place(has),
                format!(
                    "`{has}` without `{lacks}` does not define a torque-speed line; expected both"
                ),
            )
        }
    };
    if let (Some(winding), None) = (&file.winding, file.effort_per_ampere) {
        let text = format!(
            "the winding of {link} heats with its current; expected `effort_per_ampere` too"
        );
        cx.error(&winding.at.whole, text);
    }
    if let Some(winding) = &file.winding {
        check_winding(link, winding, cx);
    }
    Actuator {
        rotor_inertia,
        elastic,
        line,
        forward_loss: 1.0 - file.efficiency,
        backward_loss: 1.0 / file.back_efficiency.unwrap_or(file.efficiency) - 1.0,
        effort_per_ampere: file.effort_per_ampere.unwrap_or(0.0),
        winding: file.winding.clone(),
    }
}

fn check_winding(link: &str, file: &Winding, cx: Context<'_>) {
    if file.derate_from_c >= file.max_temperature_c {
        let (from, max_temperature) = (file.derate_from_c, file.max_temperature_c);
        let text = format!(
            "{link}: `derate_from_c` is {from}; expected less than `max_temperature_c` {max_temperature}"
        );
        cx.error(file.at.key_place("derate_from_c"), text);
    }
}

/// Builds data that concerns several joints: encoder streams, trajectory rules, groups and keep-out
/// zones. Called when the links are complete.
pub(crate) fn build_joint_extras(robot: &mut Robot, model: &RobotModelConfig, cx: Context<'_>) {
    for (link, file) in model.links.iter() {
        if let JointDriveConfig::Servo(servo) = &file.joint.drive
            && servo.rate_hz * cx.dt > 1.0 + 1e-9
        {
            let (rate, max_rate) = (servo.rate_hz, 1.0 / cx.dt);
            let text = format!(
                "the servo of {link} is set to {rate} ticks per second, but the time step allows \
                 {max_rate:.0}; lower the rate or `dt_s`"
            );
            cx.error(cx.step_rate_place(servo.at.key_place("rate_hz")), text);
        }
    }
    for link in &mut robot.links[1..] {
        let stream = format!("{}/{}/encoder", robot.name, link.joint.name);
        if let Drive::Servo(servo) = &mut link.joint.drive {
            servo.encoder_stream = Stream::new(cx.seed, &stream);
        }
    }
    robot.joint_groups = groups(robot, model, cx);
    robot.keep_out = model
        .keep_out
        .as_ref()
        .map(|file| keep_out(robot, file, cx));
}

fn groups(robot: &Robot, model: &RobotModelConfig, cx: Context<'_>) -> Vec<JointGroup> {
    let moving =
        || (0..robot.n_joints()).filter(|j| robot.links[j + 1].joint.kind != JointKind::Fixed);
    let name_of = |j: usize| robot.links[j + 1].joint.name.as_str();
    if model.joint_groups.iter().next().is_none() {
        let joints: Vec<usize> = moving().collect();
        let all = JointGroup {
            name: DEFAULT_GROUP.into(),
            joints,
        };
        return if all.joints.is_empty() {
            Vec::new()
        } else {
            vec![all]
        };
    }
    let mut groups: Vec<JointGroup> = Vec::new();
    for (group, names) in model.joint_groups.iter() {
        let place = model
            .joint_groups
            .key_place(group)
            .unwrap_or(&model.at.whole);
        let mut joints = Vec::new();
        for name in names {
            let found = cx.find(place, name, moving().map(name_of), |name| {
                format!("group {group}: no moving joint {name}")
            });
            let Some(joint) = found.and_then(|k| moving().nth(k)) else {
                continue;
            };
            let taken = groups
                .iter()
                .find(|g| g.joints.contains(&joint))
                .map(|g| g.name.as_str());
            if let Some(taken) = taken.or(joints.contains(&joint).then_some(group)) {
                let text = format!("group {group}: joint {name} is in group {taken} already");
                cx.error(place, text);
            } else {
                joints.push(joint);
            }
        }
        if names.is_empty() {
            cx.error(
                place,
                format!("group {group} has no joints; expected at least one"),
            );
        }
        groups.push(JointGroup {
            name: group.to_string(),
            joints,
        });
    }
    groups
}

fn keep_out(robot: &Robot, file: &KeepOutConfig, cx: Context<'_>) -> KeepOut {
    let corners = |center: [f64; 3], size: [f64; 3]| {
        let (center, half) = (Vec3::from(center), Vec3::from(size).scale(0.5));
        [center - half, center + half]
    };
    let mut spheres = Vec::new();
    for (_, sphere) in file.spheres.iter() {
        let place = sphere.at.key_place("link");
        let Some(frame) = cx.find_link(&sphere.link, place, robot) else {
            continue;
        };
        spheres.push(Sphere {
            link: frame.link,
            p_LoC: frame.point(Vec3::from(sphere.center_m)),
            radius_m: sphere.radius_m,
        });
    }
    KeepOut {
        boxes: file
            .boxes
            .iter()
            .map(|(_, b)| corners(b.center_m, b.size_m))
            .collect(),
        spheres,
        look_ahead_s: file.look_ahead_s,
    }
}
