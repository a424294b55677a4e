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
use crate::channel::complex::polar;
use crate::channel::{Arrival, End, Ends};
use arrayvec::ArrayVec;
use merrow_environment::sound::eigenray::visit_eigenrays_between;
use merrow_environment::sound::ray::Ray;
use merrow_math::Vec3;
use merrow_math::decibels::power;
use merrow_math::real::sin_cos;
use merrow_model::scene::comms::medium::Multipath;
use merrow_model::scene::robot::collision::Ground;
use merrow_sensors::acoustic::path::{
    AcousticMedium, AcousticPath, power_of_length, ray_direction,
};
use merrow_sensors::sonar::backscatter::coherent_reflection;
use merrow_sensors::sonar::reflection::seabed_coefficient;
use num_complex::Complex64;
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
#[derive(Clone, Copy, Debug)]
struct PathAmplitude {
    time: f64,
    amplitude: Complex64,
}

/// Paths of a link.
type Paths = ArrayVec<PathAmplitude, MAX_PATHS>;

/// Inserts a path in order of arrival. The latest path is dropped if there are too many.
fn insert(paths: &mut Paths, path: PathAmplitude) {
    let place = paths.partition_point(|other| other.time <= path.time);
    if place < MAX_PATHS {
        if paths.is_full() {
            paths.pop();
        }
        paths.insert(place, path);
    }
}

/// Link with its direct path and the boundaries that reflect its signals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    /// Direct path.
    pub path: &'a AcousticPath,
    /// Water of the link.
    pub medium: &'a AcousticMedium<'a>,
    /// Keys of the law.
    pub parameters: &'a Multipath,
    /// Surface and seabed.
    pub boundaries: Boundaries<'a>,
    /// Transmitter and receiver.
    pub ends: Ends<'a>,
}

impl Boundaries<'_> {
    /// Returns the reflection factor of a path with the given numbers of reflections at surface and
    /// seabed and the sine `sine` of its grazing angle. (2), (3)
    fn reflection(&self, [surface, bottom]: [u32; 2], sine: f64, caustics: u32) -> Complex64 {
        let wave_number = TAU * self.band[0] / self.water[1];
        let rough = |h: f64| match h {
            0.0 => 1.0,
            _ => coherent_reflection(sine, wave_number, h).sqrt(),
        };
        let mut factor = Complex64::new(1.0, 0.0);
        if surface > 0 {
            let from_surface = Complex64::new(-rough(self.wave_height), 0.0);
            for _ in 0..surface {
                factor *= from_surface;
            }
        }
        if bottom > 0 {
            let [re, im] = seabed_coefficient(self.ground, sine, self.water);
            let from_bottom = Complex64::new(re, im).scale(rough(self.ground.roughness_m));
            for _ in 0..bottom {
                factor *= from_bottom;
            }
        }
        for _ in 0..caustics % 4 {
            factor *= Complex64::new(0.0, -1.0);
        }
        factor
    }
}

