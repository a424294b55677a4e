//! Conversion of the wave keys of a world to a sea state and its realisation.

use crate::build::horizontal_velocity;
use crate::context::Context;
use crate::keys::waves::{
    KelpieConfig, RegularConfig, SeaHeightConfig, SeaPeriodConfig, TabulatedConfig,
    WaveDirectionConfig, WavesConfig,
};
use merrow_environment::waves::realise::wave_field;
use merrow_environment::waves::sea_state;
use merrow_environment::waves::sea_state::Implausibility;
use merrow_environment::waves::spectrum;
use merrow_math::Vec3;
use merrow_model::scene::{Scene, SeaState, Spectrum, Spreading, Waves};
use merrow_yaml::error::Place;
use std::f64::consts::TAU;

/// Period assigned to a flat sea [s]; it has no effect.
const FLAT_SEA_PERIOD: f64 = 8.0;

/// Builds the waves of a world with this gravity [m/s²] and reference depth [m]; flat water if
/// there is an error.
pub(crate) fn build_waves(
    file: &WavesConfig,
    (gravity, depth): (f64, f64),
    cx: Context<'_>,
) -> Waves {
    let place = match file {
        WavesConfig::None => return Waves::default(),
        WavesConfig::Regular(f) => &f.at.whole,
        WavesConfig::PiersonMoskowitz(f) => &f.at.whole,
        WavesConfig::Jonswap(f) => &f.at.whole,
        WavesConfig::Bretschneider(f) | WavesConfig::Torsethaugen(f) => &f.at.whole,
        WavesConfig::Tabulated(f) => &f.at.whole,
        WavesConfig::Kelpie(f) => &f.at.whole,
    };
    if gravity == 0.0 {
        cx.error(
            place,
            "there are no waves without gravity: leave `waves` out or give `gravity_m_s2`",
        );
        return Waves::default();
    }
    let sea = match file {
        WavesConfig::None => None,
        WavesConfig::Regular(f) => Some(regular_sea(f)),
        WavesConfig::PiersonMoskowitz(f) => significant_height(f, gravity, cx).map(|hs| {
            spectral_sea(
                Spectrum::PiersonMoskowitz,
                hs,
                developed_period(hs, gravity),
                &f.course,
            )
        }),
        WavesConfig::Jonswap(f) => sea_with_period(Spectrum::Jonswap(f.gamma), &f.sea, gravity, cx),
        WavesConfig::Bretschneider(f) => sea_with_period(Spectrum::Bretschneider, f, gravity, cx),
        WavesConfig::Torsethaugen(f) => sea_with_period(Spectrum::Torsethaugen, f, gravity, cx),
        WavesConfig::Tabulated(f) => tabulated_sea(f, cx),
        WavesConfig::Kelpie(f) => kelpie_sea(f, gravity, cx),
    };
    let Some(sea) = sea else {
        return Waves::default();
    };
    match sea_state::check_plausibility(&sea, depth, gravity) {
        Some(Implausibility::Breaks(text)) => {
            cx.error(place, text);
            return Waves::default();
        }
        Some(Implausibility::Rare(text)) => cx.note(place, text),
        None => {}
    }
    Waves::from_field(wave_field(sea, depth, gravity, cx.seed))
}

fn developed_period(hs: f64, gravity: f64) -> f64 {
    if hs > 0.0 {
        spectrum::developed_period(hs, gravity)
    } else {
        FLAT_SEA_PERIOD
    }
}

fn regular_sea(file: &RegularConfig) -> SeaState {
    SeaState {
        spectrum: Spectrum::Regular(file.phase_deg.to_radians()),
        hs_m: file.height_m,
        tp_s: file.period_s,
        towards: horizontal_velocity(1.0, file.direction_deg),
        spreading: Spreading::None,
        components: 1,
        min_wavelength_m: None,
        ramp_s: file.ramp_s,
    }
}

fn spectral_sea(spectrum: Spectrum, hs: f64, tp: f64, course: &WaveDirectionConfig) -> SeaState {
    SeaState {
        spectrum,
        hs_m: hs,
        tp_s: tp,
        towards: horizontal_velocity(1.0, course.direction_deg),
        spreading: course.spreading,
        components: course.components as usize,
        min_wavelength_m: course.min_wavelength_m,
        ramp_s: course.ramp_s,
    }
}

fn sea_with_period(
    spectrum: Spectrum,
    file: &SeaPeriodConfig,
    gravity: f64,
    cx: Context<'_>,
) -> Option<SeaState> {
    let mut hs = significant_height(&file.sea, gravity, cx)?;
    let mut tp = developed_period(hs, gravity);
    if let Some(fetch) = file.fetch_m {
        let Some(wind) = file.sea.wind_speed_m_s else {
            return cx.refuse(
                file.at.key_place("fetch_m"),
                "`fetch_m` requires a wind; expected `wind_speed_m_s` too",
            );
        };
        let [grown, period] = sea_state::fetch_limited(wind, fetch, gravity);
        (hs, tp) = (grown, if grown > 0.0 { period } else { FLAT_SEA_PERIOD });
    }
    let tp = file.tp_s.unwrap_or(tp);
    Some(spectral_sea(spectrum, hs, tp, &file.sea.course))
}

/// Returns the significant wave height [m] from one of three keys, whichever is given.
fn significant_height(file: &SeaHeightConfig, gravity: f64, cx: Context<'_>) -> Option<f64> {
    let given = [
        ("hs_m", file.hs_m),
        (
            "wind_speed_m_s",
            file.wind_speed_m_s
                .map(|v| sea_state::developed_height(v, gravity)),
        ),
        (
            "beaufort",
            file.beaufort
                .map(|b| sea_state::beaufort_height(f64::from(b))),
        ),
    ];
    only_given(&given, &file.at.whole, cx)
}

