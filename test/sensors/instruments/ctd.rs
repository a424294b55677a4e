//! Tests of CTD instruments: conductivity, temperature, depth and derived quantities.

use crate::common::turntable::{ball, set_motion, set_pose, weightless};
use crate::common::{close, reading, readings, relative, simulation};
use merrow_environment::conductivity;
use merrow_environment::seawater::{ipts68_from_its90, sound_speed};
use merrow_math::Vec3;
use merrow_model::sensor::water::{Ctd, DepthLaw};
use merrow_model::state::reading::Reading;
use merrow_sensors::water::ctd::depth;
use merrow_sim::Simulation;

const COLUMN: &str = "water: {column: {layers: [{depth_m: 0, temperature_c: 18, salinity_psu: 34},
    {depth_m: 200, temperature_c: 8, salinity_psu: 36}]}}";

fn ctd(keys: &str) -> String {
    format!("c: {{device: {{source: test, kind: ctd, rate_hz: 500, {keys}}}}}")
}

fn to_ctd(reading: &Reading) -> Ctd {
    let Reading::Ctd(ctd) = reading else {
        panic!("not a CTD")
    };
    *ctd
}

fn ctd_at_height(s: &mut Simulation, z: f64) -> Ctd {
    set_pose(s, Vec3::new(1.0, 2.0, z), [0.0; 3]);
    to_ctd(&reading(s, 0))
}

// An instrument without errors derives the true properties of the water from its cells. Method: 150
// m deep in a water column: temperature and salinity by hand, speed of sound from the column;
// conductivity converted both ways. Tolerance: 1e-9; for the speed of sound 1e-6 m/s, for the
// layers of the column.
#[test]
fn ideal_ctd_derives_the_water_properties() {
    let mut s = simulation(&ball(
        &format!("{COLUMN}\nseabed: {{depth_m: 300}}"),
        "",
        &ctd("loss_probability: 0"),
    ));
    let c = ctd_at_height(&mut s, -150.0);
    close("temperature", c.temperature, 10.5, 1e-12);
    close("salinity", c.salinity, 35.5, 1e-9);
    let over = c.pressure - 101_325.0;
    relative(
        "pressure",
        over,
        9.81 * s
            .state
            .sea
            .column
            .as_ref()
            .unwrap()
            .properties_at(-150.0)
            .load,
        1e-12,
    );
    relative(
        "conductivity",
        c.conductivity,
        conductivity::conductivity(35.5, ipts68_from_its90(10.5), over),
        1e-12,
    );
    close(
        "speed of sound",
        c.sound_speed,
        sound_speed(35.5, ipts68_from_its90(10.5), over),
        1e-9,
    );
    // The column is lighter than the water of UNESCO's depth equation.
    assert!((149.0..150.0).contains(&c.depth), "{}", c.depth);
    let air = ctd_at_height(&mut s, 2.0);
    assert_eq!([air.conductivity, air.salinity], [0.0; 2]);
    // The air pressure falls by 24 Pa in two metres; the instrument interprets this as water depth.
    close(
        "depth",
        air.depth,
        -1.225 * 9.80665 * 2.0 / (1028.0 * 9.81),
        2e-5,
    );
}

// In fresh water depth follows the fresh-water equation. Method: a lake of 1000 kg/m3 under an air
// pressure other than the standard one, which the instrument does not use. Tolerance: rounding.
#[test]
fn depth_uses_the_stated_water() {
    let top = "water: {density_kg_m3: 1000, temperature_c: 12, air_pressure_pa: 100325}";
    let mut s = simulation(&ball(top, "", &ctd("depth_law: fresh")));
    close(
        "depth",
        ctd_at_height(&mut s, -30.0).depth,
        30.0 - 1000.0 / 9810.0,
        1e-9,
    );
}

