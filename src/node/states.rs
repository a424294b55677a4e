//! Copies of the states of modems, links and computers, for status messages.

use merrow_messages::convert::modem::ModemCondition;
use merrow_model::state::RobotState;
use merrow_model::state::comms::{LinkState, ModemState};
use merrow_model::state::computer::{ComputerState, TaskActivity, TaskCounts};
use merrow_sim::Simulation;

/// States of modems and links.
#[derive(Debug)]
pub struct NetworkStates {
    /// State of every modem with its energy and its faults.
    pub modems: Vec<(ModemState, ModemCondition)>,
    /// State of each link, row of the transmitter, column of the receiver.
    pub links: Vec<LinkState>,
}

impl NetworkStates {
    /// Reads the states of a simulation.
    pub fn read(simulation: &Simulation) -> Self {
        let network = &simulation.state.network;
        let modems = network.modems.iter().enumerate();
        let condition = |k: usize| ModemCondition {
            energy: simulation.modem_energy(k),
            fault: simulation.modem_faults(k),
            power_fraction: simulation.modem_power_fraction(k),
        };
        Self {
            modems: modems
                .map(|(k, modem)| (modem.clone(), condition(k)))
                .collect(),
            links: network.links.clone(),
        }
    }
}

/// States of the tasks of a computer, and its faults.
#[derive(Clone, Debug, Default)]
pub struct ComputerCondition {
    /// One entry per task.
    pub tasks: Vec<TaskState>,
    /// Kinds of the active faults, separated by commas.
    pub fault: String,
}

/// Current activity of a task, and its counts since the start of the run.
pub type TaskState = (TaskActivity, TaskCounts);

impl ComputerCondition {
    /// Reads the states of the computers of every robot.
    pub fn read(simulation: &Simulation) -> Vec<Vec<Self>> {
        let of_computer = |robot: usize, (k, computer): (usize, &ComputerState)| {
            let tasks = computer.tasks.iter();
            Self {
                tasks: tasks.map(|task| (task.activity, task.counts)).collect(),
                fault: simulation.computer_faults(robot, k),
            }
        };
        let of_robot = |(r, robot): (usize, &RobotState)| {
            let computers = robot.computers.iter().enumerate();
            computers.map(|entry| of_computer(r, entry)).collect()
        };
        let robots = simulation.state.robots.iter();
        robots.enumerate().map(of_robot).collect()
    }
}
