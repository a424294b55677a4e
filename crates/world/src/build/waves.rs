//! Conversion of the wave keys of a world to a sea state and its realisation.

use crate::build::towards;
use crate::schema::WorldFile;
use crate::schema::waves::{
    CourseFile, HeightFile, KelpieFile, PeriodFile, RegularFile, SpreadingFile, TabulatedFile,
    WavesFile,
};
use merrow_environment::waves::realise::realise;
use merrow_environment::waves::sea_state;
use merrow_environment::waves::sea_state::Doubt;
use merrow_environment::waves::spectrum;
use merrow_math::Vec3;
use merrow_model::scene::{SeaState, Spectrum, Spreading, Waves};
use merrow_yaml::error::{Place, Problems};
use std::f64::consts::TAU;

/// Period assigned to a flat sea [s]; it has no effect.
const ANY_PERIOD: f64 = 8.0;

/// Builds the waves of a world; flat water if there is a mistake.
pub fn waves(file: &WavesFile, world: &WorldFile, seed: u64, problems: &mut Problems) -> Waves {
    let (gravity, depth) = (world.gravity_m_s2, world.seabed.depth_m);
    let place = match file {
        WavesFile::None => return Waves::default(),
        WavesFile::Regular(f) => &f.at.whole,
        WavesFile::PiersonMoskowitz(f) => &f.at.whole,
        WavesFile::Jonswap(f) => &f.at.whole,
        WavesFile::Bretschneider(f) | WavesFile::Torsethaugen(f) => &f.at.whole,
        WavesFile::Tabulated(f) => &f.at.whole,
        WavesFile::Kelpie(f) => &f.at.whole,
    };
    if gravity == 0.0 {
        problems.push(
            place,
            "there are no waves without gravity: leave `waves` out or give `gravity_m_s2`",
        );
        return Waves::default();
    }
    let asked = match file {
        WavesFile::None => None,
        WavesFile::Regular(f) => Some(regular(f)),
        WavesFile::PiersonMoskowitz(f) => height(f, gravity, problems).map(|hs| {
            sea(
                Spectrum::PiersonMoskowitz,
                hs,
                developed(hs, gravity),
                &f.course,
            )
        }),
        WavesFile::Jonswap(f) => with_period(Spectrum::Jonswap(f.gamma), &f.sea, gravity, problems),
        WavesFile::Bretschneider(f) => with_period(Spectrum::Bretschneider, f, gravity, problems),
        WavesFile::Torsethaugen(f) => with_period(Spectrum::Torsethaugen, f, gravity, problems),
        WavesFile::Tabulated(f) => tabulated(f, problems),
        WavesFile::Kelpie(f) => kelpie(f, gravity, problems),
    };
    let Some(asked) = asked else {
        return Waves::default();
    };
    match sea_state::doubt(&asked, depth, gravity) {
        Some(Doubt::Breaks(text)) => {
            problems.push(place, text);
            return Waves::default();
        }
        Some(Doubt::Rare(text)) => problems.note(place, text),
        None => {}
    }
    Waves::of(realise(asked, depth, gravity, seed))
}

fn developed(hs: f64, gravity: f64) -> f64 {
    if hs > 0.0 {
        spectrum::developed_period(hs, gravity)
    } else {
        ANY_PERIOD
    }
}

fn regular(file: &RegularFile) -> SeaState {
    SeaState {
        spectrum: Spectrum::Regular(file.phase_deg.to_radians()),
        hs: file.height_m,
        tp: file.period_s,
        towards: towards(1.0, file.direction_deg),
        spreading: Spreading::None,
        components: 1,
        shortest: None,
        ramp: file.ramp_s,
    }
}

fn sea(spectrum: Spectrum, hs: f64, tp: f64, course: &CourseFile) -> SeaState {
    SeaState {
        spectrum,
        hs,
        tp,
        towards: towards(1.0, course.direction_deg),
        spreading: match course.spreading {
            SpreadingFile::None => Spreading::None,
            SpreadingFile::HalfAngle { s, .. } => Spreading::HalfAngle(s),
            SpreadingFile::Angle { n, .. } => Spreading::Angle(n),
        },
        components: course.components as usize,
        shortest: course.shortest_m,
        ramp: course.ramp_s,
    }
}

