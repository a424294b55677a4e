//! V34: a floating hemisphere in waves, compared with tables of a boundary element method.
//!
//! The expected values (`floating_hemisphere.csv`) were computed with another mesh and without a
//! lid, unlike the tables that the world reads.

use crate::cases::prelude::*;
use merrow_environment::{EnvironmentState, Variation, WaveState};
use merrow_math::SpatialInertia;
use merrow_model::state::{Motion, RobotState, Workspace};
use merrow_physics::forces::hydrodynamics::radiation;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Duration after which the radiation memory has settled [s].
const MEMORY_SECONDS: f64 = 40.0;
/// Displaced mass of a hemisphere of 1 m radius [kg].
pub const RHO_V: f64 = 1000.0 * 2.0 / 3.0 * PI;
/// Unit of the forces per wave amplitude, ρ g π for a radius of 1 m [N/m].
pub const RHO_G_A: f64 = 1000.0 * GRAVITY * PI;

/// Radiation keys of the world: added mass and damping.
pub const RADIATION: &str = "kind: wamit, added_mass: meshes/bem/hemisphere_r1.1, hydrostatics: meshes/bem/hemisphere_r1.hst";
/// Additional key for the total wave excitation force.
pub const EXCITATION: &str = ", excitation: meshes/bem/hemisphere_r1.3";

/// Returns the text of a world with the hemisphere in waves of wave number `ka` [1/m] and
/// `amplitude` [m], with the time step `step` [s].
pub fn world(radiation: &str, ka: f64, amplitude: f64, step: f64) -> String {
    let period = TAU / libm::sqrt(ka * GRAVITY);
    let waves = if amplitude > 0.0 {
        format!(
            ", waves: {{kind: regular, height_m: {}, period_s: {period}, direction_deg: 90}}",
            2.0 * amplitude
        )
    } else {
        String::new()
    };
    format!(
        "step: {{dt_s: {step}}}
water: {{density_kg_m3: 1000{waves}}}
seabed: {{depth_m: 1000}}
robots:
  ball:
    model:
      source: case V34
      body:
        source: case V34
        axes: flu
        mass_kg: {RHO_V}
        inertia_kg_m2: {{xx: 800, yy: 800, zz: 800}}
        hull: {{kind: mesh, file: meshes/ball_2m.obj}}
        radiation: {{{radiation}}}
"
    )
}

/// Returns the rows of ka, A33, B33, A11, B11, |X3|, |X1|, dimensionless.
///
/// # Errors
/// The table cannot be read.
pub(crate) fn table_rows(data: &ReferenceData) -> Result<Vec<[f64; 7]>, String> {
    let table = data.table("floating_hemisphere.csv")?;
    Ok(table
        .rows
        .iter()
        .map(|row| std::array::from_fn(|i| row.get(i).copied().unwrap_or(f64::NAN)))
        .collect())
}

/// Returns the added mass over ρV and the damping over ρVω of the radiation filters at `omega`
/// [rad/s]: A33, B33, A11, B11.
pub(crate) fn fitted_coefficients(scene: &Scene, omega: f64) -> [f64; 4] {
    let link = &scene.robots[0].links[0];
    let Some(radiation) = link.radiation.as_ref() else {
        return [f64::NAN; 4];
    };
    let of = |gain: &dyn Fn(&SpatialInertia) -> f64| {
        let (mut a, mut b) = (gain(&link.added) * radiation.wet_at_rest, 0.0);
        for f in &radiation.filters {
            let real = f.omega * f.omega - omega * omega;
            let imaginary = f.damping * omega;
            let square = real * real + imaginary * imaginary;
            a += gain(&f.gain) * real / square;
            b += gain(&f.gain) * imaginary / square * omega;
        }
        [a / RHO_V, b / (RHO_V * omega)]
    };
    let [a33, b33] = of(&|i| i.D.zz);
    let [a11, b11] = of(&|i| i.D.xx);
    [a33, b33, a11, b11]
}

