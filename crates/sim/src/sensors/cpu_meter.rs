//! CPU time of the samples of exteroceptive sensors, over all threads that compute them.

use crate::pace::thread_cpu_ns;
use merrow_sensors::camera::BandMeter;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Minimum number of samples over which the mean cost of a sensor is taken.
const AVERAGED: f64 = 8.0;
/// Minimum simulated time over which the mean cost is taken [s]. On a loaded processor all samples
/// of some tenths of a second cost more; a sensor must not change its class because of them.
const AVERAGED_S: f64 = 2.0;

thread_local! {
    /// CPU time of this thread that is attributed to samples [ns].
    static ATTRIBUTED_NS: Cell<u64> = const { Cell::new(0) };
}

/// Sums the CPU time of one sample.
#[derive(Debug, Default)]
pub(crate) struct CpuMeter {
    total_ns: AtomicU64,
}

impl CpuMeter {
    /// Calls `work` and adds its CPU time on this thread. Time that `work` spends in nested calls
    /// of any meter is not added: a thread that waits for the bands of an image renders other
    /// images meanwhile.
    pub(crate) fn measure<T>(&self, work: impl FnOnce() -> T) -> T {
        let (start, before) = (thread_cpu_ns(), ATTRIBUTED_NS.get());
        let result = work();
        let nested = ATTRIBUTED_NS.get() - before;
        let own = (thread_cpu_ns() - start).saturating_sub(nested);
        ATTRIBUTED_NS.set(before + nested + own);
        self.total_ns.fetch_add(own, Ordering::Relaxed);
        result
    }

    /// Returns the CPU time so far [ns].
    pub(crate) fn total_ns(&self) -> u64 {
        self.total_ns.load(Ordering::Relaxed)
    }
}

impl BandMeter for CpuMeter {
    fn measure(&self, render: &mut dyn FnMut()) {
        CpuMeter::measure(self, render);
    }
}

/// Exponential mean of the cost of a sensor per sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanCost {
    mean_ns: f64,
    n: f64,
    /// Number of samples over which the mean is taken.
    averaged: f64,
}

impl MeanCost {
    /// Starts from an estimate [ns], which counts as one sample, for samples with the period
    /// `period_s` [s].
    pub(crate) fn from_estimate(estimate_ns: f64, period_s: f64) -> Self {
        Self {
            mean_ns: estimate_ns,
            n: 1.0,
            averaged: (AVERAGED_S / period_s).max(AVERAGED),
        }
    }

    /// Adds the CPU time of a sample [ns].
    pub(crate) fn add(&mut self, cost_ns: u64) {
        self.n = (self.n + 1.0).min(self.averaged);
        self.mean_ns += (cost_ns as f64 - self.mean_ns) / self.n;
    }

    /// Returns the mean cost of a sample [s].
    pub(crate) fn seconds(&self) -> f64 {
        1e-9 * self.mean_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses about `ns` of CPU time on this thread.
    fn spend(ns: u64) {
        let start = thread_cpu_ns();
        while thread_cpu_ns() - start < ns {
            std::hint::spin_loop();
        }
    }

    // The CPU time of nested work belongs to the inner meter only, and waiting takes no CPU time.
    // Method: 2 ms, with 8 ms of another meter and 10 ms of sleep within. Tolerance: none below;
    // the meters together read no more than the thread has spent.
    #[test]
    fn nested_work_belongs_to_its_own_meter() {
        let (outer, inner) = (CpuMeter::default(), CpuMeter::default());
        let start = thread_cpu_ns();
        outer.measure(|| {
            spend(2_000_000);
            inner.measure(|| spend(8_000_000));
            std::thread::sleep(std::time::Duration::from_millis(10));
        });
        let spent = thread_cpu_ns() - start;
        let (outer, inner) = (outer.total_ns(), inner.total_ns());
        assert!(outer >= 2_000_000 && inner >= 8_000_000, "{outer} {inner}");
        assert!(outer + inner <= spent, "{outer} + {inner} of {spent}");
    }

    // The mean follows the cost. Method: an estimate that is wrong by a factor of ten, then equal
    // samples. Tolerance: 1 % after 50 samples.
    #[test]
    fn the_mean_follows_the_cost() {
        let mut cost = MeanCost::from_estimate(1e7, 0.5);
        (0..50).for_each(|_| cost.add(1_000_000));
        assert!((cost.seconds() / 1e-3 - 1.0).abs() < 1e-2, "{cost:?}");
    }
}
