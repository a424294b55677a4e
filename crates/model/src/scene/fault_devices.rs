//! Names of the devices of a robot and of a world, and the kinds of faults that each can have.

use crate::ensure;
use crate::scene::fault::words::{
    BIASED, DEAD, INTERMITTENT, JAMMED, LEAK, NOISY, REDUCED, SHORTAGE, SLOW, SPOOFED, STUCK,
};
use crate::scene::fault::{Device, FaultKind};
use crate::scene::{JointKind, Scene, SensorKind};

/// Minimum of the mean times for which an intermittent fault works or fails [s].
const MIN_MEAN_TIME: f64 = 1e-3;
/// Maximum factor on the execution times of a computer, as in the schema.
const MAX_EXECUTION_FACTOR: f64 = 1e6;
/// Finds the device of robot number `robot` called `name`: by its own name if that is unique, else
/// as `thrusters/port`, `fins/rudder`, `joints/elbow`, `buoyancy_engines/pump`,
/// `winches/umbilical`, `sensors/imu`, `sensors/imu/gyro`, `links/base_link`, `modems/acoustic`,
/// `computers/autopilot`, `battery`.
///
/// # Errors
/// Returns one line if there is no such device or if the name is ambiguous.
pub fn find_device(scene: &Scene, robot: usize, name: &str) -> Result<Device, String> {
    let all = devices(scene, robot);
    let robot = &scene.robots[robot];
    let fits = all
        .iter()
        .filter(|(kind, own, _)| own == name || path(kind, own) == name);
    let found: Vec<(String, Device)> = fits
        .map(|(kind, own, device)| (path(kind, own), *device))
        .collect();
    match &found[..] {
        [(_, device)] => Ok(*device),
        [] => {
            let known: Vec<String> = all.iter().map(|(kind, own, _)| path(kind, own)).collect();
            Err(format!(
                "no device `{name}` on {}; expected one of {}",
                robot.name,
                known.join(", ")
            ))
        }
        several => {
            let paths: Vec<&str> = several.iter().map(|(path, _)| path.as_str()).collect();
            Err(format!(
                "several devices of {} are called `{name}`; expected one of {}",
                robot.name,
                paths.join(", ")
            ))
        }
    }
}

/// Finds the beacon or the fixed modem of a world called `name`, by its own name or as
/// `beacons/gate` or `modems/shore`.
///
/// # Errors
/// Returns one line if there is no such device or if the name is ambiguous.
pub fn find_world_device(scene: &Scene, name: &str) -> Result<Device, String> {
    let all = world_devices(scene);
    let fits = all
        .iter()
        .filter(|(kind, own, _)| *own == name || path(kind, own) == name);
    let found: Vec<String> = fits.clone().map(|(kind, own, _)| path(kind, own)).collect();
    if found.len() > 1 {
        return Err(format!(
            "a beacon and a modem are called `{name}`; expected one of {}",
            found.join(", ")
        ));
    }
    let device = fits.map(|(_, _, device)| *device).next();
    device.ok_or_else(|| {
        let known: Vec<String> = all.iter().map(|(kind, own, _)| path(kind, own)).collect();
        let known = if known.is_empty() {
            "it has none".to_string()
        } else {
            format!("expected one of {}", known.join(", "))
        };
        format!(
            "no beacon or fixed modem `{name}` in the world; {known}; a device of a robot needs `robot`"
        )
    })
}

/// Lists the beacons and the fixed modems of a world.
fn world_devices(scene: &Scene) -> Vec<(&'static str, &str, Device)> {
    let beacons = scene.beacons.iter().enumerate();
    let beacons = beacons.map(|(k, beacon)| ("beacons", beacon.name.as_str(), Device::Beacon(k)));
    let modems = scene.modems.iter().enumerate();
    let fixed = modems.filter(|(_, modem)| modem.on.is_none());
    let modems = fixed.map(|(k, modem)| ("modems", modem.name.as_str(), Device::Modem(k)));
    beacons.chain(modems).collect()
}

/// Returns the path of a beacon or of a fixed modem, as accepted by [`find_world_device`].
pub fn world_device_path(scene: &Scene, device: Device) -> String {
    let mut all = world_devices(scene).into_iter();
    let found = all.find(|(_, _, other)| *other == device);
    found.map_or_else(String::new, |(kind, name, _)| path(kind, name))
}

fn path(kind: &str, name: &str) -> String {
    if kind.is_empty() {
        name.to_string()
    } else {
        format!("{kind}/{name}")
    }
}

