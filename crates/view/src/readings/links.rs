//! Communication links for the overlay and the table of the page: modems with their places, and the
//! links that have transmitted frames.

use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use serde_json::{Value, json};

/// Maximum number of links in one message.
const MAX_LINKS: usize = 2000;

/// Describes the modems: their robots and links, and their positions in L, or in W.
pub(crate) fn modems(scene: &Scene) -> Vec<Value> {
    let modems = scene.modems.iter();
    let one = modems.map(|modem| {
        json!({
            "name": modem.name,
            "robot": modem.on.map(|(robot, _)| robot),
            "link": modem.on.map(|(_, link)| link),
            "p": modem.p.to_array(),
        })
    });
    one.collect()
}

/// Returns the links with frames as JSON text: transmitter, receiver, numbers of frames and of
/// received frames, signal-to-noise ratio [dB] and travel time of the last frame [s], duration of
/// all frames [s], number of frames lost by the loss probability of the network. Empty without
/// modems.
pub(crate) fn message(simulation: &Simulation) -> String {
    let network = &simulation.state.network;
    let n = network.modems.len();
    if n == 0 {
        return String::new();
    }
    let links = network.links.iter().enumerate();
    let used = links.filter(|(_, link)| link.frames > 0).take(MAX_LINKS);
    let one = |(k, link): (usize, &merrow_model::state::comms::LinkState)| {
        let snr = 10.0 * libm::log10(link.mean_snr);
        json!([
            k / n,
            k % n,
            link.frames,
            link.received,
            (10.0 * snr).round() / 10.0,
            (link.delay_ns as f64 * 1e-3).round() * 1e-6,
            (link.airtime_ns as f64 * 1e-6).round() * 1e-3,
            link.random_losses
        ])
    };
    json!({"type": "links", "links": used.map(one).collect::<Vec<_>>()}).to_string()
}
