//! Obstacle tracking: each box keeps the number of the nearest box of earlier samples, or receives
//! a new track.

use merrow_math::Vec3;
use merrow_model::sensor::obstacle::Detection;

/// Tracks of the obstacles detected so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracks {
    tracks: Vec<Track>,
    next: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Track {
    number: u64,
    p: Vec3,
    last_seen_ns: u64,
}

impl Tracks {
    /// Returns the numbers of the boxes of a sample at `time_ns` [ns]. Pairs of box and track
    /// within `association` [m] are matched in the order of their distance. A track without a match
    /// for longer than `timeout` [s] is deleted.
    pub fn assign_numbers(
        &mut self,
        found: &[Detection],
        time_ns: u64,
        association: f64,
        timeout: f64,
    ) -> Vec<u64> {
        if self.tracks.iter().any(|track| track.last_seen_ns > time_ns) {
            // the world was reset
            *self = Self::default();
        }
        self.tracks
            .retain(|track| (time_ns - track.last_seen_ns) as f64 * 1e-9 <= timeout);
        let mut pairs = Vec::new();
        for (i, detection) in found.iter().enumerate() {
            for (j, track) in self.tracks.iter().enumerate() {
                let distance = (detection.p_W - track.p).norm();
                if distance <= association {
                    pairs.push((distance, i, j));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut matches = vec![None; found.len()];
        let mut is_matched = vec![false; self.tracks.len()];
        for (_, i, j) in pairs {
            if matches[i].is_none() && !is_matched[j] {
                (matches[i], is_matched[j]) = (Some(j), true);
            }
        }
        let mut numbers = Vec::new();
        for (detection, known) in found.iter().zip(matches) {
            let number = known.map_or(self.next, |j| self.tracks[j].number);
            let track = Track {
                number,
                p: detection.p_W,
                last_seen_ns: time_ns,
            };
            match known {
                Some(j) => self.tracks[j] = track,
                None => {
                    self.tracks.push(track);
                    self.next += 1;
                }
            }
            numbers.push(number);
        }
        numbers
    }
}
