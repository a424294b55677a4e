//! One step of one robot: evaluate, run the joints' controllers, read the due sensors, look after the battery, advance.

use crate::control::energy::power;
use crate::control::energy::power::Around;
use crate::control::joints;
use crate::control::joints::Now;
use crate::control::{command, fault, firmware};
use merrow_environment as environment;
use merrow_environment::{Instant, water_column};
use merrow_math::{Quat, SpatialVelocity, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Robot, Scene, Sea};
use merrow_model::state::{Halt, JointMemory, RobotState, Workspace};
use merrow_physics::forces::actuators::{buoyancy_engine, fin, thruster};
use merrow_physics::forces::external;
use merrow_physics::forces::hydrodynamics::radiation;
use merrow_sensors as sensors;
use merrow_sensors::ray_scene::Still;
use merrow_sensors::{About, Delivered};

use crate::instants::Instants;
use crate::step::Kernel;
use std::sync::Arc;

/// Scratch and mailbox of one robot; nothing in it is needed to resume.
#[derive(Debug)]
pub struct Runner {
    /// Derived data.
    pub work: Workspace,
    /// Readings delivered since the outbox was last emptied.
    pub outbox: Vec<Delivered>,
    instants: Instants,
    kernel: Kernel,
    still: Option<Arc<Still>>,
    /// Base position and length of the outbox at the mark, and the largest distance from it since.
    mark: (Vec3, usize, f64),
}

impl Runner {
    /// Scratch for `robot`.
    pub fn new(robot: &Robot) -> Self {
        let outbox = Vec::with_capacity(8 * robot.sensors.len());
        Self {
            work: Workspace::new(robot),
            outbox,
            instants: Instants::default(),
            kernel: Kernel::new(),
            still: None,
            mark: (Vec3::zero(), 0, 0.0),
        }
    }

    /// Scratch for `robot`, whose sensors hear what stands in its world.
    pub fn among(robot: &Robot, still: Option<Arc<Still>>) -> Self {
        Self {
            still,
            ..Self::new(robot)
        }
    }

    /// What stands in its world, if it was told.
    pub(crate) fn still(&self) -> Option<Arc<Still>> {
        self.still.clone()
    }

    /// One step of `robot` from `now_ns`.
    pub fn step(
        &mut self,
        scene: &Scene,
        robot: &Robot,
        sea: &Sea,
        now_ns: u64,
        state: &mut RobotState,
    ) {
        if state.halted.is_some() {
            return;
        }
        let Self {
            work,
            outbox,
            instants,
            kernel,
            still,
            ..
        } = self;
        let step = Step {
            scene,
            now_ns,
            at: instants.over(scene, sea, now_ns),
            still: still.as_deref(),
        };
        step.begin(robot, state, work);
        step.act(robot, state, work);
        kernel.evaluate(
            robot,
            &step.at[0],
            &state.motion,
            &state.joint_commands,
            work,
        );
        if step.control(robot, state, work) {
            kernel.accelerate(robot, &state.motion, &state.joint_commands, work);
        }
        step.observe(robot, state, work, outbox);
        let how = (scene.integrator, scene.dt());
        let from = state.motion.pose();
        kernel.advance(
            robot,
            how,
            &step.at,
            &mut state.motion,
            &state.joint_commands,
            work,
        );
        step.finish(robot, state, from, work);
    }

    /// Starts to watch how far the robot gets from where it is.
    pub fn mark(&mut self, state: &RobotState) {
        self.mark = (state.motion.p_WB, self.outbox.len(), 0.0);
    }

    /// Notes how far the robot has got since the mark, after a step.
    pub fn went(&mut self, state: &RobotState) {
        let (from, _, furthest) = &mut self.mark;
        let p = state.motion.p_WB;
        *furthest = furthest.max((p - *from).norm());
    }

    /// How far the robot has got since the mark [m].
    pub fn excursion(&self) -> f64 {
        self.mark.2
    }

    /// Takes back the readings since the mark.
    pub fn back_to_mark(&mut self) {
        self.outbox.truncate(self.mark.1);
    }

    /// Poses of all links where the robot stands now, for the contacts.
    pub fn place(&mut self, robot: &Robot, state: &RobotState) {
        kinematics::poses(robot, &state.motion, &mut self.work.links);
    }

