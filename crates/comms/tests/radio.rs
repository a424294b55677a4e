//! Tests of electromagnetic links under water and of radio links over water.

mod common;

use common::{db, read, scene, sea, still_link, transceiver, view, within};
use merrow_comms::channel::conductive::ConductiveWave;
use merrow_comms::channel::diffraction::{excess_loss, knife_edge};
use merrow_comms::channel::horizon::loss_beyond_horizon;
use merrow_comms::channel::radio::sea_reflection;
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::propagation::Channel;
use merrow_environment::SPEED_OF_LIGHT;
use merrow_environment::WaveState;
use merrow_environment::waves::realise::wave_field;
use merrow_math::Vec3;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::directivity::Directivity;
use merrow_model::scene::comms::medium::{
    ElectromagneticMedium, Medium, PathLoss, Polarisation, RadioMedium,
};
use merrow_model::scene::{SeaState, Spectrum, Spreading, Waves};
use merrow_model::state::comms::LossCause;
use std::f64::consts::PI;

fn electromagnetic(conductivity: Option<f64>) -> Transceiver {
    let medium = ElectromagneticMedium {
        conductivity_siemens_per_m: conductivity,
        ..read("{band_mhz: [8.5, 11.5], radiated_power_w: 3, spreading: 0}")
    };
    transceiver(Medium::Electromagnetic(medium), 10e6, 3e6)
}

fn radio(path_loss: PathLoss, frequency: f64) -> Transceiver {
    let medium = RadioMedium {
        path_loss,
        ..read("{band_mhz: [858, 878], radiated_power_w: 0.1, diffraction: false}")
    };
    transceiver(Medium::Radio(medium), frequency, 20e6)
}

// V10, attenuation at 10 MHz in fresh water of 0.01 S/m, and the range of 3 W with a threshold of 2
// mW. Method: the published numbers. Tolerance: 1e-3.
#[test]
fn fresh_water_attenuates_10_mhz_as_in_v10() {
    let wave = ConductiveWave::new(10e6, [80.0, 1.0], 0.01);
    within("attenuation", wave.attenuation, 0.20930, 1e-4);
    within("phase", wave.phase, 1.8862, 1e-3);
    within("loss", wave.loss(1.0), 1.8180, 1e-3);
    within("loss", wave.loss(10.0), 18.18, 1e-2);
    within("range", db(3.0 / 0.002) / wave.loss(1.0), 17.5, 0.05);
    let scene = scene(sea(0.0));
    let ends = [Vec3::new(0.0, 0.0, -5.0), Vec3::new(10.0, 0.0, -5.0)];
    let found = still_link(&scene, &electromagnetic(Some(0.01)), ends);
    within("power", db(found.power / 3000.0), -18.18, 1e-2);
    // thermal noise of -174 dBm/Hz in 3 MHz and the noise figure
    within("noise", db(found.noise), -173.98 + db(3e6) + 10.0, 0.01);
}

// Group delay of the conductive wave. Method: numerical derivative of the phase constant; c/√ε
// without conduction, half of the phase delay in a good conductor. Tolerance: 1e-6.
#[test]
fn conductive_delay_is_the_derivative_of_the_phase() {
    for (f, sigma) in [(10e6, 0.01), (1e5, 4.0), (1e9, 0.0), (1e4, 0.5)] {
        let wave = |f: f64| ConductiveWave::new(f, [80.0, 1.0], sigma);
        let h = 1e-4 * f;
        let slope = (wave(f + h).phase - wave(f - h).phase) / (2.0 * 2.0 * PI * h);
        within("delay", wave(f).group_delay / slope, 1.0, 1e-6);
    }
    let lossless = ConductiveWave::new(1e9, [80.0, 1.0], 0.0);
    within(
        "lossless",
        lossless.group_delay * SPEED_OF_LIGHT,
        80f64.sqrt(),
        1e-6,
    );
    assert_eq!(lossless.attenuation, 0.0);
    // skin depth of sea water at 10 kHz: √(2/(ω μ σ))
    let sea_wave = ConductiveWave::new(1e4, [80.0, 1.0], 4.0);
    let skin = (2.0 / (2.0 * PI * 1e4 * 4e-7 * PI * 4.0)).sqrt();
    within("skin depth", sea_wave.attenuation * skin, 1.0, 1e-4);
}

