//! Conversion of fault service requests to commands.

use crate::input::mailbox::{find_robot, named_values};
use merrow_messages::msg::FaultRequest;
use merrow_model::scene::fault::FaultKind;
use merrow_model::scene::fault_devices::{check_fault, find_device};
use merrow_model::scene::{Fault, Scene};
use merrow_model::state::Command;
use merrow_world::build::fault::{random_stream, request_values, requested_kind};

/// Converts a request to a command; the fault starts immediately.
///
/// # Errors
/// One line with the reason why the request is invalid.
pub fn command(scene: &Scene, request: &FaultRequest) -> Result<Command, String> {
    // a device without robot is a beacon or a fixed modem
    let robot = match request.robot.as_str() {
        "" => None,
        name => Some(find_robot(scene, name)?),
    };
    if request.name.is_empty() {
        return Err("name: expected a name for the fault, found an empty text".into());
    }
    if request.kind == "none" {
        return Ok(Command::Repair {
            robot,
            name: request.name.as_str().into(),
        });
    }
    let device = find_device(scene, robot, &request.device)?;
    let kind = fault_kind(request)?;
    check_fault(device, &request.device, kind)?;
    if !(request.duration_s.is_finite() && request.duration_s >= 0.0) {
        return Err(format!(
            "duration_s: expected 0 or more seconds, found {}",
            request.duration_s
        ));
    }
    let lasts = if request.duration_s > 0.0 {
        (request.duration_s * 1e9) as u64
    } else {
        u64::MAX
    };
    let fault = Fault {
        name: request.name.as_str().into(),
        robot,
        device,
        kind,
        start_ns: 0,
        end_ns: lasts,
        stream: random_stream(scene, robot, &request.name),
    };
    Ok(Command::Fault(Box::new(fault)))
}

