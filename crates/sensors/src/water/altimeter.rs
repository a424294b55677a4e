//! Single-beam echo sounder: distance to the seabed along the x axis of the sensor.
//!
//! # Law
//! A straight ray is intersected with the seabed, static structures and other robots. The centre
//! line of the beam represents the whole cone.
//!
//! # Symbols
//! limits minimum and maximum range [m].
//!
//! # Frames
//! Beam along +x of S (sensor_msgs/Range).
//!
//! # Limits
//! Refraction and echo strength are not modelled. The beam ignores its own robot. With the
//! transducer above the water there is no echo.
//!
//! # Checked by
//! test/sensors/navigation/altimeter.rs (V85), test/sensors/sonar/beam_targets.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_model::sensor::water::{Altimeter, AltimeterSpec};

impl Measure for AltimeterSpec {
    /// Takes one sample. Ranges outside of the limits are infinite as in REP-117.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Altimeter> {
        let (keys, errors) = (&self.keys, &self.errors);
        let limits = [keys.min_range_m, keys.max_range_m];
        let truth = sample.truth;
        let [target, ..] = sample.on_board.work.beam_hits(sample.index);
        let beam = truth.R_WS.col(0);
        let static_range = truth.ray_range(beam).unwrap_or(f64::INFINITY);
        let hit = Some(static_range.min(target.range)).filter(|range| range.is_finite());
        let in_water = truth.around.environment.height_above_surface(truth.p_WS) <= 0.0;
        let range = match hit.filter(|_| in_water) {
            Some(r) if r < limits[0] => f64::NEG_INFINITY,
            Some(r) if r <= limits[1] => sample.measure_scalar(errors, 0, r),
            _ => f64::INFINITY,
        };
        Some(Altimeter {
            range,
            limits,
            beam_width: keys.beam_width_deg.to_radians(),
            variance: errors.variance(range, sample.memory.samples),
        })
    }
}

faulty!(Altimeter: range);
