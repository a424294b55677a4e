//! Communication network: modems, messages, frames in flight and results.

use crate::persist;
use crate::persist::{Persist, Reader, Writer};
use crate::scene::comms::mac::{
    Backoff, CsmaCa, CsmaCd, Fdma, Polling, SlottedAloha, Tdma, TdmaSlot, WaitingRoom,
};
use crate::scene::comms::{MacProtocol, RateChoice};
use crate::state::comms::mac::{
    CsmaCaState, CsmaCdState, PollingState, SlottedAlohaState, WaitingRoomState,
};
use crate::state::comms::modem::{
    CarrierState, ClockState, EnergyState, RangeRequest, Service, ServicePhase, Supply,
};
use crate::state::comms::output::Record;
use crate::state::comms::signal::{BandPart, ControlFrame, ControlKind, Signal};
use crate::state::comms::{
    Activity, Copy, Delivery, Event, EventKind, Interval, LinkSignal, LinkState, LossCause,
    MacState, Message, ModemState, NetworkOutput, NetworkState, PacketCounts, PacketRecord,
    RangeResult, Ranging, Reception, ReplyDirection, Slab, Transmission,
};

persist! { struct NetworkState {
    time_ns, sequence, next_message, events, next_reception_ns, modems, messages, transmissions, links,
    link_signals, copies, frames, output, bridges_ns, next_output_ns,
} }
persist! { struct Event { time_ns, order, kind } }
persist! { enum EventKind {
    0 = TransmitEnd { transmission, serial }, 1 = Access { modem, serial },
    2 = Repetition { modem, serial }, 3 = Wake { modem }, 4 = PowerCheck { modem },
} }
persist! { struct ModemState {
    is_on, supply, power, rate, mac, mac_state, access_serial, is_access_pending, clock, queue,
    queued_bytes, service, repetition_serial, control, transmission, sequence, draws, signals,
    carrier, range_requests, requested_powers, last_request, has_station_frame, discarded_control,
    over_rate, energy, activity, activity_ns,
} }
// the first two tags equal the values of the former flag `is_powered`
persist! { enum Supply { 0 = Unpowered, 1 = Powered, 2 = Broken } }
persist! { enum RateChoice { 0 = Fixed(rate), 1 = Adaptive } }
persist! { enum MacProtocol {
    0 = Aloha, 1 = SlottedAloha(slotted), 2 = WaitingRoom(room), 3 = CsmaCa(sense),
    4 = CsmaCd(sense), 5 = Tdma(slots), 6 = Fdma(part), 7 = Polling(role),
} }
persist! { struct SlottedAloha { slot_ns } }
persist! { struct WaitingRoom { station, slot_ns, report_ns } }
persist! { struct CsmaCa { backoff, space_ns, max_attempts } }
persist! { enum Backoff {
    0 = Nonpersistent { max_ns }, 1 = Window { slot_ns, min_slots, max_doublings },
} }
persist! { struct CsmaCd { window_ns, min_frame_bits, max_exponent, max_attempts } }
persist! { struct Tdma { frame_ns, slots, guard_ns } }
persist! { struct TdmaSlot { start_ns, duration_ns } }
persist! { struct Fdma { channel, channels } }
persist! { enum Polling {
    0 = Controller { addresses, time_out_ns, pause_ns }, 1 = Polled,
} }
persist! { enum MacState {
    0 = Stateless, 1 = SlottedAloha(state), 2 = WaitingRoom(state), 3 = CsmaCa(state),
    4 = CsmaCd(state), 5 = Polling(state),
} }
persist! { struct SlottedAlohaState { at_ns } }
persist! { struct WaitingRoomState {
    level, open, at_ns, reported, result, is_sent, received, damaged,
} }
persist! { struct CsmaCaState { attempts, remaining_ns, from_ns, busy_ns, sense_ns } }
persist! { struct CsmaCdState { collisions, until_ns } }
persist! { struct PollingState {
    position, waits_until_ns, pause_until_ns, is_poll_turn, is_granted, controller,
} }
persist! { struct ClockState { since_ns, offset_ns, skew } }
persist! { struct Service { message, fragment, retries, phase } }
persist! { enum ServicePhase {
    0 = Ready, 1 = Transmitting, 2 = AwaitsAcknowledgement, 3 = BacksOff, 4 = AwaitsResult,
} }
persist! { struct CarrierState { count, since_ns, busy_ns } }
persist! { struct RangeRequest { sequence, destination, sent_ns } }
persist! { struct EnergyState { transmit, transmit_ns, receive_ns, idle_ns } }
persist! { struct Message {
    id, is_bridged, from, destination, priority, is_acknowledged, key, max_age_ns, power, sequence, fragments, created_ns,
    is_in_service, is_done, transmissions, open, copies, payload,
} }
persist! { struct Copy { received, to, in_flight, cause, is_closed } }
persist! { struct Transmission {
    from, serial, header, control, message, start_ns, duration_ns, bits, rate, part, power,
    is_transmitting, is_aborted, arrived, departed, receptions,
} }
persist! { struct BandPart { index, count } }
persist! { struct Reception { to, copy, delay_ns, power, noise, doppler, cause, is_decodable } }
persist! { struct Signal {
    transmission, from, reception, part, power, noise, start_ns, is_sensed, is_locked, is_disturbed,
    interference, since_ns, survival,
} }
persist! { struct ControlFrame { kind, destination, sequence, fragment, ready_ns, is_immediate } }
persist! { enum ControlKind {
    0 = Acknowledgement, 1 = RangeRequest, 2 = RangeReply { arrived_ns, replied_ns }, 3 = RangeSignal { sent_ns },
    4 = Poll, 5 = NoData, 6 = SlotReport { open, is_collision, is_received }, 7 = PowerRequest { power },
} }

