//! Tests of the extreme values of every number in the keys of a modem.

use crate::common::balance;
use merrow_model::scene::comms::BROADCAST;
use merrow_model::state::Command;
use merrow_model::state::comms::{ModemCommand, Ranging, Send};
use merrow_sim::Simulation;
use merrow_world::{Overrides, json_schema, load_text};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Text in the place of the number that a test varies.
const HOLE: &str = "HOLE";
/// Values for every number: limits of the number types, steps around zero, and no numbers.
const EXTREMES: [&str; 22] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "1e-320",
    "1e-300",
    "1e-12",
    "1e-9",
    "1e-6",
    "1e-3",
    "1e6",
    "1e9",
    "65534",
    "65535",
    "4294967295",
    "1e15",
    "9.3e18",
    "1e300",
    ".inf",
    "-.inf",
    ".nan",
];

/// Returns the keys of a modem type with every optional number, in the medium `medium`.
fn device(medium: &Value) -> Value {
    let mut device = json!({
        "source": "test", "max_power_w": 10, "circuit_power_w": 1, "receive_power_w": 1,
        "idle_power_w": 1, "max_range_m": 5000, "capture_db": 6, "carrier_sense_db": 3,
        "fading": {"kind": "rice", "k_db": 6, "coherence_s": 1},
        "transmit_pattern": {"kind": "axial", "angles_deg": [0, 90], "gains_db": [0, 0]},
        "receive_pattern": {"kind": "uniform", "gain_db": 1},
        "adaptation": {"margin_db": 1, "hysteresis_db": 1},
        "schemes": [{"name": "s", "modulation": "qpsk", "rate_bit_s": 1000, "coding_gain_db": 1,
            "min_snr_db": 1}],
        "framing": {"preamble_s": 0.01, "overhead_bits": 8, "control_bits": 8,
            "max_payload_bytes": 64, "max_fragments": 4},
        "acknowledgement": {"timeout_s": 0.3, "max_retries": 2, "backoff_s": 0.1},
        "turn_around_s": 0.01, "bearing_std_deg": 1, "range_std_m": 1, "loss_probability": 0.1
    });
    for (key, value) in medium.as_object().unwrap() {
        device[key] = value.clone();
    }
    device
}

/// Returns the keys of modems, which together contain every number of the schema.
fn entries() -> Vec<Value> {
    let mut all: Vec<Value> = media()
        .into_iter()
        .map(|medium| json!({"modem": device(&medium)}))
        .collect();
    all.extend(acoustic_entries());
    all
}

/// Returns every medium but the acoustic one.
fn media() -> [Value; 6] {
    let electromagnetic = json!({"kind": "electromagnetic", "band_mhz": [2, 3],
        "radiated_power_w": 5, "noise_figure_db": 10, "relative_permittivity": 80,
        "relative_permeability": 1, "conductivity_siemens_per_m": 0.01, "spreading": 2});
    let radio = |path_loss: Value| {
        json!({"kind": "radio", "band_mhz": [800, 801], "radiated_power_w": 1,
            "noise_figure_db": 6, "path_loss": path_loss,
            "shadowing": {"std_db": 3, "distance_m": 10}})
    };
    let optical = json!({"kind": "optical", "band_khz": [0, 1000], "radiated_power_w": 5,
        "half_angle_deg": 60, "wavelength_um": 0.47, "field_of_view_deg": 180, "aperture_cm2": 10,
        "responsivity_a_per_w": 0.3, "noise_w_per_sqrt_hz": 1e-14, "filter_width_um": 0.05,
        "attenuation_per_m": 0.05});
    let satellite = |sky: Value| {
        json!({"kind": "satellite", "band_mhz": [1616, 1626], "zenith_snr_db": 20, "latency_s": 0.1,
            "min_elevation_deg": 8, "sky": sky})
    };
    [
        electromagnetic,
        radio(json!({"kind": "log_distance", "exponent": 2, "reference_m": 1})),
        optical,
        satellite(json!({"kind": "always", "elevation_deg": 45})),
        satellite(
            json!({"kind": "windows", "period_s": 10, "open_s": [[0, 10]],
            "elevation_deg": 45}),
        ),
        satellite(
            json!({"kind": "walker", "altitude_km": 780, "inclination_deg": 86,
            "planes": 6, "satellites": 11, "node_spread_deg": 180, "phasing": 0.5,
            "first_node_deg": 0}),
        ),
    ]
}

