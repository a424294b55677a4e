//! Runs a world: takes requests, steps in blocks at its pace, shows each block to the observers.

use super::pace::{Clock, Pace};
use super::simulation::Simulation;
use crate::state::Command;
use crate::state::commands::Refusal;
use crossbeam_channel::{Receiver, Sender};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What the outside may ask a running world for. Requests are read between blocks.
#[derive(Debug)]
pub enum Request {
    /// Change the state.
    Command(Command),
    /// Change the state and say how it went.
    CommandReply(Command, Sender<Result<(), Refusal>>),
    /// Stop time.
    Pause(Sender<()>),
    /// Let time go on.
    Resume(Sender<()>),
    /// Make this many steps now, then answer with the simulated time [ns]; for a paused or lock-stepped world.
    Step(u64, Sender<Result<u64, String>>),
    /// Back to the start of the run.
    Reset(Sender<()>),
    /// Change the pace.
    Pace(Pace),
}

/// Where a run stands, for observers.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// Pace asked for.
    pub pace: Pace,
    /// True while time stands still.
    pub paused: bool,
    /// Wall seconds since the run began.
    pub wall_s: f64,
    /// Blocks that came late.
    pub overruns: u64,
    /// Mean and standard deviation of a block's lateness [s].
    pub jitter_s: (f64, f64),
    /// Largest lateness [s].
    pub worst_lateness_s: f64,
    /// Commands refused.
    pub refused: u64,
}

/// Somebody who is shown every block: the ROS side, the recorder, the progress line.
pub trait Observer {
    /// Called after every block, and every 50 ms while time stands still (then with empty outboxes). Must be quick.
    fn after_block(&mut self, simulation: &Simulation, control: &Control);
    /// Called when a command was refused.
    fn refused(&mut self, refusal: &Refusal, simulation: &Simulation);
    /// Called when the state jumped back to the start.
    fn reset(&mut self) {}
    /// Messages that did not reach their users.
    fn dropped(&self) -> u64 {
        0
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Simulated seconds.
    pub simulated_s: f64,
    /// Wall seconds.
    pub wall_s: f64,
    /// Simulated seconds per wall second.
    pub real_time_factor: f64,
    /// Steps made.
    pub steps: u64,
    /// Blocks that came late.
    pub overruns: u64,
    /// Messages that did not reach their users.
    pub dropped: u64,
    /// Hash over every state bit.
    pub state_hash: String,
}

/// Simulated time between two exchanges with the outside at full speed [ns].
const BLOCK_MAX_NS: u64 = 10_000_000;
/// The same when following the wall clock: the latency of a command.
const BLOCK_PACED_NS: u64 = 2_000_000;
/// How long a standing world waits for a request before it shows itself to its observers.
const IDLE: Duration = Duration::from_millis(50);

/// Runs until `until_s` simulated seconds have passed (forever without) or `stop` is set.
pub fn run(
    simulation: &mut Simulation,
    pace: Pace,
    until_s: Option<f64>,
    requests: &Receiver<Request>,
    observers: &mut [&mut dyn Observer],
    stop: &AtomicBool,
) -> Summary {
    let mut run = Run {
        clock: Clock::new(simulation.time_ns()),
        pace,
        paused: false,
        refused: 0,
        steps: 0,
        pending: None,
        observers,
    };
    run.restart(simulation);
    let total = until_s.map(|s| (s * 1e9 / simulation.scene.dt_ns as f64).round() as u64);
    while !stop.load(Ordering::Relaxed) && total.is_none_or(|n| run.steps < n) {
        while let Ok(request) = requests.try_recv() {
            run.handle(request, simulation);
        }
        let left = total.map_or(u64::MAX, |n| n - run.steps);
        let standing = run.paused || run.pace == Pace::Lockstep;
        if standing && run.pending.is_none() {
            match requests.recv_timeout(IDLE) {
                Ok(request) => run.handle(request, simulation),
                Err(_) => run.show(simulation),
            }
            continue;
        }
        run.block(simulation, left);
    }
    run.summary(simulation)
}

struct Run<'o, 'i> {
    clock: Clock,
    pace: Pace,
    paused: bool,
    refused: u64,
    steps: u64,
    pending: Option<(u64, Sender<Result<u64, String>>)>,
    observers: &'o mut [&'i mut dyn Observer],
}

