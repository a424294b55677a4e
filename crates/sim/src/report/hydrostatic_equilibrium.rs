//! Hydrostatic equilibrium of a robot in calm water: its floating position and its stiffness there.
//!
//! Used by `merrow describe`. The forces are computed by [`Kernel::evaluate`] on the robot at rest,
//! for any kind of hull, with the joints at their start positions. Newton's method starts upright
//! and solves for heave, roll and pitch, so it also finds unstable equilibria, whose metacentric
//! height is negative.

use crate::step::Kernel;
use merrow_environment::{EnvironmentState, Variation};
use merrow_math::{Quat, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::sea::air::Air;
use merrow_model::scene::{Current, Hull, Robot, Scene, Sea, Waves};
use merrow_model::state::{Motion, RobotState, Workspace};
use merrow_physics::forces::actuators::{fin, thruster};
use nalgebra::{Matrix3, Vector3};

/// Equilibrium of a robot at the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatingState {
    /// Height of the base origin over the surface [m].
    pub z: f64,
    /// Roll at the equilibrium [rad].
    pub roll: f64,
    /// Pitch, positive bow down [rad].
    pub pitch: f64,
    /// Depth of its lowest point [m]; `None` for linear hydrostatics, which have no hull shape.
    pub draught: Option<f64>,
    /// Displaced volume of water [m³]. With linear hydrostatics: the buoyancy over the specific
    /// weight of the water.
    pub volume: f64,
    /// Centre of buoyancy in B [m]; `None` for linear hydrostatics.
    pub p_BoCb: Option<Vec3>,
    /// Centre of mass in B [m].
    pub p_BoBcm: Vec3,
    /// Submerged fraction of the base link, 0..1.
    pub submerged_fraction: f64,
    /// Area of the waterplane [m²].
    pub waterplane: f64,
    /// Metacentric height in roll [m].
    pub gm_transverse: f64,
    /// Metacentric height in pitch [m].
    pub gm_longitudinal: f64,
}

/// Behaviour of a robot in calm water.
#[derive(Clone, Debug, PartialEq)]
pub enum Equilibrium {
    /// Floats at the surface.
    Floating(FloatingState),
    /// Neutrally buoyant: its weight equals the weight of the displaced water to one part in a
    /// million.
    Neutral,
    /// Negatively buoyant: the weight exceeds the largest buoyancy by this force [N].
    Sinks(f64),
    /// Has no buoyancy, or the iteration found no equilibrium.
    None,
}

/// Step of the finite differences: heights of 1e-4 of the hull size, and 1e-4 rad.
const STEP: f64 = 1e-4;
/// Maximum number of Newton steps.
const STEPS_MAX: usize = 60;

/// A robot at rest in calm water.
pub(super) struct CalmWaterModel<'a> {
    robot: &'a Robot,
    pub(super) sea: Sea,
    gravity: f64,
    pub(super) work: Workspace,
    motion: Motion,
}

/// Computes the equilibrium of `robot` in the calm water of `scene`.
pub fn compute_equilibrium(scene: &Scene, robot: &Robot) -> Equilibrium {
    let mut calm = CalmWaterModel::new(scene, robot);
    let size = robot.links.iter().map(|l| l.hull.bound).fold(0.0, f64::max);
    let volume: f64 = robot.links.iter().map(|l| l.volume_m3).sum();
    if !robot.floating || volume <= 0.0 || size <= 0.0 || scene.gravity <= 0.0 {
        return Equilibrium::None;
    }
    let span = calm.max_extent();
    let (mut low, mut high) = (-span, span);
    let deep = calm.force([low, 0.0, 0.0])[0];
    let weight = robot.mass() * scene.gravity;
    // a trimmed robot is neutral only to rounding
    if deep.abs() < 1e-6 * weight {
        return Equilibrium::Neutral;
    }
    if deep <= 0.0 {
        return Equilibrium::Sinks(-deep);
    }
    for _ in 0..200 {
        let midpoint = 0.5 * (low + high);
        if calm.force([midpoint, 0.0, 0.0])[0] > 0.0 {
            low = midpoint
        } else {
            high = midpoint
        }
    }
    let mut x = [0.5 * (low + high), 0.0, 0.0];
    for _ in 0..STEPS_MAX {
        let f = calm.force(x);
        if f[0].abs() < 1e-10 * weight && f[1].hypot(f[2]) < 1e-10 * weight * size {
            return Equilibrium::Floating(calm.floating_state(x, size));
        }
        let Some(dx) = solve(&calm.stiffness(x, size), f) else {
            return Equilibrium::None;
        };
        // step limits: a fraction of the hull size, and no rotation beyond 0.2 rad
        let max_step = [0.3 * size, 0.2, 0.2];
        let excess = (0..3)
            .map(|i| dx[i].abs() / max_step[i])
            .fold(1.0, f64::max);
        for i in 0..3 {
            x[i] += dx[i] / excess;
        }
    }
    Equilibrium::None
}

