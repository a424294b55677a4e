//! V02, V03, V08 to V11, V24 to V29 and V54: modems, channels and medium access of Thetis and of
//! the docking study, relays, and the received power of every medium.

pub(super) mod budget;
mod figures;
pub(super) mod pair;
pub(super) mod traffic;

use crate::cases::prelude::*;
use merrow_comms::channel::conductive::ConductiveWave;
use merrow_comms::channel::fading::power_factor;
use merrow_environment::absorption::{Water, francois_garrison};
use merrow_environment::sound::noise::ambient;
use merrow_math::decibels::ratio;
use merrow_math::decibels::{level as decibels, power};
use merrow_math::rng::Stream;
use merrow_model::scene::comms::BROADCAST;
use merrow_model::scene::comms::medium::Medium;
use merrow_model::scene::comms::transceiver::{Fading, Reception};
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::state::Command;
use merrow_model::state::comms::{Delivery, ModemCommand, PacketRecord, Send};
use merrow_yaml::read::Places;
use std::f64::consts::LN_2;

/// Period of the schedule of the docking study [s].
const PERIOD: f64 = 0.74;
/// Period of the controller of the docking study [s].
const CONTROLLER_PERIOD: f64 = 0.02;
/// Number of samples of the fading, and frames that a fading link transmits.
const SAMPLES: u64 = 100_000;
const FRAMES: u32 = 4000;

/// One message: time [s], index of the modem, address of the destination and length [byte].
type Message = (f64, usize, u16, usize);

/// Results of a run of modems.
#[derive(Default)]
struct Results {
    deliveries: Vec<Delivery>,
    packets: Vec<PacketRecord>,
}

impl Results {
    /// Returns the number of messages that the modem `to` received.
    fn received(&self, to: u32) -> f64 {
        self.deliveries.iter().filter(|d| d.to == to).count() as f64
    }

    /// Returns the signal-to-noise ratio [dB] of the first frame that arrived at the modem `to`.
    fn snr(&self, to: u32) -> f64 {
        let record = self.packets.iter().find(|p| p.to == to);
        decibels(record.map_or(f64::NAN, |p| p.snr))
    }
}

/// Runs a world of fixed modems for `seconds` [s] after the last message. `water` and `modems` are
/// maps of a world file; `modems` has the name, the place [m] and the other keys.
fn run_modems(
    data: &ReferenceData,
    water: &str,
    modems: &[(String, [f64; 3], String)],
    messages: &[Message],
    seconds: f64,
) -> Result<Results, String> {
    let entry = |(name, p, keys): &(String, [f64; 3], String)| {
        format!("  {name}: {{position_m: {p:?}, {keys}}}\n")
    };
    let modems: String = modems.iter().map(entry).collect();
    let text = format!(
        "step: {{dt_s: 0.01}}\nseed: 5\nseabed: {{depth_m: 400}}\nwater: {water}\nrobots: {{}}\n\
         modems:\n{modems}"
    );
    let mut simulation = data.simulation(&text)?;
    let command = |&(time, modem, destination, length): &Message| ScheduledCommand {
        name: "message".into(),
        time_ns: (time * 1e9).round() as u64,
        command: Command::Modem(ModemCommand::Send(Send::new(
            modem,
            destination,
            vec![1; length],
        ))),
    };
    simulation.replay.commands = messages.iter().map(command).collect();
    let last = messages.last().map_or(0.0, |(time, ..)| *time);
    let end = ((last + seconds) / 0.01).round() as u64;
    let mut results = Results::default();
    while simulation.state.step < end {
        simulation.advance(100.min(end - simulation.state.step));
        let output = &simulation.network_output;
        results.deliveries.extend(output.deliveries.iter().copied());
        results.packets.extend(output.packets.items.iter().copied());
        simulation.clear_outboxes();
    }
    match simulation.schedule_rejections.first() {
        Some(rejection) => Err(rejection.reason.clone()),
        None => Ok(results),
    }
}

/// Returns the modem of Thetis at a place [m], with other keys.
fn thetis(name: &str, place: [f64; 3], keys: &str) -> (String, [f64; 3], String) {
    let model = format!("modem: {{extends: modems/thetis_modem.yaml{keys}}}");
    (name.to_string(), place, model)
}

