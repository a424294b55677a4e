//! CTD: conductivity, temperature and pressure, and what follows from them.
//!
//! # Law
//! ```text
//!   C = C(S, T, p)                                                (1)  PSS-78 (`conductivity.rs`)
//!   T', C' follow T, C by a lag each (`lag.rs`)                   (2)
//!   S = S(C', T', p'),  c = c(S, T', p')                          (3)  what the instrument makes of its own readings; [Fofonoff 1983]
//!   z = (9.72659 p - 2.2512e-5 p² + 2.279e-10 p³ - 1.82e-15 p⁴)/g (4)  sea water of 0 °C and salinity 35 [Fofonoff 1983, eq. 25]
//!   z = p/(ρ_0 g),  ρ_0 = 1000 kg/m³                              (5)  fresh water
//! ```
//! # Symbols
//! C conductivity · T temperature · p pressure over one atmosphere of 101 325 Pa, in dbar in (4) · z depth · c speed of sound · g gravity of the
//! world, the same at all depths.
//!
//! # Frames
//! None.
//!
//! # Limits
//! The instrument takes the air for one atmosphere, and the water for that of (4) or (5), as real ones do: where they are not, its depth is off. A cell
//! that answers slower or faster than the thermometer gives spikes of salinity in a gradient; heat that the cell's wall holds is left out, and the flow through it does
//! not depend on speed. In water of which a world says density and temperature alone the salinity is what those take (EOS-80, at the surface), which a
//! stated speed of sound need not agree with.
//!
//! # Checked by
//! test/analytic/ctd.rs

use crate::water::{pressure, probe};
use crate::{Truth, lag, noise};
use merrow_environment::conductivity;
use merrow_environment::seawater;
use merrow_environment::seawater::t68;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::probe::{CtdSpec, DepthLaw, Quantity};
use merrow_model::state::SensorState;
use merrow_model::state::reading::Ctd;

/// What the instrument takes the pressure of the air for [Pa].
const ATMOSPHERE: f64 = 101_325.0;

/// One sample.
pub fn measure(
    spec: &CtdSpec,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    draw: &mut Draw,
) -> Ctd {
    let temperature = probe::quantity(Quantity::Temperature, truth);
    let absolute = pressure::at(truth);
    let mut met = [temperature, of_water(temperature, truth), absolute];
    let tau = [spec.tau[0], spec.tau[1], 0.0];
    if spec.tau != [0.0; 2] {
        met = lag::follow(&mut memory.cells, truth.at.time, met, tau); // (2)
    }
    let on = memory.noise;
    for i in 0..3 {
        met[i] = noise::scalar(&spec.errors[i], &mut memory.drift[i], met[i], on, draw);
    }
    let [temperature, conductivity, pressure] = met;
    let variances = [0, 1, 2].map(|i| spec.errors[i].variance());
    let none = f64::NAN;
    let mut ctd = Ctd {
        temperature,
        conductivity,
        pressure,
        salinity: none,
        depth: none,
        sound_speed: none,
        variances,
    };
    derive(spec, &mut ctd);
    ctd
}

/// (1) at the sensor [S/m].
fn of_water(temperature: f64, truth: &Truth<'_>) -> f64 {
    let S = probe::quantity(Quantity::Salinity, truth);
    conductivity::conductivity(S, t68(temperature), pressure::of_water(truth))
}

/// (3) to (5), from what has been measured.
pub fn derive(spec: &CtdSpec, ctd: &mut Ctd) {
    let over = ctd.pressure - ATMOSPHERE;
    let t = t68(ctd.temperature);
    ctd.salinity = conductivity::salinity(ctd.conductivity, t, over);
    ctd.sound_speed = seawater::sound_speed(ctd.salinity, t, over);
    ctd.depth = depth(spec.depth, over, spec.gravity);
}

/// Depth [m] at a pressure over that of the air [Pa] under gravity `g` [m/s²].
pub fn depth(law: DepthLaw, over: f64, g: f64) -> f64 {
    if g <= 0.0 {
        return f64::NAN;
    }
    let p = over * 1e-4;
    match law {
        DepthLaw::Seawater => {
            p * (9.72659 + p * (-2.2512e-5 + p * (2.279e-10 + p * -1.82e-15))) / g
        } // (4)
        DepthLaw::Fresh => over / (1000.0 * g), // (5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_has_the_check_value_of_unesco_44() {
        // its gravity at 30 degrees of latitude grows with depth
        let x = 0.25;
        let g = 9.780_318 * (1.0 + (5.2788e-3 + 2.36e-5 * x) * x) + 1.092e-6 * 10_000.0;
        assert!((depth(DepthLaw::Seawater, 1e8, g) - 9_712.653).abs() < 5e-4);
        assert_eq!(depth(DepthLaw::Fresh, 98_100.0, 9.81), 10.0);
        assert!(depth(DepthLaw::Fresh, 98_100.0, 0.0).is_nan());
    }
}
