//! Simulation of a scene: its state, stepped in blocks, with the robots in parallel.
//!
//! If no contact is possible and there are no tethers, each robot runs its whole block
//! independently. Otherwise all robots make one free step, then the contacts are solved and the
//! tethers are updated. In both cases no robot reads data that another one writes, so the result
//! does not depend on the number of threads.

use crate::control::command;
use crate::control::energy::charging;
use crate::robot::Runner;
use crate::sensors::scheduler::SensorScheduler;
use crate::simd_batch::RobotGroup;
use crate::tethers::Tethers;
use merrow_model::scene::{Scene, Sea};
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::frames::Frame;
use merrow_model::state::{Command, RobotState, State};
use merrow_physics::contact::Contacts;
use merrow_sensors::ray_scene::StaticGeometry;
use merrow_sensors::water::moving_targets::MovingTargets;
use rayon::prelude::*;
use std::sync::Arc;

/// A running world: scene, state and workspaces.
#[derive(Debug)]
pub struct Simulation {
    /// Constant description of the world.
    pub scene: Arc<Scene>,
    /// State of the world.
    pub state: State,
    /// Workspaces, one per robot.
    pub runners: Vec<Runner>,
    contacts: Option<Contacts>,
    groups: Vec<RobotGroup>,
    /// Robot states before a block that the robots try to run independently.
    saved_states: Vec<RobotState>,
    pool: Option<rayon::ThreadPool>,
    tethers: Tethers,
    /// Shapes of robots for the beams of other robots, if any beam can hit one.
    moving_targets: Option<MovingTargets>,
    /// Scheduler of the exteroceptive sensors, if there are any.
    pub sensor_scheduler: Option<SensorScheduler>,
    /// Frames of exteroceptive sensors delivered since the outboxes were last emptied.
    pub frames: Vec<Frame>,
}

/// Maximum time that robots run independently before the next check for possible contacts [ns].
const INDEPENDENT_MAX_NS: u64 = 50_000_000;
/// Number of robot-steps below which a block is not split over threads (about 20 us of work).
const PARALLEL_FROM: u64 = 64;

