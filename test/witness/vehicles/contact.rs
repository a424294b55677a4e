//! Tests drops, slides, topples and collisions against MuJoCo, whole trajectories.
//!
//! Both run the same scenes from the same numbers, Merrow at 1 ms, MuJoCo at 0.1 ms
//! (`mujoco_contact.py`). MuJoCo has no coefficient of restitution: its contacts are damped
//! springs, here so stiff and so damped that they neither yield nor rebound. Restitution is
//! therefore zero throughout; bounces are in `test/analytic/contacts/contact.rs`.
//!
//! The tolerances are each about twice the measured difference. Its causes:
//! * MuJoCo resolves an impact of speed v within 0.1 ms. Meanwhile it penetrates the seabed by v ·
//!   0.1 ms (measured: halved with its step), and it rebounds with v / 400. Merrow resolves impacts
//!   at their instants, without a rebound.
//! * MuJoCo lifts a body that slides fast, for an instant at the start (1.6 mm at 2 m/s), and tips
//!   a block by some milliradians: the force against the slip carries a share of normal force with
//!   it. Merrow's slides match the closed-form solution to 1e-9 m.
//! * The result of an impact that rotates a body depends on the pose at which it is resolved, so
//!   the motion after it differs by about 1 mm and 5 mrad, less with a finer step of Merrow (a
//!   third at 0.1 ms).

use crate::common::folder::Folder;
use crate::common::python::script;
use crate::common::{advance, simulation};
use merrow_math::{Quat, Vec3};
use merrow_sim::Simulation;
use serde_json::{Value, json};

/// Time between two samples [s], and Merrow's step.
const SAMPLE: f64 = 0.01;
const STEP: f64 = 0.001;

/// Shape of a body; its centre of mass is its centre.
#[derive(Clone, Copy)]
enum Shape {
    /// Sphere with this radius [m].
    Ball(f64),
    /// Box with these half edges [m].
    Block([f64; 3]),
}

/// A body at its start.
#[derive(Clone, Copy)]
struct Body {
    shape: Shape,
    mass: f64,
    position: [f64; 3],
    attitude_deg: [f64; 3],
    /// Initial velocity in its own axes [m/s].
    velocity: [f64; 3],
}

impl Body {
    fn new(shape: Shape, mass: f64, position: [f64; 3]) -> Self {
        Self {
            shape,
            mass,
            position,
            attitude_deg: [0.0; 3],
            velocity: [0.0; 3],
        }
    }

    /// Returns the principal moments of inertia [kg m²].
    fn inertia(&self) -> [f64; 3] {
        match self.shape {
            Shape::Ball(r) => [0.4 * self.mass * r * r; 3],
            Shape::Block([a, b, c]) => {
                [b * b + c * c, c * c + a * a, a * a + b * b].map(|s| self.mass / 3.0 * s)
            }
        }
    }

    /// Returns the entry of the body under `props`.
    fn yaml(&self, name: &str, friction: f64) -> String {
        let [xx, yy, zz] = self.inertia();
        let shape = match self.shape {
            Shape::Ball(r) => format!("kind: sphere, radius_m: {r:?}"),
            Shape::Block(half) => format!("kind: box, size_m: {:?}", half.map(|h| 2.0 * h)),
        };
        format!(
            "  {name}: {{position_m: {:?}, attitude_deg: {:?}, velocity_m_s: {:?}, body: {{source: test, axes: flu, mass_kg: {:?}, \
             inertia_kg_m2: {{xx: {xx:?}, yy: {yy:?}, zz: {zz:?}}}, collisions: {{all: {{{shape}, material: {{friction: \
             {friction:?}}}}}}}}}}}\n",
            self.position, self.attitude_deg, self.velocity, self.mass
        )
    }
}

/// A scene over a plane through the origin, and the allowed difference of the trajectories.
struct Case {
    name: &'static str,
    bodies: Vec<Body>,
    friction: f64,
    /// Rise of the plane to the east.
    slope: f64,
    gravity: f64,
    seconds: f64,
    /// Maximum distance of the centres [m] and angle of the attitudes [rad] at any sample, and
    /// distance at the last sample [m].
    max_difference: [f64; 3],
}

impl Case {
    fn samples(&self) -> usize {
        (self.seconds / SAMPLE).round() as usize
    }

    fn start(&self) -> Simulation {
        let mut text = format!(
            "step: {{dt_s: {STEP:?}}}\ngravity_m_s2: {:?}\nwater: {{density_kg_m3: 0}}\nrobots: {{}}\nseabed: {{depth_m: 1.0e-9, \
             slope_east_north: [{:?}, 0.0], material: {{friction: {:?}}}}}\nprops:\n",
            self.gravity, self.slope, self.friction
        );
        for (k, body) in self.bodies.iter().enumerate() {
            text += &body.yaml(&format!("body{k}"), self.friction);
        }
        simulation(&text)
    }

