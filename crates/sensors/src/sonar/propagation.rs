//! Propagation of the rays of a ping: straight, refracted, or specularly reflected. The equations
//! are in `mod.rs`, `arc.rs` and `reflection.rs`.

use crate::ray_scene::{RayScene, SurfaceHit};
use crate::sonar::arc::SoundSpeedProfile;
use crate::sonar::backscatter::{coherent_reflection, material_strength, surface_strength};
use crate::sonar::beam::{pattern, pattern_at_sine};
use crate::sonar::echoes::{AcousticPath, ColumnEchoes, FLAT, FLAT_SHAPE, Patch};
use crate::sonar::medium::Medium;
use crate::sonar::motion::SonarMotion;
use crate::sonar::reflection;
use crate::sonar::targets::SmallTargets;
use crate::wave_clipmap::WaveSurfaceRays;
use merrow_environment::{EnvironmentState, water_column};
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::Backscatter;
use merrow_model::sensor::sonar::SonarSpec;
use std::f64::consts::TAU;

/// Label of the seabed in the ray scene.
const BOTTOM: u16 = 1;
/// Reflected power below which a path is not traced further.
const MIN_PATH_POWER: f64 = 1e-6;
/// Tolerance between a reflection point from the image method and the seabed: a constant [m] and a
/// fraction of the path.
const REFLECTION_POINT_TOLERANCE: [f64; 2] = [0.02, 0.01];

/// Environment of the rays of a ping.
pub(crate) struct PropagationContext<'a> {
    /// Shapes that rays can hit.
    pub ray_scene: &'a RayScene,
    /// Environment state at the ping.
    pub environment: &'a EnvironmentState<'a>,
    /// Speed of sound and absorption along straight paths.
    pub medium: &'a Medium,
    /// Sound speed profile for refracted rays; `None` for straight rays.
    pub layers: Option<SoundSpeedProfile>,
    /// Wind speed over the water [m/s].
    pub wind: f64,
    /// Speed of sound that converts travel times to ranges [m/s].
    pub sound_speed: f64,
}

/// Sonar at the instant of its ping.
pub(crate) struct Transmitter<'a> {
    /// Properties of the sonar.
    pub spec: &'a SonarSpec,
    /// Environment of its rays.
    pub context: &'a PropagationContext<'a>,
    /// Index of the robot that carries the sonar.
    pub robot: usize,
    /// Position of the sonar [m], W.
    pub p: Vec3,
    /// Orientation of S in W.
    pub R_WS: Mat3,
    /// Head angle at the ping [rad].
    pub head: f64,
    /// Motion until the echoes arrive; `None` at rest.
    pub motion: Option<SonarMotion>,
    /// Water surface, for intersection with rays.
    pub surface: WaveSurfaceRays<'a>,
    /// Standard deviation of the surface height [m].
    pub height: f64,
    /// Source power at 1 m [µPa² m²].
    pub source: f64,
}

/// Part of a column of rays around one direction.
#[derive(Clone, Copy)]
struct Cell {
    /// Angles across the fan and out of it [rad].
    angles: [f64; 2],
    /// Widths in these angles [rad].
    widths: [f64; 2],
}

/// Ray along which the sonar receives.
#[derive(Clone, Copy)]
struct Ray {
    d: Vec3,
    /// Unit vectors towards the neighbouring rays perpendicular to the fan and in it, and half the
    /// distance to them.
    sides: [(Vec3, f64); 2],
    /// Direction at the sonar, in S.
    first: Vec3,
    /// Source power at 1 m times the solid angle of the ray, without beam patterns and scattering
    /// strength [µPa² m²].
    strength: f64,
    /// Receive pattern perpendicular to the fan, for the pose at the ping.
    receive_pattern: f64,
    /// Transmit pattern in this direction.
    transmit_pattern: f64,
    /// Solid angle of the ray, weighted with the patterns, for volume reverberation [sr].
    solid_angle: f64,
}

/// Kind of scatterer: water surface or solid material.
#[derive(Clone, Copy)]
enum Scatterer {
    Surface,
    Solid(Backscatter),
}

/// Point that a ray hits.
#[derive(Clone, Copy)]
struct HitPoint {
    /// Distance along the ray [m].
    distance: f64,
    p: Vec3,
    /// Unit normal, on the side from which the ray came.
    n: Vec3,
    scatterer: Scatterer,
    flat: [f64; 2],
    /// Kind of reflection at this point, if it can reflect.
    reflection: Option<PathKind>,
}