    /// [`Runner::step`] without contacts, then the poses at its end.
    pub fn step_freely(
        &mut self,
        scene: &Scene,
        robot: &Robot,
        sea: &Sea,
        now_ns: u64,
        state: &mut RobotState,
    ) {
        self.step(scene, robot, sea, now_ns, state);
        self.place(robot, state);
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
    /// Reads the sensors that are due at `now_ns`, before the step that starts there.
    ///
    /// Done after every block, so that who asked for some steps gets the readings of the instant at which they end. The
    /// step itself then finds them read; the bits are those that it would have read.
    pub fn observe(
        &mut self,
        scene: &Scene,
        robot: &Robot,
        sea: &Sea,
        now_ns: u64,
        state: &mut RobotState,
    ) {
        if state.halted.is_some() || !state.sensors.iter().any(|s| sensors::is_due(s, now_ns)) {
            return;
        }
        self.evaluate(scene, robot, sea, now_ns, state);
        let at = self.instants.start(scene, sea, now_ns);
        let about = About {
            at: &at,
            origin: &scene.origin,
            still: self.still.as_deref(),
        };
        read(
            robot,
            state,
            &mut self.work,
            &about,
            now_ns,
            &mut self.outbox,
        );
    }

    /// Leaves the evaluation of the state at `now_ns` in the workspace, as the step from there will find it.
    pub fn evaluate(
        &mut self,
        scene: &Scene,
        robot: &Robot,
        sea: &Sea,
        now_ns: u64,
        state: &mut RobotState,
    ) {
        let at = self.instants.start(scene, sea, now_ns);
        let work = &mut self.work;
        command::time_out(robot, state, now_ns);
        fault::prepare(robot, state, work, now_ns, sea.density);
        firmware::advance(robot, state, scene.gravity, sea.density, now_ns);
        power::cut(robot, state);
        kinematics::poses(robot, &state.motion, &mut work.links);
        fin::hold(robot, state, work);
        thruster::hold(robot, state, &at, work);
        buoyancy_engine::hold(robot, state, work);
        external::add(robot, state, work);
        radiation::load(robot, state, work);
        self.kernel
            .evaluate(robot, &at, &state.motion, &state.joint_commands, work);
        let ambient = water_column::temperature(sea, scene.gravity, state.motion.p_WB, at.time);
        // the step then finds that the joints' controllers have run
        let powered = state.battery.is_on();
        if joints::advance(
            robot,
            state,
            work,
            Now {
                ns: now_ns,
                dt: scene.dt(),
                ambient,
                powered,
            },
        ) {
            self.kernel
                .accelerate(robot, &state.motion, &state.joint_commands, work);
        }
    }
}

/// What belongs to one robot alone in a step; the kernel's two calls stand between `act`, `control` and `observe`, and `finish`.
pub(crate) struct Step<'a> {
    /// The world.
    pub scene: &'a Scene,
    /// Where the step starts [ns].
    pub now_ns: u64,
    /// The sea at its start, middle and end.
    pub at: [Instant<'a>; 3],
    /// What stands in the world.
    pub still: Option<&'a Still>,
}

impl Step<'_> {
    /// Commands time out, faults and the robot's own computer act.
    pub fn begin(&self, robot: &Robot, state: &mut RobotState, work: &mut Workspace) {
        command::time_out(robot, state, self.now_ns);
        fault::prepare(robot, state, work, self.now_ns, self.at[0].sea.density);
        firmware::advance(
            robot,
            state,
            self.scene.gravity,
            self.at[0].sea.density,
            self.now_ns,
        );
        power::cut(robot, state);
    }

    /// Actuators follow their commands; leaves what does not depend on the stage in `work`.
    pub fn act(&self, robot: &Robot, state: &mut RobotState, work: &mut Workspace) {
        kinematics::poses(robot, &state.motion, &mut work.links);
        fin::prepare(robot, state, self.scene.dt(), work);
        thruster::prepare(robot, state, &self.at[0], work);
        let Instant { sea, gravity, .. } = self.at[0];
        let pressure = |p: Vec3| water_column::pressure(sea, gravity, p);
        buoyancy_engine::prepare(robot, state, self.scene.dt(), pressure, work);
        external::add(robot, state, work);
        radiation::load(robot, state, work);
    }

    /// The joints' controllers; true if they changed the accelerations.
    pub fn control(&self, robot: &Robot, state: &mut RobotState, work: &mut Workspace) -> bool {
        let (ns, dt, powered) = (self.now_ns, self.scene.dt(), state.battery.is_on());
        joints::advance(
            robot,
            state,
            work,
            Now {
                ns,
                dt,
                ambient: self.ambient(state),
                powered,
            },
        )
    }

