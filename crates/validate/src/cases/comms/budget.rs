//! V54: received power of every medium over the distance, and the delay by satellite.

use crate::cases::comms::{run_modems, uniform_water};
use crate::cases::prelude::*;
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::propagation::Channel;
use merrow_environment::SPEED_OF_LIGHT;
use merrow_environment::absorption::{Water, francois_garrison};
use merrow_math::decibels::level as decibels;
use merrow_model::scene::comms::medium::Medium;
use merrow_model::state::frames::view::WorldView;
use std::f64::consts::{LOG10_E, PI};

/// Distances of the comparisons [m].
const DISTANCES: [f64; 4] = [2.0, 10.0, 50.0, 200.0];
/// Weakest received power that is compared and drawn [dBm].
const WEAKEST: f64 = -150.0;
/// Attenuation of light for which the optical modem has its stated range [1/m].
const ATTENUATION: f64 = 0.06;

/// Modem with its law of the received power.
struct Device {
    name: &'static str,
    /// Keys of the modem in a world file for the comparison.
    keys: &'static str,
    /// Keys of the modem for the figure, if they differ.
    drawn: Option<&'static str>,
    /// Height of both ends [m].
    z: f64,
    /// Received power [dBm], or level of sound [dB re 1 µPa], at a distance [m].
    law: fn(f64) -> f64,
}

const DEVICES: [Device; 5] = [
    Device {
        name: "WiFi, 2.4 GHz",
        keys: "modem: {extends: modems/wifi_80211n.yaml, path_loss: {kind: free_space}, \
               shadowing: ~, diffraction: false}",
        drawn: Some("modem: {extends: modems/wifi_80211n.yaml, shadowing: ~}"),
        z: 2.0,
        law: |r| 20.0 + 6.0 - free_space(r, 2.412e9),
    },
    Device {
        name: "LoRa, 868 MHz",
        keys: "modem: {extends: modems/lora_868.yaml, path_loss: {kind: free_space}, \
               shadowing: ~, diffraction: false}",
        drawn: Some("modem: {extends: modems/lora_868.yaml, shadowing: ~}"),
        z: 2.0,
        law: |r| decibels(25.0) + 4.0 - free_space(r, 868.1e6),
    },
    Device {
        name: "light, 465 nm",
        keys: "modem: {extends: modems/hydromea_luma.yaml, attenuation_per_m: 0.06}",
        drawn: None,
        z: -20.0,
        // half angle of 60 deg: first order; aperture of 1 cm²
        law: |r| {
            decibels(4e3 * 2.0 / (2.0 * PI) * 1e-4 / (r * r)) - 10.0 * LOG10_E * ATTENUATION * r
        },
    },
    Device {
        name: "electromagnetic, 10 MHz",
        keys: "modem: wfs_s300",
        drawn: None,
        z: -20.0,
        law: |r| decibels(3e3) - 1.818 * r,
    },
    Device {
        name: "sound, 63 kHz",
        keys: "modem: {extends: modems/evologics_s2c_r_48_78.yaml, multipath: ~}",
        drawn: None,
        z: -20.0,
        law: |r| {
            let water = Water {
                temperature: 10.0,
                salinity: 35.0,
                depth: 20.0,
                ph: 8.0,
            };
            184.0 - 20.0 * libm::log10(r) - 1e-3 * francois_garrison(63.0, &water) * r
        },
    },
];

/// Returns the loss of free space [dB] over `r` [m] at a frequency [Hz].
fn free_space(r: f64, frequency: f64) -> f64 {
    20.0 * libm::log10(4.0 * PI * r * frequency / SPEED_OF_LIGHT)
}

/// Returns the power [dBm], or the level of sound [dB re 1 µPa], that modems at these distances [m]
/// receive at full power, without fading.
fn received(
    data: &ReferenceData,
    keys: &str,
    z: f64,
    distances: &[f64],
) -> Result<Vec<f64>, String> {
    let place = |name: &str, x: f64, axis: f64| {
        format!("  {name}: {{position_m: [{x}, 0, {z}], axis: [{axis}, 0, 0], {keys}}}\n")
    };
    let others = distances.iter().enumerate();
    let others: String = others
        .map(|(k, d)| place(&format!("m{k}"), *d, -1.0))
        .collect();
    let text = format!(
        "seabed: {{depth_m: 400}}\nwater: {}\nrobots: {{}}\nmodems:\n{}{others}",
        uniform_water(10.0, 35.0),
        place("a_source", 0.0, 1.0)
    );
    let scene = data.world(&text)?;
    let source = scene.modems.iter().position(|m| m.name == "a_source");
    let source = source.ok_or("the world has no modem a_source")?;
    let view = still_view(&scene);
    let instant = ChannelInstant {
        view: &view,
        environment: &environment_of(&scene),
        ray_scene: None,
        shaft_speeds: &[],
    };
    let mut world = WorldChannel::new(&scene, &scene.modems);
    let channel = world.update_to(&instant);
    let to_milliwatts = match scene.modems[source].transceiver.medium {
        Medium::Optical(_) => 1e3,
        _ => 1.0,
    };
    let power = |k: usize| {
        let to = scene.modems.iter().position(|m| m.name == format!("m{k}"));
        let signal = to.map(|to| channel.propagate(source, to, 0, 1.0));
        signal.map_or(f64::NAN, |s| decibels(to_milliwatts * s.mean_power))
    };
    Ok((0..distances.len()).map(power).collect())
}

