//! Link of a robot to ArduPilot SITL: exchanges packets over UDP in step with the world.
//!
//! The SITL sends a servo packet and waits for a state message. The robot receives the outputs at
//! once; the message follows after one frame of simulated time. Frames are not longer than those
//! that the SITL requests, or 1 ms, because its inertial sensors sample each millisecond and lose
//! samples in longer frames. A frame is a number of time steps, or a fraction of one: then messages
//! contain interpolated motions, and outputs take effect at the next step.
//!
//! At a pace that follows the wall clock the world does not wait for a late packet, unless
//! `lock_step` is set. The SITL then receives the motions that it has missed, frame by frame.

pub mod packet;
pub mod state_message;

use crate::ardupilot::packet::{MAX_OUTPUTS, Pulse, ServoPacket, decode};
use crate::ardupilot::state_message::{VehicleState, encode};
use crate::history::{MotionHistory, MotionSample, frame_end};
use crate::ned::{attitude_in_ned, forward_right_down, north_east_down, specific_force};
use crate::status::{LinkKind, LinkLog, LinkStatus, LogSink};
use crate::{device_command, poll_steps, stop_thrusters};
use merrow_math::Vec3;
use merrow_model::scene::Robot;
use merrow_model::scene::autopilot::{Autopilot, ServoDevice, ServoOutput};
use merrow_model::sensor::water::Altimeter;
use merrow_model::state::RobotState;
use merrow_model::state::reading::Reading;
use merrow_sim::{BlockLimit, Simulation};
use std::f64::consts::TAU;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time without a packet after which the autopilot counts as lost.
const LOST_AFTER: Duration = Duration::from_secs(5);
/// Time without a packet after which another program may take over the port.
const TAKEOVER_AFTER: Duration = Duration::from_secs(2);
/// Minimum time between a message and its repetition, so that a packet that was sent again while
/// the message was in transit is not answered twice.
const REPEAT_AFTER: Duration = Duration::from_millis(500);
/// Maximum number of frames by which a packet that was overtaken is behind. A restarted autopilot
/// counts from zero.
const STALE_FRAMES: u32 = 8;
/// Period of the inertial sensors of the SITL [ns] (AP_InertialSensor_SITL.cpp).
const SAMPLE_NS: u64 = 1_000_000;
/// Maximum number of frames between two steps.
const MAX_FRAMES: usize = 1000;
/// Distance without an echo, as a multiple of the maximum range of the rangefinder.
const BEYOND_RANGE: f64 = 1.1;
/// Change of the pulses of an output above which it moves a device [µs].
const MOVED_WIDTH: f64 = 50.0;
/// Length of the buffer for packets [bytes]; longer than any valid packet.
const BUFFER: usize = 128;

/// Phase of the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No autopilot is connected. `lost` after one was.
    Unconnected { lost: bool },
    /// The robot has the outputs of a frame that ends at this time [ns].
    Running { until_ns: u64 },
    /// The message of the last frame is sent; the next packet is due.
    Awaiting,
}

/// Readings of the sensors that the autopilot receives.
#[derive(Clone, Debug, Default)]
struct Readings {
    /// Angular velocity [rad/s] and specific force [m/s²] of the IMU, in forward, left, up.
    imu: Option<[Vec3; 2]>,
    ranges: Vec<Option<f64>>,
    wind_vane: Option<[f64; 2]>,
}

/// Link of a robot to its autopilot.
pub struct Link {
    robot: usize,
    settings: Autopilot,
    socket: UdpSocket,
    phase: Phase,
    peer: Option<SocketAddr>,
    /// Address of the last autopilot, also after it was lost.
    last_peer: Option<SocketAddr>,
    /// Number of packets from other addresses since the last packet of the autopilot. They come
    /// from a second autopilot if the first autopilot continues, otherwise from its successor.
    other_packets: u64,
    last_packet: Option<Instant>,
    last_count: Option<u32>,
    /// Last message and the time at which it was sent.
    last_message: Option<(Vec<u8>, Instant)>,
    /// Simulated time of the last message [ns].
    sent_ns: Option<u64>,
    history: MotionHistory,
    readings: Readings,
    /// First pulse width of each output since the connection [µs].
    first_widths: [Option<f64>; MAX_OUTPUTS],
    /// True if thrusters without pulses have been reported since the connection.
    has_reported_absent: bool,
    log: LinkLog,
}

