//! The nodes of a boat as processes of their own, in real time, next to the simulator.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use merrow_ros2::args::NodeOptions;
use merrow_ros2::msg::geometry_msgs::Twist;
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::qos::Qos;
use river_mission::executor::{Supervisor, real_time};
use river_mission::mission::fleet::{BOAT_NODES, write_world};
use river_mission::navigation::runner::progress_topic;
use river_mission::node::{Component, Node, Ports};
use simulator_process::program;
use std::sync::{Arc, Mutex};

/// Its own domain, so that other runs on this machine do not take part.
const DOMAIN: u16 = 74;

/// Speed ahead that was commanded last [m/s], and the last progress.
type Seen = Arc<Mutex<(f64, String)>>;

struct Watch {
    seen: Seen,
}

impl Node for Watch {
    fn declare(&self, ports: &mut Ports<Self>) {
        ports.subscribes("/usv/cmd_vel", Qos::DEFAULT, |w: &mut Self, m: Twist, _| {
            w.seen.lock().unwrap().0 = m.linear.x;
        });
        let topic = progress_topic("usv");
        ports.subscribes(topic, Qos::LATCHED, |w: &mut Self, m: Text, _| {
            w.seen.lock().unwrap().1 = m.data;
        });
    }
}

/// Processes that end with the test.
struct Processes(Vec<Child>);

impl Drop for Processes {
    fn drop(&mut self) {
        for process in &mut self.0 {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

struct Wait {
    seen: Seen,
    end: Instant,
    processes: Processes,
}

impl Supervisor for Wait {
    fn is_done(&mut self, _: u64) -> bool {
        let seen = self.seen.lock().unwrap();
        seen.0 > 0.4 && seen.1 == "running 0 0 6"
    }

    fn check(&mut self) -> Result<(), String> {
        for process in &mut self.processes.0 {
            if let Ok(Some(status)) = process.try_wait() {
                return Err(format!("a process ended: {status}"));
            }
        }
        match Instant::now() > self.end {
            true => Err(format!("the boat does not start: {:?}", self.seen)),
            false => Ok(()),
        }
    }

    fn report(&mut self, _: u64, node: &str, line: &str) {
        println!("{node}: {line}");
    }
}

#[test]
#[ignore = "needs the program merrow, in real time"]
fn nodes_of_their_own_drive_the_boat() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own_nodes");
    let world = write_world(1, &folder).expect("the world is written");
    let spawn = |program: &Path, arguments: &[&str]| {
        Command::new(program)
            .args(arguments)
            .env("ROS_DOMAIN_ID", DOMAIN.to_string())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts")
    };
    let merrow = spawn(&program(None), &["run", &world.to_string_lossy()]);
    let mut processes = Processes(vec![merrow]);
    let own = Path::new(env!("CARGO_BIN_EXE_river_mission"));
    for name in BOAT_NODES {
        let ros = ["--ros-args", "-p", "use_sim_time:=true"];
        let arguments = [&["node", name, "--robot", "usv"][..], &ros].concat();
        processes.0.push(spawn(own, &arguments));
    }
    let seen = Seen::default();
    let mut wait = Wait {
        seen: Arc::clone(&seen),
        end: Instant::now() + Duration::from_secs(90),
        processes,
    };
    let mut options = NodeOptions::new("watch");
    options.domain_id = DOMAIN;
    let watch = Component::new("watch", Watch { seen });
    real_time::run(vec![watch], &options, true, &mut wait).unwrap_or_else(|why| panic!("{why}"));
}