// The conductivity of the sea applies if the modem states none. Method: attenuation in sea water of
// 35 psu at 10 °C, 3.809 S/m. Tolerance: 0.1 %.
#[test]
fn conductivity_of_the_sea_is_used() {
    let ends = [Vec3::new(0.0, 0.0, -5.0), Vec3::new(0.2, 0.0, -5.0)];
    let found = still_link(&scene(sea(35.0)), &electromagnetic(None), ends);
    let wave = ConductiveWave::new(10e6, [80.0, 1.0], 3.809);
    within(
        "loss",
        -db(found.power / 3000.0) / wave.loss(0.2),
        1.0,
        1e-3,
    );
}

// Free-space loss. Method: 20 log d + 20 log f - 147.55, with 3 dBi at both ends. Tolerance: 0.01
// dB.
#[test]
fn free_space_loss_and_delay_are_those_of_friis() {
    let mut modem = radio(PathLoss::FreeSpace, 2.4e9);
    modem.transmit_pattern = Directivity::uniform(3.0);
    modem.receive_pattern = Directivity::uniform(3.0);
    let scene = scene(sea(35.0));
    let ends = [Vec3::new(0.0, 0.0, 4.0), Vec3::new(800.0, 0.0, 4.0)];
    let found = still_link(&scene, &modem, ends);
    let expected = 20.0 + 6.0 - 20.0 * 800f64.log10() - 20.0 * 2.4e9_f64.log10() + 147.55;
    within("power", db(found.power), expected, 0.01);
    within(
        "delay",
        found.delay_ns as f64,
        800.0 / SPEED_OF_LIGHT * 1e9,
        0.51,
    );
}

// Log-distance loss with exponent 3.2 beyond 10 m. Method: closed form. Tolerance: 1e-9 dB.
#[test]
fn log_distance_loss_has_its_exponent() {
    let law: PathLoss = read("{kind: log_distance, exponent: 3.2, reference_m: 10}");
    let scene = scene(sea(35.0));
    let power = |law: &PathLoss, d: f64| {
        let ends = [Vec3::new(0.0, 0.0, 4.0), Vec3::new(d, 0.0, 4.0)];
        db(still_link(&scene, &radio(law.clone(), 868e6), ends).power)
    };
    within("decade", power(&law, 50.0) - power(&law, 500.0), 32.0, 1e-9);
    within(
        "reference",
        power(&law, 10.0),
        power(&PathLoss::FreeSpace, 10.0),
        1e-9,
    );
    within(
        "near",
        power(&law, 4.0),
        power(&PathLoss::FreeSpace, 4.0),
        1e-9,
    );
}

// The reflection coefficient of the sea. Method: -1 at grazing incidence; (1 - n)/(1 + n) and (n -
// 1)/(n + 1) at normal incidence without conduction; Brewster angle. Tolerance: 1e-9.
#[test]
fn sea_reflection_has_its_limits() {
    let n = 80f64.sqrt();
    for p in [Polarisation::Vertical, Polarisation::Horizontal] {
        let grazing = sea_reflection(p, 2.4e9, 1e-9, 4.0);
        within("grazing", grazing.re, -1.0, 1e-6);
        let normal = sea_reflection(p, 2.4e9, 1.0, 0.0).re;
        within("normal", normal.abs(), (n - 1.0) / (n + 1.0), 1e-9);
    }
    let brewster = (1.0 / n).atan().sin();
    let found = sea_reflection(Polarisation::Vertical, 2.4e9, brewster, 0.0);
    within("Brewster", found.norm_sqr(), 0.0, 1e-12);
}

