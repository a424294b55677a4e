//! Tests water whose properties change with depth: floating bodies and sensors.

use crate::common::turntable::ball;
use crate::common::{advance, close, reading, scene, simulation};
use merrow_model::scene::sea::water::{Layer, SoundSpeedLaw, WaterColumn};
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;
use std::sync::Arc;

fn layer(depth: f64, density: f64, load: f64) -> Layer {
    Layer {
        depth,
        temperature: 10.0,
        salinity: 35.0,
        density,
        sound_speed: 1500.0,
        load,
    }
}

// A neutral float in water whose density increases linearly with depth heaves with ω² = g ρ' V / (m
// + A). Method: an ellipsoid without drag, 1 m above its depth; half a period later it is 1 m below
// it, a quarter period at it. Tolerance: 1e-8 m, the error of RK4 at a thousandth of the period.
#[test]
fn float_heaves_with_its_buoyancy_frequency() {
    let text = "
robots:
  float:
    position_m: [0, 0, -49]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 12, inertia_kg_m2: {xx: 1, yy: 2, zz: 3}, net_buoyancy_n: 0,
        added_mass: {kind: diagonal, values: [2, 20, 30, 0, 3, 4]}}
";
    let mut scene = scene(text);
    // Neutral at 50 m, where the density equals the density for which the float was trimmed.
    let layers = vec![layer(0.0, 975.0, 0.0), layer(100.0, 1075.0, 102_500.0)];
    let sound_speed_law = SoundSpeedLaw::Unesco;
    scene.sea.column = Some(Arc::new(WaterColumn {
        layers,
        sound_speed_law,
        temperature: None,
        salinity: None,
    }));
    let volume: f64 = 12.0 / 1025.0;
    let omega = (9.81 * 1.0 * volume / (12.0 + 30.0)).sqrt();
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    for k in 1..=8 {
        let before = s.time_ns() as f64 * 1e-9;
        advance(
            &mut s,
            0.25 * std::f64::consts::PI / omega * f64::from(k) - before,
        );
        let t = s.time_ns() as f64 * 1e-9;
        close(
            "height",
            s.state.robots[0].motion.p_WB.z,
            -50.0 + (omega * t).cos(),
            1e-8,
        );
    }
}

const DEVICES: &str = "pressure: {device: {source: test, kind: pressure, rate_hz: 500}},
        dvl: {device: {source: test, kind: dvl, rate_hz: 500, beam_angle_deg: 30, bottom_std_m_s: 0, altitude_m: [0.5, 90]}}";

fn world(water: &str) -> Simulation {
    simulation(&ball(
        &format!("water: {water}\nseabed: {{depth_m: 600}}"),
        "",
        DEVICES,
    ))
}

// A pressure sensor integrates the column, and a DVL reports the local speed of sound. Method:
// water with uniform properties to the seabed, where the density at the surface and the compression
// calculated by hand give both. Tolerance: the pressure within 1e-6, the rounding of the hand
// calculation; the speed of sound within 1e-3 m/s of Chen and Millero at that pressure.
#[test]
fn sensors_measure_the_column() {
    let mut s = world("{column: {layers: [{depth_m: 0, temperature_c: 8, salinity_psu: 35}]}}");
    s.state.robots[0].motion.p_WB.z = -543.21;
    let Reading::Pressure(pressure) = reading(&mut s, 0) else {
        panic!("not a pressure")
    };
    // Independent integral: many thin slices, each with the density at the pressure of its
    // midpoint.
    use merrow_environment::seawater::{density, ipts68_from_its90, sound_speed};
    let (n, mut load) = (54_321, 0.0);
    for _ in 0..n {
        let half = load + 0.5 * 0.01 * density(35.0, ipts68_from_its90(8.0), 9.81 * load);
        load += 0.01 * density(35.0, ipts68_from_its90(8.0), 9.81 * half);
    }
    let expected = 101_325.0 + 9.81 * load;
    assert!(
        (pressure.pressure / expected - 1.0).abs() < 1e-7,
        "{} {expected}",
        pressure.pressure
    );
    let Reading::Dvl(dvl) = reading(&mut s, 1) else {
        panic!("not a DVL")
    };
    assert!(
        (dvl.sound_speed - sound_speed(35.0, ipts68_from_its90(8.0), 9.81 * load)).abs() < 1e-3,
        "{}",
        dvl.sound_speed
    );
}

