//! Satellites over an antenna: which of them are seen, how well they lie, and how much of their echoes comes with them.
//!
//! # Law
//! ```text
//!   Q = (Gᵀ G)⁻¹, rows of G (e, n, u, 1);  HDOP² = Q_ee + Q_nn,  VDOP² = Q_uu       (1)  [Kaplan 2006, §7.3.1]
//!   s² = hidden share of the satellites + exp(-h / h_w)                             (2)
//! ```
//! # Symbols
//! e, n, u towards a satellite that is seen · s part of a range error by echoes that comes through (its mean square is the sum of what structures
//! and the ground give back, as much as they hide, and of what the water does) · h height of the antenna over the water, h_w where its echoes have fallen to 1/e.
//!
//! # Frames
//! W.
//!
//! # Limits
//! The satellites stand still: real ones go round in half a day. What stands still hides them (ground and structures), robots do not; nothing is bent round
//! edges. (2) is chosen, no ray is followed to a mirror; the receiver does not know of echoes, so its covariance does not.
//!
//! # Checked by
//! test/analytic/gnss.rs

use crate::Truth;
use merrow_math::Vec3;
use merrow_model::scene::sensor::navigation::Sky;

/// What an antenna has of its sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Satellites that are seen.
    pub seen: usize,
    /// Dilution of precision, horizontal and vertical; none: no fix.
    pub dilution: Option<[f64; 2]>,
    /// (2): part of the error by echoes.
    pub echoes: f64,
}

/// The sky over the antenna at `truth`.
pub fn view(sky: &Sky, truth: &Truth<'_>) -> View {
    let visible = |d: &&Vec3| truth.range(**d).is_none();
    let seen = sky.satellites.iter().filter(visible).count();
    let hidden = 1.0 - seen as f64 / sky.satellites.len() as f64;
    let height = truth.at.above_surface(truth.p_WS).max(0.0);
    let water = if sky.water_height > 0.0 {
        libm::exp(-height / sky.water_height)
    } else {
        0.0
    };
    View {
        seen,
        dilution: dilution(sky.satellites.iter().filter(visible).copied()),
        echoes: (hidden + water).min(1.0).sqrt(), // (2)
    }
}

/// Horizontal and vertical dilution of precision by (1); none with fewer than four satellites or all in a cone.
pub fn dilution(satellites: impl Iterator<Item = Vec3>) -> Option<[f64; 2]> {
    let mut normal = [[0.0; 4]; 4];
    for d in satellites {
        let row = [d.x, d.y, d.z, 1.0];
        for i in 0..4 {
            for j in 0..4 {
                normal[i][j] += row[i] * row[j];
            }
        }
    }
    let q = inverse(normal)?;
    Some([(q[0][0] + q[1][1]).sqrt(), q[2][2].sqrt()])
}

/// Inverse of a positive definite matrix by elimination; none if it is singular.
fn inverse(mut a: [[f64; 4]; 4]) -> Option<[[f64; 4]; 4]> {
    let mut x = [[0.0; 4]; 4];
    (0..4).for_each(|i| x[i][i] = 1.0);
    for k in 0..4 {
        let pivot = a[k][k];
        if pivot < 1e-9 {
            return None;
        }
        for j in 0..4 {
            a[k][j] /= pivot;
            x[k][j] /= pivot;
        }
        for i in (0..4).filter(|i| *i != k) {
            let f = a[i][k];
            for j in 0..4 {
                a[i][j] -= f * a[k][j];
                x[i][j] -= f * x[k][j];
            }
        }
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    // by hand: one overhead and three at the horizon, 120 degrees apart
    #[test]
    fn dilution_of_four_satellites() {
        let (h, s) = (0.5, 0.75_f64.sqrt());
        let four = [
            Vec3::new(0.0, 0.0, 1.0),
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(-h, s, 0.0),
            Vec3::new(-h, -s, 0.0),
        ];
        let [horizontal, vertical] = dilution(four.into_iter()).expect("a fix");
        // Q_ee = Q_nn = 2/3, Q_uu = 1 + 1/3
        assert!(
            (horizontal - (4.0_f64 / 3.0).sqrt()).abs() < 1e-12,
            "{horizontal}"
        );
        assert!(
            (vertical - (4.0_f64 / 3.0).sqrt()).abs() < 1e-12,
            "{vertical}"
        );
        assert_eq!(dilution(four[..3].iter().copied()), None);
    }
}