// V02: the times of a delivery in whole nanoseconds; 1 ms as in the requirement of the study.
pub(super) fn delay(data: &ReferenceData) -> Result<CaseResult, String> {
    let distances = [50.0, 100.0, 300.0, 600.0, 1000.0];
    let mut checks = Vec::new();
    let mut series = Vec::new();
    for bytes in [4, 8, 16, 32] {
        let mut modems = vec![thetis("a", [0.0, 0.0, -20.0], "")];
        for (j, d) in distances.iter().enumerate() {
            modems.push(thetis(&format!("b{j}"), [*d, 0.0, -20.0], ""));
        }
        let messages = [(0.1, 0, BROADCAST, bytes)];
        let found = run_modems(data, "{}", &modems, &messages, 20.0)?;
        let mut points = Vec::new();
        for (j, d) in distances.iter().enumerate() {
            let to = j as u32 + 1;
            let delivery = found.deliveries.iter().find(|delivery| delivery.to == to);
            let delivery = delivery.ok_or_else(|| format!("no delivery over {d} m"))?;
            let time = (delivery.received_ns - delivery.created_ns) as f64 * 1e-9;
            let bits = 8 * bytes;
            checks.extend(checks! {
                format!("{bits} bit over {d} m"), "s", d / 1500.0 + bits as f64 / 20.0, time,
                    Absolute(1e-3);
            });
            points.push([*d, time]);
        }
        series.push((format!("{} bit", 8 * bytes), points));
    }
    let y_label = "time from command to delivery [s]";
    let panel = Panel::new(y_label, "distance [m]", coloured(series));
    let title = "Delay of the acoustic modem of Thetis, 20 bit/s";
    let figure = draw_figure(title, &[panel], 860, 320);
    Ok(CaseResult::new(checks).with_figure("comms_delay", figure))
}

/// Returns water of uniform temperature [degrees Celsius] and salinity [psu], as a map of a world
/// file.
fn uniform_water(temperature: f64, salinity: f64) -> String {
    format!(
        "{{column: {{layers: [{{depth_m: 0, temperature_c: {temperature}, \
         salinity_psu: {salinity}}}]}}}}"
    )
}

/// Returns the distance [m] at which the signal excess of the modem of Thetis equals its threshold,
/// for a source level [dB re 1 µPa at 1 m] at a depth [m], by bisection.
fn delivery_radius(source_level: f64, depth: f64) -> f64 {
    let water = Water {
        temperature: 10.0,
        salinity: 35.0,
        depth,
        ph: 8.0,
    };
    let noise = decibels((ambient(26.0, 0.0, 0.5) + power(40.0)) * 4e3);
    let loss = |r: f64| 20.0 * libm::log10(r) + 1e-3 * francois_garrison(26.0, &water) * r;
    bisect(80, [1.0, 1e5], |r| source_level - loss(r) - noise > 10.0)[0]
}

// V03: 0.5 % inside and outside the radius, because the absorption is computed at one depth.
pub(super) fn delivery(data: &ReferenceData) -> Result<CaseResult, String> {
    let level = 130.0;
    let quiet = ", source_level_db: 130";
    let radius = delivery_radius(level, 200.0);
    let at = |name: &str, d: [f64; 3]| thetis(name, [d[0], d[1], d[2] - 200.0], quiet);
    // 60 deg above the source the tables of both ends have -8 dB
    let above = [0.25 * radius, 0.0, 0.433 * radius];
    let modems = [
        at("source", [0.0; 3]),
        at("inside", [0.995 * radius, 0.0, 0.0]),
        at("outside", [1.005 * radius, 0.0, 0.0]),
        at("level", [0.0, 0.5 * radius, 0.0]),
        at("above", above),
    ];
    let water = uniform_water(10.0, 35.0);
    let found = run_modems(data, &water, &modems, &[(0.1, 0, BROADCAST, 8)], 10.0)?;
    let mut checks = checks! {
        "messages 0.5 % inside the radius", "", 1.0, found.received(1), Absolute(0.0);
        "messages 0.5 % outside the radius", "", 0.0, found.received(2), Absolute(0.0);
        "messages at half the radius, in the horizontal beam", "", 1.0, found.received(3),
            Absolute(0.0);
        "messages at half the radius, 60 deg above the beam", "", 0.0, found.received(4),
            Absolute(0.0);
    };
    let modems = [
        thetis("a", [-100.0, 0.0, -200.0], ""),
        thetis("b", [0.0, 0.0, -200.0], ""),
        thetis("c", [100.0, 0.0, -200.0], ""),
    ];
    for (later, expected) in [(1.0, 0.0), (10.0, 2.0)] {
        let messages = [(0.1, 0, 2, 8), (0.1 + later, 2, 2, 8)];
        let found = run_modems(data, &water, &modems, &messages, 10.0)?;
        checks.extend(checks! {
            format!("messages of 3.2 s that begin {later} s apart"), "", expected,
                found.received(1), Absolute(0.0);
        });
    }
    let figure = figures::signal_excess(data, quiet, radius)?;
    Ok(CaseResult::new(checks).with_figure("comms_excess", figure))
}

