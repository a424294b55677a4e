//! Absolute pressure sensor in water or air.
//!
//! # Law
//! ```text
//!   p = p_air + g ∫ ρ dz + ρ g p'  (1)  hydrostatic pressure and the contribution of the waves
//!   p_air = p_0 (T/T_0)^(g/(R L))  (2)  [ISO 2533-1975], `crates/environment/src/air/mod.rs`
//! ```
//! # Symbols
//! The integral extends from the mean surface down to the port · g gravity · ρ density of the water
//! · p' pressure head of the waves [m] (`crates/environment/src/waves/mod.rs`) · p_0, T_0 pressure
//! and temperature of the air at sea level · T temperature of the air · R gas constant of the air ·
//! L = 6.5 K/km. (2) is evaluated at the height of the port over z = 0, or for a submerged port at
//! the height of the surface above it.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Dynamic pressure of the motion is not modelled. The contribution of the waves uses the density
//! at the surface.
//!
//! # Checked by
//! test/sensors/navigation/position_sensors.rs, test/analytic/environment/water_column.rs,
//! test/analytic/bodies/floating.rs, test/sensors/instruments/air_sensors.rs

use crate::fault::Faulty;
use crate::measure::{Measure, Sample};
use crate::{Truth, noise};
use merrow_environment::{air, water_column};
use merrow_math::rng::Draw;
use merrow_model::sensor::water::Pressure;
use merrow_model::sensor::water::PressureSpec;
use merrow_model::state::SensorState;

impl Measure for PressureSpec {
    /// Takes one sample [Pa].
    fn measure(
        &self,
        memory: &mut SensorState,
        sample: &Sample<'_>,
        draw: &mut Draw,
    ) -> Option<Pressure> {
        let (errors, truth) = (&self.errors, sample.truth);
        let on = memory.noise;
        Some(Pressure {
            pressure: noise::measure_scalar(
                errors,
                &mut memory.drift[0],
                absolute_pressure(truth),
                on,
                draw,
            ),
            variance: errors.variance(),
        })
    }
}

impl Faulty for Pressure {
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
        self.pressure += error();
    }
}

/// Returns the absolute pressure at the sensor [Pa].
pub(crate) fn absolute_pressure(truth: &Truth<'_>) -> f64 {
    let (sea, height) = (
        truth.environment.sea,
        truth.environment.height_above_surface(truth.p_WS),
    );
    let temperature = air::weather(&sea.air, truth.environment.time).temperature;
    let p = air::pressure(sea, temperature, truth.p_WS.z - height.min(0.0)); // (2)
    if height > 0.0 {
        p
    } else {
        p + water_pressure(truth)
    } // (1)
}

/// Returns the pressure of the water at the sensor above air pressure [Pa]; zero above the surface.
pub(crate) fn water_pressure(truth: &Truth<'_>) -> f64 {
    let sea = truth.environment.sea;
    match truth.environment.waves {
        None => water_column::pressure(sea, truth.environment.gravity, truth.p_WS),
        Some(waves) => {
            let (surface, water) = waves.surface_and_motion(truth.p_WS);
            if truth.p_WS.z < surface.z {
                pressure_under_waves(truth, water.head).max(0.0)
            } else {
                0.0
            }
        }
    }
}

/// Returns the pressure of the water above air pressure [Pa], at a port where the waves have the
/// pressure head `head` [m].
fn pressure_under_waves(truth: &Truth<'_>, head: f64) -> f64 {
    let (sea, g) = (truth.environment.sea, truth.environment.gravity);
    let density = sea
        .region(truth.p_WS.x, truth.p_WS.y)
        .map_or(sea.density, |region| region.density);
    let hydrostatic = if truth.p_WS.z < 0.0 {
        water_column::pressure(sea, g, truth.p_WS)
    } else {
        -density * g * truth.p_WS.z
    };
    hydrostatic + density * g * head
}
