//! Wave radiation (memory effect) and diffraction of a hull, from the results of a boundary element
//! program.

use merrow_math::{SpatialInertia, Vec3};

/// Radiation and diffraction of a hull at its waterline at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Radiation {
    /// Filters whose sum approximates the radiation memory.
    pub filters: Vec<Filter>,
    /// Submerged fraction of the hull in the condition of the tables, 0..1.
    pub wet_at_rest: f64,
    /// Diffraction forces; `None`: the hull reacts to the motion of the water only.
    pub diffraction: Option<Diffraction>,
}

/// One resonant filter of the radiation memory, driven by the velocity: gain s / (s² + damping s +
/// ω²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Natural frequency ω [rad/s].
    pub omega: f64,
    /// Damping coefficient of the filter [1/s].
    pub damping: f64,
    /// Symmetric gain at Lo in L [kg/s², kg m/s², kg m²/s²].
    pub gain: SpatialInertia,
    /// Discretisation over half a step and over a full step.
    pub advance: [FilterStep; 2],
}

/// Exact discretisation of a filter for an input that is linear in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FilterStep {
    /// State transition matrix over the interval.
    pub state: [[f64; 2]; 2],
    /// Effect of the input at the start of the interval on the state.
    pub first: [f64; 2],
    /// Effect of the input at the end of the interval on the state.
    pub last: [f64; 2],
}

impl FilterStep {
    /// Computes the discretisation over `h` [s] for `omega` [rad/s] and `damping` [1/s].
    pub fn discretise(h: f64, omega: f64, damping: f64) -> Self {
        // x' = (b, u - damping b - ω² a), u' = slope: matrix exponential by its series on a short
        // interval, then repeated squaring
        let rate = [
            [0.0, 1.0, 0.0, 0.0],
            [-omega * omega, -damping, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0; 4],
        ];
        let size = h * (1.0 + omega * omega + damping);
        let halvings = (0..60)
            .find(|n| size * 0.5_f64.powi(*n) < 0.1)
            .unwrap_or(60);
        let substep = h * 0.5_f64.powi(halvings);
        let mut sum = identity();
        let mut term = identity();
        for k in 1..14 {
            term = product(&term, &rate).map(|row| row.map(|x| x * substep / f64::from(k)));
            for (sum, term) in sum.iter_mut().flatten().zip(term.iter().flatten()) {
                *sum += term;
            }
        }
        for _ in 0..halvings {
            sum = product(&sum, &sum);
        }
        // the columns for u at the start and for its slope, which is (last - first) / h
        let last = [sum[0][3] / h, sum[1][3] / h];
        Self {
            state: [[sum[0][0], sum[0][1]], [sum[1][0], sum[1][1]]],
            first: [sum[0][2] - last[0], sum[1][2] - last[1]],
            last,
        }
    }
}

fn identity() -> [[f64; 4]; 4] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }))
}

fn product(a: &[[f64; 4]; 4], b: &[[f64; 4]; 4]) -> [[f64; 4]; 4] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

/// Real and imaginary part of a force by axis, moments first, for a wave of 1 m: Re[X exp(iωt)],
/// with the wave crest at the reference point at t = 0.
pub type Phasor = [[f64; 2]; 6];

/// Diffraction forces for waves of 1 m, by frequency and direction of travel.
#[derive(Clone, Debug, PartialEq)]
pub struct Diffraction {
    /// Phase reference point of the waves, in L [m].
    pub p_LoP: Vec3,
    /// Angular frequencies of the waves, ascending [rad/s].
    pub omega: Vec<f64>,
    /// Directions of travel of the waves, counter-clockwise from forward, ascending [rad].
    pub headings: Vec<f64>,
    /// Forces at the reference point less the reaction to the motion of the water, along the
    /// direction of travel of the waves, to its left and up [N, N m], headings varying fastest.
    pub force: Vec<Phasor>,
    /// True if the headings end at 180° and the hull is symmetric about its centre plane.
    pub mirrored: bool,
}

impl Diffraction {
    /// Interpolates the force at a frequency [rad/s] and a heading between -π and π [rad], linearly
    /// between entries. Below the lowest frequency it falls with the square of the frequency; above
    /// the highest frequency it is constant.
    #[inline]
    pub fn interpolate(&self, omega: f64, heading: f64) -> Phasor {
        let flip = self.mirrored && heading < 0.0;
        let mut heading = if flip { -heading } else { heading };
        let n = self.headings.len();
        if heading < self.headings[0] {
            heading += std::f64::consts::TAU;
        }
        let (i, x) = find_interval(&self.omega, omega);
        let (j, y) = find_interval(&self.headings, heading);
        let low_frequency_factor = if omega < self.omega[0] {
            (omega / self.omega[0]) * (omega / self.omega[0])
        } else {
            1.0
        };
        let corners = [
            (i * n + j, (1.0 - x) * (1.0 - y) * low_frequency_factor),
            (i * n + j + 1, (1.0 - x) * y * low_frequency_factor),
            ((i + 1) * n + j, x * (1.0 - y) * low_frequency_factor),
            ((i + 1) * n + j + 1, x * y * low_frequency_factor),
        ];
        let mut sum = [[0.0; 2]; 6];
        for (index, weight) in corners {
            for (sum, value) in sum.iter_mut().zip(&self.force[index]) {
                sum[0] += weight * value[0];
                sum[1] += weight * value[1];
            }
        }
        if flip {
            // moments first: roll, yaw and sway change sign
            for axis in [0, 2, 4] {
                sum[axis] = sum[axis].map(|x| -x);
            }
        }
        sum
    }
}

/// Returns the index of the entry before `x` and the fraction of the interval to the next entry,
/// 0..1.
fn find_interval(table: &[f64], x: f64) -> (usize, f64) {
    let i = table.partition_point(|t| *t <= x).clamp(1, table.len() - 1) - 1;
    (
        i,
        ((x - table[i]) / (table[i + 1] - table[i])).clamp(0.0, 1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // The discretisation solves the filter equation. Method: 20 000 small steps of the midpoint
    // rule under a ramp input. Tolerance: error of that rule.
    #[test]
    fn filter_is_exact_for_ramp_input() {
        let (h, omega, damping) = (0.7, 3.0, 2.5);
        let advance = FilterStep::discretise(h, omega, damping);
        let (start, u0, u1) = ([0.3, -0.8], 1.1, -0.4);
        let advanced: [f64; 2] = std::array::from_fn(|i| {
            let a = &advance;
            a.state[i][0] * start[0] + a.state[i][1] * start[1] + a.first[i] * u0 + a.last[i] * u1
        });
        let n = 20_000;
        let dt = h / f64::from(n);
        let mut x = start;
        for k in 0..n {
            let u = |s: f64| u0 + (u1 - u0) * (f64::from(k) + s) / f64::from(n);
            let rate = |x: [f64; 2], u: f64| [x[1], u - damping * x[1] - omega * omega * x[0]];
            let r = rate(x, u(0.0));
            let mid = rate([x[0] + 0.5 * dt * r[0], x[1] + 0.5 * dt * r[1]], u(0.5));
            x = [x[0] + dt * mid[0], x[1] + dt * mid[1]];
        }
        assert!(
            (advanced[0] - x[0]).abs() < 1e-8 && (advanced[1] - x[1]).abs() < 1e-8,
            "{advanced:?} {x:?}"
        );
    }
}
