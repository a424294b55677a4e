//! Modems of robots and fixed modems: mounting, addresses, settings.

mod bridge;
pub(crate) mod schedule;
mod transceiver;

use crate::build::computer;
use crate::context::SceneContext;
use crate::keys::WorldConfig;
use crate::keys::comms::ModemEntry;
use merrow_comms::network::Network;
use merrow_comms::network::misfit::Misfit;
use merrow_math::Vec3;
use merrow_model::scene::Robot;
use merrow_model::scene::comms::{MacProtocol, Modem, RateChoice};
use merrow_yaml::error::{Place, Problems};
use merrow_yaml::parse::parse;
use merrow_yaml::read::{Field, Read};
use std::collections::BTreeMap;

pub(crate) use crate::build::comms::bridge::build_bridges;

/// Value of the key `scheme` for rate adaptation.
const ADAPTIVE: &str = "adaptive";

/// Addresses of the modems of a running world, by the names of the modems.
pub(crate) type Addresses = BTreeMap<String, u16>;

/// Maximum number of modems: 100 bytes for every pair of them are 400 MB.
const MAX_MODEMS: usize = 2000;

/// Builds the modems of a world whose robots have been built: the modems of each robot in the order
/// of the robots, then the fixed modems. The modems of a running world keep their addresses
/// `running`.
pub(crate) fn build_modems(
    file: &WorldConfig,
    running: &Addresses,
    cx: SceneContext<'_>,
) -> Vec<Modem> {
    let mut builder = ModemBuilder::default();
    for (name, entry) in file.robots.iter() {
        let modems = &entry.model.modems;
        if modems.iter().next().is_none() {
            continue;
        }
        let copies = |robot: &Robot| match &entry.repeat {
            None => robot.name == name,
            Some(_) => is_copy(&robot.name, name),
        };
        let robots = cx.scene.robots.iter().enumerate();
        for (copy, (r, robot)) in robots.filter(|(_, robot)| copies(robot)).enumerate() {
            for (modem_name, modem) in modems.iter() {
                let full_name = format!("{}/{modem_name}", robot.name);
                let link = modem.link.as_deref().unwrap_or(&robot.links[0].name);
                let place = modem.at.key_place("link");
                let Some(frame) = cx.find_link(link, place, robot) else {
                    continue;
                };
                let axis = frame.R_LF.mul_vec(Vec3::from(modem.axis));
                let p = frame.point(Vec3::from(modem.position_m));
                let on = Some((r, frame.link));
                builder.add(modem, &full_name, (on, p, axis), copy, cx);
                if let Some(built) = builder.modems.last_mut() {
                    built.task = computer::modem_task(&entry.model, modem_name);
                }
            }
        }
    }
    for (name, modem) in file.modems.iter() {
        if modem.at.has_key("link") {
            let text = format!("{name} has a `link` but is fixed in the world; remove the key");
            cx.error(modem.at.key_place("link"), text);
        }
        if cx.scene.robots.iter().any(|robot| robot.name == name) {
            let text = format!("a robot and a modem are called {name}; rename one");
            cx.error(file.modems.key_place(name).unwrap_or(&file.at.whole), text);
        }
        let (p, axis) = (Vec3::from(modem.position_m), Vec3::from(modem.axis));
        builder.add(modem, name, (None, p, axis), 0, cx);
    }
    let n = builder.modems.len();
    if n > MAX_MODEMS {
        let text = format!(
            "the world has {n} modems; expected at most {MAX_MODEMS}, because every pair of modems has a state; remove modems"
        );
        cx.error(&file.at.whole, text);
        return Vec::new();
    }
    let kept = kept_addresses(file, &builder.modems, running, cx);
    builder.assign_addresses(&kept, cx);
    builder.check_networks(&file.at.whole, cx);
    builder.modems
}

