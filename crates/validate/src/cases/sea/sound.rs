//! V67 to V69: sound rays, Doppler shift and Lloyd's mirror.

use crate::cases::prelude::*;
use merrow_environment::sound::eigenray::eigenrays;
use merrow_environment::sound::ray::{Ray, trace};
use merrow_environment::sound::{Waveguide, doppler, interference};
use std::f64::consts::TAU;

/// Returns the Munk profile: speed of sound [m/s] at a depth [m].
pub fn munk_sound_speed(depth: f64) -> f64 {
    let x = 2.0 * (depth - 1300.0) / 1300.0;
    1500.0 * (1.0 + 0.007_37 * (x - 1.0 + libm::exp(-x)))
}

/// Returns water of 5 km depth with the Munk profile, one node every `step` [m].
pub fn munk_water(step: f64) -> Result<Waveguide, String> {
    let n = (5000.0 / step) as i32;
    let profile: Vec<[f64; 2]> = (0..=n)
        .map(|k| f64::from(k) * step)
        .map(|z| [z, munk_sound_speed(z)])
        .collect();
    Waveguide::new(&profile, [0.0, 5000.0]).ok_or_else(|| "no water".to_string())
}

fn water(profile: &[[f64; 2]], bottom: f64) -> Result<Waveguide, String> {
    Waveguide::new(profile, [0.0, bottom]).ok_or_else(|| "no water".to_string())
}

fn ray(
    guide: &Waveguide,
    depth: f64,
    angle: f64,
    range: f64,
    visit: impl FnMut(&Ray),
) -> Result<Ray, String> {
    let steepness = libm::tan(angle.to_radians());
    trace(guide, depth, steepness, range, 9, visit).ok_or_else(|| format!("no ray at {angle} deg"))
}

// V67: closed forms to 1e-9 and better. Turning depths in the Munk profile 0.05 m, because the
// profile is linear between nodes every 10 m.
pub(crate) fn rays(_: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = gradient()?;
    checks.extend(images()?);
    checks.extend(reciprocity()?);
    let guide = munk_water(10.0)?;
    let mut series = Vec::new();
    for angle in [-12.0, -8.0, -4.0, 4.0, 8.0, 12.0] {
        let mut depths = [f64::INFINITY, 0.0_f64];
        let mut points = Vec::new();
        ray(&guide, 1300.0, angle, 100e3, |r| {
            depths = [depths[0].min(r.depth), depths[1].max(r.depth)];
            points.push([r.range * 1e-3, -r.depth]);
        })?;
        series.push((format!("{angle} deg"), points));
        if angle > 0.0 {
            let turning_speed = 1500.0 / libm::cos(angle.to_radians());
            let upper = turning(turning_speed, [1300.0, 0.0]);
            let lower = turning(turning_speed, [1300.0, 5000.0]);
            checks.extend(checks! {
                format!("Munk, {angle} deg: upper turning depth"), "m", upper, depths[0],
                    Absolute(0.05);
                format!("Munk, {angle} deg: lower turning depth"), "m", lower, depths[1],
                    Absolute(0.05);
            });
        }
    }
    let y_label = "height in the Munk profile [m]";
    let panel = Panel::new(y_label, "range [km]", coloured(series));
    let title = "Rays from the axis of the sound channel";
    let figure = draw_figure(title, &[panel], 860, 320);
    Ok(CaseResult::new(checks).with_figure("sound_rays", figure))
}

/// Returns the depth [m] between `axis` and `far` at which the speed of the Munk profile is `c`
/// [m/s], by bisection.
fn turning(c: f64, [axis, far]: [f64; 2]) -> f64 {
    let [a, b] = bisect(80, [axis, far], |z| munk_sound_speed(z) < c);
    0.5 * (a + b)
}

