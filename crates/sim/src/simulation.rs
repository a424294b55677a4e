//! A scene and its state, stepped in blocks, robots in parallel.
//!
//! Where nothing can touch and nothing ties, each robot runs its whole block alone; else all make one step freely, then contacts
//! are solved and the tethers follow. Either way no robot reads what another writes, so the result cannot depend on how many
//! threads share the work.

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

/// A running world.
#[derive(Debug)]
pub struct Simulation {
    /// What does not change.
    pub scene: Arc<Scene>,
    /// What does.
    pub state: State,
    /// One per robot.
    pub runners: Vec<Runner>,
    contacts: Option<Contacts>,
    groups: Vec<Group>,
    /// Robots before a block that they try to run alone.
    before: Vec<RobotState>,
    pool: Option<rayon::ThreadPool>,
    tethers: Tethers,
    /// Robots as beams of others meet them, if any can.
    others: Option<Others>,
    /// The sensors that look around, if there are any.
    pub lookout: Option<Lookout>,
    /// Frames handed over since the outboxes were last emptied.
    pub frames: Vec<Frame>,
}

/// Longest time that robots run alone before it is looked again whether they can touch [ns].
const ALONE_NS: u64 = 50_000_000;
/// Robot-steps under which a block is not worth waking another thread for (about 20 us of work).
const PARALLEL_FROM: u64 = 64;

impl Simulation {
    /// A world at its start, stepped by `threads` threads (0: one per core).
    ///
    /// # Errors
    /// If the threads cannot be started, or a shape that can be touched cannot be made.
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
        // made anew: what is cloned has no room to grow without allocating
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

    /// Simulated time [ns].
    pub fn time_ns(&self) -> u64 {
        self.state.time_ns
    }

    /// Applies a command at the start of the next step.
    ///
    /// # Errors
    /// What was wrong with it; then nothing has changed.
    pub fn apply(&mut self, command: &Command) -> Result<(), Refusal> {
        command::apply(&self.scene, &mut self.state, command)
    }

    /// Makes `steps` steps and reads the sensors due at their end. Readings delivered on the way stand in the runners' outboxes afterwards.
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

    /// Samples the sensors that look around and are due now.
    fn look_around(&mut self) {
        if let Some(lookout) = &mut self.lookout {
            lookout.sample(&self.scene, &mut self.state, &mut self.runners);
        }
    }

    /// Finds what beams that are due now meet of other robots.
    fn meet(&mut self) {
        if let Some(others) = &mut self.others {
            others.meet(&self.scene, &self.state, &mut self.runners);
        }
    }

    /// Back to the start, with the settings that outlive it.
    pub fn restart(&mut self) {
        self.state = self.state.restarted(&self.scene);
        if let Some(lookout) = &mut self.lookout {
            lookout.forget();
        }
        self.clear_outboxes();
    }

    /// Makes `steps` steps.
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

    /// Robots that cannot touch: each runs the whole block alone, or beside others of its model.
    fn advance_apart(&mut self, steps: u64) {
        self.run_groups(steps);
        self.state.time_ns += steps * self.scene.dt_ns;
        self.state.step += steps;
    }

    /// All groups make the steps of a block, each for itself, and note how far their robots get.
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
                        // a step's kick is felt by the next only
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

    /// As [`Simulation::advance_apart`] if robots are so far from everything that nothing can touch; else, or if one got
    /// further than was thought possible, nothing has happened and the answer is false.
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

    /// Robots that can touch: all make a step freely, then what would overlap is held back.
    fn advance_together(&mut self, steps: u64) {
        let scene = Arc::clone(&self.scene);
        // where the shapes are at the start: a pose may have been set since the last block
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

    /// Solves the tethers over the coming step, and lets couplings begin it with what they are expected to bear. To do so once more at the same instant changes nothing.
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

    /// Reads the sensors that are due now.
    fn observe(&mut self) {
        let (scene, now) = (Arc::clone(&self.scene), self.state.time_ns);
        self.each(1, |i, runner, sea, state| {
            runner.observe(&scene, &scene.robots[i], sea, now, state)
        });
    }

    /// Does something with every robot, in parallel where `steps` steps each are worth it.
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

    /// Empties all outboxes.
    pub fn clear_outboxes(&mut self) {
        self.clear_readings();
        self.frames.clear();
    }

    /// Empties the outboxes of readings, and keeps the frames.
    pub fn clear_readings(&mut self) {
        self.runners.iter_mut().for_each(|r| r.outbox.clear());
    }
}

/// Some groups and their robots; `first` is the place of the first in the world's list.
struct Part<'a> {
    first: usize,
    groups: &'a mut [Group],
    runners: &'a mut [Runner],
    states: &'a mut [RobotState],
}

impl Part<'_> {
    /// Does something with every group.
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

    /// As [`Part::each`], in parallel down to `grain` groups.
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