impl<'a> CalmWaterModel<'a> {
    pub(super) fn new(scene: &Scene, robot: &'a Robot) -> Self {
        let zero_current = Current {
            profile: vec![(0.0, Vec3::zero())],
            variation: None,
            flows: Vec::new(),
        };
        let (air, waves) = (Air::default(), Waves::default());
        let sea = Sea {
            current: zero_current,
            air,
            waves,
            ..scene.sea.clone()
        };
        let motion = RobotState::new(robot).motion;
        let motion = Motion {
            p_WB: Vec3::zero(),
            ..motion
        };
        Self {
            robot,
            sea,
            gravity: scene.gravity,
            work: Workspace::new(robot),
            motion,
        }
    }

    /// Returns the upper bound of the distance of any point of the robot from its base [m].
    pub(super) fn max_extent(&mut self) -> f64 {
        kinematics::poses(self.robot, &self.motion, &mut self.work.links);
        let links = self.robot.links.iter().zip(&self.work.links);
        let reach = links
            .map(|(l, w)| (w.p_WL - self.motion.p_WB).norm() + l.hull.p_LoH.norm() + l.hull.bound);
        1.01 * reach.fold(0.0, f64::max)
    }

    /// Places the robot at height [m], roll and pitch [rad].
    pub(super) fn place(&mut self, [z, roll, pitch]: [f64; 3]) {
        self.motion.p_WB = Vec3::new(0.0, 0.0, z);
        self.motion.q_WB = Quat::from_rpy(roll, pitch, 0.0);
        self.motion.V_WB_B = SpatialVelocity::zero();
        self.motion.qd.fill(0.0);
        kinematics::poses(self.robot, &self.motion, &mut self.work.links);
    }

    /// Evaluates the forces on the robot, with the thrust of the actuators of `driven`.
    pub(super) fn evaluate(&mut self, driven: Option<&mut RobotState>) {
        let at = EnvironmentState {
            sea: &self.sea,
            gravity: self.gravity,
            time: 0.0,
            variation: Variation::NONE,
            waves: None,
        };
        if let Some(state) = driven {
            fin::store_current(self.robot, state, &mut self.work);
            thruster::store_current(self.robot, state, &at, &mut self.work, &mut ());
        }
        let commands = vec![0.0; self.robot.n_joints()];
        Kernel::new().evaluate(self.robot, &at, &self.motion, &commands, &mut self.work);
    }

    fn evaluate_at(&mut self, pose: [f64; 3]) {
        self.place(pose);
        self.evaluate(None);
    }

    /// Returns the sum of the evaluated forces at the base origin, in W.
    pub(super) fn sum_of_forces(&self) -> SpatialForce {
        let p = self.motion.p_WB;
        self.work.links.iter().fold(SpatialForce::zero(), |sum, w| {
            sum + w.F.to_parent(&w.R_WL, w.p_WL - p)
        })
    }

    /// Computes the upward force [N] and the moments about x and y of W at the base origin [N m],
    /// at heave [m], roll [rad] and pitch [rad] `x`.
    fn force(&mut self, x: [f64; 3]) -> [f64; 3] {
        self.evaluate_at(x);
        let sum = self.sum_of_forces();
        [sum.f.z, sum.m.x, sum.m.y]
    }

    /// Computes the stiffness matrix for small heave, roll and pitch by central differences.
    fn stiffness(&mut self, x: [f64; 3], size: f64) -> [[f64; 3]; 3] {
        let mut k = [[0.0; 3]; 3];
        for j in 0..3 {
            let h = if j == 0 { STEP * size } else { STEP };
            let (mut above, mut below) = (x, x);
            above[j] += h;
            below[j] -= h;
            let (above, below) = (self.force(above), self.force(below));
            for i in 0..3 {
                k[i][j] = (below[i] - above[i]) / (2.0 * h);
            }
        }
        k
    }