/// Checks a constant gradient, divided into layers: circles, travel times and arc lengths.
fn gradient() -> Result<Vec<Check>, String> {
    let (g, z0) = (0.017, 1000.0);
    let speed = |z: f64| 1480.0 + g * z;
    let profile: Vec<[f64; 2]> = (0..=40)
        .map(|k| f64::from(k) * 100.0)
        .map(|z| [z, speed(z)])
        .collect();
    let guide = water(&profile, 4000.0)?;
    let (mut circle, mut length) = (0.0_f64, 0.0_f64);
    for angle in [-8.0_f64, 0.0, 3.0, 12.0] {
        let (sine, cosine) = (libm::sin(angle.to_radians()), libm::cos(angle.to_radians()));
        let radius = speed(z0) / (g * cosine);
        ray(&guide, z0, angle, 9000.0, |r| {
            let (x, z) = (r.range - radius * sine, r.depth - z0 + radius * cosine);
            // up to the first surface reflection
            if r.surface == 0 {
                circle = circle.max((libm::hypot(x, z) / radius - 1.0).abs());
                let arc = radius * (angle.to_radians() - r.angle);
                length = length.max((r.length - arc).abs());
            }
        })?;
    }
    let mut checks = checks! {
        "relative distance from the circle of radius c/(g cos θ)", "", 1e-12, circle, AtMost;
        "largest error of the arc length", "m", 1e-6, length, AtMost;
    };
    for (z, range) in [(100.0, 3000.0), (3000.0, 5000.0)] {
        let found = eigenrays(&guide, z0, z, range, 0);
        let time = found.first().map_or(f64::NAN, |r| r.time);
        let apart = g * g * (range * range + (z - z0) * (z - z0)) / (2.0 * speed(z) * speed(z0));
        // acosh(1 + x), accurate for small x
        let closed = libm::log1p(apart + libm::sqrt(apart * (2.0 + apart))) / g;
        checks.extend(checks! {
            format!("travel time from 1000 m to {z} m depth, {range} m away"), "s", closed, time,
                Absolute(1e-9);
        });
    }
    Ok(checks)
}

/// Checks constant sound speed between reflecting boundaries: the rays agree with the image
/// sources.
fn images() -> Result<Vec<Check>, String> {
    let (c, deep, range, zs, zr) = (1500.0, 120.0, 900.0, 35.0, 80.0);
    let found = eigenrays(&water(&[[0.0, c]], deep)?, zs, zr, range, 3);
    let mut heights = vec![zr - zs];
    for m in 1..=2 {
        let far = 2.0 * deep * f64::from(m);
        // an odd number of reflections, first from the surface or from the seabed; then an even
        // number
        heights.extend([
            far - 2.0 * deep + zr + zs,
            far - zr - zs,
            far + zr - zs,
            far - zr + zs,
        ]);
    }
    let mut times: Vec<f64> = heights.iter().map(|h| libm::hypot(range, *h) / c).collect();
    times.sort_by(f64::total_cmp);
    let seven = times.iter().take(7);
    let error = found
        .iter()
        .zip(seven)
        .fold(0.0_f64, |worst, (r, t)| worst.max((r.time - t).abs()));
    let straight = found.iter().fold(0.0_f64, |worst, r| {
        worst.max((r.spreading() / (r.length * r.length) - 1.0).abs())
    });
    Ok(checks! {
        "constant sound speed: rays with up to 3 reflections", "", 7.0, found.len() as f64,
            Absolute(0.5);
        "constant sound speed: largest error of the travel times", "s", 1e-9, error, AtMost;
        "constant sound speed: spreading against squared length", "", 1e-9, straight, AtMost;
    })
}

/// Checks reciprocity: exchanging source and receiver gives the same travel times and the same
/// spreading.
fn reciprocity() -> Result<Vec<Check>, String> {
    let profile = [
        [0.0, 1522.0],
        [40.0, 1520.0],
        [120.0, 1496.0],
        [700.0, 1487.0],
        [3000.0, 1521.0],
    ];
    let guide = water(&profile, 2500.0)?;
    let (there, back) = (
        eigenrays(&guide, 60.0, 900.0, 15e3, 3),
        eigenrays(&guide, 900.0, 60.0, 15e3, 3),
    );
    let (mut time, mut spreading) = (0.0_f64, 0.0_f64);
    for (a, b) in there.iter().zip(&back) {
        time = time.max((a.time - b.time).abs());
        spreading = spreading.max((a.spreading() / b.spreading() - 1.0).abs());
    }
    Ok(checks! {
        "reciprocity: number of rays", "", there.len() as f64, back.len() as f64, Absolute(0.5);
        "reciprocity: minimum number of rays", "", 2.0, there.len() as f64, MoreThan;
        "reciprocity: largest difference of travel times", "s", 1e-9, time, AtMost;
        "reciprocity: largest difference of spreading", "", 1e-6, spreading, AtMost;
    })
}

