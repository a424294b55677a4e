//! Queues, fragments, acknowledgements, ranges, energy, power control, half duplex and capture.

use crate::common::{By, SECOND, Uniform, modem, network, read, scheme, set_band, signal};
use merrow_comms::network::{MessageGroup, Network, Send};
use merrow_comms::propagation::Propagation;
use merrow_model::scene::comms::mac::Tdma;
use merrow_model::scene::comms::transceiver::Reception;
use merrow_model::scene::comms::{
    BROADCAST, BridgeQueue, ClockError, DropPolicy, Framing, MacProtocol, Modem, PowerControl,
    QueueLimits, RateChoice, Transceiver,
};
use merrow_model::scene::nanoseconds::Nanoseconds;
use merrow_model::state::comms::modem::Supply;
use merrow_model::state::comms::{Activity, LossCause, ModemCommand, NetworkState, Ranging};

/// Returns a message without options.
fn to(modem: usize, destination: u16, payload: &[u8]) -> Send<&[u8]> {
    Send::new(modem, destination, payload)
}

fn send(net: &Network, state: &mut NetworkState, message: Send<&[u8]>) -> u64 {
    net.send(state, &message).expect("valid message")
}

fn quiet(delay_ns: u64) -> Uniform {
    Uniform {
        delay_ns,
        snr: 1000.0,
    }
}

// The delay is distance / c + bits / rate (V02: 300 m, 64 bit at 20 bit/s: 3.4 s), and the payload
// arrives unchanged. Method: two modems. Tolerance: 1 ns.
#[test]
fn delay_of_the_thetis_modem() {
    let slow = |address| Modem {
        transceiver: Transceiver {
            schemes: vec![scheme("only", 20.0)],
            ..modem(address).transceiver
        },
        ..modem(address)
    };
    let (mut net, mut state) = network(&[slow(1), slow(2)], 1);
    send(&net, &mut state, to(0, 2, b"8 bytes."));
    let until = 10 * SECOND;
    net.advance(&mut state, &quiet(200_000_000), until);
    let delivery = state.output.deliveries[0];
    assert_eq!(delivery.received_ns, 3_400_000_000);
    assert_eq!([delivery.from, delivery.to], [0, 1]);
    assert_eq!(state.output.payload(&delivery), b"8 bytes.");
}

// A frame of 0 bits, as of a message of an older checkpoint, ends after it starts. The run
// continues. Method: the payload is removed after the message is queued; no header, no preamble.
#[test]
fn a_frame_of_0_bits_arrives() {
    for delay_ns in [0, 1, 200_000_000] {
        let (mut net, mut state) = network(&[modem(1), modem(2), modem(3)], 1);
        let id = send(&net, &mut state, to(0, BROADCAST, b"x"));
        let queued = state.modems[0].queue[0];
        assert_eq!(state.messages[queued].id, id);
        state.messages[queued].payload.clear();
        state.modems[0].queued_bytes = 0;
        net.advance(&mut state, &quiet(delay_ns), SECOND);
        let [a, b] = [0, 1].map(|k| state.output.deliveries[k]);
        assert_eq!([a.received_ns, b.received_ns], [delay_ns + 1; 2]);
        assert_eq!(state.output.payload(&a), b"");
    }
}

// Two packets that overlap in one band are both damaged (V03); a signal 10 times stronger survives
// with capture. Method: modems 0 and 1 transmit to modem 2, the second 20 ms later; the loss ratio
// of the links.
#[test]
fn overlap_destroys_both_and_capture_saves_the_stronger() {
    for (capture_db, expected) in [(None, 0), (Some(10.0), 1)] {
        let with_capture = |address| Modem {
            transceiver: Transceiver {
                capture_db,
                destructive_overlap: capture_db.is_none(),
                reception: Reception::ErrorRate,
                ..modem(address).transceiver
            },
            ..modem(address)
        };
        let modems: Vec<Modem> = (0..3).map(with_capture).collect();
        let (mut net, mut state) = network(&modems, 1);
        let channel = By(|from, _, _, _| signal(0, if from == 1 { 5000.0 } else { 50.0 }));
        send(&net, &mut state, to(0, 2, &[1; 100]));
        net.advance(&mut state, &channel, 20_000_000);
        send(&net, &mut state, to(1, 2, &[2; 100]));
        net.advance(&mut state, &channel, SECOND);
        assert_eq!(state.copies.delivered, expected);
        assert_eq!(state.copies.lost_by(LossCause::Collision), 2 - expected);
        assert_eq!(state.links[2].loss_ratio(), 1.0);
        assert_eq!(state.links[3 + 2].loss_ratio(), 1.0 - expected as f64);
    }
}

