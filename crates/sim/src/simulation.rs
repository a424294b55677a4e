//! Simulation of a scene: its state, stepped in blocks, with the robots in parallel.
//!
//! If no contact is possible and there are no tethers, each robot runs its whole block
//! independently. Otherwise all robots make one free step, then the contacts are solved and the
//! tethers are updated. In both cases no robot reads data that another robot writes, so the result
//! does not depend on the number of threads.

use crate::bridge_source::BridgeSource;
use crate::communication::Communication;
use crate::computers::Computers;
use crate::control::firmware;
use crate::late_start;
use crate::parallel::robot_groups::{Block, RobotGroups};
use crate::parallel::simd_batch::RobotGroup;
use crate::parallel::threads::StepThreads;
use crate::robot::{Moment, Runner};
use crate::sensors::scheduler::SensorScheduler;
use crate::tethers::Tethers;
use merrow_control::law::ControlLaw;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::scene::{Correspondence, Robot, Scene};
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::comms::NetworkOutput;
use merrow_model::state::computer::TaskInterval;
use merrow_model::state::frames::Frame;
use merrow_model::state::{RobotState, State, Workspace};
use merrow_physics::contact::Contacts;
use merrow_physics::forces::contributions::Contribution;
use merrow_physics::workers::{Task, Workers};
use merrow_sensors::ray_scene::StaticGeometry;
use merrow_sensors::water::moving_targets::MovingTargets;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A running world: scene, state and workspaces.
#[derive(Debug)]
pub struct Simulation {
    /// Constant description of the world.
    pub scene: Arc<Scene>,
    /// State of the world.
    pub state: State,
    /// Digest of the scene at the last checkpoint.
    pub(crate) scene_digest: Option<(Arc<Scene>, [u8; 32])>,
    /// Workspaces, one per robot.
    pub runners: Vec<Runner>,
    pub(crate) contacts: Option<Contacts>,
    groups: Vec<RobotGroup>,
    /// Robot states before a block that the robots try to run independently.
    saved_states: Vec<RobotState>,
    /// Number of blocks before the robots try again to run without the intersection of all beams.
    joint_blocks: u32,
    threads: StepThreads,
    tethers: Tethers,
    /// Shapes of robots for the beams of other robots, if any beam can hit one.
    moving_targets: Option<MovingTargets>,
    /// Scheduler of the exteroceptive sensors, if there are any.
    pub sensor_scheduler: Option<SensorScheduler>,
    pub(crate) communication: Option<Communication>,
    /// Results of the communication network since the outboxes were last emptied.
    pub network_output: Arc<NetworkOutput>,
    /// Results that observers may still use. Their memory is used again.
    pub(crate) spare_outputs: Vec<Arc<NetworkOutput>>,
    /// Encoder of the outputs that bridges transmit.
    pub(crate) bridge_source: Option<Box<dyn BridgeSource>>,
    pub(crate) computers: Computers,
    /// Intervals of the schedule traces of all computers since the outboxes were last emptied.
    pub task_intervals: Vec<TaskInterval>,
    /// Frames of exteroceptive sensors delivered since the outboxes were last emptied.
    pub frames: Vec<Frame>,
    /// Number of replacements of the scene so far.
    pub scene_version: SceneVersion,
    /// Changes of the world file that lead to the scene, as text of `merrow_world`; empty without
    /// changes. A checkpoint contains them.
    pub changes: String,
    /// Commands that are replayed in addition to the schedule, sorted by time. They are not part of
    /// the state, so that a replay has the state of the recorded run.
    pub replay: Replay,
    /// Rejections of scheduled commands and of messages of bridges since they were last taken, with
    /// the name of the entry or of the bridge.
    pub schedule_rejections: Vec<CommandRejection>,
}

/// Number of replacements of the scene that had been made when indices into it were determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SceneVersion(pub u64);