/// Bit of the number of frames that states that the number of random losses follows. A state
/// without random losses does not contain their number.
const HAS_RANDOM_LOSSES: u64 = 1 << 63;

impl Persist for LinkState {
    fn save(&self, to: &mut Writer) {
        let Self {
            mean_snr,
            delay_ns,
            frames,
            received,
            bits,
            airtime_ns,
            random_losses,
        } = self;
        let has_random = *random_losses > 0;
        let mark = if has_random { HAS_RANDOM_LOSSES } else { 0 };
        mean_snr.save(to);
        delay_ns.save(to);
        (frames | mark).save(to);
        received.save(to);
        bits.save(to);
        airtime_ns.save(to);
        if has_random {
            random_losses.save(to);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let (mean_snr, delay_ns) = (f64::load(from)?, u64::load(from)?);
        let marked = u64::load(from)?;
        Ok(Self {
            mean_snr,
            delay_ns,
            frames: marked & !HAS_RANDOM_LOSSES,
            received: u64::load(from)?,
            bits: u64::load(from)?,
            airtime_ns: u64::load(from)?,
            random_losses: match marked & HAS_RANDOM_LOSSES {
                0 => 0,
                _ => u64::load(from)?,
            },
        })
    }
}

persist! { struct LinkSignal { snr, power, rate } }
/// Number of causes that a state contains without a mark, with [`HAS_OTHER_CAUSES`], and with both
/// marks. A mark is a bit of the first number; it is set if a count that it adds is not zero.
const CAUSES: [usize; 3] = [18, 21, LossCause::ALL.len()];
const HAS_OTHER_CAUSES: u64 = 1 << 63;
const HAS_FAULTS: u64 = 1 << 62;

impl Persist for PacketCounts {
    fn save(&self, to: &mut Writer) {
        let Self {
            entered,
            delivered,
            duplicates,
            lost,
        } = self;
        let last = lost.iter().rposition(|n| *n > 0).unwrap_or(0);
        let (causes, mark) = match last {
            k if k < CAUSES[0] => (CAUSES[0], 0),
            k if k < CAUSES[1] => (CAUSES[1], HAS_OTHER_CAUSES),
            _ => (CAUSES[2], HAS_OTHER_CAUSES | HAS_FAULTS),
        };
        (entered | mark).save(to);
        delivered.save(to);
        duplicates.save(to);
        lost[..causes].iter().for_each(|n| n.save(to));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let marked = u64::load(from)?;
        let mut counts = Self {
            entered: marked & !(HAS_OTHER_CAUSES | HAS_FAULTS),
            delivered: u64::load(from)?,
            duplicates: u64::load(from)?,
            ..Self::default()
        };
        let marks = [HAS_OTHER_CAUSES, HAS_FAULTS].map(|mark| marked & mark != 0);
        let causes = match marks {
            [_, true] => CAUSES[2],
            [true, false] => CAUSES[1],
            [false, false] => CAUSES[0],
        };
        for n in &mut counts.lost[..causes] {
            *n = u64::load(from)?;
        }
        Ok(counts)
    }
}
persist! { enum LossCause {
    0 = Terrain, 1 = Structure, 2 = Robot, 3 = Surface, 4 = ShadowZone, 5 = OutOfView,
    6 = NoSatellite, 7 = BelowThreshold, 8 = Collision, 9 = HalfDuplex, 10 = BitErrors,
    11 = Aborted, 12 = ChannelBusy, 13 = QueueOverflow, 14 = TimeOut, 15 = Replaced,
    16 = TooLarge, 17 = NoPower, 18 = OutOfRange, 19 = Removed, 20 = RandomLoss,
    21 = Fault,
} }
persist! { struct NetworkOutput { deliveries, payloads, ranges, packets, trace } }
persist! { struct Delivery {
    message, from, to, destination, is_overheard, is_bridged, created_ns, transmitted_ns, received_ns, snr,
    doppler, payload_start, payload_len, published_ns,
} }
persist! { struct RangeResult {
    kind, modem, other, sequence, sent_ns, arrived_ns, replied_ns, received_ns,
    true_transmission_ns, true_arrival_ns, snr, doppler, direction, range_error,
    published_ns,
} }
persist! { struct ReplyDirection { d, bearing_variance } }
persist! { enum Ranging { 0 = OneWay, 1 = TwoWay } }
persist! { struct PacketRecord {
    time_ns, start_ns, from, to, message, fragment, bits, snr, cause,
} }
persist! { struct Interval { modem, activity, start_ns, end_ns } }
persist! { enum Activity {
    0 = Off, 1 = Idle, 2 = Wait, 3 = Receive, 4 = Collide, 5 = Transmit,
} }

impl<T: Persist> Persist for Slab<T> {
    fn save(&self, to: &mut Writer) {
        let Self { items, used, free } = self;
        items.save(to);
        used.save(to);
        free.save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        Ok(Self {
            items: Persist::load(from)?,
            used: Persist::load(from)?,
            free: Persist::load(from)?,
        })
    }
}

impl<T: Persist> Persist for Record<T> {
    fn save(&self, to: &mut Writer) {
        let Self {
            items,
            limit,
            discarded,
        } = self;
        items.save(to);
        limit.save(to);
        discarded.save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        Ok(Self {
            items: Persist::load(from)?,
            limit: Persist::load(from)?,
            discarded: Persist::load(from)?,
        })
    }
}
