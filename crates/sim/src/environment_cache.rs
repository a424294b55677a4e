//! Environment at the instants of a step, for one robot or for a SIMD batch of robots.

use merrow_environment::EnvironmentState;
use merrow_environment::current::VariationCache;
use merrow_environment::waves::StepWaves;
use merrow_model::scene::{Scene, Sea};

/// Values that are reused from one step to the next, because the end of one step is the start of
/// the next. Contains no state that is needed to resume.
#[derive(Debug, Default)]
pub(crate) struct EnvironmentCache {
    variation: VariationCache,
    waves: StepWaves,
}

impl EnvironmentCache {
    /// Returns the environment at the start, midpoint and end of the step from `now_ns` [ns].
    pub(crate) fn step_environment<'a>(
        &'a mut self,
        scene: &Scene,
        sea: &'a Sea,
        now_ns: u64,
    ) -> [EnvironmentState<'a>; 3] {
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

    /// Returns the environment at `now_ns` [ns] only.
    pub(crate) fn start_environment<'a>(
        &'a mut self,
        scene: &Scene,
        sea: &'a Sea,
        now_ns: u64,
    ) -> EnvironmentState<'a> {
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