fn fault_kind(request: &FaultRequest) -> Result<FaultKind, String> {
    let FaultRequest {
        kind,
        names,
        values,
        ..
    } = request;
    let get = named_values(names, values)?;
    let kinds = request_values();
    let Some(expected) = kinds.iter().find(|values| values.kind == *kind) else {
        let words: Vec<&str> = kinds.iter().map(|values| values.kind.as_str()).collect();
        return Err(format!(
            "kind: expected one of {} or none, found {kind:?}",
            words.join(", ")
        ));
    };
    let all = [&expected.required[..], &expected.optional].concat();
    if let Some(other) = names.iter().find(|name| !all.contains(name)) {
        return Err(format!(
            "the fault {kind} has no value {other:?}; expected {}",
            all.join(", ")
        ));
    }
    if let Some(missing) = expected.required.iter().find(|name| get(name).is_none()) {
        return Err(format!("the fault {kind} requires {missing}"));
    }
    requested_kind(kind, get)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::scene::fault::Device;
    use merrow_world::build::fault::RequestValues;
    use merrow_world::{Overrides, load_text};

    fn request_fault(
        device: &str,
        kind: &str,
        names: &[&str],
        values: &[f64],
    ) -> Result<Command, String> {
        let text = "robots: {r: {model: bluerov2_heavy}}\n";
        let scene = load_text("w.yaml", text, Overrides::default())
            .expect("a world")
            .scene;
        let request = FaultRequest {
            name: "f".into(),
            robot: "r".into(),
            device: device.into(),
            kind: kind.into(),
            names: names.iter().map(|n| (*n).to_string()).collect(),
            values: values.to_vec(),
            duration_s: 5.0,
        };
        command(&scene, &request)
    }

    #[test]
    fn requests_become_faults() {
        let Ok(Command::Fault(fault)) = request_fault("battery", "shortage", &["power_w"], &[30.0])
        else {
            panic!("refused");
        };
        assert_eq!(
            (fault.kind, fault.device, fault.end_ns),
            (
                FaultKind::Shortage { power_w: 30.0 },
                Device::Battery,
                5_000_000_000
            )
        );
        let Ok(Command::Fault(fault)) = request_fault("imu/gyro", "biased", &["bias"], &[0.1])
        else {
            panic!("refused");
        };
        assert!(matches!(fault.device, Device::SensorChannel(_, 0)));
        let Ok(Command::Fault(fault)) =
            request_fault("gps", "jammed", &["power_w", "position_y_m"], &[0.1, 30.0])
        else {
            panic!("refused");
        };
        let jammed = FaultKind::Jammed {
            position_m: Some([0.0, 30.0, 0.0]),
            power_w: 0.1,
        };
        assert_eq!(fault.kind, jammed);
        let Ok(Command::Fault(fault)) =
            request_fault("gps", "spoofed", &["velocity_x_m_s"], &[0.5])
        else {
            panic!("refused");
        };
        let spoofed = FaultKind::Spoofed {
            offset_m: [0.0; 3],
            velocity_m_s: [0.5, 0.0, 0.0],
        };
        assert_eq!(fault.kind, spoofed);
        assert_eq!(
            request_fault("", "none", &[], &[]),
            Ok(Command::Repair {
                robot: Some(0),
                name: "f".into()
            })
        );
    }

    #[test]
    fn requests_without_robot_address_beacons() {
        let text =
            "beacons: {gate: {beacon: pinger_27khz}}\nrobots: {r: {model: bluerov2_heavy}}\n";
        let scene = load_text("w.yaml", text, Overrides::default())
            .expect("a world")
            .scene;
        let request_fault = |device: &str, kind: &str| {
            let (name, device, kind) = ("f".to_string(), device.to_string(), kind.to_string());
            command(
                &scene,
                &FaultRequest {
                    name,
                    device,
                    kind,
                    ..FaultRequest::default()
                },
            )
        };
        let Ok(Command::Fault(fault)) = request_fault("gate", "dead") else {
            panic!("refused")
        };
        assert_eq!(
            (fault.robot, fault.device, fault.end_ns),
            (None, Device::Beacon(0), u64::MAX)
        );
        assert_eq!(
            request_fault("beacons/gate", "none"),
            Ok(Command::Repair {
                robot: None,
                name: "f".into()
            })
        );
        assert_eq!(
            request_fault("imu", "dead").unwrap_err(),
            "no beacon or fixed modem `imu` in the world; expected one of beacons/gate; a device of a robot needs `robot`"
        );
        assert!(
            request_fault("gate", "leak")
                .unwrap_err()
                .starts_with("the fault leak requires hole_diameter_m")
        );
    }

    #[test]
    fn invalid_requests_state_the_reason() {
        let wrong = |device: &str, kind: &str, names: &[&str], values: &[f64]| {
            request_fault(device, kind, names, values).unwrap_err()
        };
        assert_eq!(
            wrong("battery", "reduced", &["fraction"], &[0.5]),
            "`battery` cannot be `reduced`; expected one of dead, intermittent, shortage"
        );
        assert_eq!(
            wrong("battery", "shortage", &[], &[]),
            "the fault shortage requires power_w"
        );
        assert_eq!(
            wrong("battery", "dead", &["fraction"], &[]),
            "expected one value for each name, found 0 values for 1 names"
        );
        assert_eq!(
            wrong("battery", "dead", &["fraction"], &[1.0]),
            "the fault dead has no value \"fraction\"; expected "
        );
        assert_eq!(
            wrong("battery", "shortage", &["power_w"], &[-1.0]),
            "the fault shortage: `power_w`: expected a non-negative number [W], found `-1.0`"
        );
        assert_eq!(
            wrong("imu", "spoofed", &[], &[]),
            "`imu` cannot be `spoofed`; expected one of dead, stuck, biased, noisy, intermittent"
        );
        assert_eq!(
            wrong("gps", "jammed", &["power_w"], &[-1.0]),
            "the fault jammed: `power_w`: expected a non-negative number [W], found `-1.0`"
        );
        let unknown = wrong("battery", "tired", &[], &[]);
        assert!(unknown.starts_with("kind: expected one of dead, stuck, "));
        assert!(unknown.ends_with(" or none, found \"tired\""));
        let not_a_number = wrong("imu", "biased", &["bias"], &[f64::NAN]);
        assert!(not_a_number.starts_with("the fault biased: `bias`: expected a "));
        assert!(
            wrong("wing", "dead", &[], &[])
                .starts_with("no device `wing` on r; expected one of thrusters/")
        );
    }

    // The service and world files have the same kinds of faults. Method: the kinds that the message
    // about an unknown kind in a world file lists; a request of each kind.
    #[test]
    fn kinds_of_the_service_and_of_world_files_agree() {
        let text = "faults: {f: {target: c, kind: tired}}\n";
        let problems = load_text("w.yaml", text, Overrides::default()).expect_err("an error");
        let kinds = request_values();
        let words: Vec<String> = kinds.iter().map(|own| format!("`{}`", own.kind)).collect();
        let kinds_text = words.join(", ");
        let expected = format!("expected one of {kinds_text}, found");
        assert!(problems.to_string().contains(&expected), "{problems}");
        for RequestValues {
            kind,
            required,
            optional,
        } in kinds
        {
            for names in [required.clone(), [required, optional].concat()] {
                let request = FaultRequest {
                    kind: kind.clone(),
                    values: vec![1.0; names.len()],
                    names,
                    ..FaultRequest::default()
                };
                let found = fault_kind(&request).expect("a kind");
                assert_eq!(found.kind(), kind);
            }
        }
    }

    #[test]
    fn requests_address_modems_and_computers() {
        let text = "
modems: {shore: {modem: thetis_modem}}
robots:
  r:
    model:
      extends: robots/bluerov2.yaml
      modems: {link: {modem: thetis_modem}}
      computers: {main: {tasks: {t: {activation: {kind: periodic, period_s: 1}, execution: {kind: constant, time_s: 0.1}}}}}
";
        let scene = load_text("w.yaml", text, Overrides::default())
            .expect("a world")
            .scene;
        let device = |robot: &str, device: &str, kind: &str| {
            let request = FaultRequest {
                name: "f".into(),
                robot: robot.into(),
                device: device.into(),
                kind: kind.into(),
                ..FaultRequest::default()
            };
            match command(&scene, &request) {
                Ok(Command::Fault(fault)) => Ok(fault.device),
                Ok(other) => panic!("{other:?}"),
                Err(why) => Err(why),
            }
        };
        assert_eq!(device("r", "link", "dead"), Ok(Device::Modem(0)));
        assert_eq!(
            device("r", "computers/main", "dead"),
            Ok(Device::Computer(0))
        );
        assert_eq!(device("", "modems/shore", "dead"), Ok(Device::Modem(1)));
        assert_eq!(
            device("r", "main", "stuck"),
            Err("`main` cannot be `stuck`; expected one of dead, intermittent, slow".to_string())
        );
        assert_eq!(
            device("r", "main", "slow"),
            Err("the fault slow requires execution_factor".to_string())
        );
    }
}
