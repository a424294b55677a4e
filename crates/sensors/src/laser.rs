//! Scanning lasers: echoes of each beam through air, rain, fog and the water surface.
//!
//! # Law
//! ```text
//!   P = (ρ cos θ + π R cos³ θ) e^{-2 σ r}/s²                             (1)
//!   P ≥ ρ_0/r_max²                                                       (2)
//!   σ = 3.912/V (λ/550 nm)^-q + 0.230·1.076 R^0.67/1000                  (3)
//!   q = 1.6 (V > 50 km), 1.3 (V > 6 km), 0.585 V^{1/3} (V in km)
//!   ρ cos θ = F_0/(4 s² cos⁵ θ) e^{-tan² θ/s²},  s² = 0.003 + 0.00512 U  (4)
//!   (1) extended Lambertian target [Wagner 2006, eq. 14; Jelalian 1992], and sheeting [ASTM 2019]
//!   (2) detection threshold of an echo
//!   (3) [Kruse 1962], [Carbonneau 1998]
//!   (4) specular reflection of the surface [Cox and Munk 1954; Bufton 1983]
//! ```
//! A beam splits at the water surface:
//! - (4) returns directly.
//! - The fraction F is reflected specularly and returns an echo of the surface that it hits,
//!   which appears behind the water surface.
//! - The rest is refracted by Snell's law and attenuated by the extinction c of the water.
//!
//! Light returns on the same path, which gives the factors F² and (1 - F)². F is Fresnel's
//! reflectance for unpolarised light. The strongest echo counts.
//!
//! The range of an echo is the optical path of its light at the speed of light in air. In (1) s is
//! r in one medium. It is n t + d for light that travels t in air and d under water, because the
//! beam is narrower there and the returning light spreads when it leaves the water.
//!
//! A beam with divergence is five rays: one in the centre and four at 0.7 of half its angle. Echoes
//! within one pulse length merge into one, at their mean distance weighted by P.
//!
//! A tilt unit rotates the laser about y at a constant speed, back and forth, during the scan.
//!
//! # Symbols
//! P power divided by the power from a white surface at normal incidence at 1 m · ρ reflectivity,
//! ρ_0 reflectivity of a target that is just detected at r_max · R in (1) coefficient of
//! retro-reflection at normal incidence [cd/(lx m²)] · θ angle of incidence · r distance [m] · σ
//! extinction of air [1/m] · V visibility [km] · λ wavelength · R in (3) rain rate [mm/h] · U wind
//! speed [m/s] · s² in (4) mean square slope · F_0 = 0.02.
//!
//! # Frames
//! Beams are in S at the instant of the sample. During the scan S moves on with the velocity of
//! that instant.
//!
//! # Limits
//! - All other objects are stationary during a scan.
//! - Waves are frozen at the instant of the sample.
//! - A beam crosses the surface at most once.
//! - Rain, fog and spray give no echoes; they only attenuate the echoes of other targets.
//! - Sunlight does not affect the receiver.
//!
//! # Checked by
//! test/sensors/laser.rs, test/determinism/frames.rs

use crate::cost::{CostSite, reaches_surface};
use crate::exteroceptive::{EchoThreshold, Observation, Observe, SensorEcho};
use crate::noise::quantise;
use crate::ray_scene::{RayScene, SurfaceHit};
use crate::sample::SampleErrors;
use crate::wave_clipmap::WaveSurfaceRays;
use arrayvec::ArrayVec;
use merrow_environment::{air, surface};
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sea::air::Weather;
use merrow_model::sensor::laser::{LaserOutput, LaserSpec, Point, Scan};
use merrow_model::state::frames::FrameData;
use merrow_raytrace::Ray;
use std::ops::Range;

/// Refractive index of water.
const WATER_INDEX: f64 = 1.33;
/// Reflectance of the water surface at normal incidence.
const NORMAL_REFLECTANCE: f64 = 0.02;
/// Angle of the outer rays of a beam, over half the beam angle.
const OUTER_RAY_FRACTION: f64 = 0.7;

/// Columns that are traced together, ring by ring, so that consecutive rays have nearly the same
/// direction.
const COLUMNS_PER_GROUP: usize = 8;
/// Fraction of a ray's share of the detection threshold from which an approximate echo is
/// recomputed with the exact wave surface.
const REFINEMENT_FRACTION: f64 = 0.5;

/// Echo of a beam: half of the optical path there and back [m], and its power. (1)
#[derive(Clone, Copy, Debug)]
struct Echo {
    path: f64,
    power: f64,
}

