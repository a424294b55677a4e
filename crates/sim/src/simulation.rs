//! Simulation of a scene: its state, stepped in blocks, with the robots in parallel.
//!
//! If no contact is possible and there are no tethers, each robot runs its whole block
//! independently. Otherwise all robots make one free step, then the contacts are solved and the
//! tethers are updated. In both cases no robot reads data that another one writes, so the result
//! does not depend on the number of threads.

use crate::control::command;
use crate::control::energy::charging;
use crate::robot::Runner;
use crate::sensors::scheduler::Lookout;
use crate::simd_batch::Group;
use crate::tethers::Tethers;
use merrow_model::scene::{Scene, Sea};
use merrow_model::state::commands::Refusal;
use merrow_model::state::frames::Frame;
use merrow_model::state::{Command, RobotState, State};
use merrow_physics::contact::Contacts;
use merrow_sensors::ray_scene::Still;
use merrow_sensors::water::moving_targets::Others;
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
    groups: Vec<Group>,
    /// Robot states before a block that the robots try to run independently.
    before: Vec<RobotState>,
    pool: Option<rayon::ThreadPool>,
    tethers: Tethers,
    /// Shapes of robots for the beams of other robots, if any beam can hit one.
    others: Option<Others>,
    /// Scheduler of the exteroceptive sensors, if there are any.
    pub lookout: Option<Lookout>,
    /// Frames of exteroceptive sensors delivered since the outboxes were last emptied.
    pub frames: Vec<Frame>,
}

