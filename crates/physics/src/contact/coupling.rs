//! Couplings in a step: constraint rows, predicted loads, latching and breaking.
//!
//! # Law
//! ```text
//!   held:    dₖ · (v_B - v_A) = ȯₖ at p_B,  dₖ · (w_B - w_A) = ȯₖ,   misfitₖ → oₖ      (1)
//!   draw-in: ö = -2 ȯ/τ - o/τ²                                                        (2)
//!   funnel:  0 ≤ λ ⟂ g ≥ 0,   g = (r(z) - ρ) cos β and -z                             (3)
//!   load:    F = F̂ + Δλ/h                                                             (4)
//! ```
//! The predicted load F̂ is extrapolated from the two previous steps. It acts during the free step
//! and rotates with T. At the end of the step (1) computes only the missing part Δλ. Point of
//! application and direction of the load are therefore of second order, and a hinge conserves
//! energy to first order.
//!
//! # Symbols
//! d axes of T, the frame in which B is held in A. o offset at which the end was caught, drawn to
//! zero with the time constant τ. r, ρ radius of the funnel and of the tip, β half its angle, z
//! along its axis. λ impulse [N s or N m s], h step [s].
//!
//! # Frames
//! Rows in generalized coordinates, loads along the axes of the world, on the second end.
//!
//! # Limits
//! The load is a mean over a step, so the shorter the step, the more easily an impact breaks a
//! coupling. The funnel is frictionless, and only the tip collides with it.
//!
//! # Checked by
//! test/analytic/contacts/coupling.rs, test/analytic/contacts/docking.rs

use crate::contact::dofs::from_unit_inertia;
use crate::contact::geometry::shapes::Side;
use crate::contact::island::{
    AssemblyContext, Island, RobotDynamics, duration_fraction, relative_velocity, stop_row,
};
use crate::contact::solver::rows::{Kind, Row, Segment};
use merrow_math::{Quat, SpatialForce, Vec3};
use merrow_model::kinematics::coupling;
use merrow_model::kinematics::coupling::FrameMotion;
use merrow_model::scene::{Coupling, CouplingEnd, CouplingKind, Funnel, Latch, Scene};
use merrow_model::state::coupling::LatchCapture;
use merrow_model::state::{CouplingState, State, Workspace};

/// Time constant with which a latched end is drawn to its final pose [s].
const DRAW_IN_TIME: f64 = 0.2;
/// Maximum gap at which a funnel row is created [m].
const MARGIN: f64 = 1e-3;
/// Relative change of a load from one step to the next above which it counts as an impact.
const MIN_IMPACT_CHANGE: f64 = 0.5;

/// A coupling that has rows in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveCoupling {
    /// Index of the coupling in `Scene::couplings`.
    pub coupling: u32,
    /// Links of the first and the second end; `None` for the world and for halted robots.
    pub sides: [Side; 2],
    T: FrameMotion,
    B: FrameMotion,
    deviation: [f64; 6],
}

impl ActiveCoupling {
    /// Returns the robots at the ends of the coupling that impulses can move.
    pub(crate) fn movable_robots(&self, movable: &[bool]) -> [Option<u32>; 2] {
        self.sides
            .map(|s| s.filter(|(r, _)| movable[*r]).map(|(r, _)| r as u32))
    }

    /// Adds a mean moment and force, on the second end at its origin along the world axes, to the
    /// coupling forces of both links.
    fn add_coupling_force<W: AsRef<Workspace>>(
        &self,
        state: &mut State,
        works: &[W],
        m: Vec3,
        f: Vec3,
    ) {
        for (side, sign) in self.sides.into_iter().zip([-1.0, 1.0]) {
            let Some((r, l)) = side else { continue };
            let arm = self.B.p_W - works[r].as_ref().links[l].p_WL;
            state.robots[r].clear_step_forces();
            let sum = &mut state.robots[r].coupling_force[l];
            *sum += SpatialForce::new((m + arm.cross(f)).scale(sign), f.scale(sign));
        }
    }
}

/// Position of the rows of an engaged coupling in an island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngagedRows {
    active: u32,
    first: u32,
}

/// A row of a funnel: its position in an island, and the direction in which it pushes the tip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunnelRow {
    active: u32,
    row: u32,
    n_W: Vec3,
}

