//! Depth of the water and the shore, from the echoes of a scanning sonar.
//!
//! # Law
//! The sonar has a fan that is narrow in azimuth and wide in elevation. The first echo of the bed comes
//! from its lower edge, whose depression δ is known, and the last echo from the shore, where the bed
//! rises to the surface:
//! ```text
//!   depth = h + r_first sin(δ + ε),   at the horizontal range r_first cos(δ + ε)       (1)
//!   shore at the horizontal range r_last                                               (2)
//! ```
//! The first echo is where the mean of 15 samples exceeds half of the way from the noise to the
//! reverberation of the bed, and so does the mean of the 1.5 m that follow: the bed goes on, and a peak of
//! the speckle does not. There the two-way beam pattern is 10 dB below its maximum. In wind the
//! surface reverberates from the upper edge of the fan, from the first metre on: where it is louder than
//! the noise, its level before the bed takes the place of the noise.
//!
//! # Symbols
//! h depth of the sonar [m] · r slant range [m] · δ depression of the lower edge [rad] · ε depression of
//! the axis of the sonar in this direction, from the attitude of the boat [rad].
//!
//! # Limits
//! (1) holds on a bed that is level over the fan. Where it rises away from the boat, the first echo can
//! come from farther away; the depth is then too large by the rise. An object in mid-water appears as a
//! shallow bed if it is longer than 1.5 m along the beam, and does not appear if it is shorter. (2) needs an echo of the bed up to the shore, and a range that the sonar reaches.
//!
//! # Checked by
//! tests below: pings of a level bed and of a bed that rises; the mission compares depths with the world

use crate::frames::wrapped;
use merrow_messages::msg::marine_acoustic_msgs::{RawSonarImage, SonarImageData};
use std::collections::BTreeMap;

/// Depression of the lower edge of the fan below the axis [rad]: 17.2 deg, measured on a level bed with
/// the fan of 25 deg of a Ping360 at half of the way from noise to reverberation (scatter 1.3 deg).
const EDGE_RAD: f64 = 0.300;

/// Number of samples of the mean.
const MEAN: usize = 15;

/// Length over which the bed reverberates behind its first echo [m].
const BED_M: f64 = 1.5;

/// Number of samples within which the reverberation ends at a shore.
const SHORE_SAMPLES: usize = 2 * MEAN;

/// Ranges of the surface reverberation before the bed [m].
const SURFACE_M: [f64; 2] = [1.2, 1.7];

/// Part of the contrast of the bed from which on an echo at [`SURFACE_M`] is the bed itself.
const MAX_SURFACE: f64 = 0.8;

/// Smallest contrast between reverberation and noise, of the full scale [-].
const MIN_CONTRAST: f64 = 0.12;

/// Ranges of one ping, in the sonar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echoes {
    /// Azimuth, positive to the left [rad].
    pub azimuth: f64,
    /// Slant range of the first echo of the bed [m].
    pub first_m: f64,
    /// Slant range of the last echo [m], if the reverberation ends abruptly there.
    pub last_m: Option<f64>,
}

