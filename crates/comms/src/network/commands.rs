//! Commands to modems, their validation, and the queue of messages.

use crate::network::nodes::Node;
use crate::network::{Network, events, messages, nodes};
use merrow_model::scene::comms::{BROADCAST, DropPolicy, MacProtocol};
use merrow_model::state::comms::mac::MacState;
use merrow_model::state::comms::modem::{ClockState, Supply};
use merrow_model::state::comms::signal::ControlKind;
use merrow_model::state::comms::{
    Copy, EventKind, LossCause, MessageGroup, ModemCommand, NetworkState, Ranging, Send,
};

impl Network {
    /// Executes a command at the time of the state.
    ///
    /// # Errors
    /// One line that contains the invalid value and the expected values.
    pub fn apply(&self, state: &mut NetworkState, command: &ModemCommand) -> Result<(), String> {
        match command {
            ModemCommand::Send(send) => self.send(state, send).map(drop),
            ModemCommand::SetPower { modem, power } => {
                let node = self.node(*modem)?;
                nodes::check_power(*power, &node.modem.transceiver).map_err(|e| node.explain(e))?;
                state.modems[*modem].power = *power;
                Ok(())
            }
            ModemCommand::SetRate { modem, rate } => {
                let node = self.node(*modem)?;
                nodes::check_rate(*rate, &node.modem.transceiver).map_err(|e| node.explain(e))?;
                state.modems[*modem].rate = *rate;
                Ok(())
            }
            ModemCommand::SetMac { modem, mac } => self.set_mac(state, *modem, mac),
            ModemCommand::SetClock {
                modem,
                offset,
                skew,
            } => {
                let node = self.node(*modem)?;
                nodes::check_clock(*offset, *skew).map_err(|e| node.explain(e))?;
                state.modems[*modem].clock = ClockState {
                    since_ns: state.time_ns,
                    offset_ns: (offset * 1e9).round() as i64,
                    skew: *skew,
                };
                self.restart_access(state, *modem);
                Ok(())
            }
            ModemCommand::Range {
                modem,
                destination,
                kind,
            } => self.range(state, *modem, *destination, *kind),
            ModemCommand::Switch { modem, is_on } => self.switch(state, *modem, *is_on),
        }
    }

    /// Queues a message and returns its number. A message that the queue does not accept is lost
    /// with the cause `QueueOverflow`. A message of a modem that is switched off is lost with the
    /// cause `NoPower`, or `Fault` if the modem is broken.
    ///
    /// # Errors
    /// One line: unknown modem or address, payload that is empty or too long, power outside its
    /// limits, acknowledgement of a broadcast.
    pub fn send(
        &self,
        state: &mut NetworkState,
        send: &Send<impl AsRef<[u8]>>,
    ) -> Result<u64, String> {
        let node = self.node(send.modem)?;
        let payload = send.payload.as_ref();
        if payload.is_empty() {
            return Err(node.explain(
                "message of 0 bytes; expected at least 1; put the content into `data`".into(),
            ));
        }
        let limit = node.modem.transceiver.framing.max_message();
        if payload.len() > limit {
            return Err(node.explain(format!(
                "message of {} bytes; expected at most {limit}",
                payload.len()
            )));
        }
        if let Some(power) = send.power {
            nodes::check_power(power, &node.modem.transceiver).map_err(|e| node.explain(e))?;
        }
        if send.destination == BROADCAST {
            if send.is_acknowledged {
                return Err(node.explain(
                    "a broadcast is not acknowledged; send it without acknowledgement".into(),
                ));
            }
        } else {
            node.find(send.destination)?;
        }
        let id = accept(&self.nodes, state, send);
        self.wake(state, send.modem);
        Ok(id)
    }

    fn node(&self, modem: usize) -> Result<&Node, String> {
        self.nodes.get(modem).ok_or_else(|| {
            format!(
                "modem number {modem}; the network has {} modems",
                self.nodes.len()
            )
        })
    }

    fn wake(&self, state: &mut NetworkState, modem: usize) {
        let modem = modem as u32;
        events::schedule(state, state.time_ns, EventKind::Wake { modem });
    }