/// Echoes of one beam.
#[derive(Default)]
struct Echoes(ArrayVec<Echo, 15>);

/// Adds the range of an echo (range [m], power) and its intensity to a scan.
fn add_range(spec: &LaserSpec, echo: Option<(f64, f64)>, scan: &mut Scan) {
    let (range, intensity) = match echo.map(|(r, p)| (clip_range(spec, r), p * r * r)) {
        Some((range, intensity)) if range.is_finite() => (range, intensity),
        Some((range, _)) => (range, 0.0),
        None => (f64::INFINITY, 0.0),
    };
    scan.ranges.push(range as f32);
    scan.intensities.push(intensity as f32);
}

/// Returns the point of an echo (range [m], power) of a column and ring, if its range is within the
/// limits.
fn echo_point(
    spec: &LaserSpec,
    column: usize,
    ring: usize,
    echo: Option<(f64, f64)>,
) -> Option<Point> {
    let (r, power) = echo?;
    if !clip_range(spec, r).is_finite() {
        return None;
    }
    let rings = spec.elevations.len();
    let p = spec.directions[column * rings + ring].scale(r).to_array();
    Some(Point {
        p: p.map(|x| x as f32),
        intensity: (power * r * r) as f32,
        time: spec.firing_time(column) as f32,
        ring: ring as u16,
    })
}

/// Adds the errors of the instrument and of faults to a range [m], and rounds it to the resolution.
fn measured_range(spec: &LaserSpec, range: f64, errors: &SampleErrors, draw: &mut Draw) -> f64 {
    let mut range = range + errors.fault.offset;
    if errors.fault.noise > 0.0 {
        range += errors.fault.noise * draw.normal();
    }
    if errors.noise && spec.ranging.range_std_m > 0.0 {
        range += spec.ranging.range_std_m * draw.normal();
    }
    quantise(range, spec.ranging.resolution_m)
}

/// Replaces a range [m] outside the limits by -inf or +inf, as in REP-117.
fn clip_range(spec: &LaserSpec, range: f64) -> f64 {
    match range {
        r if r < spec.ranging.min_range_m => f64::NEG_INFINITY,
        r if r > spec.ranging.max_range_m => f64::INFINITY,
        r => r,
    }
}

/// Computes the extinction of air [1/m] at the `wavelength` [m]. (3)
pub fn extinction(weather: &Weather, wavelength: f64) -> f64 {
    let km = weather.visibility_m / 1000.0;
    let q = match km {
        v if v > 50.0 => 1.6,
        v if v > 6.0 => 1.3,
        v => 0.585 * libm::cbrt(v),
    };
    let haze = 3.912 / weather.visibility_m * libm::pow(wavelength / 550e-9, -q);
    let rain = if weather.rain_mm_h > 0.0 {
        1.076 * libm::pow(weather.rain_mm_h, 0.67)
    } else {
        0.0
    };
    // Converts decibels per kilometre to nepers per metre.
    haze + rain * std::f64::consts::LN_10 / 10.0 / 1000.0
}

