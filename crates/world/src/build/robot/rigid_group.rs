//! Checks of the inertia of bodies that move as one: a moving link and the links fixed to it.
//!
//! A point mass on a fixed link has no inertia of its own, and a table of added mass can have a
//! negative eigenvalue. Both are valid if the inertia of the whole body is positive definite, with
//! and without the water.

use crate::build::robot::waterline::body_of;
use crate::context::Context;
use crate::keys::{Coefficients, RobotModelConfig};
use merrow_math::{SpatialInertia, Vec3};
use merrow_model::scene::{JointKind, Link, smallest_eigenvalue};

/// Bound on the rounding error of a moment of inertia over the moments about the origin.
const ROUNDING: f64 = 1e-12;

/// Negative eigenvalue of an added mass, relative to its largest element, that rounding leaves, and
/// that the tables of a panel method leave for motions that make no waves.
const NEGLIGIBLE: [f64; 2] = [1e-9, 1e-3];

/// Inertia of a moving link together with the links fixed to it, at the origin of the moving link.
#[derive(Clone, Copy, Debug)]
struct RigidGroup {
    rigid: SpatialInertia,
    total: SpatialInertia,
}

/// Checks the inertia of each moving link of `links`, which are not merged yet.
pub(crate) fn check_rigid_groups(
    links: &[Link],
    model: &RobotModelConfig,
    floating: bool,
    cx: Context<'_>,
) {
    let mut groups: Vec<RigidGroup> = links
        .iter()
        .map(|link| RigidGroup {
            rigid: link.rigid,
            total: link.total,
        })
        .collect();
    let is_moving = |i: usize| match links[i].parent {
        Some(_) => links[i].joint.kind != JointKind::Fixed,
        None => floating,
    };
    // heads[i]: the link that link i moves with
    let mut heads: Vec<usize> = Vec::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        let head = match link.parent {
            Some(parent) if !is_moving(i) => heads[parent],
            _ => i,
        };
        heads.push(head);
    }
    for (i, link) in links.iter().enumerate().rev() {
        if let Some(parent) = link.parent.filter(|_| !is_moving(i)) {
            let moved = |own: &SpatialInertia| own.to_parent(&link.joint.R_PC0, link.joint.p_PoCo0);
            let own = groups[i];
            groups[parent].rigid += moved(&own.rigid);
            groups[parent].total += moved(&own.total);
        }
    }
    for (i, link) in links.iter().enumerate() {
        if heads[i] == i && is_moving(i) {
            check_moments(i, link, &groups[i].rigid, model, cx);
        }
        let head = heads[i];
        let is_positive = !is_moving(head) || smallest_eigenvalue(&groups[head].total) > 0.0;
        check_added_mass(i, link, is_positive, model, cx);
    }
}

/// Reports a moving link without inertia about some axis. `rigid` contains the links fixed to it.
fn check_moments(
    i: usize,
    link: &Link,
    rigid: &SpatialInertia,
    model: &RobotModelConfig,
    cx: Context<'_>,
) {
    let Some(body) = body_of(model, i, &link.name) else {
        return;
    };
    let smallest = smallest_moment(rigid);
    if smallest > 0.0 {
        return;
    }
    let own = [
        ("xx", body.inertia_kg_m2.xx),
        ("yy", body.inertia_kg_m2.yy),
        ("zz", body.inertia_kg_m2.zz),
    ];
    let found = match own.iter().find(|(_, moment)| *moment == 0.0) {
        Some((key, _)) => format!("`{key}` (`i{key}` of a URDF) 0"),
        None => format!("{smallest:.3e} kg m2"),
    };
    let text = format!(
        "the inertia of {}, which moves, is not positive definite; expected positive principal \
         moments, found {found}; correct the inertia{}",
        link.name,
        if i > 0 {
            " or fix its joint: `joint: {kind: fixed}`"
        } else {
            ""
        }
    );
    cx.error(body.at.key_place("inertia_kg_m2"), text);
}

/// Reports an added mass with a negative eigenvalue: as an error unless the inertia of the body in
/// water `is_positive`.
fn check_added_mass(
    i: usize,
    link: &Link,
    is_positive: bool,
    model: &RobotModelConfig,
    cx: Context<'_>,
) {
    let smallest = smallest_eigenvalue(&link.added);
    let largest = link.added.to_matrix().into_iter().flatten();
    let largest = largest.fold(0.0_f64, |a, x| a.max(x.abs()));
    let negligible = NEGLIGIBLE[usize::from(link.radiation.is_some())];
    let Some(body) = body_of(model, i, &link.name).filter(|_| smallest < -negligible * largest)
    else {
        return;
    };
    let place = body.at.key_place("added_mass");
    let name = &link.name;
    let sign = if matches!(body.added_mass, Coefficients::Sname { .. }) {
        "; SNAME derivatives of added mass are usually negative numbers"
    } else {
        ""
    };
    if is_positive {
        let text = format!(
            "the added mass of {name} has the negative eigenvalue {smallest:.3e}; it is used, because \
             mass plus added mass is positive definite{sign}"
        );
        cx.note(place, text);
    } else {
        let text = format!(
            "mass plus added mass of {name} is not positive definite; expected an added mass without \
             negative eigenvalues, found {smallest:.3e}{sign}"
        );
        cx.error(place, text);
    }
}

/// Returns the smallest principal moment about the centre of mass, zero if it is lost in the
/// rounding errors of `rigid` [kg m²].
fn smallest_moment(rigid: &SpatialInertia) -> f64 {
    let (mass, B) = (rigid.D.xx, &rigid.B);
    if mass <= 0.0 {
        return 0.0;
    }
    // B = m [c]x
    let c = Vec3::new(B.r[2].y, B.r[0].z, B.r[1].x).scale(1.0 / mass);
    let square = mass * c.dot(c);
    let i = rigid.A.minus_outer(c, -mass);
    let about_center = nalgebra::Matrix3::new(
        i.xx - square,
        i.xy,
        i.xz,
        i.xy,
        i.yy - square,
        i.yz,
        i.xz,
        i.yz,
        i.zz - square,
    );
    let smallest = about_center.symmetric_eigenvalues().min();
    let rounding = ROUNDING * (rigid.A.xx + rigid.A.yy + rigid.A.zz);
    if smallest.abs() > rounding {
        smallest
    } else {
        0.0
    }
}
