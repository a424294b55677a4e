//! Impulses of contacts, limits, dry friction and couplings, in one set of coordinates.
//!
//! # Law
//! ```text
//!   v = v* + Y λ,   Y = H⁻¹ Jᵀ                                                        (1)
//!   contact:  0 ≤ λ_n ⟂ J_n v - b ≥ 0                                                (2)  [Signorini, on velocities: Stewart 2000, eq. 4.9]
//!             |λ_t| ≤ μ λ_n,  λ_t = -μ λ_n s/|s| where it slides with s = J_t v      (3)  [Coulomb]
//!   box:      lo ≤ λ ≤ hi,  J v = b unless at a bound                                (4)  dry friction of a joint, a drive's limit
//!   equality: J v = b                                                                (5)  couplings
//! ```
//! Solved block after block (projected Gauss-Seidel) from the impulses of the step before, with the conjugate directions
//! of [Silcowitz 2010] in between, until no row's velocity changes by more than the tolerance.
//!
//! # Symbols
//! v free velocities of all robots of an island, v* without impulses, λ impulses [N s or N m s], b wanted velocities,
//! H inertia with added mass, J rows.
//!
//! # Frames
//! None: rows and velocities are in generalized coordinates.
//!
//! # Limits
//! Rigid surfaces, a circular cone, no torsional friction beyond what several points give. Where contacts oppose each other
//! without a solution (a body pressed into a gap too narrow) the last sweep stands.
//!
//! # Checked by
//! test/analytic/contact.rs, test/identity/contact.rs

/// A row's coordinates in one robot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    /// The robot; not read here.
    pub robot: u32,
    /// First velocity.
    pub v: u32,
    /// How many; 0: the robot is not concerned.
    pub n: u32,
    /// First element of J and Y.
    pub at: u32,
}

/// One scalar constraint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// The one or two robots that it concerns.
    pub segments: [Segment; 2],
    /// Wanted velocity, less what prescribed joints make of it [m/s or rad/s].
    pub wanted: f64,
    /// `J H⁻¹ Jᵀ`.
    pub effect: f64,
    /// Impulse; on entry the first guess.
    pub impulse: f64,
    /// Time over which the velocity of an impulse spread evenly over the step moves things [s].
    pub duration: f64,
    /// Velocity that an impact takes away at once [m/s or rad/s].
    pub sudden: f64,
    /// Time from the impact to the end of the step [s].
    pub since: f64,
    /// Position error before the correction; negative: overlap [m or rad].
    pub gap: f64,
    /// Impulse-like unknown of the position correction.
    pub push: f64,
}

/// What a group of rows is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Normal and two tangents.
    Contact {
        /// Coefficient of friction.
        friction: f64,
    },
    /// One row between two bounds [N s or N m s].
    Box {
        /// Least impulse.
        lo: f64,
        /// Largest impulse.
        hi: f64,
        /// True for a limit or a stop, whose overlap is corrected; false for friction.
        stops: bool,
    },
    /// Up to six rows that hold together.
    Equality,
}

/// A group of rows that are solved together.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// First row.
    pub first: u32,
    /// How many.
    pub n: u32,
    /// What they are.
    pub kind: Kind,
}

/// Which rows a sweep solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All,
    /// All but friction of contacts.
    Normals,
    /// Friction of contacts alone.
    Tangents,
}

/// An island's constraints.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Free velocities of its robots, one after another.
    pub v: Vec<f64>,
    /// Rows' coefficients.
    pub J: Vec<f64>,
    /// `H⁻¹ Jᵀ`, in the places of `J`.
    pub Y: Vec<f64>,
    /// Scalar constraints.
    pub rows: Vec<Row>,
    /// Their groups.
    pub blocks: Vec<Block>,
    /// Position correction, in the places of `v`.
    pub x: Vec<f64>,
    before: Vec<f64>,
    direction: Vec<f64>,
}