/// Couplings of a world in one step.
#[derive(Debug, Default)]
pub(crate) struct Couplings {
    /// Couplings that have rows in this step.
    pub active: Vec<ActiveCoupling>,
    /// Pairs of coupled links, which do not collide, each with the smaller side first; sorted.
    pub(crate) non_colliding: Vec<[Side; 2]>,
}

fn side(state: &State, end: &CouplingEnd) -> Side {
    end.link()
        .filter(|(r, _)| state.robots[*r].halted.is_none())
}

impl Couplings {
    /// Collects the couplings that have rows, after the free step. Advances the draw-in of latched
    /// ends.
    pub(crate) fn update_active(&mut self, scene: &Scene, state: &mut State) {
        self.active.clear();
        self.non_colliding.clear();
        for (k, c) in scene.couplings.iter().enumerate() {
            let memory = &mut state.couplings[k];
            let Some(b) = coupling::second_end(c, memory) else {
                continue;
            };
            if !(memory.engaged || memory.guided) {
                continue;
            }
            if memory.engaged {
                advance_draw_in(memory, scene.dt());
            }
            let memory = state.couplings[k];
            let (A, B) = (
                coupling::end_motion(scene, state, &c.a),
                coupling::end_motion(scene, state, &b),
            );
            let T = if memory.engaged {
                coupling::target_frame(&A, memory.p_AT, &memory.q_AT)
            } else {
                A
            };
            let deviation = coupling::deviation(&c.kind, &T, &B).0;
            let sides = [side(state, &c.a), side(state, &b)];
            self.active.push(ActiveCoupling {
                coupling: k as u32,
                sides,
                T,
                B,
                deviation,
            });
            if memory.engaged {
                let (a, b) = (c.a.link(), b.link());
                self.non_colliding.push([a.min(b), a.max(b)]);
            }
        }
        self.non_colliding.sort_unstable();
    }

    /// Applies the predicted loads to the workspaces for the coming step.
    pub(crate) fn apply_predicted_loads<W: AsMut<Workspace>>(
        &self,
        scene: &Scene,
        state: &State,
        works: &mut [W],
    ) {
        for work in works.iter_mut() {
            work.as_mut().coupling_wrenches.clear();
        }
        let h = scene.dt();
        for (c, memory) in scene.couplings.iter().zip(&state.couplings) {
            let Some(b) = coupling::second_end(c, memory).filter(|_| memory.engaged) else {
                continue;
            };
            let (A, B) = (
                coupling::end_motion(scene, state, &c.a),
                coupling::end_motion(scene, state, &b),
            );
            let T = coupling::target_frame(&A, memory.p_AT, &memory.q_AT);
            for (end, sign) in [(&b, 1.0), (&c.a, -1.0)] {
                if let Some((r, l)) = side(state, end) {
                    let link = coupling::link_motion_or_rest(scene, state, r, l);
                    let work = works[r].as_mut();
                    work.coupling_wrenches
                        .resize(scene.robots[r].links.len(), [SpatialForce::zero(); 3]);
                    add_predicted_load(
                        &mut work.coupling_wrenches[l],
                        &memory.predicted_load,
                        sign,
                        [&T, &B, &link],
                        h,
                    );
                }
            }
        }
    }

    /// Updates the couplings after a step: stores loads, and detects breaking, latching and entry
    /// into funnels.
    ///
    /// `works` holds the poses at the end of the free step.
    pub(crate) fn update_after_step<W: AsRef<Workspace>>(
        &self,
        (scene, works): (&Scene, &[W]),
        state: &mut State,
        islands: &mut [Island],
        frames: &[RobotDynamics],
    ) {
        let h = scene.dt();
        for island in islands.iter_mut().filter(|i| i.problem.is_finite()) {
            for guided in &island.funnel_rows {
                let active = &self.active[guided.active as usize];
                let f = guided
                    .n_W
                    .scale(island.problem.rows[guided.row as usize].impulse / h);
                active.add_coupling_force(state, works, Vec3::zero(), f);
            }
            for index in 0..island.engaged.len() {
                let rows = island.engaged[index];
                let active = &self.active[rows.active as usize];
                let k = active.coupling as usize;
                let c = &scene.couplings[k];
                let found = island.coupling_impulse(&c.kind, &rows).map(|x| x / h);
                let old_prediction = state.couplings[k].predicted_load;
                let mut change = store_load(&mut state.couplings[k], found, &active.T);
                if state.couplings[k].is_overloaded(c) {
                    state.couplings[k].release(LatchCapture::Off);
                    change = old_prediction.map(|x| -x);
                }
                island.subtract_load_change(&c.kind, &rows, change, frames, state);
                let rest: [f64; 6] = std::array::from_fn(|i| found[i] - change[i]);
                let [fx, fy, fz, mx, my, mz] = rest;
                let R_WT = &active.T.R_W;
                active.add_coupling_force(
                    state,
                    works,
                    R_WT.mul_vec(Vec3::new(mx, my, mz)),
                    R_WT.mul_vec(Vec3::new(fx, fy, fz)),
                );
            }
        }
        for (k, c) in scene.couplings.iter().enumerate() {
            let memory = state.couplings[k];
            if let (CouplingKind::Latch(latch), false) = (&c.kind, memory.engaged) {
                state.couplings[k] = update_latch(scene, state, c, latch, memory);
            }
        }
    }
}