/// Returns the acoustic modem of the docking study without fading, with other keys.
fn docking(name: String, place: [f64; 3], keys: &str) -> (String, [f64; 3], String) {
    let model = "modem: {extends: modems/docking_acoustic.yaml, fading: {kind: none}}";
    (name, place, format!("{model}{keys}"))
}

/// Schedule of the docking study (section 4.4.1 of the thesis): a slot for each message of the
/// station, then one for each vehicle. A slot of a vehicle also contains the travel time and the
/// guard time that makes the period a multiple of that of the controller.
struct StationSchedule {
    /// Number of vehicles with a slot.
    vehicles: u32,
    /// Duration of a slot of the station [s].
    station_slot: f64,
    /// Duration of a slot of a vehicle, with travel time and guard time [s].
    vehicle_slot: f64,
}

impl StationSchedule {
    /// Creates the schedule of the study: 8 vehicles at 50 m, messages of 512 and 64 bit at
    /// 10 kbit/s. The period is a multiple of `multiple` [s]; 0: any period.
    fn of_study(multiple: f64) -> Self {
        let (vehicles, n) = (8, 8.0);
        let [station_slot, vehicle] = [512.0, 64.0].map(|bits| bits / 1e4);
        let slot = vehicle + 50.0 / 1500.0;
        let total = n * (station_slot + slot);
        let is_padded = multiple > 0.0;
        let padded = || ((total / multiple).ceil() * multiple - total) / n;
        Self {
            vehicles,
            station_slot,
            vehicle_slot: slot + if is_padded { padded() } else { 0.0 },
        }
    }

    /// Returns the durations of the downlink and of the uplink [s].
    fn durations(&self) -> [f64; 2] {
        [self.station_slot, self.vehicle_slot].map(|slot| f64::from(self.vehicles) * slot)
    }
}

// V08: the values of the study have four digits; the frames of whole periods must all arrive.
pub(super) fn schedule(data: &ReferenceData) -> Result<CaseResult, String> {
    let (plain, padded) = (
        StationSchedule::of_study(0.0),
        StationSchedule::of_study(CONTROLLER_PERIOD),
    );
    let [down, up] = plain.durations();
    let rounded = padded.durations();
    let mut checks = checks! {
        "downlink", "s", 0.4096, down, Absolute(1e-4);
        "uplink without guard time", "s", 0.31787, up, Absolute(1e-4);
        "sum", "s", 0.72747, down + up, Absolute(1e-4);
        "slot with guard time", "s", 0.0413, padded.vehicle_slot, Absolute(1e-4);
        "uplink with guard time", "s", 0.3304, rounded[1], Absolute(1e-4);
        "period", "s", PERIOD, rounded[0] + rounded[1], Absolute(1e-4);
    };
    // the last message of the station is still in transit when the first vehicle transmits, and is
    // damaged if that vehicle is nearer to the last vehicle than the station is
    let mut trace = None;
    let near = [0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0];
    let opposite = [0.0, 45.0, 90.0, 135.0, 225.0, 270.0, 315.0, 180.0];
    for (what, angles, expected) in [
        ("first and last vehicle 38 m apart", near, 140.0),
        ("first and last vehicle 100 m apart", opposite, 160.0),
    ] {
        let found = run_schedule(data, &padded, angles)?;
        let to_vehicles: f64 = (1..9).map(|to| found.received(to)).sum();
        checks.extend(checks! {
            format!("messages to the vehicles in 20 periods, {what}"), "", expected, to_vehicles,
                Absolute(0.0);
            format!("messages to the station in 20 periods, {what}"), "", 160.0, found.received(0),
                Absolute(0.0);
        });
        trace = Some(figures::schedule_trace(&found));
    }
    let result = CaseResult::new(checks);
    Ok(match trace {
        Some(figure) => result.with_figure("comms_schedule", figure),
        None => result,
    })
}

