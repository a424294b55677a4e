//! Sensors that look around: sampled from a view of the world at an instant between steps, worked out on threads of their own, handed over when they are due.
//!
//! What a frame holds depends on the view, the sensor and the number of its sample alone, so it is the same whenever and wherever it is found. Who follows the
//! wall clock never waits for one: a sensor that has not finished its last two samples misses the next, which is counted. Who does not waits for
//! the frames that are due, so that none is missed. A thread that breaks down ends the run: nobody waits for what does not come.
//!
//! Frames under way are no part of the state: a copy of a state that is run elsewhere lacks those that were sampled before and due after. A sensor that is stuck brings its last frame
//! again and again; one that nobody wanted before has its first for that.

use crate::Simulation;
use crate::control::fault;
use crate::instants::Instants;
use crate::robot::Runner;
use crate::sensors::worker::{Done, Job, Worker, pool};
use crate::sensors::world_view;
use crossbeam_channel::{Receiver, Sender, unbounded};
use merrow_math::rng::Stream;
use merrow_math::{Mat3, SpatialVelocity, Vec3};
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::Looks;
use merrow_model::scene::sensor::camera::CameraSpec;
use merrow_model::scene::sensor::obstacle::DetectorSpec;
use merrow_model::state::frames::view::View;
use merrow_model::state::frames::{Frame, FrameData, Picture};
use merrow_model::state::{Effect, State};
use merrow_sensors::camera;
use merrow_sensors::ray_scene::{By, Stage, Stages, Still};
use merrow_sensors::sample::{Pose, Spoiling};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::JoinHandle;

/// Samples of a sensor that may be under way where nobody waits for them.
const UNDER_WAY_MAX: usize = 2;
/// All that a sensor can bring.
const EVERYTHING: u8 = u8::MAX;

/// A sensor that looks around, and how far it is.
#[derive(Debug)]
struct Device {
    robot: usize,
    sensor: usize,
    /// What of its frames anybody wants, as bits.
    wanted: AtomicU8,
    /// Samples missed because it had not finished those before.
    missed: u64,
    /// Order and due instant of its samples that are under way [ns].
    under_way: VecDeque<(u64, u64)>,
    /// What of the last of them was worked out, as bits.
    ordered: u8,
    /// What it brought last.
    last: Option<Arc<FrameData>>,
}

/// All sensors of a world that look around.
#[derive(Debug)]
pub struct Lookout {
    devices: Vec<Device>,
    patient: bool,
    jobs: Sender<Job>,
    done: Receiver<Result<Done, String>>,
    workers: Vec<JoinHandle<()>>,
    /// Frames that are found and not yet handed over.
    found: Vec<Done>,
    order: u64,
    /// Samples ordered before this belong to a run that was reset.
    first: u64,
    /// Why there will be no more frames.
    failed: Option<String>,
}