impl Link {
    /// Opens the socket of robot `robot`.
    ///
    /// # Errors
    /// The socket cannot be opened, for example because another program uses the port.
    pub fn open(
        robot: usize,
        name: &str,
        settings: &Autopilot,
        log: &LogSink,
    ) -> Result<Self, String> {
        let address = SocketAddr::new(settings.address, settings.port);
        let failed = |why: io::Error| {
            format!(
                "autopilot of {name}: UDP {address}: {why}; expected a free port: end the other \
                 program, or give another `instance`"
            )
        };
        let socket = UdpSocket::bind(address).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            robot,
            readings: Readings {
                ranges: vec![None; settings.rangefinders.len()],
                ..Readings::default()
            },
            settings: settings.clone(),
            socket,
            phase: Phase::Unconnected { lost: false },
            peer: None,
            last_peer: None,
            other_packets: 0,
            last_packet: None,
            last_count: None,
            last_message: None,
            sent_ns: None,
            history: MotionHistory::default(),
            first_widths: [None; MAX_OUTPUTS],
            has_reported_absent: false,
            log: LinkLog::new(name, LinkKind::ArduPilot, address, log),
        })
    }

    /// Returns true if a connected autopilot has sent no packet for a long time.
    fn is_lost(&self) -> bool {
        self.phase == Phase::Awaiting
            && self
                .last_packet
                .is_some_and(|last| last.elapsed() > LOST_AFTER)
    }

    /// Returns the next packet of the autopilot, if one has arrived.
    fn receive(&mut self) -> Option<ServoPacket> {
        let mut buffer = [0; BUFFER];
        loop {
            match self.socket.recv_from(&mut buffer) {
                Ok((length, from)) => {
                    if let Some(packet) = self.accept(&buffer[..length], from) {
                        return Some(packet);
                    }
                }
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return None,
                // the port of an autopilot that has ended reports an error for each message
                Err(why) if why.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(why) => {
                    self.log.note(format!("cannot receive: {why}"));
                    return None;
                }
            }
        }
    }

    /// Returns the packet in `bytes` if it is a new frame of the autopilot.
    fn accept(&mut self, bytes: &[u8], from: SocketAddr) -> Option<ServoPacket> {
        let packet = match decode(bytes) {
            Ok(packet) => packet,
            Err(why) => {
                self.log.status.malformed += 1;
                self.log.note(format!("packet of {from}: {why}"));
                return None;
            }
        };
        let is_fresh = |last: Instant| last.elapsed() < TAKEOVER_AFTER;
        if self.peer == Some(from) {
            self.report_other_packets();
        } else if self.peer.is_some() && self.last_packet.is_some_and(is_fresh) {
            self.other_packets += 1;
            return None;
        } else {
            self.connect(from, packet.frame_count);
        }
        let silence = self.last_packet.map(|last| last.elapsed());
        self.last_packet = Some(Instant::now());
        match self.last_count {
            Some(last) if packet.frame_count == last => {
                self.log.status.repeated += 1;
                self.repeat_message();
                return None;
            }
            Some(last)
                if packet.frame_count < last
                    && last - packet.frame_count <= STALE_FRAMES
                    && silence.is_some_and(|silence| silence < REPEAT_AFTER) =>
            {
                self.log.status.stale += 1;
                self.log.note(format!(
                    "frame {} arrived after frame {last} and is ignored",
                    packet.frame_count
                ));
                return None;
            }
            Some(last) if packet.frame_count < last => self.report_restart(),
            Some(last) if packet.frame_count - last > 1 => {
                self.log.status.lost_frames += u64::from(packet.frame_count - last - 1);
                self.log.note("frames of the autopilot did not arrive");
            }
            Some(_) | None => {}
        }
        self.last_count = Some(packet.frame_count);
        self.log.status.frames += 1;
        Some(packet)
    }

    /// Uses `from` as the address of the autopilot. A restarted autopilot has another port, or
    /// counts its frames again from zero.
    fn connect(&mut self, from: SocketAddr, frame_count: u32) {
        self.log.connected(from);
        let is_same =
            self.last_peer == Some(from) && self.last_count.is_some_and(|last| frame_count >= last);
        if self.last_peer.is_some() && !is_same {
            self.report_restart();
        }
        (self.peer, self.last_peer) = (Some(from), Some(from));
        (self.last_count, self.other_packets) = (None, 0);
        (self.first_widths, self.has_reported_absent) = ([None; MAX_OUTPUTS], false);
    }

    /// Reports packets from other addresses that arrived although the autopilot continues.
    fn report_other_packets(&mut self) {
        if self.other_packets > 0 {
            self.log.status.foreign += self.other_packets;
            self.other_packets = 0;
            self.log
                .note("a second autopilot uses this port: its packets are ignored");
        }
    }

    /// Reports that the autopilot has restarted.
    fn report_restart(&mut self) {
        self.log.status.restarts += 1;
        self.log.note("the autopilot has restarted");
    }

    /// Sends the last message again, if it was not sent just now.
    fn repeat_message(&mut self) {
        if let (Some((message, sent)), Some(peer)) = (&mut self.last_message, self.peer)
            && sent.elapsed() > REPEAT_AFTER
        {
            *sent = Instant::now();
            // a lost message is requested again
            let _ = self.socket.send_to(message, peer);
        }
    }

    /// Commands the devices of the robot.
    fn apply(&mut self, packet: &ServoPacket, simulation: &mut Simulation) {
        let scene = Arc::clone(&simulation.scene);
        self.report_outputs(packet, &scene.robots[self.robot]);
        for output in &self.settings.outputs {
            let value = match packet.pulse(output.channel) {
                Pulse::Width(width) => output.command_from_input(width),
                Pulse::Unchanged => continue,
                Pulse::Absent => output.command[1],
            };
            let command = device_command(self.robot, output.device, value);
            if let Err(refused) = simulation.apply(&command) {
                self.log.refuse_outputs(&refused.reason);
            }
        }
    }

    /// Reports once that outputs do not fit the robot, for example of an autopilot that flies
    /// another frame.
    fn report_outputs(&mut self, packet: &ServoPacket, model: &Robot) {
        if !self.has_reported_absent
            && let Some(line) = absent_outputs(&self.settings.outputs, packet, model)
        {
            self.has_reported_absent = true;
            self.log.note(line);
        }
        for channel in 0..packet.output_count {
            let Pulse::Width(width) = packet.pulse(channel) else {
                continue;
            };
            let first = *self.first_widths[channel].get_or_insert(width);
            let has_device = |output: &ServoOutput| output.channel == channel;
            if (width - first).abs() > MOVED_WIDTH && !self.settings.outputs.iter().any(has_device)
            {
                self.log.note(format!(
                    "output {}: it moves, but commands no device of {}; add it to `outputs`, or \
                     start the autopilot with the frame of the robot",
                    channel + 1,
                    model.name
                ));
            }
        }
    }

    /// Sends the state of the robot at `time_ns` [ns].
    fn send_state(&mut self, simulation: &Simulation, time_ns: u64) {
        self.sent_ns = Some(time_ns);
        let (Some(peer), Some(motion)) = (self.peer, self.history.motion_at(time_ns)) else {
            return;
        };
        let model = &simulation.scene.robots[self.robot];
        let state = &simulation.state.robots[self.robot];
        let gravity = simulation.scene.gravity;
        let message = encode(&self.vehicle_state(model, state, &motion, gravity));
        if let Err(why) = self.socket.send_to(&message, peer) {
            self.log.note(format!("cannot send to {peer}: {why}"));
        }
        self.last_message = Some((message, Instant::now()));
    }

    /// Returns the state of the robot in the frames of the autopilot.
    fn vehicle_state(
        &self,
        model: &Robot,
        state: &RobotState,
        motion: &MotionSample,
        gravity: f64,
    ) -> VehicleState {
        let [gyro, accelerometer] = match self.readings.imu {
            Some(readings) => readings.map(forward_right_down),
            None => [
                forward_right_down(motion.angular_velocity),
                specific_force(motion, gravity),
            ],
        };
        let battery = &state.battery;
        VehicleState {
            time: motion.time_ns as f64 * 1e-9,
            gyro,
            accelerometer,
            position: north_east_down(motion.position),
            attitude: attitude_in_ned(motion.attitude),
            velocity: north_east_down(motion.velocity),
            ranges: self.readings.ranges.clone(),
            wind_vane: self.readings.wind_vane,
            battery: model
                .battery
                .as_ref()
                .map(|_| [battery.voltage, battery.current]),
        }
    }
}