impl Simulation {
    /// Creates a world at its start, stepped by `threads` threads (0: one per core).
    ///
    /// # Errors
    /// Returns a message if the threads cannot be started or a collision shape cannot be built.
    pub fn new(scene: Arc<Scene>, threads: usize) -> Result<Self, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if threads == 0 { cores } else { threads };
        let useful = wanted.min(scene.robots.len().max(1));
        let pool = if useful > 1 {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(useful);
            let named = builder.thread_name(|i| format!("merrow-step-{i}"));
            Some(
                named
                    .build()
                    .map_err(|e| format!("cannot start {useful} threads: {e}"))?,
            )
        } else {
            None
        };
        let state = State::new(&scene);
        let still =
            StaticGeometry::is_needed(&scene).then(|| Arc::new(StaticGeometry::new(&scene)));
        let runners = scene
            .robots
            .iter()
            .map(|robot| Runner::with_static_geometry(robot, still.clone()))
            .collect();
        let contacts = Contacts::new(&scene).map_err(|problems| problems.join("\n"))?;
        // not cloned: a clone has no spare capacity, so it would allocate later
        let before = if contacts.is_some() {
            State::new(&scene).robots
        } else {
            Vec::new()
        };
        let tethers = Tethers::new(&scene);
        let groups = RobotGroup::split_robots(&scene.robots);
        let lookout = still.map_or(Ok(None), |still| {
            SensorScheduler::new(&scene, &still, wanted)
        })?;
        let (others, frames) = (MovingTargets::new(&scene), Vec::new());
        Ok(Self {
            scene,
            state,
            runners,
            contacts,
            groups,
            saved_states: before,
            pool,
            tethers,
            moving_targets: others,
            sensor_scheduler: lookout,
            frames,
        })
    }

    /// Returns the simulated time [ns].
    pub fn time_ns(&self) -> u64 {
        self.state.time_ns
    }

    /// Applies a command; it takes effect at the start of the next step.
    ///
    /// # Errors
    /// Returns why the command was refused; the state is then unchanged.
    pub fn apply(&mut self, command: &Command) -> Result<(), CommandRejection> {
        command::apply(&self.scene, &mut self.state, command)
    }

    /// Makes `steps` steps and reads the sensors due at their end. The readings delivered meanwhile
    /// are then in the outboxes of the runners.
    pub fn advance(&mut self, steps: u64) {
        let mut left = steps;
        while left > 0 {
            self.sample_exteroceptive();
            let mut some = left;
            if !self.scene.chargers.is_empty() {
                let now = self.state.time_ns;
                if charging::is_due(&self.scene, now) {
                    charging::connect(&self.scene, &mut self.state);
                }
                some = some.min(charging::steps_to_next(&self.scene, now));
            }
            if let Some(lookout) = &self.sensor_scheduler {
                some = some.min(lookout.steps_to_next(&self.state, self.scene.dt_ns));
            }
            if let Some(others) = &self.moving_targets {
                some = some.min(others.steps_to_next(&self.scene, &self.state));
            }
            self.intersect_beams();
            self.advance_block(some);
            left -= some;
        }
        self.intersect_beams();
        self.read_due_sensors();
        self.sample_exteroceptive();
        if let Some(lookout) = &mut self.sensor_scheduler {
            lookout.deliver_due(self.state.time_ns, &mut self.frames);
        }
    }

    /// Samples the exteroceptive sensors that are due now.
    fn sample_exteroceptive(&mut self) {
        if let Some(lookout) = &mut self.sensor_scheduler {
            lookout.sample_due(&self.scene, &mut self.state, &mut self.runners);
        }
    }

    /// Intersects the beams that are due now with other robots.
    fn intersect_beams(&mut self) {
        if let Some(others) = &mut self.moving_targets {
            others.intersect_beams(&self.scene, &self.state, &mut self.runners);
        }
    }

    /// Resets the state to the start; settings that survive a reset are kept.
    pub fn restart(&mut self) {
        self.state = self.state.reset(&self.scene);
        if let Some(lookout) = &mut self.sensor_scheduler {
            lookout.discard_in_progress();
        }
        self.clear_outboxes();
    }

    /// Makes `steps` steps without exteroceptive sensors.
    fn advance_block(&mut self, steps: u64) {
        if self.contacts.is_none() && self.tethers.is_empty() {
            self.advance_independently(steps);
        } else {
            let mut left = steps;
            while left > 0 {
                let some = left.min((INDEPENDENT_MAX_NS / self.scene.dt_ns).max(1));
                if !self.tethers.is_empty() || !self.try_advance_independently(some) {
                    self.advance_with_contacts(some);
                }
                left -= some;
            }
        }
    }

    /// Runs the whole block without contacts: each robot independently, or in a SIMD batch.
    fn advance_independently(&mut self, steps: u64) {
        self.run_groups(steps);
        self.state.time_ns += steps * self.scene.dt_ns;
        self.state.step += steps;
    }

    /// Advances all groups independently by the steps of a block and tracks the excursions of their
    /// robots.
    fn run_groups(&mut self, steps: u64) {
        let Self {
            scene,
            state,
            runners,
            pool,
            groups,
            ..
        } = self;
        let (scene, sea, start): (&Scene, &Sea, u64) = (scene, &state.sea, state.time_ns);
        let one = |first: usize,
                   group: &mut RobotGroup,
                   runners: &mut [Runner],
                   states: &mut [RobotState]| {
            let robots = &scene.robots[first..first + group.len];
            runners
                .iter_mut()
                .zip(&*states)
                .for_each(|(runner, state)| runner.mark(state));
            for k in 0..steps {
                group.step(
                    (scene, robots),
                    sea,
                    start + k * scene.dt_ns,
                    runners,
                    states,
                );
                for (runner, state) in runners.iter_mut().zip(&mut *states) {
                    // the impulses of a step affect the readings of the next step only
                    state.impulse_acceleration.clear();
                    runner.update_excursion(state);
                }
            }
        };
        let all = GroupRange {
            first: 0,
            groups,
            runners,
            states: &mut state.robots,
        };
        match pool {
            Some(pool) if steps * all.runners.len() as u64 >= PARALLEL_FROM => {
                let grain = all.groups.len().div_ceil(4 * pool.current_num_threads());
                pool.install(|| all.for_each_group_parallel(grain, &one));
            }
            _ => all.for_each_group(&one),
        }
    }

    /// Runs [`Simulation::advance_apart`] if the robots are so far from all other objects that no
    /// contact is possible. Otherwise, or if a robot moved further than its allowed distance,
    /// restores the state and returns false.
    fn try_advance_independently(&mut self, steps: u64) -> bool {
        let Self {
            contacts,
            state,
            saved_states: before,
            scene,
            runners,
            ..
        } = self;
        let Some(contacts) = contacts else {
            return false;
        };
        if !contacts.is_clear(state, steps as f64 * scene.dt()) {
            return false;
        }
        contacts.clear_decks(runners);
        for (spare, robot) in before.iter_mut().zip(&state.robots) {
            robot.copy_into(spare);
        }
        self.run_groups(steps);
        let Self {
            contacts,
            state,
            saved_states: before,
            runners,
            ..
        } = self;
        let allowed = |r: usize| contacts.as_ref().map_or(0.0, |c| c.allowed_distance(r));
        let stayed = runners
            .iter()
            .enumerate()
            .all(|(r, runner)| runner.excursion() <= allowed(r));
        if !stayed {
            for (spare, robot) in before.iter().zip(&mut state.robots) {
                spare.copy_into(robot);
            }
            runners.iter_mut().for_each(Runner::discard_since_mark);
            return false;
        }
        if let Some(contacts) = contacts {
            contacts.clear_contacts(state);
        }
        state.time_ns += steps * self.scene.dt_ns;
        state.step += steps;
        true
    }

    /// Advances robots that can be in contact: every robot makes a free step, then the contacts are
    /// solved.
    fn advance_with_contacts(&mut self, steps: u64) {
        let scene = Arc::clone(&self.scene);
        // poses of the shapes at the start: a command may have set a pose since the last block
        self.for_each_robot(1, |i, runner, _, state| {
            runner.evaluate_poses(&scene.robots[i], state)
        });
        if let Some(contacts) = &mut self.contacts {
            contacts.update_poses(&self.runners);
        }
        for _ in 0..steps {
            let now = self.state.time_ns;
            self.solve_tethers();
            self.for_each_robot(1, |i, runner, sea, state| {
                runner.step_freely(&scene, &scene.robots[i], sea, now, state)
            });
            let Self {
                contacts,
                pool,
                runners,
                state,
                ..
            } = self;
            if let Some(contacts) = contacts {
                match pool {
                    Some(pool) => pool.install(|| contacts.step(&scene, state, runners)),
                    None => contacts.step(&scene, state, runners),
                }
            }
            self.state.time_ns += scene.dt_ns;
            self.state.step += 1;
            let end = self.state.time_ns;
            self.tethers.commit_step(&scene, &mut self.state, end);
        }
        self.solve_tethers();
    }

    /// Solves the tethers over the coming step and applies the predicted coupling loads to it.
    /// Idempotent within one instant.
    fn solve_tethers(&mut self) {
        let Self {
            scene,
            state,
            runners,
            pool,
            tethers,
            contacts,
            ..
        } = self;
        if let Some(contacts) = contacts {
            contacts.update_decks(scene, runners);
            contacts.apply_predicted_loads(scene, state, runners);
        }
        if !tethers.is_empty() {
            tethers.solve_step(scene, state, runners, pool.as_ref(), state.time_ns);
        }
    }

    /// Reads the sensors that are evaluated inside the step and are due now.
    fn read_due_sensors(&mut self) {
        let (scene, now) = (Arc::clone(&self.scene), self.state.time_ns);
        self.for_each_robot(1, |i, runner, sea, state| {
            runner.read_due_sensors(&scene, &scene.robots[i], sea, now, state)
        });
    }

    /// Calls `what` for every robot, in parallel if `steps` steps of each robot are worth it.
    fn for_each_robot(
        &mut self,
        steps: u64,
        what: impl Fn(usize, &mut Runner, &Sea, &mut RobotState) + Sync,
    ) {
        let Self {
            state,
            runners,
            pool,
            ..
        } = self;
        let sea = &state.sea;
        let one = |(i, (runner, state)): (usize, (&mut Runner, &mut RobotState))| {
            what(i, runner, sea, state)
        };
        let work = steps * runners.len() as u64;
        match pool {
            Some(pool) if work >= PARALLEL_FROM => pool.install(|| {
                let n = runners.len().div_ceil(4 * rayon::current_num_threads());
                let all = runners
                    .par_iter_mut()
                    .zip(state.robots.par_iter_mut())
                    .enumerate();
                all.with_min_len(n).for_each(one);
            }),
            _ => runners
                .iter_mut()
                .zip(&mut state.robots)
                .enumerate()
                .for_each(one),
        }
    }

    /// Empties all outboxes, those of readings and that of frames.
    pub fn clear_outboxes(&mut self) {
        self.clear_readings();
        self.frames.clear();
    }

    /// Empties the outboxes of readings, and keeps the frames.
    pub fn clear_readings(&mut self) {
        self.runners.iter_mut().for_each(|r| r.outbox.clear());
    }
}

