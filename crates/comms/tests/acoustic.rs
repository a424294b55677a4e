//! Tests of the acoustic channel against closed forms: delay, loss, noise, directivity, Doppler
//! shift and refraction.

mod common;

use common::{
    C, acoustic, carried, db, environment, fixed, link, read, scene, sea, set_band, sound,
    still_link, view, within,
};
use merrow_comms::channel::acoustic::moving_travel_time;
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::link::reception::{ReceivedPowers, frame_success};
use merrow_comms::propagation::Channel;
use merrow_environment::absorption::{Water, ainslie_mccolm, francois_garrison, thorp};
use merrow_environment::sound::doppler::frequency_ratio;
use merrow_environment::sound::eigenray::visit_eigenrays_between;
use merrow_environment::sound::noise::ambient;
use merrow_environment::water_column::build_column;
use merrow_math::Vec3;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::directivity::Directivity;
use merrow_model::scene::comms::medium::{AcousticMedium, DopplerTolerance, Medium};
use merrow_model::scene::comms::transceiver::Reception;
use merrow_model::scene::robot::thruster::Curve;
use merrow_model::scene::sea::water::{AbsorptionLaw, SoundSpeedLaw};
use merrow_model::state::comms::LossCause;
use merrow_sensors::acoustic::thruster_noise::shaft_speed;
use merrow_yaml::read::Places;
use std::f64::consts::PI;
use std::sync::Arc;

fn at(x: f64, z: f64) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

// V02, delay of a frame of 64 bit at 20 bit/s over 300 m. Method: d/c + n/rate = 3.4 s. Tolerance:
// 1 ns.
#[test]
fn thetis_delay_is_distance_over_speed_and_size_over_rate() {
    let found = still_link(
        &scene(sea(35.0)),
        &acoustic(sound()),
        [at(0.0, -20.0), at(300.0, -20.0)],
    );
    assert_eq!(found.delay_ns, 200_000_000);
    within(
        "delay",
        found.delay_ns as f64 * 1e-9 + 64.0 / 20.0,
        3.4,
        1e-9,
    );
}

// V08, frame times of the docking study. Method: 8 slots of 64 bit at 10 kbit/s and 50 m of water.
// Tolerance: 1e-5 s.
#[test]
fn docking_frame_contains_eight_travel_times() {
    let found = still_link(
        &scene(sea(0.5)),
        &acoustic(sound()),
        [at(0.0, -20.0), at(50.0, -20.0)],
    );
    let slot = 64.0 / 1e4 + found.delay_ns as f64 * 1e-9;
    within("vehicles", 8.0 * slot, 0.31787, 1e-5);
    within("frame", 8.0 * 512.0 / 1e4 + 8.0 * slot, 0.72747, 1e-5);
}

// V09, loss with k = 1.5 in fresh water at 100 kHz. Method: 15 log r + α r with α = 3.58 dB/km.
// Tolerance: 0.005 dB.
#[test]
fn docking_path_loss_is_15_log_r_and_absorption() {
    let medium = AcousticMedium {
        spreading: 1.5,
        ..sound()
    };
    let mut modem = acoustic(medium);
    set_band(&mut modem, [99e3, 101e3]);
    for (r, spreading) in [(10.0, 15.00), (37.63, 23.63), (50.0, 25.48)] {
        let ends = [at(0.0, -5.0), at(r, -5.0)];
        let found = still_link(&scene(sea(0.5)), &modem, ends);
        within(
            "loss",
            180.0 - db(found.power),
            spreading + 3.58e-3 * r,
            0.005,
        );
    }
}

