//! Acoustic multipath: reflections at a wave-rough surface and at the seabed.
//!
//! # Law
//! ```text
//!   z' = -z  (surface),   z' = 2 z_b - z  (seabed)                              (1)  image of the source
//!   C_i = √(g_i/A_i) (-ρ_s)^s (R ρ_b)^b (-i)^q                                  (2)  [Jensen 2011, ch. 3]
//!   ρ = e^(-2 k² h² sin² φ)                                                     (3)  [Eckart 1953]
//!   P = Σ |C_i|² + 2 Σ_{i<j} Re(C_i C_j* e^(2πi f (t_i - t_j))) sinc(B (t_i - t_j))   (4)
//! ```
//! (4) is the squared pressure of a signal with a flat spectrum, averaged over the band. It is the
//! interference pattern of a tone (Lloyd mirror) for a narrow band and the sum of the powers for a
//! wide band. Paths that arrive after the maximum delay of the receiver add their powers to the
//! noise.
//!
//! # Symbols
//! z height of the source, z_b of the seabed, z' of an image · C_i amplitude of path i at 1 Pa at 1
//! m, t_i its travel time, g_i its directivity and absorption, A_i its spreading, s, b, q its
//! numbers of reflections at the surface and at the seabed and of caustics · R reflection
//! coefficient of the seabed (`crates/sensors/src/sonar/reflection.rs`) · φ grazing angle · k wave
//! number · h standard deviation of the height of surface or seabed, ρ the coherent part · f centre
//! and B width of the band · sinc(x) = sin(πx)/(πx).
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - The surface is the plane z = 0 with the roughness of the waves. The seabed is a level plane at
//!   the height of the terrain below the midpoint of the path.
//! - Straight paths use the mean speed of sound and absorption of the direct path. Refracted paths
//!   are eigenrays (`crates/environment/src/sound/eigenray.rs`).
//! - Sound that a rough boundary scatters is lost; fading (`fading.rs`) represents it.
//! - Reflected paths are computed for the positions of the ends at the arrival of the direct path.
//!
//! # Checked by
//! crates/comms/tests/multipath.rs; V69

use crate::channel::acoustic::both_gain_levels;
use crate::channel::complex::Complex;
use crate::channel::{Arrival, End};
use merrow_environment::sound::eigenray::visit_eigenrays_between;
use merrow_environment::sound::ray::Ray;
use merrow_math::Vec3;
use merrow_math::decibels::power;
use merrow_math::real::sin_cos;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::Multipath;
use merrow_model::scene::robot::collision::Ground;
use merrow_sensors::acoustic::path::{AcousticMedium, AcousticPath, power_of_length};
use merrow_sensors::sonar::backscatter::coherent_reflection;
use merrow_sensors::sonar::reflection::seabed_coefficient;
use std::f64::consts::{PI, TAU};

/// Maximum number of paths: the direct path, and two paths for each number of reflections up to
/// four. Further eigenrays are neglected.
const MAX_PATHS: usize = 9;

/// Surface and seabed that reflect sound.
#[derive(Clone, Copy, Debug)]
pub struct Boundaries<'a> {
    /// Height of the seabed below the midpoint of the path [m].
    pub seabed_z: f64,
    /// Acoustic properties of the seabed.
    pub ground: &'a Ground,
    /// Standard deviation of the surface height [m].
    pub wave_height: f64,
    /// Density [kg/m³] and speed of sound [m/s] of the water at the seabed.
    pub water: [f64; 2],
    /// Centre and width of the band [Hz].
    pub band: [f64; 2],
}

/// Path with its complex amplitude.
#[derive(Clone, Copy, Debug, Default)]
struct PathAmplitude {
    time: f64,
    amplitude: Complex,
}

/// Paths of a link, at most [`MAX_PATHS`].
#[derive(Default)]
struct Paths {
    all: [PathAmplitude; MAX_PATHS],
    n: usize,
}

impl Paths {
    fn push(&mut self, time: f64, amplitude: Complex) {
        if self.n < MAX_PATHS {
            self.all[self.n] = PathAmplitude { time, amplitude };
            self.n += 1;
        }
    }

