//! Tests of the plan position display of radars.

use merrow_model::sensor::radar::{Polarisation, Radar, RadarSpec, Sweep};
use merrow_model::sensor::sonar::Shading;
use merrow_sensors::display::GreyImage;
use merrow_sensors::radar::display::PlanPositionDisplay;
use merrow_sensors::sonar::beam::aperture;
use merrow_yaml::read::Places;

/// Number of rows and columns of the display.
const ROWS: usize = 512;

fn spec() -> RadarSpec {
    RadarSpec {
        radar: Radar {
            frequency_ghz: 9.4,
            transmit_w: 1.0,
            antenna_gain_db: 0.0,
            beam_width_deg: 5.0,
            vertical_width_deg: 5.0,
            pulse_us: 0.1,
            bandwidth_mhz: None,
            noise_figure_db: 0.0,
            losses_db: 0.0,
            speed_rpm: 60.0,
            spokes: 1024,
            pulses: 1,
            rays: [1, 1],
            min_range_m: 50.0,
            max_range_m: 1050.0,
            bins: 1000,
            land_db: 0.0,
            polarisation: Polarisation::Horizontal,
            fading: false,
            gain_per_decade_db: 0.0,
            levels_dbm: [-100.0, 0.0],
            at: Places::default(),
        },
        gain: 1.0,
        across: aperture(0.1, Shading::Cosine),
        along: aperture(0.1, Shading::Cosine),
        solid_angle: 1.0,
        width: 1.0,
        losses: 1.0,
        noise: 1.0,
        sample_duration_ns: 0,
        rows: Vec::new(),
        land: 0.0,
    }
}

/// Returns the mean row and column of the pixels that are not black, and their number.
fn bright(image: &GreyImage) -> (f64, f64, f64) {
    let lit = (0..ROWS * ROWS).filter(|k| image.pixels[*k] > 0);
    let sum = lit.fold((0.0, 0.0, 0.0), |(row, column, n), k| {
        (row + (k / ROWS) as f64, column + (k % ROWS) as f64, n + 1.0)
    });
    (sum.0 / sum.2, sum.1 / sum.2, sum.2)
}

// An echo is at its bearing and range. Method: one echo of half strength, 45 degrees to starboard
// of forward and a fifth of a turn further, at 420 m, in sectors of other turns; computed by hand.
// Tolerance: one pixel.
#[test]
fn echo_is_drawn_at_its_position() {
    let spec = spec();
    // three ranges by five spokes: a few pixels
    let echo = |n: u64, strength: f32| {
        let mut spokes = vec![vec![0.0; 1000]; 100];
        (28..33).for_each(|k| spokes[k][368..371].fill(strength));
        Sweep { first: n, spokes }
    };
    let mut scope = PlanPositionDisplay::default();
    // spokes 98 to 197 of the eighth turn; the echo at 126 to 130, about 128 of 1024
    let image = scope.add_sector(&spec, &echo(7 * 1024 + 98, 0.5));
    let (row, column, n) = bright(image);
    let off = 419.5 / 1050.0 * 256.0 * 0.5_f64.sqrt();
    assert!(
        (row - (255.5 - off)).abs() < 1.0 && (column - (255.5 + off)).abs() < 1.0,
        "{row} {column}"
    );
    assert!((1.0..20.0).contains(&n), "{n}");
    assert_eq!(image.pixels.iter().max(), Some(&128));
    // another sector keeps the echo, across the end of the turn: the echo at 1014 to 1018
    let image = scope.add_sector(&spec, &echo(7 * 1024 + 986, 1.0));
    assert_eq!(image.pixels.iter().filter(|p| **p == 128).count() as f64, n);
    let white = (0..ROWS * ROWS).filter(|k| image.pixels[*k] == 255);
    let angle = f64::to_radians(-8.0 / 1024.0 * 360.0);
    let range = 419.5 / 1050.0 * 256.0;
    for k in white.clone() {
        let (row, column) = ((k / ROWS) as f64, (k % ROWS) as f64);
        assert!((row - (255.5 - range * angle.cos())).abs() < 3.0, "{row}");
        assert!(
            (column - (255.5 + range * angle.sin())).abs() < 3.0,
            "{column}"
        );
    }
    assert!(white.count() > 0);
    // the next turn removes it
    let image = scope.add_sector(&spec, &echo(8 * 1024 + 98, 0.0));
    assert_eq!(image.pixels.iter().filter(|p| **p == 128).count(), 0);
}

// up to the maximum range, not in the corners; no echo below the minimum range
#[test]
fn full_sweep_is_drawn_as_a_disc() {
    let spec = spec();
    let all = Sweep {
        first: 0,
        spokes: vec![vec![1.0; 1000]; 1024],
    };
    let mut scope = PlanPositionDisplay::default();
    let image = scope.add_sector(&spec, &all);
    let lit = image.pixels.iter().filter(|p| **p == 255).count() as f64;
    let disc =
        std::f64::consts::PI * (256.0_f64.powi(2) - (50.0_f64 / 1050.0 * 256.0 - 0.5).powi(2));
    assert!((lit - disc).abs() < 0.005 * disc, "{lit} of {disc}");
    assert_eq!(
        (image.pixels[0], image.pixels[ROWS * ROWS / 2 + ROWS / 2]),
        (0, 0)
    );
}
