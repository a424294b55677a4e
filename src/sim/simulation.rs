//! A scene and its state, stepped in blocks, robots in parallel.
//!
//! Where nothing can touch, each robot runs its whole block alone; else all make one step freely, then contacts are solved.
//! Either way no robot reads what another writes, so the result cannot depend on how many threads share the work.

use super::robot::Runner;
use crate::contact::Contacts;
use crate::control::command;
use crate::scene::{Scene, Sea};
use crate::state::commands::Refusal;
use crate::state::{Command, RobotState, State};
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
    pool: Option<rayon::ThreadPool>,
}

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
            Some(named.build().map_err(|e| format!("cannot start {useful} threads: {e}"))?)
        } else {
            None
        };
        let state = State::new(&scene);
        let runners = scene.robots.iter().map(Runner::new).collect();
        let contacts = Contacts::new(&scene).map_err(|problems| problems.join("\n"))?;
        Ok(Self { scene, state, runners, contacts, pool })
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
        if self.contacts.is_some() {
            self.advance_together(steps);
        } else {
            self.advance_apart(steps);
        }
    }

    /// Robots that cannot touch: each runs the whole block alone.
    fn advance_apart(&mut self, steps: u64) {
        let (scene, start) = (Arc::clone(&self.scene), self.state.time_ns);
        self.each(steps, |i, runner, sea, state| {
            let robot = &scene.robots[i];
            for k in 0..steps {
                runner.step(&scene, robot, sea, start + k * scene.dt_ns, state);
            }
            runner.observe(&scene, robot, sea, start + steps * scene.dt_ns, state);
        });
        self.state.time_ns += steps * scene.dt_ns;
        self.state.step += steps;
    }

    /// Robots that can touch: all make a step freely, then what would overlap is held back.
    fn advance_together(&mut self, steps: u64) {
        let scene = Arc::clone(&self.scene);
        let now = self.state.time_ns;
        // where the shapes are at the start: a pose may have been set since the last block
        self.each(1, |i, runner, _, state| runner.place(&scene.robots[i], state));
        if let Some(contacts) = &mut self.contacts {
            contacts.place(&self.runners);
        }
        for k in 0..steps {
            let now = now + k * scene.dt_ns;
            self.feed(&scene);
            self.each(1, |i, runner, sea, state| {
                runner.step_freely(&scene, &scene.robots[i], sea, now, state)
            });
            let Self { contacts, pool, runners, state, .. } = self;
            if let Some(contacts) = contacts {
                match pool {
                    Some(pool) => pool.install(|| contacts.step(&scene, state, runners)),
                    None => contacts.step(&scene, state, runners),
                }
            }
        }
        let end = now + steps * scene.dt_ns;
        self.feed(&scene);
        self.each(1, |i, runner, sea, state| runner.observe(&scene, &scene.robots[i], sea, end, state));
        self.state.time_ns = end;
        self.state.step += steps;
    }

    /// Lets what the couplings are expected to do act on the robots.
    fn feed(&mut self, scene: &Scene) {
        if let Some(contacts) = &self.contacts {
            contacts.feed(scene, &self.state, &mut self.runners);
        }
    }

    /// Does something with every robot, in parallel where `steps` steps each are worth it.
    fn each(&mut self, steps: u64, what: impl Fn(usize, &mut Runner, &Sea, &mut RobotState) + Sync) {
        let Self { state, runners, pool, .. } = self;
        let sea = &state.sea;
        let one = |(i, (runner, state)): (usize, (&mut Runner, &mut RobotState))| what(i, runner, sea, state);
        let work = steps * runners.len() as u64;
        match pool {
            Some(pool) if work >= PARALLEL_FROM => pool.install(|| {
                let n = runners.len().div_ceil(4 * rayon::current_num_threads());
                let all = runners.par_iter_mut().zip(state.robots.par_iter_mut()).enumerate();
                all.with_min_len(n).for_each(one);
            }),
            _ => runners.iter_mut().zip(&mut state.robots).enumerate().for_each(one),
        }
    }

    /// Empties all outboxes.
    pub fn clear_outboxes(&mut self) {
        self.runners.iter_mut().for_each(|r| r.outbox.clear());
    }
}
