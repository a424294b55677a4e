//! Tests sunlight and the power of solar panels.

use crate::common::{advance, close, relative, simulation};
use merrow_environment::air::sun::Sun;
use merrow_environment::air::sunlight::sunlight_under_clouds;
use merrow_math::Vec3;

fn sun(elevation_deg: f64) -> Sun {
    Sun {
        elevation: f64::to_radians(elevation_deg),
        azimuth: 0.0,
        declination: 0.0,
    }
}

// Irradiance under a clear and an overcast sky. Method: the law evaluated by hand: through one air
// mass 1353 · 0.7 = 947 W/m², at 30 degrees through 1.994 [Kasten 1989, table II]; an overcast sky
// transmits a quarter, all of it diffuse. Tolerance: precision of the table.
#[test]
fn irradiance_by_elevation_and_cloud_cover() {
    let zenith = sunlight_under_clouds(&sun(90.0), 0.0);
    relative("beam", zenith.beam, 947.1, 3e-4);
    relative("sky", zenith.sky, 94.71, 3e-4);
    let low = sunlight_under_clouds(&sun(30.0), 0.0);
    relative(
        "beam at 30 deg",
        low.beam,
        1353.0 * 0.7_f64.powf(1.994_f64.powf(0.678)),
        1e-3,
    );
    let overcast = sunlight_under_clouds(&sun(30.0), 1.0);
    assert_eq!(overcast.beam, 0.0);
    relative(
        "overcast",
        overcast.sky,
        0.25 * (low.beam * 0.5 + low.sky),
        1e-12,
    );
    assert_eq!(
        (
            sunlight_under_clouds(&sun(-1.0), 0.0).beam,
            sunlight_under_clouds(&sun(-1.0), 0.0).sky
        ),
        (0.0, 0.0)
    );
}

// A surface receives the beam by the cosine of incidence, and diffuse light by its view of the sky.
// Method: level, upright and turned away; shaded; a beam below the minimum elevation. Tolerance:
// rounding.
#[test]
fn irradiance_by_surface_orientation() {
    let light = sunlight_under_clouds(&sun(30.0), 0.3);
    let (up, north) = (Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 0.0));
    let c30 = f64::to_radians(30.0).cos();
    close(
        "level",
        light.irradiance(up, 0.0, 0.0),
        0.5 * light.beam + light.sky,
        1e-12,
    );
    close(
        "to the sun",
        light.irradiance(north, 0.0, 0.0),
        c30 * light.beam + 0.5 * light.sky,
        1e-12,
    );
    close(
        "away",
        light.irradiance(-north, 0.0, 0.0),
        0.5 * light.sky,
        1e-12,
    );
    close(
        "shaded",
        light.irradiance(up, 0.4, 0.0),
        0.6 * 0.5 * light.beam + light.sky,
        1e-12,
    );
    close("masked", light.irradiance(up, 0.0, 0.51), light.sky, 1e-12);
}

// A panel charges the battery, and has no power under water. Method: noon of an equinox on the
// equator, 0.5 m² at 20 %, level, compared with the law at the solar elevation; the current is
// power over voltage. Tolerance: 1e-9.
#[test]
fn panel_power_matches_law() {
    let world = |z: f64| {
        format!(
            "
origin: {{latitude_deg: 0, longitude_deg: 0}}
weather: {{start_utc: \"2026-03-20T12:00:00Z\"}}
robots:
  r:
    position_m: [0, 0, {z}]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 2, yy: 3, zz: 4}}}}
      battery: {{source: test, capacity_ah: 10, initial_charge: 0.5, open_circuit_v: [[0, 12], [1, 12]], charge_voltage_v: 15, charge_current_a: 100}}
      solar_panels: {{top: {{source: test, area_m2: 0.5, efficiency: 0.2}}}}
"
        )
    };
    let mut s = simulation(&world(0.5));
    advance(&mut s, 1.0);
    let t = s.state.time_ns as f64 * 1e-9 - s.scene.dt();
    let light =
        merrow_environment::air::sunlight::sunlight_at_time(&s.scene.sea.air, &s.scene.origin, t);
    let power = 0.1 * light.irradiance(Vec3::new(0.0, 0.0, 1.0), 0.0, 0.0);
    let b = s.state.robots[0].battery;
    // At the equinox the sun is within 2 degrees of the zenith there: 1.1 times the beam.
    relative("power", power, 0.1 * 1.1 * 947.0, 3e-3);
    close("solar", b.solar, power, 1e-9);
    close("current", b.current, -power / 12.0, 1e-9);
    let mut s = simulation(&world(-0.5));
    advance(&mut s, 1.0);
    assert_eq!(s.state.robots[0].battery.solar, 0.0);
}
