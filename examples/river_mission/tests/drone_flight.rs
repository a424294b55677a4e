//! A whole flight of the drone over a boat that drives, in lock-step with the real program.

use merrow_ros2::args::{ArgsContext, NodeOptions};
use merrow_ros2::msg::geometry_msgs::{PoseWithCovarianceStamped, Twist, Vector3 as Arrow};
use merrow_ros2::msg::nav_msgs::{OccupancyGrid, Odometry};
use merrow_ros2::msg::std_msgs::{Bool, String as Text};
use merrow_ros2::qos::Qos;
use nalgebra::Vector3;
use river_mission::drone::node::{Drone, Settings as DroneSettings, phase_topic};
use river_mission::drone::pilot::PilotSettings;
use river_mission::estimation::ekf::Noise;
use river_mission::estimation::node::{Estimator, Settings as EstimatorSettings};
use river_mission::executor::Supervisor;
use river_mission::executor::lock_step;
use river_mission::node::{Component, Node, Outbox, Output, Ports};
use river_mission::vision::helipad::PadMarking;
use river_mission::vision::pad_finder::{PadFinder, Settings as PadSettings, pad_topic};
use river_mission::vision::registration::{Settings as SurveySettings, Surveyor, shore_map_topic};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

const PAD: [f64; 3] = [0.0, 0.0, 1.254];
/// Steps of the world of 4 ms per period of the nodes.
const STEPS: u64 = 5;
const END_S: u64 = 200;

/// What the test has seen, of which the odometry is the truth.
#[derive(Default)]
struct Seen {
    phases: Vec<String>,
    boat: Vector3<f64>,
    drone: Vector3<f64>,
    highest: f64,
    pads: u32,
    /// Places of land and water in the last map.
    map: [usize; 2],
    is_latched: bool,
    landing_error: Option<f64>,
}

/// Drives the boat, and watches.
struct Watch {
    seen: Arc<Mutex<Seen>>,
    drive: Output<Twist>,
}

impl Node for Watch {
    fn declare(&self, ports: &mut Ports<Self>) {
        let position = |o: &Odometry| {
            let p = &o.pose.pose.position;
            Vector3::new(p.x, p.y, p.z)
        };
        ports.subscribes(
            "/usv/odometry",
            Qos::DEFAULT,
            move |w: &mut Self, o: Odometry, _| {
                w.seen.lock().unwrap().boat = position(&o);
            },
        );
        ports.subscribes(
            "/uav/odometry",
            Qos::DEFAULT,
            move |w: &mut Self, o: Odometry, _| {
                let mut seen = w.seen.lock().unwrap();
                seen.drone = position(&o);
                seen.highest = seen.highest.max(seen.drone.z);
            },
        );
        ports.subscribes(
            phase_topic("uav"),
            Qos::DEFAULT,
            |w: &mut Self, phase: Text, _| {
                let mut seen = w.seen.lock().unwrap();
                if seen.phases.last() != Some(&phase.data) {
                    seen.phases.push(phase.data);
                }
            },
        );
        ports.subscribes(
            "/couplings/pad/state",
            Qos::LATCHED,
            |w: &mut Self, on: Bool, _| {
                let mut seen = w.seen.lock().unwrap();
                if on.data && !seen.is_latched && seen.phases.len() > 3 {
                    let offset = (seen.drone - seen.boat).xy();
                    seen.landing_error = Some(offset.norm());
                }
                seen.is_latched = on.data;
            },
        );
        ports.subscribes(
            pad_topic("uav"),
            Qos::DEFAULT,
            |w: &mut Self, _: PoseWithCovarianceStamped, _| {
                w.seen.lock().unwrap().pads += 1;
            },
        );
        ports.subscribes(
            shore_map_topic("usv"),
            Qos::LATCHED,
            |w: &mut Self, map: OccupancyGrid, _| {
                let count = |is: fn(i8) -> bool| map.data.iter().filter(|v| is(**v)).count();
                w.seen.lock().unwrap().map = [count(|v| v > 80), count(|v| (0..20).contains(&v))];
            },
        );
        ports.publishes(&self.drive);
        ports.every(0.1, |w: &mut Self, outbox: &mut Outbox| {
            let linear = Arrow {
                x: 0.8,
                y: 0.0,
                z: 0.0,
            };
            let angular = Arrow {
                x: 0.0,
                y: 0.0,
                z: -0.012,
            };
            outbox.publish(&w.drive, &Twist { linear, angular });
        });
    }
}

