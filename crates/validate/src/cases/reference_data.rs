//! Input of the cases: worlds, tables of other programs, recordings. The caller reads the files.

use merrow_environment::{EnvironmentState, Variation};
use merrow_model::scene::Scene;
use merrow_model::state::{Command, Motion, RobotState, Workspace};
use merrow_sim::{Simulation, step::Kernel};
use std::path::Path;
use std::sync::Arc;

/// A shape whose added mass is estimated, about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyShape {
    /// Length, width and height [m].
    Box([f64; 3]),
    /// Radius and length along z [m].
    Cylinder([f64; 2]),
    /// Semi-axes of the ellipsoid [m].
    Ellipsoid([f64; 3]),
}

/// Functions that provide worlds and tables to the cases.
pub struct ReferenceData<'a> {
    /// Returns the scene of a world file's text.
    pub world: &'a dyn Fn(&str) -> Result<Scene, String>,
    /// Returns the scene of a bundled world by its name.
    pub shipped: &'a dyn Fn(&str) -> Result<Scene, String>,
    /// Returns the scene of a world file by its path in the folder of reference data.
    pub file: &'a dyn Fn(&str) -> Result<Scene, String>,
    /// Returns the text of a table of another program, by its file name.
    pub table: &'a dyn Fn(&str) -> Result<String, String>,
    /// Folder of tables and recordings.
    pub folder: &'a Path,
    /// Returns the estimated added mass of a shape over the density of water: along x, y, z [m³],
    /// then about them [m⁵].
    pub added: &'a dyn Fn(BodyShape) -> Result<[f64; 6], String>,
}

/// A table of numbers with named columns.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    columns: Vec<String>,
    /// Rows of the table.
    pub rows: Vec<Vec<f64>>,
}

impl ReferenceData<'_> {
    /// Creates a simulation of a world on one thread.
    ///
    /// # Errors
    /// Errors in the text of the world.
    pub fn simulation(&self, text: &str) -> Result<Simulation, String> {
        Simulation::new(Arc::new((self.world)(text)?), 1)
    }

    /// Reads a comma-separated table with a header line. Words in the rows become NaN.
    ///
    /// # Errors
    /// The table cannot be read.
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
    /// Returns the numbers of the named columns, row by row, in the units of the file.
    ///
    /// # Errors
    /// A column is missing.
    pub fn columns<const N: usize>(&self, names: [&str; N]) -> Result<Vec<[f64; N]>, String> {
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

/// Advances a simulation by `seconds` [s], rounded to whole steps.
pub fn advance(simulation: &mut Simulation, seconds: f64) {
    simulation.advance(libm::round(seconds / simulation.scene.dt()).max(0.0) as u64);
}

/// Applies a command to a simulation.
///
/// # Errors
/// The reason of a refused command.
pub fn apply(simulation: &mut Simulation, command: &Command) -> Result<(), String> {
    simulation.apply(command).map_err(|refusal| refusal.reason)
}

/// Returns the environment of a scene at time zero, without waves and without current variation.
pub fn environment_of(scene: &Scene) -> EnvironmentState<'_> {
    EnvironmentState {
        sea: &scene.sea,
        gravity: scene.gravity,
        time: 0.0,
        variation: Variation::NONE,
        waves: None,
    }
}

/// Returns the initial motion of the first robot.
///
/// # Errors
/// The world has no robot.
pub fn initial_motion(scene: &Scene) -> Result<Motion, String> {
    Ok(RobotState::new(scene.robots.first().ok_or("the world has no robot")?).motion)
}

/// Evaluates forces and accelerations of the first robot in the motion `motion`, with zero joint
/// efforts.
///
/// # Errors
/// The world has no robot.
pub fn evaluate(scene: &Scene, motion: &Motion) -> Result<Workspace, String> {
    let robot = scene.robots.first().ok_or("the world has no robot")?;
    let mut work = Workspace::new(robot);
    Kernel::new().evaluate(
        robot,
        &environment_of(scene),
        motion,
        &vec![0.0; robot.n_joints()],
        &mut work,
    );
    Ok(work)
}

/// Returns the times [s] at which a function sampled every `dt` [s] crosses zero upwards, by cubic
/// interpolation through four samples.
pub fn zero_upcrossings(dt: f64, x: &[f64]) -> Vec<f64> {
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

/// Returns the mean time between zero upcrossings [s], NaN with fewer than two.
pub fn mean_period(dt: f64, x: &[f64]) -> f64 {
    let zeros = zero_upcrossings(dt, x);
    match zeros[..] {
        [first, .., last] => (last - first) / (zeros.len() - 1) as f64,
        _ => f64::NAN,
    }
}