/// Finds the first and the last echo of the bed in a ping with one beam; `None` without one, or if
/// the message is not such a ping.
pub fn echoes(ping: &RawSonarImage) -> Option<Echoes> {
    let is_bytes = ping.image.dtype == SonarImageData::DTYPE_UINT8 && ping.image.beam_count == 1;
    let (samples, n) = (&ping.image.data, ping.samples_per_beam as usize);
    let (rate, sound) = (
        f64::from(ping.sample_rate),
        f64::from(ping.ping_info.sound_speed),
    );
    let azimuth = -f64::from(*ping.rx_angles.first()?);
    let is_valid = rate > 0.0 && sound > 0.0 && rate.is_finite() && sound.is_finite();
    if !is_bytes || n != samples.len() || n < 4 * MEAN || !is_valid || !azimuth.is_finite() {
        return None;
    }
    let means: Vec<f64> = samples
        .windows(MEAN)
        .map(|w| w.iter().map(|s| f64::from(*s)).sum::<f64>() / (MEAN as f64 * 255.0))
        .collect();
    let mut sorted = means.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    // the lowest and the highest tenth: noise, and reverberation of the bed
    let (noise, bed) = (
        sorted[sorted.len() / 20],
        sorted[sorted.len() - sorted.len() / 10],
    );
    if bed - noise < MIN_CONTRAST {
        return None;
    }
    let range =
        |k: usize| (f64::from(ping.sample0) + k as f64 + 0.5 * MEAN as f64) * 0.5 * sound / rate;
    let [from, to] = SURFACE_M.map(|end| (0..means.len()).position(|k| range(k) > end));
    let surface = match (from, to) {
        (Some(from), Some(to)) if from < to => {
            means[from..to].iter().sum::<f64>() / (to - from) as f64
        }
        _ => noise,
    };
    let quiet = noise;
    let noise = match surface - noise < MAX_SURFACE * (bed - noise) {
        true => surface.max(noise),
        false => noise,
    };
    if bed - noise < 0.5 * MIN_CONTRAST {
        return None;
    }
    let threshold = 0.5 * (noise + bed);
    let length = ((BED_M * 2.0 * rate / sound) as usize).clamp(MEAN, n);
    let goes_on = |k: usize| {
        let behind = &samples[k..(k + length).min(n)];
        let sum: f64 = behind.iter().map(|s| f64::from(*s)).sum();
        sum > threshold * 255.0 * behind.len() as f64
    };
    let first = (0..means.len()).find(|k| means[*k] > threshold && goes_on(*k))?;
    let last = means.iter().rposition(|m| *m > threshold)?;
    // at a shore the reverberation ends at once; far away on a deep bed it fades into the noise
    let level = |k: Option<usize>, noise: f64| {
        k.and_then(|k| means.get(k))
            .map(|m| (m - noise) / (bed - noise))
    };
    let before = level(last.checked_sub(SHORE_SAMPLES), quiet);
    let after = level(Some(last + SHORE_SAMPLES), noise);
    let is_shore = before.is_some_and(|l| l > 0.8) && after.is_some_and(|l| l < 0.3);
    Some(Echoes {
        azimuth: wrapped(azimuth),
        first_m: range(first),
        last_m: is_shore.then(|| range(last)),
    })
}

/// Returns depth below the surface [m] and horizontal range [m] of the first echo by (1), for a sonar
/// at a depth `h_m` [m] whose axis points down by `depression` [rad].
pub fn bed(first_m: f64, h_m: f64, depression: f64) -> (f64, f64) {
    let (sin, cos) = libm::sincos(depression + EDGE_RAD);
    (h_m + first_m * sin, first_m * cos)
}

/// Means of depths in square cells.
#[derive(Clone, Debug)]
pub struct DepthMap {
    edge_m: f64,
    /// Sum and number of the depths [m].
    cells: BTreeMap<[i32; 2], (f64, u32)>,
}

/// Number of depths in a mean; older ones count less from then on.
const MAX_COUNT: u32 = 20;

impl DepthMap {
    /// Returns an empty map with cells of an edge [m].
    pub fn new(edge_m: f64) -> Self {
        Self {
            edge_m,
            cells: BTreeMap::new(),
        }
    }

    /// Returns the edge of a cell [m].
    pub fn edge_m(&self) -> f64 {
        self.edge_m
    }

    /// Enters a depth [m] at a place [m].
    pub fn add(&mut self, [x, y]: [f64; 2], depth_m: f64) {
        let cell = [x, y].map(|c| (c / self.edge_m).floor() as i32);
        let (sum, count) = self.cells.entry(cell).or_insert((0.0, 0));
        if *count >= MAX_COUNT {
            *sum -= *sum / f64::from(*count);
            *count -= 1;
        }
        *sum += depth_m;
        *count += 1;
    }

