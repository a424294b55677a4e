//! Scheduler of the exteroceptive sensors: they are sampled from a snapshot of the world between
//! steps, computed on worker threads, and delivered when they are due.
//!
//! The contents of a frame depend only on the snapshot, the sensor and the index of its sample.
//! They do not depend on when and where the frame is computed.
//!
//! When the run follows the wall clock, it never waits for a frame: a sensor that has not completed
//! its last two samples misses the next one, which is counted. Otherwise the run waits for the
//! frames that are due, so that none is missed. If a worker thread fails, the run ends.
//!
//! Frames in progress are not part of the state, because they depend on who requests them: a copy
//! of a state that continues elsewhere lacks the frames that were sampled before and are due after
//! the copy. A checkpoint contains them in addition ([`SavedFrames`]). A stuck sensor repeats its
//! last frame; if there is none because it had no subscriber, its first frame is computed and then
//! repeated.

use crate::Simulation;
use crate::control::fault;
use crate::instants::EnvironmentCache;
use crate::robot::Runner;
use crate::sensors::worker::{SampleRequest, SampleResult, Worker, render_pool};
use crate::sensors::world_view;
use crossbeam_channel::{Receiver, Sender, unbounded};
use merrow_math::rng::Stream;
use merrow_math::{Mat3, SpatialVelocity, Vec3};
use merrow_model::persist;
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::camera::CameraSpec;
use merrow_model::scene::sensor::obstacle::DetectorSpec;
use merrow_model::state::frames::view::WorldView;
use merrow_model::state::frames::{CameraImages, Frame, FrameData};
use merrow_model::state::{FaultEffect, State};
use merrow_sensors::camera;
use merrow_sensors::ray_scene::{RayKind, RayScene, RayScenes, StaticGeometry};
use merrow_sensors::sample::{Pose, SampleErrors};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::JoinHandle;

/// Maximum number of samples of a sensor in progress if the run follows the wall clock.
const MAX_IN_PROGRESS: usize = 2;
/// Bits of all outputs of a sensor.
const ALL_OUTPUTS: u8 = u8::MAX;

/// An exteroceptive sensor and its samples in progress.
#[derive(Debug)]
struct ScheduledSensor {
    robot: usize,
    sensor: usize,
    /// Requested outputs of its frames, as bits.
    wanted: AtomicU8,
    /// Number of samples missed because the preceding ones were not completed.
    missed: u64,
    /// Order number and due time [ns] of its samples in progress.
    under_way: VecDeque<(u64, u64)>,
    /// Requested outputs of the last sample, as bits.
    ordered: u8,
    /// Data of its last frame.
    last: Option<Arc<FrameData>>,
}

/// Exteroceptive sensors in a checkpoint.
#[derive(Debug)]
pub(crate) struct SavedFrames {
    devices: Vec<SavedSensor>,
}

/// An exteroceptive sensor in a checkpoint.
#[derive(Debug)]
struct SavedSensor {
    wanted: u8,
    missed: u64,
    ordered: u8,
    last: Option<Arc<FrameData>>,
    under_way: Vec<SavedSample>,
}

/// A computed sample that has not been delivered, in a checkpoint.
#[derive(Debug)]
struct SavedSample {
    /// Number of earlier samples of all sensors that are also in progress.
    rank: u64,
    stamp_ns: u64,
    due_ns: u64,
    /// `None`: repeat the last frame.
    data: Option<Arc<FrameData>>,
}

persist! { struct SavedFrames { devices } }
persist! { struct SavedSensor { wanted, missed, ordered, last, under_way } }
persist! { struct SavedSample { rank, stamp_ns, due_ns, data } }

/// Scheduler of all exteroceptive sensors of a world.
#[derive(Debug)]
pub struct SensorScheduler {
    devices: Vec<ScheduledSensor>,
    waits_for_frames: bool,
    jobs: Sender<SampleRequest>,
    done: Receiver<Result<SampleResult, String>>,
    workers: Vec<JoinHandle<()>>,
    /// Frames that are computed and not yet delivered.
    completed: Vec<SampleResult>,
    order: u64,
    /// Order number of the first sample of the current run; earlier ones belong to a run that was
    /// reset.
    first: u64,
    /// Cause if a worker thread has failed.
    failed: Option<String>,
}

