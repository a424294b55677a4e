//! Opens and closes the bottles of water samplers.

use crate::control::command::{find_robot, reject};
use merrow_model::scene::Scene;
use merrow_model::state::State;
use merrow_model::state::bottle::Filling;
use merrow_model::state::commands::CommandRejection;

/// Opens the next empty bottle of a sampler if `on`, otherwise closes the open one. Returns why the
/// command is rejected.
pub(crate) fn switch_pump(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    sensor: usize,
    on: bool,
) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    let powered = target.battery.is_on();
    let (Some(device), Some(memory)) = (model.sensors.get(sensor), target.sensors.get_mut(sensor))
    else {
        return Err(reject(robot, "no such sensor".into()));
    };
    let name = &device.name;
    let works = powered && !memory.fault.dead;
    let Some(sampler) = &mut memory.sampler else {
        return Err(reject(robot, format!("{name} is not a water sampler")));
    };
    if !works {
        return Err(reject(robot, format!("{name} has no power or has failed")));
    }
    let open = sampler
        .current
        .map(|k| &mut sampler.bottles[k])
        .filter(|b| b.filling == Filling::Pumping);
    match (open, on) {
        (Some(bottle), true) => Err(reject(
            robot,
            format!("{name} is already filling bottle {}", bottle.number),
        )),
        (Some(bottle), false) => {
            bottle.filling = Filling::Stopped;
            Ok(())
        }
        (None, false) => Err(reject(robot, format!("{name} is not filling a bottle"))),
        (None, true) => {
            let next = sampler
                .bottles
                .iter()
                .position(|b| b.filling == Filling::Empty);
            let Some(next) = next else {
                return Err(reject(robot, format!("{name} has no empty bottle left")));
            };
            let bottle = &mut sampler.bottles[next];
            (bottle.filling, bottle.time_ns) = (Filling::Pumping, [now; 2]);
            (sampler.current, sampler.until_ns) = (Some(next), now);
            Ok(())
        }
    }
}
