//! Water sampler: bottles that are pumped full one by one, and what is in them.
//!
//! # Law
//! ```text
//!   V_k = min(V_0, V_{k-1} + Q T)                                 (1)
//!   m_k = m_{k-1} + (x_k - m_{k-1})(V_k - V_{k-1})/V_k            (2)  mean over the water that has come in
//! ```
//! # Symbols
//! V water in the bottle, V_0 its volume · Q flow of the pump · T time since the tick before, or since it was told · x a quantity at the inlet.
//!
//! # Frames
//! Mean place in W.
//!
//! # Limits
//! The water between two ticks is that at their end. The hose holds nothing, bottles are clean, and what is in them is known without error. In air the pump
//! draws nothing; without power, dead, or for a lost sample it stands.
//!
//! # Checked by
//! test/analytic/sampler.rs

use crate::Truth;
use crate::water::probe;
use merrow_model::scene::sensor::probe::SamplerSpec;
use merrow_model::state::SensorState;
use merrow_model::state::bottle::{Bottle, Filling};

/// Pumps up to `now_ns`; the bottle that was opened last, if any was.
pub fn measure(
    spec: &SamplerSpec,
    period: f64,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    now_ns: u64,
) -> Option<Bottle> {
    let sampler = memory.sampler.as_mut()?;
    let bottle = &mut sampler.bottles[sampler.current?];
    // a tick that was lost is not made up for
    let passed = (now_ns.saturating_sub(sampler.until_ns) as f64 * 1e-9).min(period * 1.5);
    sampler.until_ns = now_ns;
    if bottle.filling != Filling::Pumping || probe::is_dry(truth) {
        return Some(*bottle);
    }
    let volume = (bottle.volume + spec.flow * passed).min(spec.volume); // (1)
    let part = if volume > 0.0 {
        (volume - bottle.volume) / volume
    } else {
        0.0
    };
    for (mean, quantity) in bottle.means.iter_mut().zip(&spec.quantities) {
        *mean += (probe::quantity(*quantity, truth) - *mean) * part; // (2)
    }
    bottle.p_W += (truth.p_WS - bottle.p_W).scale(part);
    if part > 0.0 {
        bottle.time_ns[1] = now_ns;
    }
    bottle.volume = volume;
    if volume >= spec.volume {
        bottle.filling = Filling::Full;
    }
    Some(*bottle)
}
