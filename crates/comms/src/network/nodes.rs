//! Constant data of the modems, compiled from the scene, and its validation.

use crate::link::receivers::synchronising_ratios;
use crate::link::reception::{ReceivedPowers, frame_success};
use merrow_math::decibels::ratio;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::mac::{Backoff, Tdma};
use merrow_model::scene::comms::transceiver::Reception;
use merrow_model::scene::comms::{BROADCAST, MacProtocol, Modem, RateChoice, Transceiver};

/// Durations are less than this [ns], about 32 years, so that sums of times do not overflow.
pub(super) const MAX_DURATION: u64 = 1_000_000_000_000_000_000;

/// Modem as the engine uses it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) modem: Modem,
    /// For each scheme, the minimum ratio of signal to interference and noise at which the receiver
    /// synchronises.
    pub(super) synchronising_ratios: Vec<f64>,
    /// Ratio at which a stronger signal replaces the signal that is being received, linear;
    /// infinite: never.
    pub(super) capture: f64,
    /// Signal-to-noise ratio above which carrier sensing reports a signal, linear.
    pub(super) carrier_sense: f64,
    /// Modems that the signals of this modem reach.
    pub(super) neighbours: Vec<Neighbour>,
    /// Random numbers of the modem.
    pub(super) stream: Stream,
}

impl Node {
    /// Returns the probability [-] that at least one of `bits` consecutive bits of a frame with
    /// scheme number `rate` is damaged. `bits` [-] is not an integer if the interference changes
    /// within a bit.
    pub(super) fn packet_error(&self, rate: u32, powers: &ReceivedPowers, bits: f64) -> f64 {
        let receiver = &self.modem.transceiver;
        match receiver.schemes.get(rate as usize) {
            Some(scheme) => 1.0 - frame_success(receiver, scheme, powers, bits),
            None => 1.0,
        }
    }

    /// Returns true if the modem detects the start of a frame with scheme number `rate`.
    pub(super) fn detects(&self, rate: u32, powers: &ReceivedPowers) -> bool {
        let (receiver, rate) = (&self.modem.transceiver, rate as usize);
        let ratio = self.synchronising_ratios.get(rate);
        let Some((ratio, scheme)) = ratio.zip(receiver.schemes.get(rate)) else {
            return false;
        };
        match receiver.reception {
            Reception::ErrorRate => powers.sinr() >= *ratio,
            Reception::Level { .. } | Reception::SignalExcess { .. } => {
                frame_success(receiver, scheme, powers, 0.0) > 0.0
            }
        }
    }

    /// Returns the duration of a frame of `bits` bits at `bit_rate` [bit/s], with its preamble [ns].
    /// The end of a reception would precede its start if a frame lasted 0 ns.
    pub(super) fn duration_ns(&self, bits: f64, bit_rate: f64) -> u64 {
        let data_ns = (bits / bit_rate * 1e9).ceil() as u64;
        let preamble_ns = self.modem.transceiver.framing.preamble_ns();
        preamble_ns.saturating_add(data_ns).clamp(1, MAX_DURATION)
    }
}

/// Modem that the signals of another modem reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub(super) to: u32,
    pub(super) address: u16,
    /// Whether the neighbour decodes the frames; otherwise they only interfere.
    pub(super) is_decodable: bool,
    /// Index of the copy of a broadcast for the neighbour.
    pub(super) copy: u32,
}

/// Compiles the modems of a scene.
pub(super) fn create(modems: &[Modem], seed: u64) -> Result<Vec<Node>, Vec<String>> {
    let mut nodes = Vec::with_capacity(modems.len());
    let mut errors = Vec::new();
    for (k, modem) in modems.iter().enumerate() {
        match create_node(modems, k, seed) {
            Ok(node) => nodes.push(node),
            Err(error) => errors.push(format!("modem {}: {error}", modem.name)),
        }
    }
    if errors.is_empty() {
        Ok(nodes)
    } else {
        Err(errors)
    }
}

fn create_node(modems: &[Modem], k: usize, seed: u64) -> Result<Node, String> {
    let modem = &modems[k];
    check_numbers(modem)?;
    check_mac(&modem.mac)?;
    if modem.address == BROADCAST {
        return Err(format!(
            "address {BROADCAST} is reserved for broadcasts; expected 0 to 65534"
        ));
    }
    let mut neighbours = Vec::new();
    let mut decoding = 0;
    for (to, other) in modems.iter().enumerate() {
        if to == k || !modem.transceiver.is_same_medium(&other.transceiver) {
            continue;
        }
        let is_decodable = is_compatible(&modem.transceiver, &other.transceiver);
        if is_decodable && other.address == modem.address {
            return Err(format!(
                "modem {} also has the address {}; give each modem a different address",
                other.name, modem.address
            ));
        }
        neighbours.push(Neighbour {
            to: to as u32,
            address: other.address,
            is_decodable,
            copy: if is_decodable { decoding } else { u32::MAX },
        });
        decoding += u32::from(is_decodable);
    }
    Ok(Node {
        synchronising_ratios: synchronising_ratios(&modem.transceiver),
        capture: modem.transceiver.capture().unwrap_or(f64::INFINITY),
        carrier_sense: ratio(modem.transceiver.carrier_sense_db),
        neighbours,
        stream: Stream::new(seed, &format!("modem/{}", modem.name)),
        modem: modem.clone(),
    })
}

/// Returns true if one transceiver can decode frames of the other.
fn is_compatible(a: &Transceiver, b: &Transceiver) -> bool {
    a.is_same_medium(b) && a.medium.band() == b.medium.band() && a.rates().eq(b.rates())
}