    /// Temperature of the water about the robot [°C].
    fn ambient(&self, state: &RobotState) -> f64 {
        let Instant {
            sea, gravity, time, ..
        } = self.at[0];
        water_column::temperature(sea, gravity, state.motion.p_WB, time)
    }

    /// Reads the due sensors from the evaluation of the step's start, then sees to battery, heat and leaks.
    pub fn observe(
        &self,
        robot: &Robot,
        state: &mut RobotState,
        work: &mut Workspace,
        outbox: &mut Vec<Delivered>,
    ) {
        thruster::report(robot, state, work, &self.at[0]);
        fin::report(robot, state, work, &self.at[0]);
        let (at, origin, now_ns, dt) = (
            &self.at[0],
            &self.scene.origin,
            self.now_ns,
            self.scene.dt(),
        );
        let about = About {
            at,
            origin,
            still: self.still,
        };
        read(robot, state, work, &about, now_ns, outbox);
        power::advance(
            robot,
            state,
            work,
            Around {
                at,
                origin,
                now_ns,
                dt,
                ambient: self.ambient(state),
            },
        );
        fault::flood(state, work, at, now_ns, dt);
        work.V_start = state.motion.V_WB_B;
        work.qd_start.copy_from_slice(&state.motion.qd);
        work.A_start = work.links[0].A;
        work.qdd_start.copy_from_slice(&work.qdd);
    }

    /// The memory of the water; a robot whose state is no longer finite is put back where it was, `from`, and halted.
    pub fn finish(
        &self,
        robot: &Robot,
        state: &mut RobotState,
        from: (Quat, Vec3),
        work: &Workspace,
    ) {
        radiation::advance(robot, state, work);
        if let Some(what) = state.motion.not_finite() {
            // where it was, and where it was going
            let ahead = from.1
                + from
                    .0
                    .matrix()
                    .mul_vec(work.V_start.v)
                    .scale(1.5 * self.scene.dt());
            let (sea, t) = (self.at[0].sea, self.at[0].time);
            let left = [from.1, ahead]
                .into_iter()
                .find_map(|p| environment::stopped_by(sea, p, t));
            restore(from, robot, state);
            let cause = match left {
                Some(grid) => format!("it left the grid of {grid}, which says `outside: stop`"),
                None => format!("{what} is no longer finite"),
            };
            state.halted = Some(Halt {
                time_ns: self.now_ns + self.scene.dt_ns,
                cause,
            });
        }
    }
}

/// Leaves a finite state behind: where the robot was, at rest.
fn restore((q_WB, p_WB): (Quat, Vec3), robot: &Robot, state: &mut RobotState) {
    let motion = &mut state.motion;
    (motion.q_WB, motion.p_WB) = (q_WB, p_WB);
    motion.V_WB_B = SpatialVelocity::zero();
    motion.qd.fill(0.0);
    state.memory.fill([SpatialVelocity::zero(); 2]);
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
        state.joints[j] = JointMemory {
            ticks,
            ..JointMemory::new(&link.joint, state.motion.q[j])
        };
        state.joint_commands[j] = 0.0;
    }
}

/// Reads the sensors that are due; what contacts did in the last step is felt with the rest.
fn read(
    robot: &Robot,
    state: &mut RobotState,
    work: &mut Workspace,
    about: &About<'_>,
    now_ns: u64,
    outbox: &mut Vec<Delivered>,
) {
    // the integrator's first slope is the free acceleration
    let free = work.links[0].A;
    if state.kick.any {
        add_kick(robot, state, work);
    }
    sensors::read_due(robot, state, work, about, now_ns, outbox);
    work.links[0].A = free;
}

/// Adds to the links' accelerations what impulses made of them in the last step, so that an IMU at rest on the ground feels it.
///
/// The velocity products `c`, which the next evaluation finds anew, carry the added accelerations down the tree.
fn add_kick(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    let kick = &state.kick;
    let base = match robot.floating {
        true => kick.A_WB_B.add_scaled(&work.links[0].A, -0.5),
        false => SpatialVelocity::zero(),
    };
    work.links[0].A = work.links[0].A.add_scaled(&base, 1.0);
    work.links[0].c = base;
    for i in 1..robot.links.len() {
        let link = &robot.links[i];
        let of_parent = work.links[link.parent.unwrap_or(0)].c;
        // what is prescribed goes as prescribed
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
