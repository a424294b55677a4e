//! Instruments that measure the water where they are.

use crate::scene::sensor::Errors;
use std::sync::Arc;

/// A quantity of the water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Temperature [°C].
    Temperature,
    /// Practical salinity.
    Salinity,
    /// Density [kg/m³].
    Density,
    /// Speed of sound [m/s].
    SoundSpeed,
    /// What the water carries, by its index in `Sea::carried`.
    Carried(usize),
}

impl Quantity {
    /// Those that all water has: the words of world files, and their units.
    pub const OF_WATER: [(&'static str, Quantity, &'static str); 4] = [
        ("temperature", Quantity::Temperature, "degC"),
        ("salinity", Quantity::Salinity, "psu"),
        ("density", Quantity::Density, "kg/m3"),
        ("sound_speed", Quantity::SoundSpeed, "m/s"),
    ];
}

/// A probe of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeSpec {
    /// What it measures.
    pub quantity: Quantity,
    /// Its name.
    pub field: Arc<str>,
    /// Its unit.
    pub unit: Arc<str>,
    /// Errors, in that unit.
    pub errors: Errors,
    /// Time constant of its response [s].
    pub tau: f64,
    /// Least and largest reading.
    pub range: [f64; 2],
    /// Readings nearer to 0 than this are 0.
    pub detection_limit: f64,
}

/// How a CTD makes a depth of a pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthLaw {
    /// As of sea water of 0 °C and salinity 35.
    Seawater,
    /// As of fresh water.
    Fresh,
}

/// A CTD.
#[derive(Clone, Debug, PartialEq)]
pub struct CtdSpec {
    /// Errors of temperature [°C], conductivity [S/m] and pressure [Pa].
    pub errors: [Errors; 3],
    /// Time constants of thermometer and conductivity cell [s].
    pub tau: [f64; 2],
    /// How it makes a depth of a pressure.
    pub depth: DepthLaw,
    /// Gravity by which it does [m/s²].
    pub gravity: f64,
}

/// A water sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerSpec {
    /// Bottles that it has.
    pub bottles: u32,
    /// Volume of a bottle [m³].
    pub volume: f64,
    /// Flow of its pump [m³/s].
    pub flow: f64,
    /// What is found in the bottles, at most eight.
    pub quantities: Vec<Quantity>,
    /// Names of these, each with its unit.
    pub names: Vec<String>,
}
