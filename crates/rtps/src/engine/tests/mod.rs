//! Engines on a simulated network that loses, delays, reorders and duplicates datagrams.

mod delivery;
mod endpoints;
mod input;
mod load;
mod peers;
mod protection;
mod repair;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use bytes::Bytes;

use super::config::MILLIS;
use super::*;
use crate::qos::{Durability, History, Liveliness, LivelinessKind, Policy, Qos, ReliabilityKind};
use merrow_testing::random::Random;

struct Network;

impl Paths for Network {
    fn is_own(&self, _: std::net::IpAddr) -> bool {
        false
    }

    fn path(&self, _: SocketAddr) -> Path {
        Path {
            max_datagram: 1400,
            burst_bytes: 16_000,
            bytes_per_second: 20_000_000,
            best_effort_bytes_per_second: 20_000_000,
        }
    }

    fn choose(&self, locators: &[Locator], _: Option<SocketAddr>) -> Option<SocketAddr> {
        locators.iter().find_map(Locator::socket_addr)
    }

    fn is_connected(&self, _: SocketAddr) -> bool {
        true
    }
}

/// Engines and the datagrams between them.
struct World {
    random: Random,
    now: Nanos,
    engines: BTreeMap<SocketAddr, Engine>,
    flying: BTreeMap<(Nanos, u64), (SocketAddr, SocketAddr, Bytes)>,
    sent: u64,
    loss_percent: u64,
    /// Sender, receiver and content of all datagrams, if they are recorded.
    log: Option<Vec<(SocketAddr, SocketAddr, Bytes)>>,
    /// Pairs of sender and receiver between which all datagrams are lost.
    cut: BTreeSet<(SocketAddr, SocketAddr)>,
    /// Engines that do not run, as a suspended process.
    frozen: BTreeSet<SocketAddr>,
    events: BTreeMap<SocketAddr, Vec<Event>>,
    /// Engines whose announcements name another vendor.
    foreign: BTreeMap<SocketAddr, VendorId>,
    /// Writer whose samples are lost.
    lost_data: Option<EntityId>,
}

fn address(index: u8) -> SocketAddr {
    ([10, 0, 0, index], 7400).into()
}

impl World {
    fn new(seed: u64) -> World {
        let mut random = Random(seed);
        let loss_percent = random.below_u64(20);
        World {
            random,
            now: Nanos(0),
            engines: BTreeMap::new(),
            flying: BTreeMap::new(),
            sent: 0,
            loss_percent,
            log: None,
            cut: BTreeSet::new(),
            frozen: BTreeSet::new(),
            events: BTreeMap::new(),
            foreign: BTreeMap::new(),
            lost_data: None,
        }
    }

    fn join(&mut self, index: u8) -> SocketAddr {
        self.join_as(index, GuidPrefix([index; 12]))
    }

    fn join_as(&mut self, index: u8, guid_prefix: GuidPrefix) -> SocketAddr {
        let at = address(index);
        let config = EngineConfig {
            domain_id: 0,
            guid_prefix,
            name: format!("p{index}"),
            user_data: Bytes::new(),
            lease: Duration::from_seconds(20),
            metatraffic_unicast: vec![at.into()],
            default_unicast: vec![at.into()],
            metatraffic_multicast: Vec::new(),
            initial_peers: (1..6).filter(|i| *i != index).map(address).collect(),
            limits: Limits::default(),
        };
        let engine = Engine::new(config, Box::new(Network), self.now);
        self.engines.insert(at, engine);
        at
    }

    fn engine(&mut self, at: SocketAddr) -> &mut Engine {
        self.engines.get_mut(&at).expect("joined")
    }

    fn write(&mut self, at: SocketAddr, writer: Guid, number: u64, size: usize) {
        let mut payload = vec![0; size.max(12)];
        payload[4..12].copy_from_slice(&number.to_le_bytes());
        let payload = payload.into();
        let sample = OutgoingSample {
            payload,
            related: None,
        };
        let now = self.now;
        let time = Time::from_nanos(now.0);
        self.engine(at)
            .write(now, time, writer, sample)
            .expect("writer");
    }

