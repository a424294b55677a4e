//! V25: two RexROV on opposite courses avoid each other by the positions that they overhear.
//!
//! The docking study states the purpose of overheard packets but no rule. The rule is Merrow's:
//! within 12 m, the vehicle with the lower address passes above the other one.

use crate::docking::law::{Gains, Law, PositionControl, attitude_moment, heading, waypoint};
use crate::docking::packet::Downlink;
use crate::docking::scenario::{DOCK_ADDRESS, Link, Packets, SCHEDULE, docked_distance};
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_validate::cases::prelude::*;

/// Start of each vehicle and goal of the other one in W [m].
const ENDS: [Vec3; 2] = [
    Vec3 {
        x: -20.0,
        y: 0.0,
        z: -40.0,
    },
    Vec3 {
        x: 20.0,
        y: 0.0,
        z: -40.0,
    },
];
/// Distance within which a vehicle avoids another vehicle, and height by which it shifts its
/// reference [m]; estimated.
const AVOIDED: f64 = 12.0;
const SHIFT: f64 = 3.0;
/// Duration of a run and period of the computers [s].
const DURATION: f64 = 240.0;
const CYCLE: f64 = 0.02;
/// Distance beyond which two boxes of 2.6 m x 1.5 m x 1.6 m cannot touch [m].
const CLEAR: f64 = 3.4;

/// Computer of one vehicle.
struct Vehicle {
    address: u16,
    modem: usize,
    control: PositionControl,
    force: Vec3,
    yaw: f64,
    /// Last overheard position of the other vehicle [m].
    other: Option<Vec3>,
}

/// Result of a run.
#[derive(Default)]
struct Passing {
    /// Time and distance of the vehicles [s, m].
    distances: Vec<[f64; 2]>,
    /// Distances of the vehicles from their goals at the end [m].
    ends: [f64; 2],
    /// Number of overheard positions.
    overheard: usize,
}

impl Passing {
    fn nearest(&self) -> f64 {
        let distances = self.distances.iter().map(|p| p[1]);
        distances.fold(f64::INFINITY, f64::min)
    }
}

/// Returns the world; `promiscuous`: whether the modems of the vehicles deliver messages with the
/// address of the other vehicle.
fn world(promiscuous: bool) -> String {
    let (frame, _, [slot, _]) = SCHEDULE;
    let robot = |k: usize| {
        format!(
            "  rov_{k}:\n    position_m: {:?}\n    attitude_deg: [0, 0, {}]\n    model:\n      \
             extends: robots/rexrov.yaml\n      firmware: null\n      sensors: null\n      body: \
             {{extends: bodies/rexrov_uuv.yaml, volume_m3: null, net_buoyancy_n: 0}}\n      \
             modems: {{acoustic: {{modem: docking_acoustic, address: {}, promiscuous: \
             {promiscuous}}}}}\n",
            ENDS[k].to_array(),
            180 * k,
            k + 2
        )
    };
    format!(
        "step: {{dt_s: 0.01}}\nseed: 5\nseabed: {{depth_m: 60}}\nwater: {{density_kg_m3: 1028}}\n\
         robots:\n{}{}modems:\n  dock: {{modem: docking_acoustic, address: {DOCK_ADDRESS}, \
         position_m: [0, 0, -59], mac: {{kind: tdma, frame_s: {frame}, slots_s: [[0, {slot}], \
         [{slot}, {slot}]]}}}}\n",
        robot(0),
        robot(1)
    )
}

/// Simulates both vehicles; `avoids`: whether they avoid overheard positions.
fn run(data: &ReferenceData, promiscuous: bool, avoids: bool) -> Result<Passing, String> {
    let mut simulation = data.simulation(&world(promiscuous))?;
    let mut vehicles = [0, 1].map(|k| Vehicle {
        address: k as u16 + 2,
        modem: k,
        control: PositionControl::new(Law::Damped, Gains::for_link(Link::Acoustic)),
        force: Vec3::zero(),
        yaw: std::f64::consts::PI * k as f64,
        other: None,
    });
    let mut found = Passing::default();
    let period = libm::round(SCHEDULE.0 / CYCLE) as usize;
    for cycle in 0..(DURATION / CYCLE) as usize {
        for vehicle in &mut vehicles {
            found.overheard += vehicle.receive(&simulation, avoids);
            vehicle.steer(&mut simulation)?;
        }
        simulation.clear_outboxes();
        if cycle % period == 0 {
            transmit(&mut simulation)?;
        }
        advance(&mut simulation, CYCLE);
        let p = [0, 1].map(|k| simulation.state.robots[k].motion.p_WB);
        let t = (cycle + 1) as f64 * CYCLE;
        found.distances.push([t, (p[1] - p[0]).norm()]);
        found.ends = [(p[0] - ENDS[1]).norm(), (p[1] - ENDS[0]).norm()];
    }
    Ok(found)
}