impl Lookout {
    /// The sensors of `scene` that look around, on `threads` threads; none if it has none.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(scene: &Arc<Scene>, still: &Still, threads: usize) -> Result<Option<Self>, String> {
        let of_robot = |(robot, model): (usize, &merrow_model::scene::Robot)| {
            let looking = model
                .sensors
                .iter()
                .enumerate()
                .filter(|(_, s)| s.kind.looks().is_some());
            looking
                .map(|(sensor, _)| (robot, sensor))
                .collect::<Vec<_>>()
        };
        let places: Vec<(usize, usize)> =
            scene.robots.iter().enumerate().flat_map(of_robot).collect();
        if places.is_empty() {
            return Ok(None);
        }
        let sensor = |(robot, sensor): (usize, usize)| &scene.robots[robot].sensors[sensor];
        let (jobs, inbox) = unbounded::<Job>();
        let (outbox, done) = unbounded();
        let stages = Stages::new(scene, still);
        let has_pictures = places.iter().any(|p| {
            matches!(
                sensor(*p).kind.looks().map(|l| &**l),
                Some(Looks::Camera(_))
            )
        });
        let pool = if has_pictures {
            pool(threads)?.map(Arc::new)
        } else {
            None
        };
        let mut workers = Vec::new();
        for i in 0..threads.clamp(1, places.len()) {
            let worker = Worker {
                scene: Arc::clone(scene),
                devices: places
                    .iter()
                    .filter_map(|p| Some((p.0, p.1, Arc::clone(sensor(*p).kind.looks()?))))
                    .collect(),
                stages: stages.clone(),
                instants: Instants::default(),
                placed: None,
                pool: pool.clone(),
            };
            let (inbox, outbox) = (inbox.clone(), outbox.clone());
            let thread = std::thread::Builder::new()
                .name(format!("merrow-look-{i}"))
                .spawn(move || worker.run(&inbox, &outbox))
                .map_err(|e| format!("cannot start a thread for sensors: {e}"))?;
            workers.push(thread);
        }
        let device = |(robot, sensor): (usize, usize)| {
            let wanted = AtomicU8::new(if scene.robots[robot].sensors[sensor].lazy {
                0
            } else {
                EVERYTHING
            });
            Device {
                robot,
                sensor,
                wanted,
                missed: 0,
                under_way: VecDeque::new(),
                ordered: 0,
                last: None,
            }
        };
        let devices = places.into_iter().map(device).collect();
        Ok(Some(Self {
            devices,
            patient: true,
            jobs,
            done,
            workers,
            found: Vec::new(),
            order: 0,
            first: 0,
            failed: None,
        }))
    }

    /// Why no more frames come, if a thread has broken down.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Whether frames that are due are waited for.
    pub fn set_patience(&mut self, patient: bool) {
        self.patient = patient;
    }

    /// Says whether anybody wants the frames of a sensor; those of sensors that are not `lazy` are found in any case.
    pub fn want(&self, scene: &Scene, robot: usize, sensor: usize, wanted: bool) {
        self.want_parts(scene, robot, sensor, if wanted { EVERYTHING } else { 0 });
    }

    /// Says what of the frames of a sensor anybody wants, as bits that the sensor knows; 0 is nothing.
    pub fn want_parts(&self, scene: &Scene, robot: usize, sensor: usize, parts: u8) {
        let device = self
            .devices
            .iter()
            .find(|d| (d.robot, d.sensor) == (robot, sensor));
        if let Some(device) = device {
            let lazy = scene.robots[robot].sensors[sensor].lazy;
            device
                .wanted
                .store(if lazy { parts } else { EVERYTHING }, Ordering::Relaxed);
        }
    }

    /// Nobody wants anything but the frames of this sensor, lazy or not.
    pub fn want_only(&self, one: Option<(usize, usize)>) {
        for device in &self.devices {
            let parts = if Some((device.robot, device.sensor)) == one {
                EVERYTHING
            } else {
                0
            };
            device.wanted.store(parts, Ordering::Relaxed);
        }
    }

    /// Robot, sensor and missed samples of every sensor that looks around.
    pub fn missed(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        self.devices
            .iter()
            .map(|device| (device.robot, device.sensor, device.missed))
    }

    /// Steps until one has to be sampled, at least 1.
    pub fn steps_to_next(&self, state: &State, dt_ns: u64) -> u64 {
        let due = |device: &Device| {
            let robot = &state.robots[device.robot];
            robot
                .halted
                .is_none()
                .then_some(robot.sensors[device.sensor].due_ns)
        };
        let next = self
            .devices
            .iter()
            .filter_map(due)
            .min()
            .unwrap_or(u64::MAX);
        next.saturating_sub(state.time_ns).div_ceil(dt_ns).max(1)
    }

    /// Samples the sensors that are due now.
    pub fn sample(&mut self, scene: &Scene, state: &mut State, runners: &mut [Runner]) {
        let now = state.time_ns;
        let is_due = |device: &Device| {
            let own = &state.robots[device.robot];
            own.sensors[device.sensor].due_ns <= now && own.halted.is_none()
        };
        let due: Vec<usize> = (0..self.devices.len())
            .filter(|k| is_due(&self.devices[*k]))
            .collect();
        if due.is_empty() {
            return;
        }
        // of all robots and beacons, whoever wants which frames
        for ((robot, own), runner) in scene
            .robots
            .iter()
            .zip(&mut state.robots)
            .zip(runners.iter_mut())
        {
            if !own.faults.is_empty() && own.halted.is_none() {
                fault::prepare(robot, own, &mut runner.work, now, state.sea.density);
            }
        }
        let beacons = fault::of_beacons(&mut state.faults, scene.beacons.len(), now);
        let mut view = None;
        for k in due {
            let (r, s) = (self.devices[k].robot, self.devices[k].sensor);
            let sensor = &scene.robots[r].sensors[s];
            let own = &mut state.robots[r];
            let memory = &mut own.sensors[s];
            let sample = memory.samples;
            memory.count(sensor);
            let parts = self.devices[k].wanted.load(Ordering::Relaxed);
            let lost =
                sensor.drop_out > 0.0 && sensor.stream.draw(sample + 1).uniform() < sensor.drop_out;
            let (noise, mut fault) = (memory.noise, memory.fault);
            let heard = match sensor.kind.looks().map(|looks| &**looks) {
                Some(Looks::Obstacles(DetectorSpec {
                    sensor: Some((_, other)),
                    ..
                })) => (own.sensors[*other].noise, own.sensors[*other].fault),
                _ => (noise, fault),
            };
            if !own.battery.is_on() || fault.dead || heard.1.dead || lost || parts == 0 {
                continue;
            }
            fault.stuck |= heard.1.stuck;
            if !self.patient && self.devices[k].under_way.len() >= UNDER_WAY_MAX {
                self.devices[k].missed += 1;
                continue;
            }
            let takes = sensor.kind.looks().map_or(0, |looks| looks.takes_ns());
            let due_ns = now + sensor.latency_ns.max(takes);
            let device = &mut self.devices[k];
            device.under_way.push_back((self.order, due_ns));
            // what is stuck has to have said something
            if fault.stuck && device.ordered & parts == parts {
                self.found.push(Done {
                    order: self.order,
                    device: k,
                    stamp_ns: now,
                    due_ns,
                    data: None,
                });
                self.order += 1;
                continue;
            }
            device.ordered = parts;
            let view = view.get_or_insert_with(|| {
                Arc::new(world_view::view(scene, state, runners, beacons.clone()))
            });
            let job = Job {
                order: self.order,
                device: k,
                view: Arc::clone(view),
                sample,
                parts,
                noise,
                fault,
                heard,
                due_ns,
            };
            self.order += 1;
            // the workers end with `self`
            let _ = self.jobs.send(job);
        }
    }

    /// Adds the frames that are due by `now_ns` to `out`, each sensor's in their order.
    pub fn hand_over(&mut self, now_ns: u64, out: &mut Vec<Frame>) {
        while let Ok(message) = self.done.try_recv() {
            self.take(message);
        }
        let is_awaited = |device: &Device, found: &[Done]| {
            let waits = |(order, due): &(u64, u64)| {
                *due <= now_ns && found.iter().all(|d| d.order != *order)
            };
            device.under_way.iter().any(waits)
        };
        while self.patient
            && self.failed.is_none()
            && self
                .devices
                .iter()
                .any(|device| is_awaited(device, &self.found))
        {
            let gone = || Err("the threads of sensors that look around have ended".to_string());
            let message = self.done.recv().unwrap_or_else(|_| gone());
            self.take(message);
        }
        self.found.sort_by_key(|done| done.order);
        let mut k = 0;
        while k < self.found.len() {
            let Done {
                order,
                device,
                stamp_ns,
                due_ns,
                ..
            } = self.found[k];
            let device = &mut self.devices[device];
            if due_ns > now_ns
                || device
                    .under_way
                    .front()
                    .is_none_or(|(first, _)| *first != order)
            {
                k += 1;
                continue;
            }
            device.under_way.pop_front();
            let data = self.found.remove(k).data.or_else(|| device.last.clone());
            device.last.clone_from(&data);
            let (robot, sensor) = (device.robot, device.sensor);
            out.extend(data.map(|data| Frame {
                robot,
                sensor,
                stamp_ns,
                due_ns,
                data,
            }));
        }
    }

    /// Keeps what a thread brings.
    fn take(&mut self, message: Result<Done, String>) {
        match message {
            Ok(done) if done.order >= self.first => self.found.push(done),
            // of a run that was reset
            Ok(_) => {}
            Err(why) => {
                self.failed.get_or_insert(why);
            }
        }
    }

    /// Forgets what is under way.
    pub fn forget(&mut self) {
        self.first = self.order;
        self.found.clear();
        for device in &mut self.devices {
            device.under_way.clear();
            (device.ordered, device.last) = (0, None);
        }
    }
}