/// Solves (2) exactly over a step.
fn advance_draw_in(memory: &mut CouplingState, h: f64) {
    let decay = libm::exp(-h / DRAW_IN_TIME);
    for (o, rate) in memory.offset.iter_mut().zip(&mut memory.offset_rate) {
        let b = *rate + *o / DRAW_IN_TIME;
        *o = (*o + b * h) * decay;
        *rate = b * decay - *o / DRAW_IN_TIME;
        if o.abs() + rate.abs() < 1e-12 {
            (*o, *rate) = (0.0, 0.0);
        }
    }
}

/// Adds a load along T to a link at the start, midpoint and end of the step. The load rotates with
/// T and acts at B.
fn add_predicted_load(
    stages: &mut [SpatialForce; 3],
    load: &[f64; 6],
    sign: f64,
    [T, B, link]: [&FrameMotion; 3],
    h: f64,
) {
    let [fx, fy, fz, mx, my, mz] = load.map(|x| sign * x);
    let (f, m) = (
        T.R_W.mul_vec(Vec3::new(fx, fy, fz)),
        T.R_W.mul_vec(Vec3::new(mx, my, mz)),
    );
    for (k, stage) in stages.iter_mut().enumerate() {
        let t = 0.5 * h * k as f64;
        let rotate = |v: Vec3, w: Vec3| Quat::from_rotation_vector(w.scale(t)).matrix().mul_vec(v);
        let in_link = |v: Vec3| link.R_W.tr_mul_vec(rotate(v, -link.w_W));
        let (f, m) = (in_link(rotate(f, T.w_W)), in_link(rotate(m, T.w_W)));
        // if the second end slides on the link, the point of application moves with it
        let slip = B.v_W - link.velocity_at(B.p_W);
        let arm = link.R_W.tr_mul_vec(B.p_W - link.p_W + slip.scale(t));
        *stage += SpatialForce::new(m + arm.cross(f), f);
    }
}

/// Stores the load (4). Returns the change of the predicted load between this step and the next
/// step.
///
/// The prediction is a linear extrapolation. A jump counts as an impact; the prediction is then the
/// smaller of the load and the previous load.
fn store_load(memory: &mut CouplingState, found: [f64; 6], T: &FrameMotion) -> [f64; 6] {
    let (old_prediction, old_load) = (memory.predicted_load, memory.load);
    let load: [f64; 6] = std::array::from_fn(|i| old_prediction[i] + found[i]);
    let mut prediction = load;
    for components in [0..3, 3..6] {
        let size = |x: &[f64; 6]| {
            x[components.clone()]
                .iter()
                .map(|x| x * x)
                .sum::<f64>()
                .sqrt()
        };
        let step: [f64; 6] = std::array::from_fn(|i| load[i] - old_load[i]);
        let is_impact = size(&step) > MIN_IMPACT_CHANGE * size(&old_load);
        for i in components.clone() {
            prediction[i] = match is_impact {
                false => load[i] + step[i],
                true if size(&old_load) < size(&load) => old_load[i],
                true => load[i],
            };
        }
    }
    (memory.load, memory.predicted_load) = (load, prediction);
    memory.force_W = T.R_W.mul_vec(Vec3::new(load[0], load[1], load[2]));
    memory.moment_W = T.R_W.mul_vec(Vec3::new(load[3], load[4], load[5]));
    std::array::from_fn(|i| prediction[i] - old_prediction[i])
}