/// Returns the report of thrusters whose outputs have no pulses while other thrusters have them.
fn absent_outputs(outputs: &[ServoOutput], packet: &ServoPacket, model: &Robot) -> Option<String> {
    let of_thruster = |output: &ServoOutput| match output.device {
        ServoDevice::Thruster(k) => Some((k, output.channel)),
        ServoDevice::Fin(_) | ServoDevice::Joint(_) | ServoDevice::Load(_) => None,
    };
    let all: Vec<_> = outputs.iter().filter_map(of_thruster).collect();
    let is_absent = |(_, channel): &&(usize, usize)| packet.pulse(*channel) == Pulse::Absent;
    let absent: Vec<_> = all.iter().filter(is_absent).collect();
    if absent.is_empty() || absent.len() == all.len() {
        return None;
    }
    let beyond = absent.iter().any(|(_, k)| *k >= packet.output_count);
    let remedy = if beyond {
        "set SERVO_32_ENABLE to 1"
    } else {
        "start the autopilot with the frame of the robot"
    };
    let list = |one: &dyn Fn(&(usize, usize)) -> String| {
        let names: Vec<String> = absent.iter().map(|of| one(of)).collect();
        names.join(", ")
    };
    Some(format!(
        "outputs {}: expected pulses of 500 to 2500 µs for all {} thrusters of {}, found none: {} \
         stay at rest; {remedy}",
        list(&|(_, channel)| (channel + 1).to_string()),
        all.len(),
        model.name,
        list(&|(k, _)| model.thrusters[*k].name.clone()),
    ))
}

