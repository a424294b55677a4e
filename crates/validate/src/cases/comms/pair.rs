//! V24: two Taipan 300 that communicate by the acoustic modems of Thetis.

use super::{delivery_radius, uniform_water};
use crate::cases::prelude::*;
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_model::state::{Command, FirmwareCommand};

/// Time between two observations [s].
const INTERVAL: f64 = 0.05;
/// Shaft speed for 2 m/s [rad/s].
const SHAFT: f64 = 128.0;
/// Heading of the leader before and after its turn, clockwise from north [deg].
const HEADINGS: [f64; 2] = [90.0, 0.0];
/// Depth before and after the turn [m].
const DEPTHS: [f64; 2] = [5.0, 8.0];
/// Time of the turn [s].
const TURN: f64 = 20.0;

/// Observation of both vehicles: time [s], positions in W [m], headings [deg].
struct Observation {
    t: f64,
    p: [Vec3; 2],
    headings: [f64; 2],
}

/// Message that arrived: times of transmission and arrival [s].
struct Arrival {
    transmitted: f64,
    received: f64,
}

/// Simulation of two vehicles with the record of their motion and messages.
struct Pair {
    simulation: Simulation,
    observations: Vec<Observation>,
    arrivals: Vec<Arrival>,
}

impl Pair {
    /// Creates the two vehicles at `places` [m] with `headings` [deg] and `keys` of their modems.
    fn new(
        data: &ReferenceData,
        places: [[f64; 3]; 2],
        headings: [f64; 2],
        keys: &str,
    ) -> Result<Self, String> {
        let robot = |k: usize| {
            let (name, yaw) = (["leader", "follower"][k], 90.0 - headings[k]);
            let (sin, cos) = (libm::sin(yaw.to_radians()), libm::cos(yaw.to_radians()));
            format!(
                "  {name}:\n    position_m: {:?}\n    attitude_deg: [0, 0, {yaw}]\n    \
                 velocity_m_s: [{}, {}, 0]\n    model:\n      extends: robots/taipan300.yaml\n      \
                 sensors: null\n      battery: null\n      modems: {{acoustic: {{modem: {{extends: \
                 modems/thetis_modem.yaml{keys}}}, address: {}}}}}\n",
                places[k],
                2.0 * cos,
                2.0 * sin,
                k + 1
            )
        };
        let text = format!(
            "step: {{dt_s: 0.01}}\nseed: 5\nseabed: {{depth_m: 400}}\nwater: {}\nrobots:\n{}{}",
            uniform_water(10.0, 35.0),
            robot(0),
            robot(1)
        );
        let mut simulation = data.simulation(&text)?;
        for (robot, heading) in headings.into_iter().enumerate() {
            command_thruster(&mut simulation, robot, 0, SHAFT)?;
            steer(&mut simulation, robot, heading, -places[robot][2])?;
        }
        Ok(Self {
            simulation,
            observations: Vec::new(),
            arrivals: Vec::new(),
        })
    }

    /// Transmits a message of `payload` from a vehicle to the other vehicle.
    fn send(&mut self, from: usize, payload: Vec<u8>) -> Result<(), String> {
        let command = ModemCommand::Send(Send::new(from, 2 - from as u16, payload));
        apply(&mut self.simulation, &Command::Modem(command))
    }

    /// Simulates one interval and returns the payloads that arrived.
    fn advance(&mut self) -> Vec<Vec<u8>> {
        advance(&mut self.simulation, INTERVAL);
        let motion = |k: usize| &self.simulation.state.robots[k].motion;
        let heading = |k: usize| 90.0 - motion(k).q_WB.matrix().to_rpy()[2].to_degrees();
        self.observations.push(Observation {
            t: self.simulation.time_ns() as f64 * 1e-9,
            p: [motion(0).p_WB, motion(1).p_WB],
            headings: [heading(0), heading(1)],
        });
        let output = &self.simulation.network_output;
        let seconds = |ns: u64| ns as f64 * 1e-9;
        let arrival = |d: &merrow_model::state::comms::Delivery| Arrival {
            transmitted: seconds(d.transmitted_ns),
            received: seconds(d.received_ns),
        };
        self.arrivals.extend(output.deliveries.iter().map(arrival));
        let payloads = output.deliveries.iter();
        let payloads = payloads.map(|d| output.payload(d).to_vec()).collect();
        self.simulation.clear_outboxes();
        payloads
    }

    /// Returns the distance of the vehicles at a time [s], by linear interpolation [m].
    fn distance(&self, t: f64) -> f64 {
        let k = self.observations.partition_point(|o| o.t < t).max(1);
        let (a, b) = (&self.observations[k - 1], &self.observations[k]);
        let part = (t - a.t) / (b.t - a.t);
        let between = |o: &Observation| (o.p[1] - o.p[0]).norm();
        between(a) + part * (between(b) - between(a))
    }
}

impl Pair {
    /// Draws the headings of both vehicles over time.
    fn heading_figure(&self) -> Drawing {
        let headings = |robot: usize| {
            let points = self.observations.iter();
            points.map(|o| [o.t, o.headings[robot]]).collect()
        };
        let lines = coloured([
            ("leader", headings(0)),
            ("follower, commands by modem", headings(1)),
        ]);
        let panel = Panel::new("heading [deg]", "time [s]", lines);
        let title = "Two Taipan 300, commands of 64 bit at 20 bit/s (V24)";
        draw_figure(title, &[panel], 860, 240)
    }
}

