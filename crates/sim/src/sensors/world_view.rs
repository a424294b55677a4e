//! Inputs of exteroceptive sensors at one instant: a snapshot of the world.

use crate::robot::Runner;
<<<<<<< ours
||||||| base
use merrow_environment::EnvironmentState;
use merrow_math::{SpatialVelocity, Vec3};
=======
use merrow_environment::EnvironmentState;
use merrow_environment::air::wind;
use merrow_math::{SpatialVelocity, Vec3};
>>>>>>> theirs
use merrow_model::kinematics;
<<<<<<< ours
||||||| base
use merrow_model::scene::sensor::ExteroceptiveSpec;
=======
use merrow_model::scene::sea::Sea;
use merrow_model::scene::sensor::ExteroceptiveSpec;
>>>>>>> theirs
use merrow_model::scene::sensor::camera::Lamp;
<<<<<<< ours
use merrow_model::scene::{Robot, Scene};
||||||| base
use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::scene::{Robot, Scene, Sensor};
=======
use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::scene::{Fin, Robot, Scene, Sensor};
>>>>>>> theirs
use merrow_model::state::frames::view::WorldView;
<<<<<<< ours
use merrow_model::state::{FaultEffect, RobotState, State};
||||||| base
use merrow_model::state::{FaultEffect, RobotState, State};
use merrow_sensors::ray_scene::RayScene;
use merrow_sensors::sample::Pose;
use merrow_sensors::sonar::interference;
use merrow_sensors::sonar::interference::Burst;
use merrow_sensors::sonar::medium::Medium;
=======
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{FaultEffect, FinState, RobotState, State};
use merrow_physics::forces::actuators::sail;
use merrow_sensors::ray_scene::RayScene;
use merrow_sensors::sample::Pose;
use merrow_sensors::sonar::interference;
use merrow_sensors::sonar::interference::Burst;
use merrow_sensors::sonar::medium::Medium;
>>>>>>> theirs

/// Takes a snapshot of the world at the current instant; `beacons` are the effects of faults on the
/// beacons.
pub(crate) fn snapshot(
    scene: &Scene,
    state: &State,
    runners: &mut [Runner],
    beacons: Vec<FaultEffect>,
) -> WorldView {
    let (mut links, mut velocities, mut fins) = (Vec::new(), Vec::new(), Vec::new());
    let time = state.time_ns as f64 * 1e-9;
    for ((robot, own), runner) in scene.robots.iter().zip(&state.robots).zip(runners) {
        let work = &mut runner.work.links;
        kinematics::poses(robot, &own.motion, work);
        kinematics::velocities(robot, &own.motion, work);
        let angle = |(fin, memory): (&Fin, &FinState)| {
            if fin.sail {
                boom_angle(fin, &work[fin.link], memory.angle, &state.sea, time)
            } else {
                memory.angle
            }
        };
        fins.push(robot.fins.iter().zip(&own.fins).map(angle).collect());
        links.push(work.iter().map(|w| (w.R_WL, w.p_WL)).collect());
        velocities.push(work.iter().map(|w| w.V).collect());
    }
    let level = |own: &RobotState, lamp: &Lamp| match lamp.load {
        _ if !own.battery.is_on() => 0.0,
        Some(load) => own.loads[load],
        None => 1.0,
    };
    let of_robot = |(robot, own): (&Robot, &RobotState)| {
        robot.lamps.iter().map(|lamp| level(own, lamp)).collect()
    };
    let lamps = scene
        .robots
        .iter()
        .zip(&state.robots)
        .map(of_robot)
        .collect();
    let powered = state.robots.iter().map(|own| own.battery.is_on()).collect();
    let dead_of = |own: &RobotState| own.sensors.iter().map(|memory| memory.fault.dead).collect();
    let dead = state.robots.iter().map(dead_of).collect();
    WorldView {
        time_ns: state.time_ns,
        sea: state.sea.clone(),
        links,
        fins,
        lamps,
        powered,
        dead,
        beacons,
        velocities,
    }
}
<<<<<<< ours
||||||| base

/// Computes the pulses of other sonars that a ping receives.
pub(crate) fn interfering_pulses(
    scene: &Scene,
    (spec, sensor): (&SonarSpec, usize),
    stage: &RayScene,
    view: &WorldView,
    environment: &EnvironmentState<'_>,
    own: &Pose,
) -> Vec<Burst> {
    let mut out = Vec::new();
    if !spec.interference {
        return out;
    }
    let mut medium = None;
    for (r, robot) in scene
        .robots
        .iter()
        .enumerate()
        .filter(|(r, _)| view.powered[*r])
    {
        for (s, device) in robot
            .sensors
            .iter()
            .enumerate()
            .filter(|(s, _)| !view.dead[r][*s])
        {
            let Some(ExteroceptiveSpec::Sonar(other)) =
                device.kind.exteroceptive().map(|spec| &**spec)
            else {
                continue;
            };
            if (r, s) == (own.robot, sensor) || !interference::bands_overlap(spec, other) {
                continue;
            }
            let there = sensor_pose(view, r, device);
            let way = own.p_WS - there.p_WS;
            let distance = way.norm();
            if environment.height_above_surface(there.p_WS) >= 0.0
                || stage.is_occluded_between(view, [r, own.robot], [there.p_WS, own.p_WS])
            {
                continue;
            }
            let medium = medium.get_or_insert_with(|| {
                Medium::from_water_near(environment, own.p_WS, spec.limits[1], spec.frequency)
            });
            let towards = other.sensor_to_acoustic(there.R_WS.tr_mul_vec(way));
            let from = spec.sensor_to_acoustic(own.R_WS.tr_mul_vec(way.scale(-1.0)));
            let geometry = (distance, towards, from);
            interference::bursts(
                spec,
                (device, other),
                geometry,
                medium,
                view.time_ns,
                &mut out,
            );
        }
    }
    out
}

