//! What cases are made from: worlds, tables of other programs, recordings. Whoever runs them reads the files.

use crate::pool::recording::Recording;
use merrow_environment::{Instant, Variation};
use merrow_model::scene::Scene;
use merrow_model::state::{Command, Motion, RobotState, Workspace};
use merrow_sim::{Simulation, step};
use std::sync::Arc;

/// A shape whose added mass is estimated, about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Length, width and height [m].
    Box([f64; 3]),
    /// Radius and length along z [m].
    Cylinder([f64; 2]),
    /// Semi-axes [m].
    Ellipsoid([f64; 3]),
}

/// Where cases get their worlds and tables from.
pub struct Materials<'a> {
    /// The scene of a world file's text.
    pub world: &'a dyn Fn(&str) -> Result<Scene, String>,
    /// The scene of a shipped world.
    pub shipped: &'a dyn Fn(&str) -> Result<Scene, String>,
    /// A table of another program: a file's text by its name.
    pub table: &'a dyn Fn(&str) -> Result<String, String>,
    /// The recorded pool trials.
    pub trials: &'a dyn Fn() -> Result<Vec<Recording>, String>,
    /// Added mass over the water's density that a body's shape is estimated to have: along x, y, z, then about them.
    pub added: &'a dyn Fn(Shape) -> Result<[f64; 6], String>,
}

/// A table of numbers with named columns.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<f64>>,
}

impl Materials<'_> {
    /// A world at its start, on one thread.
    ///
    /// # Errors
    /// The text's mistakes.
    pub fn simulation(&self, text: &str) -> Result<Simulation, String> {
        Simulation::new(Arc::new((self.world)(text)?), 1)
    }

    /// A table; words in it are NaN.
    ///
    /// # Errors
    /// One line if it cannot be read.
    pub fn table(&self, name: &str) -> Result<Table, String> {
        let text = (self.table)(name)?;
        let mut lines = text.lines().filter(|l| !l.is_empty());
        let columns = lines
            .next()
            .unwrap_or_default()
            .split(',')
            .map(str::to_owned)
            .collect();
        let row = |l: &str| {
            l.split(',')
                .map(|x| x.parse().unwrap_or(f64::NAN))
                .collect()
        };
        Ok(Table {
            name: name.to_string(),
            columns,
            rows: lines.map(row).collect(),
        })
    }
}

impl Table {
    /// Numbers of the columns of these names, row by row.
    ///
    /// # Errors
    /// One line if there is no such column.
    pub fn of<const N: usize>(&self, names: [&str; N]) -> Result<Vec<[f64; N]>, String> {
        let mut at = [0; N];
        for (k, name) in names.iter().enumerate() {
            at[k] = self
                .columns
                .iter()
                .position(|c| c == name)
                .ok_or_else(|| format!("{}: found no column {name}", self.name))?;
        }
        let number = |row: &[f64], k: usize| row.get(at[k]).copied().unwrap_or(f64::NAN);
        Ok(self
            .rows
            .iter()
            .map(|row| std::array::from_fn(|k| number(row, k)))
            .collect())
    }
}

/// Lets `seconds` pass, rounded to whole steps.
pub fn advance(simulation: &mut Simulation, seconds: f64) {
    simulation.advance(libm::round(seconds / simulation.scene.dt()).max(0.0) as u64);
}

/// Applies a command.
///
/// # Errors
/// Why it was refused.
pub fn apply(simulation: &mut Simulation, command: &Command) -> Result<(), String> {
    simulation.apply(command).map_err(|refusal| refusal.reason)
}

/// Gravity and sea of a scene without waves, without variation of the current.
pub fn instant(scene: &Scene) -> Instant<'_> {
    Instant {
        sea: &scene.sea,
        gravity: scene.gravity,
        time: 0.0,
        variation: Variation::NONE,
        waves: None,
    }
}

/// How the first robot starts.
///
/// # Errors
/// There is none.
pub fn start(scene: &Scene) -> Result<Motion, String> {
    Ok(RobotState::new(scene.robots.first().ok_or("the world has no robot")?).motion)
}

/// Forces and accelerations of the first robot in the motion `motion`.
///
/// # Errors
/// There is none.
pub fn evaluate(scene: &Scene, motion: &Motion) -> Result<Workspace, String> {
    let robot = scene.robots.first().ok_or("the world has no robot")?;
    let mut work = Workspace::new(robot);
    step::evaluate(
        robot,
        &instant(scene),
        motion,
        &vec![0.0; robot.n_joints()],
        0,
        &mut work,
    );
    Ok(work)
}

/// Instants at which a sampled function crosses zero upwards, by a cubic through four samples.
pub fn upward_zeros(dt: f64, x: &[f64]) -> Vec<f64> {
    let crossings = (1..x.len().saturating_sub(2)).filter(|k| x[*k] < 0.0 && x[k + 1] >= 0.0);
    crossings
        .map(|k| {
            let cubic = |s: f64| {
                let (a, b, c, d) = (x[k - 1], x[k], x[k + 1], x[k + 2]);
                -a * s * (s - 1.0) * (s - 2.0) / 6.0 + b * (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0
                    - c * (s + 1.0) * s * (s - 2.0) / 2.0
                    + d * (s + 1.0) * s * (s - 1.0) / 6.0
            };
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..60 {
                let mid = 0.5 * (lo + hi);
                if cubic(mid) < 0.0 {
                    lo = mid;
                } else {
                    hi = mid;
                }
            }
            (k as f64 + lo) * dt
        })
        .collect()
}

/// Mean time between upward zeros; NaN with fewer than two.
pub fn period(dt: f64, x: &[f64]) -> f64 {
    let zeros = upward_zeros(dt, x);
    match zeros[..] {
        [first, .., last] => (last - first) / (zeros.len() - 1) as f64,
        _ => f64::NAN,
    }
}
