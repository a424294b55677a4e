//! One step of one robot: evaluation, joint controllers, due sensors, battery and integration.

use crate::computers::input::push_input;
use crate::control::energy::power;
use crate::control::joints;
use crate::control::joints::Now;
use crate::control::{command, fault, firmware};
use merrow_environment as environment;
use merrow_environment::EnvironmentState;
use merrow_math::{Quat, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Robot, Scene, Sea};
use merrow_model::state::computer::InputData;
use merrow_model::state::{Halt, JointDriveState, RobotState, SensorState, Workspace};
use merrow_physics::forces::actuators::{buoyancy_engine, fin, thruster};
use merrow_physics::forces::contributions::{Contribution, Law, Sink};
use merrow_physics::forces::hydrodynamics::radiation;
use merrow_physics::forces::{external, sum};
use merrow_sensors as sensors;
use merrow_sensors::ray_scene::StaticGeometry;
use merrow_sensors::{Delivered, SensorEnvironment};

use crate::environment_cache::EnvironmentCache;
use crate::step::Kernel;
use std::sync::Arc;

/// Upper bound of the angle of a rotation below 0.5 rad per change of its quaternion, with a margin
/// for its norm [rad].
const TURN_PER_CHORD: f64 = 2.02;

/// Instant of a world.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Constant description of the world.
    pub scene: &'a Scene,
    /// Sea at the instant.
    pub sea: &'a Sea,
    /// Simulated time [ns].
    pub now_ns: u64,
}

impl<'a> Moment<'a> {
    /// Creates the instant at `now_ns` [ns].
    pub fn new(scene: &'a Scene, sea: &'a Sea, now_ns: u64) -> Self {
        Self { scene, sea, now_ns }
    }
}

/// Workspace and outbox of one robot; contains no state that is needed to resume.
#[derive(Debug)]
pub struct Runner {
    /// Derived data of the current evaluation.
    pub work: Workspace,
    /// Readings delivered since the outbox was last emptied.
    pub outbox: Vec<Delivered>,
    pub(crate) environment_cache: EnvironmentCache,
    kernel: Kernel,
    static_geometry: Option<Arc<StaticGeometry>>,
    mark: Mark,
}

/// Pose of the base and length of the outbox at the start of a block, and the largest motion since
/// then.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    p_WB: Vec3,
    q_WB: Quat,
    outbox_len: usize,
    /// Square of the largest distance [m²].
    distance2: f64,
    /// Square of the largest difference of the quaternion.
    turn2: f64,
}

impl Runner {
    /// Creates the workspace of `robot` in a world without static structures.
    pub fn new(robot: &Robot) -> Self {
        let outbox = Vec::with_capacity(8 * robot.sensors.len());
        Self {
            work: Workspace::new(robot),
            outbox,
            environment_cache: EnvironmentCache::default(),
            kernel: Kernel::new(),
            static_geometry: None,
            mark: Mark::default(),
        }
    }

    /// Creates the workspace of `robot`, whose sensors measure the `static_geometry` of the world.
    pub(crate) fn with_static_geometry(
        robot: &Robot,
        static_geometry: Option<Arc<StaticGeometry>>,
    ) -> Self {
        Self {
            static_geometry,
            ..Self::new(robot)
        }
    }

    /// Returns the static geometry of the world, if there is any.
    pub(crate) fn static_geometry(&self) -> Option<Arc<StaticGeometry>> {
        self.static_geometry.clone()
    }

