//! Islands: groups of robots that interact in a step, with their constraints as rows of one
//! problem.

use crate::contact::coupling::{Couplings, EngagedRows, FunnelRow};
use crate::contact::dofs;
use crate::contact::dofs::Dofs;
use crate::contact::geometry::detect::ContactPoint;
use crate::contact::geometry::shapes::Side;
use crate::contact::solver::augmented_lagrangian::Outcome;
use crate::contact::solver::blocks::CoordinateRange;
use crate::contact::solver::rows::{Block, Kind, Row, SLOP, Segment, dot_segments};
use crate::contact::solver::solve::Problem;
use merrow_math::Vec3;
use merrow_model::scene::{Integrator, Robot, Scene};
use merrow_model::state::contact::{Impulse, ImpulseKey};
use merrow_model::state::{State, Workspace};

/// Data of a robot that an island uses.
#[derive(Debug)]
pub(crate) struct RobotDynamics {
    /// Free coordinates of the robot.
    pub(crate) dofs: Dofs,
    /// Cholesky factor of the inertia over the free coordinates.
    pub L: Vec<f64>,
    /// Full inertia matrix, and inertia matrix over the free coordinates (scratch memory).
    pub full: [Vec<f64>; 2],
    /// True if the robot takes part in this step.
    pub active: bool,
    /// Offset of the robot's velocities in the velocities of its island.
    pub offset: usize,
    /// Index of the robot in its island.
    pub island_index: u32,
}

impl RobotDynamics {
    /// Creates the data of `robot` and allocates the memory that contacts need.
    pub(crate) fn new(robot: &Robot) -> Self {
        let dofs = Dofs::new(robot);
        let (n, all) = (dofs.n, 5 + robot.links.len());
        let [L, H, full] = [n, n, all].map(|n| Vec::with_capacity(n * n));
        Self {
            dofs,
            L,
            full: [full, H],
            active: false,
            offset: 0,
            island_index: 0,
        }
    }
}

/// A group of robots that are in contact, directly or through others.
#[derive(Debug, Default)]
pub(crate) struct Island {
    /// Indices of the robots, in increasing order.
    pub robots: Vec<u32>,
    /// Indices of the contact points, in increasing order.
    pub contact_points: Vec<u32>,
    /// Indices of the couplings that have rows, in increasing order.
    pub couplings: Vec<u32>,
    /// Row positions of the engaged couplings.
    pub engaged: Vec<EngagedRows>,
    /// Rows of the funnels of disengaged latches.
    pub(crate) funnel_rows: Vec<FunnelRow>,
    /// Constraint rows and the solution.
    pub problem: Problem,
    /// Velocities at the start of the free step, in the same order as in the problem.
    v_start: Vec<f64>,
    /// Outcome of the solver.
    pub outcome: Outcome,
    /// Warm-start keys of all blocks except couplings, in the order of the blocks.
    pub keys: Vec<ImpulseKey>,
}

/// Data from which rows are assembled.
pub(crate) struct AssemblyContext<'a, W> {
    /// Scene of the world.
    pub scene: &'a Scene,
    /// State of the world after the free step.
    pub state: &'a State,
    /// Workspaces of the robots, with the poses at the end of the free step.
    pub works: &'a [W],
    /// Coordinates and inertia of the robots.
    pub frames: &'a [RobotDynamics],
    /// Contact points of this step.
    pub contact_points: &'a [ContactPoint],
    /// Couplings of this step.
    pub couplings: &'a Couplings,
}

impl Island {
    /// Creates an empty island with memory for some contacts.
    pub(crate) fn with_capacity() -> Self {
        Self {
            robots: Vec::with_capacity(8),
            contact_points: Vec::with_capacity(32),
            keys: Vec::with_capacity(64),
            v_start: Vec::with_capacity(64),
            problem: Problem::with_capacity(64),
            ..Self::default()
        }
    }

