//! Echoes of all rays of a ping, sorted into ranges and beams. The laws are in `mod.rs`.

use super::super::sample::Pose;
use super::super::stage::{Seen, Stage};
use super::arc::Layers;
use super::backscatter::{mirrored, of_material, of_surface};
use super::beam::pattern;
use super::decibels::power;
use super::medium::Medium;
use crate::environment::Instant;
use crate::environment::surface::Surface;
use crate::math::real::sin_cos;
use crate::math::{Mat3, Vec3};
use crate::scene::sonar::SonarSpec;
use crate::state::view::View;
use std::f64::consts::LN_10;

/// A patch is taken for flat no farther than over these parts of its range: of the bottom, and of all else, which may end there.
const FLAT: [f64; 2] = [0.5, 2.0];
const FLAT_SHAPE: [f64; 2] = [0.95, 1.05];
/// Label of the bottom.
const BOTTOM: u16 = 1;

/// Mean powers over ranges and beams.
pub struct Picture {
    /// Number of beams.
    pub beams: usize,
    /// A row per range, a beam per column [µPa²].
    pub power: Vec<f32>,
    /// Length of the ranges over which one scatterer is heard [m].
    pub cell: f64,
}

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

/// Echoes of one column of rays.
struct Line {
    power: Vec<f32>,
    /// Ranges that hold any.
    touched: [usize; 2],
    /// What has not met anything by each range [sr], before it is summed up.
    lost: Vec<f64>,
    /// What the column sees [sr].
    seen: f64,
}

/// How far a ray has come [m], at which range that is told [m], and what has been absorbed [dB].
struct Way {
    r: f64,
    told: f64,
    loss: f64,
}

/// One ray.
struct Ray {
    d: Vec3,
    /// Unit vectors of its neighbours out of the fan and across it, and half the distance to them.
    sides: [(Vec3, f64); 2],
    /// Strength at 1 m of what it bears, there and back, but for the scattering [µPa² m²].
    strength: f64,
    solid: f64,
}

/// A place that a ray has met: normal, strength of a square metre, and how far it is flat.
struct Place {
    n: Vec3,
    s: f64,
    flat: [f64; 2],
}

impl Place {
    /// Of something solid, met along `d`.
    fn of(hit: &Seen, d: Vec3) -> Self {
        let flat = if hit.label == BOTTOM { FLAT } else { FLAT_SHAPE };
        Self { n: hit.normal, s: of_material(&hit.backscatter, -hit.normal.dot(d)), flat }
    }
}

impl Picture {
    /// Silence.
    pub fn new(spec: &SonarSpec) -> Self {
        let beams = spec.steering.len();
        let cell = (0.5 * 1500.0 * spec.pulse).max(spec.bin());
        Self { beams, power: vec![0.0; beams * spec.bins], cell }
    }
}

/// Adds what comes back of a ping.
pub fn fill(picture: &mut Picture, spec: &SonarSpec, waters: &Waters<'_>, pose: &Pose, head: f64) {
    let sender = Sender {
        spec,
        waters,
        robot: pose.robot,
        p: pose.p_WS,
        R_WS: pose.R_WS,
        surface: Surface::new(waters.at),
        height: waters.at.waves.map_or(0.0, |waves| 0.25 * waves.reach()),
        cell: picture.cell,
        source: power(spec.source_level),
    };
    let volume = volume(spec, waters, picture.cell);
    let mut line = Line::new(spec.bins);
    let mut clear = vec![0.0_f32; spec.bins];
    // a line for each beam, for which memory is read and written in one go
    let mut open_water = vec![0.0_f32; picture.beams * spec.bins];
    for (c, column) in spec.columns.iter().enumerate() {
        line.clear();
        sender.column(column + head, pattern(&spec.across[1], *column), &mut line);
        let hearing = &spec.hearing[c];
        for k in line.touched[0]..line.touched[1] {
            let power = line.power[k];
            if power > 0.0 {
                let row = &mut picture.power[k * picture.beams + hearing.first..];
                row.iter_mut().zip(&hearing.weights).for_each(|(sum, weight)| *sum += power * weight);
            }
        }
        let mut open = line.seen;
        for k in 0..spec.bins {
            open -= line.lost[k];
            clear[k] = (open.max(0.0) * volume[k]) as f32;
        }
        for (beam, weight) in &hearing.main {
            let own = &mut open_water[beam * spec.bins..(beam + 1) * spec.bins];
            own.iter_mut().zip(&clear).for_each(|(sum, clear)| *sum += clear * weight);
        }
    }
    for (k, row) in picture.power.chunks_exact_mut(picture.beams).enumerate() {
        row.iter_mut().enumerate().for_each(|(beam, sum)| *sum += open_water[beam * spec.bins + k]);
    }
}

