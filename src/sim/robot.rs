//! One step of one robot: evaluate, run the joints' controllers, read the due sensors, advance, look after the battery.

use crate::control::joints::{self, Now};
use crate::control::{command, power};
use crate::environment::current::VariationCache;
use crate::environment::waves::StepWaves;
use crate::environment::{self, Instant, water_column};
use crate::forces::{external, fin, thruster};
use crate::kinematics;
use crate::math::Vec3;
use crate::scene::{Robot, Scene, Sea, Sensor};
use crate::sensors::{self, Delivered};
use crate::state::{Halt, JointMemory, RobotState, SensorState, Workspace};

use super::step::Kernel;

/// Scratch and mailbox of one robot; nothing in it is needed to resume.
#[derive(Debug)]
pub struct Runner {
    /// Derived data.
    pub work: Workspace,
    /// Readings delivered since the outbox was last emptied.
    pub outbox: Vec<Delivered>,
    variation: VariationCache,
    waves: StepWaves,
    kernel: Kernel,
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
            variation: VariationCache::default(),
            waves: StepWaves::default(),
            kernel: Kernel::new(),
            mark: (Vec3::zero(), 0, 0.0),
        }
    }

    /// One step of `robot` from `now_ns`.
    pub fn step(&mut self, scene: &Scene, robot: &Robot, sea: &Sea, now_ns: u64, state: &mut RobotState) {
        if state.halted.is_some() {
            return;
        }
        let dt = scene.dt();
        let t = now_ns as f64 * 1e-9;
        let [now, middle, end] = self.waves.over(&sea.waves, now_ns, scene.dt_ns);
        let mut at = |t: f64, waves| Instant {
            sea,
            gravity: scene.gravity,
            time: t,
            variation: self.variation.at(&sea.current, scene.seed, t),
            waves,
        };
        let instants = [at(t, now), at(t + 0.5 * dt, middle), at(t + dt, end)];
        let work = &mut self.work;

        command::time_out(robot, state, now_ns);
        kinematics::poses(robot, &state.motion, &mut work.links);
        // thrusters follow what turns them
        fin::prepare(robot, state, dt, work);
        thruster::prepare(robot, state, &instants[0], work);
        external::add(robot, state, work);
        let kernel = self.kernel;
        kernel.evaluate(robot, &instants[0], &state.motion, &state.joint_commands, work);
        let ambient = water_column::temperature(sea, scene.gravity, state.motion.p_WB, t);
        if joints::advance(robot, state, work, Now { ns: now_ns, dt, ambient }) {
            kernel.accelerate(robot, &state.motion, &state.joint_commands, work);
        }
        thruster::report(robot, state, work, &instants[0]);
        read(scene, robot, state, work, &instants[0], now_ns, &mut self.outbox);

        work.V_start = state.motion.V_WB_B;
        work.qd_start.copy_from_slice(&state.motion.qd);
        let before = Start::of(state);
        kernel.advance(
            robot,
            (scene.integrator, dt),
            &instants,
            &mut state.motion,
            &state.joint_commands,
            work,
        );
        power::advance(robot, state, dt);
        if let Some(what) = state.motion.not_finite() {
            // where it was, and where it was going
            let ahead = before.1 + before.0.matrix().mul_vec(work.V_start.v).scale(1.5 * dt);
            let left = [before.1, ahead].into_iter().find_map(|p| environment::stopped_by(sea, p, t));
            before.restore(robot, state);
            let cause = match left {
                Some(grid) => format!("it left the grid of {grid}, which says `outside: stop`"),
                None => format!("{what} is no longer finite"),
            };
            state.halted = Some(Halt { time_ns: now_ns + scene.dt_ns, cause });
        }
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
    pub fn observe(&mut self, scene: &Scene, robot: &Robot, sea: &Sea, now_ns: u64, state: &mut RobotState) {
        let due = |(s, m): (&Sensor, &SensorState)| {
            let delivery = m.in_flight.front().is_some_and(|(at, _)| *at <= now_ns);
            delivery || sensors::due_ns(s, m.samples) <= now_ns
        };
        if state.halted.is_some() || !robot.sensors.iter().zip(&state.sensors).any(due) {
            return;
        }
        self.evaluate(scene, robot, sea, now_ns, state);
        let at = instant(scene, sea, (&mut self.variation, &mut self.waves), now_ns);
        read(scene, robot, state, &mut self.work, &at, now_ns, &mut self.outbox);
    }

    /// Leaves the evaluation of the state at `now_ns` in the workspace, as the step from there will find it.
    pub fn evaluate(&mut self, scene: &Scene, robot: &Robot, sea: &Sea, now_ns: u64, state: &mut RobotState) {
        let at = instant(scene, sea, (&mut self.variation, &mut self.waves), now_ns);
        command::time_out(robot, state, now_ns);
        let work = &mut self.work;
        kinematics::poses(robot, &state.motion, &mut work.links);
        fin::hold(robot, state, work);
        thruster::hold(robot, state, &at, work);
        external::add(robot, state, work);
        self.kernel.evaluate(robot, &at, &state.motion, &state.joint_commands, work);
        let ambient = water_column::temperature(sea, scene.gravity, state.motion.p_WB, at.time);
        // the step then finds that the joints' controllers have run
        if joints::advance(robot, state, work, Now { ns: now_ns, dt: scene.dt(), ambient }) {
            self.kernel.accelerate(robot, &state.motion, &state.joint_commands, work);
        }
    }
}

