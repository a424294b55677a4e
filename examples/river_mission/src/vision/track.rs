//! Poses of a robot at the times of its images.

use nalgebra::Isometry3;
use std::collections::VecDeque;

/// Poses that are kept; 2 s at the rate of the estimates.
const LENGTH: usize = 64;
/// Longest time to a pose [ns].
const MAX_GAP_NS: u64 = 200_000_000;

/// Poses of the last seconds, by time.
#[derive(Debug, Clone, Default)]
pub struct Track(VecDeque<(u64, Isometry3<f64>)>);

impl Track {
    /// Adds a pose at a time [ns]; one that is older than the last is not used.
    pub fn push(&mut self, stamp_ns: u64, pose: Isometry3<f64>) {
        if self.0.back().is_some_and(|(last, _)| stamp_ns <= *last) {
            return;
        }
        if self.0.len() == LENGTH {
            self.0.pop_front();
        }
        self.0.push_back((stamp_ns, pose));
    }

    /// Returns the pose at a time [ns], between two poses or next to one; `None` if no pose is near.
    #[must_use]
    pub fn at(&self, stamp_ns: u64) -> Option<Isometry3<f64>> {
        let next = self.0.partition_point(|(time, _)| *time < stamp_ns);
        let before = next.checked_sub(1).map(|k| &self.0[k]);
        let near = |(time, _): &&(u64, Isometry3<f64>)| time.abs_diff(stamp_ns) <= MAX_GAP_NS;
        match (before.filter(near), self.0.get(next).filter(near)) {
            (Some((t0, a)), Some((t1, b))) => {
                let part = (stamp_ns - t0) as f64 / (t1 - t0) as f64;
                Some(a.lerp_slerp(b, part))
            }
            (Some((_, pose)), None) | (None, Some((_, pose))) => Some(*pose),
            (None, None) => None,
        }
    }

    /// Returns the last pose and its time [ns].
    #[must_use]
    pub fn last(&self) -> Option<(u64, Isometry3<f64>)> {
        self.0.back().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_are_interpolated_and_not_invented() {
        let mut track = Track::default();
        assert_eq!(track.at(0), None);
        track.push(100_000_000, Isometry3::translation(1.0, 0.0, 0.0));
        track.push(200_000_000, Isometry3::translation(3.0, 0.0, 0.0));
        track.push(150_000_000, Isometry3::translation(9.0, 0.0, 0.0));
        let x = |t| track.at(t).map(|pose| pose.translation.x);
        assert_eq!(x(150_000_000), Some(2.0));
        assert_eq!(x(200_000_000), Some(3.0));
        assert_eq!(x(390_000_000), Some(3.0));
        assert_eq!(x(500_000_000), None);
    }
}
