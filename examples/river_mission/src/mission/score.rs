//! The score of a mission, computed from the truth of the simulator, which the nodes do not see.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use merrow_messages::msg::Contacts;
use merrow_ros2::msg::nav_msgs::{OccupancyGrid, Odometry};
use merrow_ros2::msg::sensor_msgs::BatteryState;
use merrow_ros2::msg::std_msgs::{Bool, String as Text};
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_ros2::qos::Qos;
use nalgebra::{Isometry3, Point3};
use serde_json::{Value, json};

use super::fleet::Pair;
use super::structures::Structure;
use crate::estimation::node::estimate_topic;
use crate::frames::{isometry, roll_pitch_yaw, stamp_ns, wrapped};
use crate::navigation::runner::progress_topic;
use crate::node::{Node, Outbox, Ports};
use crate::vision::registration::shore_map_topic;

/// Half of length and width of the hulls, and their centre ahead of the base [m].
const HULL_M: [f64; 2] = [2.45, 1.25];
const HULL_CENTRE_M: f64 = -0.4;
/// Radius of a buoy [m].
const BUOY_RADIUS_M: f64 = 0.375;
/// Time between two points of a track [ns].
const TRACK_NS: u64 = 500_000_000;
/// Largest difference of the stamps of an estimate and the truth that are compared [ns].
const SAME_TIME_NS: u64 = 10_000_000;
/// Height of a drone over the base of its boat from which it has left the deck [m].
const FLOWN_M: f64 = 2.5;
/// Time for which a drone is charged after its last landing, before the mission ends [s].
const CHARGING_S: f64 = 10.0;

/// Number of contact points with an object, and time [s] and place [m] of the first.
pub type FirstContact = (u64, f64, [f64; 2]);

/// A landing of a drone on its boat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landing {
    /// Time at which the latch caught [s].
    pub time_s: f64,
    /// Horizontal distance from the centre of the pad just before [m].
    pub error_m: f64,
    /// Charge of the battery, 0 to 1.
    pub charge: Option<f64>,
}

/// Score of a boat.
#[derive(Clone, Debug, Default)]
pub struct BoatScore {
    /// Last progress: state and numbers of way-points reached, given up, and of all.
    pub progress: (bool, [usize; 3]),
    /// Closest approach of the hull to an object [m], and its name.
    pub closest: Option<(f64, String)>,
    /// Objects that the boat touched.
    pub contacts: BTreeMap<String, FirstContact>,
    /// Sums of squares of the errors of position [m²] and heading [rad²], their number, and the largest
    /// error of the position [m].
    pub errors: (f64, f64, u64, f64),
    /// Energy of the battery [J] and time of the last message [ns].
    energy_j: f64,
    battery_ns: Option<u64>,
    /// Landings of the drone on the pad.
    pub landings: Vec<Landing>,
    /// Charge of the drone, 0 to 1.
    pub drone_charge: Option<f64>,
    /// Objects that the drone touched, other than its boat, as `contacts`.
    pub drone_contacts: BTreeMap<String, FirstContact>,
    /// Areas that the drone has seen to be water and land [m²].
    pub surveyed_m2: [f64; 2],
    /// Track of the drone [m].
    pub drone_track: Vec<[f64; 2]>,
    /// Whether the pad holds the drone.
    is_latched: Option<bool>,
    /// True and estimated track [m].
    pub track: Vec<[f64; 2]>,
    /// Estimated track [m].
    pub estimated: Vec<[f64; 2]>,
    truth: Option<(u64, Isometry3<f64>)>,
    drone: Option<Isometry3<f64>>,
    /// Whether the drone has left the deck since its last landing.
    has_flown: bool,
    /// Earlier truth, for estimates of its time.
    history: BTreeMap<u64, Isometry3<f64>>,
    next_track_ns: u64,
    next_drone_track_ns: u64,
}

/// Score of a mission.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Scores of the boats, in the order of the pairs.
    pub boats: Vec<BoatScore>,
    /// Time of the last input [ns].
    pub time_ns: u64,
}