/// Updates a disengaged latch: whether its tip is in the funnel, whether it is armed, and whether
/// it latches.
fn update_latch(
    scene: &Scene,
    state: &State,
    c: &Coupling,
    latch: &Latch,
    mut memory: CouplingState,
) -> CouplingState {
    let Some(b) = c.b else { return memory };
    let (A, B) = (
        coupling::end_motion(scene, state, &c.a),
        coupling::end_motion(scene, state, &b),
    );
    if let Some(funnel) = &latch.funnel {
        let [x, y, z] = A.R_W.tr_mul_vec(B.p_W - A.p_W).to_array();
        let enters = z <= MARGIN && (x * x + y * y).sqrt() <= funnel_radius(funnel, z);
        memory.guided = z >= -funnel.length_m && (memory.guided || enters);
    }
    let distance = (B.p_W - A.p_W).norm();
    if memory.capture == LatchCapture::Leaving && distance > latch.distance_m {
        memory.capture = LatchCapture::Armed;
    }
    if memory.capture != LatchCapture::Armed || distance > latch.distance_m {
        return memory;
    }
    let axis = A.R_W.col(2).dot(B.R_W.col(2)).clamp(-1.0, 1.0);
    let twist = coupling::twist(&Quat::from_matrix(&A.R_W.transpose().mul_mat(&B.R_W)));
    let speed = (B.v_W - A.velocity_at(B.p_W)).norm();
    let spin = (B.w_W - A.w_W).norm();
    let is_aligned = libm::acos(axis) <= latch.angle_deg.to_radians()
        && latch
            .roll_deg
            .is_none_or(|max_roll| twist.abs() <= max_roll.to_radians());
    if is_aligned && speed <= latch.speed_m_s && spin <= latch.angular_speed_rad_s {
        let kept_twist = if latch.roll_deg.is_none() { twist } else { 0.0 };
        memory.q_AT = Quat::from_rotation_vector(Vec3::new(0.0, 0.0, kept_twist));
        let T = coupling::target_frame(&A, memory.p_AT, &memory.q_AT);
        let (offset, rate) = coupling::deviation(&c.kind, &T, &B);
        memory.engage(offset, rate);
        memory.guided = false;
    }
    memory
}

/// Returns the indices of the constrained directions: translation 0 to 2, rotation 3 to 5.
fn constrained(kind: &CouplingKind) -> impl Iterator<Item = usize> {
    let is_constrained = kind.constrained_directions();
    (0..6).filter(move |i| is_constrained[*i])
}

/// Returns the radius of a funnel at z [m].
fn funnel_radius(funnel: &Funnel, z: f64) -> f64 {
    let fraction = (-z / funnel.length_m).clamp(0.0, 1.0);
    funnel.exit_radius_m + (funnel.entrance_radius_m - funnel.exit_radius_m) * fraction
}