/// Returns acoustic modems with every pattern, reception and medium access protocol.
fn acoustic_entries() -> Vec<Value> {
    let acoustic = json!({"kind": "acoustic", "band_khz": [20, 30], "source_level_db": 190,
        "self_noise_db": 30, "spreading": 2, "shipping": 0.5,
        "multipath": {"max_reflections": 1, "max_delay_s": 0.01},
        "thruster_noise": {"level_db": 100, "speed_rad_s": 100, "frequency_khz": 10,
            "speed_slope_db": 60, "frequency_slope_db": 20},
        "doppler": {"max_speed_m_s": 5, "symbol_s": 0.01}});
    let mut all = Vec::new();
    let mut patterns = device(&acoustic);
    patterns["fading"] = json!({"kind": "rayleigh", "coherence_s": 1});
    patterns["reception"] = json!({"kind": "level", "threshold_db": 60});
    patterns["transmit_pattern"] = json!({"kind": "attitude", "azimuths_deg": [-180, 180],
        "elevations_deg": [-90, 90], "gains_db": [0, 0, 0, 0]});
    all.push(json!({"modem": patterns}));
    let mut excess = device(&acoustic);
    excess["reception"] = json!({"kind": "signal_excess", "threshold_db": 6});
    all.push(json!({"modem": excess}));
    all.push(
        json!({"modem": device(&acoustic), "power_w": 5, "position_m": [0, 0, -20],
        "axis": [1, 0, 0], "address": 1, "clock": {"offset_s": 0.1, "skew_ppm": 10},
        "queue": {"max_messages": 8, "max_size_bytes": 1000, "max_age_s": 10},
        "power_control": {"station": 1, "period_s": 1, "target_snr_db": 10, "step_db": 1,
            "payload_bytes": 8}}),
    );
    let macs = [
        json!({"kind": "slotted_aloha", "slot_s": 0.5}),
        json!({"kind": "waiting_room", "station": 1, "slot_s": 1, "report_s": 0.6}),
        json!({"kind": "csma_ca", "space_s": 0.01, "max_attempts": 8,
            "backoff": {"kind": "nonpersistent", "max_s": 0.5}}),
        json!({"kind": "csma_ca", "backoff": {"kind": "window", "slot_s": 0.01, "min_slots": 16,
            "max_doublings": 16}}),
        json!({"kind": "csma_cd", "window_s": 1e-6, "min_frame_bits": 64, "max_exponent": 10,
            "max_attempts": 8}),
        json!({"kind": "tdma", "frame_s": 2, "slots_s": [[0, 1]], "guard_s": 0.1}),
        json!({"kind": "fdma", "channel": 0, "channels": 2}),
        json!({"kind": "polling_controller", "addresses": [2, 3], "timeout_s": 0.5,
            "pause_s": 0.5}),
    ];
    all.extend(
        macs.into_iter()
            .map(|mac| json!({"modem": device(&acoustic), "mac": mac})),
    );
    all
}

/// Adds the JSON pointers to all numbers of a value.
fn numbers(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Number(_) => paths.push(path),
        Value::Object(map) => map
            .iter()
            .for_each(|(key, inner)| numbers(inner, format!("{path}/{key}"), paths)),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(k, inner)| numbers(inner, format!("{path}/{k}"), paths)),
        _ => {}
    }
}

/// Adds the keys with numbers of a schema and of the schemas that it refers to.
fn number_keys(
    schema: &Value,
    root: &Value,
    key: &str,
    seen: &mut BTreeSet<String>,
    keys: &mut BTreeSet<String>,
) {
    let kind = schema["type"].to_string();
    if kind.contains("number") || kind.contains("integer") {
        keys.insert(key.to_string());
    }
    if let Some(name) = schema["$ref"].as_str()
        && seen.insert(name.to_string())
    {
        let target = root.pointer(name.trim_start_matches('#')).unwrap();
        number_keys(target, root, key, seen, keys);
    }
    let lists = ["anyOf", "oneOf", "allOf"].map(|name| schema[name].as_array());
    for inner in lists.into_iter().flatten().flatten() {
        number_keys(inner, root, key, seen, keys);
    }
    if schema["items"].is_object() {
        number_keys(&schema["items"], root, key, seen, keys);
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        number_keys(inner, root, key, seen, keys);
    }
}