fn with_period(
    spectrum: Spectrum,
    file: &PeriodFile,
    gravity: f64,
    problems: &mut Problems,
) -> Option<SeaState> {
    let mut hs = height(&file.sea, gravity, problems)?;
    let mut tp = developed(hs, gravity);
    if let Some(fetch) = file.fetch_m {
        let Some(wind) = file.sea.wind_speed_m_s else {
            problems.push(
                file.at.of("fetch_m"),
                "`fetch_m` requires a wind, expected `wind_speed_m_s` too",
            );
            return None;
        };
        let [grown, period] = sea_state::fetch_limited(wind, fetch, gravity);
        (hs, tp) = (grown, if grown > 0.0 { period } else { ANY_PERIOD });
    }
    let tp = file.tp_s.unwrap_or(tp);
    Some(sea(spectrum, hs, tp, &file.sea.course))
}

/// Returns the significant wave height [m] from the one of three keys that is given.
fn height(file: &HeightFile, gravity: f64, problems: &mut Problems) -> Option<f64> {
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
    one_of(&given, &file.at.whole, problems)
}

/// Returns the value of the only key that is given; reports none or several.
fn one_of(given: &[(&str, Option<f64>)], place: &Place, problems: &mut Problems) -> Option<f64> {
    let said: Vec<&(&str, Option<f64>)> =
        given.iter().filter(|(_, value)| value.is_some()).collect();
    let expected = names(given.iter(), "or");
    match said.as_slice() {
        [(_, value)] => return *value,
        [] => {
            let text =
                format!("`waves` does not give the wave height, expected {expected}: give one");
            problems.push(place, text);
        }
        _ => {
            let found = names(said.into_iter(), "and");
            let text = format!(
                "`waves` gives the wave height by {found}, expected one of {expected}: leave the others out"
            );
            problems.push(place, text);
        }
    }
    None
}

/// Returns the quoted keys as an enumeration.
fn names<'a>(keys: impl Iterator<Item = &'a (&'a str, Option<f64>)>, last: &str) -> String {
    let quoted: Vec<String> = keys.map(|(name, _)| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, others)) => format!("{} {last} {end}", others.join(", ")),
        None => String::new(),
    }
}

fn tabulated(file: &TabulatedFile, problems: &mut Problems) -> Option<SeaState> {
    let rows = &file.spectrum;
    let place = file.at.of("spectrum");
    if rows.len() < 2 {
        problems.push(place, "the spectrum has 1 frequency, expected at least 2");
        return None;
    }
    if let Some(i) = rows.windows(2).position(|w| w[1][0] <= w[0][0]) {
        let text = format!(
            "the spectrum's frequencies do not increase: {} after {}, expected increasing ones",
            rows[i + 1][0],
            rows[i][0]
        );
        problems.push(place, text);
        return None;
    }
    let table: Vec<(f64, f64)> = rows.iter().map(|r| (r[0], r[1])).collect();
    let (hs, peak) = (spectrum::table_height(&table), spectrum::table_peak(&table));
    if hs == 0.0 || peak == 0.0 {
        problems.push(
            place,
            "the spectrum has no energy at frequencies above 0, expected some",
        );
        return None;
    }
    Some(sea(
        Spectrum::Tabulated(table.into()),
        hs,
        TAU / peak,
        &file.course,
    ))
}

fn kelpie(file: &KelpieFile, gravity: f64, problems: &mut Problems) -> Option<SeaState> {
    let of_wind = |v| sea_state::beaufort_height(sea_state::beaufort_number(v));
    let given = [
        ("wind_speed_m_s", file.wind_speed_m_s.map(of_wind)),
        (
            "beaufort",
            file.beaufort
                .map(|b| sea_state::beaufort_height(f64::from(b))),
        ),
    ];
    let hs = one_of(&given, &file.at.whole, problems)?;
    Some(SeaState {
        spectrum: Spectrum::Kelpie,
        hs,
        tp: file.period_s.unwrap_or_else(|| developed(hs, gravity)),
        towards: Vec3::new(0.0, 1.0, 0.0),
        spreading: Spreading::None,
        components: 1,
        shortest: None,
        ramp: file.ramp_s,
    })
}
