//! Keys of instruments that measure the state of the robot or the air around it.

use crate::schema::NoiseConfig;
use merrow_yaml::spec::spec;

spec! {
    /// A barometer for the atmospheric pressure.
    pub struct BarometerConfig {
        /// Errors of the pressure [Pa].
        errors: NoiseConfig => "{}",
        /// Minimum and maximum reading. Default: unlimited.
        range_pa: Option<[f64; 2]> [non_negative],
    }
}

spec! {
    /// An anemometer that measures the wind perpendicular to its z axis.
    pub struct AnemometerConfig {
        /// Errors of the speed [m/s].
        speed: NoiseConfig => "{}",
        /// Errors of the direction [deg].
        direction: NoiseConfig => "{}",
        /// Wind speed below which cups and vane stand still.
        threshold_m_s: f64 [non_negative] = 0.0,
        /// Length of air passage in which cups or propeller reach 63 % of a new wind speed; 0 for
        /// acoustic instruments.
        distance_constant_m: f64 [non_negative] = 0.0,
        /// Length of air passage in which the vane turns by 63 % to a new wind direction.
        vane_distance_constant_m: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A detector of water inside the hull.
    pub struct LeakDetectorConfig {
        /// Volume of water in its link at which it triggers. Default: it triggers when water
        /// reaches its position.
        trigger_volume_m3: Option<f64> [non_negative],
    }
}

spec! {
    /// Telemetry of the motor controller of a thruster.
    pub struct MotorTelemetryConfig {
        /// Errors of the shaft speed [rad/s].
        speed: NoiseConfig => "{}",
        /// Errors of the current [A].
        current: NoiseConfig => "{}",
        /// Errors of the voltage [V].
        voltage: NoiseConfig => "{}",
        /// Errors of the temperature [degC].
        temperature: NoiseConfig => "{}",
        /// Shaft speed per square root of thrust [rad/(s sqrt(N))], for thrusters whose curve gives
        /// only the thrust; 0 if unknown.
        speed_per_root_thrust: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A voltage and current meter of the battery.
    pub struct PowerMeterConfig {
        /// Errors of the voltage [V].
        voltage: NoiseConfig => "{}",
        /// Errors of the current [A].
        current: NoiseConfig => "{}",
    }
}
