//! A scene and its state, stepped in blocks, robots in parallel.
//!
//! Robots that nothing couples run whole blocks alone; tethers are solved between the steps, one after the other. Either way
//! the result cannot depend on how many threads share the work.

use super::robot::Runner;
use super::tethers::Tethers;
use crate::control::command;
use crate::scene::Scene;
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
    pool: Option<rayon::ThreadPool>,
    tethers: Tethers,
}

/// Robot-steps under which a block is not worth waking another thread for (about 20 us of work).
const PARALLEL_FROM: u64 = 64;

impl Simulation {
    /// A world at its start, stepped by `threads` threads (0: one per core).
    ///
    /// # Errors
    /// If the threads cannot be started.
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
        let tethers = Tethers::new(&scene);
        Ok(Self { scene, state, runners, pool, tethers })
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
        if self.tethers.is_empty() {
            self.advance_apart(steps);
        } else {
            self.advance_tied(steps);
        }
    }

    /// Every robot runs the whole block alone.
    fn advance_apart(&mut self, steps: u64) {
        let Self { scene, state, runners, pool, .. } = self;
        let (scene, sea, start) = (&**scene, &state.sea, state.time_ns);
        each_robot(pool.as_ref(), steps, runners, &mut state.robots, |i, runner, robot_state| {
            let robot = &scene.robots[i];
            for k in 0..steps {
                runner.step(scene, robot, sea, start + k * scene.dt_ns, robot_state);
            }
            runner.observe(scene, robot, sea, start + steps * scene.dt_ns, robot_state);
        });
        state.time_ns += steps * scene.dt_ns;
        state.step += steps;
    }

    /// All robots make each step together, with what couples them between the steps.
    fn advance_tied(&mut self, steps: u64) {
        let Self { scene, state, runners, pool, tethers } = self;
        let scene = &**scene;
        tethers.pull(scene, state, runners, pool.as_ref(), state.time_ns);
        for _ in 0..steps {
            let (sea, now) = (&state.sea, state.time_ns);
            each_robot(pool.as_ref(), 1, runners, &mut state.robots, |i, runner, robot_state| {
                runner.step(scene, &scene.robots[i], sea, now, robot_state);
            });
            state.time_ns += scene.dt_ns;
            state.step += 1;
            tethers.settle(scene, state, state.time_ns);
            tethers.pull(scene, state, runners, pool.as_ref(), state.time_ns);
        }
        let (sea, now) = (&state.sea, state.time_ns);
        for (i, (runner, robot_state)) in runners.iter_mut().zip(&mut state.robots).enumerate() {
            runner.observe(scene, &scene.robots[i], sea, now, robot_state);
        }
    }

    /// Empties all outboxes.
    pub fn clear_outboxes(&mut self) {
        self.runners.iter_mut().for_each(|r| r.outbox.clear());
    }
}

/// Lets every robot do `steps` steps' worth of work, on more than one thread if that pays.
fn each_robot(
    pool: Option<&rayon::ThreadPool>,
    steps: u64,
    runners: &mut [Runner],
    states: &mut [RobotState],
    work: impl Fn(usize, &mut Runner, &mut RobotState) + Sync,
) {
    match pool {
        Some(pool) if steps * runners.len() as u64 >= PARALLEL_FROM => pool.install(|| {
            let n = runners.len().div_ceil(4 * rayon::current_num_threads());
            let both = runners.par_iter_mut().zip(states.par_iter_mut()).enumerate().with_min_len(n);
            both.for_each(|(i, (runner, state))| work(i, runner, state));
        }),
        _ => {
            let both = runners.iter_mut().zip(states).enumerate();
            both.for_each(|(i, (runner, state))| work(i, runner, state));
        }
    }
}