/// Loads a world with the modem of `entry` three times, in which `value` replaces [`HOLE`], and
/// runs it, or checks the messages. Returns the
/// messages if the world was rejected.
fn load_and_run(entry: &Value, value: &str) -> Result<(), String> {
    let mut modems = json!({});
    for (k, name) in ["a", "b", "c"].into_iter().enumerate() {
        let mut own = entry.clone();
        let is_moved = own["position_m"].is_array() && entry.to_string().contains(HOLE);
        if own["position_m"].is_null() || !is_moved || k > 0 {
            own["position_m"] = json!([2 * k, 0, -20]);
        }
        if k > 0 && !own["address"].is_null() {
            own["address"] = json!(k + 1);
        }
        if k > 0 && own["mac"]["kind"] == "polling_controller" {
            own["mac"] = json!({"kind": "polled"});
        }
        modems[name] = own;
    }
    let text = json!({"modems": modems, "robots": {}}).to_string();
    let text = text.replace(&format!("\"{HOLE}\""), value);
    let world = match load_text("w.yaml", &text, Overrides::default()) {
        Ok(world) => world,
        Err(problems) => {
            for line in problems.to_string().lines() {
                assert!(line.starts_with("w.yaml:1:"), "{line}\n{text}");
            }
            return Err(problems.to_string());
        }
    };
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let steps = 1_000_000_000 / simulation.scene.dt_ns;
    for round in 0..3 {
        for modem in 0..3 {
            for destination in [(modem + 1) as u16 % 3 + 1, BROADCAST] {
                let send = ModemCommand::Send(Send {
                    is_acknowledged: destination != BROADCAST,
                    ..Send::new(modem, destination, vec![7; 1 + 40 * round])
                });
                let range = ModemCommand::Range {
                    modem,
                    destination,
                    kind: [Ranging::TwoWay, Ranging::OneWay][usize::from(destination == BROADCAST)],
                };
                // a modem can refuse a destination or a length
                let _ = simulation.apply(&Command::Modem(send));
                let _ = simulation.apply(&Command::Modem(range));
            }
        }
        simulation.advance(steps);
    }
    let network = &simulation.state.network;
    assert!(balance::copies(network).is_closed(), "{text}");
    assert!(balance::frames(network).is_closed(), "{text}");
    assert!(
        network.sequence < 1_000_000,
        "{} events of\n{text}",
        network.sequence
    );
    Ok(())
}

// No number in the keys of a modem ends a run, and none fills it with events. Method: the extremes
// of each number of the schema, one at a time, at three modems that send and measure ranges for 3
// s.
#[test]
fn extreme_numbers_are_rejected_or_run() {
    let root = json_schema();
    let (mut keys, mut seen) = (BTreeSet::new(), BTreeSet::new());
    number_keys(
        &root["$defs"]["ModemEntry"],
        &root,
        "",
        &mut seen,
        &mut keys,
    );
    let (mut accepted, mut rejected) = (0, 0);
    for entry in entries() {
        load_and_run(&entry, "").unwrap();
        let mut paths = Vec::new();
        numbers(&entry, String::new(), &mut paths);
        for path in paths {
            let mut names = path.split('/').filter(|name| name.parse::<u32>().is_err());
            let is_new = keys.remove(names.next_back().unwrap_or_default());
            if !is_new && path.starts_with("/modem/") {
                continue;
            }
            let mut changed = entry.clone();
            *changed.pointer_mut(&path).unwrap() = HOLE.into();
            for value in EXTREMES {
                match load_and_run(&changed, value) {
                    Ok(()) => accepted += 1,
                    Err(_) => rejected += 1,
                }
            }
        }
    }
    assert!(keys.is_empty(), "not tested: {keys:?}");
    assert!(
        accepted > 500 && rejected > 500,
        "{accepted} and {rejected}"
    );
}