    /// Clears the island and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.robots.clear();
        self.contact_points.clear();
        self.couplings.clear();
        self.engaged.clear();
        self.funnel_rows.clear();
        self.keys.clear();
        self.v_start.clear();
        self.problem.clear();
    }

    /// Assembles the rows of all constraints of the island.
    pub(crate) fn assemble<W: AsRef<Workspace>>(&mut self, context: &AssemblyContext<'_, W>) {
        for r in &self.robots {
            let r = *r as usize;
            let (dofs, motion) = (&context.frames[r].dofs, &context.state.robots[r].motion);
            let at = self.problem.v.len();
            self.problem.v.resize(at + dofs.n, 0.0);
            self.problem.bodies.push(CoordinateRange {
                v: at as u32,
                n: dofs.n as u32,
            });
            self.problem.L.extend_from_slice(&context.frames[r].L);
            dofs.gather(&motion.V_WB_B, &motion.qd, &mut self.problem.v[at..]);
            let work = context.works[r].as_ref();
            self.v_start.resize(at + dofs.n, 0.0);
            dofs.gather(&work.V_start, &work.qd_start, &mut self.v_start[at..]);
        }
        for k in 0..self.robots.len() {
            self.add_joint_rows(context, self.robots[k] as usize);
        }
        for k in 0..self.contact_points.len() {
            self.add_contact_rows(
                context,
                &context.contact_points[self.contact_points[k] as usize],
            );
        }
        for k in 0..self.couplings.len() {
            self.add_coupling_rows(context, self.couplings[k]);
        }
    }

    /// Adds the limits and dry friction of a robot's joints.
    fn add_joint_rows<W: AsRef<Workspace>>(&mut self, context: &AssemblyContext<'_, W>, r: usize) {
        let (robot, state, frame) = (
            &context.scene.robots[r],
            &context.state.robots[r],
            &context.frames[r],
        );
        let (h, work) = (context.scene.dt(), context.works[r].as_ref());
        for (j, link) in robot.links[1..].iter().enumerate() {
            let Some((c, fraction)) = frame.dofs.joint[j] else {
                continue;
            };
            let (q, qd) = (state.motion.q[j], state.motion.qd[j]);
            let joint = &link.joint;
            if joint.friction > 0.0 {
                let max_impulse = joint.friction * h;
                let kind = Kind::Box {
                    lo: -max_impulse,
                    hi: max_impulse,
                    stops: false,
                };
                let row = Row {
                    duration: duration_fraction(context.scene.integrator) * h,
                    ..Row::default()
                };
                self.add_joint_row(context, r, (j, 0), c, fraction, kind, row);
            }
            for (side, sign, gap) in [
                (1, 1.0, q - joint.limits[0]),
                (2, -1.0, joint.limits[1] - q),
            ] {
                if gap > LIMIT_MARGIN.max(h * qd.abs()) {
                    continue;
                }
                let speeds = [sign * work.qd_start[j], sign * qd];
                let row = stop_row(context.scene, gap, None, speeds, 0.0);
                self.add_joint_row(context, r, (j, side), c, sign * fraction, Kind::STOP, row);
            }
        }
    }

    fn add_joint_row<W: AsRef<Workspace>>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        r: usize,
        (joint, side): (usize, u32),
        column: usize,
        sign: f64,
        kind: Kind,
        row: Row,
    ) {
        let segment = self.add_segment(context, r);
        self.problem.J[segment.at as usize + column] = sign;
        let key = ImpulseKey::Joint {
            robot: r as u32,
            joint: joint as u32,
            side,
        };
        let guess = context.state.contacts.impulse(&key);
        let impulse = guess.map_or(0.0, |i| i.along_rows[0]);
        let segments = [segment, Segment::default()];
        self.finish_row(context, segments, Row { impulse, ..row });
        self.push_block(1, kind);
        self.keys.push(key);
    }

    /// Adds normal and friction rows of a contact point.
    fn add_contact_rows<W: AsRef<Workspace>>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        point: &ContactPoint,
    ) {
        let n = point.n_W;
        let (t1, t2) = tangents(n);
        let directions = [n, t1, t2];
        let key = ImpulseKey::Contact(point.shapes, point.features);
        let guess = context.state.contacts.impulse(&key);
        let guess = guess.map_or(Vec3::zero(), |i| i.force_W);
        let sides = [point.a.link(), point.b.link()];
        let segments = self.pair_rows(context, sides, (point.p_W, &directions, false));
        let mut ends = segments.map(|s| self.row_velocity(&s));
        let mut start = dot_segments(&segments[0], &self.problem.J, &self.v_start);
        // the velocity of the points includes prescribed joints, the velocity of the coordinates
        // does not
        let mut prescribed = [0.0; 3];
        if sides.iter().any(|side| is_driven(context, *side)) {
            let [v_start, v_end] =
                [true, false].map(|at| relative_velocity(context, sides, point.p_W, at));
            start = v_start.dot(n);
            prescribed = std::array::from_fn(|k| v_end.dot(directions[k]) - ends[k]);
            ends = directions.map(|d| v_end.dot(d));
        }
        let normal = stop_row(
            context.scene,
            point.gap,
            point.impact_fraction,
            [start, ends[0]],
            point.restitution,
        );
        self.convert_to_unit_inertia(context, &segments);
        for (k, d) in directions.into_iter().enumerate() {
            let component = guess.dot(d);
            let (target, impulse) = if k == 0 {
                (normal.target_velocity, component.max(0.0))
            } else {
                (0.0, component)
            };
            let inverse_mass = inverse_effective_mass(&segments[k], &self.problem.J);
            let target_velocity = target - prescribed[k];
            self.problem.rows.push(Row {
                segments: segments[k],
                target_velocity,
                impulse,
                inverse_mass,
                ..normal
            });
        }
        let friction = point.friction;
        self.push_block(3, Kind::Contact { friction });
        self.keys.push(key);
    }

    /// Converts the coefficients of three consecutive rows to coordinates of unit inertia.
    fn convert_to_unit_inertia<W>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        segments: &[[Segment; 2]; 3],
    ) {
        for s in segments[0].iter().filter(|s| s.n > 0) {
            let (at, n) = (s.at as usize, s.n as usize);
            let rows = &mut self.problem.J[at..at + 3 * n];
            dofs::three_impulses_to_unit_inertia(&context.frames[s.robot as usize].L, n, rows);
        }
    }

    /// Adds zero coefficients for robot `r`.
    pub(crate) fn add_segment<W>(&mut self, context: &AssemblyContext<'_, W>, r: usize) -> Segment {
        let frame = &context.frames[r];
        let at = self.problem.J.len();
        self.problem.J.resize(at + frame.dofs.n, 0.0);
        Segment {
            robot: r as u32,
            body: frame.island_index,
            v: frame.offset as u32,
            n: frame.dofs.n as u32,
            at: at as u32,
        }
    }

    /// Returns the coefficients of rows for the velocity of the first side relative to the second.
    ///
    /// The velocity is taken at `p_W` along each direction, or about it if `turns`. The rows of one
    /// robot are consecutive.
    pub(crate) fn pair_rows<W: AsRef<Workspace>, const K: usize>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        sides: [Side; 2],
        (p_W, d_W, turns): (Vec3, &[Vec3; K], bool),
    ) -> [[Segment; 2]; K] {
        let mut segments = [[Segment::default(); 2]; K];
        let mut first = None;
        for (k, (side, sign)) in sides.into_iter().zip([1.0, -1.0]).enumerate() {
            let Some((r, l)) = side.filter(|(r, _)| context.frames[*r].active) else {
                continue;
            };
            // two links of one robot share its coefficients
            let k = if first == Some(r) { 0 } else { k };
            if first != Some(r) {
                for row in &mut segments {
                    row[k] = self.add_segment(context, r);
                }
            }
            let (at, n) = (segments[0][k].at as usize, segments[0][k].n as usize);
            let rows = &mut self.problem.J[at..at + K * n];
            let (robot, links) = (&context.scene.robots[r], &context.works[r].as_ref().links);
            let dofs = &context.frames[r].dofs;
            if turns {
                for (d, row) in d_W.iter().zip(rows.chunks_exact_mut(n.max(1))) {
                    dofs.angular_row(robot, links, l, *d, sign, row);
                }
            } else {
                dofs.point_rows(robot, links, l, p_W, d_W, sign, rows);
            }
            first = first.or(Some(r));
        }
        segments
    }

    pub(crate) fn row_velocity(&self, segments: &[Segment; 2]) -> f64 {
        dot_segments(segments, &self.problem.J, &self.problem.v)
    }

    /// Completes a row whose coefficients are set, and appends it.
    pub(crate) fn finish_row<W>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        segments: [Segment; 2],
        mut row: Row,
    ) {
        let Problem { J, rows, .. } = &mut self.problem;
        row.segments = segments;
        for s in segments.iter().filter(|s| s.n > 0) {
            let coefficients = &mut J[s.at as usize..(s.at + s.n) as usize];
            let L = &context.frames[s.robot as usize].L;
            dofs::impulse_to_unit_inertia(L, s.n as usize, coefficients);
        }
        row.inverse_mass = inverse_effective_mass(&segments, J);
        rows.push(row);
    }

    /// Makes the last `n` rows a block.
    pub(crate) fn push_block(&mut self, n: u32, kind: Kind) {
        let first = self.problem.rows.len() as u32 - n;
        self.problem.blocks.push(Block { first, n, kind });
    }

    /// Returns the impulses of the solution, with their warm-start keys.
    pub(crate) fn impulses(&self) -> impl Iterator<Item = (ImpulseKey, [f64; 3])> + '_ {
        let blocks = self.keys.iter().zip(&self.problem.blocks);
        blocks.map(|(key, block)| {
            let mut out = [0.0; 3];
            for (out, row) in out.iter_mut().zip(&self.problem.rows[block.rows()]) {
                *out = row.impulse;
            }
            (*key, out)
        })
    }
}