impl Run<'_, '_> {
    fn block(&mut self, simulation: &mut Simulation, left: u64) {
        let dt = simulation.scene.dt_ns;
        let most = match self.pace {
            Pace::Factor(_) => (BLOCK_PACED_NS / dt).max(1),
            _ => (BLOCK_MAX_NS / dt).max(1),
        };
        let wanted = self.pending.as_ref().map_or(most, |(n, _)| most.min(*n));
        let steps = wanted.min(left);
        simulation.advance(steps);
        self.steps += steps;
        match &mut self.pending {
            Some((n, reply)) => {
                *n -= steps;
                if *n == 0 {
                    // the asker may have gone; then nobody waits
                    let _ = reply.send(Ok(simulation.time_ns()));
                    self.pending = None;
                }
            }
            None => {
                if let Pace::Factor(_) = self.pace {
                    self.clock.wait_for(simulation.time_ns());
                }
            }
        }
        self.show(simulation);
        simulation.clear_outboxes();
    }

    fn handle(&mut self, request: Request, simulation: &mut Simulation) {
        match request {
            Request::Command(command) => {
                if let Err(refusal) = simulation.apply(&command) {
                    self.refuse(&refusal, simulation);
                }
            }
            Request::CommandReply(command, reply) => {
                let result = simulation.apply(&command);
                if let Err(refusal) = &result {
                    self.refuse(refusal, simulation);
                }
                let _ = reply.send(result);
            }
            Request::Pause(reply) => {
                self.paused = true;
                let _ = reply.send(());
            }
            Request::Resume(reply) => {
                self.paused = false;
                self.restart(simulation);
                let _ = reply.send(());
            }
            Request::Step(n, reply) => self.ask_steps(n, reply),
            Request::Reset(reply) => {
                simulation.state = simulation.state.restarted(&simulation.scene);
                simulation.clear_outboxes();
                self.restart(simulation);
                self.observers.iter_mut().for_each(|o| o.reset());
                let _ = reply.send(());
            }
            Request::Pace(pace) => {
                self.pace = pace;
                self.restart(simulation);
            }
        }
    }

    fn ask_steps(&mut self, n: u64, reply: Sender<Result<u64, String>>) {
        let refusal = if !self.paused && self.pace != Pace::Lockstep {
            Some("the world is running: pause it, or start it with --pace lockstep")
        } else if self.pending.is_some() {
            Some("another step request is still under way")
        } else if n == 0 {
            Some("found 0 steps, expected at least 1")
        } else {
            None
        };
        match refusal {
            Some(why) => drop(reply.send(Err(why.to_string()))),
            None => self.pending = Some((n, reply)),
        }
    }

    fn refuse(&mut self, refusal: &Refusal, simulation: &Simulation) {
        self.refused += 1;
        self.observers.iter_mut().for_each(|o| o.refused(refusal, simulation));
    }

    fn restart(&mut self, simulation: &Simulation) {
        let factor = if let Pace::Factor(f) = self.pace { f } else { 1.0 };
        self.clock.restart(simulation.time_ns(), factor);
    }

    fn show(&mut self, simulation: &Simulation) {
        let control = Control {
            pace: self.pace,
            paused: self.paused,
            wall_s: self.clock.wall_s(),
            overruns: self.clock.overruns,
            jitter_s: self.clock.jitter_s(),
            worst_lateness_s: self.clock.worst_lateness_s,
            refused: self.refused,
        };
        self.observers.iter_mut().for_each(|o| o.after_block(simulation, &control));
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
            state_hash: simulation.state.hash(),
        }
    }
}