/// Returns the distance that the autopilot receives [m]. Without an echo it is above the maximum
/// range, which the SITL reports as out of range; without a value it would keep the last distance.
fn rangefinder_distance(altimeter: &Altimeter) -> f64 {
    let [min, max] = altimeter.limits;
    match altimeter.range {
        range if range.is_finite() => range,
        range if range < 0.0 => 0.5 * min,
        _ => BEYOND_RANGE * max,
    }
}

/// Returns the direction from which the wind blows, clockwise from the bow [rad], and its speed
/// [m/s], for an air velocity in B [m/s]; `None` for a failed anemometer.
fn wind_vane(velocity: Vec3) -> Option<[f64; 2]> {
    let speed = libm::hypot(velocity.x, velocity.y);
    let from = libm::atan2(velocity.y, -velocity.x).rem_euclid(TAU);
    speed.is_finite().then_some([from, speed])
}

impl crate::Link for Link {
    fn robot(&mut self) -> &mut usize {
        &mut self.robot
    }

    fn description(&self) -> String {
        let world = match self.settings.lock_step {
            true => "waits for it",
            false => "runs without it until it connects",
        };
        format!(
            "autopilot of {}: listens for ArduPilot on UDP {}; the world {world}",
            self.log.status.robot, self.log.status.address
        )
    }