/// The sea at `now_ns`.
fn instant<'a>(
    scene: &Scene,
    sea: &'a Sea,
    (variation, waves): (&mut VariationCache, &'a mut StepWaves),
    now_ns: u64,
) -> Instant<'a> {
    let time = now_ns as f64 * 1e-9;
    Instant {
        sea,
        gravity: scene.gravity,
        time,
        variation: variation.at(&sea.current, scene.seed, time),
        waves: waves.start(&sea.waves, now_ns),
    }
}

/// Base pose and velocity to fall back on; joints go back to zero velocity.
struct Start(crate::math::Quat, crate::math::Vec3);

impl Start {
    fn of(state: &RobotState) -> Self {
        Self(state.motion.q_WB, state.motion.p_WB)
    }

    /// Leaves a finite state behind: where the robot was, at rest.
    fn restore(self, robot: &Robot, state: &mut RobotState) {
        let motion = &mut state.motion;
        (motion.q_WB, motion.p_WB) = (self.0, self.1);
        motion.V_WB_B = crate::math::SpatialVelocity::zero();
        motion.qd.fill(0.0);
        for q in &mut motion.q {
            if !q.is_finite() {
                *q = 0.0;
            }
        }
        for (j, link) in robot.links[1..].iter().enumerate().filter(|(_, l)| l.joint.servo().is_some()) {
            let ticks = state.joints[j].ticks;
            state.joints[j] = JointMemory { ticks, ..JointMemory::new(&link.joint, state.motion.q[j]) };
            state.joint_commands[j] = 0.0;
        }
    }
}

/// Reads the sensors that are due; what contacts did in the last step is felt with the rest.
fn read(
    scene: &Scene,
    robot: &Robot,
    state: &mut RobotState,
    work: &mut Workspace,
    at: &Instant<'_>,
    now_ns: u64,
    outbox: &mut Vec<Delivered>,
) {
    // the integrator's first slope is the free acceleration
    let free = work.links[0].A;
    if state.kick.any {
        add_kick(robot, state, work);
    }
    sensors::read_due(robot, state, work, at, &scene.origin, now_ns, outbox);
    work.links[0].A = free;
}

/// Adds to the links' accelerations what contacts did in the last step, so that an IMU at rest on the ground feels it.
///
/// The velocity products `c`, which the next evaluation finds anew, carry the added accelerations down the tree.
fn add_kick(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    let base = state.kick.A_WB_B;
    work.links[0].A = work.links[0].A.add_scaled(&base, 1.0);
    work.links[0].c = base;
    for i in 1..robot.links.len() {
        let link = &robot.links[i];
        let of_parent = work.links[link.parent.unwrap_or(0)].c;
        let w = &mut work.links[i];
        let own = kinematics::joint_velocity(link.joint.kind, state.kick.qdd[i - 1]);
        w.c = of_parent.to_child(&w.R_PC, w.p_PC).add_scaled(&own, 1.0);
        w.A = w.A.add_scaled(&w.c, 1.0);
    }
}