impl Score {
    /// Returns whether all boats have finished their way-points, and all drones their flights and
    /// have been charged for a while.
    pub fn is_done(&self, pairs: &[Pair]) -> bool {
        self.boats.iter().zip(pairs).all(|(boat, pair)| {
            let is_charged = |last: &Landing| {
                boat.has_landed(pair) && self.time_ns as f64 * 1e-9 > last.time_s + CHARGING_S
            };
            boat.progress.0 && (pair.flights == 0 || boat.landings.last().is_some_and(is_charged))
        })
    }

    /// Returns whether all way-points were reached and all flights ended on the pad, without a
    /// contact.
    pub fn is_success(&self, pairs: &[Pair]) -> bool {
        self.boats.iter().zip(pairs).all(|(boat, pair)| {
            let [reached, _, total] = boat.progress.1;
            let is_touched = !boat.contacts.is_empty() || !boat.drone_contacts.is_empty();
            boat.progress.0 && reached == total && boat.has_landed(pair) && !is_touched
        })
    }

    /// Returns the score as JSON, with the names of the pairs.
    pub fn json(&self, pairs: &[Pair]) -> Value {
        let boats = self.boats.iter().zip(pairs).map(|(boat, pair)| {
            let [reached, given_up, total] = boat.progress.1;
            let (position, heading) = boat.rms();
            let landings = boat.landings.iter().map(|landing| {
                json!({
                    "time_s": rounded(landing.time_s),
                    "error_m": rounded(landing.error_m),
                    "charge": landing.charge.map(rounded),
                })
            });
            json!({
                "boat": pair.boat,
                "way_points_reached": reached,
                "way_points_given_up": given_up,
                "way_points": total,
                "closest_approach_m": boat.closest.as_ref().map(|(d, _)| rounded(*d)),
                "closest_object": boat.closest.as_ref().map(|(_, name)| name),
                "contacts": boat.contacts,
                "position_error_rms_m": position.map(rounded),
                "position_error_max_m": position.map(|_| rounded(boat.errors.3)),
                "heading_error_rms_deg": heading.map(|h| rounded(h.to_degrees())),
                "energy_wh": rounded(boat.energy_j / 3600.0),
                "drone": pair.drone,
                "landings": landings.collect::<Vec<_>>(),
                "surveyed_water_m2": boat.surveyed_m2[0],
                "surveyed_land_m2": boat.surveyed_m2[1],
                "drone_charge": boat.drone_charge.map(rounded),
                "drone_contacts": boat.drone_contacts,
            })
        });
        json!({
            "success": self.is_success(pairs),
            "time_s": self.time_ns as f64 * 1e-9,
            "boats": boats.collect::<Vec<_>>(),
        })
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() * 1e-4
}

impl BoatScore {
    /// Returns the root mean square errors of position [m] and heading [rad]; `None` without estimates.
    pub fn rms(&self) -> (Option<f64>, Option<f64>) {
        let (position, heading, count, _) = self.errors;
        let rms = |sum: f64| (count > 0).then(|| (sum / count as f64).sqrt());
        (rms(position), rms(heading))
    }

    /// Returns whether the drone has made its flights and stands on the pad.
    fn has_landed(&self, pair: &Pair) -> bool {
        self.landings.len() >= pair.flights as usize && self.is_latched != Some(false)
    }

    /// Returns the energy that the boat used [J].
    pub fn energy_j(&self) -> f64 {
        self.energy_j
    }