    fn set_mac(
        &self,
        state: &mut NetworkState,
        modem: usize,
        mac: &MacProtocol,
    ) -> Result<(), String> {
        let node = self.node(modem)?;
        nodes::check_mac(mac).map_err(|e| node.explain(e))?;
        let own = &mut state.modems[modem];
        own.mac = mac.clone();
        own.mac_state = MacState::new(mac);
        messages::restart_service(state, modem as u32);
        self.restart_access(state, modem);
        Ok(())
    }

    /// Cancels the pending decision of medium access and requests a new decision.
    fn restart_access(&self, state: &mut NetworkState, modem: usize) {
        state.modems[modem].is_access_pending = false;
        self.wake(state, modem);
    }

    fn range(
        &self,
        state: &mut NetworkState,
        modem: usize,
        destination: u16,
        kind: Ranging,
    ) -> Result<(), String> {
        let node = self.node(modem)?;
        let control = match kind {
            Ranging::TwoWay => ControlKind::RangeRequest,
            Ranging::OneWay => ControlKind::RangeSignal { sent_ns: 0 },
        };
        if destination != BROADCAST {
            node.find(destination)?;
        } else if kind == Ranging::TwoWay {
            return Err(node.explain(
                "a two-way range needs one modem; name its address or measure one way".into(),
            ));
        }
        let now = state.time_ns;
        let own = &mut state.modems[modem];
        if !own.is_on {
            return Err(node.explain("the modem is off; switch it on to measure a range".into()));
        }
        if own.control.len() >= MAX_CONTROL {
            return Err(node.explain(format!(
                "{MAX_CONTROL} control frames wait; measure ranges at a lower rate"
            )));
        }
        let frame = own.control_frame(control, destination, now);
        own.control.push_back(frame);
        self.wake(state, modem);
        Ok(())
    }

    fn switch(&self, state: &mut NetworkState, modem: usize, is_on: bool) -> Result<(), String> {
        let node = self.node(modem)?;
        if is_on {
            match state.modems[modem].supply {
                Supply::Powered => {}
                Supply::Unpowered => {
                    let why = "its robot has no power; charge the battery first";
                    return Err(node.explain(why.into()));
                }
                Supply::Broken => {
                    return Err(node.explain("it is broken; repair its fault first".into()));
                }
            }
        }
        if state.modems[modem].is_on != is_on {
            if is_on {
                state.modems[modem].is_on = true;
            } else {
                let cause = state.modems[modem].cause_of_silence();
                messages::switch_off(&self.nodes, state, modem as u32, cause);
            }
            self.wake(state, modem);
        }
        Ok(())
    }
}

/// Maximum number of waiting control frames of a modem.
pub(super) const MAX_CONTROL: usize = 64;

impl Node {
    /// Returns an error message that names the modem.
    pub(super) fn explain(&self, error: String) -> String {
        format!("modem {}: {error}", self.modem.name)
    }

    /// Returns the index of the modem with the address `address` that decodes the frames of this
    /// modem.
    ///
    /// # Errors
    /// No modem has the address, or it does not decode the frames.
    pub(super) fn find(&self, address: u16) -> Result<u32, String> {
        self.neighbour(address).ok_or_else(|| {
            self.explain(format!(
                "address {address}; expected the address of a modem with the same medium, band and rates"
            ))
        })
    }

    /// Returns the index of the modem with the address that decodes frames of this modem, if any.
    pub(super) fn neighbour(&self, address: u16) -> Option<u32> {
        let mut known = self.neighbours.iter().filter(|n| n.address == address);
        known.find(|n| n.is_decodable).map(|n| n.to)
    }
}

