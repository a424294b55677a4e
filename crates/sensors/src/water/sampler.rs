//! Water sampler: bottles that are filled by a pump one after the other, and their contents.
//!
//! # Law
//! ```text
//!   V_k = min(V_0, V_{k-1} + Q T)                       (1)
//!   m_k = m_{k-1} + (x_k - m_{k-1})(V_k - V_{k-1})/V_k  (2)
//!   (2) mean over the water that has been pumped in
//! ```
//! # Symbols
//! V volume of water in the bottle, V_0 volume of the bottle · Q flow of the pump · T time since
//! the preceding sample or since the command · x quantity at the inlet · m its mean in the bottle.
//!
//! # Frames
//! Mean position in W.
//!
//! # Limits
//! The water that is pumped in between two samples has the properties at the second sample. The
//! hose has no volume, bottles are clean, and the contents are known without error. In air the pump
//! delivers no water. It is stationary without power, while dead, or for a lost sample.
//!
//! # Checked by
//! test/sensors/instruments/sampler.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use crate::water::probe;
use merrow_model::sensor::water::SamplerSpec;
use merrow_model::state::bottle::{Bottle, Filling};

impl Measure for SamplerSpec {
    /// Advances the pump to `now_ns` [ns] and returns the bottle that was opened last, or `None` if
    /// none was opened.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Bottle> {
        let (keys, truth, period) = (&self.keys, sample.truth, sample.period());
        let now_ns = sample.on_board.now_ns;
        let sampler = sample.memory.sampler.as_mut()?;
        let bottle = &mut sampler.bottles[sampler.current?];
        // the pump does not make up for lost samples
        let passed = (now_ns.saturating_sub(sampler.until_ns) as f64 * 1e-9).min(period * 1.5);
        sampler.until_ns = now_ns;
        if bottle.filling != Filling::Pumping || probe::is_above_water(truth) {
            return Some(*bottle);
        }
        let volume = (bottle.volume + keys.flow_m3_s * passed).min(keys.volume_m3); // (1)
        let part = if volume > 0.0 {
            (volume - bottle.volume) / volume
        } else {
            0.0
        };
        for (mean, quantity) in bottle.means.iter_mut().zip(&self.quantities) {
            *mean += (probe::true_quantity(*quantity, truth) - *mean) * part; // (2)
        }
        bottle.p_W += (truth.p_WS - bottle.p_W).scale(part);
        if part > 0.0 {
            bottle.time_ns[1] = now_ns;
        }
        bottle.volume = volume;
        if volume >= keys.volume_m3 {
            bottle.filling = Filling::Full;
        }
        Some(*bottle)
    }
}

faulty!(Bottle: volume);
