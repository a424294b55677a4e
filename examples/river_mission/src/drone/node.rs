//! Node that flies the drone: it takes the estimates, the pad and the states of battery, latch and
//! rotors, and commands velocities, the latch and the firmware.

use super::pilot::{Phase, Pilot, PilotSettings, Senses};
use super::target::Target;
use crate::estimation::node::estimate_topic;
use crate::frames::{StaticFrames, isometry, roll_pitch_yaw, stamp_ns};
use crate::node::{Node, Outbox, Output, Ports, Remote};
use crate::vision::pad_finder::pad_topic;
use crate::vision::track::Track;
use merrow_ros2::msg::geometry_msgs::{PoseWithCovarianceStamped, Twist, Vector3 as Arrow};
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::sensor_msgs::BatteryState;
use merrow_ros2::msg::std_msgs::{Bool, String as Text};
use merrow_ros2::msg::std_srvs::{Trigger, TriggerRequest, TriggerResponse};
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_ros2::qos::Qos;
use nalgebra::{Isometry3, Point3, Vector3};

/// Period of the commands [s].
const PERIOD_S: f64 = 0.05;
/// Standard deviation of the pad by the estimates of both robots [m].
const LINK_STD_M: f64 = 0.1;
/// Standard deviation of the velocity of the pad by the estimate of the boat, which rolls [m/s].
const LINK_STD_M_S: f64 = 0.1;

/// Names and settings of a drone.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the drone.
    pub drone: String,
    /// Name of its boat.
    pub boat: String,
    /// Name of the coupling that latches the drone.
    pub coupling: String,
    /// Centre of the pad in the base of the boat [m].
    pub pad: Vector3<f64>,
    /// The flight.
    pub pilot: PilotSettings,
    /// Flights that it makes by itself, the first as soon as it can. A command starts a further one.
    pub flights: u32,
}

/// The node.
pub struct Drone {
    settings: Settings,
    pilot: Pilot,
    senses: Senses,
    /// Flights that it has yet to make by itself.
    flights: u32,
    is_ready: bool,
    track: Track,
    frames: StaticFrames,
    velocity: Output<Twist>,
    latch: Output<Bool>,
    phase: Output<Text>,
    takeoff: Remote<Trigger>,
    land: Remote<Trigger>,
}

/// Returns the topic with which a flight is wanted (true) or the drone recalled (false).
#[must_use]
pub fn command_topic(drone: &str) -> String {
    format!("/{drone}/mission/fly")
}

/// Returns the topic of the name of the phase.
#[must_use]
pub fn phase_topic(drone: &str) -> String {
    format!("/{drone}/mission/phase")
}

impl Drone {
    /// Creates the node.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings {
            drone, coupling, ..
        } = &settings;
        Self {
            pilot: Pilot::new(settings.pilot.clone()),
            senses: Senses {
                now_ns: 0,
                position: Vector3::zeros(),
                velocity: Vector3::zeros(),
                heading: 0.0,
                target: None,
                link_ns: None,
                sight_ns: None,
                charge: None,
                is_latched: true,
                is_off: true,
                is_wanted: settings.flights > 0,
            },
            flights: settings.flights,
            is_ready: false,
            track: Track::default(),
            frames: StaticFrames::default(),
            velocity: Output::new(format!("/{drone}/cmd_vel"), Qos::DEFAULT),
            latch: Output::new(format!("/couplings/{coupling}/command"), Qos::DEFAULT),
            phase: Output::new(phase_topic(drone), Qos::DEFAULT),
            takeoff: Remote::new(format!("/{drone}/takeoff")),
            land: Remote::new(format!("/{drone}/land")),
            settings,
        }
    }

    fn on_own(&mut self, odometry: Odometry, _: &mut Outbox) {
        let Some((pose, velocity)) = motion(&odometry) else {
            return;
        };
        let now_ns = stamp_ns(&odometry.header);
        self.track.push(now_ns, pose);
        self.senses.position = pose.translation.vector;
        self.senses.velocity = velocity;
        self.senses.heading = roll_pitch_yaw(&pose.rotation)[2];
        self.is_ready = true;
    }

    fn on_boat(&mut self, odometry: Odometry, _: &mut Outbox) {
        let Some((pose, velocity)) = motion(&odometry) else {
            return;
        };
        let stamp = stamp_ns(&odometry.header);
        let pad = (pose * Point3::from(self.settings.pad)).coords;
        let heading = roll_pitch_yaw(&pose.rotation)[2];
        self.senses.link_ns = Some(stamp);
        match &mut self.senses.target {
            Some(target) => {
                target.measure(stamp, pad, LINK_STD_M, Some(heading));
                target.measure_velocity(velocity, LINK_STD_M_S);
            }
            None => {
                self.senses.target = Some(Target::new(stamp, pad, LINK_STD_M, velocity, heading));
            }
        }
    }

    fn on_pad(&mut self, pad: PoseWithCovarianceStamped, _: &mut Outbox) {
        let stamp = stamp_ns(&pad.header);
        let base = format!("{}/base_link", self.settings.drone);
        let seen = isometry(&pad.pose.pose.position, &pad.pose.pose.orientation);
        let mount = self.frames.to_base(&pad.header.frame_id, &base);
        let (Some(seen), Some(mount), Some(pose)) = (seen, mount, self.track.at(stamp)) else {
            return;
        };
        let in_map = pose * mount * seen;
        let std_m = pad.pose.covariance[0].max(1e-4).sqrt();
        let position = in_map.translation.vector;
        let heading = roll_pitch_yaw(&in_map.rotation)[2];
        match &mut self.senses.target {
            Some(target) => target.measure(stamp, position, std_m, Some(heading)),
            None => {
                let target = Target::new(stamp, position, std_m, Vector3::zeros(), heading);
                self.senses.target = Some(target);
            }
        }
        self.senses.sight_ns = Some(stamp);
    }

    fn decide(&mut self, outbox: &mut Outbox) {
        if !self.is_ready {
            return;
        }
        self.senses.now_ns = outbox.now_ns();
        let before = self.pilot.phase();
        let order = self.pilot.decide(&self.senses);
        let has_landed = self.pilot.phase() == Phase::Docked
            && !matches!(before, Phase::Docked | Phase::TakingOff);
        if has_landed {
            self.flights = self.flights.saturating_sub(1);
            self.senses.is_wanted = self.flights > 0;
        }
        for line in order.events {
            outbox.log(line);
        }
        if let Some(data) = order.latch {
            outbox.publish(&self.latch, &Bool { data });
        }
        if order.takes_off {
            outbox.call(&self.takeoff, &TriggerRequest {});
        }
        if order.lands {
            outbox.call(&self.land, &TriggerRequest {});
        }
        if let Some((velocity, z)) = order.velocity {
            let (sin, cos) = self.senses.heading.sin_cos();
            let command = Twist {
                linear: Arrow {
                    x: cos * velocity.x + sin * velocity.y,
                    y: cos * velocity.y - sin * velocity.x,
                    z: velocity.z,
                },
                angular: Arrow { x: 0.0, y: 0.0, z },
            };
            outbox.publish(&self.velocity, &command);
        }
        let data = self.pilot.phase().name().to_owned();
        outbox.publish(&self.phase, &Text { data });
    }
}

