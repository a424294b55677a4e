//! Run loop of a world: handles requests, steps in blocks at the set pace, and calls the observers
//! after each block.

mod requests;

pub use self::requests::{Access, InputMessage, Reply, Request, RunStatus, StepResult};

use self::requests::{PendingSteps, answer};
use crate::pace::{Clock, OVERSLEEP, Pace, Stopwatch, request_precise_timers};
use crate::simulation::{SceneVersion, Simulation};
use crossbeam_channel::Receiver;
use merrow_model::scene::Correspondence;
use merrow_model::state::Halt;
use merrow_model::state::commands::CommandRejection;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Status of a run, for observers.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// Requested pace of the world.
    pub pace: Pace,
    /// True while the simulated time is paused.
    pub paused: bool,
    /// Wall-clock time since the run began [s].
    pub wall_s: f64,
    /// Number of late blocks.
    pub overruns: u64,
    /// Mean and standard deviation of the lateness of blocks [s].
    pub jitter_s: (f64, f64),
    /// Largest lateness of a block [s].
    pub worst_lateness_s: f64,
    /// Number of rejected commands.
    pub rejected: u64,
}

/// Answer of an observer before a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockLimit {
    /// The block has at most this number of steps.
    Steps(u64),
    /// The observer waits for another program: no step now. The loop calls it again after it has
    /// processed the requests.
    Wait,
}

/// Observer that is called after every block: the ROS node, the recorder, the progress line.
pub trait Observer {
    /// Called after every block, and every 50 ms while the world is paused or waits for a step
    /// request (then with empty outboxes). Must return quickly.
    fn after_block(&mut self, simulation: &Simulation, control: &Control);
    /// Called before every block, for programs that run in step with the world. It may apply
    /// commands. It may wait until `deadline`, after which a world that follows the wall clock
    /// would be late; without a deadline a few milliseconds.
    fn before_block(
        &mut self,
        _simulation: &mut Simulation,
        _deadline: Option<Instant>,
    ) -> BlockLimit {
        BlockLimit::Steps(u64::MAX)
    }
    /// Called before the first step of a step request.
    fn before_steps(&mut self, _simulation: &Simulation) {}
    /// Called after the commands of a message were applied.
    fn received(&mut self, _message: &InputMessage, _simulation: &Simulation) {}
    /// Called when a command was rejected.
    fn rejected(&mut self, _rejection: &CommandRejection, _simulation: &Simulation) {}
    /// Called once when a robot was halted; `Halt::cause` is the reason.
    fn halted(&mut self, _robot: usize, _halt: &Halt, _simulation: &Simulation) {}
    /// Called when the state was reset to the start.
    fn reset(&mut self) {}
    /// Called when the state was reset while the time continues.
    fn state_reset(&mut self) {}
    /// Called when the scene was replaced. `same` contains the indices of the objects of the old
    /// scene in the new scene.
    fn replaced(&mut self, _simulation: &Simulation, _same: &Correspondence) {}
    /// Returns the simulated time at which the observer requests the next checkpoint [ns].
    fn next_checkpoint_ns(&self) -> u64 {
        u64::MAX
    }
    /// Called with a checkpoint of the instant `time_ns` [ns]: the first instant between two blocks
    /// at or after the requested one.
    fn checkpoint(&mut self, _time_ns: u64, _checkpoint: Result<Vec<u8>, String>) {}
    /// Returns the number of messages that were not delivered.
    fn dropped(&self) -> u64 {
        0
    }
    /// Returns the maximum simulated time between two calls of `after_block` [ns].
    fn max_block_ns(&self) -> u64 {
        u64::MAX
    }
}