    /// Advances `robot` by one step.
    pub fn step(&mut self, at: Moment<'_>, robot: &Robot, state: &mut RobotState) {
        if state.halted.is_some() {
            return;
        }
        let (work, outbox, kernel) = (&mut self.work, &mut self.outbox, self.kernel);
        let step = Step {
            scene: at.scene,
            now_ns: at.now_ns,
            environment: self.environment_cache.step_environment(at),
            static_geometry: self.static_geometry.as_deref(),
        };
        step.begin(robot, state, work);
        step.advance_actuators(robot, state, work);
        kernel.evaluate(
            robot,
            &step.environment[0],
            &state.motion,
            &state.joint_commands,
            work,
        );
        if step.control(robot, state, work) {
            kernel.accelerate(robot, &state.motion, &state.joint_commands, work);
        }
        step.observe(robot, state, work, outbox);
        let how = (at.scene.integrator, at.scene.dt());
        let from = state.motion.pose();
        kernel.advance(
            robot,
            how,
            &step.environment,
            &mut state.motion,
            &state.joint_commands,
            work,
        );
        step.finish(robot, state, from, work);
    }

    /// Stores the pose of the robot and the length of the outbox, and starts to track its motion.
    pub(crate) fn start_motion_tracking(&mut self, state: &RobotState) {
        self.mark = Mark {
            p_WB: state.motion.p_WB,
            q_WB: state.motion.q_WB,
            outbox_len: self.outbox.len(),
            ..Mark::default()
        };
    }

    /// Updates the largest motion since the mark after a step.
    pub(crate) fn update_excursion(&mut self, state: &RobotState) {
        let (mark, motion) = (&mut self.mark, &state.motion);
        let way = motion.p_WB - mark.p_WB;
        mark.distance2 = mark.distance2.max(way.dot(way));
        let (a, b) = (&motion.q_WB, &mark.q_WB);
        let d = [a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z];
        mark.turn2 = mark.turn2.max(d.iter().map(|d| d * d).sum());
    }

    /// Returns the largest distance of the robot from the mark since it was set [m].
    pub fn excursion(&self) -> f64 {
        self.mark.distance2.sqrt()
    }

    /// Returns an upper bound of the largest angle from the attitude at the mark since it was set
    /// [rad], for angles below 0.5 rad.
    pub(crate) fn max_rotation(&self) -> f64 {
        // a rotation by t changes the quaternion by 2 sin(t/4), at least 0.498 t
        self.mark.turn2.sqrt() * TURN_PER_CHORD
    }

    /// Discards the readings delivered since the mark.
    pub(crate) fn discard_since_mark(&mut self) {
        self.outbox.truncate(self.mark.outbox_len);
    }

    /// Evaluates the poses of all links at the current state, for the contacts.
    pub(crate) fn evaluate_poses(&mut self, robot: &Robot, state: &RobotState) {
        kinematics::poses(robot, &state.motion, &mut self.work.links);
    }
}

impl AsRef<Workspace> for Runner {
    fn as_ref(&self) -> &Workspace {
        &self.work
    }
}

impl AsMut<Workspace> for Runner {
    fn as_mut(&mut self) -> &mut Workspace {
        &mut self.work
    }
}

impl Runner {
    /// Reads the sensors that are due, before the step that starts there.
    ///
    /// Called after every block, so that a client that requested some steps receives the readings
    /// of the instant at which they end. The next step does not read these sensors again. The
    /// readings are bit-identical to those that the step would produce.
    pub fn read_due_sensors(&mut self, at: Moment<'_>, robot: &Robot, state: &mut RobotState) {
        let is_due = |s: &SensorState| sensors::is_due(s, at.now_ns);
        if state.halted.is_some() || !state.sensors.iter().any(is_due) {
            return;
        }
        self.evaluate(at, robot, state);
        let environment = &self.environment_cache.start_environment(at);
        let (work, outbox) = (&mut self.work, &mut self.outbox);
        let sensor_environment = SensorEnvironment {
            environment,
            origin: &at.scene.origin,
            static_geometry: self.static_geometry.as_deref(),
        };
        read_sensors(robot, state, work, &sensor_environment, at.now_ns, outbox);
    }

    /// Evaluates the state and leaves the result in the workspace, identical to the result of the
    /// step that starts there.
    pub fn evaluate(&mut self, at: Moment<'_>, robot: &Robot, state: &mut RobotState) {
        self.evaluate_into(at, robot, state, &mut ());
    }

