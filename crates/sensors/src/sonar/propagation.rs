//! One ray after another of a ping: straight, bent, or by a mirror. The laws are in `mod.rs`, `arc.rs` and `mirror.rs`.

use crate::ray_scene::{Seen, Stage};
use crate::sonar::arc::Layers;
use crate::sonar::backscatter::{mirrored, of_material, of_surface};
use crate::sonar::beam::{pattern, pattern_at};
use crate::sonar::echoes::{FLAT, FLAT_SHAPE, Line, Patch, Way};
use crate::sonar::medium::Medium;
use crate::sonar::mirror;
use crate::sonar::motion::Motion;
use crate::wave_clipmap::Crossings;
use merrow_environment::{Instant, water_column};
use merrow_math::real::{sin_cos, wrapped};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::Backscatter;
use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::state::frames::view::View;
use std::f64::consts::TAU;

/// Label of the bottom.
const BOTTOM: u16 = 1;
/// Power after a mirror that is no longer followed.
const LOST: f64 = 1e-6;
/// How near to its place by the image a ray must come to the bottom: this, and that part of its way [m].
const NEAR: [f64; 2] = [0.02, 0.01];

/// What rays go through.
pub struct Waters<'a> {
    /// What they can meet.
    pub stage: &'a Stage,
    /// Where it is.
    pub view: &'a View,
    /// The sea.
    pub at: &'a Instant<'a>,
    /// Its speed of sound and absorption.
    pub medium: &'a Medium,
    /// What bends rays, if anything does.
    pub layers: Option<Layers>,
    /// Wind [m/s].
    pub wind: f64,
    /// Speed by which times become ranges [m/s].
    pub sound_speed: f64,
}

/// A sonar at the instant of its ping.
pub struct Sender<'a> {
    /// What it is.
    pub spec: &'a SonarSpec,
    /// What its rays go through.
    pub waters: &'a Waters<'a>,
    /// The robot that carries it.
    pub robot: usize,
    /// Its place [m].
    pub p: Vec3,
    /// Its axes.
    pub R_WS: Mat3,
    /// Turn of its head [rad].
    pub head: f64,
    /// How it moves until its echoes arrive, if it does.
    pub motion: Option<Motion>,
    /// The surface of the water.
    pub surface: Crossings<'a>,
    /// Standard deviation of the surface's height [m].
    pub height: f64,
    /// Power at 1 m [µPa² m²].
    pub source: f64,
}

/// A ray, by which the sonar hears.
#[derive(Clone, Copy)]
struct Ray {
    d: Vec3,
    /// Unit vectors of its neighbours out of the fan and across it, and half the distance to them.
    sides: [(Vec3, f64); 2],
    /// Its direction at the sonar, in S.
    first: Vec3,
    /// Strength at 1 m of what it bears, but for the patterns and the scattering [µPa² m²].
    strength: f64,
    /// Pattern of the receiver out of the fan, where it is at the ping.
    hears: f64,
    /// Pattern of the sender.
    sent: f64,
    /// What of the volume it sees [sr].
    solid: f64,
}

/// What a place is made of: water's surface, or something solid.
#[derive(Clone, Copy)]
enum Made {
    Surface,
    Solid(Backscatter),
}

/// A place that a ray has met.
#[derive(Clone, Copy)]
struct Place {
    /// How far along the ray [m].
    distance: f64,
    p: Vec3,
    /// Unit normal towards where the ray came from.
    n: Vec3,
    made: Made,
    flat: [f64; 2],
    /// The mirror that it is, if it is one.
    mirror: Option<Via>,
}

/// How sound goes between the sonar and a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Via {
    Straight,
    Surface,
    Bottom,
}

/// A way that sound has gone to a place.
struct Gone {
    via: Via,
    way: Way,
    /// Power that a mirror has left.
    kept: f64,
}

