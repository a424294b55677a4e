//! Gridded data on up to four axes: east, north, depth, time. The samples are in memory or in a
//! memory-mapped file.
//!
//! # Law
//! Multilinear interpolation between samples, or the nearest sample. [`Extrapolation`] defines the
//! value beyond the first and last sample of an axis. An axis with one sample has no effect.
//!
//! # Frames
//! East and north in W [m], depth positive down [m], time since the start of the run [s]. Axes of
//! longitude and latitude are evaluated at the longitude and latitude of the point in the world
//! plane (`crates/math/src/ellipsoid.rs`). The slopes are along the axes of W.
//!
//! # Limits
//! The gradient of the multilinear form is discontinuous at the samples. Memory-mapped files must
//! not change during the run.
//!
//! # Checked by
//! tests below; test/analytic/environment/grid.rs, test/input/environment/grids.rs

use crate::scene::sea::mapped::Mapped;
use merrow_math::ellipsoid::TangentPlane;
use merrow_yaml::spec::spec;

/// Storage of the samples.
pub enum Samples {
    /// In memory, double precision.
    F64(Vec<f64>),
    /// In memory, single precision, for large grids.
    F32(Vec<f32>),
    /// In a memory-mapped file: the operating system loads and caches pages on demand.
    File(Mapped),
}

impl Samples {
    /// Returns the sample with index `i`, in the unit of the grid.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Self::F64(v) => v[i],
            Self::F32(v) => f64::from(v[i]),
            Self::File(file) => file.get(i),
        }
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(v) => v.len(),
            Self::F32(v) => v.len(),
            Self::File(file) => file.len(),
        }
    }

    /// Returns true if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for Samples {
    /// Writes the number of samples only; the digest of the grid represents their values.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Samples({})", self.len())
    }
}

/// Coordinates of the samples along an axis, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    knots: Vec<f64>,
    /// Reciprocal of the sample spacing if it is uniform.
    per_step: Option<f64>,
}

impl Axis {
    /// Creates an axis with samples at the ascending coordinates `knots`, in the unit of the axis.
    pub fn new(knots: Vec<f64>) -> Self {
        let n = knots.len();
        let step = if n > 1 {
            (knots[n - 1] - knots[0]) / (n - 1) as f64
        } else {
            0.0
        };
        let is_uniform = |k: usize| (knots[k] - (knots[0] + step * k as f64)).abs() <= 1e-6 * step;
        let per_step = (n > 1 && (0..n).all(is_uniform)).then(|| 1.0 / step);
        Self { knots, per_step }
    }

    /// Creates the axis of a quantity that does not depend on it.
    pub fn single() -> Self {
        Self {
            knots: vec![0.0],
            per_step: None,
        }
    }

    /// Returns the number of coordinates, 1 for a quantity that does not depend on the axis.
    pub fn count(&self) -> usize {
        self.knots.len()
    }

    /// Returns the first and last coordinate, in the unit of the axis.
    pub fn ends(&self) -> [f64; 2] {
        [self.knots[0], self.knots[self.knots.len() - 1]]
    }

    /// Returns the sample spacing, in the unit of the axis, if it is uniform.
    pub fn step(&self) -> Option<f64> {
        self.per_step.map(|s| 1.0 / s)
    }

    /// Returns the coordinate of sample `k`, in the unit of the axis.
    pub fn coordinate(&self, k: usize) -> f64 {
        self.knots[k]
    }

    /// Returns the index of the sample below `x`, the fraction of the interval to the next sample
    /// (0..1) and the reciprocal of the interval, 0 beyond the ends.
    #[inline]
    fn find(&self, x: f64) -> (usize, f64, f64) {
        let last = self.knots.len() - 1;
        if last == 0 || x < self.knots[0] {
            return (0, 0.0, 0.0);
        }
        if x > self.knots[last] {
            return (last - 1, 1.0, 0.0);
        }
        if let Some(per_step) = self.per_step {
            let s = (x - self.knots[0]) * per_step;
            let k = (s as usize).min(last - 1);
            return (k, (s - k as f64).clamp(0.0, 1.0), per_step);
        }
        let k = self.knots.partition_point(|knot| *knot <= x).clamp(1, last) - 1;
        let inverse_interval = 1.0 / (self.knots[k + 1] - self.knots[k]);
        (k, (x - self.knots[k]) * inverse_interval, inverse_interval)
    }

    fn contains(&self, x: f64) -> bool {
        self.knots.len() == 1 || (x >= self.knots[0] && x <= self.knots[self.knots.len() - 1])
    }
}

