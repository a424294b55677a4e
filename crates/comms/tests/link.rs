//! Tests of the reception of frames: error rates against theory and simulation, thresholds, capture
//! and rate adaptation.

mod common;

use common::{acoustic, bpsk, read, sound, within};
use merrow_comms::link::modulation::{bit_error_rate, normal_tail};
use merrow_comms::link::rate::select_scheme;
use merrow_comms::link::reception::{ReceivedPowers, all_correct, frame_success};
use merrow_math::rng::{Draw, Stream};
use merrow_model::scene::comms::scheme::{Modulation, Scheme};
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

fn scheme(modulation: Modulation, rate: f64) -> Scheme {
    Scheme {
        modulation,
        ..bpsk(rate)
    }
}

/// Returns the error rate of one bit per second in a band of 1 Hz at the energy per bit `gamma`
/// over the noise density.
fn per_bit(modulation: Modulation, gamma: f64) -> f64 {
    bit_error_rate(&scheme(modulation, 1.0), gamma, 1.0)
}

// Published values. Method: 10.53 dB for BPSK at 1e-6, 9.59 dB at 1e-5; 13.35 dB for incoherent FSK
// at 1e-5; 10.34 dB for DBPSK at 1e-5. Tolerance: 1 %.
#[test]
fn error_rates_have_their_published_values() {
    let at = |modulation, db: f64| per_bit(modulation, 10f64.powf(0.1 * db));
    within("BPSK", at(Modulation::Bpsk, 9.5879) / 1e-5, 1.0, 0.01);
    within("BPSK", at(Modulation::Qpsk, 10.5298) / 1e-6, 1.0, 0.01);
    within(
        "FSK",
        at(Modulation::Fsk { is_coherent: false }, 13.352) / 1e-5,
        1.0,
        0.01,
    );
    within("DBPSK", at(Modulation::Dbpsk, 10.342) / 1e-5, 1.0, 0.01);
    // coherent FSK needs 3 dB more than BPSK; QAM of 4 points is QPSK
    within(
        "FSK",
        at(Modulation::Fsk { is_coherent: true }, 12.5982) / 1e-5,
        1.0,
        0.01,
    );
    for db in [0.0, 4.0, 9.0] {
        let ratio = at(Modulation::Qam { order: 4 }, db) / at(Modulation::Qpsk, db);
        within("QAM", ratio, 1.0, 1e-12);
    }
    within("tail", normal_tail(1.959_964), 0.025, 1e-7);
    for modulation in [
        Modulation::Bpsk,
        Modulation::Ook,
        Modulation::LoRa {
            spreading_factor: 7,
        },
    ] {
        assert!(
            per_bit(modulation, 0.0) <= 0.5
                && per_bit(modulation, f64::NAN) == per_bit(modulation, 0.0)
        );
    }
}

/// Draws complex noise of density 1: the variance of each part is 1/2.
fn noise(draw: &mut Draw) -> [f64; 2] {
    [draw.normal(), draw.normal()].map(|x| x * FRAC_1_SQRT_2)
}

/// Returns the fraction of wrong bits of `n` symbols, and the number of bits.
fn simulate(name: &str, n: u64, mut symbol: impl FnMut(&mut Draw) -> (u32, u32)) -> (f64, f64) {
    let stream = Stream::new(11, name);
    let (mut wrong, mut bits) = (0, 0);
    for k in 0..n {
        let (e, b) = symbol(&mut stream.draw(k));
        wrong += e;
        bits += b;
    }
    (f64::from(wrong) / f64::from(bits), f64::from(bits))
}

/// Asserts that a simulated error rate is within 4 standard errors of the law.
#[track_caller]
fn agree(name: &str, (found, bits): (f64, f64), expected: f64) {
    within(name, found, expected, 4.0 * (expected / bits).sqrt());
}

