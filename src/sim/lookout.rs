//! Sensors that look around: sampled from a view of the world at an instant between steps, worked out on threads of their own, handed over when they are due.
//!
//! What a frame holds depends on the view, the sensor and the number of its sample alone, so it is the same whenever and wherever it is found. Who follows the
//! wall clock never waits for one: a sensor that has not finished its last two samples misses the next, which is counted. Who does not waits for
//! the frames that are due, so that none is missed. A thread that breaks down ends the run: nobody waits for what does not come.

use super::Simulation;
use super::instants::Instants;
use super::robot::Runner;
use crate::control::fault;
use crate::environment::Instant;
use crate::kinematics;
use crate::math::rng::Stream;
use crate::math::{Mat3, SpatialVelocity, Vec3};
use crate::scene::camera::{CameraSpec, Lamp};
use crate::scene::sensor::Looks;
use crate::scene::sonar::SonarSpec;
use crate::scene::{Robot, Scene, Sensor};
use crate::sensors::acoustic;
use crate::sensors::ais;
use crate::sensors::camera;
use crate::sensors::laser;
use crate::sensors::obstacle;
use crate::sensors::radar;
use crate::sensors::sample::{Pose, Spoiling};
use crate::sensors::sonar::interference::{self, Burst};
use crate::sensors::sonar::{self, medium::Medium};
use crate::sensors::stage::{Stage, Still};
use crate::state::frame::{Frame, FrameData, Picture};
use crate::state::view::View;
use crate::state::{Effect, RobotState, State};
use crossbeam_channel::{Receiver, Sender, unbounded};
use rayon::ThreadPool;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
}

/// A sample to be worked out.
struct Job {
    order: u64,
    device: usize,
    view: Arc<View>,
    sample: u64,
    parts: u8,
    noise: bool,
    fault: Effect,
    due_ns: u64,
}

/// One that has been.
struct Done {
    order: u64,
    device: usize,
    frame: Frame,
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

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Done({})", self.order)
    }
}