/// Summary of a completed run.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Simulated time of the run [s].
    pub simulated_s: f64,
    /// Wall-clock time of the run [s].
    pub wall_s: f64,
    /// Simulated seconds per wall-clock second.
    pub real_time_factor: f64,
    /// Number of steps made.
    pub steps: u64,
    /// Number of late blocks.
    pub overruns: u64,
    /// Number of messages that were not delivered.
    pub dropped: u64,
    /// Number of refused commands.
    pub rejected: u64,
    /// Exteroceptive sensors that missed samples because their computation was late, as
    /// `robot/sensor`, with the number of missed samples.
    pub missed: Vec<(String, u64)>,
    /// Hash of all state bits; equal for bit-identical runs.
    pub state_hash: String,
    /// Number of robots that are halted at the end.
    pub halted: usize,
    /// Cause if the run could not continue.
    pub failed: Option<String>,
}

/// Simulated time between two exchanges with requests and observers at full speed [ns].
pub const BLOCK_MAX_NS: u64 = 10_000_000;
/// The same if no observer requires a shorter block and a user at a terminal does not notice the
/// block.
const BLOCK_UNWATCHED_NS: u64 = 100_000_000;
/// Maximum wall-clock time of such a block [s]. Long blocks use the cache better: a large fleet is
/// loaded into it once per block.
const UNWATCHED_WALL_S: f64 = 0.5;
/// The same when following the wall clock; it determines the latency of commands.
const BLOCK_PACED_NS: u64 = 2_000_000;
/// The same for more than [`FLEET_ROBOTS`] robots, whose data are loaded into the cache in every
/// block: 10 ms takes a fifth less CPU time than 4 ms for 100 robots.
const BLOCK_PACED_FLEET_NS: u64 = 10_000_000;
/// Maximum number of robots of a world with the shorter block.
const FLEET_ROBOTS: usize = 32;
/// Time that is reserved for a step, in durations of the last step.
const STEP_MARGIN: f64 = 2.0;
/// Time for which a paused world waits for a request before it calls its observers.
const IDLE_TIMEOUT: Duration = Duration::from_millis(50);

/// Runs until `until_s` [s] of simulated time have passed (without limit for `None`), `stop` is
/// set, or the simulation fails.
pub fn run(
    simulation: &mut Simulation,
    pace: Pace,
    until_s: Option<f64>,
    requests: &Receiver<Request>,
    observers: &mut [&mut dyn Observer],
    stop: &AtomicBool,
) -> Summary {
    request_precise_timers();
    let mut run = Run {
        clock: Clock::new(simulation.time_ns()),
        pace,
        paused: false,
        stopped: false,
        rejected: 0,
        steps: 0,
        last_step_s: f64::INFINITY,
        pending: None,
        replacements: VecDeque::new(),
        halt_notified: halted_robots(simulation),
        waiting_since: None,
        observers,
    };
    run.restart(simulation);
    let total = until_s.map(|s| (s * 1e9 / simulation.scene.dt_ns as f64).round() as u64);
    while !stop.load(Ordering::Relaxed)
        && total.is_none_or(|n| run.steps < n)
        && failure(simulation).is_none()
    {
        if !run.handle_queued(requests, simulation, stop) {
            break;
        }
        let left = total.map_or(u64::MAX, |n| n - run.steps);
        let standing = run.paused || run.pace == Pace::Lockstep;
        if standing && run.pending.is_none() {
            if !run.handle_next(requests, simulation, IDLE_TIMEOUT) {
                run.notify_observers(simulation);
            }
            continue;
        }
        match run.ask_observers(simulation) {
            Some(limit) => run.block(simulation, left.min(limit)),
            None => run.wait_for_observers(simulation),
        }
    }
    run.end_steps("the run ended", simulation);
    run.summary(simulation)
}

/// Returns, for each robot, whether it is halted.
fn halted_robots(simulation: &Simulation) -> Vec<bool> {
    let robots = &simulation.state.robots;
    robots.iter().map(|robot| robot.halted.is_some()).collect()
}

/// Returns the cause why a simulation cannot continue, if any.
fn failure(simulation: &Simulation) -> Option<&str> {
    simulation.sensor_scheduler.as_ref()?.failed()
}