/// Returns pose and velocity [m/s] in the map; `None` if they are not finite.
fn motion(odometry: &Odometry) -> Option<(Isometry3<f64>, Vector3<f64>)> {
    let pose = isometry(
        &odometry.pose.pose.position,
        &odometry.pose.pose.orientation,
    )?;
    let v = &odometry.twist.twist.linear;
    let velocity = pose.rotation * Vector3::new(v.x, v.y, v.z);
    velocity
        .iter()
        .all(|c| c.is_finite())
        .then_some((pose, velocity))
}

/// Reports why a service refused.
fn report(name: &'static str) -> impl Fn(&mut Drone, TriggerResponse, &mut Outbox) {
    move |_, response, outbox| {
        if !response.success {
            outbox.log(format!("{name}: {}", response.message));
        }
    }
}

impl Node for Drone {
    fn declare(&self, ports: &mut Ports<Self>) {
        let Settings {
            drone,
            boat,
            coupling,
            ..
        } = &self.settings;
        ports.subscribes(estimate_topic(drone), Qos::DEFAULT, Self::on_own);
        ports.subscribes_if_present(estimate_topic(boat), Qos::DEFAULT, Self::on_boat);
        ports.subscribes_if_present(pad_topic(drone), Qos::DEFAULT, Self::on_pad);
        ports.subscribes(
            "/tf_static",
            Qos::LATCHED,
            |node: &mut Self, frames: TFMessage, _| node.frames.add(&frames),
        );
        ports.subscribes(
            format!("/{drone}/battery_state"),
            Qos::DEFAULT,
            |node: &mut Self, battery: BatteryState, _| {
                let charge = f64::from(battery.percentage);
                node.senses.charge = (0.0..=1.0).contains(&charge).then_some(charge);
            },
        );
        ports.subscribes(
            format!("/{drone}/flight_mode"),
            Qos::DEFAULT,
            |node: &mut Self, mode: Text, _| node.senses.is_off = mode.data == "off",
        );
        ports.subscribes(
            format!("/couplings/{coupling}/state"),
            Qos::LATCHED,
            |node: &mut Self, state: Bool, _| node.senses.is_latched = state.data,
        );
        ports.subscribes_if_present(
            command_topic(drone),
            Qos::DEFAULT,
            |node: &mut Self, wanted: Bool, _| node.senses.is_wanted = wanted.data,
        );
        ports.calls(&self.takeoff, report("take-off"));
        ports.calls(&self.land, report("landing"));
        ports.publishes(&self.velocity);
        ports.publishes(&self.latch);
        ports.publishes(&self.phase);
        ports.every(PERIOD_S, Self::decide);
    }
}