/// Echo of the volume over the solid angle that a beam sees, of each range [µPa²/sr]. (3)
fn volume(spec: &SonarSpec, waters: &Waters<'_>, cell: f64) -> Vec<f64> {
    let strength = power(spec.source_level + spec.volume_backscatter) * cell;
    let loss = waters.medium.here[1];
    let of_bin = |k: usize| {
        let r = spec.range(k);
        strength / (r * r) * libm::exp(-0.2 * LN_10 * loss * r)
    };
    (0..spec.bins).map(of_bin).collect()
}

impl Line {
    fn new(bins: usize) -> Self {
        Self { power: vec![0.0; bins], touched: [bins, 0], lost: vec![0.0; bins], seen: 0.0 }
    }

    fn clear(&mut self) {
        self.power.fill(0.0);
        self.lost.fill(0.0);
        self.touched = [self.power.len(), 0];
        self.seen = 0.0;
    }
}

/// A sonar at the instant of its ping.
struct Sender<'a> {
    spec: &'a SonarSpec,
    waters: &'a Waters<'a>,
    robot: usize,
    p: Vec3,
    R_WS: Mat3,
    surface: Surface<'a>,
    /// Standard deviation of the surface's height [m].
    height: f64,
    cell: f64,
    source: f64,
}

impl Sender<'_> {
    /// One column of rays at `across` [rad], of which the transmitter sends `sent`.
    fn column(&self, across: f64, sent: f64, line: &mut Line) {
        let spec = self.spec;
        let ((sa, ca), half) = (sin_cos(across), [0.5 * spec.row_step, 0.5 * spec.column_step]);
        for row in &spec.rows {
            let (so, co) = sin_cos(*row);
            let both = pattern(&spec.along[0], *row) * pattern(&spec.along[1], *row) * sent;
            let solid = spec.row_step * spec.column_step * co;
            let to_world = |a: Vec3| self.R_WS.mul_vec(spec.turn(a));
            let ray = Ray {
                d: to_world(Vec3::new(so, co * sa, co * ca)),
                sides: [
                    (to_world(Vec3::new(co, -so * sa, -so * ca)), half[0]),
                    (to_world(Vec3::new(0.0, ca, -sa)), half[1] * co),
                ],
                strength: self.source * both * solid,
                solid: both * solid,
            };
            line.seen += ray.solid;
            self.follow(&ray, line);
        }
    }

    fn look(&self, p: Vec3, d: Vec3, far: f64) -> Option<Seen> {
        self.waters.stage.look(self.waters.view, self.robot, p, d, [0.0, far])
    }

    /// Along arcs, in straight pieces; it ends at what it meets first.
    fn follow_bent(&self, layers: &Layers, ray: &Ray, line: &mut Line) {
        let (medium, far) = (self.waters.medium, self.spec.limits[1]);
        let (mut p, mut d, mut way) = (self.p, ray.d, Way { r: 0.0, told: 0.0, loss: 0.0 });
        while far - way.r > 1e-6 * far {
            let piece = layers.piece(p.z, d, [far - way.r, far]);
            let (chord, length) = piece.chord(piece.arc);
            let hit = self.look(p, chord, length);
            let reach = hit.map_or(length, |hit| hit.distance);
            let surface = self.surface.crossing(p, chord, reach);
            let gone = surface.unwrap_or(reach);
            let arc = piece.arc * (gone / length);
            let q = p + chord.scale(gone);
            way.r += arc;
            way.told += piece.time(arc) * self.waters.sound_speed; // (4)
            way.loss += arc * medium.between(p.z, q.z)[1];
            let sides = || ray.sides.map(|(side, half)| (piece.turned(ray.d, chord, side), half));
            if surface.is_some() {
                let n = self.surface.normal(q.x, q.y).scale(-1.0);
                let s = of_surface(-n.dot(chord), self.spec.frequency, self.waters.wind);
                let here = Ray { d: chord, sides: sides(), ..*ray };
                return self.add_after(&here, way, &Place { n, s, flat: FLAT }, line);
            }
            if let Some(hit) = hit {
                let here = Ray { d: chord, sides: sides(), ..*ray };
                return self.add_after(&here, way, &Place::of(&hit, chord), line);
            }
            (p, d) = (q, piece.direction(piece.arc));
        }
    }

    fn follow(&self, ray: &Ray, line: &mut Line) {
        if let Some(layers) = &self.waters.layers {
            return self.follow_bent(layers, ray, line);
        }
        let far = self.spec.limits[1];
        let hit = self.look(self.p, ray.d, far);
        let reach = hit.map_or(far, |hit| hit.distance);
        let Some(t) = self.surface.crossing(self.p, ray.d, reach) else {
            if let Some(hit) = hit {
                self.add(ray, hit.distance, &Place::of(&hit, ray.d), line);
            }
            return;
        };
        let q = self.p + ray.d.scale(t);
        // from below
        let n = self.surface.normal(q.x, q.y).scale(-1.0);
        let sine = -n.dot(ray.d);
        if sine <= 1e-6 {
            return;
        }
        let s = of_surface(sine, self.spec.frequency, self.waters.wind);
        self.add(ray, t, &Place { n, s, flat: FLAT }, line);
        if self.spec.multipath {
            let wave_number = std::f64::consts::TAU * self.spec.frequency * self.waters.medium.here[0];
            // there and back
            let kept = mirrored(sine, wave_number, self.height);
            let d = ray.d + n.scale(2.0 * sine);
            if kept * kept > 1e-6
                && let Some(hit) = self.look(q + d.scale(1e-6), d, far - t)
            {
                let sides = ray.sides.map(|(side, half)| (side - n.scale(2.0 * n.dot(side)), half));
                let seen = Ray { d, sides, strength: ray.strength * kept * kept, solid: 0.0 };
                self.add(&seen, t + hit.distance, &Place::of(&hit, d), line);
            }
        }
    }

    /// Adds the echo of a place met after the straight way `r`.
    fn add(&self, ray: &Ray, r: f64, place: &Place, line: &mut Line) {
        let end = self.p.z + ray.d.z * r;
        let [slowness, loss] = self.waters.medium.between(self.p.z, end);
        let told = r * slowness * self.waters.sound_speed; // (4)
        self.add_after(ray, Way { r, told, loss: loss * r }, place, line);
    }

    /// The same after any way.
    fn add_after(&self, ray: &Ray, way: Way, place: &Place, line: &mut Line) {
        let Place { n, s, flat } = *place;
        let (sine, Way { r, told, loss }) = (-n.dot(ray.d), way);
        if sine <= 1e-6 || r <= 1e-3 {
            return;
        }
        let (spec, bin) = (self.spec, self.spec.bin());
        let at = (told - spec.limits[0]) / bin;
        if at < spec.bins as f64 {
            line.lost[at.max(0.0) as usize] += ray.solid;
        }
        if s <= 0.0 {
            return;
        }
        // (1) with (2)
        let power = ray.strength * s / (sine * r * r) * libm::exp(-0.2 * LN_10 * loss);
        let [a, b] = reach(ray, n, flat);
        let spread = Spread::new([told * a, told * b], self.cell, 0.01 * bin);
        let index = |x: f64| ((x - spec.limits[0]) / bin).clamp(0.0, spec.bins as f64);
        let (first, last) = (index(spread.from()) as usize, index(spread.to()).ceil() as usize);
        if last <= first {
            return;
        }
        line.touched = [line.touched[0].min(first), line.touched[1].max(last)];
        let mut before = spread.up_to(spec.limits[0] + first as f64 * bin);
        for k in first..last {
            let next = spread.up_to(spec.limits[0] + (k + 1) as f64 * bin);
            line.power[k] += (power * (next - before) / bin) as f32;
            before = next;
        }
    }
}

