//! Energies and momenta of a robot, computed from their definitions.

use merrow_math::{SpatialForce, Vec3};
use merrow_model::scene::{Drive, Robot, Scene};
use merrow_model::state::{Motion, Workspace};

/// Returns the kinetic energy of the links with their added mass, and of the armatures of the
/// drives [J].
pub(crate) fn kinetic_energy(robot: &Robot, motion: &Motion, work: &Workspace) -> f64 {
    let links: f64 = work
        .links
        .iter()
        .map(|w| 0.5 * w.V.dot(&w.inertia.mul(&w.V)))
        .sum();
    let drives = robot.links[1..]
        .iter()
        .zip(&motion.qd)
        .map(|(l, qd)| 0.5 * l.joint.armature * qd * qd);
    links + drives.sum::<f64>()
}

/// Returns the potential energy of weight, buoyancy (completely submerged), trim loads and joint
/// springs [J].
pub(crate) fn potential_energy(scene: &Scene, motion: &Motion, work: &Workspace) -> f64 {
    let (g, rho) = (scene.gravity, scene.sea.density);
    let robot = &scene.robots[0];
    let mut sum = 0.0;
    for (link, w) in robot.links.iter().zip(&work.links) {
        let up = w.R_WL.r[2];
        let height = |p: Vec3| w.p_WL.z + up.dot(p);
        sum += link.mass_kg * g * height(link.p_LoLcm)
            - rho * g * link.volume_m3 * height(link.p_LoCb);
        sum -= link.trim.force * w.p_WL.z + up.dot(link.trim.moment_arm);
    }
    for (link, q) in robot.links[1..].iter().zip(&motion.q) {
        if let Drive::Effort {
            stiffness,
            spring_rest: rest,
        } = link.joint.drive
        {
            sum += 0.5 * stiffness * (q - rest) * (q - rest);
        }
    }
    sum
}

/// Returns the momentum of bodies and water (Kirchhoff's impulse) about the origin of W, in W:
/// angular [N m s], then linear [N s].
pub(crate) fn impulse(work: &Workspace) -> SpatialForce {
    work.links.iter().fold(SpatialForce::zero(), |sum, w| {
        sum + w.inertia.mul(&w.V).to_parent(&w.R_WL, w.p_WL)
    })
}

/// Returns the rate of [`impulse`] that follows from the accelerations in `work`; if they are
/// correct, it equals the external wrench.
pub(crate) fn impulse_rate(work: &Workspace) -> SpatialForce {
    work.links.iter().fold(SpatialForce::zero(), |sum, w| {
        let rate = w.inertia.mul(&w.A) + w.V.cross_force(&w.inertia.mul(&w.V));
        sum + rate.to_parent(&w.R_WL, w.p_WL)
    })
}

/// Returns the largest absolute component.
pub(crate) fn largest(f: &SpatialForce) -> f64 {
    f.m.to_array()
        .into_iter()
        .chain(f.f.to_array())
        .fold(0.0, |a, x| a.max(x.abs()))
}
