//! MAVLink telemetry of robots to ground stations such as QGroundControl.
//!
//! [`frames`] finds messages in bytes, `fields` converts units, [`telemetry`] converts the state of
//! a robot to messages, [`commands`] converts requests of a ground station to commands, and
//! [`Telemetries`] exchanges them over UDP. The rates refer to the wall clock, so that a ground
//! station stays connected while the world is paused.

pub mod commands;
pub(crate) mod fields;
pub mod frames;
pub mod telemetry;

use crate::mavlink::frames::{FrameBuffer, encode};
use crate::status::{LinkKind, LinkLog, LinkStatus, LogSink, SharedStatus};
use crate::{Connection, STATUS_PERIOD, follow_scene};
use ::mavlink::MavHeader;
use ::mavlink::dialects::common::MavMessage;
use merrow_model::scene::autopilot::MavlinkTelemetry;
use merrow_model::scene::{Correspondence, Robot, Scene};
use merrow_sim::{BlockLimit, Control, Observer, Simulation};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// Period of attitude and position.
const FAST: Duration = Duration::from_millis(100);
/// Period of heartbeats and battery.
const SLOW: Duration = Duration::from_secs(1);
/// Length of the buffer for datagrams [bytes].
const BUFFER: usize = 2048;
/// Maximum number of datagrams that are received at once.
const MAX_DATAGRAMS: usize = 100;

/// Telemetry of all robots with the key `mavlink`.
pub struct Telemetries {
    stations: Vec<Station>,
    /// Connections of robots that were added to the world and could not be opened.
    failures: Vec<LinkStatus>,
    status: SharedStatus,
    log: LogSink,
    /// Time of the last update of the status.
    updated: Instant,
}

/// Connection of a robot to its ground station.
struct Station {
    robot: usize,
    settings: MavlinkTelemetry,
    socket: UdpSocket,
    sequence: u8,
    frames: FrameBuffer,
    next_fast: Instant,
    next_slow: Instant,
    log: LinkLog,
}

impl Telemetries {
    /// Opens the sockets of all robots with telemetry.
    ///
    /// # Errors
    /// A socket cannot be opened.
    pub fn connect(scene: &Scene, status: SharedStatus, log: LogSink) -> Result<Self, String> {
        let robots = scene.robots.iter().enumerate();
        let stations = robots.filter_map(|(k, robot)| {
            let settings = robot.mavlink?;
            Some(Station::open(k, &robot.name, settings, &log))
        });
        let telemetries = Self {
            stations: stations.collect::<Result<_, _>>()?,
            failures: Vec::new(),
            status,
            log,
            updated: Instant::now(),
        };
        telemetries.share_status();
        Ok(telemetries)
    }

    /// Passes the status of all connections to the diagnostics.
    fn share_status(&self) {
        let stations = self.stations.iter().map(|station| &station.log.status);
        self.status
            .set_ground_stations(stations.chain(&self.failures));
    }

    /// Returns a line per robot: number and address of the ground station.
    pub fn descriptions(&self) -> Vec<String> {
        let line = |station: &Station| {
            let (id, address) = (station.settings.system_id, station.settings.address);
            let robot = &station.log.status.robot;
            format!("MAVLink of {robot}: vehicle {id}, UDP {address}")
        };
        self.stations.iter().map(line).collect()
    }
}

impl Connection for Station {
    fn robot(&mut self) -> &mut usize {
        &mut self.robot
    }
}