/// A range of groups and their robots; `first` is the index of the first robot in the list of the
/// world.
struct GroupRange<'a> {
    first: usize,
    groups: &'a mut [RobotGroup],
    runners: &'a mut [Runner],
    states: &'a mut [RobotState],
}

impl GroupRange<'_> {
    /// Calls `what` for every group.
    fn for_each_group(
        self,
        what: &impl Fn(usize, &mut RobotGroup, &mut [Runner], &mut [RobotState]),
    ) {
        let Self {
            mut first,
            groups,
            mut runners,
            mut states,
        } = self;
        for group in groups {
            let (own_runners, other_runners) = runners.split_at_mut(group.len);
            let (own_states, other_states) = states.split_at_mut(group.len);
            what(first, group, own_runners, own_states);
            first += group.len;
            (runners, states) = (other_runners, other_states);
        }
    }

    /// Calls `what` for every group as [`Part::each`], in parallel down to `grain` groups.
    fn for_each_group_parallel(
        self,
        grain: usize,
        what: &(impl Fn(usize, &mut RobotGroup, &mut [Runner], &mut [RobotState]) + Sync),
    ) {
        if self.groups.len() <= grain.max(1) {
            return self.for_each_group(what);
        }
        let Self {
            first,
            groups,
            runners,
            states,
        } = self;
        let (left, right) = groups.split_at_mut(groups.len() / 2);
        let n = left.iter().map(|g| g.len).sum();
        let (left_runners, right_runners) = runners.split_at_mut(n);
        let (left_states, right_states) = states.split_at_mut(n);
        let left = GroupRange {
            first,
            groups: left,
            runners: left_runners,
            states: left_states,
        };
        let right = GroupRange {
            first: first + n,
            groups: right,
            runners: right_runners,
            states: right_states,
        };
        rayon::join(
            || left.for_each_group_parallel(grain, what),
            || right.for_each_group_parallel(grain, what),
        );
    }
}