/// Minimum approach speed of an impact, also without gravity [m/s or rad/s].
const MIN_IMPACT_SPEED: f64 = 1e-3;
/// Distance from a joint limit below which a limit row is created [rad or m].
const LIMIT_MARGIN: f64 = 1e-3;

/// Returns the duration, as a fraction of the step, over which an evenly applied velocity change
/// moves the coordinates.
///
/// Half of the step if the free step was integrated exactly; the whole step if the integrator uses
/// the velocity at the end.
pub(crate) fn duration_fraction(integrator: Integrator) -> f64 {
    match integrator {
        Integrator::Rk4 => 0.5,
        Integrator::SemiImplicit => 1.0,
    }
}

/// Creates a one-sided row from the gap at the end of the free step.
///
/// `impact_fraction` is the time of the impact as a fraction of the step, and `v0`, `v1` are the
/// speeds at start and end (opening positive). The approach speed has two parts. The speed at the
/// impact is removed at once. The speed gained since then is removed evenly over the step. A body
/// at rest therefore remains at rest to the last bit, and a body that bounces leaves at the height
/// of the impact.
pub(crate) fn stop_row(
    scene: &Scene,
    gap: f64,
    impact_fraction: Option<f64>,
    [v0, v1]: [f64; 2],
    restitution: f64,
) -> Row {
    let h = scene.dt();
    let duration = duration_fraction(scene.integrator) * h;
    // slower bodies count as resting: impacts during rest would amplify rounding
    let slowest_impact = (2.0 * scene.gravity * h).max(MIN_IMPACT_SPEED);
    if gap > 0.0 {
        // Other bodies may push it into contact. A fast approach continues and makes contact in the
        // next step. The gap is closed only down to the slop, so that a resting body does not
        // oscillate.
        let closing = -(gap - SLOP).max(0.0) / h;
        let target_velocity = if -v1 > slowest_impact {
            v1.min(closing)
        } else {
            closing
        };
        return Row {
            target_velocity,
            duration,
            gap,
            ..Row::default()
        };
    }
    let gap_start = gap - 0.5 * h * (v0 + v1);
    let fraction = impact_fraction.unwrap_or_else(|| {
        if gap_start > 0.0 {
            gap_start / (gap_start - gap)
        } else {
            0.0
        }
    });
    let v_hit = (v0 + (v1 - v0) * fraction).min(0.0);
    let is_impact = -v_hit > slowest_impact;
    let bounces = restitution > 0.0 && is_impact;
    let e = if bounces { restitution } else { 0.0 };
    let target_velocity = if bounces {
        -e * v_hit + (v1 - v_hit)
    } else {
        0.0
    };
    let impact_velocity = if is_impact { -(1.0 + e) * v_hit } else { 0.0 };
    Row {
        target_velocity,
        duration,
        impact_velocity,
        time_since_impact: (1.0 - fraction) * h,
        gap,
        ..Row::default()
    }
}