// Cells with different time constants give salinity spikes in a gradient; equal time constants do
// not. Method: sinking at 1 m/s through -0.05 K/m and 0.01 /m without gravity, with both lags
// settled: each cell shows the value of τ ago, so that the salinity follows from the mixed values
// by PSS-78. Tolerance: 2e-4, for the curvature of C over the lags.
#[test]
fn different_time_constants_give_salinity_spikes() {
    let run = |keys: &str| {
        let top = format!("{COLUMN}\nseabed: {{depth_m: 300}}");
        let mut s = simulation(&weightless(&top, &ctd(keys)));
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -20.0),
            [0.0; 3],
            Vec3::new(0.0, 0.0, -1.0),
            Vec3::zero(),
        );
        to_ctd(&readings(&mut s, 0, 10.0).last().unwrap().reading)
    };
    let shown = |z: f64| (18.0 - 0.05 * z, 34.0 + 0.01 * z);
    let late = run("temperature_response_s: 0.5");
    close("temperature", late.temperature, shown(29.5).0, 1e-6);
    let over = late.pressure - 101_325.0;
    let (t, S) = shown(30.0);
    let of_mixture = conductivity::salinity(
        conductivity::conductivity(S, ipts68_from_its90(t), over),
        ipts68_from_its90(shown(29.5).0),
        over,
    );
    close("salinity", late.salinity, of_mixture, 2e-4);
    assert!((late.salinity - S).abs() > 0.01, "{}", late.salinity);
    let matched = run("temperature_response_s: 0.5, conductivity_response_s: 0.5");
    close("matched", matched.salinity, shown(29.5).1, 2e-4);
}

// A fault of one cell affects every derived quantity. Method: biased, dead and stuck cells of an
// instrument at one depth and then at another. Tolerance: 1e-6, for the drift of the ball in a
// tenth of a second; 0.1 m, because the column is not the water of the instrument's depth equation.
#[test]
fn cell_faults_affect_derived_quantities() {
    let run = |of_cell: &str, kind: &str| {
        let top = format!(
            "{COLUMN}\nfaults: {{x: {{robot: ball, target: {of_cell}, time_s: 0.1, kind: {kind}}}}}"
        );
        let mut s = simulation(&ball(&top, "", &ctd("loss_probability: 0")));
        set_pose(&mut s, Vec3::new(0.0, 0.0, -20.0), [0.0; 3]);
        readings(&mut s, 0, 0.1);
        set_pose(&mut s, Vec3::new(0.0, 0.0, -40.0), [0.0; 3]);
        to_ctd(&readings(&mut s, 0, 0.1).last().unwrap().reading)
    };
    let over = |c: &Ctd| c.pressure - 101_325.0;
    let biased = run("c/temperature", "biased, bias: 0.5");
    close("biased", biased.temperature, 16.5, 1e-6);
    let salinity = conductivity::salinity(
        biased.conductivity,
        ipts68_from_its90(biased.temperature),
        over(&biased),
    );
    close("biased salinity", biased.salinity, salinity, 1e-12);
    assert!((biased.salinity - 34.4).abs() > 0.3);
    let whole = run("c", "biased, bias: 0.5");
    assert_eq!(
        whole.salinity, biased.salinity,
        "the first quantity of the instrument"
    );
    let dead = run("c/conductivity", "dead");
    assert!(dead.conductivity.is_nan() && dead.salinity.is_nan() && dead.sound_speed.is_nan());
    assert!(dead.temperature.is_finite() && dead.depth.is_finite());
    let stuck = run("c/pressure", "stuck");
    assert!((stuck.depth - 20.0).abs() < 0.1, "{}", stuck.depth);
    close("temperature", stuck.temperature, 16.0, 1e-6);
}

#[test]
fn depth_matches_unesco_44_check_value() {
    // the reference value uses a gravity at 30 degrees of latitude that increases with depth
    let x = 0.25;
    let g = 9.780_318 * (1.0 + (5.2788e-3 + 2.36e-5 * x) * x) + 1.092e-6 * 10_000.0;
    assert!((depth(DepthLaw::Seawater, 1e8, g) - 9_712.653).abs() < 5e-4);
    assert_eq!(depth(DepthLaw::Fresh, 98_100.0, 9.81), 10.0);
    assert!(depth(DepthLaw::Fresh, 98_100.0, 0.0).is_nan());
}
