//! Keys of scheduled commands.

use merrow_model::scene::comms::MacProtocol;
use merrow_model::scene::robot::firmware::motion_control::GainKind;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// A command at a given time, so that an experiment needs no other program.
    pub struct ScheduledConfig {
        /// Time at which the command is applied, at the start of the next step.
        time_s: f64 [non_negative],
        /// Name of the robot that it commands. Required unless it changes the environment, a
        /// coupling, a winch or a modem.
        robot: Option<String> [name],
        ..kind: ScheduledKindConfig,
    }

    /// Degree of freedom of a gain.
    pub enum GainAxisConfig words {
        /// Motion along the heading.
        Surge = "surge",
        /// Motion across the heading.
        Sway = "sway",
        /// Motion along the vertical.
        Heave = "heave",
        /// Rotation about the longitudinal axis.
        Roll = "roll",
        /// Rotation about the transverse axis.
        Pitch = "pitch",
        /// Rotation about the vertical.
        Yaw = "yaw",
    }

    /// State of health of a thruster or a fin.
    pub enum HealthConfig words {
        /// It works.
        Healthy = "healthy",
        /// It keeps its drive or its angle.
        Stuck = "stuck",
        /// It has no effect.
        Dead = "dead",
    }

    /// Type of a scheduled command.
    pub enum ScheduledKindConfig {
        /// Commands thrusters by name.
        Thrusters = "thrusters" {
            /// Command of each thruster in its own unit, by name.
            values: NamedMap<f64> [frame],
        },
        /// Commands fins, rudders and azimuth servos.
        Fins = "fins" {
            /// Angle of each fin [rad], by name.
            angles_rad: NamedMap<f64> [frame],
        },
        /// Commands buoyancy engines by name.
        BuoyancyEngines = "buoyancy_engines" {
            /// Volume of each engine [m³] relative to the volume of the hull, by name.
            volumes_m3: NamedMap<f64> [frame],
        },
        /// Commands joints by name.
        Joints = "joints" {
            /// Position, velocity or effort of each joint, as its drive expects, by name.
            values: NamedMap<f64> [frame],
        },
        /// Commands the thrust allocation, or the motion controller in a mode with a pilot.
        Wrench = "wrench" (ScheduledWrench),
        /// Commands the firmware with a velocity.
        Velocity = "velocity" (ScheduledVelocity),
        /// Sets heading and depth of a torpedo-shaped vehicle.
        HeadingDepth = "heading_depth" (ScheduledHeadingDepth),
        /// Requests a mode of the motion controller.
        Mode = "mode" {
            /// Name of the mode.
            mode: String [not_empty],
        },
        /// Arms or disarms the firmware.
        Arm = "arm" {
            /// Whether the vehicle is armed.
            on: bool,
        },
        /// Requests station keeping at a pose.
        Goal = "goal" {
            /// Position in the world (east, north, up).
            position_m: [f64; 3],
            /// Roll, pitch and yaw. Default: the current heading.
            attitude_deg: Option<[f64; 3]>,
        },
        /// Requests to follow a path.
        Path = "path" {
            /// Waypoints in the world (east, north, up).
            waypoints_m: Vec<[f64; 3]> [not_empty],
        },
        /// Reports an object to the task of the world.
        Report = "report" {
            /// Class of the object.
            class: String [not_empty],
            /// Position in the world (east, north, up).
            position_m: [f64; 3],
        },
        /// Reports words, such as colours, to the task of the world.
        Words = "words" {
            /// The words, in their order.
            words: Vec<String> [not_empty],
        },
        /// Applies a force and a moment to a link, in addition to those that act already.
        Push = "push" (ScheduledPush),
        /// Sets the level of a load, such as a lamp.
        Load = "load" {
            /// Name of the load.
            load: String [frame],
            /// Level: 0 is off, 1 is full power.
            level: f64 [fraction],
        },
        /// Switches the measurement errors of a sensor on or off.
        Noise = "noise" {
            /// Name of the sensor.
            sensor: String [frame],
            /// Whether the sensor adds its errors.
            on: bool,
        },
        /// Sets the health of a thruster or a fin.
        Health = "health" (ScheduledHealth),
        /// Sets a gain of the motion controller.
        Gain = "gain" {
            /// Degree of freedom of the gain.
            axis: GainAxisConfig,
            /// Error that the gain multiplies.
            error: GainKind,
            /// Value of the gain, in the unit of the parameter of this name.
            value: f64 [non_negative],
        },
        /// Engages or releases a coupling.
        Coupling = "coupling" {
            /// Name of the coupling.
            coupling: String [frame],
            /// Whether it is engaged.
            engage: bool,
        },
        /// Commands the winch of a tether.
        Winch = "winch" {
            /// Name of the tether.
            tether: String [frame],
            /// Speed at which it pays out.
            speed_m_s: f64,
        },
        /// Replaces the current by a uniform current.
        Current = "current" (ScheduledCurrent),
        /// Changes properties of the water and the air at the surface. A change of the water
        /// replaces a water column by uniform water. Robots keep their mass and volume.
        Water = "water" (ScheduledWater),
        /// Changes the waves; they grow or fade over the ramp of the world's waves.
        Waves = "waves" (ScheduledWaves),
        /// Changes the weather over time.
        Weather = "weather" (ScheduledWeather),
        /// Transmits a text from a modem.
        ModemSend = "modem_send" (ScheduledModemSend),
        /// Measures the range from a modem to another modem.
        ModemRange = "modem_range" {
            /// Name of the modem that measures.
            from: String [not_empty],
            /// Name of the other modem.
            to: String [not_empty],
            /// Whether the other modem measures from a signal of known time, instead of a reply.
            one_way: bool = false,
        },
        /// Sets the transmit power of a modem.
        ModemPower = "modem_power" {
            /// Name of the modem.
            target: String [not_empty],
            /// Transmit power of the following frames.
            power_w: f64 [positive],
        },
        /// Sets the data rate of a modem.
        ModemRate = "modem_rate" {
            /// Name of the modem.
            target: String [not_empty],
            /// Name of the modulation and coding scheme, or `adaptive`.
            scheme: String [not_empty],
        },
        /// Selects the medium access protocol of a modem.
        ModemMac = "modem_mac" {
            /// Name of the modem.
            target: String [not_empty],
            /// Medium access protocol, as in the key of this name of a modem.
            mac: MacProtocol,
        },
        /// Switches a modem on or off. A modem that is switched off loses its waiting messages.
        ModemSwitch = "modem_switch" {
            /// Name of the modem.
            target: String [not_empty],
            /// Whether the modem is on.
            on: bool,
        },
    }

    /// Commands the thrust allocation, or the motion controller in a mode with a pilot.
    pub struct ScheduledWrench {
        /// Force on the base (forward, left, up).
        force_n: [f64; 3] = [0.0, 0.0, 0.0],
        /// Moment on the base (forward, left, up).
        moment_nm: [f64; 3] = [0.0, 0.0, 0.0],
        /// Time for which the command is repeated. Default: it is sent once.
        duration_s: f64 [non_negative] = 0.0,
    }

    /// Commands the firmware with a velocity.
    pub struct ScheduledVelocity {
        /// Linear velocity of the base (forward, left, up).
        linear_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Yaw rate of the base, counter-clockwise.
        yaw_rate_rad_s: f64 = 0.0,
        /// Time for which the command is repeated. Default: it is sent once.
        duration_s: f64 [non_negative] = 0.0,
    }

    /// Sets heading and depth of a torpedo-shaped vehicle.
    pub struct ScheduledHeadingDepth {
        /// Heading, clockwise from north. Default: unchanged.
        heading_deg: Option<f64> [in -360.0..=360.0],
        /// Depth of the vehicle. Default: unchanged.
        depth_m: Option<f64>,
    }

    /// Applies a force and a moment to a link, in addition to those that act already.
    pub struct ScheduledPush {
        /// Name of the link. Default: the base.
        link: Option<String> [frame],
        /// Force in the world (east, north, up).
        force_n: [f64; 3] = [0.0, 0.0, 0.0],
        /// Moment in the world (east, north, up).
        moment_nm: [f64; 3] = [0.0, 0.0, 0.0],
        /// Time for which it acts.
        duration_s: f64 [positive],
    }

    /// Sets the health of a thruster or a fin.
    pub struct ScheduledHealth {
        /// Name of the thruster.
        thruster: Option<String> [frame],
        /// Name of the fin.
        fin: Option<String> [frame],
        /// State of the device.
        state: HealthConfig = HealthConfig::Healthy,
        /// Remaining fraction of the thrust, or of the area of the fin, of a healthy device.
        efficiency: f64 [fraction] = 1.0,
    }

    /// Replaces the current by a uniform current.
    pub struct ScheduledCurrent {
        /// Speed of the current.
        speed_m_s: f64 [non_negative],
        /// Direction towards which it flows, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Upward speed of the current.
        up_m_s: f64 = 0.0,
    }

    /// Changes properties of the water and the air at the surface. A change of the water
    /// replaces a water column by uniform water. Robots keep their mass and volume.
    pub struct ScheduledWater {
        /// Density of the water. Default: unchanged.
        density_kg_m3: Option<f64> [in 0.0..=2000.0],
        /// Speed of sound. Default: unchanged.
        sound_speed_m_s: Option<f64> [in 1000.0..=2000.0],
        /// Temperature of the water. Default: unchanged.
        temperature_c: Option<f64> [in -5.0..=60.0],
        /// Air pressure. Default: unchanged.
        air_pressure_pa: Option<f64> [in 1e4..=2e5],
    }

    /// Changes the waves; they grow or fade over the ramp of the world's waves.
    pub struct ScheduledWaves {
        /// Significant wave height; the wave height of a regular wave.
        hs_m: f64 [non_negative],
        /// Peak period. Default: peak period of a fully developed sea.
        tp_s: f64 [in 0.0..=100.0] = 0.0,
        /// Direction of propagation, clockwise from north. Default: unchanged.
        direction_deg: Option<f64> [in -360.0..=360.0],
    }

    /// Changes the weather over time.
    pub struct ScheduledWeather {
        /// Wind speed at 10 m above the surface; with `wind_from_deg`.
        wind_speed_m_s: Option<f64> [non_negative],
        /// Direction from which the wind blows, clockwise from north.
        wind_from_deg: Option<f64> [in -360.0..=360.0],
        /// Factor on the gusts.
        gustiness: Option<f64> [non_negative],
        /// Air temperature at sea level.
        temperature_c: Option<f64> [in -60.0..=60.0],
        /// Fraction of the sky covered by clouds.
        cloud_cover: Option<f64> [fraction],
        /// Rain rate at the surface.
        rain_mm_h: Option<f64> [non_negative],
        /// Meteorological visibility in air.
        visibility_m: Option<f64> [positive],
        /// Duration of the change.
        duration_s: f64 [non_negative] = 0.0,
    }

    /// Transmits a text from a modem.
    pub struct ScheduledModemSend {
        /// Name of the transmitting modem, such as `auv/acoustic`.
        from: String [not_empty],
        /// Name of the receiving modem. Default: all modems.
        to: Option<String> [not_empty],
        /// Text that the modem transmits.
        text: String [not_empty],
        /// Priority of the message; larger first.
        priority: u32 [in 0.0..=255.0] = 0,
        /// Whether every frame is repeated until it is acknowledged.
        acknowledge: bool = false,
    }
}
