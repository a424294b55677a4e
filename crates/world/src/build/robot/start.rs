//! Conversion of the initial pose, velocity and joint positions of a robot.

use crate::context::Context;
use crate::keys::{Base, RobotEntry};
use merrow_math::Vec3;
use merrow_model::scene::{JointKind, Link, Start};
use merrow_yaml::error::{known_names, quote};

/// Builds the initial state of the robot of `entry`, displaced by `offset` [m], W.
pub(crate) fn build_start(
    entry: &RobotEntry,
    offset: Vec3,
    links: &[Link],
    cx: Context<'_>,
) -> Start {
    let mut q = given_joint_positions(entry, links, cx);
    apply_mimics(entry, links, &mut q, cx);
    let qd = given_joint_velocities(entry, links, cx);
    check_base_velocity(entry, cx);
    Start {
        p_WB: Vec3::from(entry.position_m) + offset,
        rpy: entry.attitude_deg.map(f64::to_radians),
        v_WB_B: Vec3::from(entry.velocity_m_s),
        w_WB_B: Vec3::from(entry.angular_velocity_rad_s),
        q,
        qd,
    }
}

/// Returns the initial velocities [rad/s, m/s] of the joints of `links[1..]`: the values of
/// `entry`, zero for the others; a joint that follows another has the velocity that this gives it.
fn given_joint_velocities(entry: &RobotEntry, links: &[Link], cx: Context<'_>) -> Vec<f64> {
    let mut qd = vec![0.0; links.len() - 1];
    let moves = |l: &Link| l.joint.kind != JointKind::Fixed && l.joint.mimic.is_none();
    for (name, value) in entry.joint_velocities.iter() {
        let place = entry.joint_velocities.key_place(name);
        let place = place.unwrap_or(&entry.at.whole);
        let moving: Vec<_> = links[1..]
            .iter()
            .enumerate()
            .filter(|(_, l)| moves(l))
            .collect();
        let names = moving.iter().map(|(_, l)| l.joint.name.as_str());
        let found = cx.find(place, name, names, |name| {
            format!("no joint {name} that moves by itself")
        });
        if let Some(k) = found {
            qd[moving[k].0] = *value;
        }
    }
    for k in 1..links.len() {
        if let Some(mimic) = links[k].joint.mimic {
            qd[k - 1] = mimic.multiplier * qd[mimic.leader - 1];
        }
    }
    qd
}

/// Returns the initial positions [rad, m] of the joints of `links[1..]`: the values of `entry`,
/// zero for the others.
fn given_joint_positions(entry: &RobotEntry, links: &[Link], cx: Context<'_>) -> Vec<f64> {
    let mut q = vec![0.0; links.len() - 1];
    let names = || {
        links[1..]
            .iter()
            .filter(|l| l.joint.kind != JointKind::Fixed)
            .map(|l| l.joint.name.as_str())
    };
    for (name, value) in entry.joint_positions.iter() {
        let text = match links[1..].iter().position(|l| l.joint.name == name) {
            Some(k) if links[k + 1].joint.kind == JointKind::Fixed => {
                format!("joint {name} is fixed; expected the name of one that moves")
            }
            Some(k) => {
                q[k] = *value;
                let [lo, hi] = links[k + 1].joint.limits;
                if (lo..=hi).contains(value) {
                    continue;
                }
                format!("joint {name} starts at {value}; expected {lo} to {hi}")
            }
            None => format!("no joint {}{}", quote(name), known_names(name, names())),
        };
        let place = entry
            .joint_positions
            .key_place(name)
            .unwrap_or(&entry.at.whole);
        cx.error(place, text);
    }
    q
}

/// Sets the positions `q` [rad, m] of joints that follow others. Reports positions of `entry` that
/// differ from these.
fn apply_mimics(entry: &RobotEntry, links: &[Link], q: &mut [f64], cx: Context<'_>) {
    for k in 1..links.len() {
        let Some(mimic) = links[k].joint.mimic else {
            continue;
        };
        let follows = mimic.multiplier * q[mimic.leader - 1] + mimic.offset;
        let name = &links[k].joint.name;
        if let Some(place) = entry
            .joint_positions
            .key_place(name)
            .filter(|_| q[k - 1] != follows)
        {
            let text =
                format!("joint {name} follows another, which puts it at {follows}: leave it out");
            cx.error(place, text);
        }
        q[k - 1] = follows;
    }
}

/// Reports an initial velocity of a base that is fixed in the world.
fn check_base_velocity(entry: &RobotEntry, cx: Context<'_>) {
    let moves = entry.velocity_m_s != [0.0; 3] || entry.angular_velocity_rad_s != [0.0; 3];
    if moves && entry.model.base == Base::Fixed {
        let key = if entry.velocity_m_s != [0.0; 3] {
            "velocity_m_s"
        } else {
            "angular_velocity_rad_s"
        };
        cx.error(
            entry.at.key_place(key),
            "the base is fixed in the world; expected no velocity",
        );
    }
}