// A full-duplex modem receives frames while it transmits, a half-duplex modem does not. Method:
// both modems transmit at once; no travel time.
#[test]
fn half_duplex_modems_do_not_receive_while_transmitting() {
    for half_duplex in [true, false] {
        let duplex = |address| Modem {
            transceiver: Transceiver {
                half_duplex,
                ..modem(address).transceiver
            },
            ..modem(address)
        };
        let (mut net, mut state) = network(&[duplex(1), duplex(2)], 1);
        send(&net, &mut state, to(0, 2, &[1; 100]));
        send(&net, &mut state, to(1, 1, &[2; 100]));
        net.advance(&mut state, &quiet(0), SECOND);
        let lost = state.copies.lost_by(LossCause::HalfDuplex);
        assert_eq!(lost, if half_duplex { 2 } else { 0 });
        assert_eq!(state.copies.delivered, 2 - lost);
    }
}

// Frames are lost with the packet error rate of the receiver, all with the cause `BitErrors`.
// Method: 4000 frames of 100 bits at a signal-to-noise ratio of 4 dB; BPSK, with as many bits per
// second as the band is wide. Tolerance: 4 standard
// errors.
#[test]
fn frame_errors_follow_the_receiver() {
    let bpsk = |address| {
        let mut modem = modem(address);
        modem.transceiver.reception = Reception::ErrorRate;
        set_band(&mut modem.transceiver, [18e3, 28e3]);
        modem
    };
    let (mut net, mut state) = network(&[bpsk(1), bpsk(2)], 9);
    let snr = libm::exp10(0.4);
    let channel = Uniform { delay_ns: 0, snr };
    let n = 4000;
    for k in 0..n {
        net.advance(&mut state, &channel, k * SECOND);
        send(&net, &mut state, to(0, 2, &[0x55; 13]));
        state.output.clear();
    }
    net.advance(&mut state, &channel, n * SECOND);
    let p = 1.0 - libm::pow(1.0 - 0.5 * libm::erfc(libm::sqrt(snr)), 104.0);
    let measured = state.copies.lost_by(LossCause::BitErrors) as f64 / n as f64;
    assert!((measured - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / n as f64));
    assert_eq!(state.copies.open(), 0);
}

// A message of several frames is reassembled, and lost frames are repeated until they are
// acknowledged; a lost acknowledgement causes a duplicate, which is not delivered again. Method:
// the channel blocks the second frame of the message and the acknowledgement of the third, once
// each.
#[test]
fn fragments_are_repeated_until_acknowledged() {
    let (mut net, mut state) = network(&[modem(1), modem(2)], 1);
    let payload: Vec<u8> = (0..700).map(|k| (k % 251) as u8).collect();
    let count = std::cell::Cell::new([0; 2]);
    let channel = By(|from: usize, _, _, _| {
        let mut counts = count.get();
        counts[from] += 1;
        count.set(counts);
        let is_blocked = (from, counts[from]) == (0, 2) || (from, counts[from]) == (1, 3);
        Propagation {
            obstruction: is_blocked.then_some(LossCause::Robot),
            ..signal(50_000_000, 1000.0)
        }
    });
    let message = Send {
        is_acknowledged: true,
        ..to(0, 2, &payload)
    };
    send(&net, &mut state, message);
    net.advance(&mut state, &channel, 20 * SECOND);
    assert_eq!(count.get(), [5, 4]);
    assert_eq!([state.copies.delivered, state.copies.duplicates], [1, 1]);
    let delivery = state.output.deliveries[0];
    assert_eq!(state.output.payload(&delivery), payload);
    assert!(state.modems[0].service.is_none() && state.messages.iter().next().is_none());
}

// After the last repetition the message is lost with the cause of its frames. Method: a structure
// blocks the path; 3 repetitions.
#[test]
fn repetitions_are_limited() {
    let (mut net, mut state) = network(&[modem(1), modem(2)], 1);
    let channel = By(|_, _, _, _| Propagation {
        obstruction: Some(LossCause::Structure),
        ..signal(0, 1.0)
    });
    let message = Send {
        is_acknowledged: true,
        ..to(0, 2, &[1])
    };
    send(&net, &mut state, message);
    net.advance(&mut state, &channel, 60 * SECOND);
    assert_eq!(state.frames.lost_by(LossCause::Structure), 4);
    assert_eq!(state.copies.lost_by(LossCause::Structure), 1);
}

