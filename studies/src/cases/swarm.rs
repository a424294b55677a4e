//! V29: a search by ten AUVs that reports a warm discharge through relays, and fails without them.

use merrow::publisher::connect_bridges;
use merrow_sim::bridged_message;
use merrow_validate::cases::prelude::*;
use std::sync::Arc;

/// World of the search, and its duration [s].
const WORLD: &str = "swarm_comms";
const SECONDS: f64 = 110.0;
/// Temperature of a reading that reports the discharge [degrees Celsius].
const WARM: f64 = 13.0;
/// Temperature of the discharge, and tolerance of its largest reading [degrees Celsius].
const DISCHARGE: [f64; 2] = [14.0, 0.1];
/// Number of AUVs, and number of the first AUV that is out of range of the boat.
const AUVS: usize = 10;
const FIRST_FAR: usize = 5;

/// Reading that arrived over a bridge.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    /// Time of its arrival [s].
    time: f64,
    /// Temperature of the reading [degrees Celsius].
    temperature: f64,
}

/// Result of a search.
struct Search {
    simulation: Simulation,
    /// For each bridge, the readings that arrived.
    readings: Vec<Vec<Reading>>,
}

/// Returns the temperature in a message of type sensor_msgs/Temperature, which ends with the
/// temperature and its variance.
fn temperature(message: &[u8]) -> f64 {
    let start = message.len().checked_sub(16);
    let bytes = start.and_then(|start| message.get(start..start + 8)?.try_into().ok());
    bytes.map_or(f64::NAN, f64::from_le_bytes)
}

impl Search {
    /// Simulates the search, without the bridges of the relays if they are not wanted.
    fn run(data: &ReferenceData, has_relays: bool) -> Result<Self, String> {
        let mut scene = data.shipped(WORLD)?;
        let is_kept = |name: &str| has_relays || !name.starts_with("relay_");
        scene.bridges.retain(|bridge| is_kept(&bridge.name));
        let mut simulation = Simulation::new(Arc::new(scene), 1)?;
        connect_bridges(&mut simulation);
        let mut readings = vec![Vec::new(); simulation.scene.bridges.len()];
        let steps = libm::round(SECONDS / simulation.scene.dt()) as u64;
        while simulation.state.step < steps {
            simulation.advance(100);
            let output = &simulation.network_output;
            for delivery in &output.deliveries {
                let payload = output.payload(delivery);
                if let Some((k, _, message)) = bridged_message(&simulation.scene, delivery, payload)
                {
                    readings[k].push(Reading {
                        time: delivery.received_ns as f64 * 1e-9,
                        temperature: temperature(message),
                    });
                }
            }
            simulation.clear_outboxes();
        }
        Ok(Self {
            simulation,
            readings,
        })
    }

    /// Returns the readings that arrived over the bridge `name`.
    fn readings_over_bridge(&self, name: &str) -> &[Reading] {
        let bridges = &self.simulation.scene.bridges;
        let found = bridges.iter().position(|bridge| bridge.name == name);
        found.map_or(&[], |k| &self.readings[k])
    }

    /// Returns the readings of the last AUV at the office, relayed and direct, in the order of
    /// arrival.
    fn at_office(&self) -> Vec<Reading> {
        let mut all = [
            self.readings_over_bridge("office"),
            self.readings_over_bridge("office_direct"),
        ]
        .concat();
        all.sort_by(|a, b| a.time.total_cmp(&b.time));
        all
    }

    /// Returns the number of readings that report the discharge to the office.
    fn warm_at_office(&self) -> f64 {
        let all = self.at_office();
        all.iter().filter(|r| r.temperature > WARM).count() as f64
    }

