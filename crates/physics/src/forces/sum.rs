//! Ordered sum of the forces that act on the links of one robot within a step. Forces between bodies
//! (contacts, couplings, tethers) and commanded wrenches are added by their own modules before and after
//! it.

use crate::forces::actuators::{buoyancy_engine, fin, rotor, thruster};
use crate::forces::contributions::{Law, LinkSum, Sink};
use crate::forces::hydrodynamics::buoyancy::Wetness;
use crate::forces::hydrodynamics::{
    added_mass, buoyancy, damping, mesh_hull, radiation, restoring,
};
use crate::forces::{derivatives, joint, link, rigid_body};
use merrow_environment::{EnvironmentState, water_column};
use merrow_math::{LaneCondition, Real, SpatialForce, SpatialInertia, SpatialVelocity, Vec3};
use merrow_model::scene::robot::body::MunkMoments;
use merrow_model::scene::{Drive, Link, Robot};
use merrow_model::state::workspace::{HullWork, LinkWork, RadiationWork, fully_submerged_lanes};
use merrow_model::state::{Motion, Workspace};

/// Sums all forces on every link and all efforts on every joint, and stores them in `work`.
///
/// `stage` is the position in the step: 0 start, 1 midpoint, 2 end.
#[inline(always)]
pub fn sum<T: Real>(
    robot: &Robot,
    environment: &EnvironmentState<'_>,
    motion: &Motion<T>,
    joint_commands: &[T],
    stage: usize,
    work: &mut Workspace<T>,
) {
    sum_links(robot, environment, stage, work, &mut ());
    joint_efforts(robot, motion, joint_commands, work);
}

/// Sums all forces on every link into `work` and passes the contributions to `sink`. The wrenches
/// in `work.thrust` have passed when they were stored.
#[inline(always)]
pub fn sum_links<T: Real, S: Sink>(
    robot: &Robot,
    environment: &EnvironmentState<'_>,
    stage: usize,
    work: &mut Workspace<T>,
    sink: &mut S,
) {
    let g = environment.gravity;
    let mut meshes = 0;
    for (i, link) in robot.links.iter().enumerate() {
        let w = &work.links[i];
        let up = w.R_WL.r[2];
        let weight = rigid_body::weight(link, up, g);
        sink.add(Law::Gravity, None, i, || weight);
        let mut sum = LinkSum {
            F: weight,
            link: i,
            sink: &mut *sink,
        };
        if link.wet {
            add_water_forces(robot, environment, &mut sum, stage, &mut meshes, work);
        } else {
            sum.add_unrecorded(&rigid_body::velocity_product(&link.rigid, &w.V));
        }
        let w = &mut work.links[i];
        if link.trim.force != 0.0 || link.trim.moment_arm != Vec3::new(0.0, 0.0, 0.0) {
            let arm = Vec3::splat(link.trim.moment_arm);
            let trim = SpatialForce::new(arm.cross(up), up * link.trim.force);
            sum.add(Law::Trim, &trim);
        }
        link::air(link, environment, w, &mut sum);
        sum.add_unrecorded(&work.thrust[i][stage]);
        w.F = sum.F;
        w.inertia = inertia(link, w.submerged_fraction);
        if work.flooded {
            add_flood_water(&work.flood[i], i, &mut work.links[i], g, sink);
        }
        if robot.inflow {
            let F = thruster::inflow_wrench(robot, i, work, stage, environment, sink);
            work.links[i].F += F;
        }
        if robot.rotors {
            let F = rotor::force(robot, i, work, stage, environment, sink);
            work.links[i].F += F;
        }
        if !robot.fins.is_empty() && link.wet {
            let F = fin::force(robot, i, work, stage, environment, sink);
            work.links[i].F += F;
        }
    }
}

/// Adds the forces of the water on a wet link, and the velocity products of its rigid body, to the
/// sum. `meshes` counts the hull meshes of the links so far.
#[inline(always)]
fn add_water_forces<T: Real, S: Sink>(
    robot: &Robot,
    environment: &EnvironmentState<'_>,
    sum: &mut LinkSum<'_, T, S>,
    stage: usize,
    meshes: &mut usize,
    work: &mut Workspace<T>,
) {
    let i = sum.link;
    let (link, g) = (&robot.links[i], environment.gravity);
    let w = &mut work.links[i];
    let (wetness, rho) = add_hydrostatic_force(link, environment, sum, w, meshes, &mut work.hulls);
    let mut V_r = w.V;
    V_r.v -= w.water;
    add_velocity_products(link, environment, sum, w, &V_r, &wetness, rho);
    sum.add(Law::Damping, &damping::force(link, &V_r, wetness.wet));
    if !link.derivatives.is_empty() {
        sum.add(Law::Lift, &derivatives::force(link, &V_r, wetness.wet));
    }
    w.submerged_fraction = wetness.wet;
    link::water(link, environment, w, sum);
    if !robot.buoyancy_engines.is_empty() {
        let weight = rho * g * wetness.wet;
        let up = w.R_WL.r[2];
        let volumes = &work.buoyancy_engine_volumes;
        let F = buoyancy_engine::force(robot, i, (up, weight), stage, volumes, sum.sink);
        sum.add_unrecorded(&F);
    }
    if link.surface_laws {
        let memory = &mut work.radiation;
        let F = surface_forces(link, i, environment, w, memory, stage, sum.sink);
        sum.add_unrecorded(&F);
    }
}

