//! Tasks of the computers of the docking study: dock and vehicles; sections 5.1.2 and 5.1.3.

use crate::docking::law::{Gains, Law, PositionControl, attitude_moment, heading, waypoint};
use crate::docking::packet::Downlink;
use crate::docking::scenario::{DOCK_ADDRESS, DUMMIES, Link, RADIO_RANGE, VEHICLE_ADDRESS};
use merrow_math::Vec3;
use merrow_math::decibels::level;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::PowerControl;
use merrow_model::state::comms::{Delivery, ModemCommand, Send};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use merrow_validate::cases::reference_data::apply;
use merrow_yaml::read::Places;

/// First transmit power of the dock [W]; estimated, the thesis publishes none.
const START_POWER: f64 = 1.0;
/// Factor between the power of a message that does not arrive and the requested power; estimated,
/// the thesis gives no formula.
const POWER_STEP: f64 = 2.0;

/// Sets the first transmit power of the dock and the adaptive power control of the vehicles,
/// section 4.4.4: a vehicle without a packet in a period of its link requests more power.
/// `periods`: acoustic and radio period [ns].
pub(crate) fn set_power_control(scene: &mut Scene, periods: [u64; 2]) {
    for modem in &mut scene.modems {
        if modem.address == DOCK_ADDRESS {
            modem.power_w = START_POWER;
            continue;
        }
        modem.power_control = Some(PowerControl {
            station: DOCK_ADDRESS,
            period_s: 1e-9 * periods[usize::from(modem.name.ends_with("radio"))] as f64,
            // the thesis has no target: only the step determines the power
            target_snr_db: -3000.0,
            step_db: level(POWER_STEP),
            // a control frame has the 64 bits of a packet of a vehicle
            payload_bytes: 0,
            at: Places::default(),
        });
    }
}

/// Indices of the modems of one address: acoustic and radio.
#[derive(Clone, Copy, Debug)]
struct Modems {
    acoustic: usize,
    radio: Option<usize>,
}

impl Modems {
    fn find(scene: &Scene, address: u16) -> Result<Self, String> {
        let find = |kind: &str| {
            let is = |m: &merrow_model::scene::comms::Modem| {
                m.address == address && m.name.ends_with(kind)
            };
            scene.modems.iter().position(is)
        };
        Ok(Self {
            acoustic: find("acoustic").ok_or(format!("no acoustic modem {address}"))?,
            radio: find("radio"),
        })
    }

    fn select_modem(&self, link: Link) -> usize {
        match link {
            Link::Acoustic => self.acoustic,
            Link::Radio => self.radio.unwrap_or(self.acoustic),
        }
    }
}

/// Transmits a message with the power that its receiver requested.
fn send(
    simulation: &mut Simulation,
    modem: usize,
    destination: u16,
    payload: Vec<u8>,
) -> Result<(), String> {
    let command = ModemCommand::Send(Send::new(modem, destination, payload));
    apply(simulation, &Command::Modem(command))
}

/// Computer of the dock.
pub(crate) struct Station {
    modems: Modems,
    /// Positions of the vehicles that only load the medium access [m]; the world with the latch has
    /// none.
    dummies: Vec<Vec3>,
    is_hybrid: bool,
    /// Place at which the vehicle docks in W [m].
    goal: Vec3,
    /// Length of a packet [byte].
    bytes: usize,
}

impl Station {
    /// Creates the computer; `bytes`: length of a packet [byte].
    pub(crate) fn new(
        scene: &Scene,
        is_hybrid: bool,
        goal: Vec3,
        bytes: usize,
    ) -> Result<Self, String> {
        let dummy = |k: u16| {
            let modems = Modems::find(scene, k + 2).ok()?;
            Some(scene.modems[modems.acoustic].p)
        };
        Ok(Self {
            modems: Modems::find(scene, DOCK_ADDRESS)?,
            dummies: (0..DUMMIES).filter_map(dummy).collect(),
            is_hybrid,
            goal,
            bytes,
        })
    }

    /// Returns the link to the vehicle at `position` [m].
    fn link(&self, position: Vec3) -> Link {
        if self.is_hybrid && (position - self.goal).norm() < RADIO_RANGE {
            Link::Radio
        } else {
            Link::Acoustic
        }
    }

    /// Transmits the positions of one acoustic period, in the order of the addresses. Returns true
    /// if the position of the docking vehicle is among them.
    pub(crate) fn transmit_acoustic(
        &self,
        simulation: &mut Simulation,
        vehicle: Option<Vec3>,
    ) -> Result<bool, String> {
        for (k, position) in self.dummies.iter().enumerate() {
            self.transmit(simulation, Link::Acoustic, k as u16 + 2, *position)?;
        }
        let vehicle = vehicle.filter(|p| self.link(*p) == Link::Acoustic);
        if let Some(vehicle) = vehicle {
            self.transmit(simulation, Link::Acoustic, VEHICLE_ADDRESS, vehicle)?;
        }
        Ok(vehicle.is_some())
    }