    /// Returns a copy with the same workspace and an empty outbox.
    pub(crate) fn with_copied_workspace(&self, robot: &Robot) -> Self {
        Self {
            work: self.work.clone(),
            ..Self::new(robot)
        }
    }

    /// Does the same as [`Runner::evaluate`] and returns the contributions to the forces on the
    /// links. Tethers, contacts and couplings have the forces of the last step, and the
    /// accelerations in the workspace include its impulses.
    pub(crate) fn contributions(
        &mut self,
        at: Moment<'_>,
        robot: &Robot,
        state: &mut RobotState,
    ) -> Vec<Contribution> {
        let mut sink = Vec::new();
        self.evaluate_into(at, robot, state, &mut sink);
        let environment = self.environment_cache.start_environment(at);
        sum::sum_links(robot, &environment, 0, &mut self.work, &mut sink);
        if state.impulse_acceleration.is_nonzero {
            add_impulse_accelerations(robot, state, &mut self.work);
        }
        for (i, (link, w)) in robot.links.iter().zip(&self.work.links).enumerate() {
            let F = link.added.mul(&w.A);
            let part = -w.submerged_fraction;
            sink.add(Law::AddedMass, None, i, || F.scale(part));
        }
        if state.impulse_acceleration.has_current_forces {
            add_constraint_forces(state, &self.work, &mut sink);
        }
        sink
    }

    /// Does the same as [`Runner::evaluate`] and passes the wrenches in `work.thrust` to `sink`.
    fn evaluate_into(
        &mut self,
        at: Moment<'_>,
        robot: &Robot,
        state: &mut RobotState,
        sink: &mut impl Sink,
    ) {
        let environment = self.environment_cache.start_environment(at);
        let work = &mut self.work;
        let step = Step {
            scene: at.scene,
            now_ns: at.now_ns,
            environment: [environment; 3],
            static_geometry: None,
        };
        step.begin(robot, state, work);
        kinematics::poses(robot, &state.motion, &mut work.links);
        fin::store_current(robot, state, work);
        thruster::store_current(robot, state, &environment, work, sink);
        buoyancy_engine::store_current(robot, state, work);
        external::add_external_forces(robot, state, at.now_ns, work, sink);
        radiation::load_filter_states(robot, state, work);
        self.kernel.evaluate(
            robot,
            &environment,
            &state.motion,
            &state.joint_commands,
            work,
        );
        // the step skips the joint controllers, which have run for this instant
        if step.control(robot, state, work) {
            self.kernel
                .accelerate(robot, &state.motion, &state.joint_commands, work);
        }
    }
}

/// Per-robot parts of a step. The two kernel calls are made between `advance_actuators`, `control`
/// and `observe`, and before `finish`.
pub(crate) struct Step<'a> {
    /// Scene of the world.
    pub scene: &'a Scene,
    /// Start of the step [ns].
    pub now_ns: u64,
    /// Environment at the start, midpoint and end of the step.
    pub environment: [EnvironmentState<'a>; 3],
    /// Static geometry of the world.
    pub static_geometry: Option<&'a StaticGeometry>,
}

