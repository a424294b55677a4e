//! V26 to V28: medium access over load, data rate by the channel, adaptive power control.

use crate::cases::comms::{Message, Results, run_modems, uniform_water};
use crate::cases::prelude::*;
use merrow_math::decibels::level as decibels;
use merrow_math::rng::Stream;
use merrow_model::state::comms::LossCause;

/// Number of transmitting modems, and duration of a frame of 64 bytes at 1 kbit/s [s].
const MODEMS: usize = 20;
const FRAME: f64 = 0.512;
/// Step of the simulation, at whose start messages enter the queues [s].
const TIME_STEP: f64 = 0.01;
/// Duration of a slot: a frame and a guard time [s].
const SLOT: f64 = 0.522;
/// Duration of a report of the waiting room: a control frame and the guard time [s].
const REPORT: f64 = 0.074;
/// Duration of a run [s].
const DURATION: f64 = 2000.0;
/// Offered loads, in frames per frame duration.
const LOADS: [f64; 5] = [0.1, 0.25, 0.5, 1.0, 2.0];

/// Protocol of the modems: name, key `mac` of modem `k`, and throughput by law at a load, where
/// there is one.
struct Protocol {
    name: &'static str,
    mac: fn(usize) -> String,
    law: fn(f64) -> Option<f64>,
}

const PROTOCOLS: [Protocol; 5] = [
    Protocol {
        name: "ALOHA",
        mac: |_| "{kind: aloha}".to_string(),
        law: |g| Some(g * libm::exp(-2.0 * g)),
    },
    Protocol {
        name: "slotted ALOHA",
        mac: |_| format!("{{kind: slotted_aloha, slot_s: {SLOT}}}"),
        law: |g| Some(g * libm::exp(-g * SLOT / FRAME)),
    },
    Protocol {
        name: "CSMA/CA",
        // the second attempt follows at once, so that a busy medium discards the message
        mac: |_| {
            "{kind: csma_ca, max_attempts: 1, backoff: {kind: nonpersistent, max_s: 1e-6}}"
                .to_string()
        },
        law: |g| {
            let a = TIME_STEP / FRAME;
            let none = libm::exp(-a * g);
            Some(a * g * none / (1.0 - none + a))
        },
    },
    Protocol {
        name: "waiting room",
        mac: |_| {
            let slot = SLOT + REPORT;
            format!("{{kind: waiting_room, station: 1, slot_s: {slot}, report_s: {SLOT}}}")
        },
        // well below its capacity, at which conflicts follow each other
        law: |g| (g < 0.2).then_some(g),
    },
    Protocol {
        name: "TDMA",
        mac: |k| {
            let (frame, start) = (SLOT * MODEMS as f64, SLOT * k as f64);
            format!("{{kind: tdma, frame_s: {frame}, slots_s: [[{start}, {SLOT}]]}}")
        },
        law: |g| Some(g.min(FRAME / SLOT)),
    },
];

/// Returns the offered load and the part of the time in which the base receives frames. The
/// messages are a Poisson process that `MODEMS` modems transmit in turn.
fn run_load(
    data: &ReferenceData,
    mac: fn(usize) -> String,
    load: f64,
    seed: u64,
) -> Result<[f64; 2], String> {
    let keys = |k: usize| {
        format!(
            "modem: {{extends: modems/docking_acoustic.yaml, fading: {{kind: none}}, \
             schemes: [{{name: only, modulation: qpsk, rate_bit_s: 1000}}]}}, mac: {}",
            mac(k)
        )
    };
    // the base does not transmit, except for the reports of the waiting room
    let mut modems = vec![("base".to_string(), [0.0, 0.0, -20.0], keys(0))];
    for k in 0..MODEMS {
        let angle = std::f64::consts::TAU * k as f64 / MODEMS as f64;
        let place = [libm::cos(angle), libm::sin(angle), -20.0];
        modems.push((format!("m{k}"), place, keys(k)));
    }
    let stream = Stream::new(seed, "load");
    let (mut messages, mut time): (Vec<Message>, f64) = (Vec::new(), 0.0);
    loop {
        let k = messages.len();
        time += stream.draw(k as u64).exponential() * FRAME / load;
        if time > DURATION {
            break;
        }
        messages.push((time, 1 + k % MODEMS, 1, 64));
    }
    let found = run_modems(data, "{}", &modems, &messages, 0.0)?;
    let unit = FRAME / DURATION;
    Ok([messages.len() as f64 * unit, found.received(0) * unit])
}

