//! Propagation of the rays of a ping: straight, refracted, or specularly reflected. The equations
//! are in `mod.rs`, `arc.rs` and `mirror.rs`.

use crate::ray_scene::{RayScene, SurfaceHit};
use crate::sonar::arc::SoundSpeedProfile;
use crate::sonar::backscatter::{coherent_reflection, material_strength, surface_strength};
use crate::sonar::beam::{pattern, pattern_at_sine};
use crate::sonar::echoes::{AcousticPath, ColumnEchoes, FLAT, FLAT_SHAPE, Patch};
use crate::sonar::medium::Medium;
use crate::sonar::mirror;
use crate::sonar::motion::Motion;
use crate::wave_clipmap::WaveSurfaceRays;
use merrow_environment::{EnvironmentState, water_column};
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::Backscatter;
use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::state::frames::view::WorldView;
use std::f64::consts::TAU;

/// Label of the seabed in the ray scene.
const BOTTOM: u16 = 1;
/// Reflected power below which a path is not traced further.
const LOST: f64 = 1e-6;
/// Tolerance between a reflection point from the image method and the seabed: a constant [m] and a
/// fraction of the path.
const NEAR: [f64; 2] = [0.02, 0.01];

/// Environment of the rays of a ping.
pub struct PropagationContext<'a> {
    /// Shapes that rays can hit.
    pub stage: &'a RayScene,
    /// World view to which the shapes are posed.
    pub view: &'a WorldView,
    /// Environment state at the ping.
    pub at: &'a EnvironmentState<'a>,
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
    pub waters: &'a PropagationContext<'a>,
    /// Index of the robot that carries the sonar.
    pub robot: usize,
    /// Position of the sonar [m], W.
    pub p: Vec3,
    /// Orientation of S in W.
    pub R_WS: Mat3,
    /// Head angle at the ping [rad].
    pub head: f64,
    /// Motion until the echoes arrive; `None` at rest.
    pub motion: Option<Motion>,
    /// Water surface, for intersection with rays.
    pub surface: WaveSurfaceRays<'a>,
    /// Standard deviation of the surface height [m].
    pub height: f64,
    /// Source power at 1 m [µPa² m²].
    pub source: f64,
}

/// Ray along which the sonar receives.
#[derive(Clone, Copy)]
struct Ray {
    d: Vec3,
    /// Unit vectors towards the neighbouring rays out of the fan and across it, and half the
    /// distance to them.
    sides: [(Vec3, f64); 2],
    /// Direction at the sonar, in S.
    first: Vec3,
    /// Source power at 1 m times the solid angle of the ray, without beam patterns and scattering
    /// strength [µPa² m²].
    strength: f64,
    /// Receive pattern out of the fan, for the pose at the ping.
    hears: f64,
    /// Transmit pattern in this direction.
    sent: f64,
    /// Solid angle of the ray, weighted with the patterns, for volume reverberation [sr].
    solid: f64,
}

/// Kind of scatterer: water surface or solid material.
#[derive(Clone, Copy)]
enum Made {
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
    made: Made,
    flat: [f64; 2],
    /// Kind of reflection at this point, if it can reflect.
    mirror: Option<PathKind>,
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
    way: AcousticPath,
    /// Fraction of the power left after a reflection.
    kept: f64,
}

