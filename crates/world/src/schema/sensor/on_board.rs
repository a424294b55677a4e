//! What a file of an instrument that watches the robot itself, or the air about it, may say.

use crate::schema::NoiseFile;
use merrow_yaml::spec::spec;

spec! {
    /// A barometer.
    pub struct BarometerFile {
        /// Errors [Pa].
        errors: NoiseFile => "{}",
        /// Least and largest reading.
        range_pa: Option<[f64; 2]> [non_negative],
    }
}

spec! {
    /// An anemometer, across its z axis.
    pub struct AnemometerFile {
        /// Errors of the speed [m/s].
        speed: NoiseFile => "{}",
        /// Errors of the direction [deg].
        direction: NoiseFile => "{}",
        /// Wind under which cups and vane stand still.
        threshold_m_s: f64 [non_negative] = 0.0,
        /// Way of the air in which cups or propeller come up to 63 % of a new wind; 0 for instruments that measure by sound.
        distance_constant_m: f64 [non_negative] = 0.0,
        /// Way of the air in which the vane comes round to 63 % of a new direction.
        vane_distance_constant_m: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A leak detector.
    pub struct LeakDetectorFile {
        /// Water in its link from which it trips; without it it trips where water reaches its place.
        trips_at_m3: Option<f64> [non_negative],
    }
}

spec! {
    /// What a motor controller tells of a thruster.
    pub struct MotorTelemetryFile {
        /// Errors of the shaft speed [rad/s].
        speed: NoiseFile => "{}",
        /// Errors of the current [A].
        current: NoiseFile => "{}",
        /// Errors of the voltage [V].
        voltage: NoiseFile => "{}",
        /// Errors of the temperature [degC].
        temperature: NoiseFile => "{}",
        /// Shaft speed over the root of the thrust [rad/(s sqrt(N))], for thrusters whose curve knows thrust alone; 0: not known.
        speed_per_root_thrust: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A meter of the battery.
    pub struct PowerMeterFile {
        /// Errors of the voltage [V].
        voltage: NoiseFile => "{}",
        /// Errors of the current [A].
        current: NoiseFile => "{}",
    }
}