/// Sweeps over all rows before normals and friction are solved apart.
const SWEEPS_TOGETHER: usize = 60;
/// How often they are solved apart, and in how many sweeps the normals each time.
const ROUNDS_APART: usize = 8;
const SWEEPS_APART: usize = 80;
/// Change of a row's velocity under which a sweep has converged [m/s or rad/s].
const TOLERANCE: f64 = 1e-9;
/// Part of an overlap that is taken away in a step.
const CORRECTION: f64 = 0.2;
/// Overlap that is left alone, so that resting contacts stay in touch [m or rad].
const SLOP: f64 = 1e-6;
/// Position error of a coupling that is left alone [m or rad].
const EXACT: f64 = 1e-9;
/// Sweeps of the position correction.
const CORRECTION_SWEEPS: usize = 30;

impl Problem {
    /// Empty, with memory for this many rows.
    pub fn with_room(rows: usize) -> Self {
        Self {
            v: Vec::with_capacity(64),
            J: Vec::with_capacity(16 * rows),
            Y: Vec::with_capacity(16 * rows),
            rows: Vec::with_capacity(rows),
            blocks: Vec::with_capacity(rows),
            x: Vec::with_capacity(64),
            before: Vec::with_capacity(rows.max(64)),
            direction: Vec::with_capacity(rows),
        }
    }

    /// True if the solution can be used.
    pub fn is_finite(&self) -> bool {
        self.v.iter().chain(&self.x).all(|x| x.is_finite())
    }

    /// Forgets all rows; keeps the memory.
    pub fn clear(&mut self) {
        self.v.clear();
        self.J.clear();
        self.Y.clear();
        self.rows.clear();
        self.blocks.clear();
    }

    /// Solves (2)-(5): impulses into the rows, velocities into `v`. Returns whether it converged.
    pub fn solve(&mut self) -> bool {
        for row in &self.rows {
            apply(row, &self.Y, &mut self.v, row.impulse);
        }
        if self.iterate(Part::All, SWEEPS_TOGETHER) {
            return true;
        }
        // a light body under a heavy one: friction that changes from sweep to sweep spoils the conjugate directions, so the
        // normals are solved by themselves, then friction
        for _ in 0..ROUNDS_APART {
            self.iterate(Part::Normals, SWEEPS_APART);
            self.iterate(Part::Tangents, SWEEPS_APART / 2);
            if self.iterate(Part::All, 4) {
                return true;
            }
        }
        false
    }

    /// Up to `most` sweeps over some of the rows; true if the last changed nothing.
    fn iterate(&mut self, part: Part, most: usize) -> bool {
        self.direction.clear();
        self.direction.resize(self.rows.len(), 0.0);
        let mut last = 0.0;
        for sweep in 1..=most {
            self.before.clear();
            self.before.extend(self.rows.iter().map(|r| r.impulse));
            if self.sweep(part) <= TOLERANCE {
                return true;
            }
            if sweep < most {
                last = self.conjugate(last);
            }
        }
        false
    }

    /// Moves on along the conjugate direction [Silcowitz 2010, alg. 2]; returns the size of this sweep's step.
    fn conjugate(&mut self, last: f64) -> f64 {
        let step: f64 = self
            .rows
            .iter()
            .zip(&self.before)
            .map(|(r, b)| (r.impulse - b) * (r.impulse - b) * r.effect)
            .sum();
        let beta = if last > 0.0 { step / last } else { f64::INFINITY };
        for i in 0..self.rows.len() {
            let moved = self.rows[i].impulse - self.before[i];
            if beta > 1.0 {
                self.direction[i] = moved;
                continue;
            }
            let further = beta * self.direction[i];
            self.direction[i] = further + moved;
            self.rows[i].impulse += further;
            apply(&self.rows[i], &self.Y, &mut self.v, further);
        }
        step
    }

    /// Every block once; returns the largest change of a row's velocity.
    fn sweep(&mut self, part: Part) -> f64 {
        let Self { v, J, Y, rows, blocks, .. } = self;
        let mut largest = 0.0_f64;
        for block in blocks.iter() {
            let rows = &mut rows[block.first as usize..(block.first + block.n) as usize];
            let change = match block.kind {
                Kind::Contact { friction } => contact(rows, J, Y, v, friction, part),
                _ if part == Part::Tangents => 0.0,
                Kind::Box { lo, hi, .. } => bounded(&mut rows[0], J, Y, v, lo, hi),
                Kind::Equality => equality(rows, J, Y, v),
            };
            largest = largest.max(change);
        }
        largest
    }