    /// Returns the cells with their centres [m] and mean depths [m], in ascending order.
    pub fn cells(&self) -> impl Iterator<Item = ([f64; 2], f64)> {
        self.cells.iter().map(|(cell, (sum, count))| {
            let centre = cell.map(|k| (f64::from(k) + 0.5) * self.edge_m);
            (centre, sum / f64::from(*count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a ping of 1000 samples over 25 m with noise of 95 and reverberation of 180 between two
    /// ranges [m].
    fn ping(from_m: f64, to_m: f64) -> RawSonarImage {
        let mut ping = RawSonarImage {
            sample_rate: 30_000.0,
            samples_per_beam: 1000,
            sample0: 31,
            rx_angles: vec![0.5],
            ..RawSonarImage::default()
        };
        ping.ping_info.sound_speed = 1500.0;
        ping.image.beam_count = 1;
        ping.image.data = (0..1000)
            .map(|k| {
                let range = f64::from(k + 31) * 0.025;
                if (from_m..to_m).contains(&range) {
                    180
                } else {
                    95
                }
            })
            .collect();
        ping
    }

    #[test]
    fn first_and_last_echo_are_found() {
        let found = echoes(&ping(5.0, 14.0)).unwrap();
        assert!((found.first_m - 5.0).abs() < 0.03, "{found:?}");
        assert!((found.last_m.unwrap() - 14.0).abs() < 0.03, "{found:?}");
        assert_eq!(found.azimuth, -0.5);
        // the bed reaches the end of the ping: no shore
        assert_eq!(echoes(&ping(5.0, 40.0)).unwrap().last_m, None);
        assert_eq!(echoes(&ping(90.0, 91.0)), None, "noise only");
    }

    // Surface reverberation in wind, before the bed and behind the shore.
    #[test]
    fn the_surface_is_not_the_bed() {
        let mut ping = ping(5.0, 14.0);
        let level = |(k, sample): (usize, &u8)| match sample {
            95 if k < 900 => 140,
            sample => *sample,
        };
        ping.image.data = ping.image.data.iter().enumerate().map(level).collect();
        let found = echoes(&ping).unwrap();
        assert!((found.first_m - 5.0).abs() < 0.03, "{found:?}");
        assert!((found.last_m.unwrap() - 14.0).abs() < 0.03, "{found:?}");
        // a bed just below the boat is not taken for the surface
        let shallow = echoes(&self::ping(1.0, 14.0)).unwrap();
        assert!((shallow.first_m - 1.0).abs() < 0.2, "{shallow:?}");
    }

    // A peak of the speckle before the bed, in surface reverberation that is uneven.
    #[test]
    fn a_short_peak_is_not_the_bed() {
        let mut ping = ping(7.0, 14.0);
        let level = |(k, sample): (usize, &u8)| match (k + 31) as f64 * 0.025 {
            range if (3.0..3.5).contains(&range) => 160,
            _ => *sample,
        };
        ping.image.data = ping.image.data.iter().enumerate().map(level).collect();
        let found = echoes(&ping).unwrap();
        assert!((found.first_m - 7.0).abs() < 0.03, "{found:?}");
    }

    #[test]
    fn depth_of_a_level_bed() {
        // the edge of the fan meets a bed at 2.9 m below a sonar at 0.3 m and 8 deg down
        let tilt = 8f64.to_radians();
        let range = 2.6 / (tilt + EDGE_RAD).sin();
        let (depth, horizontal) = bed(range, 0.3, tilt);
        assert!((depth - 2.9).abs() < 1e-12);
        assert!((horizontal - 2.6 / (tilt + EDGE_RAD).tan()).abs() < 1e-12);
    }

    #[test]
    fn invalid_pings_are_refused() {
        let mut short = ping(5.0, 14.0);
        short.samples_per_beam = 999;
        assert_eq!(echoes(&short), None);
        let mut mute = ping(5.0, 14.0);
        mute.ping_info.sound_speed = f32::NAN;
        assert_eq!(echoes(&mute), None);
        let mut blind = ping(5.0, 14.0);
        blind.rx_angles.clear();
        assert_eq!(echoes(&blind), None);
    }

    #[test]
    fn depths_are_averaged_per_cell() {
        let mut map = DepthMap::new(1.0);
        map.add([0.2, 0.2], 2.0);
        map.add([0.8, 0.8], 3.0);
        map.add([-0.2, 0.2], 1.0);
        let cells: Vec<_> = map.cells().collect();
        assert_eq!(cells, [([-0.5, 0.5], 1.0), ([0.5, 0.5], 2.5)]);
        (0..200).for_each(|_| map.add([0.5, 0.5], 1.0));
        assert!(
            (map.cells().last().unwrap().1 - 1.0).abs() < 0.01,
            "new depths prevail"
        );
    }
}
