//! Measures the cost of communication in processor time of one thread.
//!
//! Prints one JSON object. `engine`, `simple` and `device`: each of 200 modems within 1 km
//! transmits a packet to all others every second. `engine` is the network with a trivial channel;
//! `simple` is a world with the acoustic channel and the rule of Thetis; `device` is a world with
//! EvoLogics S2C R 18/34 modems and all their laws. Packets of 4 bytes occupy a fifth of the medium
//! of the first two, packets of 64 bytes 3.3 times its capacity. Each entry has the simulated time
//! per processor time, the processor time per reception [ns] and the part of the copies that was
//! delivered. `ten_vehicles`: percentage of a core that ten AUVs with packets of 64 bytes need in
//! real time without modems, and the part that the modems add.

use merrow_comms::network::{Network, Send};
use merrow_comms::propagation::{Channel, Propagation};
use merrow_model::scene::Scene;
use merrow_model::scene::comms::BROADCAST;
use merrow_model::state::Command;
use merrow_model::state::comms::ModemCommand;
use merrow_sim::Simulation;
use merrow_world as world;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Number of modems of the network.
const MODEMS: usize = 200;
/// Number of vehicles in a row.
const VEHICLES: usize = 10;
/// Lengths of the packets [byte].
const PACKETS: [usize; 2] = [4, 64];
/// Steps per second of the worlds.
const STEPS: usize = 100;
/// Simulated time before a measurement [s].
const WARM_UP: usize = 5;
/// Simulated time of a measurement of the modems, and of the vehicles [s].
const SECONDS: usize = 20;
const VEHICLE_SECONDS: usize = 400;
/// Modem of the case `simple`: spherical spreading, constant noise, the rule of Thetis.
const SIMPLE: &str = "{source: bench, kind: acoustic, band_khz: [20, 50], max_power_w: 10, \
    source_level_db: 185, self_noise_db: 40, spreading: 2, absorption: thorp, refraction: false, \
    shipping: 0.5, line_of_sight: false, reception: {kind: signal_excess, threshold_db: 0}, \
    framing: {overhead_bits: 0}, schemes: [{name: only, modulation: bpsk, rate_bit_s: 31200}]}";
/// Modem of the other cases, with a fixed rate.
const DEVICE: &str = "evologics_s2c_r_18_34, scheme: burst";

/// Returns the processor time of this thread [s]; other processes on the machine do not affect it.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Returns the scene of a world.
fn scene(text: &str) -> Scene {
    match world::load_text("network.yaml", text, world::Overrides::default()) {
        Ok(world) => world.scene,
        Err(problems) => panic!("{problems}"),
    }
}

/// Returns a world of fixed modems on a spiral within 1 km, between 5 and 85 m deep.
fn fixed_modems(modem: &str) -> Scene {
    let dt = 1.0 / STEPS as f64;
    let mut text =
        format!("step: {{dt_s: {dt}}}\nseabed: {{depth_m: 100}}\nrobots: {{}}\nmodems:\n");
    for k in 0..MODEMS {
        let part = (k as f64 + 0.5) / MODEMS as f64;
        let (radius, angle) = (1000.0 * part.sqrt(), 2.4 * k as f64);
        let (x, y) = (radius * libm::cos(angle), radius * libm::sin(angle));
        let z = -5.0 - 80.0 * (7.0 * part).fract();
        let _ = writeln!(
            text,
            "  m{k}: {{modem: {modem}, position_m: [{x:.1}, {y:.1}, {z:.1}]}}"
        );
    }
    scene(&text)
}

/// Returns a message of modem `k` to all with `length` bytes.
fn broadcast(k: usize, length: usize) -> Command {
    Command::Modem(ModemCommand::Send(Send::new(k, BROADCAST, vec![7; length])))
}

/// Returns the result of a measurement over `seconds` with this processor time [s].
fn result(seconds: usize, processor: f64, receptions: u64, delivered: f64) -> Value {
    json!({
        "seconds_per_processor_second": seconds as f64 / processor,
        "ns_per_reception": processor * 1e9 / receptions as f64,
        "delivered_percent": 100.0 * delivered,
    })
}

/// Channel of the case `engine`: travel times of random places, one signal-to-noise ratio.
struct Trivial;