struct Wait {
    seen: Arc<Mutex<Seen>>,
    merrow: Child,
}

impl Supervisor for Wait {
    fn is_done(&mut self, now_ns: u64) -> bool {
        let seen = self.seen.lock().unwrap();
        now_ns > END_S * 1_000_000_000
            || (seen.landing_error.is_some() && seen.phases.last().is_some_and(|p| p == "docked"))
    }

    fn check(&mut self) -> Result<(), String> {
        match self.merrow.try_wait() {
            Ok(Some(status)) => Err(format!("merrow ended: {status}")),
            _ => Ok(()),
        }
    }

    fn report(&mut self, now_ns: u64, node: &str, line: &str) {
        println!("{:7.2} {node}: {line}", now_ns as f64 * 1e-9);
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let _ = self.merrow.kill();
        let _ = self.merrow.wait();
    }
}

fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("MERROW_PROGRAM") {
        return program.into();
    }
    let test = std::env::current_exe().expect("the path of this test");
    test.ancestors()
        .nth(2)
        .expect("the folder of the build")
        .join("merrow")
}

fn estimator(robot: &str, receiver: &str, antenna: [f64; 3], imu: [f64; 3]) -> Component {
    Component::new(
        format!("{robot}_estimator"),
        Estimator::new(EstimatorSettings {
            robot: robot.into(),
            receiver: receiver.into(),
            datum: [38.82, -8.86, 58.0],
            antenna: antenna.into(),
            imu: imu.into(),
            noise: Noise {
                force_m_s2: 0.3,
                rate_density: 3e-4,
                rate_walk: 1e-4,
                force_walk: 1e-2,
            },
        }),
    )
}

#[test]
#[ignore = "renders hundreds of images, which takes many minutes"]
fn drones_fly_ahead_and_land_on_the_boat_that_drives() {
    let domain = 73;
    let world = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("river_mission.yaml");
    let merrow = Command::new(program())
        .arg("run")
        .arg(world)
        .args(["--pace", "lockstep"])
        .env("ROS_DOMAIN_ID", domain.to_string())
        .stdout(Stdio::null())
        .spawn()
        .expect("merrow starts");
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut wait = Wait {
        seen: Arc::clone(&seen),
        merrow,
    };
    let pair = |name: &str| name.to_owned();
    let nodes = vec![
        estimator("usv", "gps", [0.3, 0.0, 1.3], [0.3, -0.2, 1.3]),
        estimator("uav", "gnss", [0.0, 0.0, 0.06], [0.0; 3]),
        Component::new(
            "uav_pad_finder",
            PadFinder::new(PadSettings {
                drone: pair("uav"),
                camera: pair("camera"),
                boat: pair("usv"),
                marking: PadMarking::WAMV,
            }),
        ),
        Component::new(
            "uav_surveyor",
            Surveyor::new(SurveySettings {
                drone: pair("uav"),
                camera: pair("camera"),
                boat: pair("usv"),
                pad: PAD.into(),
            }),
        ),
        Component::new(
            "uav_pilot",
            Drone::new(DroneSettings {
                drone: pair("uav"),
                boat: pair("usv"),
                coupling: pair("pad"),
                pad: PAD.into(),
                pilot: PilotSettings {
                    scout_time_s: 30.0,
                    ..PilotSettings::default()
                },
                flights: 1,
            }),
        ),
        Component::new(
            "watch",
            Watch {
                seen: Arc::clone(&seen),
                drive: Output::new("/usv/cmd_vel", Qos::DEFAULT),
            },
        ),
    ];
    // its own domain, so that other runs on this machine do not take part
    let arguments = ["--ros-args".to_owned()];
    let context = ArgsContext::of_process();
    let (mut options, _) =
        NodeOptions::parse("river_flight", &arguments, &context).expect("options");
    options.domain_id = domain;
    let outcome =
        lock_step::run(nodes, &options, STEPS, &mut wait).unwrap_or_else(|e| panic!("{e}"));
    let seen = seen.lock().unwrap();
    println!(
        "{outcome:?} {:?} pads {} map {:?} highest {:.1} landing error {:?}",
        seen.phases, seen.pads, seen.map, seen.highest, seen.landing_error
    );
    assert!(seen.highest > 20.0, "{:.1} m", seen.highest);
    assert!(seen.pads > 20, "{}", seen.pads);
    assert!(seen.map[0] > 200 && seen.map[1] > 200, "{:?}", seen.map);
    let error = seen.landing_error.expect("a landing");
    assert!(error < 0.15, "{error} m");
}