    /// Displacements of the impulses over their durations, and out of overlaps, into `x`.
    pub fn displace(&mut self) {
        self.x.clear();
        self.x.resize(self.v.len(), 0.0);
        let Self { x, J, Y, rows, blocks, .. } = self;
        for block in blocks.iter() {
            let rows = &rows[block.first as usize..(block.first + block.n) as usize];
            let duration = duration(&rows[0]);
            for row in rows {
                apply(row, Y, x, row.impulse * duration);
            }
        }
        let mut overlaps = false;
        for block in blocks.iter() {
            let all = match block.kind {
                Kind::Equality => block.n,
                Kind::Contact { .. } | Kind::Box { stops: true, .. } => 1,
                Kind::Box { stops: false, .. } => 0,
            };
            for row in &mut rows[block.first as usize..(block.first + all) as usize] {
                let gap = row.gap + dot(row, J, x);
                row.push = 0.0;
                let equal = matches!(block.kind, Kind::Equality);
                // what remains of the gap in this step, as a displacement that the push must give
                row.gap = if equal { gap } else { gap + SLOP };
                overlaps |= if equal { gap.abs() > EXACT } else { row.gap < 0.0 };
            }
        }
        if overlaps {
            self.push_apart();
        }
    }

    fn push_apart(&mut self) {
        let Self { x, J, Y, rows, blocks, before, .. } = self;
        // displacement by the pushes alone
        before.clear();
        before.resize(x.len(), 0.0);
        for _ in 0..CORRECTION_SWEEPS {
            let mut largest = 0.0_f64;
            for block in blocks.iter() {
                let (n, one_sided) = match block.kind {
                    Kind::Equality => (block.n, false),
                    Kind::Contact { .. } | Kind::Box { stops: true, .. } => (1, true),
                    Kind::Box { stops: false, .. } => (0, true),
                };
                for row in &mut rows[block.first as usize..(block.first + n) as usize] {
                    let goal = if one_sided && row.gap > 0.0 { -row.gap } else { -CORRECTION * row.gap };
                    let wanted = row.push + (goal - dot(row, J, before)) / row.effect;
                    let push = if one_sided { wanted.max(0.0) } else { wanted };
                    let change = push - row.push;
                    row.push = push;
                    apply(row, Y, before, change);
                    largest = largest.max((change * row.effect).abs());
                }
            }
            if largest < 1e-3 * SLOP {
                break;
            }
        }
        for (x, more) in x.iter_mut().zip(before.iter()) {
            *x += more;
        }
    }
}

/// Time over which the impulse's velocity moves things: what an impact takes acts from the impact on, the rest evenly.
fn duration(row: &Row) -> f64 {
    let sudden = row.sudden / row.effect;
    if sudden <= 0.0 || row.impulse <= 0.0 {
        return row.duration;
    }
    let part = (sudden / row.impulse).min(1.0);
    part * row.since + (1.0 - part) * row.duration
}

/// (2) then (3); returns the largest change of velocity.
fn contact(rows: &mut [Row], J: &[f64], Y: &[f64], v: &mut [f64], friction: f64, part: Part) -> f64 {
    let [normal, t1, t2] = rows else { return 0.0 };
    let mut change = match part {
        Part::Tangents => 0.0,
        _ => bounded(normal, J, Y, v, 0.0, f64::INFINITY),
    };
    if part == Part::Normals {
        return change;
    }
    let limit = friction * normal.impulse;
    if limit <= 0.0 && t1.impulse == 0.0 && t2.impulse == 0.0 {
        return change;
    }
    let (s1, s2) = (dot(t1, J, v) - t1.wanted, dot(t2, J, v) - t2.wanted);
    // coupling of the two tangents through the robots
    let c = coupling(t1, t2, J, Y);
    let (a, b) = (t1.effect, t2.effect);
    let det = a * b - c * c;
    let mut new = [t1.impulse, t2.impulse];
    if det > 1e-12 * a * b {
        new = [t1.impulse - (b * s1 - c * s2) / det, t2.impulse - (a * s2 - c * s1) / det];
    }
    if det <= 1e-12 * a * b || new[0] * new[0] + new[1] * new[1] > limit * limit {
        // a step against the slip itself, so that where it slides friction opposes the slip
        let half = 0.5 * (a - b);
        let stiffest = 0.5 * (a + b) + (half * half + c * c).sqrt();
        new = [t1.impulse - s1 / stiffest, t2.impulse - s2 / stiffest];
        let size = (new[0] * new[0] + new[1] * new[1]).sqrt();
        if size > limit {
            new = new.map(|x| x * (limit / size));
        }
    }
    for (row, new) in [t1, t2].into_iter().zip(new) {
        let step = new - row.impulse;
        row.impulse = new;
        apply(row, Y, v, step);
        change = change.max((step * row.effect).abs());
    }
    change
}