/// Returns the heave and surge force [N] of the waves at time `t` [s] on the hull fixed at the
/// origin: the force with waves minus the force without. The memory of the hull starts at rest
/// [`MEMORY_SECONDS`] before.
fn wave_force(scene: &Scene, t: f64) -> [f64; 2] {
    let robot = &scene.robots[0];
    let mut state = RobotState::new(robot);
    state.motion = Motion::at_rest(0);
    let mut work = Workspace::new(robot);
    let evaluate = |state: &RobotState, t: f64, waves: Option<&WaveState>, work: &mut Workspace| {
        let at = EnvironmentState {
            sea: &scene.sea,
            gravity: scene.gravity,
            time: t,
            variation: Variation::NONE,
            waves,
        };
        radiation::load_filter_states(robot, state, work);
        Kernel::new().evaluate(robot, &at, &state.motion, &[], work);
        work.links[0].F.f
    };
    let without = evaluate(&state, t, None, &mut work);
    let dt = scene.dt();
    let mut waves = WaveState::default();
    let steps = (MEMORY_SECONDS / dt).round() as u32;
    for k in (0..steps).rev() {
        let middle = t - (f64::from(k) + 0.5) * dt;
        waves.update(&scene.sea.waves, middle * 1e9);
        evaluate(&state, middle, Some(&waves), &mut work);
        radiation::advance_filters(robot, &mut state, &work);
    }
    waves.update(&scene.sea.waves, t * 1e9);
    let f = evaluate(&state, t, Some(&waves), &mut work) - without;
    [f.z, f.x]
}

/// Returns the complex force amplitudes in heave and surge per wave amplitude [N/m]: the force is
/// Re(X exp(iωt)).
///
/// The waves have the wave number `ka` [1/m] and `amplitude` [m].
pub fn excitation(scene: &Scene, ka: f64, amplitude: f64) -> [[f64; 2]; 2] {
    let period = TAU / libm::sqrt(ka * GRAVITY);
    let (start, quarter) = (wave_force(scene, 0.0), wave_force(scene, 0.75 * period));
    [0, 1].map(|i| [start[i] / amplitude, quarter[i] / amplitude])
}

/// Returns the complex amplitude of `x`, sampled every `dt` [s] from `t0` [s] over whole periods.
fn amplitude(omega: f64, t0: f64, dt: f64, x: &[f64]) -> [f64; 2] {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let mut sum = [0.0; 2];
    for (k, x) in x.iter().enumerate() {
        let (s, c) = sin_cos(omega * (t0 + k as f64 * dt));
        sum[0] += 2.0 * (x - mean) * c / n;
        sum[1] -= 2.0 * (x - mean) * s / n;
    }
    sum
}

/// Response of the hemisphere to waves of 5 mm amplitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WaveResponse {
    /// Heave amplitude divided by the wave amplitude.
    pub heave: f64,
    /// Surge speed amplitude divided by the wave amplitude [1/s].
    pub surge: f64,
    /// Mean power of the wave force in heave, per wave amplitude squared [W/m²].
    pub(crate) absorbed_power: f64,
    /// Squared amplitude of the heave speed, per wave amplitude squared [1/s²].
    pub(crate) speed_squared: f64,
}

/// Simulates the response to waves of wave number `ka`: twelve periods to settle, four measured,
/// 200 steps per period.
///
/// # Errors
/// Errors of the world file.
pub(crate) fn simulate_response(data: &ReferenceData, ka: f64) -> Result<WaveResponse, String> {
    let omega = libm::sqrt(ka * GRAVITY);
    let (height, dt) = (0.005, libm::round(TAU / omega / 200.0 * 1e9) * 1e-9);
    let scene = data.world(&world(&format!("{RADIATION}{EXCITATION}"), ka, height, dt))?;
    let [force, _] = excitation(&scene, ka, height);
    let mut s = Simulation::new(Arc::new(scene), 1)?;
    s.advance(12 * 200);
    let start = s.time_ns() as f64 * 1e-9;
    // the hemisphere drifts: use the phase of the waves at its mean position
    let (mut z, mut u, mut x) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..800 {
        z.push(s.state.robots[0].motion.p_WB.z);
        u.push(s.state.robots[0].motion.V_WB_B.v.x);
        x += s.state.robots[0].motion.p_WB.x / 800.0;
        s.advance(1);
    }
    let heave = amplitude(omega, start, dt, &z).map(|x| x / height);
    let surge = amplitude(omega, start, dt, &u).map(|x| x / height);
    // the heave velocity is iω z; the mean power is ½ Re(X v*)
    let speed = [-omega * heave[1], omega * heave[0]];
    let (s, c) = sin_cos(ka * x);
    let force = [force[0] * c + force[1] * s, force[1] * c - force[0] * s];
    Ok(WaveResponse {
        heave: libm::hypot(heave[0], heave[1]),
        surge: libm::hypot(surge[0], surge[1]),
        absorbed_power: 0.5 * (force[0] * speed[0] + force[1] * speed[1]),
        speed_squared: speed[0] * speed[0] + speed[1] * speed[1],
    })
}