// BPSK, DBPSK and FSK against simulated symbols. Method: 4e5 symbols in Gaussian noise. Tolerance:
// 4 standard errors.
#[test]
fn phase_and_frequency_keying_agree_with_simulated_symbols() {
    let gamma: f64 = 3.0;
    let a = gamma.sqrt();
    let found = simulate("bpsk", 400_000, |d| (u32::from(a + noise(d)[0] < 0.0), 1));
    agree("BPSK", found, per_bit(Modulation::Bpsk, gamma));
    let found = simulate("dbpsk", 400_000, |d| {
        let ([p, q], [r, s]) = (noise(d), noise(d));
        (u32::from((a + p) * (a + r) + q * s < 0.0), 1)
    });
    agree("DBPSK", found, per_bit(Modulation::Dbpsk, gamma));
    let found = simulate("fsk", 400_000, |d| {
        let ([p, q], [r, s]) = (noise(d), noise(d));
        let sent = (a + p) * (a + p) + q * q;
        (u32::from(r * r + s * s > sent), 1)
    });
    agree(
        "FSK",
        found,
        per_bit(Modulation::Fsk { is_coherent: false }, gamma),
    );
    let found = simulate("coherent", 400_000, |d| {
        let ([p, _], [r, _]) = (noise(d), noise(d));
        (u32::from(a + p < r), 1)
    });
    agree(
        "coherent FSK",
        found,
        per_bit(Modulation::Fsk { is_coherent: true }, gamma),
    );
}

// QAM of 16 and 64 points with Gray code. Method: 2e5 symbols, each dimension decided to the
// nearest level. Tolerance: 4 standard errors, three-fold because bits of a symbol are correlated.
#[test]
fn quadrature_amplitude_modulation_agrees_with_simulated_symbols() {
    for (order, gamma) in [(16u16, 4.0), (64, 10.0), (64, 2.0)] {
        let side = (f64::from(order)).sqrt() as u32;
        let bits = side.ilog2();
        // energy per symbol 2 bits γ with levels ±1, ±3, ...: (2/3) (M - 1) per unit
        let scale = (2.0 * f64::from(bits) * gamma * 1.5 / (f64::from(order) - 1.0)).sqrt();
        let gray = |k: u32| k ^ (k >> 1);
        let (found, n) = simulate("qam", 200_000, |d| {
            let wrong = |x: f64, k: u32| {
                let level = f64::from(2 * k) - f64::from(side - 1);
                let y = (level * scale + x) / scale;
                let nearest = ((y + f64::from(side - 1)) / 2.0).round();
                let decided = nearest.clamp(0.0, f64::from(side - 1)) as u32;
                (gray(decided) ^ gray(k)).count_ones()
            };
            let [i, q] = [d.uniform(), d.uniform()].map(|u| (u * f64::from(side)) as u32);
            let [x, y] = noise(d);
            (wrong(x, i) + wrong(y, q), 2 * bits)
        });
        let expected = per_bit(Modulation::Qam { order }, gamma);
        within(
            &format!("QAM {order}"),
            found,
            expected,
            3.0 * 4.0 * (expected / n).sqrt(),
        );
    }
}

// LoRa with the spreading factor 7. Method: incoherent detection of 128 orthogonal symbols, 3e4
// symbols; half of the bits of a wrong symbol are wrong. Tolerance: 0.3 dB, the error of the
// approximation.
#[test]
fn lora_agrees_with_simulated_symbols_within_a_third_of_a_decibel() {
    let modulation = Modulation::LoRa {
        spreading_factor: 7,
    };
    for db in [-11.0, -10.0, -9.0] {
        let snr = 10f64.powf(0.1 * db);
        let a = (128.0 * snr).sqrt();
        let (symbols, _) = simulate("lora", 30_000, |d| {
            let [p, q] = noise(d);
            let sent = (a + p) * (a + p) + q * q;
            let is_wrong = (1..128).any(|_| {
                let [r, s] = noise(d);
                r * r + s * s > sent
            });
            (u32::from(is_wrong), 1)
        });
        let found = symbols * 64.0 / 127.0;
        let at = |db: f64| per_bit(modulation, 10f64.powf(0.1 * db));
        assert!(
            found < at(db - 0.3) && found > at(db + 0.3),
            "{db} dB: {found} {}",
            at(db)
        );
    }
}

// On-off keying of light. Method: levels 0 and 2 P in noise of equivalent power N: Q(P/N).
// Tolerance: 4 standard errors.
#[test]
fn on_off_keying_agrees_with_simulated_symbols() {
    let ratio = 2.0;
    let found = simulate("ook", 400_000, |d| {
        let is_on = d.uniform() < 0.5;
        let received = if is_on { 2.0 * ratio } else { 0.0 } + d.normal();
        (u32::from((received > ratio) != is_on), 1)
    });
    agree("OOK", found, per_bit(Modulation::Ook, ratio));
}