spec! {
    /// Interpolation between neighbouring samples.
    pub enum Interpolation words {
        /// Linear interpolation along every axis.
        Linear = "linear",
        /// Value of the nearest sample.
        Nearest = "nearest",
    }

    /// Value beyond the samples.
    pub enum Extrapolation words {
        /// The value at the nearest edge.
        Clamp = "clamp",
        /// The value zero outside the grid.
        Zero = "zero",
        /// A robot that leaves the grid is halted.
        Stop = "stop",
    }
}

/// Quantity on a regular or irregular grid.
#[derive(Debug)]
pub struct Grid {
    /// Samples of the quantity.
    pub samples: Samples,
    /// Axes: east, north, depth, time.
    pub axes: [Axis; 4],
    /// Index of the sample with index 0 on all axes.
    pub first: usize,
    /// Index strides along each axis.
    pub strides: [isize; 4],
    /// World plane, if the first two axes are longitude and latitude, scaled to metres by this
    /// plane.
    pub plane: Option<TangentPlane>,
    /// Interpolation between the samples.
    pub interpolation: Interpolation,
    /// Value beyond the samples.
    pub extrapolation: Extrapolation,
    /// Digest of the file and of how it is read, for the state hash.
    pub digest: u64,
}

/// Interpolated value and its derivatives along east, north, depth and time, in the
/// unit of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSample {
    /// Value at the point.
    pub value: f64,
    /// Derivatives along east, north, depth and time, in units of the value per [m] or [s].
    pub slope: [f64; 4],
}

impl Grid {
    /// Returns the sample with these indices along east, north, depth and time, in the unit of the
    /// grid.
    #[inline]
    pub fn sample(&self, k: [usize; 4]) -> f64 {
        let mut index = self.first as isize;
        for i in 0..4 {
            index += k[i] as isize * self.strides[i];
        }
        self.samples.get(index as usize)
    }

    /// Returns the samples of the horizontal cell `[i, j]` of a grid without depth and time, in its
    /// unit: south-west, south-east, north-west, north-east.
    #[inline(always)]
    pub fn cell_samples(&self, [i, j]: [usize; 2]) -> [f64; 4] {
        let [east, north] = [self.strides[0], self.strides[1]];
        let first = self.first as isize + i as isize * east + j as isize * north;
        let indices = [first, first + east, first + north, first + east + north];
        match &self.samples {
            Samples::F64(v) => indices.map(|k| v[k as usize]),
            Samples::F32(v) => indices.map(|k| f64::from(v[k as usize])),
            Samples::File(file) => indices.map(|k| file.get(k as usize)),
        }
    }

    /// Returns true if `x`, east [m], north [m], depth [m] and time [s], is outside a grid with
    /// [`Extrapolation::Stop`].
    pub fn is_stopped_at(&self, x: [f64; 4]) -> bool {
        if self.extrapolation != Extrapolation::Stop {
            return false;
        }
        let x = self
            .plane
            .map_or(x, |plane| with_horizontal(x, plane.to_angles(x[0], x[1]).0));
        self.extrapolation == Extrapolation::Stop && !(0..4).all(|i| self.axes[i].contains(x[i]))
    }

    /// Interpolates the value at `x`: east [m], north [m], depth [m], time [s].
    pub fn interpolate(&self, x: [f64; 4]) -> GridSample {
        let Some(plane) = &self.plane else {
            return self.along_axes(x);
        };
        let (angles, rates) = plane.to_angles(x[0], x[1]);
        let found = self.along_axes(with_horizontal(x, angles));
        let [a, b, depth, time] = found.slope;
        let slope = |k: usize| a * rates[0][k] + b * rates[1][k];
        GridSample {
            slope: [slope(0), slope(1), depth, time],
            ..found
        }
    }

