//! Conversion of the hydrodynamic coefficients of a body.

use crate::context::Context;
use crate::import::sname;
use crate::import::sname::Derivative;
use crate::keys::{BodyConfig, HullConfig};
use merrow_math::{Mat3, SpatialInertia, Vec3};
use merrow_model::scene::robot::body::{Hydrostatics, MunkMoments};
use merrow_model::scene::{Damping, smallest_eigenvalue};

/// Returns the Munk moments of `body`; `own` if no derivatives replace them.
pub(crate) fn munk(body: &BodyConfig, own: bool) -> MunkMoments {
    match (body.munk_moment && own, body.munk_moment_yaw) {
        (true, true) => MunkMoments::All,
        (true, false) => MunkMoments::WithoutYaw,
        (false, _) => MunkMoments::RollOnly,
    }
}

/// Converts the linear hydrostatics of `body`. `to_link` converts a vector of the file to L.
pub(crate) fn restoring(
    name: &str,
    body: &BodyConfig,
    parent: Option<usize>,
    to_link: impl Fn([f64; 3]) -> Vec3,
    cx: Context<'_>,
) -> Option<Hydrostatics> {
    let file = body.restoring.as_ref()?;
    let at = &file.at;
    if parent.is_some() {
        cx.error(
            &at.whole,
            format!("{name} has `restoring`; expected it on the base only; use `hull`"),
        );
    }
    if body.hull != HullConfig::Sphere || body.volume_m3 > 0.0 || body.net_buoyancy_n.is_some() {
        let text = format!(
            "{name} has `restoring` and `hull`, `volume_m3` or `net_buoyancy_n`; expected either `restoring` or the other keys"
        );
        cx.error(&at.whole, text);
    }
    if file.max_supported_kg <= file.floating_mass_kg {
        let text = format!(
            "`max_supported_kg` is {}; expected more than `floating_mass_kg` {}: the hull would not float",
            file.max_supported_kg, file.floating_mass_kg
        );
        cx.error(at.key_place("max_supported_kg"), text);
    }
    Some(Hydrostatics {
        p_LoM: to_link(file.floating_mass_center_m),
        p_LoF: to_link(file.center_of_flotation_m),
        restoring: file.clone(),
    })
}

/// Returns the decay of the linear damping [s/m], angular components first; `None` if no key
/// decays.
pub(crate) fn damping_decay(body: &BodyConfig) -> Option<[f64; 6]> {
    let k = body.linear_damping_decay_s_per_m;
    k.iter()
        .any(|k| *k > 0.0)
        .then(|| std::array::from_fn(|i| k[(i + 3) % 6]))
}

/// Returns the added-mass inertia of `body` at Lo, expressed in L.
pub(crate) fn added_mass(
    name: &str,
    body: &BodyConfig,
    R_LU: &Mat3,
    cx: Context<'_>,
) -> SpatialInertia {
    let m = sname::coefficient_matrix(
        &body.added_mass,
        Derivative::AddedMass,
        body.axes,
        "added_mass",
        &mut cx.problems(),
    );
    let at = body.at.key_place("added_mass");
    let largest = m.iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
    let skew = (0..6)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (m[i][j] - m[j][i]).abs());
    if skew.fold(0.0, f64::max) > 0.01 * largest {
        cx.error(
            at,
            format!("the added mass of {name} is not symmetric (by more than 1 %)"),
        );
    }
    let even = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (m[i][j] + m[j][i])));
    let added = SpatialInertia::from_matrix(&even);
    added.to_parent(R_LU, Vec3::zero())
}

/// Returns the damping of `body` of this `kind`, angular first, along the axes of U.
pub(crate) fn damping(name: &str, body: &BodyConfig, kind: Derivative, cx: Context<'_>) -> Damping {
    let (set, key) = match kind {
        Derivative::Linear => (&body.linear_damping, "linear_damping"),
        _ => (&body.quadratic_damping, "quadratic_damping"),
    };
    let m = sname::coefficient_matrix(set, kind, body.axes, key, &mut cx.problems());
    // xᵀ D x < 0 for some x would add energy. For the quadratic law the diagonal is checked.
    let feeds = match kind {
        Derivative::Linear => {
            let even = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (m[i][j] + m[j][i])));
            let largest = m.iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
            smallest_eigenvalue(&SpatialInertia::from_matrix(&even)) < -1e-9 * largest
        }
        _ => (0..6).any(|i| m[i][i] < 0.0),
    };
    if feeds {
        let text = format!(
            "the {} of {name} would add energy; expected a positive semi-definite matrix \
             (SNAME derivatives are negative numbers, `values` and `rows` are positive numbers)",
            key.replace('_', " ")
        );
        cx.error(body.at.key_place(key), text);
    }
    Damping::from_matrix(&m)
}