    /// Returns the scene for MuJoCo, with Merrow's initial state.
    fn scene(&self) -> Value {
        let start = self.start();
        let motions = start.state.robots.iter().map(|r| &r.motion);
        let body = |(body, motion): (&Body, &merrow_model::state::Motion)| {
            let v_W = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v);
            let shape = match body.shape {
                Shape::Ball(r) => json!({ "radius": r }),
                Shape::Block(half) => json!({ "half": half }),
            };
            json!({
                "shape": shape, "mass": body.mass, "inertia": body.inertia(), "position": array(motion.p_WB),
                "attitude": quaternion(motion.q_WB), "velocity": array(v_W), "spin": array(motion.V_WB_B.w),
            })
        };
        json!({
            "name": self.name, "friction": self.friction, "slope": self.slope, "gravity": self.gravity,
            "sample_s": SAMPLE, "samples": self.samples(),
            "bodies": self.bodies.iter().zip(motions).map(body).collect::<Vec<_>>(),
        })
    }
}

fn array(v: Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

fn quaternion(q: Quat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

/// Returns a block of 2 kg with its underside on a slope.
fn block_on(slope: f64, half: [f64; 3]) -> Body {
    let a = f64::atan(slope);
    let mut block = Body::new(Shape::Block(half), 2.0, [0.0, 0.0, half[2] / a.cos()]);
    block.attitude_deg = [0.0, -a.to_degrees(), 0.0];
    block
}

const CUBE: [f64; 3] = [0.1, 0.1, 0.1];

/// Returns the cases with falls of half a metre onto the floor.
fn drops() -> Vec<Case> {
    let case = |name, shape, attitude_deg, friction, max_difference| {
        let mut body = Body::new(shape, 2.0, [0.0, 0.0, 0.6]);
        body.attitude_deg = attitude_deg;
        Case {
            name,
            bodies: vec![body],
            friction,
            slope: 0.0,
            gravity: 9.81,
            seconds: 1.5,
            max_difference,
        }
    };
    vec![
        // 3.1 m/s · 0.1 ms of penetration; at rest the overlap of 2 um that Merrow leaves.
        case(
            "a ball drops",
            Shape::Ball(0.1),
            [0.0; 3],
            0.5,
            [5e-4, 1e-9, 5e-6],
        ),
        // Merrow stops the four corners together, except for 0.1 mrad.
        case(
            "a cube drops flat",
            Shape::Block(CUBE),
            [0.0; 3],
            0.5,
            [5e-4, 3e-4, 2e-5],
        ),
        case(
            "a cube drops on an edge",
            Shape::Block(CUBE),
            [0.0, 20.0, 0.0],
            1.0,
            [2e-3, 8e-3, 5e-4],
        ),
        case(
            "a cube drops on a corner",
            Shape::Block(CUBE),
            [25.0, 15.0, 0.0],
            1.0,
            [1e-3, 1e-2, 5e-4],
        ),
    ]
}

/// Returns the cases with blocks that slide or stick, and a ball.
fn slides() -> Vec<Case> {
    let on_slope = |name, ratio: f64, max_difference| Case {
        name,
        bodies: vec![block_on(0.3, CUBE)],
        friction: 0.3 * ratio,
        slope: 0.3,
        gravity: 9.81,
        seconds: 2.0,
        max_difference,
    };
    let thrown = |name, mut body: Body, max_difference| {
        body.velocity = [2.0, 0.0, 0.0];
        let bodies = vec![body];
        Case {
            name,
            bodies,
            friction: 0.3,
            slope: 0.0,
            gravity: 9.81,
            seconds: 1.0,
            max_difference,
        }
    };
    vec![
        // Of 4.3 m, 2.7 m, 0.54 m and 54 mm: MuJoCo's lift. In the last case the accelerating force
        // is a hundredth.
        on_slope("friction a fifth of the slope", 0.2, [1.5e-3, 1e-2, 4e-4]),
        on_slope("friction half of the slope", 0.5, [1.5e-3, 1e-2, 8e-4]),
        on_slope("friction nine tenths of the slope", 0.9, [5e-4, 2e-3, 1e-4]),
        on_slope("friction just below the slope", 0.99, [5e-4, 1e-4, 5e-4]),
        // MuJoCo creeps by 1e-8 m/s.
        on_slope("friction just above the slope", 1.01, [5e-7, 1e-6, 5e-7]),
        // The lift, and at the end v² / (2 mu g) to the micrometre.
        thrown(
            "a block comes to a stop",
            Body::new(Shape::Block(CUBE), 2.0, [0.0, 0.0, 0.1]),
            [5e-3, 2e-3, 2e-6],
        ),
        // 5/7 of the speed from 0.194 s on.
        thrown(
            "a ball begins to roll",
            Body::new(Shape::Ball(0.1), 2.0, [0.0, 0.0, 0.1]),
            [2e-3, 1.5e-2, 5e-5],
        ),
    ]
}

/// Returns the cases with tall blocks that a slope tips over, or not: the limit is a slope of width
/// over height, a third.
fn topples() -> Vec<Case> {
    let case = |name, slope, max_difference| {
        let bodies = vec![block_on(slope, [0.05, 0.05, 0.15])];
        Case {
            name,
            bodies,
            friction: 1.0,
            slope,
            gravity: 9.81,
            seconds: 1.2,
            max_difference,
        }
    };
    vec![
        // At rest in both; the overlap that MuJoCo leaves.
        case("a tall block stands", 0.31, [1e-7, 1e-6, 1e-7]),
        case("a tall block topples", 0.36, [3e-3, 1.2e-2, 5e-4]),
    ]
}

/// Returns the cases with bodies that collide without gravity.
fn collisions() -> Vec<Case> {
    let case = |name, shape, y, friction, max_difference| {
        let mut bodies = vec![
            Body::new(shape, 2.0, [0.0, 0.0, 5.0]),
            Body::new(shape, 1.0, [0.5, y, 5.0]),
        ];
        bodies[0].velocity = [1.0, 0.0, 0.0];
        bodies[1].velocity = [-1.0, 0.0, 0.0];
        Case {
            name,
            bodies,
            friction,
            slope: 0.0,
            gravity: 0.0,
            seconds: 0.6,
            max_difference,
        }
    };
    vec![
        // MuJoCo's rebound: 2 m/s / 400 for 0.45 s, of which the lighter ball has two thirds.
        case(
            "two balls head on",
            Shape::Ball(0.1),
            0.0,
            0.0,
            [3e-3, 1e-9, 3e-3],
        ),
        // Merrow uses the line of centres at the end of the step of the impact, up to 2 mm after
        // it.
        case(
            "two balls off centre",
            Shape::Ball(0.1),
            0.08,
            0.0,
            [3e-3, 1e-3, 3e-3],
        ),
        case(
            "two rough balls off centre",
            Shape::Ball(0.1),
            0.08,
            0.3,
            [3e-3, 2e-2, 3e-3],
        ),
        case(
            "two cubes off centre",
            Shape::Block(CUBE),
            0.1,
            0.0,
            [3e-3, 6e-3, 3e-3],
        ),
    ]
}

/// Returns MuJoCo's trajectories of these cases, by name.
fn mujoco(cases: &[Case]) -> Option<Value> {
    let mut command = script("witness/vehicles/mujoco_contact.py")?;
    let folder = Folder::new("mujoco", &[]);
    let (scenes, trajectories) = (
        folder.0.join("scenes.json"),
        folder.0.join("trajectories.json"),
    );
    let scenes_json: Value = cases.iter().map(Case::scene).collect();
    std::fs::write(&scenes, scenes_json.to_string()).unwrap();
    let output = command.args([&scenes, &trajectories]).output().unwrap();
    assert!(
        output.status.success(),
        "MuJoCo: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(serde_json::from_str(&std::fs::read_to_string(&trajectories).unwrap()).unwrap())
}

/// Returns the maximum distance [m] and angle [rad] between Merrow's trajectory of a case and
/// MuJoCo's, and the maximum distance at its end [m].
fn trajectory_difference(case: &Case, theirs: &Value) -> [f64; 3] {
    let mut sim = case.start();
    let mut most = [0.0_f64; 3];
    for sample in 0..case.samples() {
        advance(&mut sim, SAMPLE);
        most[2] = 0.0;
        for (k, robot) in sim.state.robots.iter().enumerate() {
            let pose: Vec<f64> = theirs[sample][k]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_f64().unwrap())
                .collect();
            let p = Vec3::new(pose[0], pose[1], pose[2]);
            let same = quaternion(robot.motion.q_WB)
                .iter()
                .zip(&pose[3..])
                .map(|(a, b)| a * b)
                .sum::<f64>();
            let distance = (robot.motion.p_WB - p).norm();
            most[0] = most[0].max(distance);
            most[2] = most[2].max(distance);
            // For two quaternions: 1 - |q·q'| = 2 sin²(angle / 4).
            most[1] = most[1].max(4.0 * ((1.0 - same.abs()).max(0.0) / 2.0).sqrt());
        }
    }
    most
}

#[test]
fn contact_trajectories_match_mujoco() {
    let cases: Vec<Case> = [drops(), slides(), topples(), collisions()]
        .into_iter()
        .flatten()
        .collect();
    let Some(theirs) = mujoco(&cases) else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        let found = trajectory_difference(case, &theirs[case.name]);
        let summary = format!(
            "{:34} {:.1e} m, {:.1e} rad, at the end {:.1e} m",
            case.name, found[0], found[1], found[2]
        );
        println!("{summary}");
        // NaN is an error too.
        if !found
            .iter()
            .zip(case.max_difference)
            .all(|(found, most)| *found <= most)
        {
            wrong.push(format!("{summary}: allowed {:?}", case.max_difference));
        }
    }
    assert!(
        wrong.is_empty(),
        "differs from MuJoCo:\n{}",
        wrong.join("\n")
    );
}
