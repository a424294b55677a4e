//! Pacing of simulated time by the wall clock, and the CPU time of threads.
//!
//! The run loop uses the clock to pace a world, and the threads of a step to choose how they share
//! the work. The results of a step do not depend on it. The CPU time decides which exteroceptive
//! sensors are computed first in a run that follows the clock.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// Speed at which a world runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Simulated seconds per wall-clock second; 1 is real time.
    Factor(f64),
    /// As fast as possible, without pacing.
    Max,
    /// Steps only on request.
    Lockstep,
}

impl Pace {
    /// Parses the command line value: `realtime`, `max`, `lockstep` or a factor.
    ///
    /// # Errors
    /// Returns one line with the expected values.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "realtime" => Ok(Pace::Factor(1.0)),
            "max" => Ok(Pace::Max),
            "lockstep" => Ok(Pace::Lockstep),
            _ => match text.parse::<f64>() {
                Ok(f) if f.is_finite() && f > 0.0 => Ok(Pace::Factor(f)),
                _ => Err(format!(
                    "unknown pace; expected realtime, max, lockstep or a factor above 0, found {text:?}"
                )),
            },
        }
    }
}

impl std::fmt::Display for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Pace::Factor(x) if *x == 1.0 => write!(f, "realtime"),
            Pace::Factor(x) => write!(f, "{x}"),
            Pace::Max => write!(f, "max"),
            Pace::Lockstep => write!(f, "lockstep"),
        }
    }
}

/// Returns the CPU time that the calling thread has used [ns].
pub(crate) fn thread_cpu_ns() -> u64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// Measures the duration of a piece of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts to measure a duration.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the wall-clock time since the start [s].
    pub(crate) fn elapsed_s(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Lateness beyond which the clock restarts its schedule at the current time.
const MAX_LATENESS: Duration = Duration::from_millis(500);
/// Typical oversleep of a thread after [`request_precise_timers`]; the clock yields for the
/// remaining time.
pub(crate) const OVERSLEEP: Duration = Duration::from_micros(30);

/// Requests that the operating system wakes the calling thread without the delay of 50 us by which
/// Linux combines timers. The clock would otherwise spend this time of every block yielding.
pub fn request_precise_timers() {
    // a refusal makes blocks late by the delay
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Paces a world and counts the blocks that were late.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    anchor: Instant,
    anchor_ns: u64,
    factor: f64,
    /// Number of late blocks: the preceding block ended after they were due.
    pub overruns: u64,
    /// Largest lateness of a block [s].
    pub worst_lateness_s: f64,
    lateness_sum_s: f64,
    lateness_square_sum: f64,
    blocks: u64,
}

impl Clock {
    /// Creates a clock that starts now at the simulated time `now_ns` [ns].
    pub fn new(now_ns: u64) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            anchor: now,
            anchor_ns: now_ns,
            factor: 1.0,
            overruns: 0,
            worst_lateness_s: 0.0,
            lateness_sum_s: 0.0,
            lateness_square_sum: 0.0,
            blocks: 0,
        }
    }

    /// Returns the wall-clock time since the run began [s].
    pub fn wall_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Restarts the schedule at the simulated time `now_ns` [ns], after a pause, a change of pace
    /// or a reset. `factor` is the number of simulated seconds per second.
    pub(crate) fn restart(&mut self, now_ns: u64, factor: f64) {
        self.anchor = Instant::now();
        self.anchor_ns = now_ns;
        self.factor = factor;
    }

    /// Returns the time at which the simulated time `t_ns` [ns] is due.
    pub(crate) fn due(&self, t_ns: u64) -> Instant {
        let ahead = Duration::from_nanos(((t_ns - self.anchor_ns) as f64 / self.factor) as u64);
        self.anchor + ahead
    }

    /// Waits until the simulated time `t_ns` [ns] is due. If it is late already, counts the
    /// lateness and returns at once. Returns the lateness [s]: the wall-clock time since the time
    /// was due.
    pub fn wait_for(&mut self, t_ns: u64) -> f64 {
        let due = self.due(t_ns);
        let now = Instant::now();
        if let Some(left) = due.checked_duration_since(now) {
            if left > OVERSLEEP {
                std::thread::sleep(left - OVERSLEEP);
            }
            while Instant::now() < due {
                std::thread::yield_now();
            }
            return self.record_lateness(Instant::now().duration_since(due));
        }
        let late = now.duration_since(due);
        self.overruns += 1;
        let lateness_s = self.record_lateness(late);
        if late > MAX_LATENESS {
            self.restart(t_ns, self.factor);
        }
        lateness_s
    }

    fn record_lateness(&mut self, late: Duration) -> f64 {
        let s = late.as_secs_f64();
        self.worst_lateness_s = self.worst_lateness_s.max(s);
        self.lateness_sum_s += s;
        self.lateness_square_sum += s * s;
        self.blocks += 1;
        s
    }

    /// Returns the mean and standard deviation of the lateness of blocks [s].
    pub fn jitter_s(&self) -> (f64, f64) {
        if self.blocks == 0 {
            return (0.0, 0.0);
        }
        let mean = self.lateness_sum_s / self.blocks as f64;
        (
            mean,
            (self.lateness_square_sum / self.blocks as f64 - mean * mean)
                .max(0.0)
                .sqrt(),
        )
    }
}
