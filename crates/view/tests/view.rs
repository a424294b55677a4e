//! Tests of the live view with clients on real sockets.

use merrow_environment::waves::WaveState;
use merrow_math::Vec3;
use merrow_model::scene::Sensor;
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_model::state::frames::Frame;
use merrow_model::state::{Command, Health};
use merrow_sim::sensors::current_frame;
use merrow_sim::{BlockLimit, Control, Observer, Pace, Simulation, run};
use merrow_view::action::ControlAction;
use merrow_view::readings::forces::Evaluation;
use merrow_view::readings::wetted_hull::wetted_hull;
use merrow_view::{
    Answer, Catalogue, ColorScale, Controls, DETAILS_KIND, DrawnImage, FRAME_KIND, IMAGE_KIND,
    ImageSource, NoControls, View, WatchedFrame, fields, picture,
};
use merrow_world::catalogue::BundledModel;
use merrow_world::{Overrides, load_text};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

const WORLD: &str = "
seed: 3
water: {waves: {kind: jonswap, hs_m: 0.5, tp_s: 5, components: 48}}
robots:
  rov: {model: bluerov2, position_m: [0, 0, -1]}
  boat: {model: otter, position_m: [5, 0, 0]}
";

fn simulation() -> Simulation {
    let world = load_text("w.yaml", WORLD, Overrides::default()).unwrap();
    Simulation::new(Arc::new(world.scene), 1).unwrap()
}

fn start(simulation: &Simulation, address: &str, controls: Arc<dyn Controls>) -> View {
    View::start(simulation, Some(address.parse().unwrap()), controls).unwrap()
}

/// Returns the host and the port of a view, and its query.
fn place(view: &View) -> (String, String) {
    let url = view.url();
    let (host, query) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    (host.to_string(), query.to_string())
}

fn connect(view: &View) -> WebSocket<TcpStream> {
    let (host, query) = place(view);
    let stream = TcpStream::connect(&host).unwrap();
    let url = format!("ws://{host}/socket{query}");
    tungstenite::client(url, stream).unwrap().0
}

/// Sends a request and returns the response of the server as text.
fn http(host: &str, lines: &[&str]) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!("{}\r\n\r\n", lines.join("\r\n"));
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = Vec::new();
    // a refused connection may end with a reset
    let _ = stream.read_to_end(&mut response);
    String::from_utf8_lossy(&response).into_owned()
}

/// Waits for a condition, at most one minute.
fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Holds the run until `count` has reached `n`; the observers are called meanwhile.
struct Hold {
    count: Arc<AtomicUsize>,
    n: usize,
}

impl Observer for Hold {
    fn after_block(&mut self, _: &Simulation, _: &Control) {}

    fn rejected(&mut self, _: &CommandRejection, _: &Simulation) {}

    fn before_block(&mut self, simulation: &mut Simulation, _: Option<Instant>) -> BlockLimit {
        let is_held = simulation.time_ns() > 200_000_000;
        if is_held && self.count.load(Ordering::Relaxed) < self.n {
            return BlockLimit::Wait;
        }
        BlockLimit::Steps(u64::MAX)
    }
}

/// Starts a client that selects a robot, sends malformed messages and counts itself once it has
/// received a frame with the details of its robot.
fn viewer(view: &View, count: &Arc<AtomicUsize>) -> JoinHandle<()> {
    let mut socket = connect(view);
    let count = Arc::clone(count);
    std::thread::spawn(move || {
        let mut is_counted = false;
        let _ = socket.send(Message::text("{\"do\":"));
        while let Ok(message) = socket.read() {
            match message {
                Message::Text(text) if text.contains("\"type\":\"scene\"") => {
                    let select = json!({"do": "select", "robot": "rov"});
                    let _ = socket.send(Message::text(select.to_string()));
                }
                Message::Binary(bytes) if has_details(&bytes) && !is_counted => {
                    is_counted = true;
                    count.fetch_add(1, Ordering::Relaxed);
                }
                _ => {}
            }
        }
    })
}

/// Returns true if a frame of [`WORLD`] ends with details of robot 0.
fn has_details(bytes: &[u8]) -> bool {
    let scene = simulation_layout();
    bytes[0] == FRAME_KIND && bytes.len() > scene && bytes[scene] == DETAILS_KIND
}

/// Returns the length of a frame of [`WORLD`] without details [bytes].
fn simulation_layout() -> usize {
    let world = load_text("w.yaml", WORLD, Overrides::default()).unwrap();
    let numbers = |robot: &merrow_model::scene::Robot| {
        3 + 7 * robot.links.len() + robot.fins.len() + robot.lamps.len() + 2 * robot.thrusters.len()
    };
    40 + 4 * world.scene.robots.iter().map(numbers).sum::<usize>()
}

// Viewers have no effect on the physics. Method: the hash of all state bits after 0.6 s in waves
// with 0, 1 and 5 clients that select a robot and send malformed messages; every client has
// received frames with details before the run ends.
#[test]
fn state_is_bit_identical_with_any_number_of_viewers() {
    let mut hashes = Vec::new();
    for n in [0, 1, 5] {
        let mut simulation = simulation();
        let mut view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
        let count = Arc::new(AtomicUsize::new(0));
        let viewers: Vec<_> = (0..n).map(|_| viewer(&view, &count)).collect();
        wait_for("the clients connect", || view.clients() == n);
        let mut hold = Hold { count, n };
        let (_sender, requests) = crossbeam_channel::unbounded();
        let stop = AtomicBool::new(false);
        let observers: &mut [&mut dyn Observer] = &mut [&mut hold, &mut view];
        let until = Some(0.6);
        let summary = run(
            &mut simulation,
            Pace::Max,
            until,
            &requests,
            observers,
            &stop,
        );
        hashes.push(summary.state_hash);
        let refused = view.refused();
        assert_eq!(refused, n as u64);
        drop(view);
        viewers
            .into_iter()
            .for_each(|viewer| viewer.join().unwrap());
    }
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
}