    /// Implements [`Grid::interpolate`] for coordinates along the axes of the grid.
    fn along_axes(&self, x: [f64; 4]) -> GridSample {
        if self.extrapolation != Extrapolation::Clamp
            && !(0..4).all(|i| self.axes[i].contains(x[i]))
        {
            let value = if self.extrapolation == Extrapolation::Zero {
                0.0
            } else {
                f64::NAN
            };
            return GridSample {
                value,
                slope: [0.0; 4],
            };
        }
        let mut found = [(0, 0.0, 0.0); 4];
        for i in 0..4 {
            found[i] = self.axes[i].find(x[i]);
        }
        if self.interpolation == Interpolation::Nearest {
            let k = found.map(|(k, s, _)| k + usize::from(s >= 0.5));
            return GridSample {
                value: self.sample(k),
                slope: [0.0; 4],
            };
        }
        let (mut value, mut slope) = (0.0, [0.0; 4]);
        for corner in 0..16_usize {
            let high = |i: usize| corner >> i & 1;
            // an axis with one sample has only the lower corner
            if (0..4).any(|i| high(i) == 1 && self.axes[i].count() == 1) {
                continue;
            }
            let weight = |i: usize| match (self.axes[i].count() == 1, high(i)) {
                (true, _) => 1.0,
                (false, 0) => 1.0 - found[i].1,
                (false, _) => found[i].1,
            };
            let w = [weight(0), weight(1), weight(2), weight(3)];
            let sample = self.sample(std::array::from_fn(|i| found[i].0 + high(i)));
            value += w[0] * w[1] * w[2] * w[3] * sample;
            for i in 0..4 {
                let others: f64 = (0..4).filter(|j| *j != i).map(|j| w[j]).product();
                let sign = if high(i) == 1 { 1.0 } else { -1.0 };
                slope[i] += sign * others * sample * found[i].2;
            }
        }
        for i in 0..4 {
            if self.axes[i].count() == 1 {
                slope[i] = 0.0;
            }
        }
        GridSample { value, slope }
    }
}

/// Returns `x` with the first two coordinates replaced.
fn with_horizontal(x: [f64; 4], [east, north]: [f64; 2]) -> [f64; 4] {
    [east, north, x[2], x[3]]
}

impl PartialEq for Grid {
    /// Compares digest, axes and plane: equal grids were read from the same samples in the same
    /// way.
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest && self.axes == other.axes && self.plane == other.plane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates 3 x 2 x 2 x 1 samples of a multilinear function, with non-uniform spacing along
    /// east.
    fn grid(extrapolation: Extrapolation) -> Grid {
        let axes = [
            Axis::new(vec![0.0, 1.0, 4.0]),
            Axis::new(vec![-2.0, 2.0]),
            Axis::new(vec![0.0, 10.0]),
            Axis::single(),
        ];
        let mut samples = Vec::new();
        for z in [0.0, 10.0] {
            for y in [-2.0, 2.0] {
                samples.extend([0.0, 1.0, 4.0].map(|x| f(x, y, z)));
            }
        }
        let (samples, interpolation) = (Samples::F64(samples), Interpolation::Linear);
        Grid {
            samples,
            axes,
            first: 0,
            strides: [1, 3, 6, 0],
            plane: None,
            interpolation,
            extrapolation,
            digest: 0,
        }
    }

    fn f(x: f64, y: f64, z: f64) -> f64 {
        1.0 + 2.0 * x - 3.0 * y + 0.5 * z + 0.25 * x * y - 0.1 * x * y * z
    }

    #[test]
    fn multilinear_interpolation_is_exact() {
        let grid = grid(Extrapolation::Clamp);
        for [x, y, z] in [[0.3, 1.1, 4.0], [3.7, -1.9, 9.9], [1.0, 0.0, 5.0]] {
            let s = grid.interpolate([x, y, z, 7.0]);
            assert!((s.value - f(x, y, z)).abs() < 1e-12, "{s:?}");
            let slope = [
                2.0 + 0.25 * y - 0.1 * y * z,
                -3.0 + 0.25 * x - 0.1 * x * z,
                0.5 - 0.1 * x * y,
                0.0,
            ];
            for i in 0..4 {
                assert!((s.slope[i] - slope[i]).abs() < 1e-12, "{s:?} {slope:?}");
            }
        }
    }

    #[test]
    fn extrapolation_follows_its_mode() {
        let x = [9.0, 0.5, 3.0, 0.0];
        let clamped = grid(Extrapolation::Clamp).interpolate(x);
        assert!((clamped.value - f(4.0, 0.5, 3.0)).abs() < 1e-12 && clamped.slope[0] == 0.0);
        assert_eq!(grid(Extrapolation::Zero).interpolate(x).value, 0.0);
        assert!(grid(Extrapolation::Stop).interpolate(x).value.is_nan());
        let nearest = Grid {
            interpolation: Interpolation::Nearest,
            ..grid(Extrapolation::Clamp)
        };
        assert_eq!(
            nearest.interpolate([2.6, 1.0, 4.9, 0.0]).value,
            f(4.0, 2.0, 0.0)
        );
    }
}
