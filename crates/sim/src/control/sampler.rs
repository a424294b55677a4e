//! Opens and closes the bottles of water samplers.

use crate::control::command::Target;
use merrow_model::ensure;
use merrow_model::state::bottle::Filling;
use merrow_model::state::commands::Accepted;

impl Target<'_> {
    /// Opens the next empty bottle of a sampler if `on`, otherwise closes the open one. Returns why
    /// the command is rejected.
    pub(crate) fn switch_pump(&mut self, sensor: usize, on: bool) -> Accepted {
        let powered = self.state.battery.is_on();
        let device = self.model.sensors.get(sensor);
        let (device, memory) = device
            .zip(self.state.sensors.get_mut(sensor))
            .ok_or("no such sensor")?;
        let name = &device.name;
        let works = powered && !memory.fault.dead;
        let Some(sampler) = &mut memory.sampler else {
            return Err(format!("{name} is not a water sampler"));
        };
        ensure!(works, "{name} has no power or has failed");
        let open = sampler
            .current
            .map(|k| &mut sampler.bottles[k])
            .filter(|b| b.filling == Filling::Pumping);
        match (open, on) {
            (Some(bottle), true) => {
                let number = bottle.number;
                return Err(format!("{name} is already filling bottle {number}"));
            }
            (Some(bottle), false) => bottle.filling = Filling::Stopped,
            (None, false) => return Err(format!("{name} is not filling a bottle")),
            (None, true) => {
                let mut bottles = sampler.bottles.iter();
                let next = bottles.position(|b| b.filling == Filling::Empty);
                let next = next.ok_or_else(|| format!("{name} has no empty bottle left"))?;
                let bottle = &mut sampler.bottles[next];
                (bottle.filling, bottle.time_ns) = (Filling::Pumping, [self.now_ns; 2]);
                (sampler.current, sampler.until_ns) = (Some(next), self.now_ns);
            }
        }
        Ok(())
    }
}