/// Runs 20 periods of the schedule. Every vehicle receives and transmits one message per period.
/// `angles`: directions of the vehicles from the station [deg], 50 m away.
fn run_schedule(
    data: &ReferenceData,
    schedule: &StationSchedule,
    angles: [f64; 8],
) -> Result<Results, String> {
    let slots = |first: f64, length: f64, count: u32| {
        let start = |k| first + f64::from(k) * length;
        let list: Vec<[f64; 2]> = (0..count).map(|k| [start(k), length]).collect();
        format!(", mac: {{kind: tdma, frame_s: {PERIOD}, slots_s: {list:?}}}")
    };
    let own = slots(0.0, schedule.station_slot, schedule.vehicles);
    let mut modems = vec![docking("station".into(), [0.0, 0.0, -20.0], &own)];
    for (k, angle) in angles.into_iter().enumerate() {
        let angle = angle.to_radians();
        let place = [50.0 * libm::cos(angle), 50.0 * libm::sin(angle), -20.0];
        let first = schedule.durations()[0] + k as f64 * schedule.vehicle_slot;
        let own = slots(first, schedule.vehicle_slot, 1);
        modems.push(docking(format!("vehicle_{k}"), place, &own));
    }
    let mut messages = Vec::new();
    for period in 0..20 {
        let time = f64::from(period) * PERIOD;
        for k in 0..8 {
            messages.push((time, 0, k + 2, 64));
            messages.push((time, usize::from(k) + 1, 1, 8));
        }
    }
    run_modems(data, "{}", &modems, &messages, 2.0)
}

// V09: ratios to the level 1 m away, which has no spreading loss; the coefficient has 3 digits.
pub(super) fn path_loss(data: &ReferenceData) -> Result<CaseResult, String> {
    let distances = [1.0, 2.0, 5.0, 10.0, 20.0, 37.63, 50.0];
    let mut modems = vec![docking("a".into(), [0.0, 0.0, -5.0], "")];
    for (k, d) in distances.iter().enumerate() {
        modems.push(docking(format!("b{k}"), [*d, 0.0, -5.0], ""));
    }
    let messages = [(0.1, 0, BROADCAST, 8)];
    let found = run_modems(data, &uniform_water(10.0, 0.5), &modems, &messages, 1.0)?;
    let mut checks = Vec::new();
    let mut sound = Vec::new();
    for (k, d) in distances.iter().enumerate() {
        let loss = found.snr(1) - found.snr(k as u32 + 1);
        let expected = 15.0 * libm::log10(*d) + 3.58e-3 * (d - 1.0);
        checks.extend(checks! {
            format!("loss from 1 m to {d} m"), "dB", expected, loss, Absolute(0.005);
        });
        sound.push([*d, loss]);
    }
    let wave = ConductiveWave::new(1e7, [80.0, 1.0], 0.01);
    let radio = distances.map(|d| [d, wave.loss(d - 1.0)]).to_vec();
    let lines = coloured([
        ("sound, 100 kHz", sound),
        ("electromagnetic, 10 MHz", radio),
    ]);
    let panel = Panel::new("loss from 1 m on [dB]", "distance [m]", lines);
    let title = "Path loss in fresh water, as in the docking study";
    let figure = draw_figure(title, &[panel], 860, 320);
    Ok(CaseResult::new(checks).with_figure("comms_loss", figure))
}

/// Returns the wave of the modem file `wfs_s300`, and its radiated power and threshold [dBm].
fn radio_wave(data: &ReferenceData) -> Result<(ConductiveWave, [f64; 2]), String> {
    let world = "robots: {}\nmodems: {a: {modem: wfs_s300, position_m: [0, 0, -5]}}\n";
    let scene = data.world(world)?;
    let modem = &scene
        .modems
        .first()
        .ok_or("the world has no modem")?
        .transceiver;
    let Medium::Electromagnetic(medium) = &modem.medium else {
        return Err("wfs_s300 is not an electromagnetic modem".to_string());
    };
    let Reception::Level { threshold_db, .. } = modem.reception else {
        return Err("wfs_s300 has no threshold of the level".to_string());
    };
    let relative = [medium.relative_permittivity, medium.relative_permeability];
    let conductivity = medium
        .conductivity_siemens_per_m
        .ok_or("wfs_s300 has no conductivity")?;
    let wave = ConductiveWave::new(modem.frequency(), relative, conductivity);
    let powers = [1e3 * medium.radiated_power_w, ratio(threshold_db)];
    Ok((wave, powers.map(decibels)))
}

