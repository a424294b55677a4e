//! Keys of a world file for water, waves and weather as they are in a state.

use crate::build;
use crate::document::changes::{number, quoted, scalar, section};
use merrow_environment::air;
use merrow_environment::air::wind::direction_from_deg;
use merrow_math::Vec3;
use merrow_model::scene::{Scene, Sea, SeaState, Spectrum};
use merrow_model::state::State;
use merrow_yaml::error::Place;
use merrow_yaml::node::{Map, Node, Value};

/// Sets the keys of the water, the waves and the weather that differ from `scene`. Waves of a table
/// or of the Kelpie simulator keep their keys.
pub(super) fn set_environment(root: &mut Node, scene: &Scene, state: &State) {
    let place = root.place.clone();
    if state.sea != scene.sea {
        let water = section(root, "water");
        set_water(water, &scene.sea, &state.sea, &place);
        set_waves(water, &scene.sea, &state.sea, &place);
    }
    if state.sea.air.start_utc != scene.sea.air.start_utc {
        let text = build::air::utc_text(state.sea.air.start_utc);
        section(root, "weather").insert("start_utc", quoted(&text, &place));
    }
    let now = air::weather(&state.sea.air, 1e-9 * state.time_ns as f64);
    let before = air::weather(&scene.sea.air, 0.0);
    if now == before {
        return;
    }
    let weather = section(root, "weather");
    let mut set = |key: &str, value: f64| weather.insert(key, number(value, &place));
    if now.wind != before.wind {
        set("wind_speed_m_s", now.wind.norm());
        set("wind_from_deg", direction_from_deg(now.wind));
    }
    for (key, value, old) in [
        ("gustiness", now.gustiness, before.gustiness),
        ("temperature_c", now.temperature_c, before.temperature_c),
        ("cloud_cover", now.cloud_cover, before.cloud_cover),
        ("rain_mm_h", now.rain_mm_h, before.rain_mm_h),
        ("visibility_m", now.visibility_m, before.visibility_m),
    ] {
        if value != old {
            set(key, value);
        }
    }
}

/// Sets the current, the flows and the regions. The density is not a key of the saved water: the
/// volumes of robots follow from the density of the file, and not from a later change.
fn set_water(water: &mut Map, before: &Sea, now: &Sea, place: &Place) {
    if let [(_, v)] = now.current.profile[..]
        && now.current.profile != before.current.profile
    {
        water.insert("current", current(v, place));
    }
    let flows = now.current.flows.iter().zip(&before.current.flows);
    for (flow, _) in flows.filter(|(now, before)| now.gain != before.gain) {
        if let Some(entry) = entry_of(water, "flows", &flow.name) {
            entry.insert("gain", number(flow.gain, place));
        }
    }
    for (region, before) in now.regions.iter().zip(&before.regions) {
        let Some(entry) = entry_of(water, "regions", &region.name) else {
            continue;
        };
        if let Some(level) = region.level_m.filter(|_| region.level_m != before.level_m) {
            entry.insert("level_m", number(level, place));
        }
        if region.wave_factor != before.wave_factor {
            entry.insert("wave_factor", number(region.wave_factor, place));
        }
    }
}

/// Returns the map of a uniform current with the velocity `v` [m/s, W].
fn current(v: Vec3, place: &Place) -> Node {
    let mut map = Map::default();
    map.insert("kind", scalar("uniform", place));
    map.insert("speed_m_s", number((v.x * v.x + v.y * v.y).sqrt(), place));
    map.insert("direction_deg", number(direction_to_deg(v), place));
    map.insert("up_m_s", number(v.z, place));
    Node {
        value: Value::Map(map),
        place: place.clone(),
    }
}

/// Returns the direction of `v` clockwise from north [deg].
fn direction_to_deg(v: Vec3) -> f64 {
    libm::atan2(v.x, v.y).to_degrees()
}

/// Sets height, period and direction of the waves.
fn set_waves(water: &mut Map, before: &Sea, now: &Sea, place: &Place) {
    let requested = |sea: &Sea| sea.waves.latest().map(|field| field.requested.clone());
    let Some(waves) = requested(now) else {
        return;
    };
    let old = requested(before);
    if old.as_ref() == Some(&waves) || (old.is_none() && waves.hs_m == 0.0) {
        return;
    }
    if old.is_none() {
        let mut map = Map::default();
        map.insert("kind", scalar("jonswap", place));
        let value = Value::Map(map);
        let place = place.clone();
        water.insert("waves", Node { value, place });
    }
    if let Some(Value::Map(map)) = water.get_mut("waves").map(|node| &mut node.value) {
        set_sea_state(map, &waves, place);
    }
}

fn set_sea_state(map: &mut Map, waves: &SeaState, place: &Place) {
    let (height, period) = match waves.spectrum {
        Spectrum::Regular(_) => ("height_m", Some("period_s")),
        Spectrum::PiersonMoskowitz => ("hs_m", None),
        Spectrum::Jonswap(_) | Spectrum::Bretschneider | Spectrum::Torsethaugen => {
            ("hs_m", Some("tp_s"))
        }
        Spectrum::Tabulated(_) | Spectrum::Kelpie => return,
    };
    for other in ["wind_speed_m_s", "beaufort", "fetch_m"] {
        map.remove(other);
    }
    map.insert(height, number(waves.hs_m, place));
    if let Some(period) = period {
        map.insert(period, number(waves.tp_s, place));
    }
    let direction = direction_to_deg(waves.towards);
    map.insert("direction_deg", number(direction, place));
}

/// Returns the map of the entry `name` of a section of the water.
fn entry_of<'a>(water: &'a mut Map, section: &str, name: &str) -> Option<&'a mut Map> {
    let Value::Map(all) = &mut water.get_mut(section)?.value else {
        return None;
    };
    match &mut all.get_mut(name)?.value {
        Value::Map(entry) => Some(entry),
        _ => None,
    }
}
