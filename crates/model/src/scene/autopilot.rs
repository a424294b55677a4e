//! Programs outside the simulator that fly a robot, such as ArduPilot SITL, or show it.

use std::net::{IpAddr, SocketAddr};

/// MAVLink telemetry of a robot to a ground station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MavlinkTelemetry {
    /// Address of the ground station.
    pub address: SocketAddr,
    /// Number of the vehicle in the ground station.
    pub system_id: u8,
}

/// Autopilot program and its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutopilotKind {
    /// ArduPilot SITL with its JSON interface over UDP.
    ArduPilot,
    /// PX4 SITL with MAVLink over TCP.
    Px4,
}

/// Connection of a robot to an autopilot program.
#[derive(Clone, Debug, PartialEq)]
pub struct Autopilot {
    /// Program and its interface.
    pub kind: AutopilotKind,
    /// True if the simulator waits for the autopilot.
    pub enabled: bool,
    /// Address on which the simulator receives the packets of the autopilot.
    pub address: IpAddr,
    /// UDP or TCP port; 0 until it is assigned by the order of the robots.
    pub port: u16,
    /// True if the world waits for the autopilot also at a pace that follows the wall clock.
    pub lock_step: bool,
    /// Outputs of the autopilot and the devices that they command.
    pub outputs: Vec<ServoOutput>,
    /// Index of the IMU whose readings the autopilot receives; `None`: the true motion.
    pub imu: Option<usize>,
    /// The same for the magnetometer of PX4.
    pub magnetometer: Option<usize>,
    /// The same for the barometer of PX4.
    pub barometer: Option<usize>,
    /// The same for the GNSS receiver of PX4.
    pub gnss: Option<usize>,
    /// Indices of the altimeters that are its rangefinders, in the order of its instances.
    pub rangefinders: Vec<usize>,
    /// Index of the anemometer that is its wind vane, if any.
    pub wind_vane: Option<usize>,
}

/// Output channel of an autopilot and the device that it commands.
#[derive(Clone, Debug, PartialEq)]
pub struct ServoOutput {
    /// Index of the channel; 0 is the first.
    pub channel: usize,
    /// Device that it commands.
    pub device: ServoDevice,
    /// Values of the output at the low end, at neutral and at the high end, ascending: pulse widths
    /// of ArduPilot [µs], or controls of PX4, -1..1.
    pub input: [f64; 3],
    /// Commands of the device at these values, in its unit.
    pub command: [f64; 3],
}

/// Device of a robot that an autopilot commands, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServoDevice {
    /// Thruster, jet or rotor.
    Thruster(usize),
    /// Fin, rudder, sail or azimuth servo.
    Fin(usize),
    /// Joint with a position drive or a servo.
    Joint(usize),
    /// Electrical load, such as a lamp.
    Load(usize),
}

impl ServoOutput {
    /// Returns the command for a value of the output [µs] or [-]: linear between the three points,
    /// constant beyond them.
    pub fn command_from_input(&self, x: f64) -> f64 {
        let ([low, neutral, high], [a, b, c]) = (self.input, self.command);
        let x = x.clamp(low, high);
        let between = |x: f64, [x0, x1]: [f64; 2], [y0, y1]: [f64; 2]| {
            if x1 > x0 {
                y0 + (y1 - y0) * (x - x0) / (x1 - x0)
            } else {
                y1
            }
        };
        if x < neutral {
            between(x, [low, neutral], [a, b])
        } else {
            between(x, [neutral, high], [b, c])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_become_commands() {
        let output = ServoOutput {
            channel: 0,
            device: ServoDevice::Thruster(0),
            input: [1100.0, 1500.0, 1900.0],
            command: [-1.0, 0.0, 2.0],
        };
        for (input, expected) in [
            (1100.0, -1.0),
            (1300.0, -0.5),
            (1500.0, 0.0),
            (1700.0, 1.0),
            (1900.0, 2.0),
            (900.0, -1.0),
            (65535.0, 2.0),
        ] {
            assert_eq!(output.command_from_input(input), expected, "{input}");
        }
        // a rotor whose neutral is its low end
        let rotor = ServoOutput {
            input: [1000.0, 1000.0, 2000.0],
            command: [0.0, 0.0, 800.0],
            ..output
        };
        assert_eq!(rotor.command_from_input(1000.0), 0.0);
        assert_eq!(rotor.command_from_input(1500.0), 400.0);
    }
}
