//! Parameters of water, current, waves, flows and regions.

use super::world_parameter::{Effect, WorldParameter};
use merrow_environment::waves::sea_state;
use merrow_math::Vec3;
use merrow_model::scene::{Scene, Sea};
use merrow_world::build::horizontal_velocity;
use merrow_world::build::waves::{changed_waves, flat_sea, initial_sea_state};

pub(crate) const SPEED: &str = "water.current.speed_m_s";
pub(crate) const DIRECTION: &str = "water.current.direction_deg";
pub(crate) const UP: &str = "water.current.up_m_s";
const DENSITY: &str = "water.density_kg_m3";
const SOUND: &str = "water.sound_speed_m_s";
const TEMPERATURE: &str = "water.temperature_c";
const AIR: &str = "water.air_pressure_pa";
const HEIGHT: &str = "water.waves.hs_m";
const PERIOD: &str = "water.waves.tp_s";
const WAVES_TO: &str = "water.waves.direction_deg";
/// Range of the level parameter of a region about its initial level [m].
const LEVEL_RANGE: f64 = 20.0;

/// Returns the name of the gain parameter of a flow.
fn flow_gain_name(flow: &str) -> String {
    format!("water.flows.{flow}.gain")
}

/// Returns the names of the level and wave-factor parameters of a region.
fn region_parameter_names(region: &str) -> [String; 2] {
    ["level_m", "wave_factor"].map(|key| format!("water.regions.{region}.{key}"))
}

/// Returns the parameters of the sea of a world.
pub(super) fn parameters(scene: &Scene) -> Vec<WorldParameter> {
    let sea = &scene.sea;
    let mut all = Vec::new();
    let mut add = |name: &str, value: f64, range: [f64; 2], text: &str| {
        all.push(WorldParameter::number(
            name,
            value,
            range,
            text,
            Effect::Sea,
        ));
    };

    let v = sea.current.profile[0].1;
    let speed = (v.x * v.x + v.y * v.y).sqrt();
    let heading = if speed > 0.0 {
        libm::atan2(v.x, v.y).to_degrees()
    } else {
        0.0
    };
    let replaces = "Setting any current parameter replaces a current profile by a uniform current.";
    let about = format!("Speed of the current [m/s]. {replaces}");
    add(SPEED, speed, [0.0, 20.0], &about);
    let about = format!(
        "Direction towards which the current flows, clockwise from north [deg]. {replaces}"
    );
    add(DIRECTION, heading, [-360.0, 360.0], &about);
    let about = format!("Upward speed of the current [m/s]. {replaces}");
    add(UP, v.z, [-20.0, 20.0], &about);

    let everywhere = "Setting it replaces a water column by uniform water.";
    let about = format!("Density of the water at the surface [kg/m3]. {everywhere}");
    add(DENSITY, sea.density, [0.0, 2000.0], &about);
    let about = format!("Speed of sound at the surface [m/s]. {everywhere}");
    add(SOUND, sea.sound_speed, [1000.0, 2000.0], &about);
    let about = format!("Temperature of the water at the surface [deg C]. {everywhere}");
    add(TEMPERATURE, sea.temperature, [-5.0, 60.0], &about);
    let about = "Air pressure at the surface [Pa].";
    add(AIR, sea.air_pressure, [1e4, 2e5], about);

    let waves = initial_sea_state(scene);
    let grows = format!(
        "A change blends from the current sea state to the new sea state over {} s.",
        waves.ramp_s
    );
    let breaking = sea_state::breaking_height(-sea.seabed.z0);
    let highest = breaking.clamp(0.0, 30.0).max(waves.hs_m);
    let about = format!("Significant wave height [m]; the wave height of a regular wave. {grows}");
    add(HEIGHT, waves.hs_m, [0.0, highest], &about);
    let about = format!(
        "Peak period of the waves [s]; 0 selects the period of a fully developed sea of this height. {grows}"
    );
    let period = if waves.hs_m > 0.0 { waves.tp_s } else { 0.0 };
    add(PERIOD, period, [0.0, 100.0], &about);
    let towards = libm::atan2(waves.towards.x, waves.towards.y).to_degrees();
    let about =
        format!("Direction towards which the waves travel, clockwise from north [deg]. {grows}");
    add(WAVES_TO, towards, [-360.0, 360.0], &about);

    for flow in &sea.current.flows {
        let about = "Factor on the velocity of the flow [1].";
        add(&flow_gain_name(&flow.name), flow.gain, [0.0, 100.0], about);
    }
    for region in sea.regions.iter().filter(|region| !region.is_dry()) {
        let [level, factor] = region_parameter_names(&region.name);
        if let Some(z) = region.level_m {
            let about = "Level of the region's surface above z = 0 [m]. A change acts immediately.";
            add(&level, z, [z - LEVEL_RANGE, z + LEVEL_RANGE], about);
        }
        let about = "Factor on the wave height in the region [1].";
        add(&factor, region.wave_factor, [0.0, 10.0], about);
    }
    all
}

/// Returns the sea for the values of its parameters. `initial` returns the value of a parameter in
/// the world file.
///
/// # Errors
/// One line: no sea has these waves.
pub(super) fn requested(
    scene: &Scene,
    initial: impl Fn(&str) -> Option<f64>,
    value: impl Fn(&str) -> Option<f64>,
) -> Result<Sea, String> {
    let number = |name: &str, otherwise: f64| value(name).unwrap_or(otherwise);
    let changed = |names: &[&str]| {
        let differs = |name: &&str| value(name).is_some_and(|v| Some(v) != initial(name));
        names.iter().any(differs)
    };
    let mut sea = scene.sea.clone();
    sea.density = number(DENSITY, sea.density);
    sea.sound_speed = number(SOUND, sea.sound_speed);
    sea.temperature = number(TEMPERATURE, sea.temperature);
    sea.air_pressure = number(AIR, sea.air_pressure);
    if changed(&[DENSITY, SOUND, TEMPERATURE]) {
        sea.column = None;
    }
    if changed(&[SPEED, DIRECTION, UP]) {
        let mut v: Vec3 = horizontal_velocity(number(SPEED, 0.0), number(DIRECTION, 0.0));
        v.z = number(UP, 0.0);
        sea.current.profile = vec![(0.0, v)];
    }
    for flow in &mut sea.current.flows {
        flow.gain = number(&flow_gain_name(&flow.name), flow.gain);
    }
    for region in sea.regions.iter_mut().filter(|region| !region.is_dry()) {
        let [level, factor] = region_parameter_names(&region.name);
        region.level_m = region.level_m.map(|z| number(&level, z));
        region.wave_factor = number(&factor, region.wave_factor);
    }
    let waves = [HEIGHT, PERIOD, WAVES_TO];
    if changed(&waves) {
        let now = waves.map(|name| number(name, initial(name).unwrap_or_default()));
        sea.waves = changed_waves(scene, now)
            .map_err(|why| format!("parameters '{HEIGHT}' and '{PERIOD}': {why}"))?;
    } else if scene.sea.waves.latest().is_none() {
        // flat water as a separate sea state, into which earlier requested waves fade
        sea.waves = flat_sea(scene);
    }
    Ok(sea)
}