    /// Transmits the position of the vehicle by radio, if it is in range. Returns true if it is.
    pub(crate) fn transmit_radio(
        &self,
        simulation: &mut Simulation,
        vehicle: Vec3,
    ) -> Result<bool, String> {
        let is_radio = self.link(vehicle) == Link::Radio;
        if is_radio {
            self.transmit(simulation, Link::Radio, VEHICLE_ADDRESS, vehicle)?;
        }
        Ok(is_radio)
    }

    fn transmit(
        &self,
        simulation: &mut Simulation,
        link: Link,
        receiver: u16,
        position: Vec3,
    ) -> Result<(), String> {
        let packet = Downlink {
            receiver,
            position,
            reference: match link {
                Link::Acoustic => waypoint(position, self.goal),
                Link::Radio => self.goal,
            },
            stamp_ns: simulation.time_ns(),
        };
        let payload = packet.encode(self.bytes);
        send(
            simulation,
            self.modems.select_modem(link),
            receiver,
            payload,
        )
    }
}

/// Computer of the docking vehicle.
pub(crate) struct Vehicle {
    modems: Modems,
    law: Law,
    /// Gains, acoustic and radio.
    gains: [Gains; 2],
    /// Link of the last packet.
    pub(crate) link: Link,
    control: PositionControl,
    /// Force in the axes of the body [N].
    force: Vec3,
    /// Reference of the heading [rad].
    yaw: f64,
    /// Number of packets that have arrived, acoustic and radio.
    pub(crate) packets: [u64; 2],
    /// Largest age of a position on its arrival, acoustic and radio [s].
    pub(crate) ages: [f64; 2],
    /// Length of a packet of the dock [byte].
    bytes: usize,
}

impl Vehicle {
    /// Creates the computer; `periods`: time between two packets by sound and by radio [s],
    /// `bytes`: their length [byte].
    pub(crate) fn new(
        scene: &Scene,
        law: Law,
        periods: [f64; 2],
        bytes: usize,
    ) -> Result<Self, String> {
        let mut gains = [Link::Acoustic, Link::Radio].map(Gains::for_link);
        for (gains, period) in gains.iter_mut().zip(periods) {
            gains.period = period;
        }
        Ok(Self {
            modems: Modems::find(scene, VEHICLE_ADDRESS)?,
            law,
            gains,
            link: Link::Acoustic,
            control: PositionControl::new(law, gains[0]),
            force: Vec3::zero(),
            yaw: 0.0,
            packets: [0; 2],
            ages: [0.0; 2],
            bytes,
        })
    }

    /// Replaces the gains of the acoustic link before the first packet.
    pub(crate) fn set_acoustic_gains(&mut self, gains: Gains) {
        self.gains[0] = gains;
        self.control = PositionControl::new(self.law, gains);
    }

    /// Returns the control signal in the axes of the body [N].
    pub(crate) fn force(&self) -> Vec3 {
        self.force
    }

    /// Returns the packets for this vehicle that have arrived, with their links.
    fn receive(&self, simulation: &Simulation) -> Vec<(Link, Downlink)> {
        let output = &simulation.network_output;
        let packet = |delivery: &Delivery| {
            let link = match delivery.to as usize {
                to if to == self.modems.acoustic => Link::Acoustic,
                to if Some(to) == self.modems.radio => Link::Radio,
                _ => return None,
            };
            let packet = Downlink::decode(output.payload(delivery), self.bytes)?;
            (packet.receiver == VEHICLE_ADDRESS).then_some((link, packet))
        };
        output.deliveries.iter().filter_map(packet).collect()
    }

    /// Executes one cycle of 20 ms: position control for packets that have arrived, attitude
    /// control, command to the thrusters.
    pub(crate) fn cycle(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        let motion = &simulation.state.robots[0].motion;
        let (R, w) = (motion.q_WB.matrix(), motion.V_WB_B.w);
        let packets = self.receive(simulation);
        for (link, packet) in &packets {
            if *link != self.link {
                self.link = *link;
                self.control = PositionControl::new(self.law, self.gains[*link as usize]);
            }
            let force = self.control.update(packet.position, packet.reference);
            self.force = R.tr_mul_vec(force);
            let yaw = heading(self.law, packet.position, packet.reference);
            self.yaw = yaw.unwrap_or(self.yaw);
            let k = *link as usize;
            self.packets[k] += 1;
            let age = (simulation.time_ns() - packet.stamp_ns) as f64 * 1e-9;
            self.ages[k] = self.ages[k].max(age);
        }
        // by radio, the task of the position also controls the attitude
        if self.link == Link::Radio && packets.is_empty() {
            return Ok(());
        }
        let command = Command::Actuator(
            0,
            ActuatorCommand::Wrench {
                force: self.force,
                moment: attitude_moment(&R, w, self.yaw),
            },
        );
        apply(simulation, &command)
    }
}