    /// Inserts a path in order of arrival. The latest path is dropped if there are too many.
    fn insert(&mut self, time: f64, amplitude: Complex) {
        let place = self.all[..self.n].partition_point(|path| path.time <= time);
        if place == MAX_PATHS {
            return;
        }
        self.n = (self.n + 1).min(MAX_PATHS);
        self.all[place..self.n].rotate_right(1);
        self.all[place] = PathAmplitude { time, amplitude };
    }
}

impl Boundaries<'_> {
    /// Returns the reflection factor of a path with the given numbers of reflections at surface and
    /// seabed and the sine `sine` of its grazing angle. (2), (3)
    fn reflection(&self, [surface, bottom]: [u32; 2], sine: f64, caustics: u32) -> Complex {
        let wave_number = TAU * self.band[0] / self.water[1];
        let rough = |h: f64| match h {
            0.0 => 1.0,
            _ => coherent_reflection(sine, wave_number, h).sqrt(),
        };
        let mut factor = Complex::new(1.0, 0.0);
        if surface > 0 {
            let from_surface = Complex::new(-rough(self.wave_height), 0.0);
            for _ in 0..surface {
                factor = factor * from_surface;
            }
        }
        if bottom > 0 {
            let [re, im] = seabed_coefficient(self.ground, sine, self.water);
            let from_bottom = Complex::new(re, im).scale(rough(self.ground.roughness_m));
            for _ in 0..bottom {
                factor = factor * from_bottom;
            }
        }
        for _ in 0..caustics % 4 {
            factor = factor * Complex::new(0.0, -1.0);
        }
        factor
    }
}

