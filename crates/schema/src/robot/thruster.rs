//! Keys of thrusters: motor, propeller and lag; and of buoyancy engines.

use crate::robot::body::Axes;
use crate::robot::fin::AzimuthConfig;
use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A buoyancy engine: a pump changes its displaced volume at constant mass.
    pub struct BuoyancyEngineConfig {
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Link that contains it.
        link: String [frame] = "base_link".to_string(),
        /// Axes in which `position_m` is given.
        axes: Axes = Axes::Flu,
        /// Position of the volume, relative to the link origin.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Minimum and maximum volume, in addition to the volume of the body.
        range_m3: [f64; 2],
        /// Maximum rate of change while the volume grows and while it shrinks.
        rate_m3_s: [f64; 2] [positive],
        /// Volume at the start, in addition to the volume of the body.
        start_m3: f64 = 0.0,
        /// Pressure work per electrical energy while the volume grows.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
    }
}

spec! {
    /// A thruster: its type and its mounting.
    pub struct ThrusterConfig {
        /// Type of the thruster: a name in `params/thrusters`, a file, or a map.
        motor: MotorConfig,
        /// Link on which the thruster is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Axes of `position_m`, `direction` and the azimuth `shaft`.
        axes: Axes = Axes::Flu,
        /// Position of the propeller, relative to the link origin.
        position_m: [f64; 3],
        /// Direction of positive thrust in the link frame. It is normalised.
        direction: [f64; 3],
        /// Depth of the propeller below `position_m`, for models whose thrust acts at the
        /// waterline.
        submergence_m: f64 [non_negative] = 0.0,
        /// Direction of rotation of the propeller at positive thrust, seen from behind.
        rotation: PropellerRotation = PropellerRotation::Right,
        /// Servo that turns the thruster about a shaft. Default: fixed direction. The thruster
        /// manager always assumes angle 0.
        azimuth: Option<AzimuthConfig>,
    }
}

fieldless_choice! {
    /// Direction of rotation of a propeller.
    pub enum PropellerRotation {
        /// Clockwise, seen from behind.
        Right = "right",
        /// Counter-clockwise, seen from behind.
        Left = "left",
    }
}

spec! {
    /// Type of a thruster: motor and propeller.
    pub struct MotorConfig {
        /// Description of the thruster.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Unit of the command.
        command: CommandUnitConfig,
        /// Minimum and maximum command, in the unit of the command.
        range: [f64; 2],
        /// Command at which the propeller stops, in the unit of the command.
        neutral: f64 = 0.0,
        /// Half width of the dead band around `neutral`, in the unit of the command. Commands
        /// within it have no effect.
        dead_band: f64 [non_negative] = 0.0,
        /// Thrust as a function of the command.
        curve: CurveConfig,
        /// Lag between command and effect.
        lag: LagConfig => "{kind: none}",
        /// Diameter of the propeller.
        diameter_m: f64 [positive],
        /// Reaction moment about the thrust axis per newton of thrust.
        torque_per_thrust_m: f64 [non_negative] = 0.0,
        /// Electrical power at thrust T divided by T^1.5.
        power_w_per_n15: f64 [non_negative] = 0.0,
        /// Shaft power per electrical power, for the curve `open_water` only. Replaces
        /// `power_w_per_n15`.
        motor_efficiency: Option<f64> [in 0.01..=1.0],
        /// Fraction of the electrical power that heats the motor.
        heat_fraction: f64 [fraction] = 0.2,
        /// Steady temperature rise of the motor per watt of heat.
        thermal_resistance_k_per_w: f64 [non_negative] = 0.5,
        /// Time constant of the motor temperature.
        thermal_time_constant_s: f64 [positive] = 60.0,
        /// Motor temperatures at which derating begins and at which the motor stops. A stopped
        /// motor restarts when it has cooled to the first. Default: no derating.
        temperature_limits_c: Option<[f64; 2]>,
        /// Voltage for which the curve is valid. Default: the thrust does not depend on the battery
        /// voltage.
        rated_voltage_v: Option<f64> [positive],
        /// Exponent of the ratio of voltage to `rated_voltage_v` by which the thrust is scaled.
        voltage_exponent: f64 [in 0.0..=3.0] = 2.0,
    }
}

fieldless_choice! {
    /// Unit of an actuator command.
    pub enum CommandUnitConfig {
        /// Thrust, given in newtons.
        Newton = "newton",
        /// Normalised from -1 to 1.
        Normalized = "normalized",
        /// Shaft speed in rad/s.
        RadPerS = "rad_s",
        /// Pulse width in microseconds.
        PwmUs = "pwm_us",
    }
}