impl Transmitter<'_> {
    /// Traces the rays of one column at the angle `across` [rad] with the transmit pattern `sent`,
    /// and adds their echoes to `line`.
    pub(crate) fn column(&self, across: f64, sent: f64, line: &mut ColumnEchoes) {
        let spec = self.spec;
        let ((sa, ca), half) = (
            sin_cos(across),
            [0.5 * spec.row_step, 0.5 * spec.column_step],
        );
        for row in &spec.rows {
            let (so, co) = sin_cos(*row);
            let (hears, sends) = (
                pattern(&spec.along[0], *row),
                pattern(&spec.along[1], *row) * sent,
            );
            let solid = spec.row_step * spec.column_step * co;
            let to_world = |a: Vec3| self.R_WS.mul_vec(spec.acoustic_to_sensor(a));
            let first = spec.acoustic_to_sensor(Vec3::new(so, co * sa, co * ca));
            let ray = Ray {
                d: self.R_WS.mul_vec(first),
                first,
                sides: [
                    (to_world(Vec3::new(co, -so * sa, -so * ca)), half[0]),
                    (to_world(Vec3::new(0.0, ca, -sa)), half[1] * co),
                ],
                strength: self.source * solid,
                hears,
                sent: sends,
                solid: hears * sends * solid,
            };
            line.seen += ray.solid;
            match &self.waters.layers {
                Some(layers) => self.trace_refracted(layers, &ray, line),
                None => self.trace_straight(&ray, line),
            }
        }
    }

    /// First hit of a ray within `far` [m], including the water surface.
    fn first_hit(&self, p: Vec3, d: Vec3, far: f64) -> Option<HitPoint> {
        let hit =
            self.waters
                .stage
                .first_hit_excluding(self.waters.view, self.robot, p, d, [0.0, far]);
        let reach = hit.map_or(far, |hit| hit.distance);
        if let Some(distance) = self.surface.crossing(p, d, reach) {
            let q = p + d.scale(distance);
            // Normal on the water side.
            let n = self.surface.normal(q.x, q.y).scale(-1.0);
            let mirror = Some(PathKind::Surface);
            return Some(HitPoint {
                distance,
                p: q,
                n,
                made: Made::Surface,
                flat: FLAT,
                mirror,
            });
        }
        hit.map(|hit| Self::solid(&hit, p, d))
    }

    fn solid(hit: &SurfaceHit, p: Vec3, d: Vec3) -> HitPoint {
        let is_bottom = hit.label == BOTTOM;
        HitPoint {
            distance: hit.distance,
            p: p + d.scale(hit.distance),
            n: hit.normal,
            made: Made::Solid(hit.material.backscatter),
            flat: if is_bottom { FLAT } else { FLAT_SHAPE },
            mirror: is_bottom.then_some(PathKind::Bottom),
        }
    }

    /// Scattering strength of a square metre, as a power, at the sine of the grazing angle.
    fn strength(&self, made: Made, sine: f64) -> f64 {
        match made {
            Made::Surface => surface_strength(sine, self.spec.frequency, self.waters.wind),
            Made::Solid(material) => material_strength(&material, sine),
        }
    }

    /// Fraction of the power that a point reflects specularly.
    fn reflected_power(&self, place: &HitPoint, sine: f64) -> f64 {
        let slowness = self.waters.medium.here[0];
        let wave_number = TAU * self.spec.frequency * slowness;
        match place.made {
            Made::Surface => coherent_reflection(sine, wave_number, self.height),
            Made::Solid(material) => {
                let PropagationContext { at, .. } = self.waters;
                let density = water_column::density(at.sea, at.gravity, || place.p, at.time);
                mirror::seabed_reflection(
                    &material.ground,
                    sine,
                    [density, 1.0 / slowness],
                    wave_number,
                )
            }
        }
    }

    /// Straight section of a path with the length `r` [m].
    fn leg(&self, from: Vec3, to: Vec3, r: f64) -> AcousticPath {
        let [slowness, loss] = self.waters.medium.between(from.z, to.z);
        AcousticPath {
            r,
            told: r * slowness * self.waters.sound_speed,
            loss: loss * r,
        } // (4)
    }

    /// Adds the echo of a point to which sound travels on the same path as back.
    fn add(&self, ray: &Ray, gone: &TracedPath, place: &HitPoint, line: &mut ColumnEchoes) {
        let sine = -place.n.dot(ray.d);
        if sine > 0.0 {
            let (told, hears) = self.arrives(ray, &gone.way, &gone.way);
            let power = ray.strength * hears * ray.sent * gone.kept * gone.kept;
            let way = AcousticPath { told, ..gone.way };
            self.add_patch(
                ray,
                way,
                power * self.strength(place.made, sine),
                place,
                line,
            );
        }
    }

    /// Reported range [m] of an echo with these outgoing and return paths, and the receive pattern
    /// out of the fan at its arrival.
    fn arrives(&self, ray: &Ray, there: &AcousticPath, back: &AcousticPath) -> (f64, f64) {
        let Some(motion) = &self.motion else {
            return (0.5 * (there.told + back.told), ray.hears);
        };
        let (told, d) = motion.arrival(ray.first, there.told, back, self.waters.sound_speed);
        (
            told,
            pattern_at_sine(&self.spec.along[0], self.spec.sensor_to_acoustic(d).x),
        )
    }

    /// Change of the angle across the fan [rad] between the ping and the arrival of an echo from
    /// `r` [m], for the direction `across` [rad] at the ping.
    pub(crate) fn shift(&self, across: f64, r: f64) -> f64 {
        let Some(motion) = &self.motion else {
            return 0.0;
        };
        let r = r.max(1.0);
        let way = AcousticPath {
            r,
            told: r,
            loss: 0.0,
        };
        let (_, d) = motion.arrival(
            self.spec.direction(across, 0.0),
            r,
            &way,
            self.waters.sound_speed,
        );
        let a = self.spec.sensor_to_acoustic(d);
        let shift = libm::atan2(a.y, a.z) - across;
        shift - TAU * libm::round(shift / TAU)
    }

    fn add_patch(
        &self,
        ray: &Ray,
        way: AcousticPath,
        power: f64,
        place: &HitPoint,
        line: &mut ColumnEchoes,
    ) {
        let patch = Patch {
            d: ray.d,
            sides: ray.sides,
            n: place.n,
            flat: place.flat,
            solid: ray.solid,
        };
        line.add(self.spec, &patch, way, power);
    }

    /// Traces a refracted ray in straight sections; it ends at its first hit.
    fn trace_refracted(&self, layers: &SoundSpeedProfile, ray: &Ray, line: &mut ColumnEchoes) {
        let (medium, far) = (self.waters.medium, self.spec.limits[1]);
        let (mut p, mut d, mut way) = (
            self.p,
            ray.d,
            AcousticPath {
                r: 0.0,
                told: 0.0,
                loss: 0.0,
            },
        );
        while far - way.r > 1e-6 * far {
            let piece = layers.piece(p.z, d, [far - way.r, far]);
            let (chord, length) = piece.chord(piece.arc);
            let met = self.first_hit(p, chord, length);
            let q = met.map_or(p + chord.scale(length), |place| place.p);
            let arc = met.map_or(piece.arc, |place| piece.arc * (place.distance / length));
            way.r += arc;
            way.told += piece.time(arc) * self.waters.sound_speed; // (4)
            way.loss += arc * medium.between(p.z, q.z)[1];
            if let Some(place) = met {
                let sides = ray
                    .sides
                    .map(|(side, half)| (piece.turned(ray.d, chord, side), half));
                let gone = TracedPath {
                    via: PathKind::Straight,
                    way,
                    kept: 1.0,
                };
                return self.add(
                    &Ray {
                        d: chord,
                        sides,
                        ..*ray
                    },
                    &gone,
                    &place,
                    line,
                );
            }
            (p, d) = (q, piece.direction(piece.arc));
        }
    }

    fn trace_straight(&self, ray: &Ray, line: &mut ColumnEchoes) {
        let far = self.spec.limits[1];
        let Some(place) = self.first_hit(self.p, ray.d, far) else {
            return;
        };
        let way = self.leg(self.p, place.p, place.distance);
        let gone = TracedPath {
            via: PathKind::Straight,
            way,
            kept: 1.0,
        };
        self.add(ray, &gone, &place, line);
        if !self.spec.multipath {
            return;
        }
        self.add_others(ray, &gone, &place, line);
        let sine = -place.n.dot(ray.d);
        let Some(via) = place.mirror.filter(|_| sine > 1e-6) else {
            return;
        };
        let kept = self.reflected_power(&place, sine);
        if kept < LOST {
            return;
        }
        // Continue from the reflection point, as seen from the image of the sonar.
        let turned = |v: Vec3| v - place.n.scale(2.0 * place.n.dot(v));
        let ray = Ray {
            d: turned(ray.d),
            sides: ray.sides.map(|(side, half)| (turned(side), half)),
            solid: 0.0,
            ..*ray
        };
        let from = place.p + place.n.scale(1e-6);
        if let Some(next) = self.first_hit(from, ray.d, far - place.distance) {
            let way = way + self.leg(place.p, next.p, next.distance);
            let gone = TracedPath { via, way, kept };
            self.add(&ray, &gone, &next, line);
            self.add_others(&ray, &gone, &next, line);
        }
    }

    /// Adds the echoes that leave on another path than the one on which they return.
    fn add_others(&self, ray: &Ray, back: &TracedPath, place: &HitPoint, line: &mut ColumnEchoes) {
        let sine = -place.n.dot(ray.d);
        if sine <= 0.0 || back.kept < LOST {
            return;
        }
        for via in [PathKind::Straight, PathKind::Surface, PathKind::Bottom] {
            if via == back.via || place.mirror == Some(via) {
                continue;
            }
            let Some((gone, first, arrives)) = self.find_path(via, place) else {
                continue;
            };
            let sine_there = -place.n.dot(arrives);
            if sine_there <= 1e-6 {
                continue;
            }
            // Bistatic scattering with two grazing angles; with Lambert's law sin φ sin φ'.
            let scattered =
                (self.strength(place.made, sine) * self.strength(place.made, sine_there)).sqrt();
            let (told, hears) = self.arrives(ray, &gone.way, &back.way);
            let power = ray.strength
                * hears
                * self.transmit_pattern(first)
                * gone.kept
                * back.kept
                * scattered;
            let way = AcousticPath {
                r: gone.way.r,
                told,
                loss: 0.5 * (gone.way.loss + back.way.loss),
            };
            self.add_patch(&Ray { solid: 0.0, ..*ray }, way, power, place, line);
        }
    }

    /// Transmit pattern in a direction of W.
    fn transmit_pattern(&self, d: Vec3) -> f64 {
        let a = self.spec.sensor_to_acoustic(self.R_WS.tr_mul_vec(d));
        let across = wrap_angle(libm::atan2(a.y, a.z) - self.head);
        let along = libm::asin(a.x.clamp(-1.0, 1.0));
        pattern(&self.spec.across[1], across) * pattern(&self.spec.along[1], along)
    }

    /// Path from the sonar to a point, with its directions at the sonar and at the point; `None` if
    /// it is blocked.
    fn find_path(&self, via: PathKind, place: &HitPoint) -> Option<(TracedPath, Vec3, Vec3)> {
        let to = place.p + place.n.scale(1e-4);
        if via == PathKind::Straight {
            let (d, r) = apart(self.p, to)?;
            self.is_clear(to, d.scale(-1.0), r).then_some(())?;
            return Some((
                TracedPath {
                    via,
                    way: self.leg(self.p, to, r),
                    kept: 1.0,
                },
                d,
                d,
            ));
        }
        let (m, n, made) = self.reflection_point(via, to)?;
        let ((first, r), (last, rest)) = (apart(self.p, m)?, apart(m, to)?);
        let sine = -n.dot(first);
        let at = HitPoint {
            distance: r,
            p: m,
            n,
            made,
            flat: FLAT,
            mirror: Some(via),
        };
        let kept = self.reflected_power(&at, sine);
        let is_open =
            kept >= LOST && self.is_clear(m, first.scale(-1.0), r) && self.is_clear(m, last, rest);
        let way = self.leg(self.p, m, r) + self.leg(m, to, rest);
        is_open.then_some((TracedPath { via, way, kept }, first, last))
    }

    /// Reflection point between the sonar and `to`, the normal on the water side, and the material.
    fn reflection_point(&self, via: PathKind, to: Vec3) -> Option<(Vec3, Vec3, Made)> {
        let PropagationContext {
            at, stage, view, ..
        } = self.waters;
        let up = Vec3::new(0.0, 0.0, 1.0);
        if via == PathKind::Surface {
            let middle = Vec3::new(0.5 * (self.p.x + to.x), 0.5 * (self.p.y + to.y), 0.0);
            let level = middle - up.scale(at.height_above_surface(middle));
            let n = up.scale(-1.0);
            return mirror::reflection_point(self.p, to, level, n).map(|m| (m, n, Made::Surface));
        }
        let seabed = &at.sea.seabed;
        let mut m = (self.p + to).scale(0.5);
        let mut n = up;
        for _ in 0..3 {
            n = seabed.normal(m.x, m.y);
            m = mirror::reflection_point(
                self.p,
                to,
                Vec3::new(m.x, m.y, seabed.height(m.x, m.y)),
                n,
            )?;
        }
        // The ray must hit the seabed near the reflection point, which also gives its material.
        let (d, r) = apart(to, m)?;
        let near = NEAR[0] + NEAR[1] * r;
        let hit = stage.first_hit_excluding(view, self.robot, to, d, [0.0, r + near])?;
        let is_there = hit.label == BOTTOM && (hit.distance - r).abs() < near;
        is_there.then_some((m, n, Made::Solid(hit.material.backscatter)))
    }

    /// Returns true if nothing blocks a ray from `p` along `d`. Both ends are excluded by a
    /// tolerance.
    fn is_clear(&self, p: Vec3, d: Vec3, far: f64) -> bool {
        let near = (NEAR[0] + NEAR[1] * far).min(0.4 * far);
        self.waters
            .stage
            .first_hit_excluding(self.waters.view, self.robot, p, d, [near, far - near])
            .is_none()
    }
}

/// Unit vector and distance from `a` to `b`; `None` if they are closer than 1 mm.
fn apart(a: Vec3, b: Vec3) -> Option<(Vec3, f64)> {
    let r = (b - a).norm();
    (r > 1e-3).then(|| ((b - a).scale(1.0 / r), r))
}