/// Returns the pose and velocity of a sensor in a snapshot.
pub(crate) fn sensor_pose(view: &WorldView, robot: usize, sensor: &Sensor) -> Pose {
    let (R_WL, p_WL) = &view.links[robot][sensor.link];
    let (V, p) = (view.velocities[robot][sensor.link], sensor.p_LoS);
    let (mut R, mut w) = (sensor.R_LS, Vec3::zero());
    // each beam of a laser has its own tilt; a ping has one tilt
    if let Some(ExteroceptiveSpec::Sonar(SonarSpec {
        tilt: Some(tilt), ..
    })) = sensor.kind.exteroceptive().map(|l| &**l)
    {
        R = R.mul_mat(&tilt.axes(view.time_ns));
        w.y = tilt.speed(view.time_ns);
    }
    let v_S = V.v + V.w.cross(p);
    Pose {
        robot,
        R_WS: R_WL.mul_mat(&R),
        p_WS: *p_WL + R_WL.mul_vec(p),
        V_WS_S: SpatialVelocity {
            w: R.tr_mul_vec(V.w) + w,
            v: R.tr_mul_vec(v_S),
        },
    }
}
=======

/// Returns the angle of the boom of a sail [rad] in the wind at its mast, for the limit `sheet` of
/// its sheet [rad] and the time [s].
fn boom_angle(fin: &Fin, link: &LinkWork, sheet: f64, sea: &Sea, time: f64) -> f64 {
    let p_WF = link.p_WL + link.R_WL.mul_vec(fin.p_LoF);
    let wind = link
        .R_WL
        .tr_mul_vec(wind::wind_velocity(&sea.air, p_WF, time));
    let a = wind - link.V.v - link.V.w.cross(fin.p_LoF);
    sail::boom_angle(-a.dot(fin.R_LF.col(0)), -a.dot(fin.R_LF.col(1)), sheet)
}

/// Computes the pulses of other sonars that a ping receives.
pub(crate) fn interfering_pulses(
    scene: &Scene,
    (spec, sensor): (&SonarSpec, usize),
    stage: &RayScene,
    view: &WorldView,
    environment: &EnvironmentState<'_>,
    own: &Pose,
) -> Vec<Burst> {
    let mut out = Vec::new();
    if !spec.interference {
        return out;
    }
    let mut medium = None;
    for (r, robot) in scene
        .robots
        .iter()
        .enumerate()
        .filter(|(r, _)| view.powered[*r])
    {
        for (s, device) in robot
            .sensors
            .iter()
            .enumerate()
            .filter(|(s, _)| !view.dead[r][*s])
        {
            let Some(ExteroceptiveSpec::Sonar(other)) =
                device.kind.exteroceptive().map(|spec| &**spec)
            else {
                continue;
            };
            if (r, s) == (own.robot, sensor) || !interference::bands_overlap(spec, other) {
                continue;
            }
            let there = sensor_pose(view, r, device);
            let way = own.p_WS - there.p_WS;
            let distance = way.norm();
            if environment.height_above_surface(there.p_WS) >= 0.0
                || stage.is_occluded_between(view, [r, own.robot], [there.p_WS, own.p_WS])
            {
                continue;
            }
            let medium = medium.get_or_insert_with(|| {
                Medium::from_water_near(environment, own.p_WS, spec.limits[1], spec.frequency)
            });
            let towards = other.sensor_to_acoustic(there.R_WS.tr_mul_vec(way));
            let from = spec.sensor_to_acoustic(own.R_WS.tr_mul_vec(way.scale(-1.0)));
            let geometry = (distance, towards, from);
            interference::bursts(
                spec,
                (device, other),
                geometry,
                medium,
                view.time_ns,
                &mut out,
            );
        }
    }
    out
}

/// Returns the pose and velocity of a sensor in a snapshot.
pub(crate) fn sensor_pose(view: &WorldView, robot: usize, sensor: &Sensor) -> Pose {
    let (R_WL, p_WL) = &view.links[robot][sensor.link];
    let (V, p) = (view.velocities[robot][sensor.link], sensor.p_LoS);
    let (mut R, mut w) = (sensor.R_LS, Vec3::zero());
    // each beam of a laser has its own tilt; a ping has one tilt
    if let Some(ExteroceptiveSpec::Sonar(SonarSpec {
        tilt: Some(tilt), ..
    })) = sensor.kind.exteroceptive().map(|l| &**l)
    {
        R = R.mul_mat(&tilt.axes(view.time_ns));
        w.y = tilt.speed(view.time_ns);
    }
    let v_S = V.v + V.w.cross(p);
    Pose {
        robot,
        R_WS: R_WL.mul_mat(&R),
        p_WS: *p_WL + R_WL.mul_vec(p),
        V_WS_S: SpatialVelocity {
            w: R.tr_mul_vec(V.w) + w,
            v: R.tr_mul_vec(v_S),
        },
    }
}
>>>>>>> theirs