choice! {
    /// Thrust as a function of the command.
    pub enum CurveConfig {
        /// The command is the thrust in newtons.
        Direct = "direct",
        /// A polynomial in the command.
        Polynomial = "polynomial" {
            /// Coefficients of the thrust in newtons, constant term first.
            coefficients: Vec<f64> [not_empty],
        },
        /// Interpolation in a table of command and thrust.
        Table = "table" {
            /// Pairs of command and thrust in newtons, by increasing command.
            points: Vec<[f64; 2]> [not_empty],
        },
        /// Thrust proportional to n|n|, with n the shaft speed.
        Quadratic = "quadratic" {
            /// Shaft speed per unit of command.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Thrust divided by n|n| for positive shaft speed.
            ahead_n_s2_per_rad2: f64 [positive],
            /// Thrust divided by n|n| for negative shaft speed.
            astern_n_s2_per_rad2: f64 [positive],
        },
        /// Open-water propeller: KT and KQ as functions of the advance number J.
        OpenWater = "open_water" {
            /// Shaft speed per unit of command.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Pairs of J and KT, by increasing J.
            kt: Vec<[f64; 2]> [not_empty],
            /// Pairs of J and KQ, by increasing J.
            kq: Vec<[f64; 2]> [not_empty],
            /// Ratio 1 - w of the inflow speed to the speed through the water, with the wake
            /// fraction w.
            wake_factor: f64 [positive] = 1.0,
            /// Velocity through the water from which the inflow is computed.
            inflow: InflowConfig = InflowConfig::Axial,
            /// Ratio 1 - t of the thrust on the hull to the thrust of the propeller, with the
            /// thrust deduction t.
            thrust_factor: f64 [positive] = 1.0,
            /// Fraction of the propeller torque that acts on the hull.
            torque_fraction: f64 [fraction] = 1.0,
        },
        /// Rotor in air: thrust proportional to the square of the shaft speed, torque
        /// `torque_per_thrust_m` times the thrust.
        Rotor = "rotor" {
            /// Shaft speed per unit of command; not used if the command is in newtons.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Thrust divided by n|n|.
            thrust_n_s2_per_rad2: f64 [positive],
            /// Loss of thrust per product of shaft speed and speed along the axis.
            inflow_loss_n_s2_per_rad_m: f64 [non_negative] = 0.0,
            /// Drag across the axis per product of shaft speed and speed across the axis.
            drag_n_s2_per_rad_m: f64 [non_negative] = 0.0,
            /// Moment across the axis per product of shaft speed and speed across the axis.
            rolling_n_s2_per_rad: f64 [non_negative] = 0.0,
            /// Inertia of rotor and motor about the axis.
            inertia_kg_m2: f64 [non_negative] = 0.0,
            /// Air density for which the coefficients are valid.
            air_density_kg_m3: f64 [positive] = 1.225,
            /// Whether terrain and water below the rotor increase its thrust.
            ground_effect: bool = true,
        },
    }
}

fieldless_choice! {
    /// Velocity from which the inflow of a propeller is computed.
    pub enum InflowConfig {
        /// Component of the propeller velocity along its axis.
        Axial = "axial",
        /// Magnitude of the velocity of the link origin, as in Fossen's models of torpedo-shaped
        /// vehicles.
        Total = "total",
    }
}

choice! {
    /// A linear lag. It acts on the thrust for static curves and on the shaft speed for propellers.
    pub enum LagConfig {
        /// The command acts immediately.
        None = "none",
        /// Lag of first order.
        First = "first_order" {
            /// Time constant of the lag.
            time_constant_s: f64 [positive],
        },
        /// First order with two time constants.
        UpDown = "up_down" {
            /// Time constant while the shaft speed, or thrust, increases.
            up_s: f64 [positive],
            /// Time constant while the shaft speed, or thrust, decreases.
            down_s: f64 [positive],
        },
        /// Lag of second order.
        Second = "second_order" {
            /// Natural frequency of the lag.
            natural_frequency_rad_s: f64 [positive],
            /// Damping ratio of the lag.
            damping_ratio: f64 [positive],
        },
        /// A stable transfer function of order 1 to 3 in s.
        Transfer = "transfer_function" {
            /// Coefficients of the numerator, highest power first.
            numerator: Vec<f64> [not_empty],
            /// Coefficients of the denominator, highest power first.
            denominator: Vec<f64> [not_empty],
        },
    }
}