impl Observe for LaserSpec {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        let (ray_scene, environment) = (sample.ray_scenes.visual(), sample.environment);
        let (pose, errors, ranging) = (sample.pose, sample.errors, &self.ranging);
        let weather = air::weather(&environment.sea.air, environment.time);
        let parts = rays_per_beam(self);
        let ray_count = self.directions.len() * parts;
        let beams = Beams {
            spec: self,
            ray_scene,
            water: WaveSurfaceRays::new(environment, pose.p_WS, ranging.max_range_m, ray_count),
            skip: ray_scene.shapes_of(pose.robot),
            extinction: extinction(&weather, 1e-6 * self.ranging.wavelength_um),
            slope_variance: surface::mean_square_slope(weather.wind.norm()),
            min_power: ranging.reference_reflectivity / (ranging.max_range_m * ranging.max_range_m),
        };
        let rings = self.elevations.len();
        let (mut scan, mut cloud) = (Scan::default(), Vec::new());
        let mut columns = Vec::with_capacity(COLUMNS_PER_GROUP);
        let (mut rays, mut hits) = (Vec::new(), Vec::new());
        for first in (0..self.columns).step_by(COLUMNS_PER_GROUP) {
            columns.clear();
            let group = first..self.columns.min(first + COLUMNS_PER_GROUP);
            columns.extend(group.map(|column| Column::new(self, sample, column)));
            beams.rays(&columns, first, &mut rays);
            ray_scene.first_hits(&beams.skip, &rays, &mut hits);
            for (k, column) in columns.iter().enumerate() {
                let number = first + k;
                // independent of the columns before it
                let mut draw = errors.draw(number as u64);
                for ring in 0..rings {
                    let start = (ring * columns.len() + k) * parts;
                    let beam = start..start + parts;
                    let echo = beams.strongest_echo(column.wet, &rays[beam.clone()], &hits[beam]);
                    let echo = echo.map(|echo| {
                        let range = measured_range(self, echo.path, errors, &mut draw);
                        (range, echo.power)
                    });
                    let echo = echo.filter(|_| {
                        !(errors.noise
                            && ranging.beam_loss > 0.0
                            && draw.uniform() < ranging.beam_loss)
                    });
                    match self.output {
                        LaserOutput::Scan => add_range(self, echo, &mut scan),
                        LaserOutput::Cloud => cloud.extend(echo_point(self, number, ring, echo)),
                    }
                }
            }
        }
        match self.output {
            LaserOutput::Scan => FrameData::Scan(scan),
            LaserOutput::Cloud => FrameData::Cloud(cloud),
        }
    }

    fn cost(&self, site: &CostSite<'_>) -> f64 {
        let (world, z) = (site.world, site.z);
        let rays = (self.directions.len() * rays_per_beam(self)) as f64;
        if z < 0.0 {
            // rays that reach the surface from below are lost
            return rays * world.ray();
        }
        // for a tilting laser: both end positions and their mean
        let tilts = self.tilt.map_or([0.0; 3], |tilt| {
            let [low, high] = tilt.limits;
            [low, 0.5 * (low + high), high]
        });
        let wet = |tilt: f64| {
            let R = site.R_WS.mul_mat(&Mat3::from_rpy(0.0, tilt, 0.0));
            let reaches =
                |d: &&Vec3| reaches_surface(R.mul_vec(**d).z, z, self.ranging.max_range_m);
            self.directions.iter().filter(reaches).count() as f64
        };
        let part = tilts.map(wet).iter().sum::<f64>() / (3.0 * self.directions.len() as f64);
        // two more rays from the surface: reflected and refracted
        rays * world.ray() * (1.0 + 2.0 * part) + world.surface(rays, part * rays)
    }

    fn echoes(&self, data: &FrameData, stamp_ns: u64, _: &EchoThreshold) -> Vec<SensorEcho> {
        match data {
            FrameData::Scan(scan) => {
                let echo = |(k, range): (usize, &f32)| {
                    let is_echo = range.is_finite();
                    is_echo.then(|| (self.echo_position(k, f64::from(*range), stamp_ns), 0.0))
                };
                scan.ranges.iter().enumerate().filter_map(echo).collect()
            }
            FrameData::Cloud(points) => points
                .iter()
                .map(|p| (Vec3::from(p.p.map(f64::from)), 0.0))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Converts a planar scan that began at `stamp_ns` [ns] to points in the axes of its sensor, or of
/// the tilt mount, at the time of the scan. `ring` is the ring number of all points.
pub fn scan_points(spec: &LaserSpec, scan: &Scan, stamp_ns: u64, ring: u16) -> Vec<Point> {
    let echoes = scan
        .ranges
        .iter()
        .zip(&scan.intensities)
        .enumerate()
        .filter(|(_, (r, _))| r.is_finite());
    let point = |(k, (range, intensity)): (usize, (&f32, &f32))| {
        let p = spec
            .echo_position(k, f64::from(*range), stamp_ns)
            .to_array()
            .map(|x| x as f32);
        Point {
            p,
            intensity: *intensity,
            time: spec.firing_time(k) as f32,
            ring,
        }
    };
    echoes.map(point).collect()
}

/// Returns the number of rays of a beam: five with divergence, else one.
fn rays_per_beam(spec: &LaserSpec) -> usize {
    if spec.divergence() > 0.0 { 5 } else { 1 }
}

/// Origin and orientation of the beams of one column.
struct Column {
    R_WS: Mat3,
    p_WS: Vec3,
    /// True if the origin is under water.
    wet: bool,
}

impl Column {
    fn new(spec: &LaserSpec, sample: &Observation<'_>, column: usize) -> Self {
        let time = spec.firing_time(column);
        let (R_WS, p_WS) = sample.pose.extrapolate(time);
        let now_ns = sample.view.time_ns + (time * 1e9) as u64;
        let tilt = spec.tilt.map(|tilt| tilt.axes(now_ns));
        let R_WS = tilt.map_or(R_WS, |tilt| R_WS.mul_mat(&tilt));
        // Computed once for all beams of a column. Far below the surface the waves are not
        // evaluated, because they would cost more than the rays.
        Self {
            R_WS,
            p_WS,
            wet: sample
                .environment
                .approximate_height_above_surface(p_WS, 0.0)
                < 0.0,
        }
    }
}

/// Data that all beams of a scan share.
struct Beams<'a> {
    spec: &'a LaserSpec,
    ray_scene: &'a RayScene,
    water: WaveSurfaceRays<'a>,
    /// Index range of the shapes of the laser's own robot.
    skip: Range<u32>,
    extinction: f64,
    /// Mean square slope s² of the water surface.
    slope_variance: f64,
    /// Minimum detectable power. (2)
    min_power: f64,
}

impl Beams<'_> {
    /// Generates the rays of all beams of some columns, ring by ring: one or five per beam.
    fn rays(&self, columns: &[Column], first: usize, rays: &mut Vec<Ray>) {
        let (spec, rings) = (self.spec, self.spec.elevations.len());
        rays.clear();
        for ring in 0..rings {
            for (k, column) in columns.iter().enumerate() {
                let d_S = spec.directions[(first + k) * rings + ring];
                let range = [0.0, spec.ranging.max_range_m];
                let mut push = |d_S: Vec3| {
                    rays.push(Ray::new(column.p_WS, column.R_WS.mul_vec(d_S), range));
                };
                push(d_S);
                if spec.divergence() == 0.0 {
                    continue;
                }
                let across = d_S.cross(d_S.other_axis());
                let unit = 1.0 / across.norm();
                let offset = 0.5 * OUTER_RAY_FRACTION * spec.divergence();
                for side in [across.scale(unit), d_S.cross(across).scale(unit)] {
                    for sign in [offset, -offset] {
                        let ray = d_S + side.scale(sign);
                        push(ray.scale(1.0 / ray.norm()));
                    }
                }
            }
        }
    }

    /// Returns the strongest echo of a beam, from its rays and their hits; `None` below the
    /// detection threshold.
    fn strongest_echo(&self, wet: bool, rays: &[Ray], hits: &[Option<SurfaceHit>]) -> Option<Echo> {
        let mut echoes = Echoes::default();
        let part = 1.0 / rays.len() as f64;
        for (ray, hit) in rays.iter().zip(hits) {
            self.add_ray_echoes(wet, ray, *hit, part, &mut echoes);
        }
        echoes
            .strongest(self.spec.ranging.pulse_length_m)
            .filter(|echo| echo.power >= self.min_power)
    }

    /// Adds the echoes of one ray, which carries the fraction `part` of the beam.
    fn add_ray_echoes(
        &self,
        wet: bool,
        ray: &Ray,
        hit: Option<SurfaceHit>,
        part: f64,
        echoes: &mut Echoes,
    ) {
        let (p, d, max_distance) = (ray.origin, ray.direction, ray.range[1]);
        if wet {
            // A beam that leaves the water returns no detectable echo.
            if let Some(hit) = hit
                && self.water.crossing(p, d, hit.distance).is_none()
            {
                let depth = self.spec.ranging.water_extinction_per_m * hit.distance;
                echoes.add(
                    hit.distance * WATER_INDEX,
                    part * lambert(&hit, d, hit.distance, depth),
                );
            }
            return;
        }
        let hit_distance = hit.map_or(max_distance, |hit| hit.distance);
        let Some(t) = self.water.crossing(p, d, hit_distance) else {
            if let Some(hit) = hit {
                echoes.add(
                    hit.distance,
                    part * lambert(&hit, d, hit.distance, self.extinction * hit.distance),
                );
            }
            return;
        };
        // First with the approximate surface: most beams that hit water return no detectable echo.
        let q = p + d.scale(t);
        let mut approximate = Echoes::default();
        let n = self.water.normal(q.x, q.y);
        self.add_surface_echoes(ray, t, n, part, &mut approximate);
        let min_power = REFINEMENT_FRACTION * part * self.min_power;
        if approximate.0.iter().any(|echo| echo.power > min_power) {
            let t = self.water.exact().refine_intersection(p, d, t, n);
            let q = p + d.scale(t);
            self.add_surface_echoes(ray, t, self.water.exact().normal(q.x, q.y), part, echoes);
        }
    }

    /// Adds the echoes of a ray that hits the water surface at the distance `t`, where the surface
    /// has the normal `n`.
    fn add_surface_echoes(&self, ray: &Ray, t: f64, n: Vec3, part: f64, echoes: &mut Echoes) {
        let (p, d, max_distance) = (ray.origin, ray.direction, ray.range[1]);
        let cosine = -n.dot(d);
        if cosine <= 1e-6 {
            return;
        }
        let q = p + d.scale(t);
        let trace = |d: Vec3, max_distance: f64| {
            let (skip, from) = (self.skip.clone(), q + d.scale(1e-6));
            self.ray_scene.first_hit(skip, from, d, [0.0, max_distance])
        };
        let air_depth = self.extinction * t;
        echoes.add(
            t,
            part * self.surface_reflectivity(-d.z) * libm::exp(-2.0 * air_depth)
                / (t * t).max(1e-12),
        );
        let (F, refracted) = refract(d, n, cosine);
        let reflected = d + n.scale(2.0 * cosine);
        if let Some(hit) = trace(reflected, max_distance - t) {
            let path = t + hit.distance;
            echoes.add(
                path,
                part * F * F * lambert(&hit, reflected, path, self.extinction * path),
            );
        }
        // Light that is attenuated to 1e-4 after the two-way path is not detectable.
        let max_depth = (4.6 / self.spec.ranging.water_extinction_per_m.max(1e-9))
            .min((max_distance - t) / WATER_INDEX);
        if let Some(hit) = trace(refracted, max_depth) {
            let path = t + WATER_INDEX * hit.distance;
            let depth = air_depth + self.spec.ranging.water_extinction_per_m * hit.distance;
            let spread = WATER_INDEX * t + hit.distance;
            echoes.add(
                path,
                part * (1.0 - F) * (1.0 - F) * lambert(&hit, refracted, spread, depth),
            );
        }
    }

    /// Returns the reflectivity (4), from the downward component of the beam.
    fn surface_reflectivity(&self, cosine: f64) -> f64 {
        if cosine <= 0.0 {
            return 0.0;
        }
        let c2 = cosine * cosine;
        let tan2 = (1.0 - c2).max(0.0) / c2;
        NORMAL_REFLECTANCE / (4.0 * self.slope_variance * c2 * c2 * cosine)
            * libm::exp(-tan2 / self.slope_variance)
    }
}