// The mean power 37.6 m away and the loss by Rayleigh fading of the docking study (V11): 4.5 W,
// threshold 1.9 mW. Method: 1 - e^(-threshold/mean). Tolerance: 1 % of the power, 4 standard errors
// of 20 000 frames.
#[test]
fn docking_link_at_38_m_loses_a_tenth_of_the_frames() {
    let watt = 170.8;
    let medium = AcousticMedium {
        spreading: 1.5,
        source_level_db: watt + db(4.5),
        ..sound()
    };
    let mut modem = acoustic(medium);
    set_band(&mut modem, [99e3, 101e3]);
    modem.fading = read("{kind: rayleigh, coherence_s: 0.1}");
    modem.reception = Reception::Level {
        threshold_db: watt + db(0.0019),
        at: Places::default(),
    };
    let scene = scene(sea(0.5));
    let modems = [
        fixed("a", at(0.0, -5.0), &modem),
        fixed("b", at(37.63, -5.0), &modem),
    ];
    let mut channel = WorldChannel::new(&scene, &modems);
    let (view, environment) = (view(&scene, 0, &[]), environment(&scene, 0.0, None));
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    let channel = channel.update_to(&instant);
    let n = 20_000;
    let mut lost = 0.0;
    let mut mean = 0.0;
    for k in 0..n {
        let found = channel.propagate(0, 1, k * 740_000_000, 1.0);
        mean = found.mean_power / 10f64.powf(0.1 * watt);
        let powers = ReceivedPowers {
            signal: found.power,
            noise: found.noise,
            interference: 0.0,
        };
        lost += 1.0 - frame_success(&modem, &modem.schemes[0], &powers, 512.0);
    }
    within("mean power", mean, 0.0189, 2e-4);
    let expected = 1.0 - (-0.0019 / mean).exp();
    within("expected loss", expected, 0.096, 1e-3);
    let error = (expected * (1.0 - expected) / n as f64).sqrt();
    within("lost", lost / n as f64, expected, 4.0 * error);
}

// V03, the rule of Thetis: frames are delivered only inside the sphere SL - TL - NB > threshold,
// and only if the signal with directivity also exceeds the threshold. Method: bisection for the
// radius. Tolerance: 0.1 % of the radius.
#[test]
fn thetis_rule_delivers_inside_a_sphere_and_in_the_beam() {
    let threshold = 20.0;
    let mut modem = acoustic(sound());
    modem.reception = Reception::SignalExcess {
        threshold_db: threshold,
        at: Places::default(),
    };
    let water = Water {
        temperature: 10.0,
        salinity: 35.0,
        depth: 50.0,
        ph: 8.0,
    };
    let noise = db((ambient(25.0, 0.0, 0.5) + 100.0) * 4e3);
    let excess =
        |r: f64| 180.0 - 20.0 * r.log10() - 1e-3 * francois_garrison(25.0, &water) * r - noise;
    let (mut low, mut high) = (1.0, 1e5);
    for _ in 0..60 {
        let mid = 0.5 * (low + high);
        *(if excess(mid) > threshold {
            &mut low
        } else {
            &mut high
        }) = mid;
    }
    let scene = scene(sea(35.0));
    let is_delivered = |modem: &_, d: Vec3| {
        let found = still_link(&scene, modem, [at(0.0, -50.0), at(0.0, -50.0) + d]);
        let powers = ReceivedPowers {
            signal: found.power,
            noise: found.noise,
            interference: 0.0,
        };
        frame_success(modem, &modem.schemes[0], &powers, 64.0) == 1.0
    };
    assert!(is_delivered(&modem, Vec3::new(0.999 * low, 0.0, 0.0)));
    assert!(is_delivered(&modem, Vec3::new(0.0, 0.999 * low, 0.0)));
    assert!(!is_delivered(&modem, Vec3::new(1.001 * low, 0.0, 0.0)));
    // a gain of the transmitter does not enlarge the sphere
    modem.transmit_pattern = Directivity::uniform(6.0);
    assert!(!is_delivered(&modem, Vec3::new(1.001 * low, 0.0, 0.0)));
    // -30 dB to the side
    modem.transmit_pattern = read("{kind: axial, angles_deg: [0, 30, 85], gains_db: [0, 0, -30]}");
    assert!(is_delivered(&modem, Vec3::new(0.9 * low, 0.0, 0.0)));
    assert!(!is_delivered(&modem, Vec3::new(0.0, 0.9 * low, 0.0)));
}

