//! Complex numbers.

use std::ops::{Add, Div, Mul, Sub};

/// Complex number with parts in double precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// Real part of the number.
    pub re: f64,
    /// Imaginary part of the number.
    pub im: f64,
}

impl Complex {
    /// Creates a number with the given dimensionless parts [-].
    pub fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// Creates a number of magnitude `size` [-] and phase `phase` [rad].
    pub(crate) fn from_polar(size: f64, phase: f64) -> Self {
        let (s, c) = merrow_math::real::sin_cos(phase);
        Self::new(size * c, size * s)
    }

    /// Returns the square of the magnitude [-].
    pub fn norm_squared(self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    /// Returns the product with a dimensionless real number [-].
    pub fn scale(self, k: f64) -> Self {
        Self::new(k * self.re, k * self.im)
    }

    /// Returns the square root whose real part is not negative.
    pub fn sqrt(self) -> Self {
        let size = self.norm_squared().sqrt();
        let re = (0.5 * (size + self.re)).max(0.0).sqrt();
        let im = (0.5 * (size - self.re)).max(0.0).sqrt();
        Self::new(re, if self.im < 0.0 { -im } else { im })
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.re + o.re, self.im + o.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.re - o.re, self.im - o.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::new(
            self.re * o.re - self.im * o.im,
            self.re * o.im + self.im * o.re,
        )
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let size = o.norm_squared();
        Self::new(
            (self.re * o.re + self.im * o.im) / size,
            (self.im * o.re - self.re * o.im) / size,
        )
    }
}
