//! CTD: conductivity, temperature and pressure, and the quantities derived from them.
//!
//! # Law
//! ```text
//!   C = C(S, T, p)                                   (1)
//!   T', C' follow T, C with one lag each (`lag.rs`)  (2)
//!   S = S(C', T', p'),  c = c(S, T', p')             (3)
//!   z = (9.72659 p - 2.2512e-5 p² + 2.279e-10 p³ - 1.82e-15 p⁴)/g  (4)
//!   z = p/(ρ_0 g),  ρ_0 = 1000 kg/m³                 (5)  fresh water
//!   (1) PSS-78 (`crates/environment/src/conductivity.rs`)
//!   (3) derived from the instrument's own readings; [Fofonoff 1983]
//!   (4) sea water of 0 °C and salinity 35 [Fofonoff 1983, eq. 25]
//! ```
//! # Symbols
//! C conductivity · S salinity · T temperature · p pressure over one atmosphere of 101 325 Pa, in
//! dbar in (4) · primes: as measured · z depth · c speed of sound · g gravity of the world, the
//! same at all depths.
//!
//! # Limits
//! Like real instruments, this CTD assumes an air pressure of one atmosphere and the water of (4)
//! or (5). In other conditions its depth has an error. A conductivity cell that is slower or faster
//! than the thermometer gives salinity spikes in a gradient. The heat stored in the wall of the
//! cell is not modelled, and the flow through the cell does not depend on the speed. If a world
//! states only density and temperature of the water, the salinity follows from these (EOS-80, at
//! the surface); a stated speed of sound may be inconsistent with this salinity.
//!
//! # Checked by
//! test/sensors/instruments/ctd.rs

use crate::Truth;
use crate::fault::faulty;
use crate::lag::first_order_lag;
use crate::measure::{Measure, Sample};
use crate::water::probe;
use merrow_environment::seawater::ipts68_from_its90;
use merrow_environment::{conductivity, seawater};
use merrow_model::scene::SensorKind;
use merrow_model::sensor::water::{Ctd, CtdSpec, DepthLaw, Quantity};

/// Air pressure that the instrument assumes [Pa].
const ASSUMED_AIR_PRESSURE: f64 = 101_325.0;

impl Measure for CtdSpec {
    /// Takes one sample of conductivity, temperature and pressure and derives salinity, depth and
    /// speed of sound.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Ctd> {
        let (spec, truth) = (self, sample.truth);
        let temperature = probe::true_quantity(Quantity::Temperature, truth);
        let absolute = truth.around.environment.absolute_pressure(truth.p_WS);
        let (lag, now) = (&mut sample.memory.lag, truth.around.environment.time);
        let mut values = [temperature, true_conductivity(temperature, truth), absolute];
        let tau = [
            spec.keys.temperature_response_s,
            spec.keys.conductivity_response_s,
            0.0,
        ];
        if tau != [0.0; 3] {
            values = first_order_lag(lag, now, values, tau); // (2)
        }
        values = sample.measure_scalars(&spec.errors, values);
        let [temperature, conductivity, pressure] = values;
        let variances =
            [0, 1, 2].map(|i| spec.errors[i].variance(values[i], sample.memory.samples));
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
        derive_quantities(spec, &mut ctd);
        Some(ctd)
    }
}

faulty!(
    Ctd: temperature;
    parts: temperature, conductivity, pressure;
    derived: |ctd, kind| if let SensorKind::Ctd(spec) = kind { derive_quantities(spec, ctd) }
);

/// Computes the conductivity at the sensor by (1) [S/m]; `temperature` is the water temperature
/// [°C].
fn true_conductivity(temperature: f64, truth: &Truth<'_>) -> f64 {
    let S = probe::true_quantity(Quantity::Salinity, truth);
    conductivity::conductivity(
        S,
        ipts68_from_its90(temperature),
        truth.around.environment.water_pressure(truth.p_WS),
    )
}

/// Computes salinity, speed of sound and depth from the measured quantities by (3) to (5).
pub(crate) fn derive_quantities(spec: &CtdSpec, ctd: &mut Ctd) {
    let gauge_pressure = ctd.pressure - ASSUMED_AIR_PRESSURE;
    let t = ipts68_from_its90(ctd.temperature);
    ctd.salinity = conductivity::salinity(ctd.conductivity, t, gauge_pressure);
    ctd.sound_speed = seawater::sound_speed(ctd.salinity, t, gauge_pressure);
    ctd.depth = depth(spec.keys.depth_law, gauge_pressure, spec.gravity);
}

/// Computes the depth [m] from `gauge_pressure`, the pressure above air pressure [Pa], under
/// gravity `g` [m/s²]. Returns NaN without gravity.
pub fn depth(law: DepthLaw, gauge_pressure: f64, g: f64) -> f64 {
    if g <= 0.0 {
        return f64::NAN;
    }
    let p = gauge_pressure * 1e-4;
    match law {
        DepthLaw::Seawater => {
            p * (9.72659 + p * (-2.2512e-5 + p * (2.279e-10 + p * -1.82e-15))) / g
        } // (4)
        DepthLaw::Fresh => gauge_pressure / (1000.0 * g), // (5)
    }
}