// V03, the rule of Thetis: two overlapping frames damage each other. Method: a signal with weak
// interference.
#[test]
fn thetis_overlap_destroys_both_frames() {
    let mut modem = acoustic(sound());
    modem.reception = read("{kind: signal_excess, threshold_db: 10}");
    modem.destructive_overlap = true;
    let powers = |interference| ReceivedPowers {
        signal: 1e9,
        noise: 1.0,
        interference,
    };
    assert_eq!(
        frame_success(&modem, &modem.schemes[0], &powers(0.0), 64.0),
        1.0
    );
    assert_eq!(
        frame_success(&modem, &modem.schemes[0], &powers(1e-3), 64.0),
        0.0
    );
}

// V66 through the channel: loss by each law of absorption and spreading exponent. Method: k 10 log
// r + α r. Tolerance: 1e-9 dB.
#[test]
fn loss_is_spreading_and_absorption_by_each_law() {
    let (r, depth) = (1300.0, 120.0);
    let scene = scene(sea(35.0));
    let water = Water {
        temperature: 10.0,
        salinity: 35.0,
        depth,
        ph: 8.0,
    };
    for (law, alpha) in [
        (AbsorptionLaw::None, 0.0),
        (AbsorptionLaw::Thorp, thorp(25.0)),
        (
            AbsorptionLaw::FrancoisGarrison,
            francois_garrison(25.0, &water),
        ),
        (AbsorptionLaw::AinslieMcColm, ainslie_mccolm(25.0, &water)),
    ] {
        for k in [1.0, 1.3, 1.5, 2.0] {
            let modem = acoustic(AcousticMedium {
                spreading: k,
                absorption: law,
                ..sound()
            });
            let found = still_link(&scene, &modem, [at(0.0, -depth), at(r, -depth)]);
            let expected = 180.0 - 10.0 * k * r.log10() - 1e-3 * alpha * r;
            within("level", db(found.power), expected, 1e-6);
        }
    }
}

// The travel time ends at the position of the receiver at the arrival. Method: |p_r + v_r τ - p_s|
// = c τ, with the positions at the instant of transmission within the step. Tolerance: 1 ns.
#[test]
fn delay_solves_the_travel_time_equation_of_moving_ends() {
    let scene = scene(sea(35.0));
    let modem = acoustic(sound());
    let motions = [
        (Vec3::new(10.0, 20.0, -40.0), Vec3::new(3.0, -1.0, 0.2)),
        (Vec3::new(1800.0, -700.0, -90.0), Vec3::new(-8.0, 4.0, -1.0)),
    ];
    let modems = [carried(0, &modem), carried(1, &modem)];
    let mut channel = WorldChannel::new(&scene, &modems);
    let (view, environment) = (
        view(&scene, 5_000_000_000, &motions),
        environment(&scene, 5.0, None),
    );
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    let found = channel
        .update_to(&instant)
        .propagate(0, 1, 5_008_000_000, 1.0);
    let tau = found.delay_ns as f64 * 1e-9;
    let place = |(p, v): (Vec3, Vec3), t: f64| p + v.scale(t);
    let d = place(motions[1], 0.008 + tau) - place(motions[0], 0.008);
    within("delay", tau, d.norm() / C, 1e-9);
    // the signal never reaches a receiver that moves away faster than sound
    let away = moving_travel_time(at(10.0, 0.0), at(1600.0, 0.0), 1.0 / C);
    assert_eq!(away, f64::INFINITY);
}

// V68, Doppler shift one way v/c and there and back 2v/c. Method: the exact ratios (1 + v/c) and (c
// + v)/(c - v). Tolerance: 1e-12; second order in v/c against the approximations.
#[test]
fn doppler_shift_is_v_over_c_one_way_and_2_v_over_c_there_and_back() {
    let scene = scene(sea(35.0));
    let modem = acoustic(sound());
    let v = 3.0;
    let still = (at(0.0, -50.0), Vec3::zero());
    let mover = (at(600.0, -50.0), Vec3::new(-v, 0.0, 0.0));
    let there = link(&scene, [&modem, &modem], [still, mover], 1.0).doppler;
    let back = link(&scene, [&modem, &modem], [mover, still], 1.0).doppler;
    within("moving receiver", there, v / C, 1e-12);
    within("moving source", back, 1.0 / (1.0 - v / C) - 1.0, 1e-12);
    within("one way", back, v / C, 2.0 * (v / C) * (v / C));
    let echo = (1.0 + there) * (1.0 + back) - 1.0;
    within("echo", echo, (C + v) / (C - v) - 1.0, 1e-12);
    within("2 v/c", echo, 2.0 * v / C, 3.0 * (v / C) * (v / C));
    let x = Vec3::new(1.0, 0.0, 0.0);
    let exact = frequency_ratio((Vec3::zero(), x, C), (mover.1, x, C)) - 1.0;
    within("law of the environment", there, exact, 1e-12);
}