// V26: 4 standard errors of a count. Messages enter the queues at the steps of the simulation, so
// that the law of CSMA is the law with slots of one step. TDMA and the waiting room deliver all
// messages below their capacity.
pub(crate) fn throughput(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    let mut lines = Vec::new();
    for (k, Protocol { name, mac, law }) in PROTOCOLS.into_iter().enumerate() {
        let mut points = Vec::new();
        for (j, load) in LOADS.into_iter().enumerate() {
            let [offered, received] = run_load(data, mac, load, (10 * k + j) as u64)?;
            points.push([offered, received]);
            let Some(expected) = law(offered) else {
                continue;
            };
            checks.extend(checks! {
                format!("throughput of {name} at the load {load}"), "", expected, received,
                    Absolute(4.0 * (expected * FRAME / DURATION).sqrt());
            });
        }
        let curve = (1..=80).map(|n| 0.025 * f64::from(n));
        let curve = curve.filter_map(|g| Some([g, law(g)?])).collect();
        lines.push(PlotCurve::new("", COLOURS[k], true, curve));
        lines.push(PlotCurve::new(name, COLOURS[k], false, points));
    }
    let panel = Panel::new("throughput [-]", "offered load [-]", lines);
    let title = "Throughput of 20 modems within 1 m (V26); dashed: laws";
    let figure = draw_figure(title, &[panel], FIGURE_WIDTH, 320);
    Ok(CaseResult::new(checks).with_figure("comms_throughput", figure))
}

/// Schemes of the WHOI micro-modem: rate [bit/s] and minimum signal-to-noise ratio [dB], and the
/// margin of its rule [dB].
const SCHEMES: [[f64; 2]; 6] = [
    [80.0, -11.5],
    [250.0, -5.5],
    [500.0, -2.0],
    [1200.0, 1.8],
    [1300.0, 0.1],
    [5300.0, 7.0],
];
const MARGIN: f64 = 6.0;
/// Duration of the preamble of its frames [s].
const PREAMBLE: f64 = 0.02;

/// Returns the signal-to-noise ratio [dB] of a message of the other modem, and the rate of the
/// message that follows it in the other direction [bit/s].
fn measured_rate(data: &ReferenceData, distance: f64) -> Result<[f64; 2], String> {
    let model = "modem: {extends: modems/whoi_micromodem.yaml, fading: {kind: none}, \
                 multipath: ~, source_level_db: 140}";
    let place = |x: f64| [x, 0.0, -50.0];
    let modems = [
        ("a".to_string(), place(0.0), model.to_string()),
        ("b".to_string(), place(distance), model.to_string()),
    ];
    let messages = [(0.1, 1, 1, 16), (20.0, 0, 2, 16)];
    let found = run_modems(data, "{}", &modems, &messages, 20.0)?;
    let second = found.deliveries.iter().find(|d| d.to == 1);
    let second = second.ok_or_else(|| format!("no delivery over {distance} m"))?;
    let record = found.packets.iter().find(|p| p.to == 1);
    let bits = record.map_or(f64::NAN, |record| f64::from(record.bits));
    let time = (second.received_ns - second.transmitted_ns) as f64 * 1e-9;
    Ok([found.snr(0), bits / (time - PREAMBLE - distance / 1500.0)])
}

// V27: the rate by the schemes of the file, at the ratio of the message that precedes; rounding of
// times to nanoseconds.
pub(crate) fn adaptation(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    let mut rates = Vec::new();
    let mut ratios = Vec::new();
    for distance in [
        100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 800.0, 1000.0, 1400.0,
    ] {
        let [snr, rate] = measured_rate(data, distance)?;
        let reached = SCHEMES.iter().filter(|[_, least]| snr >= least + MARGIN);
        let expected = reached.map(|[rate, _]| *rate).fold(SCHEMES[0][0], f64::max);
        checks.extend(checks! {
            format!("rate over {distance} m"), "bit/s", expected, rate, Relative(1e-6);
        });
        rates.push([distance, 1e-3 * rate]);
        ratios.push([distance, snr]);
    }
    let lines = |label, k: usize, points| vec![PlotCurve::new(label, COLOURS[k], false, points)];
    let (rates, ratios) = (
        lines("data rate", 0, rates),
        lines("message before", 1, ratios),
    );
    let panels = [
        Panel::new("rate [kbit/s]", "", rates),
        Panel::new("signal-to-noise ratio [dB]", "distance [m]", ratios),
    ];
    let title = "Rate of WHOI micro-modems with a source level of 140 dB (V27)";
    let figure = draw_figure(title, &panels, FIGURE_WIDTH, 200);
    Ok(CaseResult::new(checks).with_figure("comms_rate", figure))
}

