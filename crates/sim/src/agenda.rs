//! What happens at an instant between two blocks of steps, and when the next instant is.
//!
//! At an instant all sources of events process their events up to now, in a fixed order; the steps
//! then go on to the earliest next event of any source.

use crate::bridge_source::NewOutputs;
use crate::computers::input;
use crate::control::energy::charging;
use crate::control::fault;
use crate::simulation::Simulation;
use merrow_model::scene::schedule::ScheduledCommand;
use std::sync::Arc;

impl Simulation {
    /// Makes `steps` steps and reads the sensors due at their end. The readings delivered meanwhile
    /// are then in the outboxes of the runners.
    pub fn advance(&mut self, steps: u64) {
        // commands may have moved robots since the last block
        self.watch_all_targets();
        let mut left = steps;
        while left > 0 {
            self.process_events(false);
            // with the state that the commands left
            self.sample_exteroceptive();
            let has_chargers = !self.scene.chargers.is_empty();
            if has_chargers && charging::is_due(&self.scene, self.state.time_ns) {
                charging::connect(&self.scene, &mut self.state);
            }
            // what commands and tasks have sent now
            self.advance_network();
            let until_ns = self.next_event_ns().saturating_sub(self.state.time_ns);
            let until = until_ns.div_ceil(self.scene.dt_ns).max(1);
            left -= self.advance_to_beams(left.min(until));
        }
        self.process_events(true);
    }

    /// Processes the events up to now of the network, commands, tasks and readings. `is_end`: at
    /// the end of a call to [`Simulation::advance`]; the next call begins with all events.
    fn process_events(&mut self, is_end: bool) {
        // what arrives now is known to the commands and tasks of this instant
        self.advance_network();
        // before the readings, so that the end of a call to `advance` changes no reading
        self.apply_schedule();
        self.advance_task();
        // with the commands, before the readings of this instant
        self.advance_computers();
        // only where a bridge, a task or a replayed command needs them at their instant, and at the
        // end of a call; otherwise the block of steps takes them
        if is_end || self.needs_readings() {
            self.read_at_end();
        }
        // tasks that the readings release
        self.advance_computers();
        // as in the recorded run, in which a command came after the end of a call
        self.apply_replay();
        self.advance_computers();
    }

    /// Returns the time of the earliest next event of any source, after the events up to now [ns].
    fn next_event_ns(&self) -> u64 {
        let (scene, state) = (&*self.scene, &self.state);
        let (now, communication) = (state.time_ns, self.communication.as_ref());
        let scheduled = scene.schedule.get(state.scheduled as usize);
        let scheduler = self.sensor_scheduler.as_ref();
        let robots = state.robots.iter().map(|robot| &robot.faults);
        let faults = robots.chain([&state.faults]);
        let all = [
            communication.and_then(|c| c.network.next_event_ns(&state.network)),
            scheduled.map(|next| next.time_ns),
            state.task.0.as_ref().map(|task| task.next_ns),
            Some(self.next_computer_ns()),
            communication.map(|_| self.next_bridged_ns()),
            Some(self.next_replayed_ns()),
            scheduler.and_then(|scheduler| scheduler.next_sample_ns(state)),
            (!scene.chargers.is_empty()).then(|| charging::next_ns(now)),
            // faults of modems and computers begin and end by their times
            faults
                .map(|faults| fault::next_change_ns(faults, now))
                .min(),
        ];
        all.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Returns the time of the next command of a recorded run [ns].
    fn next_replayed_ns(&self) -> u64 {
        let next = self.replay.commands.get(self.replay.applied);
        next.map_or(u64::MAX, |next| next.time_ns)
    }

    /// Returns true if bridges, tasks or a replayed command need the readings of this instant.
    fn needs_readings(&self) -> bool {
        let next_ns = self.next_bridged_ns().min(self.next_held_reading_ns());
        self.next_replayed_ns().min(next_ns) <= self.state.time_ns
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
        while self.next_replayed_ns() <= self.state.time_ns {
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