fn devices(scene: &Scene, index: usize) -> Vec<(&'static str, String, Device)> {
    let robot = &scene.robots[index];
    let mut all = Vec::new();
    let mut add = |kind, own: &str, device| all.push((kind, own.to_string(), device));
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        add("thrusters", &thruster.name, Device::Thruster(k));
    }
    for (k, fin) in robot.fins.iter().enumerate() {
        add("fins", &fin.name, Device::Fin(k));
    }
    let joints = robot.links[1..].iter().map(|l| &l.joint).enumerate();
    // a mimic joint has no drive
    for (k, joint) in joints.filter(|(_, j)| j.kind != JointKind::Fixed && j.mimic.is_none()) {
        add("joints", &joint.name, Device::Joint(k));
    }
    for (k, engine) in robot.buoyancy_engines.iter().enumerate() {
        add("buoyancy_engines", &engine.name, Device::BuoyancyEngine(k));
    }
    for (k, tether) in robot.winches.iter().enumerate() {
        add("winches", tether, Device::Winch(k));
    }
    for (k, sensor) in robot.sensors.iter().enumerate() {
        let device = match &sensor.kind {
            kind if kind.properties().is_some_and(|own| own.is_gnss_receiver) => {
                Device::GnssReceiver(k)
            }
            SensorKind::Exteroceptive(exteroceptive) if !exteroceptive.supports_offset_faults() => {
                Device::UnbiasableSensor(k)
            }
            _ => Device::Sensor(k),
        };
        add("sensors", &sensor.name, device);
        let channels = sensor
            .kind
            .properties()
            .map_or(&[][..], |own| own.fault_channels);
        for (n, part) in channels.iter().enumerate() {
            add(
                "sensors",
                &format!("{}/{part}", sensor.name),
                Device::SensorChannel(k, n),
            );
        }
    }
    for (k, link) in robot.links.iter().enumerate() {
        add("links", &link.name, Device::Hull(k));
    }
    let modems = scene.modems.iter().enumerate();
    for (k, modem) in modems.filter(|(_, modem)| modem.on.is_some_and(|(r, _)| r == index)) {
        let own = modem.name.rsplit('/').next().unwrap_or(&modem.name);
        add("modems", own, Device::Modem(k));
    }
    let computers = robot.onboard.iter().flat_map(|onboard| &onboard.computers);
    for (k, computer) in computers.enumerate() {
        add("computers", &computer.name, Device::Computer(k));
    }
    if robot.battery.is_some() {
        add("", "battery", Device::Battery);
    }
    all
}

/// Lists the paths of all devices of a robot, as accepted by [`find_device`], with the kinds of
/// faults that each device can have.
pub fn devices_with_kinds(scene: &Scene, robot: usize) -> Vec<(String, &'static [&'static str])> {
    devices(scene, robot)
        .iter()
        .map(|(kind, own, device)| (path(kind, own), allowed_kinds(*device)))
        .collect()
}

/// Lists the paths of the beacons and the fixed modems, as accepted by [`find_world_device`], with
/// the kinds of faults that each can have.
pub fn world_devices_with_kinds(scene: &Scene) -> Vec<(String, &'static [&'static str])> {
    world_devices(scene)
        .iter()
        .map(|(kind, own, device)| (path(kind, own), allowed_kinds(*device)))
        .collect()
}

/// Returns the path of a device of a robot, as accepted by [`find_device`].
pub fn device_path(scene: &Scene, robot: usize, device: Device) -> String {
    let found = devices(scene, robot)
        .into_iter()
        .find(|(_, _, d)| *d == device);
    found.map_or_else(String::new, |(kind, name, _)| path(kind, &name))
}

/// Returns the kinds of faults that a device can have.
pub fn allowed_kinds(device: Device) -> &'static [&'static str] {
    match device {
        Device::Thruster(_)
        | Device::Fin(_)
        | Device::Joint(_)
        | Device::BuoyancyEngine(_)
        | Device::Winch(_) => &[DEAD, STUCK, REDUCED, BIASED, NOISY, INTERMITTENT],
        Device::Sensor(_) | Device::SensorChannel(..) => {
            &[DEAD, STUCK, BIASED, NOISY, INTERMITTENT]
        }
        Device::GnssReceiver(_) => &[DEAD, STUCK, BIASED, NOISY, INTERMITTENT, JAMMED, SPOOFED],
        Device::UnbiasableSensor(_) => &[DEAD, STUCK, INTERMITTENT],
        Device::Battery => &[DEAD, INTERMITTENT, SHORTAGE],
        Device::Hull(_) => &[LEAK],
        Device::Beacon(_) => &[DEAD, REDUCED, BIASED, INTERMITTENT],
        Device::Modem(_) => &[DEAD, REDUCED, INTERMITTENT],
        Device::Computer(_) => &[DEAD, INTERMITTENT, SLOW],
    }
}

/// Checks whether `device`, called `name`, can have a fault of this kind with these values.
///
/// # Errors
/// Returns one line with the allowed kinds, or that a value is out of range.
pub fn check_fault(device: Device, name: &str, kind: FaultKind) -> Result<(), String> {
    let (word, kinds) = (kind.keyword(), allowed_kinds(device));
    ensure!(
        kinds.contains(&word),
        "`{name}` cannot be `{word}`; expected one of {}",
        kinds.join(", ")
    );
    let fits = match kind {
        FaultKind::Reduced(part) => (0.0..=1.0).contains(&part),
        FaultKind::Biased(by) => by.is_finite(),
        FaultKind::Noisy(x) | FaultKind::PowerLimited(x) => x.is_finite() && x >= 0.0,
        FaultKind::Intermittent(means) => {
            means.iter().all(|x| x.is_finite() && *x >= MIN_MEAN_TIME)
        }
        FaultKind::Leak(leak) => {
            let sizes = leak.area.is_finite()
                && leak.area > 0.0
                && leak.volume.is_finite()
                && leak.volume > 0.0;
            sizes && leak.p_LoH.is_finite() && leak.p_LoC.is_finite()
        }
        FaultKind::Jammed(jammer) => {
            jammer.is_none_or(|j| j.p_W.is_finite() && j.reach.is_finite())
        }
        FaultKind::Spoofed(spoof) => spoof.offset.is_finite() && spoof.velocity.is_finite(),
        FaultKind::Slow(factor) => (1.0..=MAX_EXECUTION_FACTOR).contains(&factor),
        FaultKind::Dead | FaultKind::Stuck => true,
    };
    ensure!(
        fits,
        "the fault `{word}` of `{name}` has a value out of its range"
    );
    Ok(())
}