/// Returns the addresses that modems keep: in the running world, else in the file.
fn kept_addresses(
    file: &WorldConfig,
    modems: &[Modem],
    running: &Addresses,
    cx: SceneContext<'_>,
) -> Addresses {
    let mut kept = Addresses::new();
    for (name, address) in file.modem_addresses.iter() {
        let names = modems.iter().map(|modem| modem.name.as_str());
        let place = file.modem_addresses.key_place(name);
        cx.find(place.unwrap_or(&file.at.whole), name, names, |modem| {
            format!("`modem_addresses`: no modem {modem}")
        });
        kept.insert(name.to_string(), *address as u16);
    }
    kept.extend(
        running
            .iter()
            .map(|(name, address)| (name.clone(), *address)),
    );
    kept
}

/// Reads a medium access protocol in YAML, written as the key `mac` of a world file.
///
/// # Errors
/// All errors of the text in one line.
pub fn parse_mac(text: &str) -> Result<MacProtocol, String> {
    let mut problems = Problems::default();
    let node = parse("mac", text, &mut problems);
    let file =
        node.and_then(|node| MacProtocol::read(&node, &Field::new("mac", "", &[]), &mut problems));
    match file {
        Some(file) if problems.is_empty() => Ok(file),
        _ => Err(problems.to_string().replace('\n', "; ")),
    }
}

/// Returns true if `robot` is the name of a copy of `name` from `repeat`.
fn is_copy(robot: &str, name: &str) -> bool {
    let number = robot
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('_'));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Modems that have been built, with their entries.
#[derive(Default)]
struct ModemBuilder<'a> {
    modems: Vec<Modem>,
    /// For each modem, its entry and whether the entry states the address.
    entries: Vec<(&'a ModemEntry, bool)>,
}

impl<'a> ModemBuilder<'a> {
    /// Adds the modem of an entry; `copy` is the number of the copy of the robot.
    fn add(
        &mut self,
        file: &'a ModemEntry,
        name: &str,
        (on, p, axis): (Option<(usize, usize)>, Vec3, Vec3),
        copy: usize,
        cx: SceneContext<'_>,
    ) {
        let Some(axis) = axis.unit() else {
            let text = format!("{name}: `axis` is zero; expected a direction");
            cx.error(file.at.key_place("axis"), text);
            return;
        };
        let errors = cx.problems().len();
        transceiver::check_transceiver(&file.modem, *cx);
        if cx.problems().len() > errors {
            return;
        }
        let address = file.address.unwrap_or(0) as usize + copy;
        if address > 65534 {
            let text = format!("{name}: address {address}; expected at most 65534");
            cx.error(file.at.key_place("address"), text);
            return;
        }
        let power_w = file.power_w.unwrap_or(file.modem.max_power_w);
        if power_w > file.modem.max_power_w {
            let text = format!(
                "{name}: `power_w` is {power_w} W; expected at most the maximum power of {} W",
                file.modem.max_power_w
            );
            cx.error(file.at.key_place("power_w"), text);
        }
        self.modems.push(Modem {
            name: name.to_string(),
            on,
            p,
            axis,
            address: address as u16,
            rate: build_rate(file, name, cx),
            transceiver: file.modem.clone(),
            mac: file.mac.clone(),
            clock: file.clock.clone(),
            queue: file.queue.clone(),
            power_w,
            task: None,
            promiscuous: file.promiscuous,
            power_control: file.power_control.clone(),
        });
        self.entries.push((file, file.address.is_some()));
    }