struct Run<'o, 'i> {
    clock: Clock,
    pace: Pace,
    paused: bool,
    /// Whether the world is paused and has made no step since a reset or since it was loaded.
    stopped: bool,
    rejected: u64,
    steps: u64,
    /// Wall-clock time per step in the last block [s].
    last_step_s: f64,
    pending: Option<PendingSteps>,
    /// Earlier versions of the scene, and where their objects are now.
    replacements: VecDeque<(SceneVersion, Correspondence)>,
    /// For each robot, whether the observers were notified that it is halted.
    halt_notified: Vec<bool>,
    /// Time of the last notification while an observer waits for another program.
    waiting_since: Option<Stopwatch>,
    observers: &'o mut [&'i mut dyn Observer],
}

impl Run<'_, '_> {
    /// Returns the maximum number of steps of the next block; `None` while an observer waits.
    fn ask_observers(&mut self, simulation: &mut Simulation) -> Option<u64> {
        let mut steps = u64::MAX;
        let deadline = self.start_deadline(simulation);
        for observer in self.observers.iter_mut() {
            match observer.before_block(simulation, deadline) {
                BlockLimit::Steps(limit) => steps = steps.min(limit.max(1)),
                BlockLimit::Wait => return None,
            }
        }
        if self.waiting_since.take().is_some() {
            // the wait is not made up for
            self.restart(simulation);
        }
        Some(steps)
    }

    /// Returns the time at which the next step must start so that it ends when it is due; `None` if
    /// the world does not follow the wall clock.
    fn start_deadline(&self, simulation: &Simulation) -> Option<Instant> {
        let (Pace::Factor(_), None) = (self.pace, &self.pending) else {
            return None;
        };
        let due = self
            .clock
            .due(simulation.time_ns() + simulation.scene.dt_ns);
        // infinite before the first step, which does not wait
        let step_s = (STEP_MARGIN * self.last_step_s).min(1.0);
        due.checked_sub(OVERSLEEP + Duration::from_secs_f64(step_s))
    }

    /// Notifies the observers from time to time while one of them waits for another program.
    fn wait_for_observers(&mut self, simulation: &Simulation) {
        let since = *self.waiting_since.get_or_insert_with(Stopwatch::start);
        if since.elapsed_s() > IDLE_TIMEOUT.as_secs_f64() {
            self.waiting_since = Some(Stopwatch::start());
            self.notify_observers(simulation);
        }
    }

    fn block(&mut self, simulation: &mut Simulation, left: u64) {
        let max_steps = self
            .max_block_steps(simulation)
            .min(self.steps_to_checkpoint(simulation));
        let requested = self
            .pending
            .as_ref()
            .map_or(max_steps, |pending| max_steps.min(pending.left));
        let steps = requested.min(left);
        for (is_notified, robot) in self.halt_notified.iter_mut().zip(&simulation.state.robots) {
            *is_notified &= robot.halted.is_some();
        }
        let start = self.clock.wall_s();
        simulation.advance(steps);
        for rejection in std::mem::take(&mut simulation.schedule_rejections) {
            self.reject(&rejection, simulation);
        }
        self.last_step_s = (self.clock.wall_s() - start) / steps as f64;
        self.steps += steps;
        let mut finished = None;
        match self.pending.take() {
            Some(pending) if pending.left == steps => finished = Some(pending.reply),
            Some(pending) => {
                self.pending = Some(PendingSteps {
                    left: pending.left - steps,
                    ..pending
                })
            }
            None => {
                if let Pace::Factor(_) = self.pace {
                    self.clock.wait_for(simulation.time_ns());
                }
            }
        }
        self.notify_halted(simulation);
        self.notify_observers(simulation);
        simulation.clear_outboxes();
        self.pass_checkpoints(simulation);
        // the reply is last: a client that stops a recording next receives all messages of these
        // steps
        if let Some(reply) = finished {
            answer(reply, simulation, Ok(()));
        }
    }

    /// Calls `f` with every observer.
    fn each(&mut self, mut f: impl FnMut(&mut dyn Observer)) {
        self.observers.iter_mut().for_each(|observer| f(*observer));
    }