impl Station {
    fn open(
        robot: usize,
        name: &str,
        settings: MavlinkTelemetry,
        log: &LogSink,
    ) -> Result<Self, String> {
        // only programs of this machine reach a socket on the loopback interface
        let own = match settings.address.ip() {
            ip if ip.is_loopback() => SocketAddr::from((ip, 0)),
            IpAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            IpAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let failed = |why: io::Error| format!("MAVLink of {name}: cannot open a socket: {why}");
        let socket = UdpSocket::bind(own).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            robot,
            settings,
            socket,
            sequence: 0,
            frames: FrameBuffer::default(),
            next_fast: Instant::now(),
            next_slow: Instant::now(),
            log: LinkLog::new(name, LinkKind::GroundStation, settings.address, log),
        })
    }

    /// Sends the messages that are due.
    fn send_due(&mut self, simulation: &Simulation) {
        let now = Instant::now();
        let (is_fast, is_slow) = (now >= self.next_fast, now >= self.next_slow);
        let mut messages = Vec::new();
        if is_slow {
            self.next_slow = now + SLOW;
            messages.extend(telemetry::slow_messages(simulation, self.robot));
        }
        if is_fast {
            self.next_fast = now + FAST;
            messages.extend(telemetry::fast_messages(simulation, self.robot));
        }
        for message in &messages {
            self.send(message, self.settings.address);
        }
    }

    fn send(&mut self, message: &MavMessage, to: SocketAddr) {
        let bytes = encode(self.settings.system_id, self.sequence, message);
        self.sequence = self.sequence.wrapping_add(1);
        match self.socket.send_to(&bytes, to) {
            Ok(_) => {}
            // a ground station that is not running
            Err(why) if why.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(why) => self.log.note(format!("cannot send to {to}: {why}")),
        }
    }

    /// Receives the requests of the ground station, applies and answers them.
    fn receive(&mut self, simulation: &mut Simulation) {
        let mut buffer = [0; BUFFER];
        for _ in 0..MAX_DATAGRAMS {
            let from = match self.socket.recv_from(&mut buffer) {
                Ok((_, from)) if !self.is_station(from.ip()) => {
                    self.log.status.malformed += 1;
                    self.log.note(format!(
                        "{from} is not the ground station; its datagrams are ignored"
                    ));
                    continue;
                }
                Ok((length, from)) => {
                    self.frames.push(&buffer[..length]);
                    from
                }
                Err(why) if why.kind() == io::ErrorKind::ConnectionRefused => continue,
                Err(_) => return,
            };
            while let Some((header, message)) = self.frames.next_message() {
                self.log.status.frames += 1;
                if self.log.status.peer.is_none() {
                    self.log.connected(from);
                }
                self.handle((header, &message), from, simulation);
            }
            // a frame does not continue in the next datagram
            self.frames.clear();
            if self.frames.invalid_bytes > 0 {
                self.frames.invalid_bytes = 0;
                self.log.status.malformed += 1;
                self.log
                    .note(format!("{from} sends bytes that are not MAVLink"));
            }
        }
    }

    /// Returns true if the ground station has this address.
    fn is_station(&self, from: IpAddr) -> bool {
        match self.settings.address.ip() {
            // any station answers a multicast or broadcast address
            IpAddr::V4(v4) if v4.is_multicast() || v4.octets()[3] == 255 => true,
            IpAddr::V6(v6) if v6.is_multicast() => true,
            station => from == station,
        }
    }

    fn handle(
        &mut self,
        message: (MavHeader, &MavMessage),
        from: SocketAddr,
        simulation: &mut Simulation,
    ) {
        let own = self.settings.system_id;
        let reaction = commands::react(message, own, self.robot, simulation);
        let mut refused = None;
        for command in &reaction.commands {
            if let Err(rejection) = simulation.apply(command) {
                refused = Some(rejection.reason);
            }
        }
        for reply in reaction.replies(refused.is_none()) {
            self.send(&reply, from);
        }
        if let Some(why) = refused.or(reaction.refused) {
            self.log.status.refused += 1;
            self.log.note(why);
        }
    }
}

impl Observer for Telemetries {
    fn before_block(&mut self, simulation: &mut Simulation, _: Option<Instant>) -> BlockLimit {
        for station in &mut self.stations {
            station.receive(simulation);
        }
        BlockLimit::Steps(u64::MAX)
    }

    fn after_block(&mut self, simulation: &Simulation, _control: &Control) {
        for station in &mut self.stations {
            station.send_due(simulation);
        }
        if self.updated.elapsed() > STATUS_PERIOD {
            self.updated = Instant::now();
            self.share_status();
        }
    }

    fn replaced(&mut self, simulation: &Simulation, same: &Correspondence) {
        let (scene, log) = (&*simulation.scene, &self.log);
        let kind = |_: &Robot| LinkKind::GroundStation;
        self.failures = follow_scene(
            &mut self.stations,
            (scene, same),
            (log, kind),
            |k, robot| Some(Station::open(k, &robot.name, robot.mavlink?, log)),
        );
        self.share_status();
    }
}
