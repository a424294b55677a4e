//! Conversion of the air and weather of a world.

use crate::context::Context;
use crate::keys::WorldConfig;
use crate::keys::air::WeatherConfig;
use merrow_environment::air::{sun, wind};
use merrow_model::scene::sea::air::{Air, Gusts, Shear, Weather};
use merrow_yaml::error::quote;
use std::sync::Arc;

/// Date and time at the start of the run.
#[derive(Clone, Copy)]
pub(crate) struct StartTime {
    /// Universal time at the start of the run [s since 1970-01-01].
    pub utc: f64,
    /// Default of `utc` for a world without a start time [s since 1970-01-01].
    default_utc: f64,
}

impl StartTime {
    /// Reads the start time of a world whose origin has a `longitude` [rad].
    pub(crate) fn from_config(weather: &WeatherConfig, longitude: f64, cx: Context<'_>) -> Self {
        let default_utc = sun::solar_noon(Air::NOON, longitude);
        let utc = weather.start_utc.as_ref().map_or(default_utc, |text| {
            parse_utc(text).unwrap_or_else(|| {
                let text = format!(
                    "`start_utc`: expected a date and time such as 2026-06-21T09:30:00Z, found {}",
                    quote(text)
                );
                cx.error(weather.at.key_place("start_utc"), text);
                default_utc
            })
        });
        Self { utc, default_utc }
    }
}

/// Builds the air of a world with the given start time and seed.
pub(crate) fn build_air(file: &WorldConfig, start: StartTime, cx: Context<'_>) -> Air {
    let (air, weather) = (&file.air, &file.weather);
    if let Shear::Log { roughness_m } = air.shear
        && roughness_m >= air.reference_height_m
    {
        let text = format!(
            "`roughness_m`: expected less than `reference_height_m` = {}, found {roughness_m}",
            air.reference_height_m
        );
        cx.error(air.at.key_place("shear.roughness_m"), text);
    }
    let now = Weather {
        wind: wind::velocity_from(weather.wind_speed_m_s, weather.wind_from_deg),
        gustiness: weather.gustiness,
        temperature_c: weather.temperature_c,
        cloud_cover: weather.cloud_cover,
        rain_mm_h: weather.rain_mm_h,
        visibility_m: weather.visibility_m,
    };
    let components = if air.gusts == Gusts::None {
        Vec::new()
    } else {
        wind::components(cx.seed)
    };
    Air {
        reference_height_m: air.reference_height_m,
        shear: air.shear,
        gusts: air.gusts,
        components: Arc::from(components),
        start_utc: start.utc,
        default_start_utc: start.default_utc,
        from: now,
        to: now,
        change: [0.0, 0.0],
    }
}

/// Returns the seconds from 1970-01-01 to `YYYY-MM-DDThh:mm:ssZ`, or `None` if the text has another
/// form.
pub(crate) fn parse_utc(text: &str) -> Option<f64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = text.split_once(['T', ' '])?;
    let whole = |text: &str, n: usize| {
        (text.len() == n && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse::<i64>().ok())?
    };
    let mut date = date.split('-');
    let (y, m, d) = (
        whole(date.next()?, 4)?,
        whole(date.next()?, 2)?,
        whole(date.next()?, 2)?,
    );
    let mut time = time.split(':');
    let (h, min) = (whole(time.next()?, 2)?, whole(time.next()?, 2)?);
    let second = time.next().unwrap_or("00");
    let (s, fraction) = second.split_once('.').unwrap_or((second, "0"));
    let s = whole(s, 2)?;
    let digits = fraction.len().min(9);
    let fraction = whole(fraction, digits)? as f64 / 10_u64.pow(digits as u32) as f64;
    let leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    let days = [
        31,
        if leap { 29 } else { 28 },
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let month = usize::try_from(m).ok()?.checked_sub(1)?;
    let good = d >= 1 && d <= *days.get(month)? && h < 24 && min < 60 && s < 60 && y >= 1900;
    if !good || date.next().is_some() || time.next().is_some() {
        return None;
    }
    // Number of leap days before year `y`.
    let leaps = |y: i64| (y - 1) / 4 - (y - 1) / 100 + (y - 1) / 400;
    let before =
        (y - 1970) * 365 + leaps(y) - leaps(1970) + days[..month].iter().sum::<i64>() + d - 1;
    Some((before * 86_400 + h * 3600 + min * 60 + s) as f64 + fraction)
}

/// Returns the text of a date and time [s since 1970-01-01] for the key `start_utc`, rounded to
/// microseconds.
pub(crate) fn utc_text(utc: f64) -> String {
    let micros = (utc * 1e6).round() as i64;
    let (whole, micros) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (mut days, second) = (whole.div_euclid(86_400), whole.rem_euclid(86_400));
    let leap = |y: i64| y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += 365 + i64::from(leap(year));
    }
    while days >= 365 + i64::from(leap(year)) {
        days -= 365 + i64::from(leap(year));
        year += 1;
    }
    let february = 28 + i64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (h, min, s) = (second / 3600, second / 60 % 60, second % 60);
    let day = days + 1;
    format!("{year:04}-{month:02}-{day:02}T{h:02}:{min:02}:{s:02}.{micros:06}Z")
}