impl SensorScheduler {
    /// Creates the scheduler for the exteroceptive sensors of `scene`, with `threads` threads.
    /// Returns `None` if there are no such sensors.
    ///
    /// # Errors
    /// Returns a message if the threads cannot be started.
    pub fn new(
        scene: &Arc<Scene>,
        still: &StaticGeometry,
        threads: usize,
    ) -> Result<Option<Self>, String> {
        let of_robot = |(robot, model): (usize, &merrow_model::scene::Robot)| {
            let looking = model
                .sensors
                .iter()
                .enumerate()
                .filter(|(_, s)| s.kind.exteroceptive().is_some());
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
        let (jobs, inbox) = unbounded::<SampleRequest>();
        let (outbox, done) = unbounded();
        let stages = RayScenes::new(scene, still);
        let has_pictures = places.iter().any(|p| {
            matches!(
                sensor(*p).kind.exteroceptive().map(|l| &**l),
                Some(ExteroceptiveSpec::Camera(_))
            )
        });
        let pool = if has_pictures {
            render_pool(threads)?.map(Arc::new)
        } else {
            None
        };
        let mut workers = Vec::new();
        for i in 0..threads.clamp(1, places.len()) {
            let worker = Worker {
                scene: Arc::clone(scene),
                devices: places
                    .iter()
                    .filter_map(|p| Some((p.0, p.1, Arc::clone(sensor(*p).kind.exteroceptive()?))))
                    .collect(),
                stages: stages.clone(),
                instants: EnvironmentCache::default(),
                current_view: None,
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
                ALL_OUTPUTS
            });
            ScheduledSensor {
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
            waits_for_frames: true,
            jobs,
            done,
            workers,
            completed: Vec::new(),
            order: 0,
            first: 0,
            failed: None,
        }))
    }

    /// Cause why no more frames are delivered, if a worker thread has failed.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Sets whether the run waits for frames that are due.
    pub fn set_waits_for_frames(&mut self, patient: bool) {
        self.waits_for_frames = patient;
    }

    /// Requests or cancels the frames of a sensor. Sensors that are not `lazy` are computed in any
    /// case.
    pub fn request_frames(&self, scene: &Scene, robot: usize, sensor: usize, wanted: bool) {
        self.request_outputs(scene, robot, sensor, if wanted { ALL_OUTPUTS } else { 0 });
    }

    /// Requests some outputs of the frames of a sensor, as bits defined by the sensor; 0 for none.
    pub fn request_outputs(&self, scene: &Scene, robot: usize, sensor: usize, parts: u8) {
        let device = self
            .devices
            .iter()
            .find(|d| (d.robot, d.sensor) == (robot, sensor));
        if let Some(device) = device {
            let lazy = scene.robots[robot].sensors[sensor].lazy;
            device
                .wanted
                .store(if lazy { parts } else { ALL_OUTPUTS }, Ordering::Relaxed);
        }
    }

    /// Requests only the frames of the sensor `one`, whether it is lazy or not, and cancels all
    /// others.
    pub fn request_only(&self, one: Option<(usize, usize)>) {
        for device in &self.devices {
            let parts = if Some((device.robot, device.sensor)) == one {
                ALL_OUTPUTS
            } else {
                0
            };
            device.wanted.store(parts, Ordering::Relaxed);
        }
    }

    /// Robot, sensor and number of missed samples of every exteroceptive sensor.
    pub fn missed(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        self.devices
            .iter()
            .map(|device| (device.robot, device.sensor, device.missed))
    }

    /// Number of steps until the next sample is due; at least 1.
    pub fn steps_to_next(&self, state: &State, dt_ns: u64) -> u64 {
        let due = |device: &ScheduledSensor| {
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
    pub fn sample_due(&mut self, scene: &Scene, state: &mut State, runners: &mut [Runner]) {
        let now = state.time_ns;
        let is_due = |device: &ScheduledSensor| {
            let own = &state.robots[device.robot];
            own.sensors[device.sensor].due_ns <= now && own.halted.is_none()
        };
        let due: Vec<usize> = (0..self.devices.len())
            .filter(|k| is_due(&self.devices[*k]))
            .collect();
        if due.is_empty() {
            return;
        }
        // faults of all robots and beacons advance independently of the requested frames
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
        let beacons = fault::beacon_effects(&mut state.faults, scene.beacons.len(), now);
        let mut view = None;
        for k in due {
            let (r, s) = (self.devices[k].robot, self.devices[k].sensor);
            let sensor = &scene.robots[r].sensors[s];
            let own = &mut state.robots[r];
            let memory = &mut own.sensors[s];
            let sample = memory.samples;
            memory.count(sensor);
            let parts = self.devices[k].wanted.load(Ordering::Relaxed);
            let lost = sensor.loss_probability > 0.0
                && sensor.stream.draw(sample + 1).uniform() < sensor.loss_probability;
            let (noise, mut fault) = (memory.noise, memory.fault);
            let heard = match sensor.kind.exteroceptive().map(|looks| &**looks) {
                Some(ExteroceptiveSpec::Obstacles(DetectorSpec {
                    sensor: Some((_, other)),
                    ..
                })) => (own.sensors[*other].noise, own.sensors[*other].fault),
                _ => (noise, fault),
            };
            if !own.battery.is_on() || fault.dead || heard.1.dead || lost || parts == 0 {
                continue;
            }
            fault.stuck |= heard.1.stuck;
            if !self.waits_for_frames && self.devices[k].under_way.len() >= MAX_IN_PROGRESS {
                self.devices[k].missed += 1;
                continue;
            }
            let takes = sensor
                .kind
                .exteroceptive()
                .map_or(0, |looks| looks.sample_duration_ns());
            let due_ns = now + sensor.latency_ns.max(takes);
            let device = &mut self.devices[k];
            device.under_way.push_back((self.order, due_ns));
            // a stuck sensor can only repeat a frame that it has computed
            if fault.stuck && device.ordered & parts == parts {
                self.completed.push(SampleResult {
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
                Arc::new(world_view::snapshot(scene, state, runners, beacons.clone()))
            });
            let job = SampleRequest {
                order: self.order,
                device: k,
                view: Arc::clone(view),
                sample,
                outputs: parts,
                noise,
                fault,
                source: heard,
                due_ns,
            };
            self.order += 1;
            // the workers exist as long as `self`
            let _ = self.jobs.send(job);
        }
    }

    /// Appends the frames that are due by `now_ns` [ns] to `out`, those of each sensor in their
    /// order.
    pub fn deliver_due(&mut self, now_ns: u64, out: &mut Vec<Frame>) {
        while let Ok(message) = self.done.try_recv() {
            self.store_result(message);
        }
        if self.waits_for_frames {
            self.wait_for_frames(now_ns);
        }
        self.completed.sort_by_key(|done| done.order);
        let mut k = 0;
        while k < self.completed.len() {
            let SampleResult {
                order,
                device,
                stamp_ns,
                due_ns,
                ..
            } = self.completed[k];
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
            let data = self
                .completed
                .remove(k)
                .data
                .or_else(|| device.last.clone());
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

    /// Waits until all samples that are due by `now_ns` [ns] are computed, or a thread has failed.
    fn wait_for_frames(&mut self, now_ns: u64) {
        let is_awaited = |device: &ScheduledSensor, found: &[SampleResult]| {
            let waits = |(order, due): &(u64, u64)| {
                *due <= now_ns && found.iter().all(|d| d.order != *order)
            };
            device.under_way.iter().any(waits)
        };
        while self.failed.is_none()
            && self
                .devices
                .iter()
                .any(|device| is_awaited(device, &self.completed))
        {
            let gone = || Err("the threads of exteroceptive sensors have ended".to_string());
            let message = self.done.recv().unwrap_or_else(|_| gone());
            self.store_result(message);
        }
    }

    /// Returns the content of a checkpoint, after all samples in progress have been computed.
    ///
    /// # Errors
    /// A worker thread has failed.
    pub(crate) fn saved_frames(&mut self) -> Result<SavedFrames, String> {
        self.wait_for_frames(u64::MAX);
        if let Some(why) = &self.failed {
            return Err(why.clone());
        }
        let under_way = self.devices.iter().flat_map(|device| &device.under_way);
        let mut all: Vec<u64> = under_way.map(|(order, _)| *order).collect();
        all.sort_unstable();
        let of_sample = |(order, due_ns): &(u64, u64)| {
            let done = self.completed.iter().find(|done| done.order == *order);
            SavedSample {
                rank: all.partition_point(|other| other < order) as u64,
                stamp_ns: done.map_or(0, |done| done.stamp_ns),
                due_ns: *due_ns,
                data: done.and_then(|done| done.data.clone()),
            }
        };
        let of_device = |device: &ScheduledSensor| SavedSensor {
            wanted: device.wanted.load(Ordering::Relaxed),
            missed: device.missed,
            ordered: device.ordered,
            last: device.last.clone(),
            under_way: device.under_way.iter().map(of_sample).collect(),
        };
        Ok(SavedFrames {
            devices: self.devices.iter().map(of_device).collect(),
        })
    }

    /// Continues with the samples of a checkpoint. Returns false, without any effect, if the
    /// checkpoint has other sensors.
    pub(crate) fn restore_frames(&mut self, saved: SavedFrames) -> bool {
        let n: usize = saved.devices.iter().map(|d| d.under_way.len()).sum();
        let mut samples = saved.devices.iter().flat_map(|d| &d.under_way);
        if saved.devices.len() != self.devices.len() || samples.any(|s| s.rank >= n as u64) {
            return false;
        }
        self.discard_in_progress();
        for (k, (device, saved)) in self.devices.iter_mut().zip(saved.devices).enumerate() {
            device.wanted.store(saved.wanted, Ordering::Relaxed);
            (device.missed, device.ordered) = (saved.missed, saved.ordered);
            device.last = saved.last;
            for sample in saved.under_way {
                let (order, due_ns) = (self.order + sample.rank, sample.due_ns);
                device.under_way.push_back((order, due_ns));
                self.completed.push(SampleResult {
                    order,
                    device: k,
                    stamp_ns: sample.stamp_ns,
                    due_ns,
                    data: sample.data,
                });
            }
        }
        self.order += n as u64;
        true
    }

    /// Stores the result of a worker thread.
    fn store_result(&mut self, message: Result<SampleResult, String>) {
        match message {
            Ok(done) if done.order >= self.first => self.completed.push(done),
            // belongs to a run that was reset
            Ok(_) => {}
            Err(why) => {
                self.failed.get_or_insert(why);
            }
        }
    }

    /// Discards all samples in progress and the last frames, for a reset.
    pub fn discard_in_progress(&mut self) {
        self.first = self.order;
        self.completed.clear();
        for device in &mut self.devices {
            device.under_way.clear();
            (device.ordered, device.last) = (0, None);
        }
    }
}

impl Drop for SensorScheduler {
    fn drop(&mut self) {
        // dropping the sender ends the queue of the workers
        self.jobs = unbounded().0;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

/// Takes a snapshot of the current world of a simulation.
fn snapshot_of(simulation: &mut Simulation) -> WorldView {
    let Simulation {
        scene,
        state,
        runners,
        ..
    } = simulation;
    let beacons = fault::beacon_effects(&mut state.faults, scene.beacons.len(), state.time_ns);
    world_view::snapshot(scene, state, runners, beacons)
}

/// Returns the current pose of a sensor of a simulation.
pub fn pose_of(simulation: &mut Simulation, robot: usize, sensor: usize) -> Pose {
    let scene = Arc::clone(&simulation.scene);
    world_view::sensor_pose(
        &snapshot_of(simulation),
        robot,
        &scene.robots[robot].sensors[sensor],
    )
}

/// Computes the current frame of an exteroceptive sensor; `None` for any other sensor.
pub fn compute_frame(
    simulation: &mut Simulation,
    robot: usize,
    sensor: usize,
) -> Option<FrameData> {
    compute_frames(simulation, robot, sensor, 1).pop()
}

/// Computes the next `n` frames of an exteroceptive sensor with the world unchanged.
pub fn compute_frames(
    simulation: &mut Simulation,
    robot: usize,
    sensor: usize,
    n: u64,
) -> Vec<FrameData> {
    let scene = Arc::clone(&simulation.scene);
    let device = &scene.robots[robot].sensors[sensor];
    let Some(looks) = device.kind.exteroceptive().cloned() else {
        return Vec::new();
    };
    let mut memory = simulation.state.robots[robot].sensors[sensor].clone();
    // the sample index is behind if the sensor was not scheduled
    while memory.due_ns < simulation.state.time_ns {
        memory.count(device);
    }
    let (first, noise, fault) = (memory.samples, memory.noise, memory.fault);
    let own = &simulation.state.robots[robot].sensors;
    let heard = match &*looks {
        ExteroceptiveSpec::Obstacles(DetectorSpec {
            sensor: Some((_, other)),
            ..
        }) => (own[*other].noise, own[*other].fault),
        _ => (noise, fault),
    };
    let view = Arc::new(snapshot_of(simulation));
    let mut stages = RayScenes::new(&scene, &StaticGeometry::new(&scene));
    stages.update_poses(&view);
    let mut worker = Worker {
        scene,
        devices: Vec::new(),
        stages,
        instants: EnvironmentCache::default(),
        current_view: None,
        pool: None,
    };
    let mut sample = |k| {
        let (view, sample) = (Arc::clone(&view), first + k);
        let parts = ALL_OUTPUTS;
        let job = SampleRequest {
            order: 0,
            device: 0,
            view,
            sample,
            outputs: parts,
            noise,
            fault,
            source: heard,
            due_ns: 0,
        };
        worker.compute_frame(&job, &looks, robot, sensor)
    };
    (0..n).map(&mut sample).collect()
}

/// Renders the current image of a camera at `p_WS` [m] with the attitude `R_WS`, which no robot
/// carries.
pub fn render_view(
    simulation: &mut Simulation,
    spec: &CameraSpec,
    R_WS: Mat3,
    p_WS: Vec3,
) -> CameraImages {
    let scene = Arc::clone(&simulation.scene);
    let view = snapshot_of(simulation);
    let mut stage = RayScene::new(&scene, &StaticGeometry::new(&scene), RayKind::Light);
    stage.update_poses(&view);
    let mut instants = EnvironmentCache::default();
    let at = instants.at_start(&scene, &view.sea, view.time_ns);
    let stream = Stream::new(scene.seed, "view");
    let by = SampleErrors {
        stream,
        sample: 0,
        noise: false,
        fault: FaultEffect::NONE,
    };
    let V_WS_S = SpatialVelocity {
        w: Vec3::zero(),
        v: Vec3::zero(),
    };
    let world = camera::RenderContext {
        scene: &scene,
        stage: &stage,
        view: &view,
        at: &at,
    };
    camera::render_image(
        spec,
        &world,
        &Pose {
            robot: 0,
            R_WS,
            p_WS,
            V_WS_S,
        },
        &by,
        ALL_OUTPUTS,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as sim;
    use crate::Pace;
    use crate::sensors::worker::lower_priority;
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

    // Goal: worker threads of sensors lower their priority, and no other thread does. Method: the
    // nice values that the system reports for a thread after `give_way` and for this thread.
    // Tolerance: none.
    #[cfg(target_os = "linux")]
    #[test]
    fn threads_of_sensors_give_way() {
        let nice = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux procfs");
            let (_, after) = stat.rsplit_once(") ").expect("a name in brackets");
            after
                .split(' ')
                .nth(16)
                .and_then(|word| word.parse::<i32>().ok())
                .expect("a number")
        };
        let before = nice();
        let there = std::thread::spawn(move || {
            lower_priority();
            nice()
        });
        assert_eq!(there.join().expect("it ends"), (before + 10).min(19));
        assert_eq!(nice(), before);
    }

    // Goal: a worker thread that fails ends a run that waits for it, and the message names its
    // sensor. Method: a sample of a snapshot without robots, on two threads, ordered like any
    // other; the run has 60 s, otherwise it hangs. Tolerance: none.
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
                let view = Arc::new(WorldView {
                    links: Vec::new(),
                    ..snapshot_of(&mut simulation)
                });
                let lookout = simulation.sensor_scheduler.as_mut().expect("a lookout");
                let (order, sample, due_ns) = (lookout.order, 0, 0);
                let (parts, noise, fault) = (ALL_OUTPUTS, true, FaultEffect::NONE);
                lookout.devices[1].under_way.push_back((order, due_ns));
                let job = SampleRequest {
                    order,
                    device: 1,
                    view,
                    sample,
                    outputs: parts,
                    noise,
                    fault,
                    source: (noise, fault),
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
                why.starts_with("r: the sensor b failed at 0.000 s, which is a bug: index out"),
                "{why}"
            );
            assert!(seconds < 5.0, "{seconds}");
        }
    }
}