/// Returns the power (1) of a hit, from the length s over which the light spreads [m] and the
/// one-way optical depth.
fn lambert(hit: &SurfaceHit, d: Vec3, spread: f64, depth: f64) -> f64 {
    let cosine = (-hit.normal.dot(d)).max(0.0);
    // Under an illuminance of 1 across the beam, sheeting has the luminance R cos⁴ θ/cos θ and
    // white paint cos θ/π.
    let reflected_part = hit.material.reflectivity * cosine
        + std::f64::consts::PI
            * hit.material.retro_reflection_cd_per_lx_m2
            * cosine
            * cosine
            * cosine;
    reflected_part * libm::exp(-2.0 * depth) / (spread * spread).max(1e-12)
}

/// Returns the Fresnel reflectance of the surface with the upward normal `n` for light from above
/// along `d`, and the direction of the refracted light.
fn refract(d: Vec3, n: Vec3, cosine: f64) -> (f64, Vec3) {
    let k = 1.0 / WATER_INDEX;
    let (F, refracted_cosine) = surface::fresnel_reflectance(cosine, WATER_INDEX);
    (F, d.scale(k) + n.scale(k * cosine - refracted_cosine))
}

impl Echoes {
    fn add(&mut self, path: f64, power: f64) {
        if power > 0.0 {
            // five rays have at most three echoes each
            let _ = self.0.try_push(Echo { path, power });
        }
    }

    /// Merges echoes within one pulse length and returns the strongest result.
    fn strongest(&mut self, pulse: f64) -> Option<Echo> {
        self.0.sort_by(|a, b| a.path.total_cmp(&b.path));
        let mut best: Option<Echo> = None;
        for group in self.0.chunk_by(|a, b| b.path - a.path <= pulse) {
            let power: f64 = group.iter().map(|e| e.power).sum();
            let path = group.iter().map(|e| e.path * e.power).sum::<f64>() / power;
            if best.is_none_or(|best| power > best.power) {
                best = Some(Echo { path, power });
            }
        }
        best
    }
}
