//! Processor time of the program, for the status line of the page.

use rustix::time::{ClockId, clock_gettime};

/// Minimum wall-clock time between two measurements [s].
const PERIOD_S: f64 = 1.0;

/// Measures how many cores the program uses.
#[derive(Debug, Default)]
pub(crate) struct LoadMeter {
    /// Wall-clock time and processor time of the last measurement [s].
    last: Option<[f64; 2]>,
    cores: f64,
}

impl LoadMeter {
    /// Returns the number of cores that the program used on average in the last second, at the
    /// wall-clock time `wall_s` of the run [s].
    pub(crate) fn cores(&mut self, wall_s: f64) -> f64 {
        let now = [wall_s, processor_time_s()];
        match self.last {
            Some([wall, _]) if (0.0..PERIOD_S).contains(&(wall_s - wall)) => {}
            Some([wall, used]) if wall_s > wall => {
                self.cores = (now[1] - used) / (wall_s - wall);
                self.last = Some(now);
            }
            _ => self.last = Some(now),
        }
        self.cores
    }
}

/// Returns the processor time of all threads of the program [s].
fn processor_time_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    // The load is the processor time over the wall-clock time. Method: a busy loop until 20 ms of
    // processor time have passed, with wall-clock times from the test. Tolerance: a factor of ten,
    // because other threads of the test program also count.
    #[test]
    fn load_is_processor_time_per_wall_clock_time() {
        let mut meter = LoadMeter::default();
        assert_eq!(meter.cores(5.0), 0.0);
        let start = processor_time_s();
        while processor_time_s() < start + 0.02 {}
        assert_eq!(meter.cores(5.5), 0.0);
        let cores = meter.cores(7.0);
        assert!((0.01..0.1).contains(&cores), "{cores}");
        // after a reset of the clock
        assert_eq!(meter.cores(0.0), cores);
    }
}
