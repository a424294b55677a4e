//! Clocks of a community: seconds since 1970 multiplied by its time warp.
//!
//! At a warp of 10 the clock of MOOS shows ten times the seconds since 1970, and all programs of a
//! community have the same warp (`MOOSTimeWarp` of the mission file).

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time on the clock of a community [s].
pub type Clock = Arc<dyn Fn() -> f64 + Send + Sync>;

/// Returns the seconds since 1970.
pub fn unix_s() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}

/// Returns the clock of the system with a dimensionless time warp.
pub fn wall(warp: f64) -> Clock {
    Arc::new(move || unix_s() * warp)
}