// V10: the values of the study have four or five digits. The world must lose 18.18 dB over 10 m,
// and deliver messages 0.1 m inside the range without fading and none 0.1 m outside it.
pub(super) fn conductor(data: &ReferenceData) -> Result<CaseResult, String> {
    let (wave, [power, threshold]) = radio_wave(data)?;
    let per_metre = wave.loss(1.0);
    let range = (power - threshold) / per_metre;
    let still = "modem: {extends: modems/wfs_s300.yaml, fading: {kind: none}}";
    let at = |name: &str, x: f64| (name.to_string(), [x, 0.0, -20.0], still.to_string());
    let modems = [
        at("source", 0.0),
        at("near", 1.0),
        at("far", 11.0),
        at("inside", range - 0.1),
        at("outside", range + 0.1),
    ];
    let found = run_modems(data, "{}", &modems, &[(0.1, 0, BROADCAST, 8)], 1.0)?;
    Ok(CaseResult::new(checks! {
        "attenuation of wfs_s300", "Np/m", 0.2093, wave.attenuation, Relative(1e-3);
        "attenuation in decibels", "dB/m", 1.818, per_metre, Relative(1e-3);
        "phase constant", "rad/m", 1.8862, wave.phase, Relative(1e-3);
        "loss over 10 m", "dB", 18.18, wave.loss(10.0), Relative(1e-3);
        "loss over 10 m in a world", "dB", 18.18, found.snr(1) - found.snr(2), Relative(1e-3);
        "distance at which 3 W fall to 2 mW", "m", 17.5, range, Absolute(0.05);
        "messages 0.1 m inside this distance", "", 1.0, found.received(3), Absolute(0.0);
        "messages 0.1 m outside this distance", "", 0.0, found.received(4), Absolute(0.0);
    }))
}

// V11: 4 standard errors, and the statistic of Kolmogorov and Smirnov that is exceeded with a
// probability of 1 %.
pub(super) fn fading(data: &ReferenceData) -> Result<CaseResult, String> {
    let law = Fading::Rayleigh {
        coherence_s: 1.0,
        at: Places::default(),
    };
    let stream = Stream::new(3, "pair");
    // more than two coherence times apart, at different phases of the interpolation
    let mut factors: Vec<f64> = (0..SAMPLES)
        .map(|k| power_factor(&law, stream, k * 3_137_000_000))
        .collect();
    let n = SAMPLES as f64;
    let root = n.sqrt();
    let amplitude = factors.iter().map(|p| p.sqrt()).sum::<f64>() / n;
    let square = |p: &f64| (p.sqrt() - amplitude).powi(2);
    let deviation = (factors.iter().map(square).sum::<f64>() / n).sqrt();
    let share = |limit: f64| factors.iter().filter(|p| **p < limit).count() as f64 / n;
    let four_errors = Absolute(4.0 * 0.5 / root);
    let mut checks = checks! {
        "mean amplitude", "", 0.886_227, amplitude, Absolute(4.0 * 0.463_251 / root);
        "deviation of the amplitude", "", 0.463_251, deviation, Absolute(1.4 / root);
        "share of fades by more than 10 dB", "", 0.095_163, share(0.1), four_errors;
        "share of fades by more than 3 dB", "", 0.394_189, share(0.501_187), four_errors;
        "share below the median", "", 0.5, share(LN_2), four_errors;
    };
    factors.sort_by(f64::total_cmp);
    let distance = |(k, x): (usize, &f64)| {
        let law = 1.0 - libm::exp(-x);
        (law - k as f64 / n)
            .abs()
            .max((law - (k + 1) as f64 / n).abs())
    };
    let largest = factors.iter().enumerate().map(distance).fold(0.0, f64::max);
    checks.extend(checks! {
        "Kolmogorov-Smirnov statistic times the root of the number", "", 1.628, root * largest,
            AtMost;
    });
    checks.extend(lost_frames(data)?);
    let figure = figures::fading_distribution(&factors);
    Ok(CaseResult::new(checks).with_figure("comms_fading", figure))
}

/// Counts the frames that are lost over the distance of the docking study: 4.5 W and a threshold of
/// 1.9 mW.
fn lost_frames(data: &ReferenceData) -> Result<Vec<Check>, String> {
    let model = "modem: docking_acoustic".to_string();
    let modems = [
        ("a".to_string(), [0.0, 0.0, -5.0], model.clone()),
        ("b".to_string(), [37.63, 0.0, -5.0], model),
    ];
    let message = |k: u32| (0.1 + 0.25 * f64::from(k), 0, 2, 8);
    let messages: Vec<Message> = (0..FRAMES).map(message).collect();
    let found = run_modems(data, &uniform_water(10.0, 0.5), &modems, &messages, 1.0)?;
    let n = f64::from(FRAMES);
    let mean_power = 4.5 * power(-15.0 * libm::log10(37.63) - 3.58e-3 * 37.63);
    let expected = 1.0 - libm::exp(-0.0019 / mean_power);
    let tolerance = Absolute(4.0 * (expected * (1.0 - expected) / n).sqrt());
    Ok(checks! {
        "share of the frames lost over 37.63 m", "", expected, 1.0 - found.received(1) / n, tolerance;
    })
}