// Temperature and salinity on grids in space and time replace the layers; tracers on grids are
// sampled too. Method: a front that moves; EOS-80 calculated by hand at the pressure of the layers.
// Tolerance: rounding.
#[test]
fn gridded_fields_replace_layers() {
    use merrow_environment::{seawater, water_column};
    let table = "time,x,temp,salt\n0,0,10,30\n0,100,14,36\n50,0,12,30\n50,100,16,36\n";
    let folder = crate::common::folder::Folder::new("column_grid", &[("ts.csv", table)]);
    let file = |variable: &str| {
        format!(
            "{{file: {}/ts.csv, variable: {variable}}}",
            folder.0.display()
        )
    };
    let s = world(&format!(
        "{{column: {{layers: [{{depth_m: 0, temperature_c: 8, salinity_psu: 35}}], temperature: {}, salinity: {}}},
          tracers: {{dye: {{unit: ppb, grid: {}}}}}}}",
        file("temp"),
        file("salt"),
        file("temp")
    ));
    let sea = &s.scene.sea;
    let (p, t) = (merrow_math::Vec3::new(25.0, 3.0, -50.0), 25.0);
    let column = sea.column.as_ref().unwrap();
    let here = water_column::sample_column(column, 9.81, p, t);
    close("temperature", here.temperature, 12.0, 1e-14);
    close("salinity", here.salinity, 31.5, 1e-14);
    let pressure = 9.81 * column.properties_at(-50.0).load;
    close(
        "density",
        here.density,
        seawater::density(31.5, 1.00024 * 12.0, pressure),
        1e-15,
    );
    close(
        "speed of sound",
        here.sound_speed,
        seawater::sound_speed(31.5, 1.00024 * 12.0, pressure),
        1e-15,
    );
    close(
        "dye",
        water_column::tracer_value(&sea.tracers[0], p, t),
        12.0,
        1e-14,
    );
}

// With a column the world's own values are the values at its surface. Method: EOS-80 and Mackenzie
// calculated by hand. Tolerance: rounding.
#[test]
fn world_values_are_those_of_column_surface() {
    let s = world(
        "{column: {sound_speed_law: mackenzie, layers: [{depth_m: 0, temperature_c: 25, salinity_psu: 35},
          {depth_m: 1000, temperature_c: 25, salinity_psu: 35}]}}",
    );
    let sea = &s.scene.sea;
    close(
        "density",
        sea.density,
        merrow_environment::seawater::density(35.0, 1.00024 * 25.0, 0.0),
        1e-15,
    );
    close("temperature", sea.temperature, 25.0, 1e-15);
    let deep = merrow_math::Vec3::new(0.0, 0.0, -1000.0);
    close(
        "speed of sound",
        crate::common::initial_environment(&s.scene).sound_speed(deep),
        1550.744,
        1e-6,
    );
}

// A river region has its own water, and a flow can be bounded by its banks. Method: a body neutral
// in sea water, in a river of fresh water and next to it; the readings of pressure sensors and DVLs
// in both; the corner of an L. Tolerance: rounding.
#[test]
fn regions_have_their_own_water() {
    let water = "{density_kg_m3: 1025, regions: {river: {corners_m: [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]]}},
      flows: {stream: {region: river, kind: channel, speed_m_s: 0.5, direction_deg: 90, width_m: 1.0e+9}}}";
    for (x, y, inside) in [
        (5.0, 30.0, true),
        (30.0, 5.0, true),
        (30.0, 30.0, false),
        (-1.0, 5.0, false),
    ] {
        let mut s = world(water);
        crate::common::turntable::set_pose(&mut s, merrow_math::Vec3::new(x, y, -20.0), [0.0; 3]);
        let (rho, c) = if inside {
            (999.0, 1465.0)
        } else {
            (1025.0, 1500.0)
        };
        let Reading::Pressure(pressure) = reading(&mut s, 0) else {
            panic!("not a pressure")
        };
        // In one step of 2 ms from rest it sinks by less than the sensor resolves.
        close(
            "pressure",
            pressure.pressure,
            101_325.0 + rho * 9.81 * 20.0,
            1e-7,
        );
        let Reading::Dvl(dvl) = reading(&mut s, 1) else {
            panic!("not a DVL")
        };
        close("speed of sound", dvl.sound_speed, c, 1e-15);
        let at = crate::common::initial_environment(&s.scene);
        let v = at.water_motion(merrow_math::Vec3::new(x, y, -20.0)).0;
        close("stream", v.x, if inside { 0.5 } else { 0.0 }, 1e-12);
        advance(&mut s, 1.0);
        let fallen = 20.0 + s.state.robots[0].motion.p_WB.z;
        let expected = if inside {
            -0.5 * 9.81 * (1.0 - 999.0 / 1025.0)
        } else {
            0.0
        };
        assert!(
            (fallen - expected).abs() < 0.02 * 0.125,
            "{fallen} {expected}"
        );
    }
}