// Two-ray pattern over the sea. Method: (λ/4π)² |1/l_d - e^(-ikΔ)/l_r|² for grazing incidence,
// nulls at whole wavelengths, and the fourth power of the distance beyond. Tolerance: 0.3 dB, from
// the deviation of the coefficient from -1.
#[test]
fn two_ray_pattern_has_nulls_and_the_fourth_power_of_the_distance() {
    let law = read("{kind: two_ray, polarisation: horizontal}");
    let scene = scene(sea(35.0));
    let modem = radio(law, 2.4e9);
    let (h1, h2) = (5.0, 3.0);
    let power = |d: f64| {
        let ends = [Vec3::new(0.0, 0.0, h1), Vec3::new(d, 0.0, h2)];
        still_link(&scene, &modem, ends).power / 100.0
    };
    let lambda = SPEED_OF_LIGHT / 2.4e9;
    // far beyond 4 h1 h2/λ = 480 m: P = (h1 h2/d²)²
    for d in [8e3, 16e3, 32e3] {
        within("far", db(power(d)), 20.0 * (h1 * h2 / (d * d)).log10(), 0.3);
    }
    for order in [1.0, 2.0, 3.0] {
        let difference = |d: f64| {
            (d * d + (h1 + h2).powi(2)).sqrt() - (d * d + (h1 - h2).powi(2)).sqrt() - order * lambda
        };
        let (mut low, mut high) = (1.0, 1e5);
        for _ in 0..100 {
            let mid = 0.5 * (low + high);
            *(if difference(mid) > 0.0 {
                &mut low
            } else {
                &mut high
            }) = mid;
        }
        let free = (lambda / (4.0 * PI * low)).powi(2);
        assert!(power(low) < 0.01 * free, "null of order {order}");
        // half an order farther out, the rays add in phase
        let ratio = |d: f64| power(d) / (lambda / (4.0 * PI * d)).powi(2);
        let peak = (1..400)
            .map(|k| ratio(low * (1.0 + 5e-3 * f64::from(k))))
            .fold(0.0, f64::max);
        assert!(peak > 3.5, "peak of order {order}: {peak}");
    }
}

fn regular_waves(height: f64) -> Waves {
    let requested = SeaState {
        spectrum: Spectrum::Regular(0.0),
        hs_m: height,
        tp_s: 10.0,
        towards: Vec3::new(1.0, 0.0, 0.0),
        spreading: Spreading::None,
        components: 1,
        min_wavelength_m: None,
        ramp_s: 0.0,
    };
    Waves::from_field(wave_field(requested, 900.0, common::GRAVITY, 1))
}

// Loss of a knife edge and of wave crests. Method: J(0) = 6.0 dB, J(2.4) = 20.5 dB by ITU-R P.526;
// no excess loss over flat water and above high antennas; crests over low antennas. Tolerance: 0.1
// dB.
#[test]
fn crests_and_the_curved_earth_diffract() {
    within("edge", knife_edge(0.0), 6.03, 0.01);
    within(
        "approximation",
        knife_edge(5.0),
        13.0 + 20.0 * 5f64.log10(),
        0.2,
    );
    assert_eq!(knife_edge(-1.0), 0.0);
    let waves = regular_waves(4.0);
    let state = WaveState::new(&waves, 0.0);
    let ends = |h: f64, d: f64| [Vec3::new(0.0, 0.0, h), Vec3::new(d, 0.0, h)];
    let loss = |waves, h, d| {
        let [a, b] = ends(h, d);
        excess_loss(waves, a, b, 0.125)
    };
    assert_eq!(loss(None, 3.0, 300.0), 0.0);
    assert_eq!(loss(Some(&state), 50.0, 1000.0), 0.0);
    assert!(loss(Some(&state), 1.0, 1000.0) > 6.0);
    assert!(loss(Some(&state), 2.1, 1000.0) > loss(Some(&state), 4.0, 1000.0));
    // the bulge of the Earth within the horizon of 2 · √(2 · 8495 km · 3 m) = 14.3 km
    assert!(loss(None, 3.0, 14_000.0) > 1.0 && loss(None, 3.0, 5_000.0) < 1.0);
}

