//! How simulated time follows the wall clock. The only reader of the clock; the step never sees it.

use std::time::{Duration, Instant};

/// How fast a world runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// This many simulated seconds per second; 1 is real time.
    Factor(f64),
    /// As fast as it goes.
    Max,
    /// Only when asked to step.
    Lockstep,
}

impl Pace {
    /// From the command line: `realtime`, `max`, `lockstep` or a factor.
    ///
    /// # Errors
    /// One line on what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "realtime" => Ok(Pace::Factor(1.0)),
            "max" => Ok(Pace::Max),
            "lockstep" => Ok(Pace::Lockstep),
            _ => match text.parse::<f64>() {
                Ok(f) if f.is_finite() && f > 0.0 => Ok(Pace::Factor(f)),
                _ => Err(format!(
                    "found {text:?}, expected realtime, max, lockstep or a factor above 0"
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

/// Lateness beyond which the schedule is given up and begun anew from now.
const GIVE_UP: Duration = Duration::from_millis(500);
/// The operating system's timer sleeps this much too long; the rest is spent yielding.
const TIMER_SLACK: Duration = Duration::from_micros(120);

/// Holds a world to its pace and counts when it could not be held.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    anchor: Instant,
    anchor_ns: u64,
    factor: f64,
    /// Blocks that were due before the one ahead of them was done.
    pub overruns: u64,
    /// Largest lateness of a block [s].
    pub worst_lateness_s: f64,
    lateness_sum_s: f64,
    lateness_square_sum: f64,
    blocks: u64,
}

impl Clock {
    /// A clock that starts now at simulated time `now_ns`.
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

    /// Wall seconds since the run began.
    pub fn wall_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Begins the schedule anew at `now_ns`: after a pause, a change of pace, a reset.
    pub fn restart(&mut self, now_ns: u64, factor: f64) {
        self.anchor = Instant::now();
        self.anchor_ns = now_ns;
        self.factor = factor;
    }

    /// Waits until simulated time `t_ns` is due. Late blocks are counted, and never waited for by anybody.
    pub fn wait_for(&mut self, t_ns: u64) {
        let ahead = Duration::from_nanos(((t_ns - self.anchor_ns) as f64 / self.factor) as u64);
        let due = self.anchor + ahead;
        let now = Instant::now();
        if let Some(left) = due.checked_duration_since(now) {
            if left > TIMER_SLACK {
                std::thread::sleep(left - TIMER_SLACK);
            }
            while Instant::now() < due {
                std::thread::yield_now();
            }
            self.note(Instant::now().duration_since(due));
            return;
        }
        let late = now.duration_since(due);
        self.overruns += 1;
        self.note(late);
        if late > GIVE_UP {
            self.restart(t_ns, self.factor);
        }
    }

    fn note(&mut self, late: Duration) {
        let s = late.as_secs_f64();
        self.worst_lateness_s = self.worst_lateness_s.max(s);
        self.lateness_sum_s += s;
        self.lateness_square_sum += s * s;
        self.blocks += 1;
    }

    /// Mean and standard deviation of a block's lateness [s].
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