// Error rates of symbols that rotate with a random phase do not depend on it. Method: DBPSK with a
// phase common to two symbols. Tolerance: 4 standard errors.
#[test]
fn differential_detection_is_independent_of_the_phase() {
    let gamma: f64 = 2.0;
    let found = simulate("phase", 300_000, |d| {
        let (s, c) = (TAU * d.uniform()).sin_cos();
        let a = gamma.sqrt();
        let ([p, q], [r, t]) = (noise(d), noise(d));
        let product = (a * c + p) * (a * c + r) + (a * s + q) * (a * s + t);
        (u32::from(product < 0.0), 1)
    });
    agree("DBPSK", found, per_bit(Modulation::Dbpsk, gamma));
}

// Bandwidth, rate and coding gain enter as energy per bit. Method: γ = SNR B/R G. Tolerance: 1e-12.
#[test]
fn energy_per_bit_is_snr_times_bandwidth_over_rate_and_coding_gain() {
    let mut coded = scheme(Modulation::Bpsk, 500.0);
    coded.coding_gain_db = 3.0;
    let expected = per_bit(Modulation::Bpsk, 0.1 * 4000.0 / 500.0 * 10f64.powf(0.3));
    within("γ", bit_error_rate(&coded, 0.1, 4000.0), expected, 1e-12);
}

// Packet error rate. Method: (1 - P)^n, also for tiny P. Tolerance: 1e-12.
#[test]
fn frames_are_correct_if_all_bits_are() {
    within("frame", all_correct(1e-3, 500.0), 0.999f64.powi(500), 1e-12);
    within("tiny", 1.0 - all_correct(1e-15, 1000.0), 1e-12, 1e-15);
    assert_eq!((all_correct(0.2, 0.0), all_correct(0.0, 1e12)), (1.0, 1.0));
    let modem = acoustic(sound());
    let powers = ReceivedPowers {
        signal: 2.0,
        noise: 1.0,
        interference: 1.0,
    };
    let rate = bit_error_rate(&modem.schemes[0], 1.0, 4e3);
    let found = frame_success(&modem, &modem.schemes[0], &powers, 200.0);
    within(
        "interference is noise",
        found,
        all_correct(rate, 200.0),
        1e-12,
    );
}

// Threshold rules and capture. Method: both sides of each limit; NaN is not received.
#[test]
fn thresholds_and_capture_decide_reception() {
    let mut modem = acoustic(sound());
    modem.reception = read("{kind: level, threshold_db: 60}");
    let success = |modem: &_, signal: f64, interference: f64| {
        let powers = ReceivedPowers {
            signal,
            noise: 1e-9,
            interference,
        };
        frame_success(modem, &bpsk(100.0), &powers, 1000.0)
    };
    assert_eq!(
        (success(&modem, 1.001e6, 0.0), success(&modem, 0.999e6, 0.0)),
        (1.0, 0.0)
    );
    assert_eq!(success(&modem, f64::NAN, 0.0), 0.0);
    // without capture any overlap is lost; with 6 dB the stronger signal survives
    assert_eq!(success(&modem, 1e7, 1.0), 0.0);
    modem.capture_db = Some(6.0206);
    assert_eq!(
        (success(&modem, 1e7, 2.4e6), success(&modem, 1e7, 2.6e6)),
        (1.0, 0.0)
    );
    modem.reception = read("{kind: signal_excess, threshold_db: 10}");
    let success = |signal: f64| {
        let powers = ReceivedPowers {
            signal,
            noise: 2.0,
            interference: 0.0,
        };
        frame_success(&modem, &bpsk(100.0), &powers, 1000.0)
    };
    assert_eq!((success(20.1), success(19.9)), (1.0, 0.0));
}

// Rate adaptation. Method: thresholds, margin and hysteresis.
#[test]
fn rate_adaptation_selects_the_fastest_sufficient_scheme() {
    let table = [0.0, 6.0, 12.0].map(|min_snr_db| Scheme {
        min_snr_db,
        ..bpsk(1.0)
    });
    let rule = read("{margin_db: 1, hysteresis_db: 2}");
    let select = |snr, current| select_scheme(&table, &rule, snr, current);
    assert_eq!(
        [-5.0, 6.9, 7.0, 13.0].map(|snr| select(snr, None)),
        [0, 0, 1, 2]
    );
    // a faster scheme needs the hysteresis, the current one does not
    assert_eq!([8.9, 9.0].map(|snr| select(snr, Some(0))), [0, 1]);
    assert_eq!([6.9, 7.0].map(|snr| select(snr, Some(1))), [0, 1]);
    assert_eq!(select(f64::NAN, Some(2)), 0);
}