/// (4)
fn bounded(row: &mut Row, J: &[f64], Y: &[f64], v: &mut [f64], lo: f64, hi: f64) -> f64 {
    let new = (row.impulse + (row.wanted - dot(row, J, v)) / row.effect).clamp(lo, hi);
    let step = new - row.impulse;
    row.impulse = new;
    apply(row, Y, v, step);
    (step * row.effect).abs()
}

/// (5), all rows at once.
fn equality(rows: &mut [Row], J: &[f64], Y: &[f64], v: &mut [f64]) -> f64 {
    let n = rows.len().min(6);
    let (mut W, mut r) = ([[0.0; 6]; 6], [0.0; 6]);
    for i in 0..n {
        for j in 0..=i {
            W[i][j] =
                if i == j { rows[i].effect * (1.0 + 1e-12) } else { coupling(&rows[i], &rows[j], J, Y) };
        }
        r[i] = rows[i].wanted - dot(&rows[i], J, v);
    }
    // Cholesky in place, then both substitutions
    for i in 0..n {
        for j in 0..=i {
            let sum = W[i][j] - (0..j).map(|k| W[i][k] * W[j][k]).sum::<f64>();
            W[i][j] = match (i == j, sum > 1e-10 * rows[i].effect && rows[i].effect > 1e-12) {
                (true, true) => sum.sqrt(),
                // a row that moves nothing, or nothing that those before it do not move, takes no part
                (true, false) => f64::INFINITY,
                _ => sum / W[j][j],
            };
        }
    }
    for i in 0..n {
        r[i] = (r[i] - (0..i).map(|k| W[i][k] * r[k]).sum::<f64>()) / W[i][i];
    }
    for i in (0..n).rev() {
        r[i] = (r[i] - (i + 1..n).map(|k| W[k][i] * r[k]).sum::<f64>()) / W[i][i];
    }
    let mut change = 0.0_f64;
    for (row, step) in rows.iter_mut().zip(r) {
        row.impulse += step;
        apply(row, Y, v, step);
        change = change.max((step * row.effect).abs());
    }
    change
}

/// `J v` of a row.
#[inline(always)]
fn dot(row: &Row, J: &[f64], v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for s in &row.segments {
        let (at, n) = (s.at as usize, s.n as usize);
        let (j, v) = (&J[at..at + n], &v[s.v as usize..s.v as usize + n]);
        for (j, v) in j.iter().zip(v) {
            sum += j * v;
        }
    }
    sum
}

/// `v += Y k`.
#[inline(always)]
fn apply(row: &Row, Y: &[f64], v: &mut [f64], k: f64) {
    if k == 0.0 {
        return;
    }
    for s in &row.segments {
        let (at, n) = (s.at as usize, s.n as usize);
        let (y, v) = (&Y[at..at + n], &mut v[s.v as usize..s.v as usize + n]);
        for (v, y) in v.iter_mut().zip(y) {
            *v += y * k;
        }
    }
}

/// `J_a H⁻¹ J_bᵀ` of two rows on the same robots.
#[inline(always)]
fn coupling(a: &Row, b: &Row, J: &[f64], Y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (s, t) in a.segments.iter().zip(&b.segments) {
        let n = s.n as usize;
        let (j, y) = (&J[s.at as usize..s.at as usize + n], &Y[t.at as usize..t.at as usize + n]);
        for (j, y) in j.iter().zip(y) {
            sum += j * y;
        }
    }
    sum
}
