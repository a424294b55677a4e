//! Tests the position of the sun against published worked examples.

use merrow_environment::air::sun::{Season, season, solar_noon, sun_position};

/// Returns the Unix time [s] of a date and universal time.
fn utc(text: &str) -> f64 {
    let world = format!("weather: {{start_utc: '{text}'}}\nrobots: {{}}\n");
    crate::common::scene(&world).sea.air.start_utc
}

// Elevation and azimuth of the worked example of NREL's Solar Position Algorithm (Reda and Andreas
// 2004, appendix A.5): 17 October 2003, 12:30:30 seven hours west of Greenwich, at 39.742476 north,
// 105.1786 west. Method: its topocentric elevation without refraction, 39.872046, and azimuth
// 194.340241. Tolerance: 0.01 degrees, including 0.0019 of parallax.
#[test]
fn worked_example_of_the_solar_position_algorithm() {
    let (lat, lon) = (39.742476_f64.to_radians(), -105.1786_f64.to_radians());
    let sun = sun_position(utc("2003-10-17T19:30:30Z"), lat, lon);
    assert!(
        (sun.elevation.to_degrees() - 39.872046).abs() < 0.01,
        "{}",
        sun.elevation.to_degrees()
    );
    assert!(
        (sun.azimuth.to_degrees() - 194.340241).abs() < 0.01,
        "{}",
        sun.azimuth.to_degrees()
    );
    // Its zenith of 50.11162 degrees includes refraction (its eq. 42, for 820 mbar and 11 °C),
    // which the law does not include.
    let e = sun.elevation.to_degrees();
    let refraction = 820.0 / 1010.0 * 283.0 / (273.0 + 11.0) * 1.02
        / (60.0 * (e + 10.3 / (e + 5.11)).to_radians().tan());
    assert!(
        (90.0 - e - refraction - 50.11162).abs() < 0.01,
        "{}",
        90.0 - e - refraction
    );
    let d = sun.direction();
    assert!(
        d.y < 0.0 && d.x < 0.0 && (d.norm() - 1.0).abs() < 1e-12,
        "in the south-south-west: {d:?}"
    );
}

// The declination of Meeus's example 25.a. Method: 13 October 1992, 0 h dynamical time: -7.78507
// degrees. Tolerance: 1e-4 degrees: universal time is 59.3 s behind dynamical time, and the law
// assumes 69 s.
#[test]
fn declination_of_meeus_example() {
    let sun = sun_position(utc("1992-10-13T00:00:00Z") - 69.0, 0.5, 0.0);
    assert!(
        (sun.declination.to_degrees() + 7.78507).abs() < 1e-4,
        "{}",
        sun.declination.to_degrees()
    );
}

// Seasons change at the published instants of 2026 (20 March 14:46, 21 June 08:24, 23 September
// 00:05, 21 December 20:50 UTC), reversed in the south. Method: half an hour before and after.
// Tolerance: the error of the series of 0.01 degrees is a quarter of an hour.
#[test]
fn seasons_change_at_equinoxes_and_solstices() {
    use Season::{Autumn, Spring, Summer, Winter};
    for (text, before, after) in [
        ("2026-03-20T14:46:00Z", Winter, Spring),
        ("2026-06-21T08:24:00Z", Spring, Summer),
        ("2026-09-23T00:05:00Z", Summer, Autumn),
        ("2026-12-21T20:50:00Z", Autumn, Winter),
    ] {
        let t = utc(text);
        assert_eq!(
            (season(t - 1800.0, 0.7), season(t + 1800.0, 0.7)),
            (before, after),
            "{text}"
        );
    }
    assert_eq!(season(utc("2026-07-01T00:00:00Z"), -0.7), Winter);
}

// The time of solar noon follows the equation of time. Method: 13 min 42.6 s on 13 October 1992 at
// 0 h [Meeus 1998, example 28.a], where mean noon is at 180 degrees west. Tolerance: 2 s: a second
// for the rounding of the example, and 0.004 degrees of the series.
#[test]
fn solar_noon_matches_meeus_example() {
    let found = solar_noon(utc("1992-10-12T12:00:00Z"), -std::f64::consts::PI);
    let expected = utc("1992-10-13T00:00:00Z") - (13.0 * 60.0 + 42.6);
    assert!((found - expected).abs() < 2.0, "{}", found - expected);
}

// A world without a start time has daylight at any origin: the sun is due south or north at its
// maximum elevation of the day, and the local solar date is 20 March. Method: origins around the
// Earth; a quarter of an hour before and after the sun is lower. Tolerance: 0.02 degrees in the
// sine of the azimuth, twice the effect of rounding to a second.
#[test]
fn worlds_without_start_time_start_at_noon() {
    for (lat, lon) in [
        (36.6_f64, -121.9_f64),
        (43.4, -3.0),
        (-33.9, 151.2),
        (60.0, 179.9),
        (-10.0, -179.9),
    ] {
        let text = format!("origin: {{latitude_deg: {lat}, longitude_deg: {lon}}}\nrobots: {{}}\n");
        let air = crate::common::scene(&text).sea.air;
        let sun =
            |later: f64| sun_position(air.start_utc + later, lat.to_radians(), lon.to_radians());
        let now = sun(0.0);
        assert!(
            now.direction().x.abs() < 4e-4 && now.elevation > 0.4,
            "{lat} {lon}: {now:?}"
        );
        assert!(
            now.elevation > sun(-900.0).elevation && now.elevation > sun(900.0).elevation,
            "{lat} {lon}"
        );
        let day = ((air.start_utc + lon / 360.0 * 86_400.0) / 86_400.0).floor();
        assert_eq!(
            day,
            (utc("2026-03-20T12:00:00Z") / 86_400.0).floor(),
            "{lat} {lon}"
        );
    }
}
