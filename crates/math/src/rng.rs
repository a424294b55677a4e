//! Random numbers as pure functions of (seed, stream name, index).
//!
//! A stream has no internal state: sample `k` of stream `robot/imu/gyro` is the same on every
//! thread and regardless of other draws. The only state to save is the sample count. Adding a
//! sensor does not change the noise of another sensor.

use rand::SeedableRng;
use rand_distr::{Distribution, Exp1, StandardNormal, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Named, stateless stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    key: u64,
}

impl Stream {
    /// Returns the stream `name` of the world with seed `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, then a SplitMix64 finaliser over both, so that neighbouring seeds
        // give uncorrelated streams
        let mut h: u64 = 0xcbf2_9ce4_8422_2325;
        for b in name.bytes() {
            h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Self {
            key: finalise(h ^ finalise(seed)),
        }
    }

    /// Returns the number that identifies the stream.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns the stream with this number, as returned by [`Stream::key`].
    #[inline]
    pub fn from_key(key: u64) -> Self {
        Self { key }
    }

    /// Returns the generator of sample `index`. It is independent of all other indices and streams.
    #[inline]
    pub fn draw(&self, index: u64) -> Draw {
        let seed = self
            .key
            .wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Draw(Xoshiro256PlusPlus::seed_from_u64(finalise(seed)))
    }
}

#[inline]
fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Random number generator of one sample of a [`Stream`].
#[derive(Debug)]
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// Draws from the normal distribution with mean 0 and standard deviation 1 [-].
    #[inline]
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }
    /// Draws from the exponential distribution with mean 1 [-].
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }
    /// Draws from the uniform distribution from 0 (included) to 1 (excluded) [-].
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        StandardUniform.sample(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_depends_only_on_seed_name_and_index() {
        let a = Stream::new(7, "auv/imu");
        assert_eq!(
            a.draw(12).normal().to_bits(),
            Stream::new(7, "auv/imu").draw(12).normal().to_bits()
        );
        assert_ne!(a.draw(12).normal(), a.draw(13).normal());
        assert_ne!(
            a.draw(12).normal(),
            Stream::new(8, "auv/imu").draw(12).normal()
        );
        assert_ne!(
            a.draw(12).normal(),
            Stream::new(7, "auv/dvl").draw(12).normal()
        );
    }

    #[test]
    fn consecutive_draws_are_white() {
        // 4 standard errors: mean 1/sqrt(n), variance sqrt(2/n), lag-1 correlation 1/sqrt(n)
        let s = Stream::new(1, "white");
        let n = 200_000;
        let x: Vec<f64> = (0..n).map(|i| s.draw(i).normal()).collect();
        let mean = x.iter().sum::<f64>() / n as f64;
        let var = x.iter().map(|v| v * v).sum::<f64>() / n as f64;
        let lag = x.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n as f64;
        let se = 1.0 / (n as f64).sqrt();
        assert!(
            mean.abs() < 4.0 * se && (var - 1.0).abs() < 4.0 * 1.42 * se && lag.abs() < 4.0 * se
        );
    }
}
