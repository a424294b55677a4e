//! Echoes of all rays of a ping, sorted into ranges and beams. The laws are in `mod.rs`.

use crate::sample::Pose;
use crate::sonar::beam::pattern;
use crate::sonar::decibels::power;
use crate::sonar::motion::Motion;
use crate::sonar::propagation::{Sender, Waters};
use crate::wave_clipmap::Crossings;
use merrow_math::Vec3;
use merrow_model::scene::sensor::sonar::{Heard, SonarSpec};
use std::collections::VecDeque;
use std::f64::consts::LN_10;

/// A patch is taken for flat no farther than over these parts of its range: of bottom and surface, and of all else, which may end there.
pub const FLAT: [f64; 2] = [0.5, 2.0];
/// The same of all else.
pub const FLAT_SHAPE: [f64; 2] = [0.95, 1.05];

/// Mean powers over ranges and beams.
pub struct Picture {
    /// Number of beams.
    pub beams: usize,
    /// A row per range, a beam per column [µPa²].
    pub power: Vec<f32>,
    /// Length of the ranges over which one scatterer is heard [m].
    pub cell: f64,
}

/// Echoes of one column of rays.
pub struct Line {
    power: Vec<f32>,
    /// Ranges that hold any.
    touched: [usize; 2],
    /// Ranges at which something has been met, and what of the volume is behind it [sr].
    lost: Vec<(usize, f64)>,
    /// What the column sees [sr].
    pub seen: f64,
    /// Length of the ranges over which one scatterer is heard [m].
    cell: f64,
}

/// How far a ray has come [m], at which range that is told [m], and what has been absorbed [dB].
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Length [m].
    pub r: f64,
    /// Range as told [m].
    pub told: f64,
    /// Absorbed one way [dB].
    pub loss: f64,
}

impl std::ops::Add for Way {
    type Output = Self;
    fn add(self, then: Self) -> Self {
        Self {
            r: self.r + then.r,
            told: self.told + then.told,
            loss: self.loss + then.loss,
        }
    }
}

/// What a ray lights.
pub struct Patch {
    /// Direction of the ray.
    pub d: Vec3,
    /// Unit vectors of its neighbours, and half the distance to them.
    pub sides: [(Vec3, f64); 2],
    /// Normal.
    pub n: Vec3,
    /// Parts of the range over which it is taken for flat.
    pub flat: [f64; 2],
    /// What of the volume is behind it [sr].
    pub solid: f64,
}

impl Picture {
    /// Silence, of a sonar that takes its ranges with this speed of sound [m/s].
    pub fn new(spec: &SonarSpec, sound_speed: f64) -> Self {
        let beams = spec.steering.len();
        let cell = (0.5 * sound_speed * spec.pulse).max(spec.bin());
        Self {
            beams,
            power: vec![0.0; beams * spec.bins],
            cell,
        }
    }

    /// Adds what a column bears at the ranges `touched` to all beams that hear it.
    fn hear(&mut self, line: &[f32], touched: [usize; 2], hearing: &Heard) {
        for k in touched[0]..touched[1] {
            let power = line[k];
            if power > 0.0 {
                let row = &mut self.power[k * self.beams + hearing.first..];
                row.iter_mut()
                    .zip(&hearing.weights)
                    .for_each(|(sum, weight)| *sum += power * weight);
            }
        }
    }
}

/// Columns of a sonar that moves, as they lie when their echoes arrive: those that may still get some.
struct Moved {
    /// Of each column, by how many columns its nearest and its farthest echoes have moved.
    shifts: Vec<[f64; 2]>,
    /// More than the most of them.
    most: usize,
    /// The first that is open, and what it and those after it have.
    first: usize,
    open: VecDeque<Vec<f32>>,
}

impl Moved {
    fn new(spec: &SonarSpec, sender: &Sender<'_>) -> Self {
        let of_column = |c: &f64| {
            spec.limits
                .map(|r| sender.shift(c + sender.head, r) / spec.column_step)
        };
        let shifts: Vec<[f64; 2]> = spec.columns.iter().map(of_column).collect();
        let most = shifts
            .iter()
            .flatten()
            .fold(0.0_f64, |most, s| most.max(s.abs()));
        let most = most.min(spec.columns.len() as f64) as usize + 2;
        Self {
            shifts,
            most,
            first: 0,
            open: VecDeque::new(),
        }
    }

    /// Adds the line of column `c`, each range to the two columns between which it lies.
    fn add(&mut self, spec: &SonarSpec, c: usize, line: &Line) {
        let n = spec.columns.len();
        while self.first + self.open.len() < (c + self.most).min(n) {
            self.open.push_back(vec![0.0; spec.bins]);
        }
        // even over time
        let [near, far] = self.shifts[c];
        let step = (far - near) / spec.bins as f64;
        for k in line.touched[0]..line.touched[1] {
            let at = c as f64 + near + step * (k as f64 + 0.5);
            let column = at.floor();
            let share = (at - column) as f32;
            for (column, share) in [(column, 1.0 - share), (column + 1.0, share)] {
                if column >= 0.0 && column < n as f64 {
                    self.open[column as usize - self.first][k] += line.power[k] * share;
                }
            }
        }
    }