    fn floating_state(&mut self, x: [f64; 3], size: f64) -> FloatingState {
        let k = self.stiffness(x, size);
        self.evaluate_at(x);
        let R_BW = self.motion.q_WB.matrix().transpose();
        let p_WB = self.motion.p_WB;
        let (mut volume, mut moment, mut lowest) = (0.0, Vec3::zero(), f64::INFINITY);
        let (mut mass, mut first) = (0.0, Vec3::zero());
        let (rho_g, mut has_shape) = (self.sea.density * self.gravity, true);
        for (link, w) in self.robot.links.iter().zip(&self.work.links) {
            mass += link.mass_kg;
            first += (w.p_WL + w.R_WL.mul_vec(link.p_LoLcm)).scale(link.mass_kg);
            if link.restoring.is_some() {
                let upward_force = w.R_WL.mul_vec(w.F.f).z;
                let buoyancy = upward_force + link.mass_kg * self.gravity - link.trim.force;
                volume += buoyancy / rho_g;
                has_shape = false;
                continue;
            }
            if !link.wet || link.volume_m3 == 0.0 {
                continue;
            }
            let up = w.R_WL.r[2];
            let (part, center) = submerged_volume(link, up, w.p_WL.z);
            volume += part;
            moment += (w.p_WL + w.R_WL.mul_vec(center)).scale(part);
            lowest = lowest.min(w.p_WL.z + lowest_point(link, up));
        }
        let to_base = |p_W: Vec3| R_BW.mul_vec(p_W - p_WB);
        // at constant displacement: heave follows roll and pitch
        let restoring = |i: usize| {
            if k[0][0] > 0.0 {
                k[i][i] - k[i][0] * k[0][i] / k[0][0]
            } else {
                k[i][i]
            }
        };
        FloatingState {
            z: x[0],
            roll: x[1],
            pitch: x[2],
            draught: has_shape.then_some(-lowest),
            volume,
            p_BoCb: has_shape.then(|| to_base(moment.scale(1.0 / volume))),
            p_BoBcm: to_base(first.scale(1.0 / mass)),
            submerged_fraction: self.work.links[0].submerged_fraction,
            waterplane: k[0][0] / rho_g,
            gm_transverse: restoring(1) / (rho_g * volume),
            gm_longitudinal: restoring(2) / (rho_g * volume),
        }
    }
}

/// Returns the submerged volume [m³] and its centroid in L [m].
fn submerged_volume(link: &merrow_model::scene::Link, up: Vec3, z: f64) -> (f64, Vec3) {
    match &link.hull_mesh {
        Some(hull_mesh) => {
            let under = hull_mesh.submerged_below_plane(up, z);
            let shift = under
                .centroid()
                .map_or(Vec3::zero(), |c| c - hull_mesh.centroid);
            (
                under.volume * (link.volume_m3 / hull_mesh.volume),
                link.p_LoCb + shift,
            )
        }
        None => {
            let w = merrow_physics::forces::hydrodynamics::buoyancy::wetness(link, up, z);
            (w.wet * link.volume_m3, link.p_LoCb + w.shift)
        }
    }
}

/// Returns the height of the lowest point of a hull over Lo [m].
fn lowest_point(link: &merrow_model::scene::Link, up: Vec3) -> f64 {
    match &link.hull_mesh {
        Some(hull_mesh) => hull_mesh
            .vertices
            .iter()
            .map(|v| up.dot(*v))
            .fold(f64::INFINITY, f64::min),
        None => {
            let lowest =
                |hull: &Hull| up.dot(hull.p_LoH) - hull.shape.reach(hull.R_LH.tr_mul_vec(up));
            link.hulls().map(lowest).fold(f64::INFINITY, f64::min)
        }
    }
}

/// Solves `k x = f`; returns `None` if `k` is singular.
fn solve(k: &[[f64; 3]; 3], f: [f64; 3]) -> Option<[f64; 3]> {
    let x = Matrix3::from_fn(|i, j| k[i][j])
        .lu()
        .solve(&Vector3::from(f))?;
    x.iter()
        .all(|x| x.is_finite())
        .then_some([x[0], x[1], x[2]])
}