/// Adds the hydrostatic force on a link to the sum, which is its weight. Returns the wet part and
/// the density of the water at the centre of buoyancy [kg/m³].
#[inline(always)]
fn add_hydrostatic_force<T: Real, S: Sink>(
    link: &Link,
    environment: &EnvironmentState<'_>,
    sum: &mut LinkSum<'_, T, S>,
    w: &LinkWork<T>,
    meshes: &mut usize,
    hulls: &mut [HullWork],
) -> (Wetness<T>, T) {
    let (g, up) = (environment.gravity, w.R_WL.r[2]);
    let (normal, height) = match environment.waves {
        None => (up, w.p_WL.z + up.dot(Vec3::splat(link.hull.p_LoH))),
        Some(_) => (w.surface_normal, w.height_above_surface),
    };
    let hydrostatics = link.restoring.as_ref().map(|hull| {
        let origin = height - normal.dot(Vec3::splat(link.hull.p_LoH));
        restoring::hydrostatic_force(hull, (normal, origin), &sum.F, g)
    });
    let (wetness, pressure) = match (&hydrostatics, &link.hull_mesh) {
        (Some(hydrostatics), mesh) => {
            *meshes += usize::from(mesh.is_some());
            let wetness = Wetness {
                wet: hydrostatics.wet,
                shift: Vec3::zero(),
            };
            (wetness, None)
        }
        (None, None) => (buoyancy::wetness_under(link, normal, height), None),
        (None, Some(mesh)) => {
            let hull = &mut hulls[*meshes];
            *meshes += 1;
            let (wetness, pressure) =
                mesh_hull::wetness_and_pressure(link, mesh, environment, w, height, hull);
            (wetness, Some(pressure))
        }
    };
    let p_WCb = || w.p_WL + w.R_WL.mul_vec(Vec3::splat(link.p_LoCb) + wetness.shift);
    let rho = water_column::density(environment.sea, g, p_WCb, environment.time);
    let F = match (&hydrostatics, &pressure) {
        (Some(hydrostatics), _) => hydrostatics.force,
        (None, None) => buoyancy::force(link, &wetness, up, rho * g),
        (None, Some(pressure)) => mesh_hull::force(link, environment, w, &wetness, pressure, rho),
    };
    sum.add(Law::Buoyancy, &F);
    (wetness, rho)
}

/// Adds the velocity products of a link and its added mass, and the forces of accelerating water,
/// to the sum. `V_r` is the velocity relative to the water, `rho` the density of the water
/// [kg/m³].
#[inline(always)]
fn add_velocity_products<T: Real, S: Sink>(
    link: &Link,
    environment: &EnvironmentState<'_>,
    sum: &mut LinkSum<'_, T, S>,
    w: &LinkWork<T>,
    V_r: &SpatialVelocity<T>,
    wetness: &Wetness<T>,
    rho: T,
) {
    let displaced = wetness.wet * (rho * link.volume_m3);
    let merged_lanes = if environment.is_still() && link.munk == MunkMoments::All {
        fully_submerged_lanes(wetness.wet)
    } else {
        LaneCondition::None
    };
    let water = RelativeWater {
        V_r: *V_r,
        displaced,
    };
    let before = sum.F;
    sum.F = match merged_lanes {
        LaneCondition::All => merged_velocity_products(link, before, w),
        LaneCondition::None => velocity_products(link, before, w, &water, wetness),
        LaneCondition::Some => mixed_velocity_products(link, before, w, &water, wetness),
    };
    let (i, after) = (sum.link, sum.F);
    // the pressure of the accelerating water belongs to the waves
    let pressure = || {
        let f = w.water_acceleration.scale(displaced);
        let p_LoCb = Vec3::splat(link.p_LoCb) + wetness.shift;
        SpatialForce::new(p_LoCb.cross(f), f)
    };
    sum.sink.add(Law::Buoyancy, None, i, pressure);
    sum.sink.add(Law::AddedMass, None, i, || {
        let rigid = rigid_body::velocity_product(&link.rigid, &w.V);
        after - before - rigid - pressure()
    });
}

/// Returns the forces on hulls at the surface beyond buoyancy, added mass and damping; used by few
/// links.
#[inline(never)]
fn surface_forces<T: Real, S: Sink>(
    link: &Link,
    i: usize,
    environment: &EnvironmentState<'_>,
    w: &LinkWork<T>,
    memory: &mut RadiationWork<T>,
    stage: usize,
    sink: &mut S,
) -> SpatialForce<T> {
    let mut sum = LinkSum {
        F: SpatialForce::zero(),
        link: i,
        sink,
    };
    link::surface(link, environment, w, &mut sum);
    if let Some(radiation) = &link.radiation {
        let F = radiation::force(radiation, environment, w, memory, stage);
        sum.add(Law::Radiation, &F);
    }
    sum.F
}