/// Kind of path between the sonar and a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathKind {
    Straight,
    Surface,
    Bottom,
}

/// One path between the sonar and a point.
struct TracedPath {
    via: PathKind,
    path: AcousticPath,
    /// Fraction of the power left after a reflection.
    power_fraction: f64,
}

impl TracedPath {
    /// Creates a path without a reflection.
    fn straight(path: AcousticPath) -> Self {
        Self {
            via: PathKind::Straight,
            path,
            power_fraction: 1.0,
        }
    }
}

impl Transmitter<'_> {
    /// Traces the rays of one column at the angle `across` [rad] with the transmit pattern
    /// `across_pattern`, divided at the small shapes `targets`, and adds their echoes to `echoes`.
    pub(crate) fn trace_column(
        &self,
        (across, across_pattern): (f64, f64),
        targets: &SmallTargets,
        echoes: &mut ColumnEchoes,
    ) {
        targets.for_each_part(self.spec, across, |angles, widths| {
            self.trace_cell(&Cell { angles, widths }, across_pattern, echoes);
        });
    }

    /// Traces the ray in the centre of a cell with the transmit pattern `across_pattern`.
    fn trace_cell(&self, cell: &Cell, across_pattern: f64, echoes: &mut ColumnEchoes) {
        let spec = self.spec;
        let ([across, out], [width, height]) = (cell.angles, cell.widths);
        let ((sa, ca), (so, co)) = (sin_cos(across), sin_cos(out));
        let (receive_pattern, transmit_pattern) = (
            pattern(&spec.along[0], out),
            pattern(&spec.along[1], out) * across_pattern,
        );
        let solid_angle = height * width * co;
        let to_world = |a: Vec3| self.R_WS.mul_vec(spec.acoustic_to_sensor(a));
        let first = spec.acoustic_to_sensor(Vec3::new(so, co * sa, co * ca));
        let ray = Ray {
            d: self.R_WS.mul_vec(first),
            first,
            sides: [
                (to_world(Vec3::new(co, -so * sa, -so * ca)), 0.5 * height),
                (to_world(Vec3::new(0.0, ca, -sa)), 0.5 * width * co),
            ],
            strength: self.source * solid_angle,
            receive_pattern,
            transmit_pattern,
            solid_angle: receive_pattern * transmit_pattern * solid_angle,
        };
        echoes.solid_angle += ray.solid_angle;
        match &self.context.layers {
            Some(layers) => self.trace_refracted(layers, &ray, echoes),
            None => self.trace_straight(&ray, echoes),
        }
    }

    /// Returns the first hit of a ray within `max_distance` [m], including the water surface.
    fn first_hit(&self, p: Vec3, d: Vec3, max_distance: f64) -> Option<HitPoint> {
        let (ray_scene, range) = (self.context.ray_scene, [0.0, max_distance]);
        let hit = ray_scene.first_hit(ray_scene.shapes_of(self.robot), p, d, range);
        let reach = hit.map_or(max_distance, |hit| hit.distance);
        if let Some(distance) = self.surface.crossing(p, d, reach) {
            let q = p + d.scale(distance);
            // Normal on the water side.
            let n = self.surface.normal(q.x, q.y).scale(-1.0);
            let reflection = Some(PathKind::Surface);
            return Some(HitPoint {
                distance,
                p: q,
                n,
                scatterer: Scatterer::Surface,
                flat: FLAT,
                reflection,
            });
        }
        hit.map(|hit| Self::hit_point(&hit, p, d))
    }

    fn hit_point(hit: &SurfaceHit, p: Vec3, d: Vec3) -> HitPoint {
        let is_bottom = hit.label == BOTTOM;
        HitPoint {
            distance: hit.distance,
            p: p + d.scale(hit.distance),
            n: hit.normal,
            scatterer: Scatterer::Solid(hit.material.backscatter),
            flat: if is_bottom { FLAT } else { FLAT_SHAPE },
            reflection: is_bottom.then_some(PathKind::Bottom),
        }
    }

    /// Returns the scattering strength of a square metre, as a power, at the sine of the grazing
    /// angle.
    fn strength(&self, scatterer: Scatterer, sine: f64) -> f64 {
        match scatterer {
            Scatterer::Surface => surface_strength(sine, self.spec.frequency(), self.context.wind),
            Scatterer::Solid(material) => material_strength(&material, sine),
        }
    }

    /// Returns the fraction of the power that a point reflects specularly.
    fn reflected_power(&self, point: &HitPoint, sine: f64) -> f64 {
        let slowness = self.context.medium.at_sonar[0];
        let wave_number = TAU * self.spec.frequency() * slowness;
        match point.scatterer {
            Scatterer::Surface => coherent_reflection(sine, wave_number, self.height),
            Scatterer::Solid(material) => {
                let at = self.context.environment;
                let density = water_column::density(at.sea, at.gravity, || point.p, at.time);
                reflection::seabed_reflection(
                    &material.subsurface,
                    sine,
                    [density, 1.0 / slowness],
                    wave_number,
                )
            }
        }
    }

    /// Returns the straight section of a path with the length `r` [m].
    fn straight_path(&self, from: Vec3, to: Vec3, r: f64) -> AcousticPath {
        let [slowness, loss] = self.context.medium.mean_between_heights(from.z, to.z);
        AcousticPath {
            r,
            apparent_length: r * slowness * self.context.sound_speed,
            loss: loss * r,
        } // (4)
    }

    /// Adds the echo of a point on a monostatic path (same outgoing and return path).
    fn add(&self, ray: &Ray, outgoing: &TracedPath, point: &HitPoint, echoes: &mut ColumnEchoes) {
        let sine = -point.n.dot(ray.d);
        if sine > 0.0 {
            let (apparent_length, receive_pattern) =
                self.arrival(ray, &outgoing.path, &outgoing.path);
            let power = ray.strength
                * receive_pattern
                * ray.transmit_pattern
                * outgoing.power_fraction
                * outgoing.power_fraction;
            let path = AcousticPath {
                apparent_length,
                ..outgoing.path
            };
            self.add_patch(
                ray,
                path,
                power * self.strength(point.scatterer, sine),
                point,
                echoes,
            );
        }
    }

    /// Returns the reported range [m] of an echo with these outgoing and return paths, and the
    /// receive pattern perpendicular to the fan at its arrival.
    fn arrival(&self, ray: &Ray, outgoing: &AcousticPath, back: &AcousticPath) -> (f64, f64) {
        let Some(motion) = &self.motion else {
            return (
                0.5 * (outgoing.apparent_length + back.apparent_length),
                ray.receive_pattern,
            );
        };
        let (apparent_length, d) = motion.arrival(
            ray.first,
            outgoing.apparent_length,
            back,
            self.context.sound_speed,
        );
        (
            apparent_length,
            pattern_at_sine(&self.spec.along[0], self.spec.sensor_to_acoustic(d).x),
        )
    }

    /// Returns the change of the angle across the fan [rad] between the ping and the arrival of an
    /// echo from `r` [m], for the direction `across` [rad] at the ping.
    pub(crate) fn shift(&self, across: f64, r: f64) -> f64 {
        let Some(motion) = &self.motion else {
            return 0.0;
        };
        let r = r.max(1.0);
        let path = AcousticPath {
            r,
            apparent_length: r,
            loss: 0.0,
        };
        let (_, d) = motion.arrival(
            self.spec.direction(across, 0.0),
            r,
            &path,
            self.context.sound_speed,
        );
        let a = self.spec.sensor_to_acoustic(d);
        let shift = libm::atan2(a.y, a.z) - across;
        shift - TAU * libm::round(shift / TAU)
    }

    fn add_patch(
        &self,
        ray: &Ray,
        path: AcousticPath,
        power: f64,
        point: &HitPoint,
        echoes: &mut ColumnEchoes,
    ) {
        let patch = Patch {
            d: ray.d,
            sides: ray.sides,
            n: point.n,
            flat: point.flat,
            solid_angle: ray.solid_angle,
        };
        echoes.add(self.spec, &patch, path, power);
    }

    /// Traces a refracted ray in straight sections; it ends at its first hit.
    fn trace_refracted(&self, layers: &SoundSpeedProfile, ray: &Ray, echoes: &mut ColumnEchoes) {
        let (medium, max_distance) = (self.context.medium, self.spec.sonar.max_range_m);
        let (mut p, mut d, mut path) = (self.p, ray.d, AcousticPath::default());
        while max_distance - path.r > 1e-6 * max_distance {
            let section = layers.next_section(p.z, d, [max_distance - path.r, max_distance]);
            let (chord, length) = section.chord(section.arc);
            let hit = self.first_hit(p, chord, length);
            let q = hit.map_or(p + chord.scale(length), |point| point.p);
            let arc = hit.map_or(section.arc, |point| section.arc * (point.distance / length));
            path.r += arc;
            path.apparent_length += section.time(arc) * self.context.sound_speed; // (4)
            path.loss += arc * medium.mean_between_heights(p.z, q.z)[1];
            if let Some(point) = hit {
                let sides = ray
                    .sides
                    .map(|(side, half)| (section.rotate_with_ray(ray.d, chord, side), half));
                let ray = Ray {
                    d: chord,
                    sides,
                    ..*ray
                };
                return self.add(&ray, &TracedPath::straight(path), &point, echoes);
            }
            (p, d) = (q, section.direction(section.arc));
        }
    }

    fn trace_straight(&self, ray: &Ray, echoes: &mut ColumnEchoes) {
        let max_distance = self.spec.sonar.max_range_m;
        let Some(point) = self.first_hit(self.p, ray.d, max_distance) else {
            return;
        };
        let path = self.straight_path(self.p, point.p, point.distance);
        let outgoing = TracedPath::straight(path);
        self.add(ray, &outgoing, &point, echoes);
        if !self.spec.sonar.multipath {
            return;
        }
        self.add_multipath_echoes(ray, &outgoing, &point, echoes);
        let sine = -point.n.dot(ray.d);
        let Some(via) = point.reflection.filter(|_| sine > 1e-6) else {
            return;
        };
        let power_fraction = self.reflected_power(&point, sine);
        if power_fraction < MIN_PATH_POWER {
            return;
        }
        // Continue from the reflection point, as seen from the image of the sonar.
        let reflect = |v: Vec3| v - point.n.scale(2.0 * point.n.dot(v));
        let ray = Ray {
            d: reflect(ray.d),
            sides: ray.sides.map(|(side, half)| (reflect(side), half)),
            solid_angle: 0.0,
            ..*ray
        };
        let from = point.p + point.n.scale(1e-6);
        if let Some(next) = self.first_hit(from, ray.d, max_distance - point.distance) {
            let path = path + self.straight_path(point.p, next.p, next.distance);
            let outgoing = TracedPath {
                via,
                path,
                power_fraction,
            };
            self.add(&ray, &outgoing, &next, echoes);
            self.add_multipath_echoes(&ray, &outgoing, &next, echoes);
        }
    }

    /// Adds the echoes with different outgoing and return paths.
    fn add_multipath_echoes(
        &self,
        ray: &Ray,
        back: &TracedPath,
        point: &HitPoint,
        echoes: &mut ColumnEchoes,
    ) {
        let sine = -point.n.dot(ray.d);
        if sine <= 0.0 || back.power_fraction < MIN_PATH_POWER {
            return;
        }
        for via in [PathKind::Straight, PathKind::Surface, PathKind::Bottom] {
            if via == back.via || point.reflection == Some(via) {
                continue;
            }
            let Some((outgoing, first, incident)) = self.find_path(via, point) else {
                continue;
            };
            let sine_there = -point.n.dot(incident);
            if sine_there <= 1e-6 {
                continue;
            }
            // Bistatic scattering with two grazing angles; with Lambert's law sin φ sin φ'.
            let scattered = (self.strength(point.scatterer, sine)
                * self.strength(point.scatterer, sine_there))
            .sqrt();
            let (apparent_length, receive_pattern) = self.arrival(ray, &outgoing.path, &back.path);
            let power = ray.strength
                * receive_pattern
                * self.transmit_pattern(first)
                * outgoing.power_fraction
                * back.power_fraction
                * scattered;
            let path = AcousticPath {
                r: outgoing.path.r,
                apparent_length,
                loss: 0.5 * (outgoing.path.loss + back.path.loss),
            };
            let ray = Ray {
                solid_angle: 0.0,
                ..*ray
            };
            self.add_patch(&ray, path, power, point, echoes);
        }
    }

    /// Returns the transmit pattern in a direction of W.
    fn transmit_pattern(&self, d: Vec3) -> f64 {
        let a = self.spec.sensor_to_acoustic(self.R_WS.tr_mul_vec(d));
        let across = wrap_angle(libm::atan2(a.y, a.z) - self.head);
        let along = libm::asin(a.x.clamp(-1.0, 1.0));
        pattern(&self.spec.across[1], across) * pattern(&self.spec.along[1], along)
    }

    /// Returns the path from the sonar to a point, with its directions at the sonar and at the
    /// point; `None` if it is blocked.
    fn find_path(&self, via: PathKind, point: &HitPoint) -> Option<(TracedPath, Vec3, Vec3)> {
        let to = point.p + point.n.scale(1e-4);
        if via == PathKind::Straight {
            let (d, r) = direction_and_distance(self.p, to)?;
            self.is_clear(to, d.scale(-1.0), r).then_some(())?;
            let path = TracedPath::straight(self.straight_path(self.p, to, r));
            return Some((path, d, d));
        }
        let (m, n, scatterer) = self.reflection_point(via, to)?;
        let ((first, r), (last, rest)) = (
            direction_and_distance(self.p, m)?,
            direction_and_distance(m, to)?,
        );
        let sine = -n.dot(first);
        let point = HitPoint {
            distance: r,
            p: m,
            n,
            scatterer,
            flat: FLAT,
            reflection: Some(via),
        };
        let power_fraction = self.reflected_power(&point, sine);
        let is_open = power_fraction >= MIN_PATH_POWER
            && self.is_clear(m, first.scale(-1.0), r)
            && self.is_clear(m, last, rest);
        let path = self.straight_path(self.p, m, r) + self.straight_path(m, to, rest);
        let path = TracedPath {
            via,
            path,
            power_fraction,
        };
        is_open.then_some((path, first, last))
    }

    /// Returns the reflection point between the sonar and `to`, the normal on the water side, and
    /// the material.
    fn reflection_point(&self, via: PathKind, to: Vec3) -> Option<(Vec3, Vec3, Scatterer)> {
        let (at, ray_scene) = (self.context.environment, self.context.ray_scene);
        let up = Vec3::new(0.0, 0.0, 1.0);
        if via == PathKind::Surface {
            let midpoint = Vec3::new(0.5 * (self.p.x + to.x), 0.5 * (self.p.y + to.y), 0.0);
            let level = midpoint - up.scale(at.height_above_surface(midpoint));
            let n = up.scale(-1.0);
            return reflection::reflection_point(self.p, to, level, n)
                .map(|m| (m, n, Scatterer::Surface));
        }
        let seabed = &at.sea.seabed;
        let mut m = (self.p + to).scale(0.5);
        let mut n = up;
        for _ in 0..3 {
            n = seabed.normal(m.x, m.y);
            m = reflection::reflection_point(
                self.p,
                to,
                Vec3::new(m.x, m.y, seabed.height(m.x, m.y)),
                n,
            )?;
        }
        // The ray must hit the seabed near the reflection point, which also gives its material.
        let (d, r) = direction_and_distance(to, m)?;
        let near = REFLECTION_POINT_TOLERANCE[0] + REFLECTION_POINT_TOLERANCE[1] * r;
        let own = ray_scene.shapes_of(self.robot);
        let hit = ray_scene.first_hit(own, to, d, [0.0, r + near])?;
        let is_there = hit.label == BOTTOM && (hit.distance - r).abs() < near;
        is_there.then_some((m, n, Scatterer::Solid(hit.material.backscatter)))
    }

    /// Returns true if no object blocks a ray from `p` along `d`. Both ends are excluded by a
    /// tolerance.
    fn is_clear(&self, p: Vec3, d: Vec3, max_distance: f64) -> bool {
        let near = (REFLECTION_POINT_TOLERANCE[0] + REFLECTION_POINT_TOLERANCE[1] * max_distance)
            .min(0.4 * max_distance);
        let (ray_scene, range) = (self.context.ray_scene, [near, max_distance - near]);
        let own = ray_scene.shapes_of(self.robot);
        ray_scene.first_hit(own, p, d, range).is_none()
    }
}

/// Returns the unit vector and distance from `a` to `b`; `None` if they are closer than 1 mm.
fn direction_and_distance(a: Vec3, b: Vec3) -> Option<(Vec3, f64)> {
    let r = (b - a).norm();
    (r > 1e-3).then(|| ((b - a).scale(1.0 / r), r))
}