/// Returns the first payload bytes of the deliveries after messages with (payload, priority, group)
/// were queued while a first message is transmitted, and the lost copies.
fn order_of(
    policy: DropPolicy,
    messages: &[(u8, u8, Option<MessageGroup>)],
) -> (Vec<u8>, NetworkState) {
    let limited = |address| Modem {
        queue: QueueLimits {
            max_messages: 3,
            policy,
            ..modem(address).queue
        },
        ..modem(address)
    };
    let (mut net, mut state) = network(&[limited(1), limited(2)], 1);
    send(&net, &mut state, to(0, 2, &[0; 100]));
    net.advance(&mut state, &quiet(0), 1);
    for (content, priority, group) in messages {
        let message = Send {
            priority: *priority,
            group: *group,
            ..to(0, 2, std::slice::from_ref(content))
        };
        send(&net, &mut state, message);
    }
    net.advance(&mut state, &quiet(0), 10 * SECOND);
    let first = |d| state.output.payload(d)[0];
    (state.output.deliveries.iter().map(first).collect(), state)
}

// Priorities, drop policies and keys determine the order. Method: a queue of 3 messages.
#[test]
fn queues_follow_priorities_policies_and_keys() {
    let plain = [(1, 0, None), (2, 5, None), (3, 0, None), (4, 1, None)];
    let (order, state) = order_of(DropPolicy::Newest, &plain);
    assert_eq!(order, [0, 2, 1, 3]);
    assert_eq!(state.copies.lost_by(LossCause::QueueOverflow), 1);
    assert_eq!(order_of(DropPolicy::Oldest, &plain).0, [0, 2, 4, 3]);
    assert_eq!(order_of(DropPolicy::LowestPriority, &plain).0, [0, 2, 4, 1]);
    let newest = |key| Some(MessageGroup::newest_only(key));
    let keyed = [
        (1, 0, newest(7)),
        (2, 0, None),
        (3, 0, newest(7)),
        (4, 0, newest(8)),
    ];
    let (order, state) = order_of(DropPolicy::Newest, &keyed);
    assert_eq!(order, [0, 3, 2, 4]);
    assert_eq!(state.copies.lost_by(LossCause::Replaced), 1);
}

// The limits of a bridge apply to its messages only: a maximum number with each policy, and a
// maximum age. Method: a maximum of 2, with a message of another bridge between; an age of half and
// of twice the duration of the message that is transmitted first.
#[test]
fn queues_follow_the_limits_of_bridges() {
    let group = |limits: BridgeQueue| Some(MessageGroup { key: 7, limits });
    let two = |policy| BridgeQueue {
        max_messages: Some(2),
        policy,
        max_age_ns: None,
    };
    for (policy, expected, cause) in [
        (DropPolicy::Oldest, [0, 3, 2, 4], LossCause::Replaced),
        (DropPolicy::Newest, [0, 1, 3, 2], LossCause::QueueOverflow),
    ] {
        let limited = group(two(policy));
        // the message of the other bridge has a priority between the two priorities of the bridge
        let messages = [
            (1, 2, limited),
            (2, 0, limited),
            (3, 1, None),
            (4, 0, limited),
        ];
        let (order, state) = order_of(DropPolicy::LowestPriority, &messages);
        assert_eq!(order, expected);
        assert_eq!(state.copies.lost_by(cause), 1);
    }
    let (_, state) = order_of(DropPolicy::Newest, &[]);
    let duration = state.output.deliveries[0].received_ns;
    for (max_age_ns, expected, lost) in [
        (duration / 2, &[0, 2][..], 1),
        (2 * duration, &[0, 1, 2], 0),
    ] {
        let aged = group(BridgeQueue {
            max_messages: None,
            policy: DropPolicy::Oldest,
            max_age_ns: Some(max_age_ns),
        });
        let (order, state) = order_of(DropPolicy::Newest, &[(1, 0, aged), (2, 0, None)]);
        assert_eq!(order, expected);
        assert_eq!(state.copies.lost_by(LossCause::TimeOut), lost);
    }
}