// A shift above the tolerance of a receiver reduces the ratio of signal to noise. Method: the
// degradation 10/(3 ln 10) (π Δf T)² (1 + S/N) of [Pollet 1995] for small shifts; no loss up to the
// tolerance, no signal at the first zero Δf T = 1; the power is conserved. Tolerance: the next term
// of the series, below 1 % of the degradation for π Δf T = 0.06.
#[test]
fn doppler_shift_above_the_tolerance_reduces_the_signal_to_noise_ratio() {
    let scene = scene(sea(35.0));
    let tolerance = |symbol| {
        acoustic(AcousticMedium {
            doppler: Some(DopplerTolerance {
                max_speed_m_s: 2.0,
                symbol_s: symbol,
                at: Places::default(),
            }),
            ..sound()
        })
    };
    let arriving = |modem: &Transceiver, v: f64| {
        let receiver = (at(600.0, -50.0), Vec3::new(-v, 0.0, 0.0));
        let ends = [(at(0.0, -50.0), Vec3::zero()), receiver];
        link(&scene, [modem, modem], ends, 1.0)
    };
    let (symbol, plain) = (1e-3, acoustic(sound()));
    let modem = tolerance(symbol);
    for v in [-2.0, 0.0, 1.0, 2.0] {
        assert_eq!(arriving(&modem, v), arriving(&plain, v));
    }
    let v = 3.2;
    let (exact, shifted) = (arriving(&plain, v), arriving(&modem, v));
    let snr = exact.power / exact.noise;
    let x = PI * 25e3 * (v - 2.0) / C * symbol;
    let expected = 10.0 / (3.0 * std::f64::consts::LN_10) * x * x * (1.0 + snr);
    let scaled = (exact.power / shifted.power - 1.0) + (shifted.noise / exact.noise - 1.0);
    let degradation = 10.0 / std::f64::consts::LN_10 * scaled;
    within("degradation", degradation / expected, 1.0, 0.01);
    let sum = shifted.power + shifted.noise;
    within("conserved", sum / (exact.power + exact.noise), 1.0, 1e-12);
    let no_signal = arriving(&tolerance(C / (25e3 * (v - 2.0))), v);
    within("first zero", no_signal.power / exact.power, 0.0, 1e-12);
    within(
        "noise",
        no_signal.noise / (exact.noise + exact.power),
        1.0,
        1e-12,
    );
}