impl Island {
    /// Adds the rows of a coupling: equalities while it is engaged, otherwise the rows of its
    /// funnel.
    pub(crate) fn add_coupling_rows<W: AsRef<Workspace>>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        index: u32,
    ) {
        let active = &context.couplings.active[index as usize];
        let k = active.coupling as usize;
        let (c, memory) = (&context.scene.couplings[k], &context.state.couplings[k]);
        if !memory.engaged {
            if let CouplingKind::Latch(Latch {
                funnel: Some(funnel),
                ..
            }) = &c.kind
            {
                self.add_funnel_rows(context, index, funnel);
            }
            return;
        }
        let first = self.problem.rows.len() as u32;
        let duration = duration_fraction(context.scene.integrator) * context.scene.dt();
        for i in constrained(&c.kind) {
            let d = active.T.R_W.col(i % 3);
            let (segments, speed) = self.coupling_row(context, active, d, i >= 3);
            let row = Row {
                target_velocity: memory.offset_rate[i] - (speed - self.row_velocity(&segments)),
                duration,
                gap: active.deviation[i] - memory.offset[i],
                ..Row::default()
            };
            self.finish_row(context, segments, row);
        }
        self.push_block(self.problem.rows.len() as u32 - first, Kind::Equality);
        self.engaged.push(EngagedRows {
            active: index,
            first,
        });
    }

    /// Adds the funnel rows by (3).
    fn add_funnel_rows<W: AsRef<Workspace>>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        index: u32,
        funnel: &Funnel,
    ) {
        let active = &context.couplings.active[index as usize];
        let [x, y, z] = active
            .T
            .R_W
            .tr_mul_vec(active.B.p_W - active.T.p_W)
            .to_array();
        let rho = (x * x + y * y).sqrt();
        let slope = (funnel.entrance_radius_m - funnel.exit_radius_m) / funnel.length_m;
        let cos = 1.0 / (1.0 + slope * slope).sqrt();
        // on the axis the radial direction is arbitrary
        let out = if rho > 1e-9 {
            [x / rho, y / rho]
        } else {
            [1.0, 0.0]
        };
        let wall = Vec3::new(-out[0] * cos, -out[1] * cos, -slope * cos);
        let along = if z < 0.0 {
            wall
        } else {
            Vec3::new(-out[0], -out[1], 0.0)
        };
        let across = (funnel_radius(funnel, z) - rho) * if z < 0.0 { cos } else { 1.0 };
        let start = relative_velocity(
            context,
            [active.sides[1], active.sides[0]],
            active.B.p_W,
            true,
        );
        for (n, gap) in [(along, across), (Vec3::new(0.0, 0.0, -1.0), -z)] {
            let n_W = active.T.R_W.mul_vec(n);
            let speeds = [start.dot(n_W), self.coupling_speed(active, n_W)];
            if gap > MARGIN.max(context.scene.dt() * speeds[1].abs()) {
                continue;
            }
            let mut row = stop_row(context.scene, gap, None, speeds, 0.0);
            let (segments, speed) = self.coupling_row(context, active, n_W, false);
            row.target_velocity -= speed - self.row_velocity(&segments);
            self.finish_row(context, segments, row);
            self.push_block(1, Kind::STOP);
            self.funnel_rows.push(FunnelRow {
                active: index,
                row: self.problem.rows.len() as u32 - 1,
                n_W,
            });
        }
    }

    fn coupling_speed(&self, active: &ActiveCoupling, d: Vec3) -> f64 {
        (active.B.v_W - active.T.velocity_at(active.B.p_W)).dot(d)
    }

    /// Returns the coefficients of a row for the velocity of the second end relative to the first
    /// along `d` (or about it), and that velocity.
    fn coupling_row<W: AsRef<Workspace>>(
        &mut self,
        context: &AssemblyContext<'_, W>,
        active: &ActiveCoupling,
        d: Vec3,
        is_rotation: bool,
    ) -> ([Segment; 2], f64) {
        let sides = [active.sides[1], active.sides[0]];
        let [segments] = self.pair_rows(context, sides, (active.B.p_W, &[d], is_rotation));
        let speed = if is_rotation {
            (active.B.w_W - active.T.w_W).dot(d)
        } else {
            self.coupling_speed(active, d)
        };
        (segments, speed)
    }

    /// Returns the solution of the rows of a coupling: impulse and angular impulse at the second
    /// end, along T [N s, N m s].
    fn coupling_impulse(&self, kind: &CouplingKind, rows: &EngagedRows) -> [f64; 6] {
        let mut all = [0.0; 6];
        for (n, i) in constrained(kind).enumerate() {
            all[i] = self.problem.rows[rows.first as usize + n].impulse;
        }
        all
    }

    /// Subtracts the change of the predicted load from the impulse accelerations of the robots.
    ///
    /// Loads are measured as the mean over the last step.
    fn subtract_load_change(
        &mut self,
        kind: &CouplingKind,
        rows: &EngagedRows,
        change: [f64; 6],
        frames: &[RobotDynamics],
        state: &mut State,
    ) {
        for (n, i) in constrained(kind).enumerate() {
            let segments = self.problem.rows[rows.first as usize + n].segments;
            for s in segments.iter().filter(|s| s.n > 0) {
                let frame = &frames[s.robot as usize];
                let y = &mut self.problem.J[s.at as usize..(s.at + s.n) as usize];
                from_unit_inertia(&frame.L, y.len(), y);
                let impulse = &mut state.robots[s.robot as usize].impulse_acceleration;
                impulse.is_nonzero |= change[i] != 0.0;
                frame.dofs.add_velocity_change(
                    y,
                    -0.5 * change[i],
                    &mut impulse.A_WB_B,
                    &mut impulse.qdd,
                );
            }
        }
    }
}
