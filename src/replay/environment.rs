//! Recorded changes of water and weather, and recorded faults.

use crate::input::command_services::RecordedRequests;
use crate::input::serve::REQUESTS;
use crate::node::parameters::live::{EVENTS, RecordedParameters};
use crate::replay::state;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::scene::{Scene, Sea};
use merrow_model::state::{Command, DeviceCommand, FaultState, Health, RobotState};
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::msg::rcl_interfaces::ParameterEvent;
use merrow_ros2::node::changed_values;
use merrow_sim::Simulation;

/// Changes of water and weather, and faults, in the order of time.
#[derive(Debug)]
pub(crate) struct RecordedEnvironment {
    changes: Vec<ScheduledCommand>,
    /// Number of changes that the shown state contains.
    applied: usize,
    /// State before the first change.
    initial: Initial,
}

/// Part of a state that the changes concern.
#[derive(Debug)]
struct Initial {
    sea: Sea,
    /// Faults of the beacons.
    faults: Vec<FaultState>,
    of_robots: Vec<RobotFaults>,
}

/// Faults of a robot, and the health of its thrusters and fins.
#[derive(Debug)]
struct RobotFaults {
    faults: Vec<FaultState>,
    thrusters: Vec<Health>,
    fins: Vec<Health>,
}

impl RobotFaults {
    fn new(robot: &RobotState) -> Self {
        Self {
            faults: robot.faults.clone(),
            thrusters: robot.actuators.iter().map(|a| a.health).collect(),
            fins: robot.fins.iter().map(|fin| fin.health).collect(),
        }
    }

    fn restore(&self, robot: &mut RobotState) {
        robot.faults.clone_from(&self.faults);
        for (actuator, health) in robot.actuators.iter_mut().zip(&self.thrusters) {
            actuator.health = *health;
        }
        for (fin, health) in robot.fins.iter_mut().zip(&self.fins) {
            fin.health = *health;
        }
    }
}

impl Initial {
    fn new(simulation: &Simulation) -> Self {
        let state = &simulation.state;
        let robots = state.robots.iter();
        Self {
            sea: state.sea.clone(),
            faults: state.faults.clone(),
            of_robots: robots.map(RobotFaults::new).collect(),
        }
    }

    fn restore(&self, simulation: &mut Simulation) {
        let state = &mut simulation.state;
        state.sea = self.sea.clone();
        state.faults.clone_from(&self.faults);
        for (robot, faults) in state.robots.iter_mut().zip(&self.of_robots) {
            faults.restore(robot);
        }
    }
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

/// Conversion of recorded parameters and requests to commands.
struct Converter<'a> {
    scene: &'a Scene,
    parameters: RecordedParameters,
    requests: RecordedRequests,
}

impl Converter<'_> {
    /// Converts a message of a topic. Damaged messages and messages of other nodes have no
    /// commands.
    fn commands(&self, topic: &str, bytes: &[u8]) -> Vec<Command> {
        if topic == REQUESTS {
            let server = self.parameters.server();
            let command = self.requests.command(self.scene, server, bytes);
            return command.into_iter().collect();
        }
        let event = from_bytes::<ParameterEvent>(bytes).unwrap_or_default();
        self.parameters
            .set(changed_values(event))
            .unwrap_or_default()
    }
}

impl RecordedEnvironment {
    /// Reads the changed parameters and the requests of services of a bag, and the schedule of the
    /// world. `simulated_ns` converts the time of a record to simulated time [ns].
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub(crate) fn new(
        simulation: &Simulation,
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
        let converter = Converter {
            scene,
            parameters: RecordedParameters::new(scene)?,
            requests: RecordedRequests::new(scene),
        };
        for (topic, place) in places {
            let bytes = index.read(&place)?;
            let commands = converter.commands(topic, &bytes).into_iter();
            changes.extend(commands.filter(is_shown).map(|command| ScheduledCommand {
                name: topic.into(),
                time_ns: simulated_ns(place.log_time_ns),
                command,
            }));
        }
        changes.sort_by_key(|change| change.time_ns);
        Ok(Self {
            changes,
            applied: 0,
            initial: Initial::new(simulation),
        })
    }

    /// Sets water, weather and faults to their values at the time of the simulation.
    pub(crate) fn show(&mut self, simulation: &mut Simulation) {
        let now = simulation.time_ns();
        let wanted = self.changes.partition_point(|change| change.time_ns <= now);
        if wanted < self.applied {
            self.initial.restore(simulation);
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
