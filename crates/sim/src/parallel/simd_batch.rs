//! SIMD batch: steps robots of the same model together, one robot per vector lane.
//!
//! Every lane is bit-identical to the robot stepped separately (`crates/math/src/real.rs`), so the
//! composition of a batch does not change results. Electronics, sensors and battery are evaluated
//! robot by robot, as for a robot stepped separately.

use crate::environment_cache::EnvironmentCache;
use crate::robot::{Moment, Runner, Step};
use crate::step::Kernel;
use merrow_math::{F64x4, Quat, Real, SpatialForce, Vec3, f64x4};
use merrow_model::scene::{Robot, Thruster};
use merrow_model::state::{Motion, RobotState, Workspace};
use merrow_physics::forces::external;
use merrow_sensors as sensors;

/// Number of robots in a SIMD batch.
const BATCH_SIZE: usize = F64x4::LANES;

/// Adjacent robots in the list of the world that step together: a SIMD batch, or one robot.
#[derive(Debug)]
pub(crate) struct RobotGroup {
    /// Number of robots in the group.
    pub len: usize,
    batch: Option<Box<SimdBatch>>,
}

/// Workspace of a SIMD batch; contains no state that is needed to resume.
#[derive(Debug)]
struct SimdBatch {
    motion: Motion<F64x4>,
    work: Workspace<F64x4>,
    environment_cache: EnvironmentCache,
    kernel: Kernel,
    /// True if the only actuators are fixed thrusters whose thrust does not depend on the inflow.
    fixed_without_inflow: bool,
}

impl RobotGroup {
    /// Splits all robots into groups, in their order.
    pub(crate) fn split_robots(robots: &[Robot]) -> Vec<Self> {
        let is_here = f64x4::is_supported();
        let (mut groups, mut rest) = (Vec::new(), robots);
        while let Some(first) = rest.first() {
            let batch = rest.get(..BATCH_SIZE).filter(|items| {
                is_here && can_batch(first) && items.iter().all(|r| are_identical(first, r))
            });
            let len = batch.map_or(1, <[Robot]>::len);
            groups.push(Self {
                len,
                batch: batch.map(|_| Box::new(SimdBatch::new(first))),
            });
            rest = &rest[len..];
        }
        groups
    }

    /// Advances all robots of the group by one step.
    pub(crate) fn step(
        &mut self,
        at: Moment<'_>,
        robots: &[Robot],
        runners: &mut [Runner],
        states: &mut [RobotState],
    ) {
        match &mut self.batch {
            // a robot with faults may have another mass than its neighbours
            Some(batch)
                if states
                    .iter()
                    .all(|s| s.halted.is_none() && s.faults.is_empty()) =>
            {
                batch.step(at, robots, runners, states);
            }
            _ => {
                for ((runner, state), robot) in runners.iter_mut().zip(states).zip(robots) {
                    runner.step(at, robot, state);
                }
            }
        }
    }
}

/// Returns true if only the kernel moves the robot and SIMD lanes save time: joints have their own
/// controllers, mesh hulls are cut one robot at a time in any case, and actors have a force of
/// their own.
fn can_batch(robot: &Robot) -> bool {
    let base = &robot.links[0];
    let is_plain = base.hull_mesh.is_none() && base.radiation.is_none();
    robot.n_joints() == 0 && is_plain && robot.route.is_none()
}

/// Returns true if two robots are identical for the kernel.
fn are_identical(a: &Robot, b: &Robot) -> bool {
    let parts =
        a.thrusters == b.thrusters && a.fins == b.fins && a.buoyancy_engines == b.buoyancy_engines;
    a.floating == b.floating && a.links == b.links && parts
}

impl SimdBatch {
    fn new(robot: &Robot) -> Self {
        Self {
            motion: Motion::at_rest(0),
            work: Workspace::new(robot),
            environment_cache: EnvironmentCache::default(),
            kernel: Kernel::new(),
            fixed_without_inflow: robot
                .thrusters
                .iter()
                .all(Thruster::is_fixed_without_inflow)
                && robot.fins.is_empty()
                && robot.buoyancy_engines.is_empty(),
        }
    }

