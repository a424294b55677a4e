//! Keys of the connections to autopilot programs and ground stations.

use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// Autopilot program that flies the robot.
    pub enum AutopilotConfig {
        /// ArduPilot SITL with its JSON interface.
        ArduPilot = "ardupilot" (ArduPilotConfig),
        /// PX4 SITL with MAVLink over TCP.
        Px4 = "px4" (Px4Config),
    }

    /// ArduPilot SITL: `sim_vehicle.py --model JSON:127.0.0.1`.
    pub struct ArduPilotConfig {
        /// Arrangement of the outputs.
        frame: FrameConfig = FrameConfig::Custom,
        /// Further outputs, by the name of the thruster, fin, joint or load that they command. They
        /// replace the outputs of the frame.
        outputs: NamedMap<ServoOutputConfig> [frame] = NamedMap::default(),
        /// Name of the IMU whose readings the autopilot receives. Default: the true motion, to
        /// which the SITL adds its own errors.
        imu: Option<String> [frame],
        /// Names of the altimeters that are its rangefinders.
        rangefinders: Vec<String> = Vec::new(),
        /// Name of the anemometer that is its wind vane. Default: none.
        wind_vane: Option<String> [frame],
        ..link: LinkConfig,
    }

    /// Keys of the connection to any autopilot.
    pub struct LinkConfig {
        /// Whether the simulator waits for the autopilot; `merrow run --autopilot` enables all.
        enabled: bool = true,
        /// Instance of the SITL, which gives the port: 9002 + 10 * instance for ArduPilot, 4560 +
        /// instance for PX4. Default: the number of enabled autopilots before it in the world.
        instance: Option<u32> [in 0.0..=99.0],
        /// Port, instead of the port of the instance.
        port: Option<u32> [in 1.0..=65535.0],
        /// Address on which the simulator receives packets; `0.0.0.0`: also from other machines.
        address: String [not_empty] = "127.0.0.1".to_string(),
        /// Whether the world waits for the autopilot also at a pace that follows the wall clock.
        lock_step: bool = false,
    }

    /// PX4 SITL with an airframe whose simulator is MAVLink (`simulator_mavlink`).
    pub struct Px4Config {
        /// Arrangement of the outputs.
        frame: Px4FrameConfig = Px4FrameConfig::Custom,
        /// Further outputs, by the name of the thruster, fin, joint or load that they command. They
        /// replace the outputs of the frame.
        outputs: NamedMap<Px4OutputConfig> [frame] = NamedMap::default(),
        /// Name of the IMU whose readings PX4 receives. Default: the true motion with noise.
        imu: Option<String> [frame],
        /// Name of the magnetometer whose readings PX4 receives. Default: the true field with
        /// noise.
        magnetometer: Option<String> [frame],
        /// Name of the barometer or pressure sensor whose readings PX4 receives. Default: the true
        /// pressure with noise.
        barometer: Option<String> [frame],
        /// Name of the GNSS receiver whose fixes PX4 receives. Default: the true position.
        gnss: Option<String> [frame],
        ..link: LinkConfig,
    }

    /// Arrangement of the outputs of PX4. The simulator finds the thruster of each output by its
    /// place and direction.
    pub enum Px4FrameConfig words {
        /// Only the outputs of the key `outputs`.
        Custom = "custom",
        /// Six rotors, clockwise from the front right one.
        HexaX = "hexa_x",
        /// Two thrusters of a boat; output 1 right and output 2 left.
        Differential = "differential",
    }

    /// Output of PX4 and its device.
    pub struct Px4OutputConfig {
        /// Number of the output; 1 is the first.
        channel: u32 [in 1.0..=16.0],
        /// Controls at the low end, at neutral and at the high end.
        control: [f64; 3] [in -1.0..=1.0] = [-1.0, 0.0, 1.0],
        /// Commands of the device at these controls, in its unit.
        command: [f64; 3],
    }

    /// Arrangement of the outputs of an autopilot. The simulator finds the thruster of each output
    /// by its place and direction.
    pub enum FrameConfig words {
        /// Only the outputs of the key `outputs`.
        Custom = "custom",
        /// Six thrusters, four of them horizontal: BlueROV2.
        Vectored = "vectored",
        /// Eight thrusters, four of them horizontal: BlueROV2 Heavy.
        Vectored6Dof = "vectored_6dof",
        /// Two thrusters of a boat; output 1 left and output 3 right.
        SkidSteering = "skid_steering",
        /// A rudder and a sail; output 1 rudder and output 4 sheet.
        Sailboat = "sailboat",
        /// Six rotors, two of them at the sides.
        HexaX = "hexa_x",
    }

    /// Output of an autopilot.
    pub struct ServoOutputConfig {
        /// Number of the output; 1 is the first.
        channel: u32 [in 1.0..=32.0],
        /// Pulse widths at the low end, at neutral and at the high end [µs].
        pwm: [f64; 3] [in 500.0..=2500.0] = [1100.0, 1500.0, 1900.0],
        /// Commands of the device at these pulse widths, in its unit.
        command: [f64; 3],
    }

    /// MAVLink telemetry of a robot to a ground station such as QGroundControl, which may also
    /// control it with a gamepad.
    pub struct MavlinkConfig {
        /// Address and port of the ground station.
        udp: String [not_empty] = "127.0.0.1:14550".to_string(),
        /// Number of the vehicle in the ground station. Default: the number of the robot in the
        /// world, from 1.
        system_id: Option<u32> [in 1.0..=255.0],
    }
}