// A broadcast reaches every modem of the same band once, an addressed message only its destination
// and promiscuous modems. Method: 4 modems, one in another band, one promiscuous.
#[test]
fn broadcasts_and_addresses() {
    let mut modems: Vec<Modem> = (0..4).map(modem).collect();
    modems[2].promiscuous = true;
    set_band(&mut modems[3].transceiver, [100e3, 120e3]);
    let (mut net, mut state) = network(&modems, 1);
    send(&net, &mut state, to(0, BROADCAST, &[1]));
    send(&net, &mut state, to(0, 1, &[2]));
    net.advance(&mut state, &quiet(0), SECOND);
    let seen = state.output.deliveries.iter();
    let seen: Vec<_> = seen.map(|d| (d.message, d.to, d.is_overheard)).collect();
    assert_eq!(
        seen,
        [(0, 1, false), (0, 2, false), (1, 1, false), (1, 2, true)]
    );
    let error = net
        .send(&mut state, &to(0, 3, &[1]))
        .expect_err("other band");
    assert!(error.contains("address 3"), "{error}");
}

// A two-way range does not depend on the offsets of the clocks; its error is half the turn-around
// time times the skew; a one-way range contains the difference of the clocks. Method: offsets of 5
// s and -3 s, skews of 100 and -50 ppm, travel time 0.2 s, turn-around time 2 s. Tolerance: 1e-7 s,
// the product of travel time and skew.
#[test]
fn ranges_contain_the_errors_of_the_clocks() {
    let clocked = |address, offset_s, skew_ppm| Modem {
        clock: ClockError::new(offset_s, skew_ppm),
        transceiver: Transceiver {
            turn_around_s: 2.0,
            ..modem(address).transceiver
        },
        ..modem(address)
    };
    let (mut net, mut state) = network(&[clocked(1, 5.0, 100.0), clocked(2, -3.0, -50.0)], 1);
    for kind in [Ranging::TwoWay, Ranging::OneWay] {
        let command = ModemCommand::Range {
            modem: 0,
            destination: 2,
            kind,
        };
        net.apply(&mut state, &command).expect("valid command");
        let until = state.time_ns + 10 * SECOND;
        net.advance(&mut state, &quiet(200_000_000), until);
    }
    let [two_way, one_way] = state.output.ranges[..] else {
        panic!("{:?}", state.output.ranges);
    };
    assert_eq!([two_way.modem, two_way.other], [0, 1]);
    let waited = 2.0 + 100.0 / 1e4;
    let expected = 0.2 * (1.0 + 1e-4) + 0.5 * waited * 1.5e-4;
    assert!((two_way.travel_time() - expected).abs() < 1e-7);
    assert_eq!([one_way.modem, one_way.other], [1, 0]);
    let t = one_way.true_transmission_ns as f64 * 1e-9;
    let expected = 0.2 - 8.0 - 1.5e-4 * t;
    assert!((one_way.travel_time() - expected).abs() < 1e-4 * 0.2);
}

// Law of the energy. Method: one frame of 0.08 s with half of the maximum power; 10 s. Tolerance:
// 1e-9 J.
#[test]
fn energy_follows_the_activities() {
    let (mut net, mut state) = network(&[modem(1), modem(2)], 1);
    state.output.trace.limit = 100;
    let message = Send {
        power: Some(5.0),
        ..to(0, 2, &[0; 100])
    };
    send(&net, &mut state, message);
    net.advance(&mut state, &quiet(SECOND), 40_000_000);
    assert!((net.energy(&state, 0).transmit - 0.04 * 6.0).abs() < 1e-9);
    net.advance(&mut state, &quiet(SECOND), 10 * SECOND);
    let sent = net.energy(&state, 0);
    assert!((sent.transmit - 0.08 * 6.0).abs() < 1e-9 && sent.receive == 0.0);
    assert!((sent.idle - 9.92 * 0.1).abs() < 1e-9);
    let received = net.energy(&state, 1);
    assert!((received.receive - 0.08 * 0.5).abs() < 1e-9);
    assert!((received.total() - 0.04 - 9.92 * 0.1).abs() < 1e-9);
    let trace = &state.output.trace.items;
    let of = |m| {
        let own = trace.iter().filter(move |interval| interval.modem == m);
        own.map(|i| (i.activity, i.start_ns, i.end_ns))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(0), [(Activity::Transmit, 0, 80_000_000)]);
    let second = [
        (Activity::Idle, 0, SECOND),
        (Activity::Receive, SECOND, SECOND + 80_000_000),
    ];
    assert_eq!(of(1), second);
}

/// Power control of a vehicle whose station has the address 1.
fn power_control() -> PowerControl {
    read("{station: 1, period_s: 2, target_snr_db: 11.76, step_db: 1.76}")
}