/// Creates a message and puts it into the queue; returns its number.
fn accept(nodes: &[Node], state: &mut NetworkState, send: &Send<impl AsRef<[u8]>>) -> u64 {
    let payload = send.payload.as_ref();
    let node = &nodes[send.modem];
    let id = state.next_message;
    state.next_message += 1;
    let k = state.messages.allocate();
    let modem = &mut state.modems[send.modem];
    let message = &mut state.messages[k];
    message.id = id;
    message.is_bridged = send.is_bridged;
    message.from = send.modem as u32;
    message.destination = send.destination;
    message.priority = send.priority;
    message.is_acknowledged = send.is_acknowledged;
    message.key = send.group.map(|group| group.key);
    message.max_age_ns = send.group.and_then(|group| group.limits.max_age_ns);
    message.power = send.power;
    message.sequence = modem.sequence;
    modem.sequence = modem.sequence.wrapping_add(1);
    let frames = payload
        .len()
        .div_ceil(node.modem.transceiver.framing.max_payload_bytes);
    message.fragments = frames.max(1) as u8;
    message.created_ns = state.time_ns;
    message.payload.extend_from_slice(payload);
    let is_addressed = |address: u16| [BROADCAST, address].contains(&send.destination);
    let addressed = node.neighbours.iter();
    let addressed = addressed.filter(|n| n.is_decodable && is_addressed(n.address));
    message.copies.extend(addressed.map(|n| Copy {
        to: n.to,
        ..Copy::default()
    }));
    message.open = message.copies.len() as u32;
    state.copies.entered += u64::from(message.open);
    if modem.is_on {
        enqueue(node, state, k, send.group);
    } else {
        let cause = modem.cause_of_silence();
        messages::finish(state, k, cause);
    }
    id
}

/// Puts a message into the queue of its modem, or discards it or others if the queue is full.
fn enqueue(node: &Node, state: &mut NetworkState, k: u32, group: Option<MessageGroup>) {
    let message = &state.messages[k];
    let (from, size, priority) = (
        message.from as usize,
        message.payload.len(),
        message.priority,
    );
    let mut place = None;
    if let Some(limits) = group.map(|group| group.limits)
        && let Some(max_messages) = limits.max_messages
    {
        let (count, oldest) = waiting_of_group(state, k);
        if let Some(position) = oldest.filter(|_| count >= max_messages) {
            if limits.policy != DropPolicy::Oldest {
                return messages::finish(state, k, LossCause::QueueOverflow);
            }
            let old = messages::remove(state, from, position);
            // a message that replaces the only one keeps its place
            let keeps_place = count == 1 && state.messages[old].priority == priority;
            place = keeps_place.then_some(position);
            messages::finish(state, old, LossCause::Replaced);
        }
    }
    loop {
        let modem = &state.modems[from];
        if modem.queue.len() < node.modem.queue.max_messages
            && modem.queued_bytes + size <= node.modem.queue.max_size_bytes
        {
            break;
        }
        let Some(position) = victim(node.modem.queue.policy, state, from, priority) else {
            return messages::finish(state, k, LossCause::QueueOverflow);
        };
        let old = messages::remove(state, from, position);
        // discarding a message before the place of the replaced message shifts the place
        place = place.map(|at| if position < at { at - 1 } else { at });
        messages::finish(state, old, LossCause::QueueOverflow);
    }
    let own = &mut state.modems[from];
    let comes_first = |other: &u32| state.messages[*other].priority >= priority;
    let place = place.unwrap_or_else(|| own.queue.partition_point(comes_first));
    own.queue.insert(place, k);
    own.queued_bytes += size;
}

/// Returns the number of waiting messages with the key and the destination of message `k`, and the
/// position of the oldest one.
fn waiting_of_group(state: &NetworkState, k: u32) -> (usize, Option<usize>) {
    let message = &state.messages[k];
    let queue = &state.modems[message.from as usize].queue;
    let is_in_group = |other: &u32| {
        let other = &state.messages[*other];
        other.key == message.key && other.destination == message.destination
    };
    let mut count = 0;
    let waiting = (0..queue.len()).filter(|at| is_in_group(&queue[*at]));
    let counted = waiting.inspect(|_| count += 1);
    let oldest = counted.min_by_key(|at| state.messages[queue[*at]].id);
    (count, oldest)
}

/// Returns the position of the message that a full queue discards; `None`: the new message.
fn victim(policy: DropPolicy, state: &NetworkState, from: usize, priority: u8) -> Option<usize> {
    let queue = &state.modems[from].queue;
    match policy {
        DropPolicy::Newest => None,
        DropPolicy::Oldest => (0..queue.len()).min_by_key(|at| state.messages[queue[*at]].id),
        DropPolicy::LowestPriority => {
            let last = queue.len().checked_sub(1)?;
            (state.messages[queue[last]].priority < priority).then_some(last)
        }
    }
}