/// Returns heave amplitude and surge speed amplitude [1/s], each divided by the wave amplitude,
/// from a row of the table.
pub(crate) fn expected_response([ka, a33, b33, a11, b11, x3, x1]: [f64; 7]) -> [f64; 2] {
    let omega = libm::sqrt(ka * GRAVITY);
    let stiffness = RHO_G_A - omega * omega * RHO_V * (1.0 + a33);
    let heave = x3 * RHO_G_A / libm::hypot(stiffness, omega * omega * b33 * RHO_V);
    [
        heave,
        x1 * RHO_G_A / (omega * RHO_V * libm::hypot(1.0 + a11, b11)),
    ]
}

// V34: the filters within 1 % of the largest value, forces within 2 %, heave and surge within 3 %.
// The absorbed power equals the radiated power ½ B |v|² within 4 %, and within 10 % at the highest
// frequency, where it is a small fraction of the oscillating power.
pub(super) fn hemisphere(data: &ReferenceData) -> Result<CaseResult, String> {
    let table = table_rows(data)?;
    let mut checks = Vec::new();
    let scene = data.world(&world(RADIATION, 1.0, 0.0, 0.01))?;
    for row in &table {
        checks.extend(coefficient_checks(data, &scene, row)?);
    }
    let (mut heave, mut surge) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for row in table.iter().filter(|row| (0.2..=2.5).contains(&row[0])) {
        let ka = row[0];
        let expected = expected_response(*row);
        let found = simulate_response(data, ka)?;
        heave[0].push([ka, expected[0]]);
        heave[1].push([ka, found.heave]);
        surge[0].push([ka, expected[1]]);
        surge[1].push([ka, found.surge]);
        if [0.4, 1.0, 2.0].contains(&ka) {
            checks.extend(response_checks(row, expected, &found));
        }
    }
    let figure = draw_responses(heave, surge);
    Ok(CaseResult::new(checks).with_figure("hemisphere", figure))
}

/// Compares added mass, damping and excitation of the simulation at one wave number with a row of
/// the table.
///
/// # Errors
/// Errors of the world file.
fn coefficient_checks(
    data: &ReferenceData,
    scene: &Scene,
    [ka, a33, b33, a11, b11, x3, x1]: &[f64; 7],
) -> Result<Vec<Check>, String> {
    let found = fitted_coefficients(scene, libm::sqrt(ka * GRAVITY));
    let mut checks = checks! {
        format!("A33 at ka = {ka}"), "", *a33, found[0], Absolute(0.01);
        format!("B33 at ka = {ka}"), "", *b33, found[1], Absolute(0.01);
        format!("A11 at ka = {ka}"), "", *a11, found[2], Absolute(0.01);
        format!("B11 at ka = {ka}"), "", *b11, found[3], Absolute(0.01);
    };
    let held = data.world(&world(&format!("{RADIATION}{EXCITATION}"), *ka, 1e-5, 0.01))?;
    let size = excitation(&held, *ka, 1e-5).map(|[re, im]| libm::hypot(re, im) / RHO_G_A);
    checks.extend(checks! {
        format!("|X3| at ka = {ka}"), "", *x3, size[0], Relative(0.02);
        format!("|X1| at ka = {ka}"), "", *x1, size[1], Relative(0.02);
    });
    Ok(checks)
}

/// Compares a simulated response with the expected amplitudes of heave and surge speed, and its
/// absorbed with its radiated power.
fn response_checks(row: &[f64; 7], expected: [f64; 2], found: &WaveResponse) -> Vec<Check> {
    let ka = row[0];
    let radiated = 0.5 * row[2] * RHO_V * libm::sqrt(ka * GRAVITY) * found.speed_squared;
    let tolerance = if ka < 2.0 { 0.04 } else { 0.1 };
    checks! {
        format!("heave at ka = {ka}"), "m/m", expected[0], found.heave, Relative(0.03);
        format!("surge at ka = {ka}"), "1/s", expected[1], found.surge, Relative(0.03);
        format!("power at ka = {ka}"), "W/m²", radiated, found.absorbed_power, Relative(tolerance);
    }
}

/// Draws heave and surge speed amplitudes over ka, each from the tables and from the simulation.
fn draw_responses(heave: [Vec<[f64; 2]>; 2], surge: [Vec<[f64; 2]>; 2]) -> Drawing {
    let panel = |y: &str, x: &str, [table, run]: [Vec<[f64; 2]>; 2]| {
        let lines = vec![
            PlotCurve::new("tables", BLACK, true, table),
            PlotCurve::new("simulation", COLOURS[0], false, run),
        ];
        Panel::new(y, x, lines)
    };
    let panels = [
        panel("heave amplitude / wave amplitude [m/m]", "", heave),
        panel("surge speed amplitude / wave amplitude [1/s]", "ka", surge),
    ];
    let title = "Hemisphere of 1 m radius in regular waves (V34)";
    draw_figure(title, &panels, 820, 180)
}
