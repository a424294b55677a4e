//! Runs a world: takes requests, steps in blocks at its pace, shows each block to the observers.

use crate::pace::{Clock, Pace};
use crate::simulation::Simulation;
use crossbeam_channel::{Receiver, Sender};
use merrow_model::state::commands::Refusal;
use merrow_model::state::{Command, Halt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What the outside may ask a running world for. Requests are read between blocks.
#[derive(Debug)]
pub enum Request {
    /// Change the state.
    Command(Command),
    /// Change the state and say how it went.
    CommandReply(Command, Reply<Result<(), Refusal>>),
    /// Stop time; also ends a step request that is under way.
    Pause(Reply<()>),
    /// Let time go on.
    Resume(Reply<()>),
    /// Make this many steps now, then answer; for a paused or lock-stepped world.
    Step(u64, Reply<Stepped>),
    /// Back to the start of the run.
    Reset(Reply<()>),
    /// Change the pace.
    Pace(Pace),
}

/// What is called with the answer to a request. A world that ends drops the requests it has not answered.
pub struct Reply<T>(Box<dyn FnOnce(T) + Send>);

impl<T> Reply<T> {
    /// A reply that calls `answer`, on the thread of the run; it must return at once.
    pub fn new(answer: impl FnOnce(T) + Send + 'static) -> Self {
        Self(Box::new(answer))
    }

    /// Answers.
    pub fn send(self, answer: T) {
        (self.0)(answer);
    }
}

impl<T: Send + 'static> From<Sender<T>> for Reply<T> {
    /// A reply into a channel with room for it.
    fn from(sender: Sender<T>) -> Self {
        // the asker may have gone; then nobody waits
        Self::new(move |answer| drop(sender.try_send(answer)))
    }
}

impl<T> std::fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reply")
    }
}

/// How a step request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// Simulated time now [ns].
    pub time_ns: u64,
    /// Whether all steps were made; else why not, and how many were.
    pub result: Result<(), String>,
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
    /// Called before the first of the steps that somebody has asked for.
    fn before_steps(&mut self, _simulation: &Simulation) {}
    /// Called when a command was refused.
    fn refused(&mut self, refusal: &Refusal, simulation: &Simulation);
    /// Called once when a robot was stopped because its state is no longer finite.
    fn halted(&mut self, _robot: usize, _halt: &Halt, _simulation: &Simulation) {}
    /// Called when the state jumped back to the start.
    fn reset(&mut self) {}
    /// Messages that did not reach their users.
    fn dropped(&self) -> u64 {
        0
    }
    /// Longest simulated time that may pass between two looks [ns].
    fn longest_block_ns(&self) -> u64 {
        u64::MAX
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
    /// Sensors that look around and missed samples because they were behind, as `robot/sensor`, and how many.
    pub missed: Vec<(String, u64)>,
    /// Hash over every state bit.
    pub state_hash: String,
    /// Robots that stand still at the end because their state was no longer finite.
    pub halted: usize,
    /// Why the run could not go on, if it could not.
    pub failed: Option<String>,
}

/// Simulated time between two exchanges with the outside at full speed [ns].
pub const BLOCK_MAX_NS: u64 = 10_000_000;
/// The same where no observer asks for more, if the world is so fast that nobody at a terminal waits for it.
const BLOCK_UNWATCHED_NS: u64 = 50_000_000;
/// Wall time that such a block may take [s].
const UNWATCHED_WALL_S: f64 = 0.01;
/// The same when following the wall clock: the latency of a command.
const BLOCK_PACED_NS: u64 = 2_000_000;
/// How long a standing world waits for a request before it shows itself to its observers.
const IDLE: Duration = Duration::from_millis(50);

/// Runs until `until_s` simulated seconds have passed (forever without), `stop` is set, or it cannot go on.
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
        last_step_s: f64::INFINITY,
        pending: None,
        told_halted: vec![false; simulation.scene.robots.len()],
        observers,
    };
    run.restart(simulation);
    let total = until_s.map(|s| (s * 1e9 / simulation.scene.dt_ns as f64).round() as u64);
    while !stop.load(Ordering::Relaxed)
        && total.is_none_or(|n| run.steps < n)
        && failure(simulation).is_none()
    {
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
    run.end_steps("the run ended", simulation);
    run.summary(simulation)
}

/// Why a simulation cannot go on.
fn failure(simulation: &Simulation) -> Option<&str> {
    simulation.lookout.as_ref()?.failed()
}

/// A step request that is under way.
struct Steps {
    asked: u64,
    left: u64,
    reply: Reply<Stepped>,
}

struct Run<'o, 'i> {
    clock: Clock,
    pace: Pace,
    paused: bool,
    refused: u64,
    steps: u64,
    /// Wall time of a step of the last block [s].
    last_step_s: f64,
    pending: Option<Steps>,
    /// Of each robot, whether the observers know that it is stopped.
    told_halted: Vec<bool>,
    observers: &'o mut [&'i mut dyn Observer],
}

