//! Constants of the modems with equal transceivers, prepared for an instant.

use crate::channel::conductive::ConductiveWave;
use crate::channel::{optical, thermal_noise};
use merrow_environment::absorption::{AbsorptionProfile, water_at};
use merrow_environment::conductivity::conductivity;
use merrow_environment::seawater::ipts68_from_its90;
use merrow_environment::sound::noise::ambient;
use merrow_environment::{EnvironmentState, water_column};
use merrow_math::Vec3;
use merrow_math::decibels::power;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::Medium;
use merrow_sensors::acoustic::path::PathWater;
use merrow_sensors::sonar::medium::Medium as WaterTable;

/// Depth below the last layer of a column to which tables extend [m].
const TABLE_MARGIN: f64 = 1.0;

/// Modems with equal transceivers.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Transmitter and receiver of the modems.
    pub transceiver: Transceiver,
    /// Power at 1 m (acoustic) or of the transmitter at maximum power, in the unit of the medium.
    pub reference_power: f64,
    /// Noise power of the receiver without thrusters, daylight and signal, in the unit of the
    /// medium.
    pub noise: f64,
    /// Wave in water of an electromagnetic modem in homogeneous water.
    pub wave: Option<ConductiveWave>,
    /// Conductivity of the water at the surface [S/m].
    pub conductivity: f64,
    /// Water for the path law of sound.
    pub water: PathWater,
}

impl Class {
    pub(crate) fn new(transceiver: Transceiver) -> Self {
        let milliwatts = 1e3;
        let (reference_power, noise) = match &transceiver.medium {
            Medium::Acoustic(acoustic) => (power(acoustic.source_level_db), 0.0),
            Medium::Electromagnetic(m) => (
                milliwatts * m.radiated_power_w,
                thermal_noise(transceiver.bandwidth(), m.noise_figure_db),
            ),
            Medium::Radio(m) => (
                milliwatts * m.radiated_power_w,
                thermal_noise(transceiver.bandwidth(), m.noise_figure_db),
            ),
            Medium::Optical(m) => (
                m.radiated_power_w,
                optical::noise_power(m, 0.0, 0.0, transceiver.bandwidth()),
            ),
            Medium::Satellite(_) => {
                let noise = thermal_noise(transceiver.bandwidth(), 0.0);
                (noise, noise)
            }
        };
        Self {
            transceiver,
            reference_power,
            noise,
            wave: None,
            conductivity: 0.0,
            water: PathWater::Sampled,
        }
    }

    /// Prepares the class for the wind speed `wind` [m/s] and, if the sea has changed, for
    /// `environment`.
    pub(crate) fn update(
        &mut self,
        environment: &EnvironmentState<'_>,
        wind: f64,
        has_changed: bool,
    ) {
        let frequency = self.transceiver.frequency();
        if let Medium::Acoustic(acoustic) = &self.transceiver.medium {
            let spectral =
                ambient(1e-3 * frequency, wind, acoustic.shipping) + power(acoustic.self_noise_db);
            self.noise = spectral * self.transceiver.bandwidth();
        }
        if !has_changed {
            return;
        }
        let sea = environment.sea;
        match &self.transceiver.medium {
            Medium::Acoustic(_) => self.water = self.sound_water(environment),
            Medium::Electromagnetic(m) => {
                let is_homogeneous = sea.column.is_none() && sea.regions.is_empty();
                let value = match m.conductivity_siemens_per_m {
                    None if !is_homogeneous => None,
                    None => Some(conductivity_at(environment, Vec3::zero())),
                    value => value,
                };
                let relative = [m.relative_permittivity, m.relative_permeability];
                self.wave = value.map(|value| ConductiveWave::new(frequency, relative, value));
            }
            Medium::Radio(_) => self.conductivity = conductivity_at(environment, Vec3::zero()),
            Medium::Optical(_) | Medium::Satellite(_) => {}
        }
    }

    /// Returns true if sound paths do not depend on the time.
    pub(crate) fn has_constant_water(&self) -> bool {
        !matches!(self.water, PathWater::Sampled)
    }

    fn sound_water(&self, environment: &EnvironmentState<'_>) -> PathWater {
        let Medium::Acoustic(acoustic) = &self.transceiver.medium else {
            return PathWater::Sampled;
        };
        let (sea, frequency) = (environment.sea, self.transceiver.frequency());
        if !sea.regions.is_empty() {
            return PathWater::Sampled;
        }
        let Some(column) = &sea.column else {
            let water = water_at(environment, Vec3::zero());
            return PathWater::Homogeneous {
                slowness: 1.0 / sea.sound_speed,
                absorption: AbsorptionProfile::new(acoustic.absorption, 1e-3 * frequency, &water),
            };
        };
        if column.temperature.is_some() || column.salinity.is_some() {
            return PathWater::Sampled;
        }
        let last = column.layers.last().map_or(0.0, |layer| layer.depth);
        let deepest = last.max(-sea.seabed.z0) + TABLE_MARGIN;
        PathWater::Table(WaterTable::of_column(
            environment,
            deepest,
            frequency,
            acoustic.absorption,
        ))
    }
}

/// Computes the conductivity [S/m] of the sea at `p` [m], W.
pub(crate) fn conductivity_at(environment: &EnvironmentState<'_>, p: Vec3) -> f64 {
    let t = ipts68_from_its90(environment.temperature(p));
    let pressure = water_column::pressure(environment.sea, environment.gravity, p);
    conductivity(environment.salinity(p), t, pressure)
}