/// Computes all efforts on the joints, and the accelerations of joints with a position drive, into
/// `work`.
#[inline(always)]
pub fn joint_efforts<T: Real>(
    robot: &Robot,
    motion: &Motion<T>,
    joint_commands: &[T],
    work: &mut Workspace<T>,
) {
    for (j, link) in robot.links[1..].iter().enumerate() {
        work.tau[j] = joint::effort(link, joint_commands[j], motion.q[j], motion.qd[j]);
        if let Drive::Position { .. } = link.joint.drive {
            work.qdd[j] =
                joint::prescribed_acceleration(link, joint_commands[j], motion.q[j], motion.qd[j]);
        }
    }
}

/// Adds weight, velocity product and inertia of the water in flooded compartments of a link.
#[cold]
#[inline(never)]
fn add_flood_water<T: Real, S: Sink>(
    water: &SpatialInertia,
    i: usize,
    w: &mut LinkWork<T>,
    gravity: f64,
    sink: &mut S,
) {
    let (mass, moment) = (water.D.xx, &water.B);
    let down = w.R_WL.r[2].scale(T::splat(-gravity));
    // B is the mass times the cross-product matrix of the position of the water
    let water_center = Vec3::new(moment.r[2].y, moment.r[0].z, moment.r[1].x);
    let weight = SpatialForce {
        m: Vec3::splat(water_center).cross(down),
        f: down.scale(T::splat(mass)),
    };
    sink.add(Law::Flooding, None, i, || weight);
    w.F = w.F + weight + rigid_body::velocity_product(water, &w.V);
    w.inertia += SpatialInertia::splat(*water);
}

/// Motion of a link relative to the water for the added mass.
struct RelativeWater<T> {
    /// Velocity of the link relative to the water, at Lo in L.
    V_r: SpatialVelocity<T>,
    /// Mass of the displaced water [kg].
    displaced: T,
}

/// Returns `F` plus the velocity products of a fully wet link in still water, where rigid and added
/// mass share one velocity.
#[inline(always)]
fn merged_velocity_products<T: Real>(
    link: &Link,
    F: SpatialForce<T>,
    w: &LinkWork<T>,
) -> SpatialForce<T> {
    F + rigid_body::velocity_product(&link.total, &w.V)
}

/// Returns `F` plus the velocity products of the link and the forces of accelerating water.
#[inline(always)]
fn velocity_products<T: Real>(
    link: &Link,
    F: SpatialForce<T>,
    w: &LinkWork<T>,
    water: &RelativeWater<T>,
    wetness: &Wetness<T>,
) -> SpatialForce<T> {
    let F = F + rigid_body::velocity_product(&link.rigid, &w.V);
    let p_LoCb = Vec3::splat(link.p_LoCb) + wetness.shift;
    F + added_mass::force(
        link,
        &w.V,
        &water.V_r,
        w.water,
        w.water_acceleration,
        (wetness.wet, water.displaced),
        p_LoCb,
    )
}

/// Returns the same as [`velocity_products`] if lanes differ: each is bit-identical to a separate
/// evaluation. Outlined, because it is rare and large.
#[cold]
#[inline(never)]
fn mixed_velocity_products<T: Real>(
    link: &Link,
    F: SpatialForce<T>,
    w: &LinkWork<T>,
    water: &RelativeWater<T>,
    wetness: &Wetness<T>,
) -> SpatialForce<T> {
    let separate = velocity_products(link, F, w, water, wetness);
    merged_velocity_products(link, F, w).select_lanes(separate, |i| wetness.wet.lane(i) == 1.0)
}

/// Returns the inertia if lanes differ, as in [`mixed_velocity_products`].
#[cold]
#[inline(never)]
fn mixed_inertia<T: Real>(link: &Link, wet: T) -> SpatialInertia<T> {
    SpatialInertia::splat(link.total)
        .select_lanes(partly_wet_inertia(link, wet), |i| wet.lane(i) == 1.0)
}

/// Returns the rigid inertia plus the wet fraction of the added mass.
#[inline(always)]
fn inertia<T: Real>(link: &Link, wet: T) -> SpatialInertia<T> {
    match fully_submerged_lanes(wet) {
        LaneCondition::All => SpatialInertia::splat(link.total),
        LaneCondition::None => partly_wet_inertia(link, wet),
        LaneCondition::Some => mixed_inertia(link, wet),
    }
}

/// Returns the rigid inertia plus the wet fraction of the added mass, for a link that is not fully
/// wet.
#[inline(always)]
fn partly_wet_inertia<T: Real>(link: &Link, wet: T) -> SpatialInertia<T> {
    SpatialInertia::splat(link.rigid) + SpatialInertia::splat(link.added).scale(wet)
}
