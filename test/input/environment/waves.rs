//! Tests of impossible waves, and of notes on very rare sea states.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{check, world};
use merrow_world::{Overrides, load_text};

fn waves(keys: &str) -> String {
    world(&format!("water: {{waves: {{{keys}}}}}"))
}

#[test]
fn kinds_and_values() {
    check(
        &waves("kind: jonswop, hs_m: 1"),
        "w.yaml:1:23: `kind`: expected one of `none`, `regular`, `pierson_moskowitz`, `jonswap`, `bretschneider`, `torsethaugen`, `tabulated`, `kelpie`, found string `jonswop`; did you mean `jonswap`?",
    );
    check(
        &waves("kind: jonswap, hs_m: -1"),
        "w.yaml:1:38: `hs_m`: expected a non-negative number [m], found `-1`",
    );
    check(
        &waves("kind: bretschneider, hs_m: 1, tp_s: 0"),
        "w.yaml:1:53: `tp_s`: expected a number from 0.1 to 100 [s], found `0`",
    );
    check(
        &waves("kind: jonswap, hs_m: 1, gamma: 0.5"),
        "w.yaml:1:48: `gamma`: expected a number from 1 to 10, found `0.5`",
    );
    check(
        &waves("kind: jonswap, beaufort: 13"),
        "w.yaml:1:42: `beaufort`: expected a whole number from 0 to 12, found `13`",
    );
    check(
        &waves("kind: pierson_moskowitz, hs_m: 1, components: 0"),
        "w.yaml:1:63: `components`: expected a whole number from 1 to 2000, found `0`",
    );
    check(
        &waves("kind: regular, height_m: 1"),
        "w.yaml:1:16: missing key `period_s` (period of the wave) in `waves`",
    );
    check(
        &waves("kind: pierson_moskowitz, hs_m: 1, tp_s: 5"),
        "w.yaml:1:51: unknown key `tp_s` in `waves`; expected one of `hs_m`, `wind_speed_m_s`, `beaufort`, `direction_deg`, `spreading`, `components`, `min_wavelength_m`, `ramp_s`",
    );
}

#[test]
fn only_one_definition_of_the_height() {
    check(
        &waves("kind: jonswap, hs_m: 1, fetch_m: 200"),
        "w.yaml:1:50: `fetch_m` requires a wind; expected `wind_speed_m_s` too",
    );
    check(
        &waves("kind: jonswap, hs_m: 1, beaufort: 4"),
        "w.yaml:1:16: `waves`: expected one of `hs_m`, `wind_speed_m_s` or `beaufort`, found `hs_m` and `beaufort`; leave the others out",
    );
    check(
        &waves("kind: torsethaugen, tp_s: 9"),
        "w.yaml:1:16: `waves` does not give the wave height; expected `hs_m`, `wind_speed_m_s` or `beaufort`; give one",
    );
    check(
        &waves("kind: kelpie"),
        "w.yaml:1:16: `waves` does not give the wave height; expected `wind_speed_m_s` or `beaufort`; give one",
    );
}

#[test]
fn invalid_spectra_are_rejected() {
    check(
        &waves("kind: tabulated, spectrum: [[0.5, 1]]"),
        "w.yaml:1:44: the spectrum has 1 frequency; expected at least 2",
    );
    check(
        &waves("kind: tabulated, spectrum: [[0.5, 1], [0.9, 2], [0.7, 0]]"),
        "w.yaml:1:44: the spectrum's frequencies do not increase: 0.7 after 0.9; expected increasing frequencies",
    );
    check(
        &waves("kind: tabulated, spectrum: [[0.5, 0], [0.9, 0]]"),
        "w.yaml:1:44: the spectrum has no energy at frequencies above 0; expected some",
    );
    check(
        &waves("kind: tabulated, spectrum: [[0.5, -1], [0.9, 0]]"),
        "w.yaml:1:51: `spectrum[0][1]`: expected a non-negative number, found `-1`",
    );
}

#[test]
fn waves_that_break() {
    check(
        &waves("kind: regular, height_m: 2, period_s: 2.5"),
        "w.yaml:1:16: waves of 2 m height and 2.5 s period are 9.758 m long in 100 m of water and break above 1.386 m; lower the height or lengthen the period",
    );
    check(
        "seabed: {depth_m: 1}\nwater: {waves: {kind: jonswap, hs_m: 2, tp_s: 12}}\nrobots: {}\n",
        "w.yaml:2:16: waves of 2 m height and 12 s period are 37.410 m long in 1 m of water and break above 0.884 m; lower the height or lengthen the period",
    );
    check(
        "gravity_m_s2: 0\nwater: {waves: {kind: jonswap, hs_m: 2}}\nrobots: {}\n",
        "w.yaml:2:16: there are no waves without gravity: leave `waves` out or give `gravity_m_s2`",
    );
}

#[test]
fn steep_seas_are_noted() {
    let notes = |keys: &str| match load_text("w.yaml", &waves(keys), Overrides::default()) {
        Ok(world) => world
            .notes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        Err(problems) => panic!("{problems}"),
    };
    assert_eq!(
        notes("kind: jonswap, hs_m: 2.5, tp_s: 4.5"),
        [
            "w.yaml:1:16: a sea of 2.5 m height and 4.5 s period has a steepness of 0.079, more than real seas (0.067): most waves would break"
        ]
    );
    for usual in [
        "kind: jonswap, hs_m: 2, tp_s: 6",
        "kind: pierson_moskowitz, beaufort: 12",
        "kind: jonswap, hs_m: 0",
    ] {
        assert!(notes(usual).is_empty(), "{usual}");
    }
}
