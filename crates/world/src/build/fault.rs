//! Conversion of scheduled faults.

use crate::schema::fault::{FaultFile, FaultKindFile};
use merrow_math::rng::Stream;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::fault::{Device, FaultKind, Jammer, Leak, Spoof};
use merrow_model::scene::{Fault, Robot, Scene};
use merrow_sim::control::fault::{check, find, find_beacon};
use merrow_yaml::error::{Problems, did_you_mean, quote};
use merrow_yaml::read::Named;

/// Builds the faults of a world whose robots are known.
pub fn faults(file: &Named<FaultFile>, scene: &Scene, problems: &mut Problems) -> Vec<Fault> {
    file.iter()
        .filter_map(|(name, entry)| fault(name, entry, scene, problems))
        .collect()
}

fn fault(name: &str, file: &FaultFile, scene: &Scene, problems: &mut Problems) -> Option<Fault> {
    let index = match &file.robot {
        None => None,
        Some(wanted) => {
            let found = scene.robots.iter().position(|r| r.name == *wanted);
            if found.is_none() {
                let hint = did_you_mean(wanted, scene.robots.iter().map(|r| r.name.as_str()));
                let text = format!("no robot {} for the fault {name}{hint}", quote(wanted));
                problems.push(file.at.of("robot"), text);
                return None;
            }
            found
        }
    };
    let robot = index.map(|index| &scene.robots[index]);
    let found = robot.map_or_else(
        || find_beacon(scene, &file.of),
        |robot| find(robot, &file.of),
    );
    let device = found
        .map_err(|why| problems.push(file.at.of("of"), why))
        .ok()?;
    let kind = kind(&file.kind, robot, device);
    if let Err(why) = check(device, &file.of, kind) {
        problems.push(file.at.of("kind"), why);
        return None;
    }
    let ns = |seconds: f64| (seconds * 1e9) as u64;
    let start_ns = ns(file.time_s);
    Some(Fault {
        name: name.into(),
        robot: index,
        device,
        kind,
        start_ns,
        end_ns: file
            .duration_s
            .map_or(u64::MAX, |s| start_ns.saturating_add(ns(s))),
        stream: stream(scene, index, name),
    })
}

/// Returns the random stream of the fault `name` of a robot, or of a beacon.
pub fn stream(scene: &Scene, robot: Option<usize>, name: &str) -> Stream {
    // Robot names contain no colon.
    let owner = robot.map_or(":beacons", |robot| scene.robots[robot].name.as_str());
    Stream::new(scene.seed, &format!("{owner}/fault/{name}"))
}

fn kind(file: &FaultKindFile, robot: Option<&Robot>, device: Device) -> FaultKind {
    match file {
        FaultKindFile::Dead => FaultKind::Dead,
        FaultKindFile::Stuck => FaultKind::Stuck,
        FaultKindFile::Reduced { part, .. } => FaultKind::Reduced(*part),
        FaultKindFile::Biased { bias, .. } => FaultKind::Biased(*bias),
        FaultKindFile::Noisy { noise_std, .. } => FaultKind::Noisy(*noise_std),
        FaultKindFile::Intermittent {
            works_s, fails_s, ..
        } => FaultKind::Intermittent([*works_s, *fails_s]),
        FaultKindFile::Shortage { power_w, .. } => FaultKind::Shortage(*power_w),
        FaultKindFile::Leak {
            hole_m,
            position_m,
            compartment_m3,
            center_m,
            ..
        } => leak(
            robot,
            device,
            [*hole_m, *compartment_m3],
            *position_m,
            *center_m,
        ),
        FaultKindFile::Jammed {
            position_m,
            power_w,
            ..
        } => FaultKind::Jammed(position_m.map(|p| Jammer::new(Vec3::from(p), *power_w))),
        FaultKindFile::Spoofed {
            offset_m,
            velocity_m_s,
            ..
        } => FaultKind::Spoofed(Spoof {
            offset: Vec3::from(*offset_m),
            velocity: Vec3::from(*velocity_m_s),
        }),
    }
}

/// Builds a leak of the link `device` from the diameter of the hole [m] and the volume of the
/// compartment [m³]. `position` of the hole and `center` of the compartment [m] are in the user's
/// link frame.
pub fn leak(
    robot: Option<&Robot>,
    device: Device,
    [hole, volume]: [f64; 2],
    position: [f64; 3],
    center: [f64; 3],
) -> FaultKind {
    // A device that is not a hull is rejected later, so its axes do not matter.
    let R_LU = match (robot, device) {
        (Some(robot), Device::Hull(k)) => robot.links[k].R_LU,
        _ => Mat3::identity(),
    };
    FaultKind::Leak(Leak {
        area: 0.25 * std::f64::consts::PI * hole * hole,
        p_LoH: R_LU.mul_vec(Vec3::from(position)),
        volume,
        p_LoC: R_LU.mul_vec(Vec3::from(center)),
    })
}