    /// Returns the number of steps to the next requested checkpoint, at least 1.
    fn steps_to_checkpoint(&self, simulation: &Simulation) -> u64 {
        let requested = self.observers.iter().map(|o| o.next_checkpoint_ns());
        let time_ns = requested.min().unwrap_or(u64::MAX);
        let left = time_ns.saturating_sub(simulation.time_ns());
        left.div_ceil(simulation.scene.dt_ns).max(1)
    }

    /// Passes a checkpoint of the current instant to the observers that requested one.
    fn pass_checkpoints(&mut self, simulation: &mut Simulation) {
        let now = simulation.time_ns();
        for observer in self.observers.iter_mut() {
            if observer.next_checkpoint_ns() <= now {
                observer.checkpoint(now, simulation.checkpoint());
            }
        }
    }

    /// Returns the maximum number of steps of the next block. Results never depend on the block
    /// boundaries.
    fn max_block_steps(&self, simulation: &Simulation) -> u64 {
        let dt_ns = simulation.scene.dt_ns;
        let is_fleet = simulation.scene.robots.len() > FLEET_ROBOTS;
        let ns = match self.pace {
            Pace::Factor(_) if is_fleet => BLOCK_PACED_FLEET_NS,
            Pace::Factor(_) => BLOCK_PACED_NS,
            _ => {
                // 0 before the first block, whose duration is unknown
                let unnoticed_ns = UNWATCHED_WALL_S / self.last_step_s * dt_ns as f64;
                let max_ns = (unnoticed_ns as u64).clamp(BLOCK_MAX_NS, BLOCK_UNWATCHED_NS);
                self.observers
                    .iter()
                    .map(|o| o.max_block_ns())
                    .fold(max_ns, u64::min)
            }
        };
        (ns / dt_ns).max(1)
    }

    /// Notifies the observers of robots that were halted in this block.
    fn notify_halted(&mut self, simulation: &Simulation) {
        for (i, robot) in simulation.state.robots.iter().enumerate() {
            if let (Some(halt), false) = (&robot.halted, self.halt_notified[i]) {
                self.halt_notified[i] = true;
                self.each(|o| o.halted(i, halt, simulation));
            }
        }
    }

    fn restart(&mut self, simulation: &mut Simulation) {
        let factor = if let Pace::Factor(f) = self.pace {
            f
        } else {
            1.0
        };
        self.clock.restart(simulation.time_ns(), factor);
        if let Some(scheduler) = &mut simulation.sensor_scheduler {
            scheduler.set_pace(self.pace);
        }
    }

    fn notify_observers(&mut self, simulation: &Simulation) {
        let control = Control {
            pace: self.pace,
            paused: self.paused,
            wall_s: self.clock.wall_s(),
            overruns: self.clock.overruns,
            jitter_s: self.clock.jitter_s(),
            worst_lateness_s: self.clock.worst_lateness_s,
            rejected: self.rejected,
        };
        self.each(|o| o.after_block(simulation, &control));
    }

    fn summary(&self, simulation: &Simulation) -> Summary {
        let simulated_s = self.steps as f64 * simulation.scene.dt();
        let wall_s = self.clock.wall_s();
        Summary {
            simulated_s,
            wall_s,
            real_time_factor: simulated_s / wall_s.max(1e-9),
            steps: self.steps,
            overruns: self.clock.overruns,
            dropped: self.observers.iter().map(|o| o.dropped()).sum(),
            rejected: self.rejected,
            missed: missed_samples(simulation),
            state_hash: simulation.state.hash(),
            halted: simulation
                .state
                .robots
                .iter()
                .filter(|r| r.halted.is_some())
                .count(),
            failed: failure(simulation).map(str::to_owned),
        }
    }
}

/// Returns the names of sensors with missed samples, and the numbers of these samples.
fn missed_samples(simulation: &Simulation) -> Vec<(String, u64)> {
    let name = |(r, s, n): (usize, usize, u64)| {
        let robot = &simulation.scene.robots[r];
        (format!("{}/{}", robot.name, robot.sensors[s].name), n)
    };
    let all = simulation
        .sensor_scheduler
        .iter()
        .flat_map(|scheduler| scheduler.missed());
    all.filter(|(_, _, n)| *n > 0).map(name).collect()
}
