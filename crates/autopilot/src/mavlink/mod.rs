//! MAVLink telemetry of robots to ground stations such as QGroundControl.
//!
//! [`frames`] finds messages in bytes, `fields` converts units, [`telemetry`] converts the state of
//! a robot to messages, [`commands`] converts requests of a ground station to commands, and
//! [`Station`] exchanges them over UDP. The rates refer to the wall clock, so that a ground
//! station stays connected while the world is paused.

pub mod commands;
pub(crate) mod fields;
pub mod frames;
pub mod telemetry;

use crate::Link;
use crate::mavlink::frames::{FrameBuffer, encode};
use crate::status::{LinkKind, LinkLog, LinkStatus, LogSink};
use ::mavlink::MavHeader;
use ::mavlink::dialects::common::MavMessage;
use merrow_model::scene::autopilot::MavlinkTelemetry;
use merrow_sim::{BlockLimit, Simulation};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Period of attitude and position.
const FAST: Duration = Duration::from_millis(100);
/// Period of heartbeats and battery.
const SLOW: Duration = Duration::from_secs(1);
/// Length of the buffer for datagrams [bytes].
const BUFFER: usize = 2048;
/// Maximum number of datagrams that are received at once.
const MAX_DATAGRAMS: usize = 100;

/// Connection of a robot to its ground station.
pub(crate) struct Station {
    robot: usize,
    settings: MavlinkTelemetry,
    socket: UdpSocket,
    sequence: u8,
    frames: FrameBuffer,
    next_fast: Instant,
    next_slow: Instant,
    log: LinkLog,
}

impl Station {
    /// Opens a socket for the ground station of robot `robot`.
    ///
    /// # Errors
    /// The socket cannot be opened.
    pub(crate) fn open(
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

impl Link for Station {
    fn robot(&mut self) -> &mut usize {
        &mut self.robot
    }

    fn status(&self) -> &LinkStatus {
        &self.log.status
    }

    fn description(&self) -> String {
        let (id, address) = (self.settings.system_id, self.settings.address);
        let robot = &self.log.status.robot;
        format!("MAVLink of {robot}: vehicle {id}, UDP {address}")
    }

    fn is_in_lock_step(&self) -> bool {
        false
    }

    fn socket(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn reset(&mut self) {}

    fn exchange(&mut self, simulation: &mut Simulation, _follows_clock: bool) -> BlockLimit {
        self.receive(simulation);
        BlockLimit::Steps(u64::MAX)
    }

    fn after_block(&mut self, simulation: &Simulation) {
        self.send_due(simulation);
    }
}