    fn status(&self) -> &LinkStatus {
        &self.log.status
    }

    fn is_in_lock_step(&self) -> bool {
        self.settings.lock_step
    }

    fn socket(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn reset(&mut self) {
        self.sent_ns = None;
        self.history.clear();
        self.readings = Readings {
            ranges: vec![None; self.settings.rangefinders.len()],
            ..Readings::default()
        };
        if let Phase::Running { until_ns } = &mut self.phase {
            *until_ns = 0;
        }
    }

    fn exchange(&mut self, simulation: &mut Simulation, _follows_clock: bool) -> BlockLimit {
        self.history
            .push(MotionSample::read(simulation, self.robot));
        let (now_ns, dt_ns) = (simulation.time_ns(), simulation.scene.dt_ns);
        for _ in 0..MAX_FRAMES {
            if let Phase::Running { until_ns } = self.phase {
                if now_ns < until_ns {
                    return BlockLimit::Steps((until_ns - now_ns).div_ceil(dt_ns));
                }
                self.send_state(simulation, until_ns);
                self.phase = Phase::Awaiting;
            }
            let Some(packet) = self.receive() else {
                break;
            };
            self.apply(&packet, simulation);
            let period_ns = (1_000_000_000 / u64::from(packet.frame_rate)).max(SAMPLE_NS);
            let until_ns = frame_end(self.sent_ns, period_ns, now_ns, dt_ns);
            self.phase = Phase::Running { until_ns };
        }
        if self.is_lost() {
            self.phase = Phase::Unconnected { lost: true };
            self.peer = None;
            stop_thrusters(self.robot, &self.settings.outputs, simulation);
            self.log
                .lost("no packet for 5 s: the autopilot is lost and its thrusters stop");
        }
        match self.phase {
            Phase::Unconnected { lost } if lost || !self.settings.lock_step => poll_steps(dt_ns),
            _ => BlockLimit::Wait,
        }
    }

    /// Keeps the latest readings of the sensors that the autopilot receives.
    fn after_block(&mut self, simulation: &Simulation) {
        let settings = &self.settings;
        let model = &simulation.scene.robots[self.robot];
        for delivered in &simulation.runners[self.robot].outbox {
            let k = delivered.sensor;
            match &delivered.stamped.reading {
                Reading::Imu(imu) if settings.imu == Some(k) => {
                    let R_BS = model.sensors[k].R_LS;
                    let both = [imu.angular_velocity, imu.linear_acceleration];
                    self.readings.imu = Some(both.map(|v| R_BS.mul_vec(v)));
                }
                Reading::Wind(wind) if settings.wind_vane == Some(k) => {
                    let R_BS = model.sensors[k].R_LS;
                    self.readings.wind_vane = wind_vane(R_BS.mul_vec(wind.velocity));
                }
                Reading::Altimeter(altimeter) => {
                    let instances = settings.rangefinders.iter().enumerate();
                    for (instance, _) in instances.filter(|(_, sensor)| **sensor == k) {
                        self.readings.ranges[instance] = Some(rangefinder_distance(altimeter));
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::scene::autopilot::AutopilotKind;
    use parking_lot::Mutex;
    use std::net::{IpAddr, Ipv4Addr};

    /// Returns a link without outputs, and the lines of its log.
    fn link() -> (Link, Arc<Mutex<Vec<String>>>) {
        let settings = Autopilot {
            kind: AutopilotKind::ArduPilot,
            enabled: true,
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            lock_step: true,
            outputs: Vec::new(),
            rangefinders: Vec::new(),
            imu: None,
            magnetometer: None,
            barometer: None,
            gnss: None,
            wind_vane: None,
        };
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = lines.clone();
        let sink = LogSink::new(move |line| log.lock().push(line.to_string()));
        (Link::open(0, "r", &settings, &sink).unwrap(), lines)
    }

    /// Returns whether the link accepts frame `count` from port `port`.
    fn accepts(link: &mut Link, port: u16, count: u32) -> bool {
        let mut bytes = packet::MAGIC_16.to_le_bytes().to_vec();
        bytes.extend(400_u16.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend([0xdc, 0x05].repeat(16));
        let from = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        link.accept(&bytes, from).is_some()
    }

    fn pass(link: &mut Link, time: Duration) {
        link.last_packet = link.last_packet.and_then(|last| last.checked_sub(time));
    }

    fn counts(link: &Link) -> (u64, u64) {
        (link.log.status.restarts, link.log.status.foreign)
    }

    #[test]
    fn restart_with_a_new_port_is_counted() {
        let (mut link, lines) = link();
        assert!(accepts(&mut link, 5000, 0) && accepts(&mut link, 5000, 1));
        assert!(!accepts(&mut link, 5001, 0) && !accepts(&mut link, 5001, 0));
        pass(&mut link, TAKEOVER_AFTER);
        assert!(accepts(&mut link, 5001, 0) && accepts(&mut link, 5001, 1));
        assert_eq!(counts(&link), (1, 0));
        let lines = lines.lock();
        let reported = lines.iter().filter(|line| line.contains("has restarted"));
        assert_eq!(reported.count(), 1, "{lines:?}");
    }

    #[test]
    fn second_autopilot_is_ignored_while_the_first_continues() {
        let (mut link, lines) = link();
        for frame in 0..5 {
            assert!(accepts(&mut link, 5000, frame));
            assert!(!accepts(&mut link, 5001, frame));
            pass(&mut link, Duration::from_secs(1));
        }
        assert!(accepts(&mut link, 5000, 5));
        assert_eq!(counts(&link), (0, 5));
        let lines = lines.lock();
        let reported = lines
            .iter()
            .filter(|line| line.contains("second autopilot"));
        assert_eq!(reported.count(), 1, "{lines:?}");
    }

    #[test]
    fn rangefinder_without_echo_is_out_of_range() {
        let altimeter = |range: f64| Altimeter {
            range,
            limits: [0.3, 50.0],
            beam_width: 0.5,
            variance: 0.0,
        };
        assert_eq!(rangefinder_distance(&altimeter(12.0)), 12.0);
        assert!(rangefinder_distance(&altimeter(f64::INFINITY)) > 50.0);
        let near = rangefinder_distance(&altimeter(f64::NEG_INFINITY));
        assert!(0.0 < near && near < 0.3, "{near}");
    }

    // Direction and speed of the wind vane. Method: the velocity of the air for winds from ahead,
    // from the right and from the left. Tolerance: rounding.
    #[test]
    fn wind_vane_turns_clockwise_from_the_bow() {
        for (velocity, from) in [
            ([-3.0, 0.0], 0.0),
            ([0.0, 3.0], 0.25 * TAU),
            ([0.0, -3.0], 0.75 * TAU),
        ] {
            let [direction, speed] = wind_vane(Vec3::new(velocity[0], velocity[1], 0.0)).unwrap();
            assert!((direction - from).abs() < 1e-12 && (speed - 3.0).abs() < 1e-12);
        }
        assert_eq!(wind_vane(Vec3::new(f64::NAN, 0.0, 0.0)), None);
    }

    #[test]
    fn gap_of_the_frame_count_is_counted_as_lost_frames() {
        let (mut link, _) = link();
        assert!(accepts(&mut link, 5000, 0) && accepts(&mut link, 5000, 4));
        assert_eq!(link.log.status.lost_frames, 3);
        // an autopilot that returns after a long silence has not restarted
        link.peer = None;
        assert!(accepts(&mut link, 5000, 4) && accepts(&mut link, 5000, 5));
        assert_eq!((counts(&link), link.log.status.lost_frames), ((0, 0), 3));
    }
}
