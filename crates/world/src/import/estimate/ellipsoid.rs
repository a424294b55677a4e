//! Added mass of an ellipsoid.
//!
//! # Law
//! ```text
//!   α₀ = abc ∫₀^∞ dλ / ((a² + λ) Δ),  Δ² = (a² + λ)(b² + λ)(c² + λ);   β₀, γ₀ similarly with b, c  (1)
//!   A₁₁ = ρ V α₀ / (2 - α₀)                                                                        (2)
//!   A₄₄ = ρ V/5 (b² - c²)² (γ₀ - β₀) / (2 (b² - c²) + (b² + c²)(β₀ - γ₀))                          (3)
//! ```
//! Exact in unbounded ideal fluid [Lamb 1932, art. 114, 115]. (1) equals 2/3 abc R_D(b², c², a²), a
//! standard elliptic integral, which is evaluated by the duplication theorem [Carlson 1995].
//!
//! # Symbols
//! a, b, c semi-axes along x, y, z [m]; V volume [m³].
//! # Frames
//! The ellipsoid's own, at its centre.
//! # Limits
//! Ideal fluid, far from boundaries and other bodies.
//! # Checked by
//! V31 (spheroids of four aspect ratios, 1e-5) in crates/world/tests/world/estimate.rs.

use crate::import::estimate::Solid;

/// Computes the added mass over density along x, y, z [m³] and about them [m⁵] of an ellipsoid with
/// semi-axes a, b, c [m].
pub(super) fn added_mass([a, b, c]: [f64; 3]) -> [f64; 6] {
    let (a2, b2, c2) = (a * a, b * b, c * c);
    let volume = Solid::Ellipsoid([a, b, c]).volume();
    let integral = |own: f64, x: f64, y: f64| 2.0 / 3.0 * a * b * c * carlson_rd(x, y, own);
    let [alpha, beta, gamma] = [
        integral(a2, b2, c2),
        integral(b2, c2, a2),
        integral(c2, a2, b2),
    ];
    let along = |k: f64| volume * k / (2.0 - k);
    let about = |b2: f64, c2: f64, beta: f64, gamma: f64| {
        // a body of revolution has no added inertia about its axis; (3) is 0/0 there
        if (b2 - c2).abs() <= 1e-9 * (b2 + c2) {
            return 0.0;
        }
        let denominator = 2.0 * (b2 - c2) + (b2 + c2) * (beta - gamma);
        volume / 5.0 * (b2 - c2) * (b2 - c2) * (gamma - beta) / denominator
    };
    [
        along(alpha),
        along(beta),
        along(gamma),
        about(b2, c2, beta, gamma),
        about(c2, a2, gamma, alpha),
        about(a2, b2, alpha, beta),
    ]
}

/// Computes Carlson's integral R_D(x, y, z) = 3/2 ∫₀^∞ dt / (√(t+x) √(t+y) (t+z)^(3/2)) to double
/// precision.
fn carlson_rd(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    let (mut sum, mut factor) = (0.0, 1.0);
    loop {
        let mean = 0.2 * (x + y + 3.0 * z);
        let [dx, dy, dz] = [(mean - x) / mean, (mean - y) / mean, (mean - z) / mean];
        // the first omitted term of the series is of sixth order
        if dx.abs().max(dy.abs()).max(dz.abs()) < 0.0015 {
            let (ea, eb) = (dx * dy, dz * dz);
            let (ec, ed) = (ea - eb, ea - 6.0 * eb);
            let ee = ed + 2.0 * ec;
            let series = 1.0
                + ed * (-3.0 / 14.0 + 9.0 / 88.0 * ed - 9.0 / 52.0 * dz * ee)
                + dz * (ee / 6.0 + dz * (-9.0 / 22.0 * ec + 3.0 / 26.0 * dz * ea));
            return 3.0 * sum + factor * series / (mean * mean.sqrt());
        }
        let [rx, ry, rz] = [x.sqrt(), y.sqrt(), z.sqrt()];
        let lambda = rx * (ry + rz) + ry * rz;
        sum += factor / (rz * (z + lambda));
        factor *= 0.25;
        [x, y, z] = [x, y, z].map(|u| 0.25 * (u + lambda));
    }
}