impl Step<'_> {
    /// Applies command time-outs and faults, and runs the firmware.
    pub(crate) fn begin(&self, robot: &Robot, state: &mut RobotState, work: &mut Workspace) {
        command::time_out(robot, state, self.now_ns);
        external::remove_ended_wrenches(state, self.now_ns);
        fault::prepare(
            robot,
            state,
            work,
            self.now_ns,
            self.environment[0].sea.density,
        );
        firmware::advance(robot, state, &self.environment[0], self.now_ns);
        power::cut_power(robot, state);
    }

    /// Advances the actuators towards their commands; leaves their stage-independent results in
    /// `work`.
    pub(crate) fn advance_actuators(
        &self,
        robot: &Robot,
        state: &mut RobotState,
        work: &mut Workspace,
    ) {
        kinematics::poses(robot, &state.motion, &mut work.links);
        fin::prepare_step(robot, state, self.scene.dt(), work);
        thruster::prepare_step(robot, state, &self.environment[0], work);
        let pressure = |p: Vec3| self.environment[0].water_pressure(p);
        buoyancy_engine::prepare_step(robot, state, self.scene.dt(), pressure, work);
        external::add_external_forces(robot, state, self.now_ns, work, &mut ());
        radiation::load_filter_states(robot, state, work);
    }

    /// Runs the joint controllers; returns true if they changed the accelerations.
    pub(crate) fn control(
        &self,
        robot: &Robot,
        state: &mut RobotState,
        work: &mut Workspace,
    ) -> bool {
        joints::advance(robot, state, work, self.now(state))
    }

    /// Returns the instant of the step at the robot.
    fn now(&self, state: &RobotState) -> Now {
        Now {
            ns: self.now_ns,
            dt: self.scene.dt(),
            ambient: self.environment[0].temperature(state.motion.p_WB),
            powered: state.battery.is_on(),
        }
    }

    /// Reads the due sensors from the evaluation at the start of the step, then advances battery,
    /// temperatures and leaks.
    pub(crate) fn observe(
        &self,
        robot: &Robot,
        state: &mut RobotState,
        work: &mut Workspace,
        outbox: &mut Vec<Delivered>,
    ) {
        thruster::store_thrust(robot, state, work, &self.environment[0]);
        fin::store_shaft_moments(robot, state, work, &self.environment[0]);
        let sensor_environment = SensorEnvironment {
            environment: &self.environment[0],
            origin: &self.scene.origin,
            static_geometry: self.static_geometry,
        };
        read_sensors(robot, state, work, &sensor_environment, self.now_ns, outbox);
        let now = self.now(state);
        power::advance(robot, state, work, &sensor_environment, now);
        fault::advance_flooding(robot, state, work, &self.environment[0], now.ns, now.dt);
        work.V_start = state.motion.V_WB_B;
        work.qd_start.copy_from_slice(&state.motion.qd);
        work.A_start = work.links[0].A;
        work.qdd_start.copy_from_slice(&work.qdd);
    }

    /// Advances the radiation state. Halts a robot whose state is no longer finite, at its pose
    /// `from` of the start of the step.
    pub(crate) fn finish(
        &self,
        robot: &Robot,
        state: &mut RobotState,
        from: (Quat, Vec3),
        work: &Workspace,
    ) {
        radiation::advance_filters(robot, state, work);
        if let Some(what) = state.motion.first_non_finite() {
            // the pose at the start, and an extrapolation beyond the end of the step
            let ahead = from.1
                + from
                    .0
                    .matrix()
                    .mul_vec(work.V_start.v)
                    .scale(1.5 * self.scene.dt());
            let (sea, t) = (self.environment[0].sea, self.environment[0].time);
            let left = [from.1, ahead]
                .into_iter()
                .find_map(|p| environment::stopping_grid_name(sea, p, t));
            restore_pose(from, robot, state);
            let cause = match left {
                Some(grid) => format!("left the grid of {grid} (`extrapolation: stop`)"),
                None => format!("{what} is no longer finite"),
            };
            state.halted = Some(Halt {
                time_ns: self.now_ns + self.scene.dt_ns,
                cause,
            });
        }
    }
}

/// Sets a finite state: the given pose, at rest.
fn restore_pose((q_WB, p_WB): (Quat, Vec3), robot: &Robot, state: &mut RobotState) {
    let motion = &mut state.motion;
    (motion.q_WB, motion.p_WB) = (q_WB, p_WB);
    motion.V_WB_B = SpatialVelocity::zero();
    motion.qd.fill(0.0);
    state.radiation_state.fill([SpatialVelocity::zero(); 2]);
    for q in &mut motion.q {
        if !q.is_finite() {
            *q = 0.0;
        }
    }
    for (j, link) in robot.links[1..]
        .iter()
        .enumerate()
        .filter(|(_, l)| l.joint.servo().is_some())
    {
        let ticks = state.joints[j].ticks;
        state.joints[j] = JointDriveState {
            ticks,
            ..JointDriveState::new(&link.joint, state.motion.q[j], 0.0)
        };
        state.joint_commands[j] = 0.0;
    }
}