    fn approach(&mut self, name: &str, centre: [f64; 2], radius_m: f64) {
        if let Some((_, pose)) = &self.truth {
            let d = hull_distance(pose, centre) - radius_m;
            if self.closest.as_ref().is_none_or(|(least, _)| d < *least) {
                self.closest = Some((d, name.to_owned()));
            }
        }
    }
}

/// Returns the horizontal distance of a place from the hull of a boat [m]; 0 inside.
fn hull_distance(pose: &Isometry3<f64>, place: [f64; 2]) -> f64 {
    let yaw = roll_pitch_yaw(&pose.rotation)[2];
    let (sin, cos) = libm::sincos(yaw);
    let d = [place[0] - pose.translation.x, place[1] - pose.translation.y];
    let along = (d[0] * cos + d[1] * sin - HULL_CENTRE_M).abs() - HULL_M[0];
    let across = (d[1] * cos - d[0] * sin).abs() - HULL_M[1];
    libm::hypot(along.max(0.0), across.max(0.0))
}

/// Node that keeps the score.
pub struct Scorer {
    pairs: Vec<Pair>,
    structures: Vec<Structure>,
    score: Arc<Mutex<Score>>,
    next_frames_ns: u64,
}

impl Scorer {
    /// Creates the node, and the score that it keeps.
    pub fn new(pairs: Vec<Pair>, structures: Vec<Structure>) -> (Self, Arc<Mutex<Score>>) {
        let boats = pairs.iter().map(|pair| BoatScore {
            progress: (false, [0, 0, pair.way_points.len()]),
            ..BoatScore::default()
        });
        let score = Arc::new(Mutex::new(Score {
            boats: boats.collect(),
            time_ns: 0,
        }));
        let scorer = Self {
            pairs,
            structures,
            score: Arc::clone(&score),
            next_frames_ns: 0,
        };
        (scorer, score)
    }

    fn change(&self, boat: usize, change: impl FnOnce(&mut BoatScore)) {
        let mut score = self.score.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut score.boats[boat]);
    }