// V68: 1e-9 of the frequency, the accuracy of the finite difference of the arrival times; the
// first-order formula leaves v²/c².
pub(crate) fn shift(_: &ReferenceData) -> Result<CaseResult, String> {
    let c = 1500.0;
    let place = |p: Vec3, v: Vec3, t: f64| p + v.scale(t);
    let (p_s, v_s) = (Vec3::new(0.0, 0.0, -10.0), Vec3::new(2.1, -1.3, 0.2));
    let (p_r, v_r) = (Vec3::new(400.0, 150.0, -60.0), Vec3::new(-0.8, 1.7, -0.3));
    // arrival time of a signal sent at `t`
    let arrives = |t: f64| {
        let (mut a, from) = (t, place(p_s, v_s, t));
        for _ in 0..60 {
            a = t + (place(p_r, v_r, a) - from).norm() / c;
        }
        a
    };
    let step = 1e-3;
    let measured = 2.0 * step / (arrives(step) - arrives(-step));
    let way = place(p_r, v_r, arrives(0.0)) - p_s;
    let n = way.scale(1.0 / way.norm());
    let ratio = doppler::frequency_ratio((v_s, n, c), (v_r, n, c));
    let (v, f) = (1.5, 75e3);
    let (ahead, still) = (Vec3::new(1.0, 0.0, 0.0), Vec3::zero());
    let out = doppler::frequency_ratio((ahead.scale(v), ahead, c), (still, ahead, c));
    let echo = out * doppler::frequency_ratio((still, -ahead, c), (ahead.scale(v), -ahead, c));
    Ok(CaseResult::new(checks! {
        "both moving: received / transmitted frequency", "", measured, ratio, Absolute(1e-9);
        "echo at 1.5 m/s, 75 kHz: 2vf/c", "Hz", 2.0 * v * f / c, (echo - 1.0) * f,
            Relative(1.1 * v / c);
        "echo frequency ratio, (c+v)/(c-v)", "", (c + v) / (c - v), echo, Relative(1e-14);
    }))
}

// V69: pressure to 1e-6 of the direct path, nulls to 1 mm of depth.
pub(crate) fn mirror(_: &ReferenceData) -> Result<CaseResult, String> {
    let (c, f, zs, range) = (1500.0, 1000.0, 10.0, 300.0);
    let guide = water(&[[0.0, c]], 2000.0)?;
    let size = |z: f64| {
        let [re, im] = interference::pressure(&eigenrays(&guide, zs, z, range, 1), f, 0.0);
        libm::hypot(re, im)
    };
    let image = |z: f64| {
        let [near, far] = [z - zs, z + zs].map(|h| libm::hypot(range, h));
        let (k, cycles) = (TAU * f / c, far - near);
        let (a, b) = (1.0 / near, 1.0 / far);
        libm::sqrt(a * a + b * b - 2.0 * a * b * libm::cos(k * cycles))
    };
    let mut worst = 0.0_f64;
    for k in 1..60 {
        let z = 3.1 * f64::from(k);
        worst = worst.max((size(z) - image(z)).abs() * libm::hypot(range, z - zs));
    }
    let mut checks = checks! {
        "largest error of the pressure, relative to the direct path", "", 1e-6, worst, AtMost;
    };
    for n in 1..=3 {
        // where the path lengths differ by n wavelengths: a hyperbola about source and image
        let a = 0.5 * f64::from(n) * c / f;
        let null = a * libm::sqrt(1.0 + range * range / (zs * zs - a * a));
        checks.extend(checks! {
            format!("depth of null {n}"), "m", null, find_minimum(&size, null), Absolute(1e-3);
        });
    }
    Ok(CaseResult::new(checks))
}

/// Returns the position of the minimum of `size` near `about`, by golden-section search.
fn find_minimum(size: &impl Fn(f64) -> f64, about: f64) -> f64 {
    let part = 0.5 * (libm::sqrt(5.0) - 1.0);
    let (mut a, mut b) = (about - 1.7, about + 2.0);
    for _ in 0..40 {
        let (x, y) = (b - part * (b - a), a + part * (b - a));
        if size(x) < size(y) { b = y } else { a = x }
    }
    0.5 * (a + b)
}
