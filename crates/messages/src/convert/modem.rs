//! Conversion of results of the network to messages.
//!
//! # Law
//! ```text
//!   p = p_M + r d                                    (1)
//! ```
//! # Symbols
//! r measured range, of `merrow_environment::signal` · p_M position of the modem, d measured
//! direction.
//!
//! # Frames
//! (1): link that carries the modem, world for a fixed modem.
//!
//! # Limits
//! A modem without an array measures no direction, and has no position.
//!
//! # Checked by
//! test/ros/checks/modems.py

use crate::convert::positioning::unoriented_pose;
use crate::convert::{WORLD_FRAME, header, sonar_range, time};
use crate::frames::link_frame;
use crate::msg::{
    LinkStatus, LinkTable, ModemActivity, ModemSchedule, ModemStatus, PacketLog, PacketRecord,
};
use merrow_environment::signal::measured_range;
use merrow_math::Mat3;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::{MacProtocol, Modem, RateChoice};
use merrow_model::state::comms::{LinkState, ModemState, NetworkOutput, RangeResult};
use merrow_ros2::msg::geometry_msgs::PoseWithCovarianceStamped;
use merrow_ros2::msg::sensor_msgs::Range;
use std::f64::consts::TAU;

/// Converts a linear ratio [-] to decibels [dB].
pub fn decibels(ratio: f64) -> f32 {
    (10.0 * libm::log10(ratio)) as f32
}

/// Builds the message of a range measurement; its frame is the name of the other modem.
pub fn range(scene: &Scene, result: &RangeResult) -> Range {
    let modem = &scene.modems[result.modem as usize];
    let other = &scene.modems[result.other as usize];
    let limits = [0.0, modem.transceiver.max_range_m.unwrap_or(f64::INFINITY)];
    let variance = modem.transceiver.range_std_m * modem.transceiver.range_std_m;
    let measured = [measured_range(scene, result), variance];
    sonar_range(
        header(result.true_arrival_ns, &other.name),
        TAU,
        limits,
        measured,
    )
}

/// Builds the position of another modem from its range and direction, in the frame of the link that
/// carries the modem, or in the world for a fixed modem. `None` without a direction. (1)
pub fn fix(scene: &Scene, result: &RangeResult) -> Option<PoseWithCovarianceStamped> {
    let direction = result.direction?;
    let modem = &scene.modems[result.modem as usize];
    let measured = measured_range(scene, result);
    let across = measured * measured * direction.bearing_variance;
    let variance = modem.transceiver.range_std_m * modem.transceiver.range_std_m;
    let covariance = Mat3::axial(direction.d, variance, across);
    let p_L = modem.p + direction.d.scale(measured);
    let (frame, p, covariance) = match modem.on {
        Some((robot, link)) => {
            let robot = &scene.robots[robot];
            // messages have the axes of the link in the robot's file
            let R_UL = robot.links[link].R_LU.transpose();
            let covariance = R_UL.mul_mat(&covariance).mul_mat(&R_UL.transpose());
            (link_frame(robot, link), R_UL.mul_vec(p_L), covariance)
        }
        None => (WORLD_FRAME.to_string(), p_L, covariance),
    };
    Some(PoseWithCovarianceStamped {
        header: header(result.true_arrival_ns, &frame),
        pose: unoriented_pose(p, &covariance),
    })
}

/// Energy and faults of a modem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModemCondition {
    /// Energy since the start of the run [J].
    pub energy: f64,
    /// Kinds of the active faults, separated by commas.
    pub fault: String,
    /// Fraction of the transmit power that the faults leave [-].
    pub power_fraction: f64,
}

/// Builds the status of a modem.
pub fn status(
    modem: &Modem,
    state: &ModemState,
    condition: &ModemCondition,
    now: u64,
) -> ModemStatus {
    let schemes = &modem.transceiver.schemes;
    ModemStatus {
        header: header(now, &modem.name),
        address: modem.address,
        activity: state.activity.keyword().to_string(),
        mac: mac_name(&state.mac).to_string(),
        scheme: match state.rate {
            RateChoice::Adaptive => "adaptive".to_string(),
            RateChoice::Fixed(k) => schemes.get(k).map_or(String::new(), |s| s.name.clone()),
        },
        power: condition.power_fraction * state.greatest_power(),
        queued: state.queue.len() as u32,
        queued_bytes: state.queued_bytes as u64,
        energy: condition.energy,
        fault: condition.fault.clone(),
    }
}

/// Returns the name of a protocol in world files and messages.
fn mac_name(mac: &MacProtocol) -> &'static str {
    match mac {
        MacProtocol::PollingController(_) | MacProtocol::Polled => "polling",
        other => other.kind(),
    }
}

/// Builds the table of the links on which a frame was transmitted.
pub fn link_table(scene: &Scene, links: &[LinkState], now: u64) -> LinkTable {
    let n = scene.modems.len();
    let name = |k: usize| scene.modems[k].name.clone();
    let used = links.iter().enumerate().filter(|(_, link)| link.frames > 0);
    LinkTable {
        header: header(now, ""),
        links: used
            .map(|(k, link)| LinkStatus {
                transmitter: name(k / n),
                receiver: name(k % n),
                snr: decibels(link.mean_snr),
                delay: link.delay_ns as f64 * 1e-9,
                frames: link.frames,
                received: link.received,
                bits: link.bits,
                loss: link.loss_ratio(),
                load: link.airtime_ns as f64 / now.max(1) as f64,
                random_losses: link.random_losses,
            })
            .collect(),
    }
}

/// Builds the log of the packets of a block.
pub fn packet_log(scene: &Scene, output: &NetworkOutput, now: u64) -> PacketLog {
    let name = |k: u32| scene.modems[k as usize].name.clone();
    let packets = output.packets.items.iter();
    PacketLog {
        header: header(now, ""),
        packets: packets
            .map(|record| PacketRecord {
                stamp: time(record.time_ns),
                start: time(record.start_ns),
                transmitter: name(record.from),
                receiver: name(record.to),
                message: record.message.map_or(-1, |id| id as i64),
                fragment: record.fragment,
                bits: record.bits,
                snr: decibels(record.snr),
                cause: record.cause.map_or("", |cause| cause.keyword()).to_string(),
            })
            .collect(),
    }
}

/// Builds the schedule trace of a block.
pub fn schedule(scene: &Scene, output: &NetworkOutput, now: u64) -> ModemSchedule {
    let intervals = output.trace.items.iter();
    ModemSchedule {
        header: header(now, ""),
        intervals: intervals
            .map(|interval| ModemActivity {
                modem: scene.modems[interval.modem as usize].name.clone(),
                activity: interval.activity.keyword().to_string(),
                start: time(interval.start_ns),
                end: time(interval.end_ns),
            })
            .collect(),
    }
}
