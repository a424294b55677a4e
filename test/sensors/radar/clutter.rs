//! Tests of the clutter of radars: measured sea clutter, Rayleigh scattering by rain, attenuation.

use merrow_model::sensor::radar::Polarisation::{Horizontal, Vertical};
use merrow_sensors::radar::clutter::{SeaClutter, rain_attenuation, rain_cross_section};

fn db(x: f64) -> f64 {
    10.0 * x.log10()
}

// Tables of measured clutter at X band, as [Skolnik 2008, ch. 15] gives them after Nathanson:
// horizontal polarisation, 1 degree, -45 dB in sea state 2 to -36 dB in sea state 4, within 4
// dB.
#[test]
fn sea_clutter_matches_measured_levels() {
    let sea = |wind, polarisation| SeaClutter {
        wavelength: 0.0319,
        wind,
        polarisation,
    };
    let one_degree = 1_f64.to_radians();
    for (wind, level) in [(5.6, -45.0), (7.7, -40.0), (9.7, -36.0)] {
        let found = db(sea(wind, Horizontal).strength(one_degree, 0.0));
        assert!((found - level).abs() < 4.0, "{wind} m/s: {found}");
    }
    let light = sea(3.2, Vertical).strength(one_degree, 0.0)
        / sea(3.2, Horizontal).strength(one_degree, 0.0);
    assert!(
        db(light) > 0.0,
        "in a light sea vertical polarisation has more clutter: {}",
        db(light)
    );
    assert!(
        sea(8.0, Horizontal).strength(one_degree, 1.0)
            > 2.0 * sea(8.0, Horizontal).strength(one_degree, -1.0)
    );
    assert_eq!(sea(0.0, Horizontal).strength(one_degree, 0.0), 0.0);
    assert!(
        sea(8.0, Horizontal).shape(one_degree, 0.0, 20.0)
            < sea(8.0, Horizontal).shape(5.0 * one_degree, 0.0, 20.0)
    );
}

// 4 mm/h at 9.4 GHz: π⁵ |K|² Z/λ⁴ with Z = 200 R^1.6 mm⁶/m³ is 5.1e-7 1/m.
#[test]
fn rain_reflectivity_follows_rayleigh() {
    let wavelength: f64 = 0.0319;
    let z = 200.0 * 4_f64.powf(1.6) * 1e-18;
    let rayleigh = std::f64::consts::PI.powi(5) * 0.93 * z / wavelength.powi(4);
    let found = rain_cross_section(9.4e9, 4.0);
    assert!((found / rayleigh - 1.0).abs() < 0.05, "{found} {rayleigh}");
    // k and a of table 5 of the recommendation.
    for (f, polarisation, k, a) in [
        (1.0, Horizontal, 0.000_025_9, 0.9691),
        (4.0, Vertical, 0.000_246_1, 1.2476),
        (10.0, Horizontal, 0.012_17, 1.2571),
        (10.0, Vertical, 0.011_29, 1.2156),
        (40.0, Horizontal, 0.4431, 0.8673),
    ] {
        let found = 1e3 * rain_attenuation(1e9 * f, polarisation, 10.0);
        assert!(
            (found / (k * 10_f64.powf(a)) - 1.0).abs() < 1e-3,
            "{f} GHz: {found}"
        );
    }
    assert_eq!(rain_attenuation(1e10, Vertical, 0.0), 0.0);
}