/// Adds reflected paths to the direct `arrival` along `path`. (1) to (4)
pub(crate) fn add_reflections(
    arrival: &mut Arrival,
    path: &AcousticPath,
    medium: &AcousticMedium<'_>,
    (parameters, boundaries): (&Multipath, &Boundaries<'_>),
    (source, from): (&End, &Transceiver),
    (receiver, to): (&End, &Transceiver),
) {
    let receiver = &End {
        p: receiver.p + receiver.v.scale(path.time),
        ..*receiver
    };
    let ends = ((source, from), (receiver, to));
    let mut paths = Paths::default();
    if medium.refracts {
        push_eigenrays(&mut paths, path, medium, (parameters, boundaries), ends);
    } else {
        let direct = Complex::new(arrival.gain.sqrt(), 0.0);
        paths.push(arrival.time, direct);
        push_images(&mut paths, path, medium, (parameters, boundaries), ends);
    }
    (arrival.gain, arrival.late) = band_average(&paths, parameters.max_delay_s, boundaries.band);
}

type Ends<'a> = ((&'a End, &'a Transceiver), (&'a End, &'a Transceiver));

/// Adds the straight paths, by images of the source. (1), (2)
fn push_images(
    paths: &mut Paths,
    path: &AcousticPath,
    medium: &AcousticMedium<'_>,
    (parameters, boundaries): (&Multipath, &Boundaries<'_>),
    ends: Ends<'_>,
) {
    let (source, receiver) = (ends.0.0, ends.1.0);
    let length = (receiver.p - source.p).norm().max(1e-3);
    let (slowness, loss) = (path.time / length, path.absorption / length);
    for starts_at_surface in [true, false] {
        let (mut z, mut counts) = (source.p.z, [0, 0]);
        for n in 1..=parameters.max_reflections {
            let is_surface = starts_at_surface == (n % 2 == 1);
            z = if is_surface {
                -z
            } else {
                2.0 * boundaries.seabed_z - z
            };
            counts[usize::from(!is_surface)] += 1;
            let image = Vec3::new(source.p.x, source.p.y, z);
            let d = receiver.p - image;
            let l = d.norm().max(1e-3);
            let arrives = d.scale(1.0 / l);
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            let departs = Vec3::new(arrives.x, arrives.y, sign * arrives.z);
            let level = both_gain_levels(ends.0, ends.1, departs, -arrives) - loss * l;
            let gain = power(level) / power_of_length(l, medium.spreading);
            let factor = boundaries.reflection(counts, arrives.z.abs(), 0);
            paths.push(l * slowness, factor.scale(gain.sqrt()));
        }
    }
}

/// Adds the refracted paths. (2)
fn push_eigenrays(
    paths: &mut Paths,
    path: &AcousticPath,
    medium: &AcousticMedium<'_>,
    (parameters, boundaries): (&Multipath, &Boundaries<'_>),
    ends: Ends<'_>,
) {
    let (source, receiver) = (ends.0.0, ends.1.0);
    let at = medium.environment;
    let d = receiver.p - source.p;
    let length = d.norm().max(1e-3);
    let level = Vec3::new(d.x, d.y, 0.0).unit().unwrap_or(Vec3::zero());
    let direction = |angle: f64| {
        let (s, c) = sin_cos(angle);
        level.scale(c) - Vec3::new(0.0, 0.0, s)
    };
    let (positions, reflections) = ([source.p, receiver.p], parameters.max_reflections);
    visit_eigenrays_between(
        at.sea,
        at.gravity,
        positions,
        at.time,
        reflections,
        &mut |ray: Ray| {
            let loss = path.absorption / length * ray.length;
            let (departs, arrives) = (direction(ray.launch), direction(ray.angle));
            let level = both_gain_levels(ends.0, ends.1, departs, -arrives) - loss;
            let gain = power(level) / ray.spreading().max(1e-6);
            // by (1) of `ray.rs`, at the seabed; the angle at the surface differs little
            let cosine = (ray.snell * boundaries.water[1]).min(1.0);
            let sine = (1.0 - cosine * cosine).sqrt();
            let factor = boundaries.reflection([ray.surface, ray.bottom], sine, ray.caustics);
            paths.insert(ray.time, factor.scale(gain.sqrt()));
        },
    );
}

/// Returns the power of the paths that arrive up to `max_delay` [s] after the first path, and the
/// power of the later paths. (4)
///
/// Sines and cosines are computed once per path; addition theorems give the sines of differences.
fn band_average(paths: &Paths, max_delay: f64, [frequency, width]: [f64; 2]) -> (f64, f64) {
    let all = &paths.all[..paths.n];
    let first = all.iter().fold(f64::INFINITY, |t, p| t.min(p.time));
    let mut tones = [BandTone::default(); MAX_PATHS];
    let (mut n, mut sum, mut late) = (0, 0.0, 0.0);
    for path in all {
        let delay = path.time - first;
        if delay > max_delay {
            late += path.amplitude.norm_squared();
            continue;
        }
        let cycles = frequency * delay;
        let half_band = PI * width * delay;
        let rotation = Complex::from_polar(1.0, TAU * (cycles - libm::floor(cycles)));
        let new = BandTone {
            half_band,
            sine_cosine: sin_cos(half_band),
            amplitude: path.amplitude * rotation,
        };
        sum += path.amplitude.norm_squared();
        for other in &tones[..n] {
            let [a, b] = [new.amplitude, other.amplitude];
            sum += 2.0 * (a.re * b.re + a.im * b.im) * new.coherence(other);
        }
        tones[n] = new;
        n += 1;
    }
    (sum.max(0.0), late)
}

/// Path with the phase at the centre of the band.
#[derive(Clone, Copy, Default)]
struct BandTone {
    /// Phase of half the bandwidth, πBt [rad], with sine and cosine.
    half_band: f64,
    sine_cosine: (f64, f64),
    amplitude: Complex,
}

impl BandTone {
    /// Returns sinc(B (t - t')) for the times of both paths.
    fn coherence(&self, other: &Self) -> f64 {
        let y = self.half_band - other.half_band;
        // the difference of sines has no accurate digits for small angles
        if y.abs() < 1e-4 {
            return 1.0 - y * y / 6.0;
        }
        let ((s, c), (t, d)) = (self.sine_cosine, other.sine_cosine);
        (s * d - c * t) / y
    }
}