/// Computes `J H⁻¹ Jᵀ` of a row in coordinates of unit inertia, with a lower bound.
///
/// The bound avoids a division by zero for rows that move no body, such as a fixed link at a wall.
fn inverse_effective_mass(segments: &[Segment; 2], Z: &[f64]) -> f64 {
    let mut sum = 0.0;
    for s in segments {
        for z in &Z[s.at as usize..(s.at + s.n) as usize] {
            sum += z * z;
        }
    }
    sum.max(1e-12)
}

/// Returns true if a side also moves independently of the coordinates of the problem.
fn is_driven<W>(context: &AssemblyContext<'_, W>, side: Side) -> bool {
    side.is_some_and(|(r, _)| context.frames[r].dofs.is_driven || !context.frames[r].active)
}

/// Returns the velocity [m/s], W, of the first side relative to the second at `p_W` [m], at the
/// start or the end of the free step.
pub(crate) fn relative_velocity<W: AsRef<Workspace>>(
    context: &AssemblyContext<'_, W>,
    sides: [Side; 2],
    p_W: Vec3,
    at_start: bool,
) -> Vec3 {
    let [a, b] = sides.map(|side| {
        let Some((r, l)) = side.filter(|(r, _)| context.state.robots[*r].halted.is_none()) else {
            return Vec3::zero();
        };
        let (robot, work) = (&context.scene.robots[r], context.works[r].as_ref());
        let motion = &context.state.robots[r].motion;
        let velocities = if at_start {
            (&work.V_start, &work.qd_start)
        } else {
            (&motion.V_WB_B, &motion.qd)
        };
        dofs::point_velocity(
            robot,
            &work.links,
            l,
            p_W,
            (velocities.0, &velocities.1[..]),
        )
    });
    a - b
}