impl Channel for Trivial {
    fn propagate(&self, from: usize, to: usize, _t_ns: u64, _power: f64) -> Propagation {
        let pair = (from.min(to) * MODEMS + from.max(to)) as u64;
        let hash = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        Propagation {
            delay_ns: hash % 667_000_000,
            mean_power: 1000.0,
            power: 1000.0,
            noise: 1.0,
            doppler: 0.0,
            obstruction: None,
        }
    }
}

/// Measures the network without a world, with packets of `length` bytes.
fn engine(length: usize) -> Value {
    let scene = fixed_modems(SIMPLE);
    let mut network = Network::new(&scene.modems, 1).expect("valid modems");
    let mut state = network.start();
    let (mut start, payload) = ((0.0, 0), vec![7; length]);
    for n in 0..(WARM_UP + SECONDS) * MODEMS {
        if n == WARM_UP * MODEMS {
            start = (processor_time(), state.frames.entered);
        }
        let message = Send::new(n % MODEMS, BROADCAST, &payload);
        network.send(&mut state, &message).expect("valid message");
        let now = (n as u64 + 1) * 1_000_000_000 / MODEMS as u64;
        network.advance(&mut state, &Trivial, now);
        state.output.clear();
    }
    let delivered = state.copies.delivered as f64 / state.copies.entered as f64;
    let receptions = state.frames.entered - start.1;
    let processor = processor_time() - start.0;
    result(SECONDS, processor, receptions, delivered)
}

/// Measures a world whose modems all transmit a packet of `length` bytes once per second.
fn world_of(scene: Scene, length: usize, seconds: usize) -> Value {
    let n = scene.modems.len();
    let messages: Vec<Command> = (0..n).map(|k| broadcast(k, length)).collect();
    let mut simulation = Simulation::new(Arc::new(scene), 1).expect("threads start");
    let mut start = (0.0, 0);
    for step in 0..(WARM_UP + seconds) * STEPS {
        if step == WARM_UP * STEPS {
            start = (processor_time(), simulation.state.network.frames.entered);
        }
        // modem k transmits in step k STEPS / n of every second
        let place = step % STEPS;
        let due = (place * n).div_ceil(STEPS)..((place + 1) * n).div_ceil(STEPS);
        for message in &messages[due] {
            simulation.apply(message).expect("valid message");
        }
        simulation.advance(1);
        simulation.clear_outboxes();
    }
    let network = &simulation.state.network;
    let receptions = network.frames.entered - start.1;
    let copies = network.copies.entered.max(1) as f64;
    let delivered = network.copies.delivered as f64 / copies;
    let processor = processor_time() - start.0;
    result(seconds, processor, receptions, delivered)
}

/// Measures ten AUVs in a row, with or without modems [% of a core in real time].
fn vehicles(has_modems: bool) -> f64 {
    let dt = 1.0 / STEPS as f64;
    let mut text = format!("step: {{dt_s: {dt}}}\nseabed: {{depth_m: 100}}\nrobots:\n");
    let modems = match has_modems {
        true => format!(", modems: {{acoustic: {{modem: {DEVICE}}}}}"),
        false => String::new(),
    };
    for k in 0..VEHICLES {
        let _ = writeln!(
            text,
            "  auv_{k}: {{position_m: [{}, 0, -20], model: {{extends: robots/remus100.yaml, sensors: null{modems}}}}}",
            100 * k
        );
    }
    let result = world_of(scene(&text), PACKETS[1], VEHICLE_SECONDS);
    100.0
        / result["seconds_per_processor_second"]
            .as_f64()
            .unwrap_or(f64::NAN)
}

fn main() {
    let [without, with] = [false, true].map(vehicles);
    let of_lengths = |measure: &dyn Fn(usize) -> Value| {
        let [short, long] = PACKETS.map(measure);
        json!({ "4_byte": short, "64_byte": long })
    };
    let of_modems =
        |modem: &str| of_lengths(&|length| world_of(fixed_modems(modem), length, SECONDS));
    let results = json!({
        "engine": of_lengths(&engine),
        "simple": of_modems(SIMPLE),
        "device": of_modems(DEVICE),
        "ten_vehicles": {
            "percent_of_core_without_modems": without,
            "percent_of_core_for_modems": with - without,
        },
    });
    println!("{results:#}");
}