impl Link<'_> {
    /// Adds reflected paths to the direct `arrival`. (1) to (4)
    pub(crate) fn add_reflections(&self, arrival: &mut Arrival) {
        let [source, (receiver, listener)] = self.ends;
        let receiver = &End {
            p: receiver.p + receiver.v.scale(self.path.time),
            ..*receiver
        };
        let link = Link {
            ends: [source, (receiver, listener)],
            ..*self
        };
        let mut paths = Paths::new();
        if self.medium.refracts {
            link.add_eigenrays(&mut paths);
        } else {
            paths.push(PathAmplitude {
                time: arrival.time,
                amplitude: Complex64::new(arrival.gain.sqrt(), 0.0),
            });
            link.add_images(&mut paths);
        }
        let (max_delay, band) = (self.parameters.max_delay_s, self.boundaries.band);
        (arrival.gain, arrival.late) = band_average(&paths, max_delay, band);
    }

    /// Adds the straight paths, by images of the source. (1), (2)
    fn add_images(&self, paths: &mut Paths) {
        let (path, boundaries) = (self.path, &self.boundaries);
        let [source, receiver] = self.ends.map(|(end, _)| end.p);
        let length = (receiver - source).norm().max(1e-3);
        let (slowness, loss) = (path.time / length, path.absorption / length);
        for starts_at_surface in [true, false] {
            let (mut z, mut counts) = (source.z, [0, 0]);
            for n in 1..=self.parameters.max_reflections {
                let is_surface = starts_at_surface == (n % 2 == 1);
                z = if is_surface {
                    -z
                } else {
                    2.0 * boundaries.seabed_z - z
                };
                counts[usize::from(!is_surface)] += 1;
                let d = receiver - Vec3::new(source.x, source.y, z);
                let l = d.norm().max(1e-3);
                let arrives = d.scale(1.0 / l);
                let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
                let departs = Vec3::new(arrives.x, arrives.y, sign * arrives.z);
                let level = both_gain_levels(self.ends, departs, -arrives) - loss * l;
                let gain = power(level) / power_of_length(l, self.medium.spreading);
                let factor = boundaries.reflection(counts, arrives.z.abs(), 0);
                let path = PathAmplitude {
                    time: l * slowness,
                    amplitude: factor.scale(gain.sqrt()),
                };
                // further images are neglected
                let _ = paths.try_push(path);
            }
        }
    }

    /// Adds the refracted paths. (2)
    fn add_eigenrays(&self, paths: &mut Paths) {
        let positions = self.ends.map(|(end, _)| end.p);
        let chord = positions[1] - positions[0];
        let loss_per_length = self.path.absorption / chord.norm().max(1e-3);
        let (water, reflections) = (self.medium.environment, self.parameters.max_reflections);
        visit_eigenrays_between(water, positions, reflections, &mut |ray: Ray| {
            let departs = ray_direction(chord, ray.launch);
            let arrives = ray_direction(chord, ray.angle);
            let loss = loss_per_length * ray.length;
            let level = both_gain_levels(self.ends, departs, -arrives) - loss;
            let gain = power(level) / ray.spreading().max(1e-6);
            // by (1) of `ray.rs`, at the seabed; the angle at the surface differs little
            let cosine = (ray.snell * self.boundaries.water[1]).min(1.0);
            let sine = (1.0 - cosine * cosine).sqrt();
            let counts = [ray.surface, ray.bottom];
            let factor = self.boundaries.reflection(counts, sine, ray.caustics);
            let path = PathAmplitude {
                time: ray.time,
                amplitude: factor.scale(gain.sqrt()),
            };
            insert(paths, path);
        });
    }
}

/// Returns the power of the paths that arrive up to `max_delay` [s] after the first path, and the
/// power of the later paths. (4)
///
/// Sines and cosines are computed once per path; addition theorems give the sines of differences.
fn band_average(paths: &Paths, max_delay: f64, [frequency, width]: [f64; 2]) -> (f64, f64) {
    let first = paths.iter().fold(f64::INFINITY, |t, p| t.min(p.time));
    let mut tones = ArrayVec::<BandTone, MAX_PATHS>::new();
    let (mut sum, mut late) = (0.0, 0.0);
    for path in paths {
        let delay = path.time - first;
        if delay > max_delay {
            late += path.amplitude.norm_sqr();
            continue;
        }
        let cycles = frequency * delay;
        let half_band = PI * width * delay;
        let rotation = polar(1.0, TAU * (cycles - libm::floor(cycles)));
        let new = BandTone {
            half_band,
            sine_cosine: sin_cos(half_band),
            amplitude: path.amplitude * rotation,
        };
        sum += path.amplitude.norm_sqr();
        for other in &tones {
            let [a, b] = [new.amplitude, other.amplitude];
            sum += 2.0 * (a.re * b.re + a.im * b.im) * new.coherence(other);
        }
        tones.push(new);
    }
    (sum.max(0.0), late)
}

/// Path with the phase at the centre of the band.
#[derive(Clone, Copy)]
struct BandTone {
    /// Phase of half the bandwidth, πBt [rad], with sine and cosine.
    half_band: f64,
    sine_cosine: (f64, f64),
    amplitude: Complex64,
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