/// Transmits the positions and way-points of both vehicles.
fn transmit(simulation: &mut Simulation) -> Result<(), String> {
    for k in 0..2 {
        let position = simulation.state.robots[k].motion.p_WB;
        let packet = Downlink {
            receiver: k as u16 + 2,
            position,
            reference: waypoint(position, ENDS[1 - k]),
            stamp_ns: simulation.time_ns(),
        };
        let command = ModemCommand::Send(Send::new(
            2,
            packet.receiver,
            packet.encode(Packets::TEXT.bytes),
        ));
        apply(simulation, &Command::Modem(command))?;
    }
    Ok(())
}

impl Vehicle {
    /// Processes the packets that have arrived. Returns the number of overheard
    /// packets.
    fn receive(&mut self, simulation: &Simulation, avoids: bool) -> usize {
        let output = &simulation.network_output;
        let (mut own, mut overheard) = (None, 0);
        for delivery in &output.deliveries {
            if delivery.to as usize != self.modem {
                continue;
            }
            match Downlink::decode(output.payload(delivery), Packets::TEXT.bytes) {
                Some(packet) if packet.receiver == self.address => own = Some(packet),
                Some(packet) => {
                    self.other = Some(packet.position);
                    overheard += 1;
                }
                None => {}
            }
        }
        if let Some(packet) = own {
            let mut reference = packet.reference;
            let near = |p: &Vec3| (*p - packet.position).norm() < AVOIDED;
            if avoids && self.other.as_ref().is_some_and(near) {
                reference.z += if self.address == 2 { SHIFT } else { -SHIFT };
            }
            let R = simulation.state.robots[self.modem].motion.q_WB.matrix();
            self.force = R.tr_mul_vec(self.control.update(packet.position, reference));
            let yaw = heading(Law::Damped, packet.position, reference);
            self.yaw = yaw.unwrap_or(self.yaw);
        }
        overheard
    }

    /// Commands the thrusters of the vehicle.
    fn steer(&self, simulation: &mut Simulation) -> Result<(), String> {
        let motion = &simulation.state.robots[self.modem].motion;
        let moment = attitude_moment(&motion.q_WB.matrix(), motion.V_WB_B.w, self.yaw);
        let command = Command::Actuator(
            self.modem,
            ActuatorCommand::Wrench {
                force: self.force,
                moment,
            },
        );
        apply(simulation, &command)
    }
}

// V25: without avoidance the vehicles touch; with it they pass at a distance at which they cannot
// touch, and reach their goals within the distance of the docking study.
pub(super) fn avoidance(data: &ReferenceData) -> Result<CaseResult, String> {
    let ignored = run(data, true, false)?;
    let deaf = run(data, false, true)?;
    let avoided = run(data, true, true)?;
    let periods = (DURATION / SCHEDULE.0).ceil();
    let checks = checks! {
        "smallest distance without avoidance", "m", CLEAR, ignored.nearest(), AtMost;
        "overheard positions without `promiscuous`", "", 0.0, deaf.overheard as f64, Absolute(0.5);
        "smallest distance without `promiscuous`", "m", CLEAR, deaf.nearest(), AtMost;
        "part of the positions that are overheard", "", 0.8,
            avoided.overheard as f64 / (2.0 * periods), MoreThan;
        "smallest distance with avoidance", "m", CLEAR, avoided.nearest(), MoreThan;
        "distance of the first vehicle from its goal", "m", docked_distance(), avoided.ends[0],
            AtMost;
        "distance of the second vehicle from its goal", "m", docked_distance(), avoided.ends[1],
            AtMost;
    };
    let lines = vec![
        PlotCurve::new("without avoidance", COLOURS[1], false, ignored.distances),
        PlotCurve::new("overheard positions", COLOURS[0], false, avoided.distances),
    ];
    let panel = Panel::new("distance between the vehicles [m]", "time [s]", lines);
    let title = "Two RexROV on opposite courses (V25)";
    let figure = draw_figure(title, &[panel], 860, 240);
    Ok(CaseResult::new(checks).with_figure("comms_avoidance", figure))
}
