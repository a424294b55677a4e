//! Conversion of scheduled faults.

use merrow_math::rng::Stream;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::fault::{Device, FaultKind, Jammer, Leak, Spoof};
use merrow_model::scene::{Fault, Robot, Scene};
use merrow_schema::fault::{FaultConfig, FaultKindConfig};
use merrow_sim::control::fault::{check_fault, find_device, find_world_device};
use merrow_yaml::error::{Problems, known_names, quote};
use merrow_yaml::read::NamedMap;

/// Builds the faults of a world whose robots are known.
pub(crate) fn build_faults(
    file: &NamedMap<FaultConfig>,
    scene: &Scene,
    problems: &mut Problems,
) -> Vec<Fault> {
    file.iter()
        .filter_map(|(name, entry)| build_fault(name, entry, scene, problems))
        .collect()
}

fn build_fault(
    name: &str,
    file: &FaultConfig,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<Fault> {
    let index = match &file.robot {
        None => None,
        Some(requested) => {
            let found = scene.robots.iter().position(|r| r.name == *requested);
            if found.is_none() {
                let hint = known_names(requested, scene.robots.iter().map(|r| r.name.as_str()));
                let text = format!("no robot {} for the fault {name}{hint}", quote(requested));
                problems.push(file.at.key_place("robot"), text);
                return None;
            }
            found
        }
    };
    let robot = index.map(|index| &scene.robots[index]);
    let found = index.map_or_else(
        || find_world_device(scene, &file.target),
        |index| find_device(scene, index, &file.target),
    );
    let device = found
        .map_err(|why| problems.push(file.at.key_place("target"), why))
        .ok()?;
    let kind = build_kind(&file.kind, robot, device);
    if let Err(why) = check_fault(device, &file.target, kind) {
        problems.push(file.at.key_place("kind"), why);
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
        stream: random_stream(scene, index, name),
    })
}

/// Returns the random stream of the fault `name` of a robot, or of a beacon or a fixed modem.
pub fn random_stream(scene: &Scene, robot: Option<usize>, name: &str) -> Stream {
    // Robot names contain no colon.
    let owner = robot.map_or(":beacons", |robot| scene.robots[robot].name.as_str());
    Stream::new(scene.seed, &format!("{owner}/fault/{name}"))
}

fn build_kind(file: &FaultKindConfig, robot: Option<&Robot>, device: Device) -> FaultKind {
    match file {
        FaultKindConfig::Dead => FaultKind::Dead,
        FaultKindConfig::Stuck => FaultKind::Stuck,
        FaultKindConfig::Reduced { fraction, .. } => FaultKind::Reduced(*fraction),
        FaultKindConfig::Biased { bias, .. } => FaultKind::Biased(*bias),
        FaultKindConfig::Noisy { noise_std, .. } => FaultKind::Noisy(*noise_std),
        FaultKindConfig::Intermittent {
            mean_working_s,
            mean_failed_s,
            ..
        } => FaultKind::Intermittent([*mean_working_s, *mean_failed_s]),
        FaultKindConfig::Shortage { power_w, .. } => FaultKind::PowerLimited(*power_w),
        FaultKindConfig::Leak {
            hole_diameter_m,
            position_m,
            compartment_m3,
            center_m,
            ..
        } => build_leak(
            robot,
            device,
            [*hole_diameter_m, *compartment_m3],
            *position_m,
            *center_m,
        ),
        FaultKindConfig::Jammed {
            position_m,
            power_w,
            ..
        } => FaultKind::Jammed(position_m.map(|p| Jammer::new(Vec3::from(p), *power_w))),
        FaultKindConfig::Spoofed {
            offset_m,
            velocity_m_s,
            ..
        } => FaultKind::Spoofed(Spoof {
            offset: Vec3::from(*offset_m),
            velocity: Vec3::from(*velocity_m_s),
        }),
        FaultKindConfig::Slow {
            execution_factor, ..
        } => FaultKind::Slow(*execution_factor),
    }
}

/// Builds a leak of the link `device` from the diameter of the hole [m] and the volume of the
/// compartment [m³]. `position` of the hole and `center` of the compartment [m] are in the user's
/// link frame.
pub fn build_leak(
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