// Noise is the sum of ambient noise, self-noise of the receiver and noise of the thrusters of the
// same robot. Method: the levels added as powers; the noise of thrusters rises by 60 dB per decade
// of the shaft speed. Tolerance: 1e-9.
#[test]
fn noise_is_the_sum_of_sea_receiver_and_thrusters() {
    let scene = scene(sea(35.0));
    let noise = read("{level_db: 70, speed_rad_s: 100, frequency_khz: 12.5}");
    let modem = acoustic(AcousticMedium {
        thruster_noise: Some(noise),
        ..sound()
    });
    let modems = [carried(0, &modem), carried(1, &modem)];
    let motions = [
        (at(0.0, -50.0), Vec3::zero()),
        (at(100.0, -50.0), Vec3::zero()),
    ];
    let (view, environment) = (view(&scene, 0, &motions), environment(&scene, 0.0, None));
    let received = |speeds: &[Vec<f64>]| {
        let instant = ChannelInstant {
            view: &view,
            environment: &environment,
            ray_scene: None,
            shaft_speeds: speeds,
        };
        WorldChannel::new(&scene, &modems)
            .update_to(&instant)
            .propagate(0, 1, 0, 1.0)
            .noise
    };
    let quiet = (ambient(25.0, 0.0, 0.5) + 100.0) * 4e3;
    within("quiet", received(&[]) / quiet, 1.0, 1e-12);
    // the thrusters of the other robot have no effect
    within(
        "other robot",
        received(&[vec![200.0], vec![0.0]]) / quiet,
        1.0,
        1e-12,
    );
    let own = received(&[vec![], vec![200.0, -200.0]]) - quiet;
    let spectral_level = 70.0;
    // 60 dB per decade of the shaft speed: 200 rad/s and 100 rad/s of the reference
    let speed = 60.0 * (200f64 / 100.0).log10();
    // two thrusters
    let thrusters = db(2.0);
    // -20 dB per decade of the frequency: 25 kHz of the modem and 12.5 kHz of the reference
    let frequency = -20.0 * (25f64 / 12.5).log10();
    // band of 4 kHz
    let band = db(4e3);
    let expected = spectral_level + speed + thrusters + frequency + band;
    within("own thrusters", db(own), expected, 1e-9);
}

// The table over azimuth and elevation is applied in the frame of each modem. Method: a modem with
// the axis down transmits into its -10 dB direction; the receiver has -3 dB. Tolerance: 1e-9.
#[test]
fn directivity_is_applied_at_both_ends_in_their_frames() {
    let scene = scene(sea(35.0));
    let plain = acoustic(sound());
    let mut modem = plain.clone();
    let half = std::f64::consts::FRAC_PI_2;
    modem.transmit_pattern = read(
        "{kind: attitude, azimuths_deg: [0, 180], elevations_deg: [0, 90], \
         gains_db: [-10, -10, 0, -6]}",
    );
    modem.receive_pattern = Directivity::uniform(-3.0);
    let mut source = fixed("a", at(0.0, -50.0), &modem);
    source.axis = Vec3::new(0.0, 0.0, -1.0);
    let modems = [source, fixed("b", at(400.0, -50.0), &modem)];
    let (view, environment) = (view(&scene, 0, &[]), environment(&scene, 0.0, None));
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    let found = WorldChannel::new(&scene, &modems)
        .update_to(&instant)
        .propagate(0, 1, 0, 1.0)
        .power;
    let reference = still_link(&scene, &plain, [at(0.0, -50.0), at(400.0, -50.0)]).power;
    // +x of the world is the elevation of 90 degrees for a modem whose axis points down
    let z_M = 1.0_f64.asin();
    within("elevation", z_M, half, 1e-12);
    within("gain", db(found / reference), -3.0, 1e-9);
    let mut level = modems.clone();
    level[0].axis = Vec3::new(0.0, 1.0, 0.0);
    let found = WorldChannel::new(&scene, &level)
        .update_to(&instant)
        .propagate(0, 1, 0, 1.0)
        .power;
    within("level", db(found / reference), -13.0, 1e-9);
}

