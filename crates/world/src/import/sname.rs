//! Converts hydrodynamic coefficients in Fossen/SNAME notation (forward-right-down, at CO, linear
//! part first) to Merrow's convention (FLU, angular part first). CONVENTIONS.md lists the other
//! files that compute in FRD.
//!
//! # Law
//! ```text
//!   FLU = S FRD, S = diag(1, -1, -1);   M' = S₆ M S₆, S₆ = diag(S, S)          (1)
//! ```
//! S is a rotation by 180 degrees about x. Laws with cross products and |ν|ν per component
//! therefore keep their form. Derivatives are negative if they resist the motion: added mass
//! -X_udot, damping -X_u, -X_uu [Fossen 2021, eq. 6.35, 6.61].

use crate::keys::{Axes, Coefficients};
use merrow_math::Vec3;
use merrow_model::scene;
use merrow_yaml::error::{Problems, did_you_mean, quote};
use merrow_yaml::read::Located;
use std::collections::BTreeMap;

/// Kind of the derivatives in a coefficient set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// Added mass, such as `X_udot`.
    AddedMass,
    /// Linear damping, such as `X_u`.
    Linear,
    /// Quadratic damping, such as `X_uu`, the factor of |u|u.
    Quadratic,
}

const FORCES: [char; 6] = ['X', 'Y', 'Z', 'K', 'M', 'N'];
const MOTIONS: [char; 6] = ['u', 'v', 'w', 'p', 'q', 'r'];

/// Converts a point or direction given in `axes` to FLU.
pub(crate) fn vector_to_flu(axes: Axes, v: [f64; 3]) -> Vec3 {
    match axes {
        Axes::Flu => Vec3::from(v),
        Axes::Frd => Vec3::new(v[0], -v[1], -v[2]),
    }
}

/// Returns the sign of the matrix entry (i, j) (0..6, linear first) under the conversion FRD ->
/// FLU.
fn sign(axes: Axes, i: usize, j: usize) -> f64 {
    let flips = |k: usize| matches!(axes, Axes::Frd) && !k.is_multiple_of(3);
    if flips(i) != flips(j) { -1.0 } else { 1.0 }
}

/// Returns a coefficient set as a 6x6 matrix in FLU, angular part first, with positive entries for
/// resistance. The entries have the units of the set: added mass [kg], [kg m] and [kg m²], damping
/// [N s/m] and its products with m, rad and s.
///
/// `what` names the coefficient set in problem texts.
pub fn coefficient_matrix(
    set: &Coefficients,
    kind: Derivative,
    axes: Axes,
    what: &str,
    problems: &mut Problems,
) -> [[f64; 6]; 6] {
    let linear_first = match set {
        Coefficients::None => return [[0.0; 6]; 6],
        Coefficients::Diagonal { values, .. } => {
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { values[i] } else { 0.0 }))
        }
        Coefficients::Matrix { rows, .. } => *rows,
        Coefficients::Sname { derivatives, .. } => sname(derivatives, kind, what, problems),
    };
    let axes = if matches!(set, Coefficients::Sname { .. }) {
        Axes::Frd
    } else {
        axes
    };
    let swap = |k: usize| (k + 3) % 6;
    std::array::from_fn(|i| {
        std::array::from_fn(|j| sign(axes, swap(i), swap(j)) * linear_first[swap(i)][swap(j)])
    })
}

fn sname(
    derivatives: &std::collections::BTreeMap<String, Located<f64>>,
    kind: Derivative,
    what: &str,
    problems: &mut Problems,
) -> [[f64; 6]; 6] {
    let mut m = [[0.0; 6]; 6];
    for (name, value) in derivatives {
        match index(name, kind) {
            Some((i, j)) => m[i][j] = -value.value,
            None => {
                let names: Vec<String> = (0..6)
                    .flat_map(|i| (0..6).map(move |j| (i, j)))
                    .map(|(i, j)| derivative_name(i, j, kind))
                    .collect();
                let hint = did_you_mean(name, names.iter().map(String::as_str));
                let text = format!(
                    "in {what}: {} is not a derivative of this set; expected names like {}{hint}",
                    quote(name),
                    derivative_name(0, 0, kind)
                );
                problems.push(&value.place, text);
            }
        }
    }
    m
}

/// Returns the derivatives of products of two velocities, such as `Y_uv`, in FLU, angular part
/// first.
pub(crate) fn product_derivatives(
    set: &BTreeMap<String, Located<f64>>,
    problems: &mut Problems,
) -> Vec<scene::Derivative> {
    let mut all = Vec::with_capacity(set.len());
    for (name, value) in set {
        let letters: Vec<char> = name.chars().collect();
        let place_of = |k: usize, among: [char; 6]| {
            letters
                .get(k)
                .and_then(|letter| among.iter().position(|c| c == letter))
        };
        let found = (letters.len() == 4 && letters[1] == '_')
            .then(|| {
                Some([
                    place_of(0, FORCES)?,
                    place_of(2, MOTIONS)?,
                    place_of(3, MOTIONS)?,
                ])
            })
            .flatten();
        let Some([row, a, b]) = found else {
            let text = format!(
                "in derivatives: {} is not a derivative; expected names like Y_uv, N_wp or X_qq",
                quote(name)
            );
            problems.push(&value.place, text);
            continue;
        };
        // each right or down axis changes the sign
        let flips = [row, a, b].iter().filter(|k| !k.is_multiple_of(3)).count();
        let sign = if flips.is_multiple_of(2) { 1.0 } else { -1.0 };
        let swap = |k: usize| (k + 3) % 6;
        all.push(scene::Derivative {
            row: swap(row),
            factors: [swap(a), swap(b)],
            value: sign * value.value,
        });
    }
    all
}

fn derivative_name(i: usize, j: usize, kind: Derivative) -> String {
    let (f, m) = (FORCES[i], MOTIONS[j]);
    match kind {
        Derivative::AddedMass => format!("{f}_{m}dot"),
        Derivative::Linear => format!("{f}_{m}"),
        Derivative::Quadratic => format!("{f}_{m}{m}"),
    }
}

fn index(name: &str, kind: Derivative) -> Option<(usize, usize)> {
    (0..6)
        .flat_map(|i| (0..6).map(move |j| (i, j)))
        .find(|&(i, j)| derivative_name(i, j, kind) == name)
}
