//! Accumulation of the echoes of several samples of an obstacle detector; echoes expire after
//! `DetectorSpec::accumulation`.

use crate::obstacle::fit_boxes;
use merrow_math::rng::Stream;
use merrow_model::sensor::obstacle::{Detection, DetectorSpec, Echo, EchoSet};
use std::collections::VecDeque;

/// Accumulated echoes of a detector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EchoAccumulator {
    /// Instants [ns] and echoes of the samples, oldest first.
    samples: VecDeque<(u64, Vec<Echo>)>,
}

impl EchoAccumulator {
    /// Adds a sample of a detector and fits boxes to the echoes of this and the retained earlier
    /// samples. `stream` is the source of random numbers, `stamp_ns` the instant of the sample
    /// [ns].
    pub fn add_sample(
        &mut self,
        spec: &DetectorSpec,
        stream: Stream,
        echo_set: &EchoSet,
        stamp_ns: u64,
    ) -> Vec<Detection> {
        if self.samples.back().is_some_and(|last| last.0 > stamp_ns) {
            // the world was reset
            self.samples.clear();
        }
        while self
            .samples
            .front()
            .is_some_and(|first| (stamp_ns - first.0) as f64 * 1e-9 > spec.accumulation)
        {
            self.samples.pop_front();
        }
        self.samples.push_back((stamp_ns, echo_set.echoes.clone()));
        let samples = self.samples.iter();
        let all = EchoSet {
            echoes: samples.flat_map(|(_, echoes)| echoes).copied().collect(),
            ..*echo_set
        };
        fit_boxes(spec, &all, stream)
    }
}
