//! Recorded changes of water and weather.

use crate::input::replay::absolute;
use crate::node::live_parameters::{EVENTS, RecordedParameters};
use crate::replay::state;
use merrow_model::scene::Sea;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::state::Command;
use merrow_ros2::bag::index::BagIndex;
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::msg::rcl_interfaces::ParameterEvent;
use merrow_ros2::node::changed_values;
use merrow_sim::Simulation;

/// Changes of water and weather by parameters, in the order of time.
#[derive(Debug)]
pub(crate) struct RecordedEnvironment {
    changes: Vec<ScheduledCommand>,
    /// Number of changes that the shown state contains.
    applied: usize,
    /// Water and weather before the first change.
    initial: Sea,
}

impl RecordedEnvironment {
    /// Reads the changed parameters of a bag. `simulated_ns` converts the time of a record to
    /// simulated time [ns].
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub(crate) fn new(
        simulation: &Simulation,
        index: &mut BagIndex,
        simulated_ns: impl Fn(u64) -> u64,
    ) -> Result<Self, String> {
        let mut changes = Vec::new();
        if let Some(topic) = index.topic(EVENTS) {
            let parameters = RecordedParameters::new(&simulation.scene)?;
            let mut places: Vec<_> = index.latest(topic, 0)?.into_iter().collect();
            places.extend(index.between(topic, 0, u64::MAX)?);
            for place in places {
                let bytes = index.read(&place)?;
                // events of other nodes and damaged events have no commands
                let event = from_bytes::<ParameterEvent>(&bytes).unwrap_or_default();
                let commands = parameters.set(changed_values(event)).unwrap_or_default();
                let shown = commands
                    .into_iter()
                    .filter(|c| matches!(c, Command::Sea(_) | Command::Weather(_)));
                changes.extend(shown.map(|command| ScheduledCommand {
                    name: absolute(EVENTS).as_str().into(),
                    time_ns: simulated_ns(place.log_time_ns),
                    command,
                }));
            }
        }
        Ok(Self {
            changes,
            applied: 0,
            initial: simulation.state.sea.clone(),
        })
    }

    /// Sets water and weather to their values at the time of the simulation.
    pub(crate) fn show(&mut self, simulation: &mut Simulation) {
        let now = simulation.time_ns();
        let wanted = self.changes.partition_point(|change| change.time_ns <= now);
        if wanted < self.applied {
            simulation.state.sea = self.initial.clone();
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
}
