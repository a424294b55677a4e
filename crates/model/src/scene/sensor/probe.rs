//! Parameters of instruments that measure the water in situ.

use crate::scene::sensor::Errors;
use std::sync::Arc;

/// Quantity of the water that an instrument measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Temperature of the water [°C].
    Temperature,
    /// Practical salinity of the water [psu].
    Salinity,
    /// Density of the water [kg/m³].
    Density,
    /// Speed of sound [m/s].
    SoundSpeed,
    /// Tracer of the water, by its index in `Sea::carried`.
    Carried(usize),
}

impl Quantity {
    /// Quantities that all water has: key in world files, quantity and unit.
    pub const OF_WATER: [(&'static str, Quantity, &'static str); 4] = [
        ("temperature", Quantity::Temperature, "degC"),
        ("salinity", Quantity::Salinity, "psu"),
        ("density", Quantity::Density, "kg/m3"),
        ("sound_speed", Quantity::SoundSpeed, "m/s"),
    ];
}

/// Probe of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeSpec {
    /// Quantity that the probe measures.
    pub quantity: Quantity,
    /// Name of the quantity.
    pub field: Arc<str>,
    /// Unit of the quantity.
    pub unit: Arc<str>,
    /// Errors, in the unit of the quantity.
    pub errors: Errors,
    /// Time constant of the response [s].
    pub tau: f64,
    /// Minimum and maximum reading, in the unit of the quantity.
    pub range: [f64; 2],
    /// Readings with a smaller magnitude are reported as 0.
    pub detection_limit: f64,
}

/// Conversion of pressure to depth in a CTD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthLaw {
    /// Sea water of 0 °C and salinity 35.
    Seawater,
    /// Equation for fresh water.
    Fresh,
}

/// Conductivity, temperature and depth instrument (CTD).
#[derive(Clone, Debug, PartialEq)]
pub struct CtdSpec {
    /// Errors of temperature [°C], conductivity [S/m] and pressure [Pa].
    pub errors: [Errors; 3],
    /// Time constants of the thermometer and the conductivity cell [s].
    pub tau: [f64; 2],
    /// Conversion of pressure to depth.
    pub depth: DepthLaw,
    /// Gravity in that conversion [m/s²].
    pub gravity: f64,
}

/// Water sampler with bottles.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerSpec {
    /// Number of bottles of the sampler.
    pub bottles: u32,
    /// Volume of a bottle [m³].
    pub volume: f64,
    /// Flow rate of the pump [m³/s].
    pub flow: f64,
    /// Quantities that are determined from the bottles, at most eight.
    pub quantities: Vec<Quantity>,
    /// Names of the quantities, each with its unit.
    pub names: Vec<String>,
}