    /// Assigns to each modem without an address its address in the running world, or the lowest
    /// free address from 1, and reports modems with equal addresses.
    fn assign_addresses(&mut self, running: &Addresses, cx: SceneContext<'_>) {
        let reach = |a: &Modem, b: &Modem| a.transceiver.is_same_medium(&b.transceiver);
        let has_entry = |k: &usize| self.entries[*k].1;
        let running_address = |modem: &Modem| running.get(&modem.name).copied();
        let (stated, mut rest): (Vec<usize>, Vec<usize>) =
            (0..self.modems.len()).partition(has_entry);
        // modems of the running world first, in the same order
        rest.sort_by_key(|k| running_address(&self.modems[*k]).is_none());
        let mut assigned: Vec<usize> = Vec::with_capacity(self.modems.len());
        for k in stated {
            let modem = &self.modems[k];
            let is_new = running_address(modem) != Some(modem.address);
            let kept = rest.iter().filter(|other| {
                is_new && running_address(&self.modems[**other]) == Some(modem.address)
            });
            let equal = assigned
                .iter()
                .filter(|other| self.modems[**other].address == modem.address);
            let mut same = equal.chain(kept);
            if let Some(other) = same.find(|other| reach(modem, &self.modems[**other])) {
                let text = format!(
                    "{} has the address {} of {}; expected a unique address",
                    modem.name, modem.address, self.modems[*other].name
                );
                cx.error(self.entries[k].0.at.key_place("address"), text);
            }
            assigned.push(k);
        }
        for k in rest {
            let others = assigned.iter().map(|other| &self.modems[*other]);
            let mut taken: Vec<u16> = others
                .filter(|other| reach(&self.modems[k], other))
                .map(|other| other.address)
                .collect();
            taken.sort_unstable();
            let is_free = |address: &u16| taken.binary_search(address).is_err();
            let kept = running_address(&self.modems[k]).filter(is_free);
            let free = kept.or_else(|| (1..=65534).find(is_free));
            self.modems[k].address = free.unwrap_or(65534);
            assigned.push(k);
        }
    }

    /// Reports the modems that the network rejects.
    fn check_networks(&self, place: &Place, cx: SceneContext<'_>) {
        if !cx.problems().is_empty() {
            return;
        }
        let network = match Network::new(&self.modems, cx.scene.seed) {
            Ok(network) => network,
            Err(errors) => return self.report(&errors, place, cx),
        };
        self.check_slots(&network, cx);
    }

    /// Reports modems whose shortest frame with data lasts longer than every slot.
    fn check_slots(&self, network: &Network, cx: SceneContext<'_>) {
        for (k, (modem, (entry, _))) in self.modems.iter().zip(&self.entries).enumerate() {
            let misfit = network.misfit(k, &modem.mac, modem.rate, 1);
            if let Some(Misfit::Slot { frame_ns, max_ns }) = misfit {
                let [frame, max] = [frame_ns, max_ns].map(|ns| ns as f64 / 1e9);
                let text = format!(
                    "{}: no frame fits into a slot; expected a frame of at most {max} s, found at \
                     least {frame} s for 1 byte; lengthen the slot or select a faster scheme",
                    modem.name
                );
                cx.error(entry.at.key_place("mac"), text);
            }
        }
    }

    /// Reports errors of the network at the places of the modems that they name.
    fn report(&self, errors: &[String], place: &Place, cx: SceneContext<'_>) {
        for error in errors {
            let modem = self
                .modems
                .iter()
                .zip(&self.entries)
                .find(|(modem, _)| error.starts_with(&format!("modem {}:", modem.name)));
            let place = modem.map_or(place, |(_, (entry, _))| &entry.at.whole);
            cx.error(place, error.clone());
        }
    }
}

fn build_rate(file: &ModemEntry, name: &str, cx: SceneContext<'_>) -> RateChoice {
    let schemes = &file.modem.schemes;
    if file.scheme == ADAPTIVE {
        return if schemes.len() == 1 {
            RateChoice::Fixed(0)
        } else {
            RateChoice::Adaptive
        };
    }
    let names = schemes.iter().map(|scheme| scheme.name.as_str());
    let names = names.chain([ADAPTIVE]);
    let place = file.at.key_place("scheme");
    let found = cx.find(place, &file.scheme, names, |scheme| {
        format!("{name}: no scheme {scheme}")
    });
    RateChoice::Fixed(found.unwrap_or(0))
}
