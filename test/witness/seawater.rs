//! Sea water against published check values and a table of other programs (V65).

use crate::common::relative;
use merrow::environment::seawater::{density, mackenzie, sound_speed, t68};

// Goal (V65): the published check values. Method: those of the papers. Tolerance: half of their last digit.
#[test]
fn check_values_of_the_papers() {
    let near = |found: f64, expected: f64, last: f64| {
        assert!((found - expected).abs() <= 0.5 * last, "{found} instead of {expected}");
    };
    near(mackenzie(25.0, 35.0, 1000.0), 1550.744, 1e-3);
    // UNESCO 44, pages 46 and 19; pressures in dbar there
    near(sound_speed(40.0, 40.0, 1e8), 1731.995, 1e-3);
    near(density(35.0, 5.0, 0.0), 1027.67547, 1e-5);
    near(density(35.0, 5.0, 1e8), 1069.48914, 1e-5);
    near(density(0.0, 5.0, 0.0), 999.96675, 1e-5);
    near(density(35.0, 25.0, 1e8), 1062.53817, 1e-5);
}

// Goal (V65): speed of sound and density over the whole grid of temperature, salinity and depth. Method: 252 rows of other
// programs; the table's UNESCO column was made with its temperatures taken on the scale of 1968. Tolerance: 1e-3 m/s (found
// 1e-6, what the digits allow); the density is that of TEOS-10, from which EOS-80 differs by up to 0.018 kg/m³.
#[test]
fn grid_of_other_programs() {
    let mut rows = 0;
    for line in include_str!("../data/sound_speed_density.csv").lines().skip(1) {
        let c: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        let (t, s, depth, pressure) = (c[0], c[1], c[2], c[8] * 1e4);
        assert!((mackenzie(t, s, depth) - c[3]).abs() < 1e-3, "Mackenzie: {line}");
        assert!((sound_speed(s, t, pressure) - c[4]).abs() < 1e-3, "UNESCO: {line}");
        assert!((density(s, t68(t), pressure) - c[7]).abs() < 0.018, "density: {line}");
        rows += 1;
    }
    assert_eq!(rows, 252);
    relative("scale of 1968", t68(20.0), 20.0048, 1e-12);
}