    /// Sends all pending datagrams.
    fn pump(&mut self) {
        for (from, engine) in &mut self.engines {
            if self.frozen.contains(from) {
                continue;
            }
            engine.handle_timers(self.now);
            while let Some(transmit) = engine.poll_transmit(self.now) {
                let mut bytes = transmit.parts.concat();
                if let Some(vendor) = self.foreign.get(from) {
                    // the parameter PID_VENDORID of the announcement
                    let own = [&[0x16, 0, 4, 0], &VendorId::MERROW.0[..]].concat();
                    if let Some(at) = bytes.windows(6).position(|part| part == own) {
                        bytes[at + 4..at + 6].copy_from_slice(&vendor.0);
                    }
                }
                let bytes = Bytes::from(bytes);
                assert!(bytes.len() <= 1400, "{}", bytes.len());
                if let Some(log) = &mut self.log {
                    log.push((*from, transmit.to, bytes.clone()));
                }
                let copies = if self.random.below_u64(20) == 0 { 2 } else { 1 };
                for _ in 0..copies {
                    let lost = self
                        .lost_data
                        .is_some_and(|writer| has_data(&bytes, writer));
                    let is_cut = self.cut.contains(&(*from, transmit.to)) || lost;
                    if self.random.below_u64(100) >= self.loss_percent && !is_cut {
                        let at = self
                            .now
                            .plus(MILLIS / 10 + self.random.below_u64(2 * MILLIS));
                        self.sent += 1;
                        let entry = (*from, transmit.to, bytes.clone());
                        self.flying.insert((at, self.sent), entry);
                    }
                }
            }
            let events = self.events.entry(*from).or_default();
            events.extend(std::iter::from_fn(|| engine.poll_event()));
        }
    }

    fn run(&mut self, millis: u64) {
        let end = self.now.plus(millis * MILLIS);
        loop {
            self.pump();
            let running = self.engines.iter();
            let running = running.filter(|(at, _)| !self.frozen.contains(at));
            let timers = running
                .filter_map(|(_, engine)| engine.next_deadline())
                .min();
            let arrival = self.flying.keys().next().map(|(at, _)| *at);
            let next = timers.into_iter().chain(arrival).min();
            let Some(next) = next.filter(|next| *next <= end) else {
                self.now = end;
                return;
            };
            self.now = self.now.max(next);
            while let Some(entry) = self.flying.first_entry() {
                if entry.key().0 > self.now {
                    break;
                }
                let (from, to, bytes) = entry.remove();
                let engine = self.engines.get_mut(&to);
                if let Some(engine) = engine.filter(|_| !self.frozen.contains(&to)) {
                    engine.handle_datagram(self.now, from, bytes);
                }
            }
        }
    }

    /// Runs until `condition` holds, at most for a minute.
    fn run_until(&mut self, condition: impl Fn(&mut World) -> bool) {
        for _ in 0..600 {
            if condition(self) {
                return;
            }
            self.run(100);
        }
    }

    /// Returns the numbers of the samples that `reader` received.
    fn received(&self, at: SocketAddr, reader: Guid) -> Vec<u64> {
        let events = self.events.get(&at).into_iter().flatten();
        let samples = events.filter_map(|event| match event {
            Event::Sample(sample) if sample.reader == reader => Some(&sample.payload),
            _ => None,
        });
        samples
            .map(|p| u64::from_le_bytes(p[4..12].try_into().expect("8 bytes")))
            .collect()
    }
}

/// Returns whether a datagram has a sample of a writer.
fn has_data(bytes: &Bytes, writer: EntityId) -> bool {
    let submessages = parse(bytes.clone()).expect("valid").submessages;
    let mut data = submessages.iter().filter_map(|s| match s {
        Submessage::Data(data) => Some(data.writer),
        _ => None,
    });
    data.any(|entity| entity == writer)
}

/// Returns an endpoint of the topic of all tests.
pub(crate) fn spec(qos: Qos) -> EndpointSpec {
    EndpointSpec {
        topic: "t".to_owned(),
        type_name: "T".to_owned(),
        qos,
        accepts: |_, _| true,
    }
}

fn qos(reliable: bool, durable: bool, history: History) -> Qos {
    let mut qos = Qos::writer();
    if !reliable {
        qos.reliability.kind = ReliabilityKind::BestEffort;
    }
    if durable {
        qos.durability = Durability::TransientLocal;
    }
    qos.history = history;
    qos
}
