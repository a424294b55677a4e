//! Copy of the state of a world, for status messages and diagnostics.

use merrow_messages::convert::modem::ModemCondition;
use merrow_model::state::State;
use merrow_sim::Simulation;

/// State of a world at one instant, with the values that only its simulation computes.
#[derive(Clone, Debug)]
pub struct WorldStatus {
    /// State of the world.
    pub state: State,
    /// Energy and faults of every modem.
    pub modems: Vec<ModemCondition>,
    /// Kinds of the active faults of the computers of every robot, separated by commas.
    pub computer_faults: Vec<Vec<String>>,
    /// Messages of bridges that cannot be transmitted: bridge, reason, number.
    pub misfits: Vec<(String, &'static str, u64)>,
}

impl WorldStatus {
    /// Reads a simulation between two blocks of steps.
    pub fn read(simulation: &Simulation) -> Self {
        let state = simulation.state.clone();
        let modems = (0..state.network.modems.len()).map(|k| ModemCondition {
            energy: simulation.modem_energy(k),
            fault: simulation.modem_faults(k),
            power_fraction: simulation.modem_power_fraction(k),
        });
        let robots = state.robots.iter().enumerate();
        let faults = robots.map(|(robot, own)| {
            let computers = 0..own.computers.len();
            let fault = |k| simulation.computer_faults(robot, k);
            computers.map(fault).collect()
        });
        Self {
            modems: modems.collect(),
            computer_faults: faults.collect(),
            misfits: simulation.bridge_misfits(),
            state,
        }
    }
}