const CAMERA_WORLD: &str = "
seed: 3
robots:
  rov:
    position_m: [0, 0, -1]
    model:
      extends: robots/bluerov2.yaml
      sensors:
        camera: {device: {extends: sensors/lowlight_hd.yaml, width: 32, height: 18}}
";

/// Controls whose images state the number of frames from which they are drawn.
struct Painter;

impl Controls for Painter {
    fn catalogue(&self) -> Catalogue {
        Catalogue {
            models: vec![BundledModel {
                name: "buoy".to_string(),
                description: "a \"buoy\"".to_string(),
                is_prop: true,
                height_above_seabed: None,
            }],
            ..Catalogue::default()
        }
    }

    fn image_source(&self, _: (usize, usize), sensor: &Sensor) -> Option<ImageSource> {
        (sensor.name == "camera").then(|| ImageSource {
            kinds: vec![("color".to_string(), 1)],
            frames: 3,
        })
    }

    fn image(&self, sensor: &Sensor, kind: &str, frames: &[WatchedFrame]) -> Option<DrawnImage> {
        assert_eq!((sensor.name.as_str(), kind), ("camera", "color"));
        Some(DrawnImage {
            file: vec![frames.len() as u8],
            scale: ColorScale::Depth([1.0, 8.0]),
        })
    }
}

/// Starts a client that watches the camera and counts the images that it has received, up to `n`.
fn watcher(view: &View, count: &Arc<AtomicUsize>, n: usize) -> JoinHandle<()> {
    let mut socket = connect(view);
    let count = Arc::clone(count);
    std::thread::spawn(move || {
        while let Ok(message) = socket.read() {
            match message {
                Message::Text(text) if text.contains("\"type\":\"scene\"") => {
                    let image = json!({"robot": "rov", "sensor": "camera", "image": "color"});
                    let watch = json!({"do": "watch", "images": [image]});
                    let _ = socket.send(Message::text(watch.to_string()));
                }
                Message::Binary(bytes) if bytes[0] == IMAGE_KIND => {
                    // robot 0; at most three frames are kept
                    assert_eq!((bytes[2], bytes.len()), (0, 25));
                    // image 0 of the sensor, with depths from 1 m to 8 m
                    let end = |k: usize| f32::from_le_bytes(bytes[k..k + 4].try_into().unwrap());
                    assert_eq!((bytes[6], bytes[7], end(16), end(20)), (0, 1, 1.0, 8.0));
                    assert!((1..=3).contains(&bytes[24]), "{}", bytes[24]);
                    let time = f64::from_le_bytes(bytes[8..16].try_into().unwrap());
                    assert!((0.0..10.0).contains(&time), "{time}");
                    if count.fetch_add(1, Ordering::Relaxed) + 1 == n {
                        return;
                    }
                }
                _ => {}
            }
        }
    })
}

