//! One docking manoeuvre.

use crate::docking::law::{Gains, Law};
use crate::docking::scenario::{DOCK, Link, Packets, Setup, docked_distance, world_text};
use crate::docking::tasks::{Station, Vehicle, set_power_control};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use merrow_validate::cases::reference_data::ReferenceData;
use std::sync::Arc;

/// Period of the attitude control [s], section 5.1.2; the periods of both links are multiples.
pub(crate) const CYCLE: f64 = 0.02;
/// The same period [ns].
const CYCLE_NS: u64 = 20_000_000;
/// Cycles of one radio period.
const RADIO_CYCLES: u64 = 2;
/// Ratio of the control signal to the thrust of the motive power, section 5.2.3.
const SIGNAL_PER_THRUST: f64 = 1.17;

/// State of the vehicle at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time since the start [s].
    pub t: f64,
    /// Distance from the dock [m].
    pub distance: f64,
    /// Motive power of the thrusters [W].
    pub power: f64,
    /// Link of the last packet.
    pub link: Link,
    /// Position in W [m].
    pub position: [f64; 3],
}

/// Result of a manoeuvre.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manoeuvre {
    /// Samples, one per 0.1 s.
    pub samples: Vec<Sample>,
    /// Time at which the vehicle reached 2 % of the distance at the start [s].
    pub docked: Option<f64>,
    /// Time of the first packet by radio [s].
    pub radio_from: Option<f64>,
    /// Motive energy until the vehicle has docked [J].
    pub energy: f64,
    /// Time integral of the distance from the dock until the vehicle has docked [m s].
    pub error_integral: f64,
    /// Smallest distance from the dock [m].
    pub nearest: f64,
    /// Distance from the dock at the end [m].
    pub last: f64,
    /// Packets with the position of the vehicle that arrived, acoustic and radio.
    pub packets: [u64; 2],
    /// Packets with the position of the vehicle that the dock transmitted, acoustic and radio.
    pub transmitted: [u64; 2],
    /// Largest age of a position on its use, acoustic and radio [s].
    pub ages: [f64; 2],
}

/// Periods of the links and length of the packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// Acoustic and radio period in cycles.
    pub(crate) cycles: [u64; 2],
    /// Length of a packet of the dock [byte].
    pub(crate) bytes: usize,
}

impl Timing {
    /// Returns the timing of `packets`, with the radio period of the thesis.
    pub(crate) fn from_packets(packets: &Packets) -> Self {
        Self {
            cycles: [packets.cycles, RADIO_CYCLES],
            bytes: packets.bytes,
        }
    }
}

/// Simulates a manoeuvre until the vehicle has docked or the limit of the setup.
///
/// # Errors
/// Errors in the world, or a refused command.
pub(crate) fn run_manoeuvre(data: &ReferenceData, setup: &Setup) -> Result<Manoeuvre, String> {
    let scene = data.world(&world_text(setup))?;
    let timing = Timing::from_packets(&setup.packets);
    let mut trial = Trial::new(scene, setup.law, setup.is_hybrid, DOCK, timing)?;
    let limit = docked_distance();
    let mut found = Manoeuvre {
        nearest: f64::INFINITY,
        ..Manoeuvre::default()
    };
    for _ in 0..libm::round(setup.limit / CYCLE) as u64 {
        let position = trial.simulation.state.robots[0].motion.p_WB;
        trial.advance(Some(position))?;
        found.record(&trial);
        if found.nearest <= limit && found.docked.is_none() {
            found.docked = Some(trial.time());
            if !setup.continues {
                break;
            }
        }
    }
    found.packets = trial.vehicle.packets;
    found.ages = trial.vehicle.ages;
    found.transmitted = trial.transmitted;
    Ok(found)
}

/// A simulation with the computers of dock and vehicles.
pub(crate) struct Trial {
    pub(crate) simulation: Simulation,
    station: Station,
    pub(crate) vehicle: Vehicle,
    timing: Timing,
    /// Position that the dock measured last [m].
    position: Option<Vec3>,
    /// Whether the position has not been transmitted by radio.
    is_new: bool,
    /// Number of cycles since the start.
    cycle: u64,
    /// Packets with the position of the vehicle that the dock transmitted, acoustic and radio.
    transmitted: [u64; 2],
}

impl Trial {
    /// Creates the simulation of `scene`, whose first robot docks at `goal` [m].
    pub(crate) fn new(
        mut scene: Scene,
        law: Law,
        is_hybrid: bool,
        goal: Vec3,
        timing: Timing,
    ) -> Result<Self, String> {
        let Timing { cycles, bytes } = timing;
        let periods = cycles.map(|n| n as f64 * CYCLE);
        set_power_control(&mut scene, cycles.map(|n| n * CYCLE_NS));
        let scene = Arc::new(scene);
        Ok(Self {
            simulation: Simulation::new(Arc::clone(&scene), 1)?,
            station: Station::new(&scene, is_hybrid, goal, bytes)?,
            vehicle: Vehicle::new(&scene, law, periods, bytes)?,
            timing,
            position: None,
            is_new: false,
            cycle: 0,
            transmitted: [0; 2],
        })
    }

    /// Replaces the gains of the acoustic link.
    pub(crate) fn set_acoustic_gains(&mut self, gains: Gains) {
        self.vehicle.set_acoustic_gains(gains);
    }

    /// Returns the time at the end of the last cycle [s].
    pub(crate) fn time(&self) -> f64 {
        self.cycle as f64 * CYCLE
    }

    /// Executes one cycle of all computers and simulates it. `position`: new measurement of the
    /// dock, if any [m].
    pub(crate) fn advance(&mut self, position: Option<Vec3>) -> Result<(), String> {
        let simulation = &mut self.simulation;
        if position.is_some() {
            (self.position, self.is_new) = (position, true);
        }
        self.vehicle.cycle(simulation)?;
        simulation.clear_outboxes();
        if self.cycle.is_multiple_of(self.timing.cycles[0]) {
            let is_sent = self.station.transmit_acoustic(simulation, self.position)?;
            self.transmitted[0] += u64::from(is_sent);
        }
        if self.cycle.is_multiple_of(self.timing.cycles[1])
            && let Some(position) = self.position.filter(|_| self.is_new)
        {
            let is_sent = self.station.transmit_radio(simulation, position)?;
            self.transmitted[1] += u64::from(is_sent);
            self.is_new = false;
        }
        let steps = libm::round(CYCLE / simulation.scene.dt()) as u64;
        simulation.advance(steps);
        self.cycle += 1;
        Ok(())
    }
}

impl Manoeuvre {
    /// Adds the state at the end of a cycle.
    fn record(&mut self, trial: &Trial) {
        let motion = &trial.simulation.state.robots[0].motion;
        let distance = (motion.p_WB - DOCK).norm();
        let thrust = trial.vehicle.force().norm() / SIGNAL_PER_THRUST;
        let power = thrust * motion.V_WB_B.v.norm();
        let (t, link) = (trial.time(), trial.vehicle.link);
        if self.docked.is_none() {
            self.energy += power * CYCLE;
            self.error_integral += distance * CYCLE;
        }
        self.last = distance;
        self.nearest = self.nearest.min(distance);
        if link == Link::Radio && self.radio_from.is_none() {
            self.radio_from = Some(t);
        }
        if trial.cycle.is_multiple_of(5) {
            self.samples.push(Sample {
                t,
                distance,
                power,
                link,
                position: motion.p_WB.to_array(),
            });
        }
    }
}