/// Returns the view of a world without robots.
fn still_view(scene: &Scene) -> WorldView {
    WorldView {
        time_ns: 0,
        sea: scene.sea.clone(),
        links: Vec::new(),
        fins: Vec::new(),
        lamps: Vec::new(),
        powered: Vec::new(),
        dead: Vec::new(),
        beacons: Vec::new(),
        velocities: Vec::new(),
        shaft_speeds: Vec::new(),
    }
}

// V54: 0.01 dB and 0.0001 dB/m, for constants of four digits. Powers below -150 dBm are not
// compared.
pub(crate) fn budget(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for device in &DEVICES {
        let found = received(data, device.keys, device.z, &DISTANCES)?;
        for (r, found) in DISTANCES.into_iter().zip(found) {
            let expected = (device.law)(r);
            if expected > WEAKEST {
                let what = format!("{} over {r} m", device.name);
                let unit = if device.name.starts_with("sound") {
                    "dB"
                } else {
                    "dBm"
                };
                checks.extend(checks! {
                    what, unit, expected, found, Absolute(0.01 + 1e-4 * r);
                });
            }
        }
    }
    checks.extend(satellite_delay(data)?);
    let figure = power_figure(data)?;
    Ok(CaseResult::new(checks).with_figure("comms_power_over_distance", figure))
}

/// Compares the delay of a message of 20 byte from a terminal to a gateway: latency, path to a
/// satellite 780 to 2463 km away, and 272 bit at 2400 bit/s.
fn satellite_delay(data: &ReferenceData) -> Result<Vec<Check>, String> {
    let model =
        |name: &str| format!("modem: {{extends: modems/{name}.yaml, fading: {{kind: none}}}}");
    let modems = [
        ("boat".to_string(), [0.0, 0.0, 2.0], model("iridium_sbd")),
        (
            "office".to_string(),
            [-5000.0, 0.0, 10.0],
            model("iridium_gateway"),
        ),
    ];
    let found = run_modems(data, "{}", &modems, &[(0.1, 0, 2, 20)], 10.0)?;
    let delivery = found.deliveries.first().ok_or("no message by satellite")?;
    let time = (delivery.received_ns - delivery.created_ns) as f64 * 1e-9;
    let paths = [780e3, 2463e3].map(|d| d / SPEED_OF_LIGHT);
    let expected = 5.0 + 272.0 / 2400.0 + 0.5 * (paths[0] + paths[1]);
    Ok(checks! {
        "delay of 20 byte by satellite", "s", expected, time, Absolute(0.5 * (paths[1] - paths[0]));
    })
}

/// Draws the received power of the modem files over the logarithm of the distance; over water with
/// the ray that the sea reflects.
fn power_figure(data: &ReferenceData) -> Result<Drawing, String> {
    let distances: Vec<f64> = (0..=86).map(|k| libm::exp10(0.05 * f64::from(k))).collect();
    let mut panels = ["received power [dBm]", "level of sound [dB re 1 µPa]"]
        .map(|label| Panel::new(label, "", Vec::new()));
    for (k, device) in DEVICES.iter().enumerate() {
        let keys = device.drawn.unwrap_or(device.keys);
        let found = received(data, keys, device.z, &distances)?;
        let points = distances.iter().zip(found);
        let points = points.map(|(r, power)| [libm::log10(*r), power]);
        let points = points.filter(|[_, power]| *power > WEAKEST).collect();
        let panel = usize::from(device.name.starts_with("sound"));
        let line = PlotCurve::new(device.name, COLOURS[k], false, points);
        panels[panel].lines.push(line);
    }
    panels[1].x_label = "logarithm (base 10) of the distance in m".into();
    let title = "Received power at full transmit power, without fading (V54)";
    Ok(draw_figure(title, &panels, FIGURE_WIDTH, 250))
}