/// Returns two unit vectors that complete `n` to a right-handed frame; deterministic for the same
/// `n`.
fn tangents(n: Vec3) -> (Vec3, Vec3) {
    // [Duff 2017, listing 3]
    let sign = if n.z < 0.0 { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (
        Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        Vec3::new(b, sign + n.y * n.y * a, -n.y),
    )
}

/// Merges the sets of `a` and `b` (union-find); the smaller root is kept.
pub(crate) fn union_sets(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find_root(parents, a), find_root(parents, b));
    let (low, high) = (a.min(b), a.max(b));
    parents[high as usize] = low;
}

/// Returns the root of the set of `a` (union-find).
pub(crate) fn find_root(parents: &mut [u32], mut a: u32) -> u32 {
    while parents[a as usize] != a {
        parents[a as usize] = parents[parents[a as usize] as usize];
        a = parents[a as usize];
    }
    a
}

/// Returns the total impulse of a contact point in the world [N s], from the impulses along normal
/// and tangents.
pub(crate) fn total_impulse(n_W: Vec3, [n, a, b]: [f64; 3]) -> Impulse {
    let (t1, t2) = tangents(n_W);
    Impulse {
        along_rows: [n, a, b],
        force_W: n_W.scale(n) + t1.scale(a) + t2.scale(b),
    }
}