impl Drop for Lookout {
    fn drop(&mut self) {
        // without its sender the workers' queue ends
        self.jobs = unbounded().0;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

/// The world of a simulation as it is now.
fn view_of(simulation: &mut Simulation) -> View {
    let Simulation {
        scene,
        state,
        runners,
        ..
    } = simulation;
    let beacons = fault::of_beacons(&mut state.faults, scene.beacons.len(), state.time_ns);
    world_view::view(scene, state, runners, beacons)
}

/// Where a sensor of a simulation is now.
pub fn pose_of(simulation: &mut Simulation, robot: usize, sensor: usize) -> Pose {
    let scene = Arc::clone(&simulation.scene);
    world_view::pose(
        &view_of(simulation),
        robot,
        &scene.robots[robot].sensors[sensor],
    )
}

/// What a sensor that looks around would bring now; none if it is no such sensor.
pub fn once(simulation: &mut Simulation, robot: usize, sensor: usize) -> Option<FrameData> {
    several(simulation, robot, sensor, 1).pop()
}

/// What it would bring in its next `n` samples if the world stood still.
pub fn several(simulation: &mut Simulation, robot: usize, sensor: usize, n: u64) -> Vec<FrameData> {
    let scene = Arc::clone(&simulation.scene);
    let device = &scene.robots[robot].sensors[sensor];
    let Some(looks) = device.kind.looks().cloned() else {
        return Vec::new();
    };
    let mut memory = simulation.state.robots[robot].sensors[sensor].clone();
    // nobody counts the samples of a run that nobody looks at
    while memory.due_ns < simulation.state.time_ns {
        memory.count(device);
    }
    let (first, noise, fault) = (memory.samples, memory.noise, memory.fault);
    let own = &simulation.state.robots[robot].sensors;
    let heard = match &*looks {
        Looks::Obstacles(DetectorSpec {
            sensor: Some((_, other)),
            ..
        }) => (own[*other].noise, own[*other].fault),
        _ => (noise, fault),
    };
    let view = Arc::new(view_of(simulation));
    let mut stages = Stages::new(&scene, &Still::new(&scene));
    stages.place(&view);
    let mut worker = Worker {
        scene,
        devices: Vec::new(),
        stages,
        instants: Instants::default(),
        placed: None,
        pool: None,
    };
    let mut sample = |k| {
        let (view, sample) = (Arc::clone(&view), first + k);
        let parts = EVERYTHING;
        let job = Job {
            order: 0,
            device: 0,
            view,
            sample,
            parts,
            noise,
            fault,
            heard,
            due_ns: 0,
        };
        worker.look(&job, &looks, robot, sensor)
    };
    (0..n).map(&mut sample).collect()
}

/// What a camera that no robot carries would see now, from `p_WS` with the axes `R_WS`.
pub fn from_afar(
    simulation: &mut Simulation,
    spec: &CameraSpec,
    R_WS: Mat3,
    p_WS: Vec3,
) -> Picture {
    let scene = Arc::clone(&simulation.scene);
    let view = view_of(simulation);
    let mut stage = Stage::new(&scene, &Still::new(&scene), By::Light);
    stage.place(&view);
    let mut instants = Instants::default();
    let at = instants.start(&scene, &view.sea, view.time_ns);
    let stream = Stream::new(scene.seed, "view");
    let by = Spoiling {
        stream,
        sample: 0,
        noise: false,
        fault: Effect::NONE,
    };
    let V_WS_S = SpatialVelocity {
        w: Vec3::zero(),
        v: Vec3::zero(),
    };
    let world = camera::World {
        scene: &scene,
        stage: &stage,
        view: &view,
        at: &at,
    };
    camera::picture(
        spec,
        &world,
        &Pose {
            robot: 0,
            R_WS,
            p_WS,
            V_WS_S,
        },
        &by,
        EVERYTHING,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as sim;
    use crate::Pace;
    use crate::sensors::worker::give_way;
    use merrow_world::{Overrides, load_text};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    const WORLD: &str = "
seabed: {depth_m: 10}
robots:
  r:
    position_m: [0, 0, 2]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      sensors: {a: {lazy: false, device: hokuyo_utm30lx}, b: {lazy: false, device: hokuyo_utm30lx}}
";

    // Goal: threads of sensors let others go first, and no other thread does. Method: what the system says of a thread that has given way, and of this one. Tolerance: none.
    #[cfg(target_os = "linux")]
    #[test]
    fn threads_of_sensors_give_way() {
        let nice = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux tells");
            let (_, after) = stat.rsplit_once(") ").expect("a name in brackets");
            after
                .split(' ')
                .nth(16)
                .and_then(|word| word.parse::<i32>().ok())
                .expect("a number")
        };
        let before = nice();
        let there = std::thread::spawn(move || {
            give_way();
            nice()
        });
        assert_eq!(there.join().expect("it ends"), (before + 10).min(19));
        assert_eq!(nice(), before);
    }

    // Goal: a thread that breaks down ends a run that waits for it, and says whose sensor it was. Method: a sample of a view in which no robot is, on two threads, ordered like any other; the run has 60 s, or hangs.
    // Tolerance: none.
    #[test]
    fn a_broken_thread_ends_the_run() {
        for pace in [Pace::Max, Pace::Factor(10.0)] {
            let (sender, ended) = unbounded();
            std::thread::spawn(move || {
                let scene = Arc::new(
                    load_text("w.yaml", WORLD, Overrides::default())
                        .expect("a world")
                        .scene,
                );
                let mut simulation = Simulation::new(scene, 2).expect("a simulation");
                let view = Arc::new(View {
                    links: Vec::new(),
                    ..view_of(&mut simulation)
                });
                let lookout = simulation.lookout.as_mut().expect("a lookout");
                let (order, sample, due_ns) = (lookout.order, 0, 0);
                let (parts, noise, fault) = (EVERYTHING, true, Effect::NONE);
                lookout.devices[1].under_way.push_back((order, due_ns));
                let job = Job {
                    order,
                    device: 1,
                    view,
                    sample,
                    parts,
                    noise,
                    fault,
                    heard: (noise, fault),
                    due_ns,
                };
                lookout.jobs.send(job).expect("workers");
                lookout.order += 1;
                let (_requests, requests) = unbounded();
                let stop = AtomicBool::new(false);
                let summary = sim::run(&mut simulation, pace, Some(5.0), &requests, &mut [], &stop);
                sender
                    .send((summary.failed, summary.simulated_s))
                    .expect("a test that waits");
            });
            let (failed, seconds) = ended
                .recv_timeout(Duration::from_secs(60))
                .expect("it hangs");
            let why = failed.expect("a reason");
            assert!(
                why.starts_with("r: the sensor b broke down at 0.000 s, which is a bug: index out"),
                "{why}"
            );
            assert!(seconds < 5.0, "{seconds}");
        }
    }
}
