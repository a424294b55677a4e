//! What a file of an instrument that measures the water where it is may say.

use crate::schema::NoiseFile;
use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A probe of one quantity of the water.
    pub struct ProbeFile {
        /// What it measures: `temperature`, `salinity`, `density`, `sound_speed`, or the name of what the water carries.
        field: String [name],
        /// Errors, in the unit of what it measures.
        errors: NoiseFile => "{}",
        /// Time constant of its response.
        response_s: f64 [non_negative] = 0.0,
        /// Least and largest reading, in the unit of what it measures.
        range: Option<[f64; 2]>,
        /// Readings nearer to 0 than this are 0, in the unit of what it measures.
        detection_limit: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A CTD.
    pub struct CtdFile {
        /// Errors of the thermometer [degC].
        temperature: NoiseFile => "{}",
        /// Errors of the conductivity cell [S/m].
        conductivity: NoiseFile => "{}",
        /// Errors of the pressure [Pa].
        pressure: NoiseFile => "{}",
        /// Time constant of the thermometer.
        temperature_response_s: f64 [non_negative] = 0.0,
        /// Time constant of the conductivity cell.
        conductivity_response_s: f64 [non_negative] = 0.0,
        /// How it makes a depth of a pressure.
        depth_law: DepthLawFile = DepthLawFile::Seawater,
    }
}

spec! {
    /// A water sampler.
    pub struct WaterSamplerFile {
        /// Bottles that it has.
        bottles: u32 [in 1.0..=1000.0] = 1,
        /// Volume of a bottle.
        volume_m3: f64 [positive],
        /// Flow of its pump.
        flow_m3_s: f64 [positive],
        /// What is found in a bottle, by the names that `field` of a probe takes; without it temperature, salinity and all that the water carries.
        fields: Vec<String> [name] = Vec::new(),
    }
}

fieldless_choice! {
    /// How an instrument makes a depth of a pressure.
    pub enum DepthLawFile {
        /// As of sea water of 0 degC and salinity 35 (UNESCO 44).
        Seawater = "seawater",
        /// As of fresh water.
        Fresh = "fresh",
    }
}
