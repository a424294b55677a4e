//! Recorded changes of water and weather, and recorded faults.

use crate::arm::progress::Progress;
use crate::input::replay::RecordedCommands;
use crate::input::serve::REQUESTS;
use crate::node::parameters::live::EVENTS;
use crate::replay::state;
use crate::topics::Plan;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::state::{Command, DeviceCommand, State};
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_sim::Simulation;

/// Changes of water and weather, and faults, in the order of time.
#[derive(Debug)]
pub(crate) struct RecordedEnvironment {
    changes: Vec<ScheduledCommand>,
    /// Number of changes that the shown state contains.
    applied: usize,
    /// State before the first change.
    initial: State,
}

/// Returns true if the view shows the effect of a command that is not in the recorded outputs.
fn is_shown(command: &Command) -> bool {
    matches!(
        command,
        Command::Sea(_)
            | Command::Weather(_)
            | Command::Fault(_)
            | Command::Repair { .. }
            | Command::Device(_, DeviceCommand::Health { .. })
            | Command::Device(_, DeviceCommand::FinHealth { .. })
    )
}

impl RecordedEnvironment {
    /// Reads the changed parameters and the requests of services of a bag, and the schedule of the
    /// world. `simulated_ns` converts the time of a record to simulated time [ns].
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub(crate) fn new(
        simulation: &Simulation,
        plan: &Plan,
        index: &mut BagIndex,
        simulated_ns: impl Fn(u64) -> u64,
    ) -> Result<Self, String> {
        let scene = &simulation.scene;
        let mut places: Vec<(&str, MessagePlace)> = Vec::new();
        for name in [EVENTS, REQUESTS] {
            let Some(topic) = index.topic(name) else {
                continue;
            };
            let mut of_topic: Vec<_> = index.latest(topic, 0)?.into_iter().collect();
            of_topic.extend(index.between(topic, 0, u64::MAX)?);
            places.extend(of_topic.into_iter().map(|place| (name, place)));
        }
        // changes of the weather depend on the changes before them
        places.sort_by_key(|(_, place)| place.log_time_ns);
        let scheduled = scene.schedule.iter().filter(|own| is_shown(&own.command));
        let mut changes: Vec<ScheduledCommand> = scheduled.cloned().collect();
        let recorded = RecordedCommands::new(scene, plan, Progress::default())?;
        for (topic, place) in places {
            let bytes = index.read(&place)?;
            let time_ns = simulated_ns(place.log_time_ns);
            // damaged messages and messages of other nodes have no commands
            let commands = recorded
                .commands(topic, &bytes, time_ns)
                .unwrap_or_default();
            changes.extend(commands.into_iter().filter(|own| is_shown(&own.command)));
        }
        changes.sort_by_key(|change| change.time_ns);
        Ok(Self {
            changes,
            applied: 0,
            initial: simulation.state.clone(),
        })
    }

    /// Sets water, weather and faults to their values at the time of the simulation.
    pub(crate) fn show(&mut self, simulation: &mut Simulation) {
        let now = simulation.time_ns();
        let wanted = self.changes.partition_point(|change| change.time_ns <= now);
        if wanted < self.applied {
            self.restore_initial(&mut simulation.state);
            self.applied = 0;
        }
        for change in &self.changes[self.applied..wanted] {
            // transitions begin at the time of the change
            state::set_time(simulation, change.time_ns);
            // a change for another world has no effect
            let _ = simulation.apply(&change.command);
        }
        self.applied = wanted;
        state::set_time(simulation, now);
    }

    /// Sets water, weather and faults to their values before the first change.
    fn restore_initial(&self, state: &mut State) {
        state.sea = self.initial.sea.clone();
        state.faults.clone_from(&self.initial.faults);
        for (robot, initial) in state.robots.iter_mut().zip(&self.initial.robots) {
            robot.faults.clone_from(&initial.faults);
            for (actuator, initial) in robot.actuators.iter_mut().zip(&initial.actuators) {
                actuator.health = initial.health;
            }
            for (fin, initial) in robot.fins.iter_mut().zip(&initial.fins) {
                fin.health = initial.health;
            }
        }
    }
}