// Antenna height in waves: an antenna in the water has no link, and an underwater modem in air has
// none. Method: antennas 0.5 m above the mean level, on a trough and on a crest.
#[test]
fn submerged_antennas_and_dry_transducers_have_no_link() {
    let waves = regular_waves(4.0);
    let state = WaveState::new(&waves, 0.0);
    let scene = scene(sea(35.0));
    let modem = radio(read("{kind: two_ray}"), 868e6);
    let under_water = electromagnetic(None);
    let (crest, trough) = (0.0, 78.0);
    assert!(state.elevation(crest, 0.0) > 1.9 && state.elevation(trough, 0.0) < -1.9);
    let modems = [
        common::fixed("mast", Vec3::new(10.0, 0.0, 8.0), &modem),
        common::fixed("crest", Vec3::new(crest, 0.0, 0.5), &modem),
        common::fixed("trough", Vec3::new(trough, 0.0, 0.5), &modem),
        common::fixed("wet", Vec3::new(crest, 0.0, 1.0), &under_water),
        common::fixed("dry", Vec3::new(trough, 0.0, -1.0), &under_water),
        common::fixed("deep", Vec3::new(trough, 0.0, -3.0), &under_water),
    ];
    let (view, environment) = (
        view(&scene, 0, &[]),
        common::environment(&scene, 0.0, Some(&state)),
    );
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    let mut channel = WorldChannel::new(&scene, &modems);
    let channel = channel.update_to(&instant);
    let cause = |from, to| channel.propagate(from, to, 0, 1.0).obstruction;
    assert_eq!(cause(0, 1), Some(LossCause::Surface));
    assert_eq!(cause(1, 0), Some(LossCause::Surface));
    assert_eq!(cause(0, 2), None);
    assert_eq!(cause(3, 5), None);
    assert_eq!(cause(4, 5), Some(LossCause::Surface));
    assert_eq!(cause(0, 5), Some(LossCause::OutOfView));
}

// Shadowing changes the power by its loss in both directions. Method: with and without. Tolerance:
// 1e-9 dB.
#[test]
fn shadowing_is_reciprocal() {
    let scene = scene(sea(35.0));
    let plain = radio(PathLoss::FreeSpace, 868e6);
    let mut shadowed = plain.clone();
    if let Medium::Radio(medium) = &mut shadowed.medium {
        medium.shadowing = Some(read("{std_db: 5, distance_m: 20}"));
    }
    let ends = [Vec3::new(3.0, 7.0, 4.0), Vec3::new(800.0, -55.0, 4.0)];
    let there = db(still_link(&scene, &shadowed, ends).power);
    let back = db(still_link(&scene, &shadowed, [ends[1], ends[0]]).power);
    within("reciprocal", there, back, 1e-9);
    assert!((there - db(still_link(&scene, &plain, ends).power)).abs() > 1e-3);
}

// Loss beyond the horizon. Method: the formulas of ITU-R P.526 at 2.4 GHz with X = 0.07036 per
// kilometre and Y = 0.2524 at 3 m; no loss within the horizon; a two-ray link loses it. Tolerance:
// 0.01 dB.
#[test]
fn the_earth_attenuates_beyond_the_horizon() {
    let ends = |d: f64| [Vec3::new(0.0, 0.0, 3.0), Vec3::new(d, 0.0, 3.0)];
    let hidden = |d: f64| {
        let [a, b] = ends(d);
        loss_beyond_horizon(a, b, 2.4e9)
    };
    assert_eq!(hidden(14_200.0), None);
    let x: f64 = 0.070_364_4 * 50.0;
    let gain = 20.0 * (0.252_359_f64 + 0.1 * 0.252_359_f64.powi(3)).log10();
    let expected = 17.6 * x - 11.0 - 10.0 * x.log10() - 2.0 * gain;
    within("loss", hidden(50_000.0).unwrap_or(f64::NAN), expected, 0.01);
    let mut modem = radio(PathLoss::FreeSpace, 2.4e9);
    let scene = scene(sea(35.0));
    let free = still_link(&scene, &modem, ends(50_000.0)).power;
    if let Medium::Radio(medium) = &mut modem.medium {
        medium.diffraction = true;
    }
    let power = still_link(&scene, &modem, ends(50_000.0)).power;
    assert!(db(free / power) >= expected - 0.01, "{}", db(free / power));
}