/// Commands of a recorded run.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Commands, sorted by time.
    pub commands: Vec<ScheduledCommand>,
    /// Number of commands that have been applied since the start.
    pub applied: usize,
}

/// Maximum time that robots run independently before the next check for possible contacts [ns].
const INDEPENDENT_MAX_NS: u64 = 100_000_000;
/// Number of blocks with the intersection of all beams after a robot moved further than assumed.
const JOINT_BLOCKS: u32 = 16;

impl Simulation {
    /// Creates a world at its start, stepped by `threads` threads (0: one per core).
    ///
    /// # Errors
    /// Returns a message if the threads cannot be started or a collision shape cannot be built.
    pub fn new(scene: Arc<Scene>, threads: usize) -> Result<Self, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let requested_threads = if threads == 0 { cores } else { threads };
        let useful = requested_threads.min(scene.robots.len().max(1));
        let threads = StepThreads::new(useful)?;
        let mut state = State::new(&scene);
        let needs_geometry = StaticGeometry::is_needed(&scene) || !scene.modems.is_empty();
        let static_geometry = needs_geometry.then(|| Arc::new(StaticGeometry::new(&scene)));
        let communication = static_geometry.as_ref().map_or(Ok(None), |geometry| {
            Communication::new(&scene, &state, geometry)
        })?;
        if let Some(communication) = &communication {
            state.network = communication.start_at(state.time_ns);
        }
        let runners = scene
            .robots
            .iter()
            .map(|robot| Runner::with_static_geometry(robot, static_geometry.clone()))
            .collect();
        let contacts = Contacts::new(&scene).map_err(|problems| problems.join("\n"))?;
        // not cloned: a clone has no spare capacity, so it would allocate later
        let moving_targets = MovingTargets::new(&scene);
        let before = if contacts.is_some() || moving_targets.is_some() {
            State::new(&scene).robots
        } else {
            Vec::new()
        };
        let tethers = Tethers::new(&scene);
        let groups = RobotGroup::split_robots(&scene.robots);
        let computers = Computers::new(&scene);
        let scheduler = static_geometry.map_or(Ok(None), |static_geometry| {
            SensorScheduler::new(&scene, &static_geometry, requested_threads)
        })?;
        let mut simulation = Self {
            scene_digest: None,
            scene,
            state,
            runners,
            contacts,
            groups,
            saved_states: before,
            joint_blocks: 0,
            threads,
            tethers,
            moving_targets,
            sensor_scheduler: scheduler,
            communication,
            network_output: Arc::default(),
            spare_outputs: Vec::new(),
            bridge_source: None,
            computers,
            task_intervals: Vec::new(),
            frames: Vec::new(),
            scene_version: SceneVersion::default(),
            changes: String::new(),
            replay: Replay::default(),
            schedule_rejections: Vec::new(),
        };
        simulation.start_late();
        Ok(simulation)
    }

    /// Returns the simulated time [ns].
    pub fn time_ns(&self) -> u64 {
        self.state.time_ns
    }

    /// Evaluates the forces on a robot as the next step does, without an effect on the run. Returns
    /// the contributions to its forces, and the workspace with the poses and accelerations.
    pub fn contributions(&self, robot: usize) -> (Workspace, Vec<Contribution>) {
        let (scene, state) = (&*self.scene, &self.state);
        let copy_of = |r: usize| self.runners[r].with_copied_workspace(&scene.robots[r]);
        let mut copy = copy_of(robot);
        if let Some(contacts) = self
            .contacts
            .as_ref()
            .filter(|_| !scene.couplings.is_empty())
        {
            let mut copies: Vec<Runner> = (0..self.runners.len()).map(copy_of).collect();
            contacts.apply_predicted_loads(scene, state, &mut copies);
            copy = copies.swap_remove(robot);
        }
        let mut own = state.robots[robot].clone();
        let model = &scene.robots[robot];
        let at = Moment::new(scene, &state.sea, state.time_ns);
        let all = copy.contributions(at, model, &mut own);
        (copy.work, all)
    }

    /// Returns the time of the next reading or frame of a sensor [ns]; `None`: there is none, or
    /// the run does not wait for it.
    pub fn next_reading_ns(&self, robot: usize, sensor: usize) -> Option<u64> {
        let own = &self.state.robots[robot];
        if own.halted.is_some() {
            return None;
        }
        let kind = &self.scene.robots[robot].sensors[sensor].kind;
        if kind.exteroceptive().is_some() {
            let scheduler = self.sensor_scheduler.as_ref()?;
            let due_ns = scheduler.next_frame_ns(robot, sensor)?;
            // a run that follows the wall clock does not wait for a late frame
            let is_late = due_ns + self.scene.dt_ns <= self.state.time_ns;
            return (!is_late).then_some(due_ns);
        }
        let memory = &own.sensors[sensor];
        let in_flight = memory.in_flight.front();
        let delivered_ns = in_flight.map_or(u64::MAX, |(due_ns, _)| *due_ns);
        Some(memory.due_ns.min(delivered_ns))
    }

    /// Runs one tick of a law that is not part of the world, `dt` [s] after its last one, with the
    /// true motion of `robot`. A program with its own controller calls it between two calls of
    /// [`Simulation::advance`].
    pub fn run_law(&mut self, robot: usize, law: &mut dyn ControlLaw, dt: f64) {
        let now_ns = self.state.time_ns;
        let cache = &mut self.runners[robot].environment_cache;
        let at = Moment::new(&self.scene, &self.state.sea, now_ns);
        let environment = cache.start_environment(at);
        let target = &mut self.state.robots[robot];
        let model = &self.scene.robots[robot];
        firmware::run_law(model, target, law, &environment, now_ns, dt);
    }

    /// Takes all robots for moved by commands, so that their beams are intersected again.
    pub(crate) fn watch_all_targets(&mut self) {
        if let Some(targets) = &mut self.moving_targets {
            targets.watch_all();
        }
    }

    /// Advances by at most `steps` steps, to the next instant at which beams must be intersected
    /// with other robots. Returns the number of steps made.
    pub(crate) fn advance_to_beams(&mut self, steps: u64) -> u64 {
        if self.moving_targets.is_none() {
            self.advance_block(steps);
            return steps;
        }
        let max_steps = steps.min((INDEPENDENT_MAX_NS / self.scene.dt_ns).max(1));
        if let Some(steps_made) = self.try_advance_watched(max_steps) {
            return steps_made;
        }
        let mut block_steps = steps;
        if let Some(targets) = &mut self.moving_targets {
            targets.watch_all();
            block_steps = block_steps.min(targets.steps_to_next(&self.scene, &self.state));
        }
        self.intersect_beams();
        self.advance_block(block_steps);
        block_steps
    }

    /// Advances the robots independently by at most `steps` steps, to the next instant at which a
    /// beam is due that may hit a robot. Returns the number of steps made; `None` if robots may be
    /// in contact or move further than assumed, with the state unchanged.
    fn try_advance_watched(&mut self, steps: u64) -> Option<u64> {
        self.joint_blocks = self.joint_blocks.saturating_sub(1);
        if self.joint_blocks > 0 || steps < 2 || !self.tethers.is_empty() {
            return None;
        }
        if let Some(contacts) = &mut self.contacts {
            if !contacts.is_clear(&self.state, steps as f64 * self.scene.dt()) {
                return None;
            }
            contacts.clear_rotor_decks(&mut self.runners);
        }
        let targets = self.moving_targets.as_mut()?;
        targets.watch_near(&self.scene, &self.state, &mut self.runners, steps);
        let block_steps = steps.min(targets.steps_to_next(&self.scene, &self.state));
        self.intersect_beams();
        if !self.run_groups(block_steps, true) {
            self.joint_blocks = JOINT_BLOCKS;
            return None;
        }
        Some(block_steps)
    }

    /// Intersects the beams that are due now with other robots.
    pub(crate) fn intersect_beams(&mut self) {
        if let Some(others) = &mut self.moving_targets {
            others.intersect_beams(&self.scene, &self.state, &mut self.runners);
        }
    }

    /// Gives a world that starts after the time 0 its sequences of instants and random numbers, and
    /// applies the commands that its schedule has for the start.
    fn start_late(&mut self) {
        let (scene, time_ns) = (Arc::clone(&self.scene), self.state.time_ns);
        if time_ns == 0 {
            return;
        }
        for (robot, state) in scene.robots.iter().zip(&mut self.state.robots) {
            late_start::start_at(robot, state, time_ns);
        }
        self.apply_schedule();
    }

    /// Resets the state to the start; settings that survive a reset are kept.
    pub(crate) fn restart(&mut self) {
        self.state = self.state.reset(&self.scene);
        self.restart_network();
        self.start_late();
        self.replay.applied = 0;
        if let Some(scheduler) = &mut self.sensor_scheduler {
            scheduler.discard_in_progress();
        }
        self.clear_outboxes();
    }

    /// Resets the state to the start, except for the time. Settings that survive a reset are kept.
    pub(crate) fn restart_state(&mut self) {
        let (time_ns, step) = (self.state.time_ns, self.state.step);
        let (scheduled, replayed) = (self.state.scheduled, self.replay.applied);
        self.restart();
        self.replay.applied = replayed;
        (self.state.time_ns, self.state.step) = (time_ns, step);
        self.restart_network();
        self.restart_task();
        // past commands are not repeated
        self.state.scheduled = scheduled;
        for (robot, state) in self.scene.robots.iter().zip(&mut self.state.robots) {
            late_start::start_at(robot, state, time_ns);
        }
    }

    /// Moves the contacts of the bodies that exist in this world and in `old`, so that their
    /// impulses start the iterations of the next step.
    pub(crate) fn transfer_contacts(&mut self, old: &Self, same: &Correspondence) {
        let (before, now) = (&old.state.contacts, &mut self.state.contacts);
        (now.collisions, now.unsolved) = (before.collisions, before.unsolved);
        if let (Some(contacts), Some(old)) = (&self.contacts, &old.contacts) {
            contacts.transfer_impulses(old, same, before, now);
        }
    }

    /// Makes `steps` steps without exteroceptive sensors.
    fn advance_block(&mut self, steps: u64) {
        if self.contacts.is_none() && self.tethers.is_empty() {
            self.run_groups(steps, false);
        } else {
            let mut left = steps;
            while left > 0 {
                let block_steps = left.min((INDEPENDENT_MAX_NS / self.scene.dt_ns).max(1));
                if !self.tethers.is_empty() || !self.try_advance_independently(block_steps) {
                    self.advance_with_contacts(block_steps);
                }
                left -= block_steps;
            }
        }
    }

    /// Advances all groups independently by the steps of a block. With limits to the motion of the
    /// robots (contacts, and beams if `with_beams`), restores the state and returns false if a
    /// robot moved further.
    fn run_groups(&mut self, steps: u64, with_beams: bool) -> bool {
        let block = Block {
            start: Moment::new(&self.scene, &self.state.sea, self.state.time_ns),
            steps,
            contacts: self.contacts.as_ref(),
            targets: self.moving_targets.as_ref().filter(|_| with_beams),
        };
        let amount = steps * self.runners.len() as u64;
        let saved_states = if block.has_limits() {
            &mut self.saved_states[..]
        } else {
            &mut []
        };
        let all = RobotGroups {
            first: 0,
            groups: self.groups.iter_mut(),
            runners: &mut self.runners,
            states: &mut self.state.robots,
            saved_states,
        };
        let stayed = AtomicBool::new(true);
        let threads = &mut self.threads;
        threads.for_each(Task::Block, amount as f64, all, |one| {
            if !block.advance(one) {
                stayed.store(false, Ordering::Relaxed);
            }
        });
        if !stayed.into_inner() {
            for (saved, robot) in self.saved_states.iter().zip(&mut self.state.robots) {
                robot.clone_from(saved);
            }
            self.runners.iter_mut().for_each(Runner::discard_since_mark);
            return false;
        }
        if let Some(contacts) = &self.contacts {
            contacts.clear_contacts(&mut self.state);
        }
        self.state.time_ns += steps * self.scene.dt_ns;
        self.state.step += steps;
        true
    }

    /// Runs [`Simulation::run_groups`] if the robots are so far from all other objects that no
    /// contact is possible. Otherwise, or if a robot moved further than its allowed distance,
    /// returns false with the state unchanged.
    fn try_advance_independently(&mut self, steps: u64) -> bool {
        let Some(contacts) = &mut self.contacts else {
            return false;
        };
        if !contacts.is_clear(&self.state, steps as f64 * self.scene.dt()) {
            return false;
        }
        contacts.clear_rotor_decks(&mut self.runners);
        self.run_groups(steps, false)
    }

    /// Advances robots that can be in contact: every robot makes a free step, then the contacts are
    /// solved.
    fn advance_with_contacts(&mut self, steps: u64) {
        let scene = Arc::clone(&self.scene);
        // poses of the shapes at the start: a command may have set a pose since the last block
        self.for_each_robot(Task::Poses, |runner, _, robot, state| {
            runner.evaluate_poses(robot, state)
        });
        if let Some(contacts) = &mut self.contacts {
            contacts.update_poses(&self.runners);
        }
        for _ in 0..steps {
            self.solve_tethers();
            self.for_each_robot(Task::Step, |runner, at, robot, state| {
                runner.step(at, robot, state);
                runner.evaluate_poses(robot, state)
            });
            if let Some(contacts) = &mut self.contacts {
                contacts.step(
                    &scene,
                    &mut self.state,
                    &mut self.runners,
                    &mut self.threads,
                );
            }
            self.note_task_contacts();
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
        let (scene, state, runners) = (&*self.scene, &mut self.state, &mut self.runners[..]);
        if let Some(contacts) = &mut self.contacts {
            contacts.update_rotor_decks(scene, runners);
            contacts.apply_predicted_loads(scene, state, runners);
        }
        if !self.tethers.is_empty() {
            let (threads, now_ns) = (&mut self.threads, state.time_ns);
            self.tethers
                .solve_step(scene, state, runners, threads, now_ns);
        }
    }

    /// Reads the sensors that are evaluated inside the step and are due now.
    pub(crate) fn read_due_sensors(&mut self) {
        self.for_each_robot(Task::Read, Runner::read_due_sensors);
    }

    /// Calls `what` for every robot; the threads share the calls.
    fn for_each_robot(
        &mut self,
        task: Task,
        what: impl Fn(&mut Runner, Moment<'_>, &Robot, &mut RobotState) + Sync,
    ) {
        let at = Moment::new(&self.scene, &self.state.sea, self.state.time_ns);
        let amount = self.runners.len() as f64;
        let all = self.runners.iter_mut().zip(&mut self.state.robots);
        let all = all.zip(&self.scene.robots);
        let one = |((runner, state), robot): ((&mut _, &mut _), &_)| what(runner, at, robot, state);
        self.threads.for_each(task, amount, all, one);
    }

    /// Empties all outboxes of readings and frames.
    pub fn clear_outboxes(&mut self) {
        self.clear_readings();
        self.frames.clear();
        self.task_intervals.clear();
        self.clear_network_output();
    }

    /// Empties the outboxes of readings, and keeps the frames.
    pub(crate) fn clear_readings(&mut self) {
        self.runners.iter_mut().for_each(|r| r.outbox.clear());
    }
}
