//! Commands to modems and their validation.

use crate::network::nodes::Node;
use crate::network::{Network, events, messages, nodes};
use merrow_model::scene::comms::{BROADCAST, BridgeQueue, MacProtocol};
use merrow_model::state::comms::mac::MacState;
use merrow_model::state::comms::modem::{ClockState, Supply};
use merrow_model::state::comms::signal::ControlKind;
use merrow_model::state::comms::{EventKind, ModemCommand, NetworkState, Ranging};

/// Message for transmission by a modem.
#[derive(Clone, Copy, Debug)]
pub struct Send<'a> {
    /// Index of the transmitting modem.
    pub modem: usize,
    /// Address of the receiving modem, or [`BROADCAST`].
    pub destination: u16,
    /// Content of the message.
    pub payload: &'a [u8],
    /// Whether the payload begins with the number of a bridge in two bytes.
    pub is_bridged: bool,
    /// Larger priorities are transmitted first.
    pub priority: u8,
    /// Whether every frame is repeated until it is acknowledged; not for broadcasts.
    pub is_acknowledged: bool,
    /// Messages with which the message shares a limit in the queue, if any.
    pub group: Option<MessageGroup>,
    /// Transmit power [W]; `None`: transmit power of the modem.
    pub power: Option<f64>,
}

/// Messages with a common limit in the queue of a modem: those with the same key and destination.
#[derive(Clone, Copy, Debug)]
pub struct MessageGroup {
    /// Key that distinguishes the messages from others.
    pub key: u32,
    /// Number and age limits that apply to the waiting messages of the group.
    pub limits: BridgeQueue,
}

impl MessageGroup {
    /// Returns a group in which a new message replaces the waiting one.
    pub fn newest_only(key: u32) -> Self {
        Self {
            key,
            limits: BridgeQueue::NEWEST_ONLY,
        }
    }
}

impl Network {
    /// Executes a command at the time of the state.
    ///
    /// # Errors
    /// One line that contains the invalid value and the expected values.
    pub fn apply(&self, state: &mut NetworkState, command: &ModemCommand) -> Result<(), String> {
        match command {
            ModemCommand::Send {
                modem,
                destination,
                payload,
                priority,
                is_acknowledged,
                key,
                power,
            } => {
                let send = Send {
                    modem: *modem,
                    destination: *destination,
                    payload,
                    is_bridged: false,
                    priority: *priority,
                    is_acknowledged: *is_acknowledged,
                    group: key.map(MessageGroup::newest_only),
                    power: *power,
                };
                self.send(state, &send).map(|_| ())
            }
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
    pub fn send(&self, state: &mut NetworkState, send: &Send<'_>) -> Result<u64, String> {
        let node = self.node(send.modem)?;
        if send.payload.is_empty() {
            return Err(node.explain(
                "message of 0 bytes; expected at least 1; put the content into `data`".into(),
            ));
        }
        let limit = node.modem.transceiver.framing.max_message();
        if send.payload.len() > limit {
            return Err(node.explain(format!(
                "message of {} bytes; expected at most {limit}",
                send.payload.len()
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
        let id = messages::accept(&self.nodes, state, send);
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
