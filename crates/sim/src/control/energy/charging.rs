//! Connection of chargers and batteries.
//!
//! Connections are updated ten times per second of simulated time, always at the same instants. So
//! robots run independently between the updates, and the result does not depend on the block
//! boundaries. The energy that a charger delivers in one period is drawn from the battery that
//! feeds it in the next step, so no energy is lost.

use merrow_model::kinematics::coupling;
use merrow_model::scene::robot::energy::ChargeCondition;
use merrow_model::scene::{Charger, Scene};
use merrow_model::state::State;

/// Time between two updates of the connections [ns].
pub(crate) const PERIOD_NS: u64 = 100_000_000;

/// Returns true if the connections are updated at the start of the step from `now_ns` [ns].
pub fn is_due(scene: &Scene, now_ns: u64) -> bool {
    !scene.chargers.is_empty()
        && (now_ns < scene.dt_ns || now_ns / PERIOD_NS != (now_ns - scene.dt_ns) / PERIOD_NS)
}

/// Returns the time of the next update after `now_ns` [ns].
pub fn next_ns(now_ns: u64) -> u64 {
    (now_ns / PERIOD_NS + 1) * PERIOD_NS
}

/// Accounts the energy delivered since the last update, and connects the chargers and batteries
/// that are in contact now.
pub fn connect(scene: &Scene, state: &mut State) {
    for (k, charger) in scene.chargers.iter().enumerate() {
        let Some(robot) = state.chargers[k].robot else {
            continue;
        };
        let taken = std::mem::take(&mut state.robots[robot].battery.taken);
        state.chargers[k].given += taken;
        state.robots[robot].battery.offer = [0.0; 2];
        if let Some(feeder) = charger.source_robot {
            state.robots[feeder].battery.charger_debt[0] += taken / charger.efficiency;
        }
    }
    for robot in &mut state.robots {
        let owed = &mut robot.battery.charger_debt;
        owed[1] = owed[0] / (PERIOD_NS as f64 * 1e-9);
    }
    for (k, charger) in scene.chargers.iter().enumerate() {
        let found = in_contact(scene, state, charger);
        state.chargers[k].robot = found;
        if let Some(robot) = found {
            state.robots[robot].battery.offer = [charger.current_a, charger.voltage_v];
        }
    }
}

/// Returns the robot that a charger charges now.
fn in_contact(scene: &Scene, state: &State, charger: &Charger) -> Option<usize> {
    if charger
        .source_robot
        .is_some_and(|f| !state.robots[f].battery.is_on() || state.robots[f].halted.is_some())
    {
        return None;
    }
    let can = |r: &usize| {
        scene.robots[*r].battery.is_some()
            && charger.source_robot != Some(*r)
            && state.robots[*r].halted.is_none()
            && state.robots[*r].battery.offer[0] == 0.0
    };
    match &charger.condition {
        ChargeCondition::Coupling(k) => {
            let (c, memory) = (&scene.couplings[*k], &state.couplings[*k]);
            let b = coupling::second_end(c, memory).filter(|_| memory.engaged)?;
            [c.a.link(), b.link()]
                .into_iter()
                .flatten()
                .map(|(r, _)| r)
                .find(can)
        }
        ChargeCondition::Proximity(place, reach) => {
            let at = coupling::end_motion(scene, state, place).p_W;
            let distance = |r: usize| (state.robots[r].motion.p_WB - at).norm();
            let near = (0..scene.robots.len())
                .filter(can)
                .map(|r| (distance(r), r));
            let nearest = near
                .filter(|(d, _)| d <= reach)
                .min_by(|a, b| a.0.total_cmp(&b.0));
            nearest.map(|(_, r)| r)
        }
    }
}
