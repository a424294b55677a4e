//! A scene and its state, stepped in blocks, robots in parallel.
//!
//! Robots do not touch each other between two exchanges with the outside, so each runs its whole block alone: the
//! result cannot depend on how many threads share the work.

use super::robot::Runner;
use crate::control::command;
use crate::scene::Scene;
use crate::state::commands::Refusal;
use crate::state::{Command, State};
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
        Ok(Self { scene, state, runners, pool })
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
        let Self { scene, state, runners, pool } = self;
        let (scene, sea, start) = (&**scene, &state.sea, state.time_ns);
        let block = |(i, (runner, robot_state)): (usize, (&mut Runner, &mut crate::state::RobotState))| {
            let robot = &scene.robots[i];
            for k in 0..steps {
                runner.step(scene, robot, sea, start + k * scene.dt_ns, robot_state);
            }
            runner.observe(scene, robot, sea, start + steps * scene.dt_ns, robot_state);
        };
        let work = steps * runners.len() as u64;
        match pool {
            Some(pool) if work >= PARALLEL_FROM => pool.install(|| {
                let n = runners.len().div_ceil(4 * rayon::current_num_threads());
                runners
                    .par_iter_mut()
                    .zip(state.robots.par_iter_mut())
                    .enumerate()
                    .with_min_len(n)
                    .for_each(block);
            }),
            _ => runners.iter_mut().zip(&mut state.robots).enumerate().for_each(block),
        }
        state.time_ns += steps * scene.dt_ns;
        state.step += steps;
    }

    /// Empties all outboxes.
    pub fn clear_outboxes(&mut self) {
        self.runners.iter_mut().for_each(|r| r.outbox.clear());
    }
}
