//! Vectors of the plane; x is east and y is north.

use std::ops::{Add, Mul, Sub};

/// A vector or a point [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vector {
    /// Component to the east.
    pub x: f64,
    /// Component to the north.
    pub y: f64,
}

impl Vector {
    /// Creates a vector.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Returns the unit vector of an angle, counter-clockwise from east [rad].
    pub fn unit(angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        Self::new(cos, sin)
    }

    /// Returns the length.
    pub fn norm(self) -> f64 {
        libm::hypot(self.x, self.y)
    }

    /// Returns the scalar product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Returns the vector turned by 90 deg counter-clockwise.
    pub fn left(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// Returns the angle, counter-clockwise from east [rad].
    pub fn angle(self) -> f64 {
        libm::atan2(self.y, self.x)
    }

    /// Returns the vector in axes that are turned by an angle [rad].
    pub fn in_axes(self, angle: f64) -> Self {
        let e = Self::unit(angle);
        Self::new(self.dot(e), self.dot(e.left()))
    }

    /// Scales to the length `max`, as the paper prints it: also a shorter vector. Zero stays zero.
    pub fn bound(self, max: f64) -> Self {
        match self.norm() {
            0.0 => self,
            norm => self * (max / norm),
        }
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Vector {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V22 of the validation: the printed definition scales always.
    #[test]
    fn bound_is_as_printed() {
        assert_eq!(Vector::new(3.0, 4.0).bound(10.0), Vector::new(6.0, 8.0));
        assert_eq!(Vector::new(30.0, 40.0).bound(10.0), Vector::new(6.0, 8.0));
        assert_eq!(Vector::default().bound(10.0), Vector::default());
    }
}