    /// Returns the time [s] at which the first reading of each AUV reaches the boat, ascending.
    fn first_at_boat(&self) -> Vec<f64> {
        let first = |k: usize| {
            let relay = if k.is_multiple_of(2) { 2 } else { 1 };
            let bridges = [format!("direct_{k}"), format!("relay_{k}_{relay}")];
            let readings = bridges
                .iter()
                .filter_map(|name| self.readings_over_bridge(name).first());
            readings.map(|r| r.time).reduce(f64::min)
        };
        let mut times: Vec<f64> = (1..=AUVS).filter_map(first).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    /// Returns the number of readings that reached the boat directly from the AUVs with these
    /// numbers.
    fn direct(&self, auvs: std::ops::RangeInclusive<usize>) -> f64 {
        let readings = auvs.map(|k| self.readings_over_bridge(&format!("direct_{k}")).len());
        readings.sum::<usize>() as f64
    }
}

/// Compares the readings at the office with the discharge and with the readings at the shore
/// station.
fn office_checks(with: &Search) -> Vec<Check> {
    let office = with.at_office();
    let largest = office
        .iter()
        .fold(f64::NAN, |max, r| max.max(r.temperature));
    let ashore = with.readings_over_bridge("ashore");
    let is_ashore = |r: &&Reading| {
        ashore
            .iter()
            .any(|other| other.temperature == r.temperature)
    };
    checks! {
        "with relays: readings above 13 degC at the office", "", 0.0, with.warm_at_office(),
            MoreThan;
        "with relays: largest temperature at the office", "degC", DISCHARGE[0], largest,
            Absolute(DISCHARGE[1]);
        "with relays: readings at the office that the shore station has", "", office.len() as f64,
            office.iter().filter(is_ashore).count() as f64, Absolute(0.0);
    }
}

// V29: exact counts. The range of the modems, about 2 km, lies between the fourth and the fifth
// AUV. The office receives the same readings as the shore station. The reading of the discharge has
// the error of the thermometer.
pub(super) fn search(data: &ReferenceData) -> Result<CaseResult, String> {
    let (with, without) = (Search::run(data, true)?, Search::run(data, false)?);
    let mut checks = office_checks(&with);
    let reached = [&with, &without].map(|search| search.first_at_boat().len() as f64);
    let near = (1..FIRST_FAR).map(|k| with.direct(k..=k));
    let min_near = near.fold(f64::INFINITY, f64::min);
    checks.extend(checks! {
        "with relays: AUVs whose readings reach the boat", "", AUVS as f64, reached[0],
            Absolute(0.0);
        "with relays: smallest number of direct readings of an AUV up to 2 km", "", 0.0, min_near,
            MoreThan;
        "with relays: direct readings from 2.5 km and farther", "", 0.0,
            with.direct(FIRST_FAR..=AUVS), Absolute(0.0);
        "without relays: readings from 2.5 km and farther", "", 0.0,
            without.direct(FIRST_FAR..=AUVS), Absolute(0.0);
        "without relays: AUVs whose readings reach the boat", "", (FIRST_FAR - 1) as f64,
            reached[1], AtMost;
        "without relays: readings at the office", "", 0.0, without.at_office().len() as f64,
            Absolute(0.0);
    });
    Ok(CaseResult::new(checks)
        .with_figure("comms_search", search_figure(&with, &without))
        .with_figure("comms_search_links", link_figure(&with, &without)))
}

/// Draws the temperatures at the office, and the number of AUVs whose readings have reached the
/// boat, over time.
fn search_figure(with: &Search, without: &Search) -> Drawing {
    let names = [("with relays", with), ("without relays", without)];
    let limit = vec![[0.0, WARM], [SECONDS, WARM]];
    let mut temperatures = vec![PlotCurve::new("reports the discharge", BLACK, true, limit)];
    let mut counts = Vec::new();
    for (k, (name, search)) in names.into_iter().enumerate() {
        let office = search.at_office();
        let points = office.iter().map(|r| [r.time, r.temperature]).collect();
        temperatures.push(PlotCurve::new(name, COLOURS[k], false, points));
        let (mut points, mut n) = (vec![[0.0, 0.0]], 0.0);
        for time in search.first_at_boat() {
            points.extend([[time, n], [time, n + 1.0]]);
            n += 1.0;
        }
        points.push([SECONDS, n]);
        counts.push(PlotCurve::new(name, COLOURS[k], false, points));
    }
    let y_label = "temperature of AUV 10 at the office [degC]";
    let panels = [
        Panel::new(y_label, "", temperatures),
        Panel::new("AUVs with a reading at the boat", "time [s]", counts),
    ];
    let title = "Search with and without relays (V29)";
    draw_figure(title, &panels, FIGURE_WIDTH, 210)
}

/// Draws the links of both searches as arcs from place to place: above the axis those over which
/// readings arrived, below it those over which none arrived.
fn link_figure(with: &Search, without: &Search) -> Drawing {
    let panel = |name: &str, search: &Search| {
        let mut lines = Vec::new();
        let scene = &search.simulation.scene;
        let place = |modem: usize| {
            let modem = &scene.modems[modem];
            let robot = modem.on.map(|(robot, _)| robot);
            let carried = robot.map(|robot| search.simulation.state.robots[robot].motion.p_WB.x);
            1e-3 * carried.unwrap_or(modem.p.x)
        };
        let mut shown = [false; 3];
        for (bridge, readings) in scene.bridges.iter().zip(&search.readings) {
            let k = match bridge.name.split('_').next() {
                Some("direct") => 0,
                Some("relay") => 1,
                _ => 2,
            };
            let Some((to, _)) = bridge.to.first() else {
                continue;
            };
            let is_first = !std::mem::replace(&mut shown[k], true);
            let label = ["direct", "relay", "radio, satellite"][k];
            let sign = if readings.is_empty() { -1.0 } else { 1.0 };
            let label = if is_first { label } else { "" };
            let points = arc(place(bridge.from), place(*to), sign);
            lines.push(PlotCurve::new(
                label,
                COLOURS[k],
                readings.is_empty(),
                points,
            ));
        }
        let y_label = format!("{name}; above: readings arrived, below: none arrived");
        Panel::new(y_label, "", lines)
    };
    let mut panels = [panel("with relays", with), panel("without relays", without)];
    panels[1].x_label = "place, positive to the east [km]".into();
    let title = "Links of the search (V29); the boat is at 0, the office at -5 km";
    draw_figure(title, &panels, FIGURE_WIDTH, 200)
}

/// Returns an arc between two places [km], above (`sign` 1) or below (`sign` -1) the axis, whose
/// height is a tenth of its length.
fn arc(from: f64, to: f64, sign: f64) -> Vec<[f64; 2]> {
    let height = 0.1 * sign * (to - from).abs();
    let point = |k: u32| {
        let s = f64::from(k) / 24.0;
        [from + s * (to - from), 4.0 * height * s * (1.0 - s)]
    };
    (0..=24).map(point).collect()
}
