//! Conversions of `builtin_interfaces/msg/Time`.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::msg::builtin_interfaces::Time;

impl Time {
    /// Returns the wall time, since the Unix epoch.
    pub fn now() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        Self {
            sec: i32::try_from(now.as_secs()).unwrap_or(i32::MAX),
            nanosec: now.subsec_nanos(),
        }
    }

    /// Converts `ns` nanoseconds after the clock's origin. Later times than 2^31 s, which is 68
    /// years, become the last second.
    pub fn from_nanos(ns: u64) -> Self {
        Self {
            sec: i32::try_from(ns / 1_000_000_000).unwrap_or(i32::MAX),
            nanosec: (ns % 1_000_000_000) as u32,
        }
    }

    /// Returns the nanoseconds after the clock's origin; 0 before it.
    pub fn to_nanos(&self) -> u64 {
        u64::try_from(self.sec).unwrap_or(0) * 1_000_000_000 + u64::from(self.nanosec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_do_not_wrap() {
        let last = Time::from_nanos(u64::MAX);
        assert_eq!(last.sec, i32::MAX);
        assert_eq!(Time::from_nanos((1 << 31) * 1_000_000_000).sec, i32::MAX);
        assert_eq!(Time::from_nanos(1_500_000_000).to_nanos(), 1_500_000_000);
    }
}