/// Commands the firmware of a vehicle: heading, clockwise from north [deg], and depth [m].
fn steer(
    simulation: &mut Simulation,
    robot: usize,
    heading: f64,
    depth: f64,
) -> Result<(), String> {
    let command = FirmwareCommand::HeadingDepth {
        heading: Some(heading.to_radians()),
        depth: Some(depth),
    }
    .of(robot);
    apply(simulation, &command)
}

/// Returns heading [deg] and depth [m] as a message of 64 bit.
fn encode(heading: f64, depth: f64) -> Vec<u8> {
    let parts = [heading as f32, depth as f32];
    parts.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Reads heading [deg] and depth [m].
fn decode(payload: &[u8]) -> Option<[f64; 2]> {
    let number = |at: usize| {
        let bytes = payload.get(at..at + 4)?.try_into().ok()?;
        Some(f64::from(f32::from_le_bytes(bytes)))
    };
    Some([number(0)?, number(4)?])
}

// V24: 1 ms on the delays, as in V02; 3 deg and 0.25 m as for the mission of V01; 0.2 s on the
// start of the turn, two cycles of the firmware; 25 m on the range, the way between two messages
// and 2 deg of pitch.
pub(crate) fn pair(data: &ReferenceData) -> Result<CaseResult, String> {
    let (mut checks, figure) = follow(data)?;
    let mut both = Pair::new(data, [[0.0, 0.0, -5.0], [-40.0, 0.0, -5.0]], [90.0; 2], "")?;
    for from in [0, 1] {
        both.send(from, vec![1; 8])?;
    }
    for _ in 0..200 {
        both.advance();
    }
    let arrived = both.arrivals.len() as f64;
    let what = "messages that both vehicles transmit at the same time";
    checks.extend(checks! {
        what, "", 0.0, arrived, Absolute(0.5);
    });
    checks.extend(range(data)?);
    Ok(CaseResult::new(checks).with_figure("comms_follower", figure))
}

/// Simulates a follower that receives the headings and depths of its leader.
fn follow(data: &ReferenceData) -> Result<(Vec<Check>, Drawing), String> {
    let mut pair = Pair::new(data, [[0.0, 0.0, -5.0], [-40.0, 0.0, -5.0]], [90.0; 2], "")?;
    let mut sent = 0;
    for k in 0..2400_usize {
        let (t, period) = (k as f64 * INTERVAL, 200);
        let after = usize::from(t >= TURN);
        if k == (TURN / INTERVAL) as usize {
            steer(&mut pair.simulation, 0, HEADINGS[1], DEPTHS[1])?;
        }
        if k % period == 0 && k < 2200 {
            pair.send(0, encode(HEADINGS[after], DEPTHS[after]))?;
            sent += 1;
        }
        for payload in pair.advance() {
            let [heading, depth] = decode(&payload).ok_or("a message of another length")?;
            steer(&mut pair.simulation, 1, heading, depth)?;
        }
    }
    let error = |a: &Arrival| {
        let delay = pair.distance(a.transmitted) / sound_speed(&pair) + 64.0 / 20.0;
        (a.received - a.transmitted - delay).abs()
    };
    let largest = pair.arrivals.iter().map(error).fold(0.0, f64::max);
    let turn = |robot: usize| {
        let turned = |o: &&Observation| o.headings[robot] < HEADINGS[0] - 5.0;
        let first = pair.observations.iter().find(turned);
        first.map_or(f64::NAN, |o| o.t)
    };
    let expected = pair.distance(TURN) / sound_speed(&pair) + 64.0 / 20.0;
    let last = pair.observations.last().ok_or("no observation")?;
    let checks = checks! {
        "messages that arrived", "", f64::from(sent), pair.arrivals.len() as f64, Absolute(0.5);
        "largest error of a delay", "s", 1e-3, largest, AtMost;
        "turn of the follower after the leader", "s", expected, turn(1) - turn(0), Absolute(0.2);
        "heading of the follower at the end", "deg", HEADINGS[1], last.headings[1], Absolute(3.0);
        "depth of the follower at the end", "m", DEPTHS[1], -last.p[1].z, Absolute(0.25);
    };
    Ok((checks, pair.heading_figure()))
}

/// Returns the speed of sound at the vehicles [m/s].
fn sound_speed(pair: &Pair) -> f64 {
    pair.simulation.scene.sea.sound_speed
}

/// Simulates two vehicles that move apart, and compares the distance of the last message that
/// arrived with the delivery radius.
fn range(data: &ReferenceData) -> Result<Vec<Check>, String> {
    let level = 137.0;
    let radius = delivery_radius(level, DEPTHS[0]);
    let keys = format!(", source_level_db: {level}");
    let places = [[10.0, 0.0, -DEPTHS[0]], [-10.0, 0.0, -DEPTHS[0]]];
    let mut pair = Pair::new(data, places, [90.0, 270.0], &keys)?;
    let steps = (1.5 * radius / 4.0 / INTERVAL) as usize;
    for k in 0..steps {
        // the transmitter is free again after 3.2 s
        if k % 80 == 0 {
            pair.send(0, vec![1; 8])?;
        }
        pair.advance();
    }
    let last = pair.arrivals.last().ok_or("no message arrived")?;
    let found = pair.distance(last.transmitted);
    Ok(checks! {
        "distance of the last message that arrived", "m", radius, found, Absolute(25.0);
    })
}