/// Returns the value of the only key that is given; reports none or several.
fn only_given(given: &[(&str, Option<f64>)], place: &Place, cx: Context<'_>) -> Option<f64> {
    let present: Vec<&(&str, Option<f64>)> =
        given.iter().filter(|(_, value)| value.is_some()).collect();
    let expected = enumerate_keys(given.iter(), "or");
    match present.as_slice() {
        [(_, value)] => return *value,
        [] => {
            let text =
                format!("`waves` does not give the wave height; expected {expected}; give one");
            cx.error(place, text);
        }
        _ => {
            let found = enumerate_keys(present.into_iter(), "and");
            let text =
                format!("`waves`: expected one of {expected}, found {found}; leave the others out");
            cx.error(place, text);
        }
    }
    None
}

/// Returns the quoted keys as an enumeration.
fn enumerate_keys<'a>(
    keys: impl Iterator<Item = &'a (&'a str, Option<f64>)>,
    last: &str,
) -> String {
    let quoted: Vec<String> = keys.map(|(name, _)| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, others)) => format!("{} {last} {end}", others.join(", ")),
        None => String::new(),
    }
}

fn tabulated_sea(file: &TabulatedConfig, cx: Context<'_>) -> Option<SeaState> {
    let rows = &file.spectrum;
    let place = file.at.key_place("spectrum");
    if rows.len() < 2 {
        return cx.refuse(place, "the spectrum has 1 frequency; expected at least 2");
    }
    if let Some(i) = rows.windows(2).position(|w| w[1][0] <= w[0][0]) {
        let text = format!(
            "the spectrum's frequencies do not increase: {} after {}; expected increasing frequencies",
            rows[i + 1][0],
            rows[i][0]
        );
        return cx.refuse(place, text);
    }
    let table: Vec<(f64, f64)> = rows.iter().map(|r| (r[0], r[1])).collect();
    let (hs, peak) = (spectrum::table_height(&table), spectrum::table_peak(&table));
    if hs == 0.0 || peak == 0.0 {
        return cx.refuse(
            place,
            "the spectrum has no energy at frequencies above 0; expected some",
        );
    }
    Some(spectral_sea(
        Spectrum::Tabulated(table.into()),
        hs,
        TAU / peak,
        &file.course,
    ))
}

fn kelpie_sea(file: &KelpieConfig, gravity: f64, cx: Context<'_>) -> Option<SeaState> {
    let of_wind = |v| sea_state::beaufort_height(sea_state::beaufort_number(v));
    let given = [
        ("wind_speed_m_s", file.wind_speed_m_s.map(of_wind)),
        (
            "beaufort",
            file.beaufort
                .map(|b| sea_state::beaufort_height(f64::from(b))),
        ),
    ];
    let hs = only_given(&given, &file.at.whole, cx)?;
    Some(SeaState {
        spectrum: Spectrum::Kelpie,
        hs_m: hs,
        tp_s: file
            .period_s
            .unwrap_or_else(|| developed_period(hs, gravity)),
        towards: Vec3::new(0.0, 1.0, 0.0),
        spreading: Spreading::None,
        components: 1,
        min_wavelength_m: None,
        ramp_s: file.ramp_s,
    })
}

/// Returns the sea state of the world. Without one, returns the default from which waves that are
/// set during a run start.
pub fn initial_sea_state(scene: &Scene) -> SeaState {
    scene.sea.waves.latest().map_or_else(
        || SeaState {
            spectrum: Spectrum::Jonswap(3.3),
            hs_m: 0.0,
            tp_s: FLAT_SEA_PERIOD,
            towards: Vec3::new(0.0, 1.0, 0.0),
            spreading: Spreading::HalfAngle { s: 10.0 },
            components: 200,
            min_wavelength_m: None,
            ramp_s: 20.0,
        },
        |field| field.requested.clone(),
    )
}

/// Returns flat water as a sea state, into which earlier waves fade.
pub fn flat_sea(scene: &Scene) -> Waves {
    Waves::from_field(wave_field(
        initial_sea_state(scene),
        -scene.sea.seabed.z0,
        scene.gravity,
        scene.seed,
    ))
}

/// Returns waves of this height [m], period [s] and direction [deg, clockwise from north]; all
/// other properties are taken from the world. A period of 0 selects the period of a fully developed
/// sea.
///
/// # Errors
/// The waves break, or the world has no gravity.
pub fn changed_waves(scene: &Scene, [hs, tp, direction]: [f64; 3]) -> Result<Waves, String> {
    let (gravity, depth) = (scene.gravity, -scene.sea.seabed.z0);
    let mut sea = initial_sea_state(scene);
    if hs > 0.0 && gravity == 0.0 {
        return Err("waves require gravity".to_string());
    }
    let developed = tp == 0.0 || sea.spectrum == Spectrum::PiersonMoskowitz;
    sea.tp_s = if developed && hs > 0.0 {
        spectrum::developed_period(hs, gravity)
    } else {
        tp
    };
    sea.hs_m = hs;
    sea.towards = horizontal_velocity(1.0, direction);
    if sea.tp_s == 0.0 {
        sea.tp_s = FLAT_SEA_PERIOD;
    }
    match sea_state::check_plausibility(&sea, depth, gravity) {
        Some(Implausibility::Breaks(text)) => Err(text),
        _ => Ok(Waves::from_field(wave_field(
            sea, depth, gravity, scene.seed,
        ))),
    }
}
