//! What happens at an instant between two blocks of steps, and when the next instant is.
//!
//! A source of events has a time of its next event and a function that processes all its events up
//! to now. At an instant the sources are processed in the order of [`INSTANT`]; the steps then go on
//! to the earliest next event of any source. A source of a new kind is a variant, its two functions
//! and its place in the order.

use crate::bridge_source::NewOutputs;
use crate::computers::input;
use crate::control::energy::charging;
use crate::control::fault;
use crate::simulation::Simulation;
use merrow_model::scene::schedule::ScheduledCommand;
use std::sync::Arc;

/// A source of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Frames, protocols and results of the modems, and messages of bridges.
    Network,
    /// Commands of the world file.
    Schedule,
    /// Tasks of the computers of robots.
    Computers,
    /// Readings of the step's sensors and delivered frames.
    Readings,
    /// Commands of a recorded run.
    Replay,
    /// Samples of exteroceptive sensors.
    Exteroceptive,
    /// Connections of chargers and batteries.
    Chargers,
    /// Changes of the faults of modems and computers, which begin and end by their times.
    Faults,
}

/// All sources.
const ALL: [Source; 8] = [
    Source::Network,
    Source::Schedule,
    Source::Computers,
    Source::Readings,
    Source::Replay,
    Source::Exteroceptive,
    Source::Chargers,
    Source::Faults,
];

/// Order of the sources at one instant.
const INSTANT: [Source; 10] = [
    // what arrives now is known to the commands and tasks of this instant
    Source::Network,
    // before the readings, so that the end of a call to `advance` changes no reading
    Source::Schedule,
    // with the commands, before the readings of this instant
    Source::Computers,
    // only where a bridge, a task or a replayed command needs them at their instant, and at the end
    // of a call; otherwise the block of steps takes them
    Source::Readings,
    // tasks that the readings release
    Source::Computers,
    // as in the recorded run, in which a command came after the end of a call
    Source::Replay,
    Source::Computers,
    // with the state that the commands left
    Source::Exteroceptive,
    Source::Chargers,
    // what commands and tasks have sent now
    Source::Network,
];

/// Number of sources that are processed at the end of a call. The next call begins with all.
const AT_END: usize = 7;

impl Simulation {
    /// Makes `steps` steps and reads the sensors due at their end. The readings delivered meanwhile
    /// are then in the outboxes of the runners.
    pub fn advance(&mut self, steps: u64) {
        // commands may have moved robots since the last block
        self.watch_all_targets();
        let mut left = steps;
        while left > 0 {
            for source in INSTANT {
                self.process(source, false);
            }
            let next_ns = ALL.map(|source| self.next_ns(source)).into_iter().min();
            let until_ns = next_ns
                .unwrap_or(u64::MAX)
                .saturating_sub(self.state.time_ns);
            let until = until_ns.div_ceil(self.scene.dt_ns).max(1);
            left -= self.advance_to_beams(left.min(until));
        }
        for source in &INSTANT[..AT_END] {
            self.process(*source, true);
        }
    }

    /// Processes all events of a source up to now.
    fn process(&mut self, source: Source, is_end: bool) {
        match source {
            Source::Network => self.advance_network(),
            Source::Schedule => self.apply_schedule(),
            Source::Computers => self.advance_computers(),
            Source::Readings if is_end || self.needs_readings() => self.read_at_end(),
            Source::Replay => self.apply_replay(),
            Source::Exteroceptive => self.sample_exteroceptive(),
            Source::Chargers if !self.scene.chargers.is_empty() => {
                if charging::is_due(&self.scene, self.state.time_ns) {
                    charging::connect(&self.scene, &mut self.state);
                }
            }
            Source::Readings | Source::Chargers | Source::Faults => {}
        }
    }

    /// Returns the time of the next event of a source after its events up to now [ns].
    fn next_ns(&self, source: Source) -> u64 {
        let now = self.state.time_ns;
        let next = match source {
            Source::Network => {
                let communication = self.communication.as_ref();
                communication.and_then(|c| c.network.next_event_ns(&self.state.network))
            }
            Source::Schedule => {
                let next = self.scene.schedule.get(self.state.scheduled as usize);
                next.map(|next| next.time_ns)
            }
            Source::Computers => Some(self.next_computer_ns()),
            Source::Readings => self.communication.as_ref().map(|_| self.next_bridged_ns()),
            Source::Replay => {
                let next = self.replay.commands.get(self.replay.applied);
                next.map(|next| next.time_ns)
            }
            Source::Exteroceptive => {
                let scheduler = self.sensor_scheduler.as_ref();
                scheduler.and_then(|scheduler| scheduler.next_sample_ns(&self.state))
            }
            Source::Chargers => (!self.scene.chargers.is_empty()).then(|| charging::next_ns(now)),
            Source::Faults => {
                let robots = self.state.robots.iter().map(|robot| &robot.faults);
                let all = robots.chain([&self.state.faults]);
                all.map(|faults| fault::next_change_ns(faults, now)).min()
            }
        };
        next.unwrap_or(u64::MAX)
    }

    /// Returns true if bridges, tasks or a replayed command need the readings of this instant.
    fn needs_readings(&self) -> bool {
        let next_ns = self.next_bridged_ns().min(self.next_held_reading_ns());
        self.next_ns(Source::Replay).min(next_ns) <= self.state.time_ns
    }

    /// Applies the scheduled commands that are due now.
    pub(crate) fn apply_schedule(&mut self) {
        let scene = Arc::clone(&self.scene);
        let is_due = |next: &&ScheduledCommand, now| next.time_ns <= now;
        while let Some(next) = scene
            .schedule
            .get(self.state.scheduled as usize)
            .filter(|next| is_due(next, self.state.time_ns))
        {
            self.state.scheduled += 1;
            self.apply_scheduled(next);
        }
    }

    /// Applies the replayed commands that are due now.
    fn apply_replay(&mut self) {
        while self.next_ns(Source::Replay) <= self.state.time_ns {
            let next = self.replay.commands[self.replay.applied].clone();
            self.replay.applied += 1;
            self.apply_scheduled(&next);
        }
    }

    /// Applies one scheduled command and stores its rejection.
    pub(crate) fn apply_scheduled(&mut self, next: &ScheduledCommand) {
        if let Err(mut rejection) = self.apply(&next.command) {
            rejection.reason = format!("schedule {}: {}", next.name, rejection.reason);
            self.schedule_rejections.push(rejection);
        }
        // the command may have moved a robot
        self.watch_all_targets();
    }

    /// Reads the sensors that are due now and delivers the frames that are due, at the end of the
    /// steps of a call. Then transmits the outputs of bridges.
    fn read_at_end(&mut self) {
        let new = self.bridge_source.is_some().then(|| NewOutputs::Instant {
            readings: self.runners.iter().map(|r| r.outbox.len()).collect(),
            frames: self.frames.len(),
        });
        self.intersect_beams();
        self.read_due_sensors();
        self.sample_exteroceptive();
        if let Some(scheduler) = &mut self.sensor_scheduler {
            let (first, now) = (self.frames.len(), self.state.time_ns);
            scheduler.deliver_due(now, &mut self.frames);
            let robots = &mut self.state.robots;
            input::hold_frames(&self.scene, robots, &mut self.frames, first, now);
        }
        if let Some(new) = new {
            self.transmit_outputs(&new);
        }
    }

    /// Samples the exteroceptive sensors that are due now.
    fn sample_exteroceptive(&mut self) {
        if let Some(scheduler) = &mut self.sensor_scheduler {
            scheduler.sample_due(&self.scene, &mut self.state, &mut self.runners);
        }
    }
}