// Clients that watch a sensor have no effect on the physics. Method: the hash of all state bits
// after 6 s with 0 and 2 clients that receive images of a camera; the run is held until they have
// received one.
#[test]
fn watched_sensors_have_no_effect_on_the_state() {
    let mut hashes = Vec::new();
    for n in [0, 2] {
        let world = load_text("w.yaml", CAMERA_WORLD, Overrides::default()).unwrap();
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        let mut view = start(&simulation, "127.0.0.1:0", Arc::new(Painter));
        let count = Arc::new(AtomicUsize::new(0));
        let clients: Vec<_> = (0..n).map(|_| watcher(&view, &count, 4)).collect();
        wait_for("the clients connect", || view.clients() == n);
        let (_sender, requests) = crossbeam_channel::unbounded();
        let stop = AtomicBool::new(false);
        let mut seconds = 1.0;
        let summary = loop {
            let observers: &mut [&mut dyn Observer] = &mut [&mut view];
            let pace = Pace::Factor(4.0);
            let until = Some(1.0);
            let summary = run(&mut simulation, pace, until, &requests, observers, &stop);
            if seconds > 5.5 {
                break summary;
            }
            seconds += 1.0;
        };
        hashes.push(summary.state_hash);
        assert!(count.load(Ordering::Relaxed) >= n, "no images");
        drop(view);
        clients
            .into_iter()
            .for_each(|client| client.join().unwrap());
    }
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn unknown_sensors_and_images_are_refused() {
    let world = load_text("w.yaml", CAMERA_WORLD, Overrides::default()).unwrap();
    let simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let view = start(&simulation, "127.0.0.1:0", Arc::new(Painter));
    let mut socket = connect(&view);
    for (robot, sensor, image, expected) in [
        (
            "ghost",
            "camera",
            "color",
            "no robot \"ghost\"; expected `rov`",
        ),
        (
            "rov",
            "eye",
            "color",
            "no sensor \"eye\" on rov; expected one of ",
        ),
        ("rov", "imu", "color", "the sensor has no images"),
        ("rov", "camera", "depth", "expected color"),
    ] {
        let image = json!({"robot": robot, "sensor": sensor, "image": image});
        let watch = json!({"do": "watch", "images": [image], "id": 3});
        socket.send(Message::text(watch.to_string())).unwrap();
        let refusal = answer(&mut socket, 3);
        let error = refusal["error"].as_str().unwrap();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(view.refused(), 4);
}

#[test]
fn catalogue_is_served_as_json() {
    let simulation = simulation();
    let view = start(&simulation, "127.0.0.1:0", Arc::new(Painter));
    let (host, _) = place(&view);
    let own = format!("Host: {host}");
    let text = http(&host, &["GET /catalogue HTTP/1.1", &own]);
    let body = text.split("\r\n\r\n").nth(1).unwrap();
    let value: Value = serde_json::from_str(body).unwrap();
    assert_eq!(value["models"][0]["description"], "a \"buoy\"");
    assert_eq!(value["models"][0]["prop"], true);
    let foreign = http(&host, &["GET /catalogue HTTP/1.1", "Host: example.org"]);
    assert!(foreign.starts_with("HTTP/1.1 403"));
}

/// Controls with images of 16 MB, which are more than the buffers of a socket.
struct LargePainter;

impl Controls for LargePainter {
    fn image_source(&self, place: (usize, usize), sensor: &Sensor) -> Option<ImageSource> {
        Painter.image_source(place, sensor)
    }

    fn image(&self, _: &Sensor, _: &str, _: &[WatchedFrame]) -> Option<DrawnImage> {
        Some(DrawnImage {
            file: vec![0; 16 << 20],
            scale: ColorScale::None,
        })
    }
}

// A client that does not receive does not stop or change the run. Method: a client watches large
// images and does not read, so that the buffers of its socket are full and frames are dropped;
// steps and state of a run in real time with and without it.
#[test]
fn stalled_client_does_not_stop_the_run() {
    let mut hashes = Vec::new();
    for is_stalled in [false, true] {
        let world = load_text("w.yaml", CAMERA_WORLD, Overrides::default()).unwrap();
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        let mut view = start(&simulation, "127.0.0.1:0", Arc::new(LargePainter));
        let mut socket = connect(&view);
        wait_for("the client connects", || view.clients() == 1);
        if is_stalled {
            // the scene resets what a client watches
            let is_scene = |message: &Message| {
                message
                    .to_text()
                    .is_ok_and(|text| text.contains("\"type\":\"scene\""))
            };
            while !is_scene(&socket.read().unwrap()) {}
            let image = json!({"robot": "rov", "sensor": "camera", "image": "color"});
            let watch = json!({"do": "watch", "images": [image]});
            socket.send(Message::text(watch.to_string())).unwrap();
        } else {
            drop(socket);
        }
        let (_sender, requests) = crossbeam_channel::unbounded();
        let stop = AtomicBool::new(false);
        let observers: &mut [&mut dyn Observer] = &mut [&mut view];
        let pace = Pace::Factor(1.0);
        let summary = run(
            &mut simulation,
            pace,
            Some(2.0),
            &requests,
            observers,
            &stop,
        );
        assert_eq!(
            summary.steps,
            2_000_000_000_u64.div_ceil(simulation.scene.dt_ns)
        );
        assert_eq!(view.dropped() > 10, is_stalled, "{}", view.dropped());
        hashes.push(summary.state_hash);
    }
    assert_eq!(hashes[0], hashes[1]);
}

/// Controls that record the actions.
#[derive(Default)]
struct Recorder(Mutex<Vec<ControlAction>>);

impl Controls for Recorder {
    fn request(&self, action: ControlAction, answer: Answer) {
        self.0.lock().push(action);
        answer(Ok("done".to_string()));
    }
}

/// Reads up to the answer to request `id`.
fn answer(socket: &mut WebSocket<TcpStream>, id: u64) -> Value {
    loop {
        let message = socket.read().unwrap();
        let Message::Text(text) = message else {
            continue;
        };
        let value: Value = serde_json::from_str(&text).unwrap();
        if value["type"] == "answer" && value["id"] == id {
            return value;
        }
    }
}

// The page can compute the surface of the simulation. Method: sum of the components that the server
// sends, against the elevation of the simulation at several positions and times. Tolerance: 1e-9 m,
// rounding.
#[test]
fn sent_components_give_the_surface_of_the_simulation() {
    let mut simulation = simulation();
    let mut view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
    let mut socket = connect(&view);
    wait_for("the client connects", || view.clients() == 1);
    let (_sender, requests) = crossbeam_channel::unbounded();
    let stop = AtomicBool::new(false);
    let observers: &mut [&mut dyn Observer] = &mut [&mut view];
    run(
        &mut simulation,
        Pace::Max,
        Some(0.1),
        &requests,
        observers,
        &stop,
    );
    let sea: Value = loop {
        if let Message::Text(text) = socket.read().unwrap() {
            let value: Value = serde_json::from_str(&text).unwrap();
            if value["type"] == "sea" {
                break value;
            }
        }
    };
    assert_eq!(sea["seas"].as_array().unwrap().len(), 1);
    let components = sea["seas"][0]["components"].as_array().unwrap();
    for (t, x, y) in [(0.0, 0.0, 0.0), (3.7, 10.0, -4.0), (125.5, -33.0, 71.0)] {
        let height = |c: &Value| {
            let [a, omega, phase, kx, ky] = [0, 1, 2, 3, 4].map(|k| c[k].as_f64().unwrap());
            a * (kx * x + ky * y - omega * t + phase).cos()
        };
        let sum: f64 = components.iter().map(height).sum();
        let waves = WaveState::new(&simulation.state.sea.waves, t * 1e9);
        let expected = waves.elevation(x, y);
        assert!((sum - expected).abs() < 1e-9, "{sum} {expected}");
        assert!(expected.abs() > 1e-4);
    }
}

const STILL_WORLD: &str = "
seed: 3
seabed: {depth_m: 50}
robots:
  rov: {model: bluerov2, position_m: [0, 0, -5]}
  boat: {model: otter, position_m: [9, 0, 0]}
";

/// Returns the force of a law on a robot in W [N].
fn force_of(evaluation: &Evaluation, law: &str) -> Vec3 {
    let forces = evaluation
        .forces
        .iter()
        .filter(|force| force.law.name() == law);
    forces.fold(Vec3::zero(), |sum, force| sum + force.f_W)
}

// The page shows the forces of the laws. Method: weight and buoyancy of a submerged robot from the
// mass and the volume of its links; damping in a known current against the sign of the relative
// velocity; a floating boat in equilibrium after 30 s, whose weight and buoyancy balance.
// Tolerance: rounding; 1 % for the boat, which still moves.
#[test]
fn shown_forces_are_those_of_the_laws() {
    let world = load_text("w.yaml", STILL_WORLD, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let (scene, g) = (Arc::clone(&simulation.scene), simulation.scene.gravity);
    let at_start = Evaluation::new(&simulation, 0);
    let links = &scene.robots[0].links;
    let weight: f64 = links.iter().map(|link| link.mass_kg * g).sum();
    let volume: f64 = links.iter().map(|link| link.volume_m3).sum();
    assert!((force_of(&at_start, "gravity").z + weight).abs() < 1e-9 * weight);
    let expected = scene.sea.density * g * volume;
    let buoyancy = force_of(&at_start, "buoyancy");
    assert!(
        (buoyancy.z - expected).abs() < 1e-6 * expected,
        "{buoyancy:?}"
    );
    assert!(buoyancy.x.abs() + buoyancy.y.abs() < 1e-6 * expected);
    assert!(force_of(&at_start, "damping").norm() < 1e-9);
    simulation.state.robots[0].motion.V_WB_B.v = Vec3::new(0.7, 0.0, 0.0);
    let moving = Evaluation::new(&simulation, 0);
    assert!(force_of(&moving, "damping").x < -1.0);
    let buoyancy = force_of(&moving, "buoyancy");
    assert!(
        (buoyancy.z - expected).abs() < 1e-6 * expected,
        "{buoyancy:?}"
    );
    simulation.advance((30.0 / scene.dt()) as u64);
    let floating = Evaluation::new(&simulation, 1);
    let sum = force_of(&floating, "gravity") + force_of(&floating, "buoyancy");
    let weight = force_of(&floating, "gravity").norm();
    assert!(sum.norm() < 0.01 * weight, "{sum:?} of {weight}");
}

// The arrow of an azimuth thruster has the direction of its thrust. Method: a WAM-V whose servos
// are turned by 0.5 rad to port. Tolerance: rounding.
#[test]
fn thrust_of_azimuth_thrusters_turns_with_their_servos() {
    let text = "robots: {boat: {position_m: [0, 0, 0], model: robots/wamv.yaml}}";
    let world = load_text("w.yaml", text, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let boat = &mut simulation.state.robots[0];
    boat.fins.iter_mut().for_each(|servo| servo.angle = 0.5);
    boat.actuators
        .iter_mut()
        .for_each(|motor| (motor.health, motor.held_drive) = (Health::Stuck, 40.0));
    let shown = Evaluation::new(&simulation, 0).forces;
    let thrusts: Vec<Vec3> = shown
        .iter()
        .filter(|force| force.law.name() == "thrust")
        .map(|force| force.f_W)
        .collect();
    assert_eq!(thrusts.len(), 2);
    for f in thrusts {
        let expected = Vec3::new(0.5_f64.cos(), 0.5_f64.sin(), 0.0).scale(40.0);
        assert!((f - expected).norm() < 1e-9, "{f:?}");
    }
}

const WALL_WORLD: &str = "
seed: 3
structures:
  wall: {position_m: [5, 0, 0], shapes: {body: {kind: box, size_m: [1, 40, 20]}}}
robots:
  boat:
    position_m: [0, 0, 0]
    attitude_deg: [0, 0, 30]
    model:
      extends: robots/otter.yaml
      sensors:
        laser: {device: hokuyo_utm30lx, position_m: [0.2, 0, 1.2]}
";

// Points of a laser are shown where the beams end. Method: the points of a scan of a turned boat in
// front of a wall, against the plane of the wall. Tolerance: 0.1 m, ten standard deviations of the
// range.
#[test]
fn laser_points_are_on_the_wall() {
    let world = load_text("w.yaml", WALL_WORLD, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let scene = Arc::clone(&simulation.scene);
    let sensors = &scene.robots[0].sensors;
    let k = sensors.iter().position(|s| s.name == "laser").unwrap();
    let data = current_frame::compute_frame(&mut simulation, 0, k).unwrap();
    let pose = current_frame::pose_of(&mut simulation, 0, k);
    let frame = Frame {
        robot: 0,
        sensor: k,
        stamp_ns: 0,
        due_ns: 0,
        data: Arc::new(data),
    };
    let points = picture::points_in_world(&sensors[k], &frame, &pose, 500).unwrap();
    let on_wall = points.iter().filter(|p| (p[0] - 4.5).abs() < 0.1);
    let before: Vec<_> = points.iter().filter(|p| p[0] > 2.0).collect();
    assert!(points.len() <= 500 && before.len() > 50, "{}", points.len());
    assert!(on_wall.count() > 9 * before.len() / 10);
    let imu = sensors.iter().position(|s| s.name == "imu").unwrap();
    assert!(picture::points_in_world(&sensors[imu], &frame, &pose, 500).is_none());
}

/// Returns the texts of a type that a client receives during a run of one second.
fn texts_of(
    view: &mut View,
    simulation: &mut Simulation,
    requests: &[Value],
    kind: &str,
) -> Vec<Value> {
    let mut socket = connect(view);
    // a new scene ends the selection
    let is_scene = |message: &Message| matches!(message, Message::Text(text) if text.contains("\"type\":\"scene\""));
    while !is_scene(&socket.read().unwrap()) {}
    for request in requests {
        socket.send(Message::text(request.to_string())).unwrap();
        answer(&mut socket, request["id"].as_u64().unwrap());
    }
    let (_sender, inbox) = crossbeam_channel::unbounded();
    let stop = AtomicBool::new(false);
    let observers: &mut [&mut dyn Observer] = &mut [view];
    run(
        simulation,
        Pace::Factor(1.0),
        Some(1.3),
        &inbox,
        observers,
        &stop,
    );
    let _ = socket
        .get_mut()
        .set_read_timeout(Some(Duration::from_millis(300)));
    let mut found = Vec::new();
    while let Ok(message) = socket.read() {
        if let Message::Text(text) = message {
            let value: Value = serde_json::from_str(&text).unwrap();
            found.extend((value["type"] == kind).then_some(value));
        }
    }
    found
}

// Readings go only to clients that request them, for their selected robot. Method: number of texts
// in a run of 1.3 s, with and without the request.
#[test]
fn readings_go_to_clients_that_request_them() {
    let select = json!({"do": "select", "robot": "rov", "id": 1});
    let overlay = json!({"do": "overlay", "on": true, "id": 2});
    for (requests, kind, is_sent) in [
        (vec![select.clone(), overlay.clone()], "overlay", true),
        (vec![select.clone()], "overlay", false),
        (vec![overlay], "overlay", false),
        (vec![select], "rates", true),
        (vec![], "rates", false),
    ] {
        let mut simulation = simulation();
        let mut view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
        let n = texts_of(&mut view, &mut simulation, &requests, kind).len();
        assert_eq!(n > 0, is_sent, "{kind}: {n}");
        assert!(n <= 20, "{kind}: {n}");
    }
}

const MODEM_WORLD: &str = "
seed: 3
robots:
  boat:
    position_m: [10, 0, 0]
    model:
      extends: robots/otter.yaml
      modems:
        radio: {modem: wifi_80211n, address: 1, position_m: [0, 0, 1.8]}
modems:
  shore: {modem: wifi_80211n, address: 2, position_m: [300, 0, 6]}
";

// The activities of the modems go only to clients that request them, with the frames and their
// distances. Method: one message from a boat to the shore in a run of 1.3 s. Tolerance: 1 m, the
// motion of the boat.
#[test]
fn activities_of_modems_go_to_clients_that_request_them() {
    for is_on in [true, false] {
        let world = load_text("w.yaml", MODEM_WORLD, Overrides::default()).unwrap();
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        let modems = &simulation.scene.modems;
        let index = |name: &str| modems.iter().position(|modem| modem.name == name).unwrap();
        let [boat, shore] = ["boat/radio", "shore"].map(index);
        let send = ModemCommand::Send(Send::new(boat, 2, vec![7; 16]));
        simulation.apply(&Command::Modem(send)).unwrap();
        let mut view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
        let request = json!({"do": "network", "on": is_on, "id": 1});
        let texts = texts_of(&mut view, &mut simulation, &[request], "network");
        assert_eq!(!texts.is_empty(), is_on);
        assert!(texts.len() <= 4, "{}", texts.len());
        for text in texts {
            let frames = text["frames"].as_array().unwrap();
            assert_eq!(frames.len(), 1, "{text}");
            let number = |k: usize| frames[0][k].as_f64().unwrap();
            assert_eq!([number(0), number(1)], [boat as f64, shore as f64]);
            assert!((number(2) - 290.06).abs() < 1.0, "{text}");
            assert!((0.0..0.1).contains(&number(3)), "{text}");
            assert!(
                text["time_s"].as_f64() >= text["since_s"].as_f64(),
                "{text}"
            );
        }
    }
}

// The page receives the fixed modems and the beacons with the kinds of their faults, the faults of
// the world, and the random losses of each link. Method: a scheduled fault, and a message in a
// network that loses every frame.
#[test]
fn fixed_modems_have_faults_and_links_have_random_losses() {
    let text = MODEM_WORLD.replace(
        "{modem: wifi_80211n,",
        "{modem: {extends: modems/wifi_80211n.yaml, loss_probability: 1},",
    ) + "beacons: {gate: {beacon: pinger_27khz}}\n\
         faults: {mute: {target: shore, kind: dead, time_s: 50}}\n";
    let world = load_text("w.yaml", &text, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let send = ModemCommand::Send(Send::new(0, 2, vec![7; 16]));
    simulation.apply(&Command::Modem(send)).unwrap();
    let mut view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
    let mut socket = connect(&view);
    let scene = loop {
        match socket.read().unwrap() {
            Message::Text(text) if text.contains("\"type\":\"scene\"") => break text,
            _ => {}
        }
    };
    let scene: Value = serde_json::from_str(&scene).unwrap();
    let devices = json!([
        [
            "beacons/gate",
            ["dead", "reduced", "biased", "intermittent"]
        ],
        ["modems/shore", ["dead", "reduced", "intermittent"]],
    ]);
    assert_eq!(scene["devices"], devices);
    let texts = texts_of(&mut view, &mut simulation, &[], "status");
    assert_eq!(
        texts[0]["repairable"],
        json!([["mute", "modems/shore: dead"]])
    );
    let texts = texts_of(&mut view, &mut simulation, &[], "links");
    let link = &texts.last().unwrap()["links"][0];
    let [frames, received, random] = [2, 3, 7].map(|k| link[k].as_u64().unwrap());
    assert!(frames > 0, "{link}");
    assert_eq!((received, random), (0, frames), "{link}");
}

#[test]
fn every_field_has_a_unique_name_and_a_value() {
    let simulation = simulation();
    for robot in 0..2 {
        let names = fields::names(&simulation.scene, robot);
        let values = fields::values(&simulation, robot);
        assert_eq!(names.len(), values.len());
        let mut unique: Vec<_> = names.iter().map(|(name, _)| name).collect();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        // the robots head east
        let heading = names
            .iter()
            .position(|(name, _)| name == "heading")
            .unwrap();
        assert_eq!((names[heading].1.as_str(), values[heading]), ("deg", 90.0));
    }
    let names = fields::names(&simulation.scene, 0);
    let thrusts = names.iter().filter(|(name, _)| name.ends_with(".thrust"));
    assert_eq!(thrusts.count(), 6);
}

#[test]
fn malformed_messages_are_refused_and_counted() {
    let simulation = simulation();
    let recorder = Arc::new(Recorder::default());
    let view = start(&simulation, "127.0.0.1:0", Arc::clone(&recorder) as _);
    let mut socket = connect(&view);
    for text in [
        "",
        "{",
        "[]",
        r#"{"do":"explode"}"#,
        r#"{"do":"step","steps":-1}"#,
    ] {
        socket.send(Message::text(text)).unwrap();
        let refusal = answer(&mut socket, 0);
        assert_eq!(refusal["ok"], false, "{text}");
        assert!(!refusal["error"].as_str().unwrap().contains('\n'));
    }
    socket.send(Message::binary(vec![0, 1, 2])).unwrap();
    assert_eq!(answer(&mut socket, 0)["ok"], false);
    assert_eq!(view.refused(), 6);
    // the connection still works
    let pause = json!({"do": "pause", "id": 9});
    socket.send(Message::text(pause.to_string())).unwrap();
    assert_eq!(answer(&mut socket, 9)["ok"], true);
    assert_eq!(*recorder.0.lock(), [ControlAction::Pause]);
    let unknown = json!({"do": "select", "robot": "submarine", "id": 10});
    socket.send(Message::text(unknown.to_string())).unwrap();
    let refusal = answer(&mut socket, 10);
    let expected = "no robot \"submarine\"; expected one of `rov`, `boat`";
    assert_eq!(refusal["error"], expected);
    // a message that is too long ends the connection
    let long = "x".repeat(100_000);
    let _ = socket.send(Message::text(long));
    wait_for("the connection ends", || view.clients() == 0);
}

#[test]
fn robot_stops_when_its_driver_disconnects() {
    let simulation = simulation();
    let recorder = Arc::new(Recorder::default());
    let view = start(&simulation, "127.0.0.1:0", Arc::clone(&recorder) as _);
    let mut socket = connect(&view);
    let sticks = json!({"do": "gamepad", "robot": "rov", "axes": [0, 1], "buttons": [true]});
    socket.send(Message::text(sticks.to_string())).unwrap();
    assert_eq!(answer(&mut socket, 0)["text"], "done");
    recorder.0.lock().clear();
    let drive = json!({"do": "drive", "robot": "rov", "axes": [0.5, 0, 0, 0], "id": 1});
    socket.send(Message::text(drive.to_string())).unwrap();
    assert_eq!(answer(&mut socket, 1)["ok"], true);
    drop(socket);
    wait_for("the client is gone", || view.clients() == 0);
    let drive = |axes| ControlAction::Drive {
        robot: "rov".to_string(),
        axes,
    };
    let actions = recorder.0.lock();
    assert_eq!(*actions, [drive([0.5, 0.0, 0.0, 0.0]), drive([0.0; 4])]);
}

#[test]
fn page_and_meshes_are_served() {
    let simulation = simulation();
    let view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
    let (host, _) = place(&view);
    let own = format!("Host: {host}");
    let get = |path: &str| http(&host, &[&format!("GET {path} HTTP/1.1"), &own]);
    assert!(get("/").contains("<title>Merrow</title>"));
    assert!(get("/main.js").starts_with("HTTP/1.1 200"));
    assert!(get("/mesh/0").starts_with("HTTP/1.1 200"));
    for path in [
        "/mesh/100000",
        "/mesh/-1",
        "/../Cargo.toml",
        "/mesh/",
        "/socket",
    ] {
        assert!(get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    assert!(http(&host, &["POST / HTTP/1.1", &own]).starts_with("HTTP/1.1 405"));
    assert!(http(&host, &["GET / HTTP/1.1", "Host: example.org"]).starts_with("HTTP/1.1 403"));
    assert!(http(&host, &["nonsense"]).starts_with("HTTP/1.1 400"));
    let foreign = [
        "GET /socket HTTP/1.1",
        &own,
        "Origin: http://example.org",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    assert!(http(&host, &foreign).starts_with("HTTP/1.1 403"));
}

#[test]
fn other_machines_need_the_token() {
    let simulation = simulation();
    let view = start(&simulation, "0.0.0.0:0", Arc::new(NoControls));
    let (host, query) = place(&view);
    assert!(query.starts_with("?token=") && query.len() == 39, "{query}");
    let own = format!("Host: {host}");
    let get = |path: &str| http(&host, &[&format!("GET {path} HTTP/1.1"), &own]);
    assert!(get("/").starts_with("HTTP/1.1 403"));
    assert!(get("/?token=0").starts_with("HTTP/1.1 403"));
    assert!(get("/terrain").starts_with("HTTP/1.1 403"));
    assert!(get(&format!("/{query}")).starts_with("HTTP/1.1 200"));
    // modules contain no data of the world
    assert!(get("/main.js").starts_with("HTTP/1.1 200"));
    let stream = TcpStream::connect(&host).unwrap();
    assert!(tungstenite::client(format!("ws://{host}/socket"), stream).is_err());
    let _ = connect(&view);
    wait_for("a client with the token connects", || view.clients() == 1);
}

#[test]
fn slow_sockets_do_not_lock_the_page_out() {
    let simulation = simulation();
    let view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
    let (host, _) = place(&view);
    let started = Instant::now();
    let mut slow: Vec<_> = (0..100)
        .map(|_| TcpStream::connect(&host).unwrap())
        .collect();
    let page = || http(&host, &["GET / HTTP/1.1", "Host: localhost"]);
    for stream in &mut slow {
        // the server has closed the first already
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nA: b");
    }
    assert!(page().starts_with("HTTP/1.1 200"));
    assert!(started.elapsed() < Duration::from_secs(4));
    // a byte per second does not extend the time for the head
    let mut last = slow.pop().unwrap();
    let closed = |stream: &mut TcpStream| {
        stream
            .set_read_timeout(Some(Duration::from_secs(1)))
            .unwrap();
        let _ = stream.write_all(b"c");
        !matches!(stream.read(&mut [0]), Err(why) if why.kind() == std::io::ErrorKind::WouldBlock)
    };
    while !closed(&mut last) {
        assert!(started.elapsed() < Duration::from_secs(15), "still open");
    }
}

#[test]
fn web_sockets_of_one_address_are_limited() {
    let simulation = simulation();
    let view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
    let (host, _) = place(&view);
    let sockets: Vec<_> = (0..16).map(|_| connect(&view)).collect();
    let url = format!("ws://{host}/socket");
    let refused = tungstenite::client(&url, TcpStream::connect(&host).unwrap());
    assert!(refused.is_err());
    let page = http(&host, &["GET / HTTP/1.1", "Host: localhost"]);
    assert!(page.starts_with("HTTP/1.1 200"));
    drop(sockets);
    wait_for("a place is free", || {
        tungstenite::client(&url, TcpStream::connect(&host).unwrap()).is_ok()
    });
}

#[test]
fn used_port_of_the_user_is_refused() {
    let simulation = simulation();
    let first = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
    let (host, _) = place(&first);
    let address = Some(host.parse().unwrap());
    let error = View::start(&simulation, address, Arc::new(NoControls))
        .err()
        .unwrap();
    assert!(
        error.starts_with(&format!("--view: cannot listen on {host}")),
        "{error}"
    );
}

const LIFT_WORLD: &str = "
seed: 1
robots:
  torpedo: {model: taipan300, position_m: [0, 0, -20]}
  auv: {model: remus100_prestero, position_m: [0, 20, -20]}
  glider: {model: seawing, position_m: [0, 40, -20]}
";

/// Returns the force of a law on a robot that moves ahead and downwards [N], with its fins at an
/// angle [rad].
fn force_ahead(simulation: &mut Simulation, robot: usize, law: &str, speed: f64, fin: f64) -> Vec3 {
    let state = &mut simulation.state.robots[robot];
    state.motion.V_WB_B.v = Vec3::new(speed, 0.0, -0.1 * speed);
    for own in &mut state.fins {
        own.angle = fin;
    }
    force_of(&Evaluation::new(simulation, robot), law)
}

// Lift, slender-body and fin forces are shown. Method: an upward force on a body that moves ahead
// and downwards in still water, four times as large at twice the speed; the force of the fins
// changes with their angles. Tolerance: 1 % of the force; the fins stall at no angle used.
#[test]
fn forces_on_lifting_bodies_are_shown() {
    let world = load_text("w.yaml", LIFT_WORLD, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    for (robot, law) in [(0, "slender body"), (1, "lift"), (2, "glider")] {
        let [slow, fast] = [0.5, 1.0].map(|v| force_ahead(&mut simulation, robot, law, v, 0.0));
        assert!(slow.z > 0.01, "{robot} {law}: {slow:?}");
        let error = (fast - slow.scale(4.0)).norm();
        assert!(
            error < 0.01 * fast.norm(),
            "{robot} {law}: {slow:?}, {fast:?}"
        );
    }
    for robot in [0, 1] {
        let zero = force_ahead(&mut simulation, robot, "fin", 1.0, 0.0);
        let turned = force_ahead(&mut simulation, robot, "fin", 1.0, 0.1);
        // the derivatives of the second body contain the fins at rest
        assert!(robot == 1 || zero.z > 0.1, "{robot}: {zero:?}");
        assert!((turned - zero).norm() > 0.1, "{robot}: {turned:?}");
    }
}

// The wetted hull is the hull whose buoyancy acts. Method: the volume that the triangles and the
// surface of still water enclose, as a fraction of the box that is the hull of a tilted vehicle,
// against the buoyancy of the law as a fraction of its maximum. Tolerance: rounding. A boat without
// a stated hull has its collision shapes: both of its hulls are in the water.
#[test]
fn wetted_hull_encloses_the_displaced_volume() {
    let text = "robots: {rov: {model: bluerov2, position_m: [1, 2, -0.03], \
                attitude_deg: [20, -10, 30]}, boat: {model: wamv, position_m: [9, 0, 0]}}";
    let world = load_text("w.yaml", text, Overrides::default()).unwrap();
    let simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let triangles = wetted_hull(&simulation, 0);
    let column = |[a, b, c]: &[Vec3; 3]| {
        let area = (*b - *a).cross(*c - *a).z / 2.0;
        area * (a.z + b.z + c.z) / 3.0
    };
    let volume: f64 = triangles.iter().map(column).sum();
    let force = force_of(&Evaluation::new(&simulation, 0), "buoyancy").z;
    let scene = &simulation.scene;
    let hull = &scene.robots[0].links[0];
    let expected = force / (scene.sea.density * scene.gravity * hull.volume_m3);
    let fraction = volume / hull.hull.shape.volume();
    assert!(expected > 0.2 && expected < 0.8, "{expected}");
    assert!((fraction - expected).abs() < 1e-9, "{fraction} {expected}");
    let sides = wetted_hull(&simulation, 1);
    assert!(sides.iter().flatten().all(|p| p.z < 1e-9));
    for side in [-1.0, 1.0] {
        assert!(sides.iter().flatten().any(|p| side * p.y > 0.8));
    }
}

// Tether forces are shown. Method: the force on a vehicle that a tether holds in a current points
// along the last segment. Tolerance: 1 degree.
#[test]
fn tether_forces_point_along_the_tether() {
    let world = load_text("w.yaml", TETHER_WORLD, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    simulation.advance((20.0 / simulation.scene.dt()) as u64);
    let force = force_of(&Evaluation::new(&simulation, 0), "tether");
    let line = &simulation.state.tethers[0];
    let [first, second] = [line.p[line.p.len() - 1], line.p[line.p.len() - 2]];
    let along = (second - first).scale(1.0 / (second - first).norm());
    assert!(force.norm() > 1.0, "{force:?}");
    assert!(
        force.dot(along) > 0.9998 * force.norm(),
        "{force:?} {along:?}"
    );
}

const TETHER_WORLD: &str = "
water: {current: {kind: uniform, speed_m_s: 1, direction_deg: 90}}
seabed: {depth_m: 30}
robots:
  rov: {model: bluerov2, position_m: [2, 0, -8]}
tethers:
  umbilical:
    line: fathom_rov_tether
    from: {kind: world, position_m: [0, 0, -1]}
    to: {kind: robot, robot: rov, position_m: [0, 0, 0.1]}
    length_m: 7
    segments: 8
";

// The page receives the parts of the task with the scene, and its state with the status. Method: a
// boat at its first waypoint.
#[test]
fn tasks_are_shown() {
    let text = "
robots:
  boat: {model: otter}
task:
  kind: waypoints
  radius_m: 1
  waypoints: [{position_m: [0, 0, 0]}, {position_m: [40, 3, 0], yaw_deg: 90}]
";
    let world = load_text("w.yaml", text, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let mut view = start(&simulation, "127.0.0.1:0", Arc::new(NoControls));
    let mut socket = connect(&view);
    let scene = loop {
        match socket.read().unwrap() {
            Message::Text(text) if text.contains("\"type\":\"scene\"") => break text,
            _ => {}
        }
    };
    let scene: Value = serde_json::from_str(&scene).unwrap();
    let markers = &scene["task"]["markers"];
    assert_eq!(scene["task"]["kind"], "waypoints");
    assert_eq!(markers[1]["points"], json!([[40.0, 3.0, 0.0]]));
    assert_eq!(markers[0]["yaw"], Value::Null);
    let texts = texts_of(&mut view, &mut simulation, &[], "status");
    let task = &texts.last().unwrap()["task"];
    assert_eq!(task["phase"], "running");
    assert_eq!(task["score"], 10.0);
    let robot = &task["robots"][0];
    assert_eq!([&robot["done"], &robot["parts"]], [&json!(1), &json!(2)]);
    assert_eq!(robot["next"], json!([40.0, 3.0, 0.0]));
    assert_eq!(task["events"][0]["text"], "reached waypoint 0");
}
