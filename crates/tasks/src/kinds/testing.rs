//! A world for the tests of tasks: bodies that move by a rule, without a simulation.

use crate::keys::TaskKeys;
use crate::law::{Anchor, Motion, Names, Report, Truth};
use crate::state::TaskState;
use crate::task::Task;
use merrow_math::{Quat, Vec3};
use merrow_yaml::error::Place;
use std::cell::RefCell;

/// Returns the pose at (x, y, z) [m] with the heading `yaw` [rad], at rest.
pub(crate) fn pose(x: f64, y: f64, z: f64, yaw: f64) -> Motion {
    Motion {
        q_WB: Quat::from_rpy(0.0, 0.0, yaw),
        p_WB: Vec3::new(x, y, z),
        v_WB: Vec3::zero(),
    }
}

/// The bodies `robot` (0), `other` (1) and `third` (2), the coupling `gripper` and the structure
/// `pier`, over a seabed at -10 m that is dry where x > 1000.
#[derive(Default)]
pub(crate) struct FakeNames {
    pub(crate) errors: RefCell<Vec<String>>,
}

const BODIES: [&str; 3] = ["robot", "other", "third"];

impl Names for FakeNames {
    fn error(&self, _: &Place, text: &str) {
        self.errors.borrow_mut().push(text.to_string());
    }
    fn note(&self, place: &Place, text: &str) {
        self.error(place, text);
    }
    fn find_object(&self, name: &str, offset: Vec3, place: &Place) -> Option<Anchor> {
        if name == "pier" {
            return Some(Anchor::Fixed(Vec3::new(50.0, 0.0, 0.0) + offset));
        }
        let found = BODIES.iter().position(|body| *body == name);
        if found.is_none() {
            self.error(place, &format!("no object {name}"));
        }
        found.map(|body| match offset == Vec3::zero() {
            true => Anchor::Body(body),
            false => Anchor::OnBody(body, offset),
        })
    }
    fn find_coupling(&self, name: &str, place: &Place) -> Option<usize> {
        if name != "gripper" {
            self.error(place, &format!("no coupling {name}"));
            return None;
        }
        Some(0)
    }
    fn robots(&self) -> Vec<(String, usize)> {
        vec![("robot".to_string(), 0)]
    }
    fn start(&self, body: usize) -> Vec3 {
        Vec3::new(10.0 * body as f64, 0.0, 0.0)
    }
    fn start_attitude(&self, _: usize) -> Quat {
        Quat::identity()
    }
    fn has_route(&self, _: usize) -> bool {
        false
    }
    fn water_level(&self, _: f64, _: f64) -> f64 {
        0.0
    }
    fn stays_at_surface(&self, _: usize) -> bool {
        true
    }
    fn seabed(&self, x: f64, _: f64) -> f64 {
        if x > 1000.0 { 1.0 } else { -10.0 }
    }
    fn structure_at(&self, p: Vec3) -> Option<String> {
        let inside = (p - Vec3::new(50.0, 0.0, 0.0)).norm() < 1.0;
        inside.then(|| "pier".to_string())
    }
    fn position(&self, latitude: f64, longitude: f64) -> Vec3 {
        Vec3::new(longitude.to_degrees(), latitude.to_degrees(), 0.0)
    }
}

/// Builds the task of `text`, or returns the errors.
pub(crate) fn build(text: &str) -> Result<Task, String> {
    let keys =
        merrow_yaml::read::from_text::<TaskKeys>(text).map_err(|problems| problems.to_string())?;
    let names = FakeNames::default();
    let task = Task::build(&keys, &names);
    let errors = names.errors.into_inner();
    match task.filter(|_| errors.is_empty()) {
        Some(task) => Ok(task),
        None => Err(errors.join("\n")),
    }
}

/// Bodies at an instant.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) bodies: Vec<Motion>,
    pub(crate) is_engaged: bool,
    pub(crate) touching: Vec<String>,
    pub(crate) reports: Vec<Report>,
}

impl Scenario {
    /// Returns a scenario with these bodies.
    pub(crate) fn of(bodies: &[Motion]) -> Self {
        Self {
            bodies: bodies.to_vec(),
            is_engaged: false,
            touching: Vec::new(),
            reports: Vec::new(),
        }
    }
}

impl Truth for Scenario {
    fn motion(&self, body: usize) -> Motion {
        self.bodies[body]
    }
    fn is_engaged(&self, _: usize) -> bool {
        self.is_engaged
    }
    fn touching(&self, _: usize, visit: &mut dyn FnMut(Option<&str>)) {
        self.touching.iter().for_each(|name| visit(Some(name)));
    }
}

/// Runs a task for `duration` [s] along the scenarios of the time [s].
pub(crate) fn run(task: &Task, duration: f64, at: impl Fn(f64) -> Scenario) -> TaskState {
    let mut state = task.initial_state(0);
    let ticks = (duration * 1e9 / task.period_ns as f64).round() as u64;
    for k in 0..=ticks {
        let now_ns = k * task.period_ns;
        let scenario = at(now_ns as f64 * 1e-9);
        for report in &scenario.reports {
            let _ = task.report(&mut state, 0, report);
        }
        task.advance(&mut state, now_ns, &scenario, &|_| false);
        assert!(task.score(&state).is_finite());
    }
    state
}

/// Returns the value of a figure of the first robot.
pub(crate) fn figure(task: &Task, state: &TaskState, name: &str) -> f64 {
    let mut found = f64::NAN;
    task.law.figures(&state.robots[0].law, &mut |own, value| {
        if own == name {
            found = value;
        }
    });
    found
}

/// Returns the texts of the events.
pub(crate) fn events(state: &TaskState) -> Vec<&str> {
    state
        .events
        .iter()
        .map(|event| event.text.as_str())
        .collect()
}