// The channel has the travel time and the loss of the eigenray, and no signal in the shadow zone.
// Method: eigenrays of the environment (V67). Tolerance: 1 ns, 0.01 dB.
#[test]
fn refracted_paths_follow_the_eigenray() {
    let mut sea = sea(35.0);
    let profile = [
        [0.0, 20.0, 35.0],
        [40.0, 18.0, 35.0],
        [80.0, 9.0, 35.0],
        [900.0, 5.0, 35.0],
    ];
    sea.column = Some(Arc::new(build_column(
        &profile,
        900.0,
        common::GRAVITY,
        SoundSpeedLaw::Unesco,
    )));
    let scene = scene(sea);
    let bent = acoustic(AcousticMedium {
        refraction: true,
        absorption: AbsorptionLaw::None,
        ..sound()
    });
    let ends = [at(0.0, -60.0), at(400.0, -120.0)];
    let found = still_link(&scene, &bent, ends);
    let mut rays = Vec::new();
    let water = environment(&scene, 0.0, None);
    visit_eigenrays_between(&water, ends, 0, &mut |ray| rays.push(ray));
    rays.sort_by(|a, b| a.time.total_cmp(&b.time));
    within("time", found.delay_ns as f64 * 1e-9, rays[0].time, 1e-9);
    within(
        "loss",
        180.0 - db(found.power),
        db(rays[0].spreading()),
        1e-9,
    );
    let shadow = still_link(&scene, &bent, [at(0.0, -10.0), at(20_000.0, -60.0)]);
    assert_eq!(shadow.obstruction, Some(LossCause::ShadowZone));
    // straight rays: the time is the integral of the slowness along the chord
    let straight = acoustic(AcousticMedium {
        absorption: AbsorptionLaw::None,
        ..sound()
    });
    let found = still_link(&scene, &straight, ends).delay_ns as f64 * 1e-9;
    let column = scene.sea.column.as_ref().expect("a column");
    let n = 20_000;
    let slowness = |k: i32| {
        let z = -60.0 - 60.0 * (f64::from(k) + 0.5) / f64::from(n);
        1.0 / column.properties_at(z).sound_speed
    };
    let mean = (0..n).map(slowness).sum::<f64>() / f64::from(n);
    within("straight", found, mean * (ends[1] - ends[0]).norm(), 2e-7);
}

// No signal outside the maximum range, with a NaN position and between different media or bands.
// Method: each case.
#[test]
fn links_without_a_path_have_a_cause() {
    let scene = scene(sea(35.0));
    let modem = acoustic(sound());
    let mut short = modem.clone();
    short.max_range_m = Some(100.0);
    let found = still_link(&scene, &short, [at(0.0, -50.0), at(100.1, -50.0)]);
    assert_eq!(
        (found.obstruction, found.power),
        (Some(LossCause::OutOfRange), 0.0)
    );
    assert_eq!(
        still_link(&scene, &short, [at(0.0, -50.0), at(99.9, -50.0)]).obstruction,
        None
    );
    let mut other = modem.clone();
    set_band(&mut other, [50e3, 60e3]);
    let rest = [
        (at(0.0, -50.0), Vec3::zero()),
        (at(80.0, -50.0), Vec3::zero()),
    ];
    let found = link(&scene, [&modem, &other], rest, 1.0);
    assert_eq!(found.obstruction, Some(LossCause::OutOfView));
    // a quarter of the band of the transmitter overlaps
    let mut quarter = modem.clone();
    set_band(&mut quarter, [26e3, 30e3]);
    let found = link(&scene, [&modem, &quarter], rest, 0.5);
    let full = link(&scene, [&modem, &modem], rest, 1.0);
    within("overlap and power", found.power / full.power, 0.125, 1e-12);
    let lost = (Vec3::new(f64::NAN, 0.0, -50.0), Vec3::zero());
    let found = link(&scene, [&modem, &modem], [rest[0], lost], 1.0);
    assert!(found.obstruction.is_some() && found.power == 0.0);
    assert!(matches!(modem.medium, Medium::Acoustic(_)));
}

// Shaft speeds from the state of a thruster. Method: known drive, quadratic curve without a known
// drive, curve without a shaft speed. Tolerance: 1e-12.
#[test]
fn shaft_speeds_follow_from_drive_or_thrust() {
    let limits = [300.0, 50.0];
    let quadratic = Curve::Quadratic {
        speed_per_command_rad_s: 1.0,
        ahead_n_s2_per_rad2: 2e-3,
        astern_n_s2_per_rad2: 1e-3,
        at: Places::default(),
    };
    assert_eq!(shaft_speed(&quadratic, -120.0, 9.0, limits), 120.0);
    let unknown = |thrust| shaft_speed(&quadratic, f64::NAN, thrust, limits);
    within("forward", unknown(20.0), 100.0, 1e-12);
    within("reverse", unknown(-40.0), 200.0, 1e-12);
    within(
        "direct",
        shaft_speed(&Curve::Direct, f64::NAN, -12.5, limits),
        150.0,
        1e-12,
    );
}
