//! Keys of a world file for water, waves and weather as they are in a state.

use crate::build;
use merrow_environment::air;
use merrow_environment::air::wind::direction_from_deg;
use merrow_math::Vec3;
use merrow_model::scene::{Scene, Sea, SeaState, Spectrum};
use merrow_model::state::State;
use merrow_yaml::node::{KIND, Node};

/// Sets the keys of the water, the waves and the weather that differ from `scene`. Waves of a table
/// or of the Kelpie simulator keep their keys.
pub(super) fn set_environment(root: &mut Node, scene: &Scene, state: &State) {
    if state.sea != scene.sea {
        let water = root.get_or_make("water");
        set_water(water, &scene.sea, &state.sea);
        set_waves(water, &scene.sea, &state.sea);
    }
    if state.sea.air.start_utc != scene.sea.air.start_utc {
        let text = build::air::utc_text(state.sea.air.start_utc);
        root.get_or_make("weather").set("start_utc", text);
    }
    let now = air::weather(&state.sea.air, 1e-9 * state.time_ns as f64);
    let before = air::weather(&scene.sea.air, 0.0);
    if now == before {
        return;
    }
    let weather = root.get_or_make("weather");
    if now.wind != before.wind {
        weather.set("wind_speed_m_s", now.wind.norm());
        weather.set("wind_from_deg", direction_from_deg(now.wind));
    }
    for (key, value, old) in [
        ("gustiness", now.gustiness, before.gustiness),
        ("temperature_c", now.temperature_c, before.temperature_c),
        ("cloud_cover", now.cloud_cover, before.cloud_cover),
        ("rain_mm_h", now.rain_mm_h, before.rain_mm_h),
        ("visibility_m", now.visibility_m, before.visibility_m),
    ] {
        if value != old {
            weather.set(key, value);
        }
    }
}

/// Sets the current, the flows and the regions. The density is not a key of the saved water: the
/// volumes of robots follow from the density of the file, and not from a later change.
fn set_water(water: &mut Node, before: &Sea, now: &Sea) {
    if let [(_, v)] = now.current.profile[..]
        && now.current.profile != before.current.profile
    {
        set_current(water, v);
    }
    let flows = now.current.flows.iter().zip(&before.current.flows);
    for (flow, _) in flows.filter(|(now, before)| now.gain != before.gain) {
        if let Some(entry) = entry_of(water, "flows", &flow.name) {
            entry.set("gain", flow.gain);
        }
    }
    for (region, before) in now.regions.iter().zip(&before.regions) {
        let Some(entry) = entry_of(water, "regions", &region.name) else {
            continue;
        };
        if let Some(level) = region.level_m.filter(|_| region.level_m != before.level_m) {
            entry.set("level_m", level);
        }
        if region.wave_factor != before.wave_factor {
            entry.set("wave_factor", region.wave_factor);
        }
    }
}

/// Sets a uniform current with the velocity `v` [m/s, W].
fn set_current(water: &mut Node, v: Vec3) {
    let kind = Node::plain("uniform", &water.place);
    let mut current = Node::map([(KIND, kind)], &water.place);
    current.set("speed_m_s", (v.x * v.x + v.y * v.y).sqrt());
    current.set("direction_deg", direction_to_deg(v));
    current.set("up_m_s", v.z);
    water.make_map().insert("current", current);
}

/// Returns the direction of `v` clockwise from north [deg].
fn direction_to_deg(v: Vec3) -> f64 {
    libm::atan2(v.x, v.y).to_degrees()
}

/// Sets height, period and direction of the waves.
fn set_waves(water: &mut Node, before: &Sea, now: &Sea) {
    let requested = |sea: &Sea| sea.waves.latest().map(|field| field.requested.clone());
    let Some(waves) = requested(now) else {
        return;
    };
    let old = requested(before);
    if old.as_ref() == Some(&waves) || (old.is_none() && waves.hs_m == 0.0) {
        return;
    }
    if old.is_none() {
        let kind = Node::plain("jonswap", &water.place);
        let jonswap = Node::map([(KIND, kind)], &water.place);
        water.make_map().insert("waves", jonswap);
    }
    if let Some(map) = water
        .get_mut("waves")
        .filter(|node| node.as_map().is_some())
    {
        set_sea_state(map, &waves);
    }
}

fn set_sea_state(map: &mut Node, waves: &SeaState) {
    let (height, period) = match waves.spectrum {
        Spectrum::Regular(_) => ("height_m", Some("period_s")),
        Spectrum::PiersonMoskowitz => ("hs_m", None),
        Spectrum::Jonswap(_) | Spectrum::Bretschneider | Spectrum::Torsethaugen => {
            ("hs_m", Some("tp_s"))
        }
        Spectrum::Tabulated(_) | Spectrum::Kelpie => return,
    };
    for other in ["wind_speed_m_s", "beaufort", "fetch_m"] {
        map.make_map().remove(other);
    }
    map.set(height, waves.hs_m);
    if let Some(period) = period {
        map.set(period, waves.tp_s);
    }
    map.set("direction_deg", direction_to_deg(waves.towards));
}

/// Returns the entry `name` of a section of the water if it is a map.
fn entry_of<'a>(water: &'a mut Node, section: &str, name: &str) -> Option<&'a mut Node> {
    let entry = water.get_mut(section)?.get_mut(name)?;
    entry.as_map().is_some().then_some(entry)
}
