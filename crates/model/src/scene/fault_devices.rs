//! Names of the devices of a robot and of a world, and the kinds of faults that each can have.

use crate::ensure;
use crate::scene::fault::words::{
    BIASED, DEAD, INTERMITTENT, JAMMED, LEAK, NOISY, REDUCED, SHORTAGE, SLOW, SPOOFED, STUCK,
};
use crate::scene::fault::{Device, FaultKind};
use crate::scene::{JointKind, Scene, SensorKind};
use merrow_yaml::read::{Read, from_text};

/// Kind, name and device; the kind is empty for a device that a robot has once.
type NamedDevice = (&'static str, String, Device);

/// Finds the device of robot number `robot` called `name`: by its own name if that is unique, else
/// as `thrusters/port`, `fins/rudder`, `joints/elbow`, `buoyancy_engines/pump`,
/// `winches/umbilical`, `sensors/imu`, `sensors/imu/gyro`, `links/base_link`, `modems/acoustic`,
/// `computers/autopilot`, `battery`. Without a robot, finds a beacon or a fixed modem: `gate`, or
/// `beacons/gate` or `modems/shore`.
///
/// # Errors
/// Returns one line if there is no such device or if the name is ambiguous.
pub fn find_device(scene: &Scene, robot: Option<usize>, name: &str) -> Result<Device, String> {
    let all = devices(scene, robot);
    let is_called = |(kind, own, _): &&NamedDevice| own == name || path(kind, own) == name;
    let found: Vec<&NamedDevice> = all.iter().filter(is_called).collect();
    if let [(_, _, device)] = &found[..] {
        return Ok(*device);
    }
    let robot = robot.map(|robot| &scene.robots[robot].name);
    let listed = if found.is_empty() {
        all.iter().collect()
    } else {
        found.clone()
    };
    let paths: Vec<String> = listed
        .iter()
        .map(|(kind, own, _)| path(kind, own))
        .collect();
    let paths = paths.join(", ");
    Err(match (robot, found.is_empty()) {
        (Some(robot), true) => format!("no device `{name}` on {robot}; expected one of {paths}"),
        (Some(robot), false) => {
            format!("several devices of {robot} are called `{name}`; expected one of {paths}")
        }
        (None, true) => {
            let known = if all.is_empty() {
                "it has none".to_string()
            } else {
                format!("expected one of {paths}")
            };
            format!(
                "no beacon or fixed modem `{name}` in the world; {known}; a device of a robot needs `robot`"
            )
        }
        (None, false) => {
            format!("a beacon and a modem are called `{name}`; expected one of {paths}")
        }
    })
}

fn path(kind: &str, name: &str) -> String {
    if kind.is_empty() {
        name.to_string()
    } else {
        format!("{kind}/{name}")
    }
}

/// Lists the devices of a robot; without a robot, the beacons and the fixed modems.
fn devices(scene: &Scene, robot: Option<usize>) -> Vec<NamedDevice> {
    let mut all = Vec::new();
    let modems = scene.modems.iter().enumerate();
    let modems = modems.filter(|(_, modem)| modem.on.map(|(carrier, _)| carrier) == robot);
    let Some(robot) = robot.map(|robot| &scene.robots[robot]) else {
        let mut add = |kind, own: &str, device| all.push((kind, own.to_string(), device));
        for (k, beacon) in scene.beacons.iter().enumerate() {
            add("beacons", &beacon.name, Device::Beacon(k));
        }
        modems.for_each(|(k, modem)| add("modems", &modem.name, Device::Modem(k)));
        return all;
    };
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
            SensorKind::Exteroceptive(spec) if !spec.properties().supports_offset_faults => {
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
    for (k, modem) in modems {
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

/// Lists the paths of all devices of a robot or, without a robot, of the beacons and fixed modems,
/// as accepted by [`find_device`], with the kinds of faults that each device can have.
pub fn devices_with_kinds(
    scene: &Scene,
    robot: Option<usize>,
) -> Vec<(String, &'static [&'static str])> {
    devices(scene, robot)
        .iter()
        .map(|(kind, own, device)| (path(kind, own), allowed_kinds(*device)))
        .collect()
}

/// Returns the path of a device of a robot or, without a robot, of a beacon or fixed modem, as
/// accepted by [`find_device`].
pub fn device_path(scene: &Scene, robot: Option<usize>, device: Device) -> String {
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
    let (word, kinds) = (kind.kind(), allowed_kinds(device));
    ensure!(
        kinds.contains(&word),
        "`{name}` cannot be `{word}`; expected one of {}",
        kinds.join(", ")
    );
    // read again, which checks the values as those of a world file
    let fits = from_text::<FaultKind>(&kind.json().to_string()).is_ok();
    ensure!(
        fits,
        "the fault `{word}` of `{name}` has a value out of its range"
    );
    Ok(())
}