/// Nearest and farthest range of a ray's patch over that of its middle, on the plane with the normal `n`.
fn reach(ray: &Ray, n: Vec3, flat: [f64; 2]) -> [f64; 2] {
    let down = n.dot(ray.d);
    let mut widest = [1.0, 1.0];
    for (side, half) in ray.sides {
        let (h, slant) = (half, n.dot(side));
        let at = |h: f64| {
            let ratio = down * (1.0 + h * h).sqrt() / (down + h * slant);
            if ratio > 0.0 { ratio.clamp(flat[0], flat[1]) } else { flat[1] }
        };
        let (a, b) = (at(h), at(-h));
        let ends = [a.min(b), a.max(b)];
        if ends[1] - ends[0] > widest[1] - widest[0] {
            widest = ends;
        }
    }
    widest
}

/// An even spread of an echo over the ranges of its patch and those of a pulse.
struct Spread {
    corners: [f64; 4],
    width: f64,
}

impl Spread {
    fn new([a, b]: [f64; 2], cell: f64, least: f64) -> Self {
        let (middle, width) = (0.5 * (a + b), (b - a).max(least));
        let (inner, outer) = (0.5 * (cell - width), 0.5 * (cell + width));
        Self { corners: [middle - outer, middle - inner, middle + inner, middle + outer], width }
    }

    fn from(&self) -> f64 {
        self.corners[0]
    }

    fn to(&self) -> f64 {
        self.corners[3]
    }

    /// Integral up to `x`, of 1 over the whole cell [m].
    fn up_to(&self, x: f64) -> f64 {
        let part = |corner: f64| {
            let over = (x - corner).max(0.0);
            0.5 * over * over
        };
        let [a, b, c, d] = self.corners.map(part);
        (a - b - c + d) / self.width
    }
}
