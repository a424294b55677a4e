//! Environment at the instants of a step, for one robot or for a SIMD batch of robots.

use crate::robot::Moment;
use merrow_environment::EnvironmentState;
use merrow_environment::current::VariationCache;
use merrow_environment::waves::StepWaves;

/// Values that are reused from one step to the next, because the end of one step is the start of
/// the next. Contains no state that is needed to resume.
#[derive(Debug, Default)]
pub(crate) struct EnvironmentCache {
    variation: VariationCache,
    waves: StepWaves,
}

impl EnvironmentCache {
    /// Returns the environment at the start, midpoint and end of the step from `start`.
    pub(crate) fn step_environment<'a>(
        &'a mut self,
        start: Moment<'a>,
    ) -> [EnvironmentState<'a>; 3] {
        let Moment { scene, sea, now_ns } = start;
        let (t, dt) = (now_ns as f64 * 1e-9, scene.dt());
        let [now, midpoint, end] = self.waves.for_step(&sea.waves, now_ns, scene.dt_ns);
        let mut at = |time: f64, waves| EnvironmentState {
            sea,
            gravity: scene.gravity,
            time,
            variation: self.variation.evaluate(&sea.current, scene.seed, time),
            waves,
        };
        [at(t, now), at(t + 0.5 * dt, midpoint), at(t + dt, end)]
    }

    /// Returns the environment at one instant only.
    pub(crate) fn start_environment<'a>(&'a mut self, at: Moment<'a>) -> EnvironmentState<'a> {
        let Moment { scene, sea, now_ns } = at;
        let time = now_ns as f64 * 1e-9;
        EnvironmentState {
            sea,
            gravity: scene.gravity,
            time,
            variation: self.variation.evaluate(&sea.current, scene.seed, time),
            waves: self.waves.at_start(&sea.waves, now_ns),
        }
    }
}