/// First power of the station [W] and factor between two requests.
const FIRST_POWER: f64 = 0.05;
const STEP: f64 = 2.0;
/// Distance of the vehicle [m], period of the messages [s] and threshold of the modem [W].
const DISTANCE: f64 = 37.63;
const PERIOD: f64 = 0.74;
const THRESHOLD: f64 = 0.0019;

/// Runs a dock that transmits to the first of two vehicles. The second vehicle overhears its
/// messages.
fn run_power_control(data: &ReferenceData) -> Result<Results, String> {
    let lossless = "modem: {extends: modems/docking_acoustic.yaml, fading: {kind: none}, \
                    absorption: none}";
    let step = decibels(STEP);
    let control = |period: f64| {
        format!(
            "{lossless}, power_control: {{station: 1, period_s: {period}, target_snr_db: -100, \
             step_db: {step}}}"
        )
    };
    let at = |x: f64, y: f64| [x, y, -20.0];
    let modems = [
        (
            "dock".to_string(),
            at(0.0, 0.0),
            format!("{lossless}, power_w: {FIRST_POWER}"),
        ),
        ("vehicle".to_string(), at(DISTANCE, 0.0), control(PERIOD)),
        // another period, so that the requests of both do not overlap
        ("other".to_string(), at(0.0, 5.0), control(0.61)),
    ];
    let messages: Vec<Message> = (0..12)
        .map(|k| ((f64::from(k) + 0.5) * PERIOD, 0, 2, 64))
        .collect();
    run_modems(data, &uniform_water(10.0, 0.5), &modems, &messages, 0.5)
}

// V28: the number of requests is an integer. The threshold of the file is rounded to 0.1 dB, 2 % of
// the power. The messages that the second vehicle overhears do not count for it.
pub(crate) fn power_control(data: &ReferenceData) -> Result<CaseResult, String> {
    let found = run_power_control(data)?;
    let needed = THRESHOLD * DISTANCE.powf(1.5);
    let requests = libm::ceil(libm::log2(needed / FIRST_POWER));
    let to_vehicle = found.packets.iter().filter(|p| p.from == 0 && p.to == 1);
    let first = to_vehicle.clone().next().map_or(f64::NAN, |p| p.snr);
    let points: Vec<[f64; 2]> = to_vehicle
        .clone()
        .map(|p| [p.start_ns as f64 * 1e-9, FIRST_POWER * p.snr / first])
        .collect();
    let lost = to_vehicle.filter(|p| p.cause == Some(LossCause::BelowThreshold));
    let [last_time, last] = points.last().copied().unwrap_or([f64::NAN; 2]);
    let checks = checks! {
        "messages lost before the power suffices", "", requests, lost.count() as f64, Absolute(0.0);
        "power of the messages that arrive", "W", FIRST_POWER * STEP.powf(requests), last,
            Relative(1e-5);
        "requests of a vehicle that overhears the messages", "", 5.0, requests_of(&found, 2),
            MoreThan;
    };
    let limit = vec![[0.0, needed], [last_time, needed]];
    let lines = vec![
        PlotCurve::new("power that suffices", BLACK, true, limit),
        PlotCurve::new("messages to the vehicle", COLOURS[0], false, points),
    ];
    let panel = Panel::new("transmit power [W]", "time [s]", lines);
    let title = "Adaptive power control over 37.63 m (V28)";
    let figure = draw_figure(title, &[panel], FIGURE_WIDTH, 240);
    Ok(CaseResult::new(checks).with_figure("comms_power", figure))
}

/// Returns the number of control frames of modem `from` that arrived at the station.
fn requests_of(found: &Results, from: u32) -> f64 {
    let own = found.packets.iter().filter(|p| p.from == from && p.to == 0);
    own.filter(|p| p.message.is_none()).count() as f64
}