/// Maximum time that robots run independently before the next check for possible contacts [ns].
const ALONE_NS: u64 = 50_000_000;
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
        let still = Still::is_met(&scene).then(|| Arc::new(Still::new(&scene)));
        let runners = scene
            .robots
            .iter()
            .map(|robot| Runner::among(robot, still.clone()))
            .collect();
        let contacts = Contacts::new(&scene).map_err(|problems| problems.join("\n"))?;
        // not cloned: a clone has no spare capacity, so it would allocate later
        let before = if contacts.is_some() {
            State::new(&scene).robots
        } else {
            Vec::new()
        };
        let tethers = Tethers::new(&scene);
        let groups = Group::all(&scene.robots);
        let lookout = still.map_or(Ok(None), |still| Lookout::new(&scene, &still, wanted))?;
        let (others, frames) = (Others::new(&scene), Vec::new());
        Ok(Self {
            scene,
            state,
            runners,
            contacts,
            groups,
            before,
            pool,
            tethers,
            others,
            lookout,
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
    pub fn apply(&mut self, command: &Command) -> Result<(), Refusal> {
        command::apply(&self.scene, &mut self.state, command)
    }

    /// Makes `steps` steps and reads the sensors due at their end. The readings delivered meanwhile
    /// are then in the outboxes of the runners.
    pub fn advance(&mut self, steps: u64) {
        let mut left = steps;
        while left > 0 {
            self.look_around();
            let mut some = left;
            if !self.scene.chargers.is_empty() {
                let now = self.state.time_ns;
                if charging::is_due(&self.scene, now) {
                    charging::connect(&self.scene, &mut self.state);
                }
                some = some.min(charging::steps_to_next(&self.scene, now));
            }
            if let Some(lookout) = &self.lookout {
                some = some.min(lookout.steps_to_next(&self.state, self.scene.dt_ns));
            }
            if let Some(others) = &self.others {
                some = some.min(others.steps_to_next(&self.scene, &self.state));
            }
            self.meet();
            self.advance_block(some);
            left -= some;
        }
        self.meet();
        self.observe();
        self.look_around();
        if let Some(lookout) = &mut self.lookout {
            lookout.hand_over(self.state.time_ns, &mut self.frames);
        }
    }

    /// Samples the exteroceptive sensors that are due now.
    fn look_around(&mut self) {
        if let Some(lookout) = &mut self.lookout {
            lookout.sample(&self.scene, &mut self.state, &mut self.runners);
        }
    }

    /// Intersects the beams that are due now with other robots.
    fn meet(&mut self) {
        if let Some(others) = &mut self.others {
            others.meet(&self.scene, &self.state, &mut self.runners);
        }
    }

    /// Resets the state to the start; settings that survive a reset are kept.
    pub fn restart(&mut self) {
        self.state = self.state.restarted(&self.scene);
        if let Some(lookout) = &mut self.lookout {
            lookout.forget();
        }
        self.clear_outboxes();
    }

    /// Makes `steps` steps without exteroceptive sensors.
    fn advance_block(&mut self, steps: u64) {
        if self.contacts.is_none() && self.tethers.is_empty() {
            self.advance_apart(steps);
        } else {
            let mut left = steps;
            while left > 0 {
                let some = left.min((ALONE_NS / self.scene.dt_ns).max(1));
                if !self.tethers.is_empty() || !self.try_apart(some) {
                    self.advance_together(some);
                }
                left -= some;
            }
        }
    }

    /// Runs the whole block without contacts: each robot independently, or in a SIMD batch.
    fn advance_apart(&mut self, steps: u64) {
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
        let one =
            |first: usize, group: &mut Group, runners: &mut [Runner], states: &mut [RobotState]| {
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
                        state.kick.clear();
                        runner.went(state);
                    }
                }
            };
        let all = Part {
            first: 0,
            groups,
            runners,
            states: &mut state.robots,
        };
        match pool {
            Some(pool) if steps * all.runners.len() as u64 >= PARALLEL_FROM => {
                let grain = all.groups.len().div_ceil(4 * pool.current_num_threads());
                pool.install(|| all.split(grain, &one));
            }
            _ => all.each(&one),
        }
    }

    /// Runs [`Simulation::advance_apart`] if the robots are so far from all other objects that no
    /// contact is possible. Otherwise, or if a robot moved further than its allowed distance,
    /// restores the state and returns false.
    fn try_apart(&mut self, steps: u64) -> bool {
        let Self {
            contacts,
            state,
            before,
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
        contacts.nothing_under_rotors(runners);
        for (spare, robot) in before.iter_mut().zip(&state.robots) {
            robot.save(spare);
        }
        self.run_groups(steps);
        let Self {
            contacts,
            state,
            before,
            runners,
            ..
        } = self;
        let allowed = |r: usize| contacts.as_ref().map_or(0.0, |c| c.allowed(r));
        let stayed = runners
            .iter()
            .enumerate()
            .all(|(r, runner)| runner.excursion() <= allowed(r));
        if !stayed {
            for (spare, robot) in before.iter().zip(&mut state.robots) {
                spare.save(robot);
            }
            runners.iter_mut().for_each(Runner::back_to_mark);
            return false;
        }
        if let Some(contacts) = contacts {
            contacts.nothing(state);
        }
        state.time_ns += steps * self.scene.dt_ns;
        state.step += steps;
        true
    }

    /// Advances robots that can be in contact: every robot makes a free step, then the contacts are
    /// solved.
    fn advance_together(&mut self, steps: u64) {
        let scene = Arc::clone(&self.scene);
        // poses of the shapes at the start: a command may have set a pose since the last block
        self.each(1, |i, runner, _, state| {
            runner.place(&scene.robots[i], state)
        });
        if let Some(contacts) = &mut self.contacts {
            contacts.place(&self.runners);
        }
        for _ in 0..steps {
            let now = self.state.time_ns;
            self.pull();
            self.each(1, |i, runner, sea, state| {
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
            self.tethers.settle(&scene, &mut self.state, end);
        }
        self.pull();
    }

    /// Solves the tethers over the coming step and applies the predicted coupling loads to it.
    /// Idempotent within one instant.
    fn pull(&mut self) {
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
            contacts.look_under_rotors(scene, runners);
            contacts.feed(scene, state, runners);
        }
        if !tethers.is_empty() {
            tethers.pull(scene, state, runners, pool.as_ref(), state.time_ns);
        }
    }

    /// Reads the sensors that are evaluated inside the step and are due now.
    fn observe(&mut self) {
        let (scene, now) = (Arc::clone(&self.scene), self.state.time_ns);
        self.each(1, |i, runner, sea, state| {
            runner.observe(&scene, &scene.robots[i], sea, now, state)
        });
    }

    /// Calls `what` for every robot, in parallel if `steps` steps of each robot are worth it.
    fn each(
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
struct Part<'a> {
    first: usize,
    groups: &'a mut [Group],
    runners: &'a mut [Runner],
    states: &'a mut [RobotState],
}

impl Part<'_> {
    /// Calls `what` for every group.
    fn each(self, what: &impl Fn(usize, &mut Group, &mut [Runner], &mut [RobotState])) {
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
    fn split(
        self,
        grain: usize,
        what: &(impl Fn(usize, &mut Group, &mut [Runner], &mut [RobotState]) + Sync),
    ) {
        if self.groups.len() <= grain.max(1) {
            return self.each(what);
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
        let left = Part {
            first,
            groups: left,
            runners: left_runners,
            states: left_states,
        };
        let right = Part {
            first: first + n,
            groups: right,
            runners: right_runners,
            states: right_states,
        };
        rayon::join(|| left.split(grain, what), || right.split(grain, what));
    }
}
