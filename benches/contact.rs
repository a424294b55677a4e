//! Measures cost and quality of contacts, the Merrow part of `benches/run`: an arm on a lander, and
//! a pile of fifty boxes.
//!
//! `contact WORLD` prints one JSON object for each integrator: median CPU time of the thread per
//! step [ns], and the residual motion at rest. `contact --scenes` prints the data for the models of
//! the other programs, so that all programs use the same bodies.

use merrow_model::scene::{Drive, Geometry, Integrator, Link, Primitive, Robot, Scene};
use merrow_model::state::{Motion, State};
use merrow_sim::Simulation;
use merrow_world as world;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Measurement plan of a case; spans in steps.
struct Plan {
    world: &'static str,
    /// Steps of one sample from the start.
    moving: u64,
    /// Steps from the start until all bodies are at rest.
    settled: u64,
    /// Steps of one sample at rest.
    resting: u64,
    /// Number of samples of each kind.
    samples: usize,
}

/// One second of the arm's motion; at rest after 20 s.
const UVMS: Plan = Plan {
    world: "uvms_on_floor",
    moving: 1000,
    settled: 20_000,
    resting: 1000,
    samples: 21,
};
/// One second of falling and piling; at rest after 6 s.
const PILE: Plan = Plan {
    world: "pile_50",
    moving: 500,
    settled: 3000,
    resting: 100,
    samples: 3,
};

fn scene(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/worlds/{name}.yaml"));
    match world::load_world(&path, world::Overrides::default()) {
        Ok(world) => world.scene,
        Err(problems) => panic!("{problems}"),
    }
}

/// Returns the CPU time of this thread [ns]; other processes on the machine do not affect it.
fn thread_time_ns() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}

/// Makes `steps` steps, one per call as in a user's loop, and returns the time per step [ns].
fn time_per_step(simulation: &mut Simulation, steps: u64) -> f64 {
    let start = thread_time_ns();
    (0..steps).for_each(|_| simulation.advance(1));
    (thread_time_ns() - start) / steps as f64
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Maxima over some steps of quantities that are zero at perfect rest.
#[derive(Default)]
struct Residual {
    contacts: usize,
    overlap: f64,
    speed: f64,
    turning: f64,
}

impl Residual {
    /// Updates the maxima. The penetration is that after the free step, before the impulses reduce
    /// it, so it is slightly larger than the final one.
    fn update(&mut self, simulation: &Simulation) {
        let contacts = &simulation.state.contacts.touching;
        self.contacts = contacts.len();
        self.overlap = contacts.iter().map(|c| -c.gap).fold(self.overlap, f64::max);
        for robot in &simulation.state.robots {
            assert!(
                robot.motion.p_WB.norm().is_finite(),
                "the motion is not finite, so its time is not meaningful"
            );
            self.speed = self.speed.max(robot.motion.V_WB_B.v.norm());
            self.turning = self.turning.max(robot.motion.V_WB_B.w.norm());
        }
    }
}

/// Measures a case with each integrator.
fn measure(plan: &Plan) -> Value {
    json!({
        "RK4": measure_with(plan, Integrator::Rk4),
        "semi-implicit Euler": measure_with(plan, Integrator::SemiImplicit),
    })
}

fn measure_with(plan: &Plan, integrator: Integrator) -> Value {
    let scene = Scene {
        integrator,
        ..scene(plan.world)
    };
    let mut simulation = Simulation::new(Arc::new(scene), 1).expect("one thread needs no pool");
    let start = simulation.state.clone();
    let mut sample_moving = || {
        simulation.state = start.clone();
        time_per_step(&mut simulation, plan.moving)
    };
    // first run: allocates memory and warms the caches
    sample_moving();
    let moving = median((0..plan.samples).map(|_| sample_moving()).collect());
    let unsolved_moving = simulation.state.contacts.unsolved;
    time_per_step(&mut simulation, plan.settled - plan.moving);
    let unsolved_before = simulation.state.contacts.unsolved;
    let at_rest = median(
        (0..plan.samples)
            .map(|_| time_per_step(&mut simulation, plan.resting))
            .collect(),
    );
    let mut residual = Residual::default();
    for _ in 0..plan.resting {
        simulation.advance(1);
        residual.update(&simulation);
    }
    json!({
        "moving": moving.round(),
        "at rest": at_rest.round(),
        "contacts": residual.contacts,
        "overlap_m": residual.overlap,
        "speed_m_s": residual.speed,
        "turning_rad_s": residual.turning,
        "unsolved_moving": unsolved_moving,
        "unsolved_at_rest": simulation.state.contacts.unsolved - unsolved_before,
    })
}

/// Returns the net weight of a link in water [N], including trim loads.
fn net_weight(scene: &Scene, link: &Link) -> f64 {
    (link.mass_kg - scene.sea.density * link.volume_m3) * scene.gravity - link.trim.force
}

/// Describes a robot for the models of the other programs: data that a URDF cannot hold.
fn describe(scene: &Scene, robot: &Robot, start: &Motion) -> Value {
    let (p, q) = (start.p_WB, start.q_WB);
    let links = robot.links.iter().enumerate().map(|(i, link)| {
        let spring = match link.joint.drive {
            Drive::Effort {
                stiffness,
                spring_rest: rest,
            } if i > 0 => json!({
                "name": link.joint.name, "stiffness": stiffness, "rest": rest,
                "damping": link.joint.damping, "start": start.q[i - 1],
            }),
            _ => Value::Null,
        };
        json!({"name": link.name, "mass": link.mass_kg, "net_weight": net_weight(scene, link), "joint": spring})
    });
    let boxes = robot.colliders.iter().filter_map(|c| match &c.geometry {
        Geometry::Primitive(Primitive::Box { half }) => {
            Some(json!({"name": c.name, "half": [half.x, half.y, half.z], "friction": c.material.friction}))
        }
        _ => None,
    });
    let inertia = &robot.links[0].rigid.A;
    json!({
        "name": robot.name,
        "position": [p.x, p.y, p.z],
        "quaternion": [q.w, q.x, q.y, q.z],
        "base_inertia": [inertia.xx, inertia.yy, inertia.zz],
        "links": links.collect::<Vec<_>>(),
        "boxes": boxes.collect::<Vec<_>>(),
    })
}

fn scenes() -> Value {
    let described = [&UVMS, &PILE].map(|plan| {
        let scene = scene(plan.world);
        let start = State::new(&scene);
        let robots = scene.robots.iter().zip(&start.robots);
        let robots: Vec<Value> = robots.map(|(robot, state)| describe(&scene, robot, &state.motion)).collect();
        json!({
            "name": plan.world,
            "step_s": scene.dt(),
            "gravity": scene.gravity,
            "density": scene.sea.density,
            "bottom_m": scene.sea.seabed.z0,
            "bottom_friction": scene.seabed_material.friction,
            "robots": robots,
            "steps": {"moving": plan.moving, "settled": plan.settled, "resting": plan.resting, "samples": plan.samples},
        })
    });
    Value::from(described.to_vec())
}

fn main() {
    let argument = std::env::args()
        .find(|a| a == "--scenes" || [UVMS.world, PILE.world].contains(&a.as_str()));
    let printed = match argument.as_deref() {
        Some("--scenes") => scenes(),
        Some(name) if name == UVMS.world => measure(&UVMS),
        Some(_) => measure(&PILE),
        None => panic!("expected --scenes, {} or {}", UVMS.world, PILE.world),
    };
    println!("{printed}");
}