// Adaptive power control (thesis, 4.4.4): a vehicle that receives no message requests more power
// until messages arrive. Method: the station starts at 1 W; the vehicle needs 4 W; a message every
// 2 s, step 1.5. Tolerance: the first sufficient power is at most one step above the limit.
#[test]
fn power_control_restores_the_link() {
    let mut modems = [modem(1), modem(2)];
    modems[0].power_w = 1.0;
    modems[1].power_control = Some(power_control());
    for modem in &mut modems {
        modem.transceiver.reception = read("{kind: signal_excess, threshold_db: 10}");
    }
    let (mut net, mut state) = network(&modems, 1);
    let channel = By(|_, _, _, power| signal(30_000_000, 25.0 * power));
    for k in 0..20 {
        let at = k * 2 * SECOND + SECOND / 2;
        net.advance(&mut state, &channel, at);
        send(&net, &mut state, to(0, 2, &[0; 64]));
    }
    net.advance(&mut state, &channel, 42 * SECOND);
    let [(2, power)] = state.modems[0].requested_powers[..] else {
        panic!("{:?}", state.modems[0].requested_powers);
    };
    let shown = state.modems[0].greatest_power();
    assert!(shown == power.max(state.modems[0].power), "{shown} W");
    assert!((4.0..=6.0).contains(&power), "{power}");
    let lost = state.copies.lost_by(LossCause::BelowThreshold);
    assert!(lost == 4 && state.copies.delivered == 20 - lost);
}

// Frames of the station for other modems do not count for power control, broadcasts do. Method: a
// station whose frames all arrive at the vehicle, addressed to another modem or to all.
#[test]
fn power_control_ignores_overheard_frames() {
    for (destination, is_requested) in [(3, true), (BROADCAST, false)] {
        let mut modems = [modem(1), modem(2), modem(3)];
        modems[0].power_w = 1.0;
        modems[1].power_control = Some(power_control());
        let (mut net, mut state) = network(&modems, 1);
        for k in 0..5 {
            net.advance(&mut state, &quiet(30_000_000), 2 * k * SECOND + SECOND);
            send(&net, &mut state, to(0, destination, &[0; 64]));
        }
        net.advance(&mut state, &quiet(30_000_000), 10 * SECOND);
        let requested = &state.modems[0].requested_powers;
        assert_eq!(!requested.is_empty(), is_requested, "{requested:?}");
        assert!(requested.iter().all(|(address, _)| *address == 2));
    }
}

// A modem that is switched off does not transmit or receive and consumes no energy; its messages
// are lost with the cause `NoPower`. Method: switched off during a transmission, with a message in
// the queue, and while a frame arrives.
#[test]
fn modems_without_power() {
    let (mut net, mut state) = network(&[modem(1), modem(2)], 1);
    send(&net, &mut state, to(0, 2, &[0; 100]));
    send(&net, &mut state, to(0, 2, &[0; 100]));
    net.advance(&mut state, &quiet(10_000_000), 50_000_000);
    let off = ModemCommand::Switch {
        modem: 0,
        is_on: false,
    };
    net.apply(&mut state, &off).expect("valid command");
    send(&net, &mut state, to(1, 1, &[0; 100]));
    send(&net, &mut state, to(0, 2, &[0; 100]));
    net.advance(&mut state, &quiet(10_000_000), 10 * SECOND);
    assert_eq!(state.copies.lost_by(LossCause::NoPower), 4);
    let energy = net.energy(&state, 0);
    assert!((energy.total() - 0.05 * 11.0).abs() < 1e-9);
    assert_eq!(state.modems[0].activity, Activity::Off);
    // a robot without power cannot switch its modem on
    let on = ModemCommand::Switch {
        modem: 0,
        is_on: true,
    };
    state.modems[0].supply = Supply::Unpowered;
    let error = net.apply(&mut state, &on).expect_err("no power");
    assert!(error.contains("no power"), "{error}");
    state.modems[0].supply = Supply::Powered;
    net.apply(&mut state, &on).expect("valid command");
}