    fn step(
        &mut self,
        at: Moment<'_>,
        robots: &[Robot],
        runners: &mut [Runner],
        states: &mut [RobotState],
    ) {
        let (motion, work, kernel) = (&mut self.motion, &mut self.work, self.kernel);
        let static_geometry = runners[0].static_geometry();
        let step = Step {
            scene: at.scene,
            now_ns: at.now_ns,
            environment: self.environment_cache.step_environment(at),
            static_geometry: static_geometry.as_deref(),
        };
        let each = || robots.iter().zip(0..);
        for (robot, i) in each() {
            step.begin(robot, &mut states[i], &mut runners[i].work);
        }
        let robot = &robots[0];
        gather_motion(states, motion);
        if self.fixed_without_inflow
            && states
                .iter()
                .zip(&*runners)
                .all(|(s, r)| external::has_no_external_force(s, &r.work))
        {
            kernel.drive(robot, &step.environment[0], motion, states, work);
        } else {
            for (robot, i) in each() {
                step.advance_actuators(robot, &mut states[i], &mut runners[i].work);
            }
            gather_actuators(robot, runners, work);
        }
        kernel.evaluate(robot, &step.environment[0], motion, &[], work);
        observe_robots(&step, robots, work, runners, states);
        let how = (at.scene.integrator, at.scene.dt());
        kernel.advance(robot, how, &step.environment, motion, &[], work);
        finish_robots(&step, robots, motion, runners, states);
    }
}

/// Copies the evaluated base from the lanes where a robot needs it, then reads the sensors and
/// advances the battery of each robot.
fn observe_robots(
    step: &Step<'_>,
    robots: &[Robot],
    work: &Workspace<F64x4>,
    runners: &mut [Runner],
    states: &mut [RobotState],
) {
    for (i, ((robot, runner), state)) in robots.iter().zip(runners).zip(states).enumerate() {
        if robot.inflow
            || !robot.solar_panels.is_empty()
            || robot.rotors
            || !robot.fins.is_empty()
            || state
                .sensors
                .iter()
                .any(|s| sensors::is_due(s, step.now_ns))
        {
            runner.work.links[0] = work.links[0].lane(i);
        }
        step.observe(robot, state, &mut runner.work, &mut runner.outbox);
    }
}

/// Copies the motions from the lanes to the robots and ends the step of each robot.
fn finish_robots(
    step: &Step<'_>,
    robots: &[Robot],
    motion: &Motion<F64x4>,
    runners: &[Runner],
    states: &mut [RobotState],
) {
    for (i, ((robot, runner), state)) in robots.iter().zip(runners).zip(states).enumerate() {
        let own = &mut state.motion;
        let from = own.pose();
        own.q_WB = motion.q_WB.lane(i);
        own.p_WB = motion.p_WB.lane(i);
        own.V_WB_B = motion.V_WB_B.lane(i);
        step.finish(robot, state, from, &runner.work);
    }
}

/// Copies the motions of the robots into the lanes.
fn gather_motion(states: &[RobotState], motion: &mut Motion<F64x4>) {
    let of = |i: usize| &states[i].motion;
    motion.q_WB = Quat::from_lanes(|i| of(i).q_WB);
    motion.p_WB = Vec3::from_lanes(|i| of(i).p_WB);
    motion.V_WB_B.w = Vec3::from_lanes(|i| of(i).V_WB_B.w);
    motion.V_WB_B.v = Vec3::from_lanes(|i| of(i).V_WB_B.v);
}

/// Copies the actuator outputs of the robots into the lanes.
fn gather_actuators(robot: &Robot, runners: &[Runner], work: &mut Workspace<F64x4>) {
    let of = |i: usize| &runners[i].work;
    // without inflow the thrust already contains the thrusters
    let thrusters = if robot.inflow || robot.rotors || !robot.fins.is_empty() {
        work.drive.len()
    } else {
        0
    };
    for stage in 0..3 {
        work.thrust[0][stage] = SpatialForce::from_lanes(|i| of(i).thrust[0][stage]);
        for k in 0..thrusters {
            work.drive[k][stage] = F64x4::from_lanes(|i| of(i).drive[k][stage]);
            work.drive_rate[k][stage] = F64x4::from_lanes(|i| of(i).drive_rate[k][stage]);
        }
        for (k, volume) in work.buoyancy_engine_volumes.iter_mut().enumerate() {
            volume[stage] = F64x4::from_lanes(|i| of(i).buoyancy_engine_volumes[k][stage]);
        }
        for (k, fin) in work.fins.iter_mut().enumerate() {
            fin.angle[stage] = F64x4::from_lanes(|i| of(i).fins[k].angle[stage]);
        }
    }
    for (k, fin) in work.fins.iter_mut().enumerate() {
        fin.area_fraction = F64x4::from_lanes(|i| of(i).fins[k].area_fraction);
    }
}