    fn on_truth(&mut self, boat: usize, message: &Odometry, now_ns: u64) {
        let pose = &message.pose.pose;
        let Some(pose) = isometry(&pose.position, &pose.orientation) else {
            return;
        };
        let at = stamp_ns(&message.header);
        let structures = &self.structures;
        self.change(boat, |score| {
            score.truth = Some((at, pose));
            score.history.insert(at, pose);
            while score.history.len() > 100 {
                score.history.pop_first();
            }
            for s in structures {
                score.approach(&s.name, s.centre, s.radius_m);
            }
            if now_ns >= score.next_track_ns {
                score.next_track_ns = now_ns + TRACK_NS;
                score.track.push([pose.translation.x, pose.translation.y]);
            }
        });
        let mut score = self.score.lock().unwrap_or_else(PoisonError::into_inner);
        score.time_ns = now_ns;
        let others = self
            .pairs
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != boat);
        for (other, pair) in others {
            let centre = score.boats[other]
                .truth
                .map(|(_, p)| [p.translation.x, p.translation.y]);
            if let Some(centre) = centre {
                // a circle around the other hull
                score.boats[boat].approach(&pair.boat, centre, HULL_M[0] - HULL_CENTRE_M);
            }
        }
    }

    fn on_estimate(&mut self, boat: usize, message: &Odometry) {
        let pose = &message.pose.pose;
        let Some(pose) = isometry(&pose.position, &pose.orientation) else {
            return;
        };
        let at = stamp_ns(&message.header);
        self.change(boat, |score| {
            let near = score
                .history
                .range(at.saturating_sub(SAME_TIME_NS)..=at + SAME_TIME_NS);
            let Some((_, truth)) = near.min_by_key(|(t, _)| t.abs_diff(at)) else {
                return;
            };
            let d = pose.translation.vector - truth.translation.vector;
            let position = libm::hypot(d.x, d.y);
            let yaw = [&pose, truth].map(|p| roll_pitch_yaw(&p.rotation)[2]);
            let heading = wrapped(yaw[0] - yaw[1]);
            score.errors.0 += position * position;
            score.errors.1 += heading * heading;
            score.errors.2 += 1;
            score.errors.3 = score.errors.3.max(position);
            if score.errors.2.is_multiple_of(12) {
                score
                    .estimated
                    .push([pose.translation.x, pose.translation.y]);
            }
        });
    }

    fn on_progress(&mut self, boat: usize, message: &Text) {
        let words: Vec<&str> = message.data.split(' ').collect();
        let numbers: Vec<usize> = words
            .iter()
            .skip(1)
            .filter_map(|w| w.parse().ok())
            .collect();
        if let Ok(numbers) = <[usize; 3]>::try_from(numbers) {
            self.change(boat, |score| score.progress = (words[0] == "done", numbers));
        }
    }

    fn on_battery(&mut self, boat: usize, message: &BatteryState) {
        let at = stamp_ns(&message.header);
        let power = -f64::from(message.voltage) * f64::from(message.current);
        self.change(boat, |score| {
            let last = score.battery_ns.replace(at).unwrap_or(at);
            if power.is_finite() {
                score.energy_j += power * at.saturating_sub(last) as f64 * 1e-9;
            }
        });
    }

    fn on_drone(&mut self, boat: usize, pose: Option<Isometry3<f64>>, now_ns: u64) {
        self.change(boat, |score| {
            score.drone = pose;
            if let Some(drone) = &pose
                && now_ns >= score.next_drone_track_ns
            {
                score.next_drone_track_ns = now_ns + TRACK_NS;
                let place = [drone.translation.x, drone.translation.y];
                score.drone_track.push(place);
            }
            if let (Some((_, deck)), Some(drone)) = (&score.truth, &pose) {
                score.has_flown |= drone.translation.z > deck.translation.z + FLOWN_M;
            }
        });
    }

    fn on_pad(&mut self, boat: usize, is_latched: bool, now_ns: u64) {
        self.change(boat, |score| {
            let before = score.is_latched.replace(is_latched);
            if let (Some(false), true, Some((_, deck)), Some(drone)) =
                (before, is_latched, &score.truth, &score.drone)
                && std::mem::take(&mut score.has_flown)
            {
                let p = deck.inverse() * Point3::from(drone.translation.vector);
                score.landings.push(Landing {
                    time_s: now_ns as f64 * 1e-9,
                    error_m: libm::hypot(p.x, p.y),
                    charge: score.drone_charge,
                });
            }
        });
    }

    fn on_contacts(&mut self, message: &Contacts) {
        for contact in &message.contacts {
            let robots = [&contact.robot_a, &contact.robot_b];
            let colliders = [&contact.collider_a, &contact.collider_b];
            let p = &contact.position;
            let first = (0, stamp_ns(&message.header) as f64 * 1e-9, [p.x, p.y]);
            for (k, pair) in self.pairs.iter().enumerate() {
                for (robot, is_drone) in [(&pair.boat, false), (&pair.drone, true)] {
                    let Some(own) = robots.iter().position(|name| *name == robot) else {
                        continue;
                    };
                    let other = robots[1 - own];
                    // the drone stands on its boat
                    if other == &pair.boat || other == &pair.drone {
                        continue;
                    }
                    let collider = colliders[1 - own];
                    let name = if other.is_empty() { collider } else { other };
                    let name = if name.is_empty() { "ground" } else { name };
                    self.change(k, |score| {
                        let contacts = match is_drone {
                            true => &mut score.drone_contacts,
                            false => &mut score.contacts,
                        };
                        contacts.entry(name.to_owned()).or_insert(first).0 += 1;
                    });
                }
            }
        }
    }

    fn on_frames(&mut self, message: &TFMessage, now_ns: u64) {
        if now_ns < self.next_frames_ns {
            return;
        }
        self.next_frames_ns = now_ns + TRACK_NS / 5;
        for frame in &message.transforms {
            if let Some(name) = frame.child_frame_id.strip_suffix("/base_link")
                && name.starts_with("buoy")
            {
                let t = &frame.transform.translation;
                for boat in 0..self.pairs.len() {
                    self.change(boat, |score| {
                        score.approach(name, [t.x, t.y], BUOY_RADIUS_M)
                    });
                }
            }
        }
    }
}