impl Sender<'_> {
    /// One column of rays at `across` [rad], of which the transmitter sends `sent`.
    pub fn column(&self, across: f64, sent: f64, line: &mut Line) {
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
            let to_world = |a: Vec3| self.R_WS.mul_vec(spec.turn(a));
            let first = spec.turn(Vec3::new(so, co * sa, co * ca));
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
                Some(layers) => self.follow_bent(layers, &ray, line),
                None => self.follow(&ray, line),
            }
        }
    }

    /// What a ray meets first within `far` [m].
    fn meet(&self, p: Vec3, d: Vec3, far: f64) -> Option<Place> {
        let hit = self
            .waters
            .stage
            .look(self.waters.view, self.robot, p, d, [0.0, far]);
        let reach = hit.map_or(far, |hit| hit.distance);
        if let Some(distance) = self.surface.crossing(p, d, reach) {
            let q = p + d.scale(distance);
            // from below
            let n = self.surface.normal(q.x, q.y).scale(-1.0);
            let mirror = Some(Via::Surface);
            return Some(Place {
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

    fn solid(hit: &Seen, p: Vec3, d: Vec3) -> Place {
        let is_bottom = hit.label == BOTTOM;
        Place {
            distance: hit.distance,
            p: p + d.scale(hit.distance),
            n: hit.normal,
            made: Made::Solid(hit.material.backscatter),
            flat: if is_bottom { FLAT } else { FLAT_SHAPE },
            mirror: is_bottom.then_some(Via::Bottom),
        }
    }

    /// Strength of a square metre of a place at the sine of the grazing angle.
    fn strength(&self, made: Made, sine: f64) -> f64 {
        match made {
            Made::Surface => of_surface(sine, self.spec.frequency, self.waters.wind),
            Made::Solid(material) => of_material(&material, sine),
        }
    }

    /// Power that a place mirrors.
    fn mirrored(&self, place: &Place, sine: f64) -> f64 {
        let slowness = self.waters.medium.here[0];
        let wave_number = TAU * self.spec.frequency * slowness;
        match place.made {
            Made::Surface => mirrored(sine, wave_number, self.height),
            Made::Solid(material) => {
                let Waters { at, .. } = self.waters;
                let density = water_column::density(at.sea, at.gravity, || place.p, at.time);
                mirror::of_ground(
                    &material.ground,
                    sine,
                    [density, 1.0 / slowness],
                    wave_number,
                )
            }
        }
    }

    /// A straight piece of a way, of the length `r` [m].
    fn leg(&self, from: Vec3, to: Vec3, r: f64) -> Way {
        let [slowness, loss] = self.waters.medium.between(from.z, to.z);
        Way {
            r,
            told: r * slowness * self.waters.sound_speed,
            loss: loss * r,
        } // (4)
    }

    /// Adds the echo of a place to which sound goes by the way on which it comes back.
    fn add(&self, ray: &Ray, gone: &Gone, place: &Place, line: &mut Line) {
        let sine = -place.n.dot(ray.d);
        if sine > 0.0 {
            let (told, hears) = self.arrives(ray, &gone.way, &gone.way);
            let power = ray.strength * hears * ray.sent * gone.kept * gone.kept;
            let way = Way { told, ..gone.way };
            self.add_patch(
                ray,
                way,
                power * self.strength(place.made, sine),
                place,
                line,
            );
        }
    }

    /// The range that is told of what has gone one way and comes back another, and how well it is heard then out of the fan.
    fn arrives(&self, ray: &Ray, there: &Way, back: &Way) -> (f64, f64) {
        let Some(motion) = &self.motion else {
            return (0.5 * (there.told + back.told), ray.hears);
        };
        let (told, d) = motion.arrives(ray.first, there.told, back, self.waters.sound_speed);
        (
            told,
            pattern_at(&self.spec.along[0], self.spec.turn_back(d).x),
        )
    }

    /// By how much the angle across the fan of what comes from `across` [rad], as it lay at the ping, has changed when it arrives from `r` [m].
    pub fn shift(&self, across: f64, r: f64) -> f64 {
        let Some(motion) = &self.motion else {
            return 0.0;
        };
        let r = r.max(1.0);
        let way = Way {
            r,
            told: r,
            loss: 0.0,
        };
        let (_, d) = motion.arrives(
            self.spec.direction(across, 0.0),
            r,
            &way,
            self.waters.sound_speed,
        );
        let a = self.spec.turn_back(d);
        let shift = libm::atan2(a.y, a.z) - across;
        shift - TAU * libm::round(shift / TAU)
    }

    fn add_patch(&self, ray: &Ray, way: Way, power: f64, place: &Place, line: &mut Line) {
        let patch = Patch {
            d: ray.d,
            sides: ray.sides,
            n: place.n,
            flat: place.flat,
            solid: ray.solid,
        };
        line.add(self.spec, &patch, way, power);
    }

    /// Along arcs, in straight pieces; it ends at what it meets first.
    fn follow_bent(&self, layers: &Layers, ray: &Ray, line: &mut Line) {
        let (medium, far) = (self.waters.medium, self.spec.limits[1]);
        let (mut p, mut d, mut way) = (
            self.p,
            ray.d,
            Way {
                r: 0.0,
                told: 0.0,
                loss: 0.0,
            },
        );
        while far - way.r > 1e-6 * far {
            let piece = layers.piece(p.z, d, [far - way.r, far]);
            let (chord, length) = piece.chord(piece.arc);
            let met = self.meet(p, chord, length);
            let q = met.map_or(p + chord.scale(length), |place| place.p);
            let arc = met.map_or(piece.arc, |place| piece.arc * (place.distance / length));
            way.r += arc;
            way.told += piece.time(arc) * self.waters.sound_speed; // (4)
            way.loss += arc * medium.between(p.z, q.z)[1];
            if let Some(place) = met {
                let sides = ray
                    .sides
                    .map(|(side, half)| (piece.turned(ray.d, chord, side), half));
                let gone = Gone {
                    via: Via::Straight,
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

    fn follow(&self, ray: &Ray, line: &mut Line) {
        let far = self.spec.limits[1];
        let Some(place) = self.meet(self.p, ray.d, far) else {
            return;
        };
        let way = self.leg(self.p, place.p, place.distance);
        let gone = Gone {
            via: Via::Straight,
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
        let kept = self.mirrored(&place, sine);
        if kept < LOST {
            return;
        }
        // on from there as from behind the mirror
        let turned = |v: Vec3| v - place.n.scale(2.0 * place.n.dot(v));
        let ray = Ray {
            d: turned(ray.d),
            sides: ray.sides.map(|(side, half)| (turned(side), half)),
            solid: 0.0,
            ..*ray
        };
        let from = place.p + place.n.scale(1e-6);
        if let Some(next) = self.meet(from, ray.d, far - place.distance) {
            let way = way + self.leg(place.p, next.p, next.distance);
            let gone = Gone { via, way, kept };
            self.add(&ray, &gone, &next, line);
            self.add_others(&ray, &gone, &next, line);
        }
    }

    /// Adds what comes from a place by one way after it has gone there by another.
    fn add_others(&self, ray: &Ray, back: &Gone, place: &Place, line: &mut Line) {
        let sine = -place.n.dot(ray.d);
        if sine <= 0.0 || back.kept < LOST {
            return;
        }
        for via in [Via::Straight, Via::Surface, Via::Bottom] {
            if via == back.via || place.mirror == Some(via) {
                continue;
            }
            let Some((gone, first, arrives)) = self.way(via, place) else {
                continue;
            };
            let sine_there = -place.n.dot(arrives);
            if sine_there <= 1e-6 {
                continue;
            }
            // what goes one way and comes another is scattered by both angles: of Lambert's law, sin φ sin φ'
            let scattered =
                (self.strength(place.made, sine) * self.strength(place.made, sine_there)).sqrt();
            let (told, hears) = self.arrives(ray, &gone.way, &back.way);
            let power =
                ray.strength * hears * self.sends(first) * gone.kept * back.kept * scattered;
            let way = Way {
                r: gone.way.r,
                told,
                loss: 0.5 * (gone.way.loss + back.way.loss),
            };
            self.add_patch(&Ray { solid: 0.0, ..*ray }, way, power, place, line);
        }
    }

    /// The sender's pattern in a direction of the world.
    fn sends(&self, d: Vec3) -> f64 {
        let a = self.spec.turn_back(self.R_WS.tr_mul_vec(d));
        let across = wrapped(libm::atan2(a.y, a.z) - self.head);
        let along = libm::asin(a.x.clamp(-1.0, 1.0));
        pattern(&self.spec.across[1], across) * pattern(&self.spec.along[1], along)
    }

    /// A way from the sonar to a place, with its directions there and here, if nothing stands in it.
    fn way(&self, via: Via, place: &Place) -> Option<(Gone, Vec3, Vec3)> {
        let to = place.p + place.n.scale(1e-4);
        if via == Via::Straight {
            let (d, r) = apart(self.p, to)?;
            self.is_clear(to, d.scale(-1.0), r).then_some(())?;
            return Some((
                Gone {
                    via,
                    way: self.leg(self.p, to, r),
                    kept: 1.0,
                },
                d,
                d,
            ));
        }
        let (m, n, made) = self.mirror(via, to)?;
        let ((first, r), (last, rest)) = (apart(self.p, m)?, apart(m, to)?);
        let sine = -n.dot(first);
        let at = Place {
            distance: r,
            p: m,
            n,
            made,
            flat: FLAT,
            mirror: Some(via),
        };
        let kept = self.mirrored(&at, sine);
        let is_open =
            kept >= LOST && self.is_clear(m, first.scale(-1.0), r) && self.is_clear(m, last, rest);
        let way = self.leg(self.p, m, r) + self.leg(m, to, rest);
        is_open.then_some((Gone { via, way, kept }, first, last))
    }

    /// The place of a mirror by which sound goes between the sonar and `to`, its normal towards the water, and what it is made of.
    fn mirror(&self, via: Via, to: Vec3) -> Option<(Vec3, Vec3, Made)> {
        let Waters {
            at, stage, view, ..
        } = self.waters;
        let up = Vec3::new(0.0, 0.0, 1.0);
        if via == Via::Surface {
            let middle = Vec3::new(0.5 * (self.p.x + to.x), 0.5 * (self.p.y + to.y), 0.0);
            let level = middle - up.scale(at.above_surface(middle));
            let n = up.scale(-1.0);
            return mirror::place(self.p, to, level, n).map(|m| (m, n, Made::Surface));
        }
        let seabed = &at.sea.seabed;
        let mut m = (self.p + to).scale(0.5);
        let mut n = up;
        for _ in 0..3 {
            n = seabed.normal(m.x, m.y);
            m = mirror::place(self.p, to, Vec3::new(m.x, m.y, seabed.height(m.x, m.y)), n)?;
        }
        // what it is made of, and that it is the bottom that is met there
        let (d, r) = apart(to, m)?;
        let near = NEAR[0] + NEAR[1] * r;
        let hit = stage.look(view, self.robot, to, d, [0.0, r + near])?;
        let is_there = hit.label == BOTTOM && (hit.distance - r).abs() < near;
        is_there.then_some((m, n, Made::Solid(hit.material.backscatter)))
    }

    /// True if nothing stands from a place on along `d`, but what it lies on and what is at the other end.
    fn is_clear(&self, p: Vec3, d: Vec3, far: f64) -> bool {
        let near = (NEAR[0] + NEAR[1] * far).min(0.4 * far);
        self.waters
            .stage
            .look(self.waters.view, self.robot, p, d, [near, far - near])
            .is_none()
    }
}

/// Direction and distance from `a` to `b`.
fn apart(a: Vec3, b: Vec3) -> Option<(Vec3, f64)> {
    let r = (b - a).norm();
    (r > 1e-3).then(|| ((b - a).scale(1.0 / r), r))
}