impl Run<'_, '_> {
    fn block(&mut self, simulation: &mut Simulation, left: u64) {
        let most = self.longest_block(simulation.scene.dt_ns);
        let wanted = self
            .pending
            .as_ref()
            .map_or(most, |pending| most.min(pending.left));
        let steps = wanted.min(left);
        for (told, robot) in self.told_halted.iter_mut().zip(&simulation.state.robots) {
            *told &= robot.halted.is_some();
        }
        let start = self.clock.wall_s();
        simulation.advance(steps);
        self.last_step_s = (self.clock.wall_s() - start) / steps as f64;
        self.steps += steps;
        match self.pending.take() {
            Some(pending) if pending.left == steps => {
                pending.reply.send(Stepped {
                    time_ns: simulation.time_ns(),
                    result: Ok(()),
                });
            }
            Some(pending) => {
                self.pending = Some(Steps {
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
        self.tell_halted(simulation);
        self.show(simulation);
        simulation.clear_outboxes();
    }

    /// Steps of the next block if nothing ends it earlier. What a world does never depends on where its blocks end.
    fn longest_block(&self, dt_ns: u64) -> u64 {
        let ns = match self.pace {
            Pace::Factor(_) => BLOCK_PACED_NS,
            _ => {
                let steps = (BLOCK_UNWATCHED_NS / dt_ns).max(1);
                let fast = steps as f64 * self.last_step_s <= UNWATCHED_WALL_S;
                let most = if fast {
                    BLOCK_UNWATCHED_NS
                } else {
                    BLOCK_MAX_NS
                };
                self.observers
                    .iter()
                    .map(|o| o.longest_block_ns())
                    .fold(most, u64::min)
            }
        };
        (ns / dt_ns).max(1)
    }

    /// Tells the observers of robots that were stopped in this block.
    fn tell_halted(&mut self, simulation: &Simulation) {
        for (i, robot) in simulation.state.robots.iter().enumerate() {
            if let (Some(halt), false) = (&robot.halted, self.told_halted[i]) {
                self.told_halted[i] = true;
                self.observers
                    .iter_mut()
                    .for_each(|o| o.halted(i, halt, simulation));
            }
        }
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
                reply.send(result);
            }
            Request::Pause(reply) => {
                self.paused = true;
                self.end_steps("paused", simulation);
                reply.send(());
            }
            Request::Resume(reply) => {
                self.paused = false;
                self.restart(simulation);
                if self.pace != Pace::Lockstep {
                    self.end_steps("resumed", simulation);
                }
                reply.send(());
            }
            Request::Step(n, reply) => self.ask_steps(n, reply, simulation),
            Request::Reset(reply) => {
                self.end_steps("reset", simulation);
                simulation.restart();
                self.restart(simulation);
                self.observers.iter_mut().for_each(|o| o.reset());
                reply.send(());
            }
            Request::Pace(pace) => {
                self.pace = pace;
                self.restart(simulation);
                if !self.paused && pace != Pace::Lockstep {
                    self.end_steps("the world was let run", simulation);
                }
            }
        }
    }

    fn ask_steps(&mut self, n: u64, reply: Reply<Stepped>, simulation: &Simulation) {
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
            Some(why) => {
                reply.send(Stepped {
                    time_ns: simulation.time_ns(),
                    result: Err(why.to_string()),
                });
            }
            None => {
                self.observers
                    .iter_mut()
                    .for_each(|o| o.before_steps(simulation));
                self.pending = Some(Steps {
                    asked: n,
                    left: n,
                    reply,
                });
            }
        }
    }

    /// Ends a step request that is under way, and says how far it came.
    fn end_steps(&mut self, why: &str, simulation: &Simulation) {
        let Some(Steps { asked, left, reply }) = self.pending.take() else {
            return;
        };
        let result = Err(format!("{why} after {} of {asked} steps", asked - left));
        reply.send(Stepped {
            time_ns: simulation.time_ns(),
            result,
        });
    }

    fn refuse(&mut self, refusal: &Refusal, simulation: &Simulation) {
        self.refused += 1;
        self.observers
            .iter_mut()
            .for_each(|o| o.refused(refusal, simulation));
    }

    fn restart(&mut self, simulation: &mut Simulation) {
        let factor = if let Pace::Factor(f) = self.pace {
            f
        } else {
            1.0
        };
        self.clock.restart(simulation.time_ns(), factor);
        if let Some(lookout) = &mut simulation.lookout {
            lookout.set_patience(!matches!(self.pace, Pace::Factor(_)));
        }
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
        self.observers
            .iter_mut()
            .for_each(|o| o.after_block(simulation, &control));
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
            missed: missed(simulation),
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

/// Names and numbers of missed samples.
fn missed(simulation: &Simulation) -> Vec<(String, u64)> {
    let name = |(r, s, n): (usize, usize, u64)| {
        let robot = &simulation.scene.robots[r];
        (format!("{}/{}", robot.name, robot.sensors[s].name), n)
    };
    let all = simulation
        .lookout
        .iter()
        .flat_map(|lookout| lookout.missed());
    all.filter(|(_, _, n)| *n > 0).map(name).collect()
}