// Rate adaptation uses the faster rate after a strong frame arrived. Method: it is selected
// above a ratio of 100; the duration of the second message.
#[test]
fn rates_adapt_to_the_link() {
    let adaptive = |address| Modem {
        rate: RateChoice::Adaptive,
        transceiver: Transceiver {
            framing: Framing {
                control_bits: 10,
                ..modem(address).transceiver.framing
            },
            ..modem(address).transceiver
        },
        ..modem(address)
    };
    let (mut net, mut state) = network(&[adaptive(1), adaptive(2)], 1);
    let mut times = Vec::new();
    for (from, address) in [(0, 2), (1, 1)] {
        let start = state.time_ns;
        send(&net, &mut state, to(from, address, &[0; 100]));
        net.advance(&mut state, &quiet(0), start + SECOND);
        times.push(state.output.deliveries[from].received_ns - start);
    }
    assert_eq!(times, [80_000_000, 40_000_000]);
}

// Rate adaptation has hysteresis: a modem keeps its rate while the ratio is between the two
// thresholds. Method: the thresholds 100 and 200; the duration of a message after a
// frame with each ratio.
#[test]
fn rates_have_hysteresis() {
    let adaptive = |address| Modem {
        rate: RateChoice::Adaptive,
        transceiver: Transceiver {
            adaptation: read("{hysteresis_db: 3}"),
            ..modem(address).transceiver
        },
        ..modem(address)
    };
    let (mut net, mut state) = network(&[adaptive(1), adaptive(2)], 1);
    let ratios = [50.0, 150.0, 250.0, 150.0, 50.0];
    let channel = By(|_, _, t_ns, _| signal(0, ratios[(t_ns / (2 * SECOND)) as usize]));
    let mut durations = Vec::new();
    for k in 0..ratios.len() as u64 {
        net.advance(&mut state, &channel, 2 * k * SECOND);
        state.output.deliveries.clear();
        for (from, address) in [(0, 2), (1, 1)] {
            send(&net, &mut state, to(from, address, &[0; 100]));
            let end = state.time_ns + SECOND - 1;
            let start = state.time_ns;
            net.advance(&mut state, &channel, end);
            if from == 1 {
                let delivery = state.output.deliveries.last().expect("a delivery");
                durations.push((delivery.received_ns - start) / 1_000_000);
            }
        }
    }
    assert_eq!(durations, [80, 80, 40, 40, 80]);
}

// Consecutive frames of one modem do not collide at a receiver that approaches it, although the
// second frame arrives before the first frame has ended. Method: a message of four frames over a
// travel time that decreases by 1 ms per second.
#[test]
fn frames_of_one_modem_do_not_collide() {
    let (mut net, mut state) = network(&[modem(1), modem(2)], 1);
    let channel = By(|_, _, t_ns, _| signal(50_000_000 - t_ns / 1000, 1e3));
    send(&net, &mut state, to(0, 2, &[7; 1000]));
    net.advance(&mut state, &channel, 5 * SECOND);
    assert_eq!(state.output.deliveries.len(), 1, "{:?}", state.frames);
    assert_eq!(state.frames.delivered, 4);
}

/// Returns the protocol of a modem that transmits in the last second of 1000 s, in a slot of a
/// duration [ns].
fn late_slot(duration_ns: u64) -> MacProtocol {
    let slot = [999 * SECOND, duration_ns].map(Nanoseconds);
    MacProtocol::Tdma(Tdma {
        frame_s: Nanoseconds(1000 * SECOND),
        slots_s: vec![slot],
        guard_s: Nanoseconds(0),
    })
}

// Control frames that are discarded are counted: by a full queue of 64, by medium access, and by
// switching off. Method: 70 requests of ranges to a modem whose slot comes later, and to a modem
// whose slot is too short for a frame.
#[test]
fn discarded_control_frames_are_counted() {
    for (duration_ns, discarded) in [(SECOND, 6), (1000, 70)] {
        let replier = Modem {
            mac: late_slot(duration_ns),
            ..modem(2)
        };
        let (mut net, mut state) = network(&[modem(1), replier], 1);
        let request = ModemCommand::Range {
            modem: 0,
            destination: 2,
            kind: Ranging::TwoWay,
        };
        for k in 0..70 {
            net.advance(&mut state, &quiet(0), k * SECOND);
            net.apply(&mut state, &request).expect("a request");
        }
        net.advance(&mut state, &quiet(0), 70 * SECOND);
        assert_eq!(state.modems[1].discarded_control, discarded);
        assert_eq!(state.modems[1].control.len() as u64, 70 - discarded);
        let off = ModemCommand::Switch {
            modem: 1,
            is_on: false,
        };
        net.apply(&mut state, &off).expect("a command");
        assert_eq!(state.modems[1].discarded_control, 70);
        assert_eq!(state.modems[0].discarded_control, 0);
    }
}
