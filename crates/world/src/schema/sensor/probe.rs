//! Keys of instruments that measure the water at their position.

use crate::schema::NoiseConfig;
use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A probe for one quantity of the water.
    pub struct ProbeConfig {
        /// Measured quantity: `temperature`, `salinity`, `density`, `sound_speed`, or the name of a
        /// quantity in `water.tracers`.
        field: String [name],
        /// Errors, in the unit of the quantity.
        errors: NoiseConfig => "{}",
        /// Time constant of the response.
        response_s: f64 [non_negative] = 0.0,
        /// Minimum and maximum reading, in the unit of the quantity. Default: unlimited.
        range: Option<[f64; 2]>,
        /// Readings closer to 0 than this are reported as 0, in the unit of the quantity.
        detection_limit: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A conductivity, temperature and depth probe (CTD).
    pub struct CtdConfig {
        /// Errors of the temperature [degC].
        temperature: NoiseConfig => "{}",
        /// Errors of the conductivity [S/m].
        conductivity: NoiseConfig => "{}",
        /// Errors of the pressure [Pa].
        pressure: NoiseConfig => "{}",
        /// Time constant of the thermometer.
        temperature_response_s: f64 [non_negative] = 0.0,
        /// Time constant of the conductivity cell.
        conductivity_response_s: f64 [non_negative] = 0.0,
        /// Conversion of pressure to depth.
        depth_law: DepthLawConfig = DepthLawConfig::Seawater,
    }
}

spec! {
    /// A sampler that fills bottles with water.
    pub struct WaterSamplerConfig {
        /// Number of bottles that can be filled.
        bottles: u32 [in 1.0..=1000.0] = 1,
        /// Volume of a bottle.
        volume_m3: f64 [positive],
        /// Flow rate of the pump.
        flow_m3_s: f64 [positive],
        /// Quantities that are measured in a bottle, named as `field` of a probe. Default:
        /// temperature, salinity and all carried quantities.
        fields: Vec<String> [name] = Vec::new(),
    }
}

fieldless_choice! {
    /// Conversion of pressure to depth.
    pub enum DepthLawConfig {
        /// Sea water of 0 degC and salinity 35 (UNESCO 44).
        Seawater = "seawater",
        /// Fresh water, as in lakes and rivers.
        Fresh = "fresh",
    }
}