/// Passes the forces of contacts and couplings over the last step to `sink`.
fn add_constraint_forces(state: &RobotState, work: &Workspace, sink: &mut impl Sink) {
    let forces = [
        (Law::Contact, &state.contact_force),
        (Law::Coupling, &state.coupling_force),
    ];
    for (law, of_links) in forces {
        for (i, (F, w)) in of_links.iter().zip(&work.links).enumerate() {
            sink.add(law, None, i, || SpatialForce {
                m: w.R_WL.tr_mul_vec(F.m),
                f: w.R_WL.tr_mul_vec(F.f),
            });
        }
    }
}

/// Reads the due sensors, with the accelerations by the impulses of the last step.
fn read_sensors(
    robot: &Robot,
    state: &mut RobotState,
    work: &mut Workspace,
    sensor_environment: &SensorEnvironment<'_>,
    now_ns: u64,
    outbox: &mut Vec<Delivered>,
) {
    // the integrator uses the free acceleration as its first slope
    let free = work.links[0].A;
    if state.impulse_acceleration.is_nonzero {
        add_impulse_accelerations(robot, state, work);
    }
    let n_before = outbox.len();
    sensors::read_due(robot, state, work, sensor_environment, now_ns, outbox);
    work.links[0].A = free;
    pass_to_tasks(robot, state, outbox, n_before, now_ns);
    if outbox.len() > n_before {
        let origin = sensor_environment.origin;
        firmware::forward_readings(robot, state, &outbox[n_before..], origin, now_ns);
    }
}

/// Passes the readings in the outbox from number `first` on to the tasks of the robot through which
/// they pass.
fn pass_to_tasks(
    robot: &Robot,
    state: &mut RobotState,
    outbox: &mut Vec<Delivered>,
    first: usize,
    now_ns: u64,
) {
    let Some(onboard) = &robot.onboard else {
        return;
    };
    let mut kept = first;
    for k in first..outbox.len() {
        let Delivered { sensor, stamped } = outbox[k];
        match onboard.sensors[sensor] {
            Some(task) => {
                let data = InputData::Reading(sensor, stamped);
                push_input(state, task, now_ns, data);
            }
            None => {
                outbox[kept] = outbox[k];
                kept += 1;
            }
        }
    }
    outbox.truncate(kept);
}

/// Adds the accelerations by the impulses of the last step to the accelerations of the links, so
/// that an IMU at rest on the seabed measures them.
///
/// Uses the velocity products `c` of the links to propagate the added accelerations to the child
/// links; the next evaluation computes `c` again.
fn add_impulse_accelerations(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    let kick = &state.impulse_acceleration;
    let base = match robot.floating {
        true => kick.A_WB_B.add_scaled(&work.links[0].A, -0.5),
        false => SpatialVelocity::zero(),
    };
    work.links[0].A = work.links[0].A.add_scaled(&base, 1.0);
    work.links[0].c = base;
    for i in 1..robot.links.len() {
        let link = &robot.links[i];
        let of_parent = work.links[link.parent.unwrap_or(0)].c;
        // impulses do not act on joints with prescribed motion
        let leader = link.joint.mimic.map_or(i, |mimic| mimic.leader);
        let pushed = if robot.links[leader].joint.is_free() {
            1.0
        } else {
            0.0
        };
        let qdd = pushed * (kick.qdd[i - 1] - 0.5 * work.qdd[i - 1]);
        let w = &mut work.links[i];
        let own = kinematics::joint_velocity(link.joint.kind, qdd);
        w.c = of_parent.to_child(&w.R_PC, w.p_PC).add_scaled(&own, 1.0);
        w.A = w.A.add_scaled(&w.c, 1.0);
    }
}
