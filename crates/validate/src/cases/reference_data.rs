//! Input of the cases: worlds, tables of other programs, recordings.

use crate::cases::check::{Check, Tolerance};
use merrow_environment::{EnvironmentState, Variation};
use merrow_model::scene::Scene;
use merrow_model::state::{ActuatorCommand, Command, Motion, RobotState, Workspace};
use merrow_sim::{Simulation, step::Kernel};
use std::path::PathBuf;
use std::sync::Arc;

/// Worlds, tables and recordings of the cases; `crate::read` reads them.
#[derive(Clone, Debug)]
pub struct ReferenceData {
    /// Folder of tables and recordings.
    pub folder: PathBuf,
}

/// A table of numbers with named columns.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    columns: Vec<String>,
    /// Rows of the table.
    pub rows: Vec<Vec<f64>>,
}

impl ReferenceData {
    /// Creates a simulation of a world on one thread.
    ///
    /// # Errors
    /// Errors in the text of the world.
    pub fn simulation(&self, text: &str) -> Result<Simulation, String> {
        Simulation::new(Arc::new(self.world(text)?), 1)
    }

    /// Reads a comma-separated table with a header line. Words in the rows become NaN.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn table(&self, name: &str) -> Result<Table, String> {
        let text = self.text(name)?;
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
    /// Returns the numbers of the columns `names`, which are separated by blanks, row by row, in the
    /// units of the file.
    ///
    /// # Errors
    /// A column is missing, or the number of names is not `N`.
    pub fn columns<const N: usize>(&self, names: &str) -> Result<Vec<[f64; N]>, String> {
        let place = |name: &str| {
            let found = self.columns.iter().position(|c| c == name);
            found.ok_or_else(|| format!("{}: found no column {name}", self.name))
        };
        let at = names.split(' ').map(place).collect::<Result<Vec<_>, _>>()?;
        let at: [usize; N] = at
            .try_into()
            .map_err(|_| format!("{names}: expected {N} names"))?;
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

/// Commands one thruster of a robot to `value`, in the unit of its commands.
///
/// # Errors
/// The simulation refuses the command.
pub fn command_thruster(
    simulation: &mut Simulation,
    robot: usize,
    thruster: usize,
    value: f64,
) -> Result<(), String> {
    let command = ActuatorCommand::Thruster { thruster, value };
    apply(simulation, &Command::Actuator(robot, command))
}

/// Commands the thrusters of a robot, and the fins after them, to `values` in their units.
///
/// # Errors
/// The simulation refuses the command.
pub fn command_thrusters(
    simulation: &mut Simulation,
    robot: usize,
    values: &[f64],
) -> Result<(), String> {
    let values = values.to_vec();
    let command = ActuatorCommand::Thrusters { values };
    apply(simulation, &Command::Actuator(robot, command))
}

/// Halves an interval `steps` times and returns its ends, in the unit of the interval; `is_low` is
/// true below the wanted value.
pub fn bisect(
    steps: usize,
    [mut low, mut high]: [f64; 2],
    is_low: impl Fn(f64) -> bool,
) -> [f64; 2] {
    for _ in 0..steps {
        let middle = 0.5 * (low + high);
        if is_low(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    [low, high]
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
            (k as f64 + bisect(60, [0.0, 1.0], |s| cubic(s) < 0.0)[0]) * dt
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

/// Names of the accelerations that [`ned_rates`] returns.
pub const RATES: &str = "du dv dw dp dq dr";

/// Returns the linear and angular acceleration of the first robot in forward-right-down axes
/// [m/s², rad/s²].
pub fn ned_rates(work: &Workspace) -> [f64; 6] {
    let A = work.links[0].A;
    [A.v.x, -A.v.y, -A.v.z, A.w.x, -A.w.y, -A.w.z]
}

/// Returns the comparisons of the largest errors `worst` of the [`RATES`] with a limit, both in SI
/// units.
pub fn rate_checks(what: &str, limit: f64, worst: [f64; 6]) -> Vec<Check> {
    let rates = RATES.split(' ').zip(worst);
    let check = |(name, worst)| {
        let what = format!("{what}: largest error of {name}");
        Check::new(what, "SI", limit, worst, Tolerance::AtMost)
    };
    rates.map(check).collect()
}

/// Largest error of the columns of a simulation compared with a run of a program.
#[derive(Clone, Debug)]
pub struct WorstColumn<const N: usize> {
    names: &'static str,
    ranges: [f64; N],
    /// Largest error relative to the range of its column, and the name of the column.
    pub worst: (f64, &'static str),
}

impl<const N: usize> WorstColumn<N> {
    /// Prepares the comparison of the columns `names`, separated by blanks, with the rows of the
    /// program. A column that stays close to zero has the range `least`, in the unit of the column.
    pub fn new(names: &'static str, rows: &[[f64; N]], least: f64) -> Self {
        let range = |i: usize| {
            let fold = |f: fn(f64, f64) -> f64, from| rows.iter().map(|r| r[i]).fold(from, f);
            (fold(f64::max, f64::NEG_INFINITY) - fold(f64::min, f64::INFINITY)).max(least)
        };
        Self {
            names,
            ranges: std::array::from_fn(range),
            worst: (0.0, ""),
        }
    }

    /// Compares the state of the simulation with a row of the program, in the units of the columns.
    pub fn add(&mut self, found: &[f64; N], row: &[f64; N]) {
        for (i, name) in self.names.split(' ').enumerate() {
            let error = (found[i] - row[i]).abs() / self.ranges[i];
            if error > self.worst.0 || error.is_nan() {
                self.worst = (error, name);
            }
        }
    }
}