    /// Lets the beams hear all columns before `until`, which get no more.
    fn close(&mut self, spec: &SonarSpec, until: usize, picture: &mut Picture) {
        while self.first < until
            && let Some(line) = self.open.pop_front()
        {
            picture.hear(&line, [0, spec.bins], &spec.hearing[self.first]);
            self.first += 1;
        }
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
        surface: Crossings::new(
            waters.at,
            pose.p_WS,
            spec.limits[1],
            spec.columns.len() * spec.rows.len(),
        ),
        height: waters.at.waves.map_or(0.0, |waves| waves.height_std()),
        head,
        motion: Motion::new(&pose.V_WS_S),
        source: power(spec.source_level),
    };
    let mut line = Line::new(spec.bins, picture.cell);
    let mut open = Open::new(picture.beams, spec.bins);
    let mut moved = sender.motion.map(|_| Moved::new(spec, &sender));
    for (c, column) in spec.columns.iter().enumerate() {
        line.clear();
        sender.column(column + head, pattern(&spec.across[1], *column), &mut line);
        let hearing = &spec.hearing[c];
        match &mut moved {
            Some(moved) => {
                moved.add(spec, c, &line);
                moved.close(spec, (c + 1).saturating_sub(moved.most), picture);
            }
            None => picture.hear(&line.power, line.touched, hearing),
        }
        open.add(&line, &hearing.main);
    }
    if let Some(moved) = &mut moved {
        moved.close(spec, spec.columns.len(), picture);
    }
    open.echo(&volume(spec, waters, picture.cell), picture);
}

/// What of the volume the beams see.
struct Open {
    /// Of each beam, before anything is met [sr].
    seen: Vec<f64>,
    /// What is behind what has been met at a range: a row per range, a beam per column [sr].
    lost: Vec<f32>,
}

impl Open {
    fn new(beams: usize, bins: usize) -> Self {
        Self {
            seen: vec![0.0; beams],
            lost: vec![0.0; beams * bins],
        }
    }

    /// Adds a column, of which beams hear so much.
    fn add(&mut self, line: &Line, main: &[(usize, f32)]) {
        let beams = self.seen.len();
        for (beam, weight) in main {
            self.seen[*beam] += line.seen * f64::from(*weight);
            for (k, solid) in &line.lost {
                self.lost[k * beams + beam] += (solid * f64::from(*weight)) as f32;
            }
        }
    }

    /// Adds the echo of what is still seen at each range: `volume` is that of all directions.
    fn echo(mut self, volume: &[f64], picture: &mut Picture) {
        let rows = picture
            .power
            .chunks_exact_mut(picture.beams)
            .zip(self.lost.chunks_exact(picture.beams));
        for ((row, lost), volume) in rows.zip(volume) {
            for ((sum, lost), open) in row.iter_mut().zip(lost).zip(&mut self.seen) {
                *open -= f64::from(*lost);
                *sum += (open.max(0.0) * volume) as f32;
            }
        }
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
    fn new(bins: usize, cell: f64) -> Self {
        Self {
            power: vec![0.0; bins],
            touched: [bins, 0],
            lost: Vec::new(),
            seen: 0.0,
            cell,
        }
    }

    /// Adds the echo of a patch after a way: `strength` is that of a square metre met upright, 1 m away, there and back [µPa²].
    pub fn add(&mut self, spec: &SonarSpec, patch: &Patch, way: Way, strength: f64) {
        let (sine, Way { r, told, loss }) = (-patch.n.dot(patch.d), way);
        if sine <= 1e-6 || r <= 1e-3 {
            return;
        }
        let bin = spec.bin();
        let at = (told - spec.limits[0]) / bin;
        if at < spec.bins as f64 {
            self.lost.push((at.max(0.0) as usize, patch.solid));
        }
        if strength <= 0.0 {
            return;
        }
        // (1) with (2)
        let power = strength / (sine * r * r) * libm::exp(-0.2 * LN_10 * loss);
        let [a, b] = reach(patch);
        let spread = Spread::new([told * a, told * b], self.cell, 0.01 * bin);
        let index = |x: f64| ((x - spec.limits[0]) / bin).clamp(0.0, spec.bins as f64);
        let (first, last) = (
            index(spread.from()) as usize,
            index(spread.to()).ceil() as usize,
        );
        if last <= first {
            return;
        }
        self.touched = [self.touched[0].min(first), self.touched[1].max(last)];
        let mut before = spread.up_to(spec.limits[0] + first as f64 * bin);
        for k in first..last {
            let next = spread.up_to(spec.limits[0] + (k + 1) as f64 * bin);
            self.power[k] += (power * (next - before) / bin) as f32;
            before = next;
        }
    }

    fn clear(&mut self) {
        let [first, last] = self.touched;
        if first < last {
            self.power[first..last].fill(0.0);
        }
        self.lost.clear();
        self.touched = [self.power.len(), 0];
        self.seen = 0.0;
    }
}

/// Nearest and farthest range of a patch over that of its middle, on its plane.
fn reach(patch: &Patch) -> [f64; 2] {
    let (n, flat) = (patch.n, patch.flat);
    let down = n.dot(patch.d);
    let mut widest = [1.0, 1.0];
    for (side, half) in patch.sides {
        let (h, slant) = (half, n.dot(side));
        let at = |h: f64| {
            let ratio = down * (1.0 + h * h).sqrt() / (down + h * slant);
            if ratio > 0.0 {
                ratio.clamp(flat[0], flat[1])
            } else {
                flat[1]
            }
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
        Self {
            corners: [
                middle - outer,
                middle - inner,
                middle + inner,
                middle + outer,
            ],
            width,
        }
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