impl Lookout {
    /// The sensors of `scene` that look around, on `threads` threads; none if it has none.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(scene: &Arc<Scene>, still: &Still, threads: usize) -> Result<Option<Self>, String> {
        let of_robot = |(robot, model): (usize, &crate::scene::Robot)| {
            let looking = model.sensors.iter().enumerate().filter(|(_, s)| s.kind.looks().is_some());
            looking.map(|(sensor, _)| (robot, sensor)).collect::<Vec<_>>()
        };
        let places: Vec<(usize, usize)> = scene.robots.iter().enumerate().flat_map(of_robot).collect();
        if places.is_empty() {
            return Ok(None);
        }
        let sensor = |(robot, sensor): (usize, usize)| &scene.robots[robot].sensors[sensor];
        let (jobs, inbox) = unbounded::<Job>();
        let (outbox, done) = unbounded();
        let stage = Stage::new(scene, still);
        let has_pictures =
            places.iter().any(|p| matches!(sensor(*p).kind.looks().map(|l| &**l), Some(Looks::Camera(_))));
        let pool = if has_pictures { pool(threads)?.map(Arc::new) } else { None };
        let mut workers = Vec::new();
        for i in 0..threads.clamp(1, places.len()) {
            let worker = Worker {
                scene: Arc::clone(scene),
                devices: places
                    .iter()
                    .filter_map(|p| Some((p.0, p.1, Arc::clone(sensor(*p).kind.looks()?))))
                    .collect(),
                stage: stage.clone(),
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
            let wanted = AtomicU8::new(if scene.robots[robot].sensors[sensor].lazy { 0 } else { EVERYTHING });
            Device { robot, sensor, wanted, missed: 0, under_way: VecDeque::new() }
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
        let device = self.devices.iter().find(|d| (d.robot, d.sensor) == (robot, sensor));
        if let Some(device) = device {
            let lazy = scene.robots[robot].sensors[sensor].lazy;
            device.wanted.store(if lazy { parts } else { EVERYTHING }, Ordering::Relaxed);
        }
    }

    /// Robot, sensor and missed samples of every sensor that looks around.
    pub fn missed(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        self.devices.iter().map(|device| (device.robot, device.sensor, device.missed))
    }

    /// Steps until one has to be sampled, at least 1.
    pub fn steps_to_next(&self, state: &State, dt_ns: u64) -> u64 {
        let due = |device: &Device| {
            let robot = &state.robots[device.robot];
            robot.halted.is_none().then_some(robot.sensors[device.sensor].due_ns)
        };
        let next = self.devices.iter().filter_map(due).min().unwrap_or(u64::MAX);
        next.saturating_sub(state.time_ns).div_ceil(dt_ns).max(1)
    }

    /// Samples the sensors that are due now.
    pub fn sample(&mut self, scene: &Scene, state: &mut State, runners: &mut [Runner]) {
        let now = state.time_ns;
        let is_due = |device: &Device| {
            let own = &state.robots[device.robot];
            own.sensors[device.sensor].due_ns <= now && own.halted.is_none()
        };
        let due: Vec<usize> = (0..self.devices.len()).filter(|k| is_due(&self.devices[*k])).collect();
        if due.is_empty() {
            return;
        }
        // of all robots and beacons, whoever wants which frames
        for ((robot, own), runner) in scene.robots.iter().zip(&mut state.robots).zip(runners.iter_mut()) {
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
            let lost = sensor.drop_out > 0.0 && sensor.stream.draw(sample + 1).uniform() < sensor.drop_out;
            if !own.battery.is_on() || memory.fault.dead || lost || parts == 0 {
                continue;
            }
            if !self.patient && self.devices[k].under_way.len() >= UNDER_WAY_MAX {
                self.devices[k].missed += 1;
                continue;
            }
            let (noise, fault) = (memory.noise, memory.fault);
            let view =
                view.get_or_insert_with(|| Arc::new(self::view(scene, state, runners, beacons.clone())));
            let takes = sensor.kind.looks().map_or(0, |looks| looks.takes_ns());
            let due_ns = now + sensor.latency_ns.max(takes);
            let job = Job {
                order: self.order,
                device: k,
                view: Arc::clone(view),
                sample,
                parts,
                noise,
                fault,
                due_ns,
            };
            self.devices[k].under_way.push_back((self.order, due_ns));
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
            let waits = |(order, due): &(u64, u64)| *due <= now_ns && found.iter().all(|d| d.order != *order);
            device.under_way.iter().any(waits)
        };
        while self.patient
            && self.failed.is_none()
            && self.devices.iter().any(|device| is_awaited(device, &self.found))
        {
            let gone = || Err("the threads of sensors that look around have ended".to_string());
            let message = self.done.recv().unwrap_or_else(|_| gone());
            self.take(message);
        }
        self.found.sort_by_key(|done| done.order);
        let mut k = 0;
        while k < self.found.len() {
            let under_way = &mut self.devices[self.found[k].device].under_way;
            let (order, due_ns) = (self.found[k].order, self.found[k].frame.due_ns);
            if due_ns <= now_ns && under_way.front().is_some_and(|(first, _)| *first == order) {
                under_way.pop_front();
                out.push(self.found.remove(k).frame);
            } else {
                k += 1;
            }
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
        self.devices.iter_mut().for_each(|device| device.under_way.clear());
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

/// The world as it is now; faults do this to its `beacons`.
fn view(scene: &Scene, state: &State, runners: &mut [Runner], beacons: Vec<Effect>) -> View {
    let (mut links, mut velocities) = (Vec::new(), Vec::new());
    for ((robot, own), runner) in scene.robots.iter().zip(&state.robots).zip(runners) {
        let work = &mut runner.work.links;
        kinematics::poses(robot, &own.motion, work);
        kinematics::velocities(robot, &own.motion, work);
        links.push(work.iter().map(|w| (w.R_WL, w.p_WL)).collect());
        velocities.push(work.iter().map(|w| w.V).collect());
    }
    let level = |own: &RobotState, lamp: &Lamp| match lamp.load {
        _ if !own.battery.is_on() => 0.0,
        Some(load) => own.loads[load],
        None => 1.0,
    };
    let of_robot =
        |(robot, own): (&Robot, &RobotState)| robot.lamps.iter().map(|lamp| level(own, lamp)).collect();
    let lamps = scene.robots.iter().zip(&state.robots).map(of_robot).collect();
    let powered = state.robots.iter().map(|own| own.battery.is_on()).collect();
    let dead_of = |own: &RobotState| own.sensors.iter().map(|memory| memory.fault.dead).collect();
    let dead = state.robots.iter().map(dead_of).collect();
    View { time_ns: state.time_ns, sea: state.sea.clone(), links, lamps, powered, dead, beacons, velocities }
}

/// What a thread needs to work out samples.
struct Worker {
    scene: Arc<Scene>,
    /// Robot and sensor of each device, and what it looks around with.
    devices: Vec<(usize, usize, Arc<Looks>)>,
    stage: Stage,
    instants: Instants,
    /// The view to which the stage was brought last.
    placed: Option<Arc<View>>,
    /// Threads among which a picture is parted; none if there is but one, or no camera.
    pool: Option<Arc<ThreadPool>>,
}

/// Threads among which a picture is parted; none of one.
fn pool(threads: usize) -> Result<Option<ThreadPool>, String> {
    if threads < 2 {
        return Ok(None);
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| give_way());
    let named = builder.thread_name(|k| format!("merrow-part-{k}"));
    named.build().map(Some).map_err(|e| format!("cannot start {threads} threads for sensors: {e}"))
}

impl Worker {
    fn run(mut self, inbox: &Receiver<Job>, outbox: &Sender<Result<Done, String>>) {
        give_way();
        for job in inbox {
            // what was under way is not used again
            let worked = catch_unwind(AssertUnwindSafe(|| self.work(&job)));
            let message = worked.map_err(|panic| self.told(&job, &*panic));
            let goes_on = message.is_ok();
            if outbox.send(message).is_err() || !goes_on {
                break;
            }
        }
    }

    fn work(&mut self, job: &Job) -> Done {
        if self.placed.as_ref().is_none_or(|view| !Arc::ptr_eq(view, &job.view)) {
            self.stage.place(&job.view);
            self.placed = Some(Arc::clone(&job.view));
        }
        let (robot, sensor, looks) = self.devices[job.device].clone();
        let data = Arc::new(match (self.pool.clone(), &*looks) {
            (Some(pool), Looks::Camera(_)) => pool.install(|| self.look(job, &looks, robot, sensor)),
            _ => self.look(job, &looks, robot, sensor),
        });
        let frame = Frame { robot, sensor, stamp_ns: job.view.time_ns, due_ns: job.due_ns, data };
        Done { order: job.order, device: job.device, frame }
    }

    /// A panic in a line.
    fn told(&self, job: &Job, panic: &(dyn Any + Send)) -> String {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let why = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        let (robot, sensor, _) = &self.devices[job.device];
        let model = &self.scene.robots[*robot];
        let (name, time) = (&model.sensors[*sensor].name, job.view.time_ns as f64 * 1e-9);
        let line = why.lines().next().unwrap_or_default();
        format!("{}: the sensor {name} broke down at {time:.3} s, which is a bug: {line}", model.name)
    }

    fn look(&mut self, job: &Job, looks: &Looks, robot: usize, sensor: usize) -> FrameData {
        let view = &*job.view;
        let at = self.instants.start(&self.scene, &view.sea, view.time_ns);
        let model = &self.scene.robots[robot].sensors[sensor];
        let by = Spoiling { stream: model.stream, sample: job.sample, noise: job.noise, fault: job.fault };
        let pose = pose(view, robot, model);
        match looks {
            Looks::Laser(spec) => laser::scan(spec, &self.stage, view, &at, &pose, &by),
            Looks::Camera(spec) => {
                let world = camera::World { scene: &self.scene, stage: &self.stage, view, at: &at };
                FrameData::Picture(camera::picture(spec, &world, &pose, &by, job.parts))
            }
            Looks::Sonar(spec) => {
                let bursts = bursts(&self.scene, spec, &self.stage, view, &at, &pose);
                sonar::ping(spec, &self.stage, view, &at, &pose, &by, &bursts)
            }
            Looks::Acoustic(spec) => {
                let around = (&self.stage, view, &at);
                acoustic::listen((spec, model.rate), &self.scene.beacons, around, &pose, &by)
            }
            Looks::Radar(spec) => {
                let around = (&self.stage, view, &at);
                radar::sweep((spec, model.rate), around, self.scene.structures.len(), &pose, &by)
            }
            Looks::Ais(spec) => {
                let Scene { ais: transponders, origin, .. } = &*self.scene;
                let air = ais::Air { transponders, origin, stage: &self.stage, view, at: &at };
                ais::receive((spec, model.rate), &air, &pose, &by)
            }
            Looks::Obstacles(spec) => match &spec.sensor {
                None => obstacle::listed(spec, &self.scene.obstacles, &pose, &by),
                Some((_, other)) => {
                    let listened = &self.scene.robots[robot].sensors[*other];
                    let there = self::pose(view, robot, listened);
                    let Some(with) = listened.kind.looks().cloned() else {
                        return FrameData::Boxes(Vec::new());
                    };
                    // what the other brings, or would, with its head where it is now
                    let sample = listened.sample_at(view.time_ns);
                    let as_it = Job { view: Arc::clone(&job.view), sample, ..*job };
                    let data = self.look(&as_it, &with, robot, *other);
                    obstacle::heard(spec, (&with, &data), &there, &pose, &by)
                }
            },
        }
    }
}

/// The world of a simulation as it is now.
fn view_of(simulation: &mut Simulation) -> View {
    let Simulation { scene, state, runners, .. } = simulation;
    let beacons = fault::of_beacons(&mut state.faults, scene.beacons.len(), state.time_ns);
    view(scene, state, runners, beacons)
}

/// Lets the step, and whoever publishes, go before this thread where the processor is wanted by both: a picture may be late, a step may not.
/// Where the system does not let it, all go alike.
fn give_way() {
    // of a thread by itself on Linux alone, elsewhere it would be the process
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

/// What a sensor that looks around would bring now; none if it is no such sensor.
pub fn once(simulation: &mut Simulation, robot: usize, sensor: usize) -> Option<FrameData> {
    several(simulation, robot, sensor, 1).pop()
}

/// What it would bring in its next `n` samples if the world stood still.
pub fn several(simulation: &mut Simulation, robot: usize, sensor: usize, n: u64) -> Vec<FrameData> {
    let scene = Arc::clone(&simulation.scene);
    let device = &scene.robots[robot].sensors[sensor];
    let Some(looks) = device.kind.looks().cloned() else { return Vec::new() };
    let mut memory = simulation.state.robots[robot].sensors[sensor].clone();
    // nobody counts the samples of a run that nobody looks at
    while memory.due_ns < simulation.state.time_ns {
        memory.count(device);
    }
    let (first, noise, fault) = (memory.samples, memory.noise, memory.fault);
    let view = Arc::new(view_of(simulation));
    let mut stage = Stage::new(&scene, &Still::new(&scene));
    stage.place(&view);
    let mut worker =
        Worker { scene, devices: Vec::new(), stage, instants: Instants::default(), placed: None, pool: None };
    let mut sample = |k| {
        let (view, sample) = (Arc::clone(&view), first + k);
        let job = Job { order: 0, device: 0, view, sample, parts: EVERYTHING, noise, fault, due_ns: 0 };
        worker.look(&job, &looks, robot, sensor)
    };
    (0..n).map(&mut sample).collect()
}

/// What a camera that no robot carries would see now, from `p_WS` with the axes `R_WS`.
pub fn from_afar(simulation: &mut Simulation, spec: &CameraSpec, R_WS: Mat3, p_WS: Vec3) -> Picture {
    let scene = Arc::clone(&simulation.scene);
    let view = view_of(simulation);
    let mut stage = Stage::new(&scene, &Still::new(&scene));
    stage.place(&view);
    let mut instants = Instants::default();
    let at = instants.start(&scene, &view.sea, view.time_ns);
    let stream = Stream::new(scene.seed, "view");
    let by = Spoiling { stream, sample: 0, noise: false, fault: Effect::NONE };
    let V_WS_S = SpatialVelocity { w: Vec3::zero(), v: Vec3::zero() };
    let world = camera::World { scene: &scene, stage: &stage, view: &view, at: &at };
    camera::picture(spec, &world, &Pose { robot: 0, R_WS, p_WS, V_WS_S }, &by, EVERYTHING)
}

/// What other sonars send into a ping.
fn bursts(
    scene: &Scene,
    spec: &SonarSpec,
    stage: &Stage,
    view: &View,
    at: &Instant<'_>,
    own: &Pose,
) -> Vec<Burst> {
    let mut out = Vec::new();
    if !spec.interference {
        return out;
    }
    let medium = Medium::about(at, own.p_WS, spec.limits[1], spec.frequency);
    for (r, robot) in scene.robots.iter().enumerate().filter(|(r, _)| view.powered[*r]) {
        for (sensor, _) in robot.sensors.iter().zip(&view.dead[r]).filter(|(_, dead)| !**dead) {
            let Some(Looks::Sonar(other)) = sensor.kind.looks().map(|looks| &**looks) else { continue };
            let there = pose(view, r, sensor);
            let way = own.p_WS - there.p_WS;
            let distance = way.norm();
            let shares = interference::share_a_band(spec, other);
            if !shares || distance < 1e-3 || stage.parted(view, [r, own.robot], [there.p_WS, own.p_WS]) {
                continue;
            }
            let towards = other.turn_back(there.R_WS.tr_mul_vec(way));
            let from = spec.turn_back(own.R_WS.tr_mul_vec(way.scale(-1.0)));
            let geometry = (distance, towards, from);
            interference::bursts(spec, (sensor, other), geometry, &medium, view.time_ns, &mut out);
        }
    }
    out
}

/// Where a sensor is in a view.
fn pose(view: &View, robot: usize, sensor: &Sensor) -> Pose {
    let (R_WL, p_WL) = &view.links[robot][sensor.link];
    let (V, p) = (view.velocities[robot][sensor.link], sensor.p_LoS);
    let (mut R, mut w) = (sensor.R_LS, Vec3::zero());
    // each beam of a laser has a tilt of its own; a ping has one
    if let Some(Looks::Sonar(SonarSpec { tilt: Some(tilt), .. })) = sensor.kind.looks().map(|l| &**l) {
        R = R.mul_mat(&tilt.axes(view.time_ns));
        w.y = tilt.speed(view.time_ns);
    }
    let v_S = V.v + V.w.cross(p);
    Pose {
        robot,
        R_WS: R_WL.mul_mat(&R),
        p_WS: *p_WL + R_WL.mul_vec(p),
        V_WS_S: SpatialVelocity { w: R.tr_mul_vec(V.w) + w, v: R.tr_mul_vec(v_S) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{self, Pace};
    use crate::world::{Overrides, load_text};
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
            after.split(' ').nth(16).and_then(|word| word.parse::<i32>().ok()).expect("a number")
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
                let scene =
                    Arc::new(load_text("w.yaml", WORLD, Overrides::default()).expect("a world").scene);
                let mut simulation = Simulation::new(scene, 2).expect("a simulation");
                let view = Arc::new(View { links: Vec::new(), ..view_of(&mut simulation) });
                let lookout = simulation.lookout.as_mut().expect("a lookout");
                let (order, sample, due_ns) = (lookout.order, 0, 0);
                let (parts, noise, fault) = (EVERYTHING, true, Effect::NONE);
                lookout.devices[1].under_way.push_back((order, due_ns));
                let job = Job { order, device: 1, view, sample, parts, noise, fault, due_ns };
                lookout.jobs.send(job).expect("workers");
                lookout.order += 1;
                let (_requests, requests) = unbounded();
                let stop = AtomicBool::new(false);
                let summary = sim::run(&mut simulation, pace, Some(5.0), &requests, &mut [], &stop);
                sender.send((summary.failed, summary.simulated_s)).expect("a test that waits");
            });
            let (failed, seconds) = ended.recv_timeout(Duration::from_secs(60)).expect("it hangs");
            let why = failed.expect("a reason");
            assert!(
                why.starts_with("r: the sensor b broke down at 0.000 s, which is a bug: index out"),
                "{why}"
            );
            assert!(seconds < 5.0, "{seconds}");
        }
    }
}
