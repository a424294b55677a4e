//! Values that hold for a robot floating at rest: wind areas, and coefficients with
//! `coefficients_at: waterline`.
//!
//! # Law
//! ```text
//!   Σ ρ g ∇_i s_i(z) = W                                         (1)  height z of the base at rest
//!   A = A_0/s_i(z),  D = D_0/s_i(z)                              (2)  so that s A = A_0 at rest
//! ```
//!
//! # Symbols
//! ∇_i volume of link i, s_i its submerged fraction · W weight less small constant loads · A added
//! mass, D damping and derivatives, with A_0 and D_0 as given.
//!
//! # Frames
//! The base is upright and the joints are at zero.
//!
//! # Limits
//! Trim and heel at rest are neglected. Deeper than at rest the coefficients increase in proportion
//! to the submerged volume.
//!
//! # Checked by
//! test/analytic/bodies/floating_equilibrium.rs, test/analytic/environment/air.rs

use crate::build::robot::radiation;
use crate::context::Context;
use crate::keys::{BodyConfig, CoefficientReference, RobotModelConfig};
use merrow_math::{Mat3, Vec3};
use merrow_model::kinematics::poses_at_rest;
use merrow_model::scene::{Damping, Link, Robot};

/// Number of bisections of the height at rest.
const BISECTIONS: usize = 60;

/// Applies the submerged fractions at rest to the wind areas and the coefficients of all links.
pub(crate) fn apply_waterline(robot: &mut Robot, model: &RobotModelConfig, cx: Context<'_>) {
    let wet = wet_at_rest(&robot.links, cx);
    for (i, link) in robot.links.iter_mut().enumerate() {
        let part = wet.as_ref().map(|wet| wet[i]);
        if let (Some(wind), Some(part)) = (&mut link.forces.wind, part.filter(|part| *part < 1.0)) {
            wind.dry_at_rest = 1.0 - part;
        }
        let Some(body) = body_of(model, i, &link.name) else {
            continue;
        };
        if body.coefficients_at == CoefficientReference::Submerged || link.restoring.is_some() {
            continue;
        }
        match part.filter(|part| *part > 0.0) {
            Some(part) => scale_coefficients(link, 1.0 / part),
            None => cx.error(
                body.at.key_place("coefficients_at"),
                format!(
                    "{} has no waterline: no part of it is under water when the robot is at rest; expected `submerged`",
                    link.name
                ),
            ),
        }
    }
}

/// Reports the net weight in water of an imported robot, whose collision shapes need not have the
/// volume of the robot.
pub(crate) fn note_net_weight(robot: &Robot, model: &RobotModelConfig, cx: Context<'_>) {
    let is_linear = robot.links.iter().any(|link| link.restoring.is_some());
    let in_water = cx.density * cx.gravity > 0.0;
    if model.urdf.is_none() || !robot.floating || !in_water || is_linear {
        return;
    }
    let mass = robot.mass();
    let displaced: f64 = robot
        .links
        .iter()
        .map(|link| cx.density * link.volume_m3)
        .sum();
    let loads: f64 = robot.links.iter().map(|link| link.trim.force).sum();
    let net = cx.gravity * (displaced - mass) + loads;
    let size = net.abs();
    let behaviour = if size <= 1e-6 * cx.gravity * mass {
        "is neutrally buoyant".to_string()
    } else if net > 0.0 {
        format!("floats: submerged, its buoyancy exceeds its weight by {size:.4} N")
    } else {
        format!("sinks: submerged, its weight exceeds its buoyancy by {size:.4} N")
    };
    let text = format!(
        "the imported robot {behaviour} (it displaces {displaced:.4} kg of water, its mass is \
         {mass:.4} kg); if this is wrong, give `net_buoyancy_n` or `volume_m3` of its links in \
         `hydrodynamics`"
    );
    cx.note(model.at.key_place("urdf"), text);
}

/// Returns the body of link `i`, which has the given name.
pub(crate) fn body_of<'a>(
    model: &'a RobotModelConfig,
    i: usize,
    name: &str,
) -> Option<&'a BodyConfig> {
    if i == 0 {
        return Some(&model.body);
    }
    let mut links = model.links.iter();
    links
        .find(|(n, _)| *n == name)
        .and_then(|(_, link)| link.body.as_ref())
}

/// Returns the submerged fraction of every link of a robot that floats at rest; `None` if it does
/// not float. (1)
fn wet_at_rest(links: &[Link], cx: Context<'_>) -> Option<Vec<f64>> {
    let poses = poses_at_rest(links);
    let wet = |z: f64| -> Vec<f64> {
        let of = |(link, (R_BL, p_BL)): (&Link, &(Mat3, Vec3))| match link.restoring {
            Some(_) => 1.0,
            None => radiation::wetted_fraction(link, R_BL.r[2], z + p_BL.z),
        };
        links.iter().zip(&poses).map(of).collect()
    };
    let lift = |z: f64| {
        let links = links.iter().zip(wet(z));
        let of = |(link, wet): (&Link, f64)| {
            cx.gravity * (cx.density * link.volume_m3 * wet - link.mass_kg) + link.trim.force
        };
        links.map(of).sum::<f64>()
    };
    let weight = cx.gravity * links.iter().map(|l| l.mass_kg).sum::<f64>();
    let reach = |(link, (_, p_BL)): (&Link, &(Mat3, Vec3))| {
        p_BL.norm() + link.hull.p_LoH.norm() + link.hull.bound
    };
    let span = links.iter().zip(&poses).map(reach).fold(0.0, f64::max);
    let (mut low, mut high) = (-span, span);
    if cx.density <= 0.0 || lift(low) <= 1e-6 * weight || lift(high) >= 0.0 {
        return None;
    }
    for _ in 0..BISECTIONS {
        let midpoint = 0.5 * (low + high);
        if lift(midpoint) > 0.0 {
            low = midpoint;
        } else {
            high = midpoint;
        }
    }
    Some(wet(0.5 * (low + high)))
}

/// Multiplies added mass, damping and derivatives by `factor`. (2)
fn scale_coefficients(link: &mut Link, factor: f64) {
    if link.radiation.is_none() {
        link.added = link.added.scale(factor);
        link.total = link.rigid + link.added;
    }
    for damping in [&mut link.linear_damping, &mut link.quadratic_damping] {
        match damping {
            Damping::Zero => {}
            Damping::Diagonal(d) => d.iter_mut().for_each(|d| *d *= factor),
            Damping::Full(d) => d.iter_mut().flatten().for_each(|d| *d *= factor),
        }
    }
    for derivative in &mut link.derivatives {
        derivative.value *= factor;
    }
}
