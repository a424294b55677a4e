//! Status of a world for the page: what changes rarely, as JSON texts that are sent on change.

use crate::controls::ControlState;
use crate::task;
use merrow_math::{Quat, Vec3};
use merrow_model::scene::WaveField;
use merrow_model::scene::fault_devices::device_path;
use merrow_model::scene::sea::water::Region;
use merrow_model::scene::sea::waves::Components;
use merrow_model::state::{FaultState, Health, RobotState};
use merrow_sim::{Control, Simulation};
use merrow_world::document::Placement;
use serde_json::{Value, json};

/// Maximum number of wave components per sea state that the page receives, the highest of them.
const MAX_COMPONENTS: usize = 320;

/// Returns the status: pace, parameters of the environment, modes and faults of the robots, and the
/// state of the controls, and the number of `cores` that the program uses.
pub(crate) fn status(
    simulation: &Simulation,
    control: &Control,
    own: &ControlState,
    cores: f64,
) -> String {
    let sea = &simulation.state.sea;
    let current = sea
        .current
        .profile
        .first()
        .map_or(Vec3::zero(), |(_, v)| *v);
    let waves = sea.waves.latest().map(|field| &field.requested);
    let weather = &sea.air.to;
    let robots = simulation.state.robots.iter().enumerate();
    json!({
        "type": "status",
        "paused": control.paused,
        "pace": control.pace.to_string(),
        "load_cores": (100.0 * cores).round() / 100.0,
        "water.current.speed_m_s": (current.x * current.x + current.y * current.y).sqrt(),
        "water.current.direction_deg": towards_deg(current),
        "water.waves.hs_m": waves.map_or(0.0, |waves| waves.hs_m),
        "water.waves.tp_s": waves.map_or(0.0, |waves| waves.tp_s),
        "water.waves.direction_deg": waves.map_or(0.0, |waves| towards_deg(waves.towards)),
        "weather.wind_speed_m_s": weather.wind.norm(),
        "weather.wind_from_deg": towards_deg(weather.wind.scale(-1.0)),
        "weather.cloud_cover": weather.cloud_cover,
        "weather.visibility_m": weather.visibility_m,
        "weather.rain_mm_h": weather.rain_mm_h,
        "weather.temperature_c": weather.temperature_c,
        "weather.gustiness": weather.gustiness,
        "utc_s": sea.air.start_utc,
        "edit": {"possible": own.can_edit, "undo": own.undo, "redo": own.redo},
        "recording": own.recording,
        "repairable": repairable(&simulation.state.faults, |fault| {
            describe(fault, device_path(&simulation.scene, None, fault.fault.device))
        }),
        "task": task::status(simulation),
        "structures": own.structures.iter().map(structure).collect::<Vec<_>>(),
        "robots": robots.map(|(k, state)| robot(simulation, k, state)).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Returns the direction of a horizontal vector, clockwise from north [deg]; 0 for zero.
fn towards_deg(v: Vec3) -> f64 {
    if v.x == 0.0 && v.y == 0.0 {
        return 0.0;
    }
    libm::atan2(v.x, v.y).to_degrees().rem_euclid(360.0)
}

fn structure((name, pose): &(String, Placement)) -> Value {
    let Quat { w, x, y, z } = pose.q_WB;
    json!({"name": name, "p": pose.p_WB.to_array(), "q": [w, x, y, z]})
}

fn robot(simulation: &Simulation, index: usize, state: &RobotState) -> Value {
    let robot = &simulation.scene.robots[index];
    let now = simulation.time_ns();
    let label = |fault: &FaultState| {
        describe(
            fault,
            device_path(&simulation.scene, Some(index), fault.fault.device),
        )
    };
    let active = state.faults.iter().filter(|fault| fault.is_active(now));
    let mut faults: Vec<String> = active.map(label).collect();
    for (thruster, state) in robot.thrusters.iter().zip(&state.actuators) {
        if state.health != Health::Healthy {
            faults.push(format!(
                "thrusters/{}: {}",
                thruster.name,
                health(state.health)
            ));
        }
    }
    for (fin, state) in robot.fins.iter().zip(&state.fins) {
        if state.health != Health::Healthy {
            faults.push(format!("fins/{}: {}", fin.name, health(state.health)));
        }
    }
    json!({
        "mode": state.firmware.as_ref().map(|firmware| firmware.activity().mode.keyword()),
        "halted": state.halted.as_ref().map(|halt| halt.cause.as_str()),
        "faults": faults,
        "repairable": repairable(&state.faults, label),
    })
}

/// Returns a text for a fault of the device at `path`.
fn describe(fault: &FaultState, path: String) -> String {
    format!("{path}: {}", fault.fault.kind.kind())
}

/// Returns the names of faults, which can be ended, with their texts.
fn repairable(faults: &[FaultState], text: impl Fn(&FaultState) -> String) -> Vec<Value> {
    let entry = |fault: &FaultState| json!([&*fault.fault.name, text(fault)]);
    faults.iter().map(entry).collect()
}

fn health(health: Health) -> String {
    match health {
        Health::Healthy => "healthy".to_string(),
        Health::Reduced(fraction) => format!("{:.0} % of its thrust", 100.0 * fraction),
        Health::Stuck => "stuck".to_string(),
        Health::Dead => "dead".to_string(),
    }
}

/// Returns the sea states with their wave components, and the surfaces of the regions.
pub(crate) fn sea(simulation: &Simulation) -> String {
    let waves = &simulation.state.sea.waves;
    let seas = waves.seas.iter().map(|(start_ns, field)| {
        json!({
            "start_s": *start_ns as f64 * 1e-9,
            "ramp_s": field.requested.ramp_s,
            "components": components(field),
        })
    });
    json!({
        "type": "sea",
        "seas": seas.collect::<Vec<_>>(),
        "tide": waves.tide.as_ref().map(|tide| components(tide)),
        "regions": waves.regions.iter().flat_map(|all| all.iter()).map(region).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Describes the surface of a region: corners [m], level [m] and factor on the waves.
fn region(region: &Region) -> Value {
    json!({
        "corners": region.corners_m,
        "level": region.level_m,
        "waves": region.wave_factor,
    })
}

/// Returns the highest components as lists of amplitude [m], angular frequency [rad/s], phase
/// [rad] and wave vector [rad/m].
fn components(field: &WaveField) -> Vec<[f64; 5]> {
    let c: &Components = &field.components;
    let mut order: Vec<usize> = (0..field.n).collect();
    order.sort_by(|i, j| c.a[*j].total_cmp(&c.a[*i]));
    order.truncate(MAX_COMPONENTS);
    let one = |i: usize| [c.a[i], c.omega[i], c.phase[i], c.kx[i], c.ky[i]];
    order.into_iter().map(one).collect()
}