impl Node for Scorer {
    fn declare(&self, ports: &mut Ports<Self>) {
        let qos = Qos::DEFAULT;
        for (k, pair) in self.pairs.iter().enumerate() {
            let (boat, drone) = (&pair.boat, &pair.drone);
            ports.subscribes(
                format!("/{boat}/odometry"),
                qos,
                move |s: &mut Self, m, outbox: &mut Outbox| {
                    s.on_truth(k, &m, outbox.now_ns());
                },
            );
            ports.subscribes(
                format!("/{drone}/odometry"),
                qos,
                move |s: &mut Self, m: Odometry, outbox: &mut Outbox| {
                    let pose = isometry(&m.pose.pose.position, &m.pose.pose.orientation);
                    s.on_drone(k, pose, outbox.now_ns());
                },
            );
            ports.subscribes_if_present(
                shore_map_topic(boat),
                Qos::LATCHED,
                move |s: &mut Self, map: OccupancyGrid, _| {
                    let cell = f64::from(map.info.resolution).powi(2);
                    let area = |is: fn(i8) -> bool| {
                        map.data.iter().filter(|v| is(**v)).count() as f64 * cell
                    };
                    let areas = [area(|v| (0..20).contains(&v)), area(|v| v > 80)];
                    s.change(k, |score| score.surveyed_m2 = areas);
                },
            );
            ports.subscribes(estimate_topic(boat), qos, move |s: &mut Self, m, _| {
                s.on_estimate(k, &m)
            });
            ports.subscribes(
                progress_topic(boat),
                Qos::LATCHED,
                move |s: &mut Self, m, _| {
                    s.on_progress(k, &m);
                },
            );
            ports.subscribes(
                format!("/{boat}/battery_state"),
                qos,
                move |s: &mut Self, m, _| {
                    s.on_battery(k, &m);
                },
            );
            let topic = format!("/couplings/{}/state", pair.pad);
            ports.subscribes(
                topic,
                Qos::LATCHED,
                move |s: &mut Self, m: Bool, outbox: &mut Outbox| {
                    s.on_pad(k, m.data, outbox.now_ns());
                },
            );
            ports.subscribes(
                format!("/{drone}/battery_state"),
                qos,
                move |s: &mut Self, battery: BatteryState, _| {
                    let charge = f64::from(battery.percentage);
                    s.change(k, |score| {
                        score.drone_charge = (0.0..=1.0).contains(&charge).then_some(charge);
                    });
                },
            );
        }
        ports.subscribes("/contacts", qos, |s: &mut Self, m, _| s.on_contacts(&m));
        ports.subscribes("/tf", Qos::TF, |s: &mut Self, m, outbox: &mut Outbox| {
            s.on_frames(&m, outbox.now_ns());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{from_roll_pitch_yaw, header, point, quaternion};
    use merrow_messages::msg::Contact;
    use nalgebra::Translation3;

    fn scorer() -> (Scorer, Arc<Mutex<Score>>) {
        let pair = super::super::fleet::pairs(1).unwrap();
        let tree = Structure {
            name: "tree".to_owned(),
            centre: [10.0, 0.0],
            radius_m: 0.5,
        };
        Scorer::new(pair, vec![tree])
    }

    fn odometry(at: u64, x: f64, y: f64, yaw: f64) -> Odometry {
        let mut message = Odometry {
            header: header("world", at),
            ..Odometry::default()
        };
        message.pose.pose.position = point(&Point3::new(x, y, 0.0));
        message.pose.pose.orientation = quaternion(&from_roll_pitch_yaw([0.0, 0.0, yaw]));
        message
    }

    #[test]
    fn distances_are_those_of_the_hull() {
        let rotation = from_roll_pitch_yaw([0.0, 0.0, std::f64::consts::FRAC_PI_2]);
        let pose = Isometry3::from_parts(Translation3::new(1.0, 2.0, 0.0), rotation);
        // the bow is 2.05 m, the stern 2.85 m, the sides 1.25 m from the base
        for (place, d) in [
            ([1.0, 6.05], 2.0),
            ([1.0, -1.85], 1.0),
            ([5.25, 2.0], 3.0),
            ([1.5, 2.5], 0.0),
        ] {
            assert!((hull_distance(&pose, place) - d).abs() < 1e-12, "{place:?}");
        }
    }

    #[test]
    fn the_score_follows_the_truth() {
        let (mut scorer, score) = scorer();
        scorer.on_truth(0, &odometry(100, 0.0, 0.0, 0.0), 100);
        scorer.on_estimate(0, &odometry(100, 0.3, 0.4, 0.1));
        scorer.on_truth(0, &odometry(20_000_000, 4.0, 0.0, 0.0), 20_000_000);
        scorer.on_estimate(0, &odometry(20_000_000, 4.0, 0.0, 0.0));
        scorer.on_progress(
            0,
            &Text {
                data: "done 6 0 6".to_owned(),
            },
        );
        let battery = |at: u64| BatteryState {
            header: header("", at),
            voltage: 50.0,
            current: -2.0,
            ..BatteryState::default()
        };
        scorer.on_battery(0, &battery(0));
        scorer.on_battery(0, &battery(2_000_000_000));
        let found = score.lock().unwrap().clone();
        let boat = &found.boats[0];
        assert!((boat.closest.as_ref().unwrap().0 - (10.0 - 4.0 - 2.05 - 0.5)).abs() < 1e-12);
        assert!((boat.rms().0.unwrap() - (0.25f64 / 2.0).sqrt()).abs() < 1e-12);
        assert!((boat.energy_j() - 200.0).abs() < 1e-9);
        let pairs = scorer.pairs.clone();
        assert!(
            !found.is_done(&pairs) && !found.is_success(&pairs),
            "the drone has not landed"
        );
        let contact = |a: &str, b: &str| Contact {
            robot_a: a.to_owned(),
            robot_b: b.to_owned(),
            ..Contact::default()
        };
        let contacts = vec![
            contact("usv", "uav"),
            contact("buoy_1", "usv"),
            contact("usv", ""),
            contact("tree", "uav"),
        ];
        scorer.on_contacts(&Contacts {
            contacts,
            ..Contacts::default()
        });
        let found = score.lock().unwrap().clone();
        let names: Vec<&String> = found.boats[0].contacts.keys().collect();
        assert_eq!(names, ["buoy_1", "ground"]);
        assert!(found.boats[0].drone_contacts.contains_key("tree"));
        scorer.pairs[0].flights = 0;
        assert!(found.is_done(&scorer.pairs) && !found.is_success(&scorer.pairs));
    }

    #[test]
    fn landings_are_measured_on_the_deck() {
        let (mut scorer, score) = scorer();
        scorer.on_pad(0, true, 0);
        scorer.on_truth(0, &odometry(0, 5.0, 5.0, 1.0), 0);
        let drone = Isometry3::translation(5.3, 5.4, 1.3);
        scorer.on_drone(0, Some(drone), 0);
        scorer.change(0, |s| {
            s.drone_charge = Some(0.5);
            s.progress = (true, [6, 0, 6]);
        });
        scorer.on_pad(0, false, 0);
        scorer.on_pad(0, true, 0);
        scorer.on_pad(0, false, 1_000_000_000);
        scorer.on_drone(0, Some(Isometry3::translation(5.0, 5.0, 9.0)), 0);
        scorer.on_drone(0, Some(drone), 0);
        scorer.on_pad(0, true, 2_000_000_000);
        let mut found = score.lock().unwrap().clone();
        let landings = &found.boats[0].landings;
        assert_eq!(
            landings.len(),
            1,
            "the drone on the deck at the start has not landed"
        );
        assert!((landings[0].error_m - 0.5).abs() < 1e-12);
        assert_eq!((landings[0].time_s, landings[0].charge), (2.0, Some(0.5)));
        let pairs = &scorer.pairs;
        assert!(
            found.is_success(pairs) && !found.is_done(pairs),
            "it charges"
        );
        found.time_ns = 13_000_000_000;
        assert!(found.is_done(pairs));
    }
}