/// Returns an error if a number of a modem that its keys do not limit is invalid.
fn check_numbers(modem: &Modem) -> Result<(), String> {
    let transceiver = &modem.transceiver;
    let band = transceiver.medium.band();
    if !(band[0] >= 0.0 && band[0] < band[1] && band[1].is_finite()) {
        return Err(format!(
            "band from {} to {} Hz; expected two increasing frequencies from 0",
            band[0], band[1]
        ));
    }
    check(
        transceiver.framing.control_bits > 0,
        "control frames of 0 bits; expected at least 1",
    )?;
    check_power(modem.power_w, transceiver)?;
    check_rate(modem.rate, transceiver)?;
    check_clock(modem.clock.offset_s, modem.clock.skew())
}

/// Returns an error unless `power` [W] is a transmit power of the modem.
pub(super) fn check_power(power: f64, transceiver: &Transceiver) -> Result<(), String> {
    if power.is_finite() && power > 0.0 && power <= transceiver.max_power_w {
        return Ok(());
    }
    Err(format!(
        "transmit power {power} W; expected more than 0 and at most {} W",
        transceiver.max_power_w
    ))
}

/// Returns an error unless the transceiver has the rate.
pub(super) fn check_rate(rate: RateChoice, transceiver: &Transceiver) -> Result<(), String> {
    match rate {
        RateChoice::Fixed(k) if k >= transceiver.schemes.len() => Err(format!(
            "data rate number {k}; expected 0 to {}",
            transceiver.schemes.len() - 1
        )),
        RateChoice::Fixed(_) | RateChoice::Adaptive => Ok(()),
    }
}

/// Returns an error unless the error of a clock is plausible: `offset` [s] and `skew` [-].
pub(super) fn check_clock(offset: f64, skew: f64) -> Result<(), String> {
    if offset.abs() <= 1e6 && skew.abs() <= 0.01 {
        return Ok(());
    }
    Err(format!(
        "clock offset {offset} s and skew {skew}; expected at most 1e6 s and 0.01"
    ))
}

/// Returns an error if the parameters of a protocol are invalid.
pub(super) fn check_mac(mac: &MacProtocol) -> Result<(), String> {
    match mac {
        MacProtocol::Aloha => Ok(()),
        MacProtocol::SlottedAloha(p) => check(
            is_time(p.slot_s.0),
            "slotted ALOHA with slots of 0 s; expected a positive duration",
        ),
        MacProtocol::WaitingRoom(p) => check(
            is_time(p.slot_s.0) && p.report_s.0 > 0 && p.report_s.0 < p.slot_s.0,
            "waiting room: expected a report after the start and before the end of the slot",
        ),
        MacProtocol::CsmaCa(p) => {
            check_space("CSMA/CA", "`space_s`", p.space_s.0)?;
            match p.backoff {
                Backoff::Nonpersistent { max_s } => check(
                    is_time(max_s.0),
                    "CSMA/CA with a backoff of 0 s; expected a positive duration",
                ),
                Backoff::Window {
                    slot_s, min_slots, ..
                } => check(
                    is_time(slot_s.0) && min_slots > 0,
                    "CSMA/CA without backoff slots; expected a positive number and duration",
                ),
            }
        }
        MacProtocol::CsmaCd(p) => {
            check_space("CSMA/CD", "`window_s`", p.window_s.0)?;
            check(
                p.min_frame_bits > 0,
                "CSMA/CD with a shortest frame of 0 bits; expected at least 1",
            )
        }
        MacProtocol::Tdma(p) => check_tdma(p),
        MacProtocol::Fdma(p) => check(
            p.channel < p.channels,
            "FDMA: expected a channel below the number of channels",
        ),
        MacProtocol::Polled => Ok(()),
        MacProtocol::PollingController(p) => {
            check_space("polling", "`pause_s`", p.pause_s.0)?;
            check(
                !p.addresses.is_empty() && is_time(p.timeout_s.0),
                "polling without addresses or time-out; expected at least one address",
            )
        }
    }
}

/// Returns an error if the key `key` of a protocol has a duration of [`MAX_DURATION`] or more.
fn check_space(protocol: &str, key: &str, ns: u64) -> Result<(), String> {
    if ns < MAX_DURATION {
        return Ok(());
    }
    let s = ns as f64 * 1e-9;
    Err(format!(
        "{protocol}: {key}: expected less than 1e9 s, found {s:e} s"
    ))
}

fn check_tdma(p: &Tdma) -> Result<(), String> {
    check_space("TDMA", "`guard_s`", p.guard_s.0)?;
    check(
        is_time(p.frame_s.0),
        "TDMA with a frame of 0 s; expected a positive duration",
    )?;
    check(
        !p.slots_s.is_empty(),
        "TDMA without slots; expected at least one",
    )?;
    let mut end = 0;
    for [start, duration] in &p.slots_s {
        check(
            start.0 >= end && is_time(duration.0),
            "TDMA with slots of 0 s or that overlap; expected separate slots in order",
        )?;
        end = start.saturating_add(duration.0);
    }
    check(
        end <= p.frame_s.0,
        "TDMA with a slot that ends after the frame; expected slots within the frame",
    )
}

/// Returns true if a duration is positive and below [`MAX_DURATION`].
fn is_time(ns: u64) -> bool {
    ns > 0 && ns < MAX_DURATION
}

fn check(is_valid: bool, message: &str) -> Result<(), String> {
    if is_valid {
        Ok(())
    } else {
        Err(message.to_string())
    }
}
