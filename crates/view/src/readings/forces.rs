//! Forces on a robot by law, evaluated for its current state with the laws of the simulation.
//!
//! The evaluation uses its own workspace and does not change the simulation.

use merrow_environment::EnvironmentState;
use merrow_environment::current::VariationCache;
use merrow_environment::waves::StepWaves;
use merrow_math::{SpatialVelocity, Vec3};
use merrow_model::kinematics::joint_velocity;
use merrow_model::scene::{Link, Robot, TetherEnd};
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{Motion, Workspace};
use merrow_physics::forces::actuators::{fin, glider, thruster};
use merrow_physics::forces::hydrodynamics::{added_mass, damping, slender_body};
use merrow_physics::forces::rigid_body::inertia_times;
use merrow_physics::forces::{derivatives, rigid_body, wind_load};
use merrow_sim::Simulation;
use merrow_sim::step::Kernel;

/// Force of a law on a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Name of the force law, for example `buoyancy`.
    pub law: &'static str,
    /// Device that causes it; empty for the whole robot.
    pub name: String,
    /// Point of application in W [m].
    pub p_W: Vec3,
    /// Force in W [N].
    pub f_W: Vec3,
}

/// Forces on a robot and their points of application.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Forces by law: gravity, buoyancy, damping, added mass, wind, slender body, lift, fins,
    /// sails, tethers, thrust.
    pub forces: Vec<Force>,
    /// Centre of gravity in W [m].
    pub gravity_center: Vec3,
    /// Centre of the displaced volume in W [m]; `None` in air.
    pub buoyancy_center: Option<Vec3>,
    /// Velocity of the water at the base in W [m/s].
    pub water: Vec3,
}

/// Weighted sum of points.
#[derive(Default)]
struct Center {
    sum: Vec3,
    weight: f64,
}

impl Center {
    fn add(&mut self, p: Vec3, weight: f64) {
        self.sum += p.scale(weight);
        self.weight += weight;
    }

    fn point(&self) -> Option<Vec3> {
        (self.weight > 0.0).then(|| self.sum.scale(1.0 / self.weight))
    }
}

/// Robot at one instant, with the environment of its laws.
pub(super) struct RobotSnapshot<'a> {
    simulation: &'a Simulation,
    robot: usize,
    /// Environment at the instant.
    pub(super) environment: EnvironmentState<'a>,
}

/// Calls `evaluate` with a robot at the current instant.
pub(super) fn with_snapshot<T>(
    simulation: &Simulation,
    robot: usize,
    evaluate: impl FnOnce(&RobotSnapshot<'_>) -> T,
) -> T {
    let (scene, sea) = (&simulation.scene, &simulation.state.sea);
    let now_ns = simulation.time_ns();
    let (mut variation, mut waves) = (VariationCache::default(), StepWaves::default());
    let time = now_ns as f64 * 1e-9;
    evaluate(&RobotSnapshot {
        simulation,
        robot,
        environment: EnvironmentState {
            sea,
            gravity: scene.gravity,
            time,
            variation: variation.evaluate(&sea.current, scene.seed, time),
            waves: waves.at_start(&sea.waves, now_ns),
        },
    })
}

impl RobotSnapshot<'_> {
    /// Evaluates poses, velocities and forces in this motion.
    pub(super) fn evaluate(&self, motion: &Motion) -> Workspace {
        let model = self.model();
        let mut work = Workspace::new(model);
        let fins = &self.simulation.state.robots[self.robot].fins;
        for (work, fin) in work.fins.iter_mut().zip(fins) {
            work.angle = [fin.angle; 3];
            work.area_fraction = fin::remaining_fraction(fin);
        }
        let efforts = vec![0.0; model.n_joints()];
        Kernel::new().evaluate(model, &self.environment, motion, &efforts, &mut work);
        work
    }

    /// Returns the model of the robot.
    pub(super) fn model(&self) -> &Robot {
        &self.simulation.scene.robots[self.robot]
    }

    /// Returns the damping of the water on a link, in L.
    fn damping(link: &Link, w: &LinkWork) -> Vec3 {
        let mut V_r = w.V;
        V_r.v -= w.water;
        damping::force(link, &V_r, w.submerged_fraction).f
    }

    /// Returns the forces of slender bodies and the lift of derivatives and of gliders on a link,
    /// in L.
    fn lift(&self, link: &Link, w: &LinkWork) -> [Vec3; 2] {
        let (wet, density) = (w.submerged_fraction, self.environment.sea.density);
        let mut V_r = w.V;
        V_r.v -= w.water;
        let V_U = SpatialVelocity {
            w: link.R_LU.tr_mul_vec(V_r.w),
            v: link.R_LU.tr_mul_vec(V_r.v),
        };
        let in_link = |f_U: Vec3| link.R_LU.mul_vec(f_U);
        let slender = link.slender.as_ref().map_or(Vec3::zero(), |body| {
            in_link(slender_body::force(body, &V_U, wet, density).f)
        });
        let mut lift = Vec3::zero();
        if !link.derivatives.is_empty() {
            lift += derivatives::force(link, &V_r, wet).f;
        }
        if let Some(coefficients) = &link.glider {
            lift += in_link(glider::force(coefficients, &V_U, wet).f);
        }
        [slender, lift]
    }

    /// Returns the forces of the fins and sails on a link, in L.
    fn fins(&self, link: usize, work: &Workspace) -> Vec3 {
        fin::force(self.model(), link, work, 0, &self.environment).f
    }

    /// Returns the wind load on a link, in L.
    fn wind(&self, link: &Link, w: &LinkWork) -> Vec3 {
        let load = link.wind.as_ref();
        load.map_or(Vec3::zero(), |load| {
            wind_load::force(link, load, &self.environment, w).f
        })
    }

    /// Returns the buoyancy of all links in W, with the pressure of waves: the forces on a robot
    /// that drifts with the water, without weight, damping and wind. `water` is the velocity of the
    /// water at the base, in B.
    fn buoyancy(&self, motion: &Motion, water: Vec3) -> Vec3 {
        let mut at_rest = motion.clone();
        at_rest.V_WB_B = SpatialVelocity {
            w: Vec3::zero(),
            v: water,
        };
        at_rest.qd.fill(0.0);
        let work = self.evaluate(&at_rest);
        let gravity = self.environment.gravity;
        let links = self.model().links.iter().zip(&work.links).enumerate();
        let one = |(i, (link, w)): (usize, (&Link, &LinkWork))| {
            let weight = rigid_body::weight(link, w.R_WL.r[2], gravity).f;
            let other = weight + Self::damping(link, w) + self.wind(link, w);
            w.R_WL.mul_vec(w.F.f - other - self.fins(i, &work))
        };
        links
            .filter(|(_, (link, _))| link.wet)
            .map(one)
            .fold(Vec3::zero(), |sum, f| sum + f)
    }

    /// Adds the force of every fin and sail.
    fn add_fins(&self, work: &Workspace, forces: &mut Vec<Force>) {
        let fins = self.model().fins.iter().enumerate();
        for (k, fin) in fins.filter(|(_, fin)| !fin.is_azimuth()) {
            let w = &work.links[fin.link];
            let F = fin::force_of(self.model(), k, work, 0, &self.environment);
            forces.push(Force {
                law: if fin.sail { "sail" } else { "fin" },
                name: fin.name.clone(),
                p_W: w.p_WL + w.R_WL.mul_vec(fin.p_LoF),
                f_W: w.R_WL.mul_vec(F.f),
            });
        }
    }

    /// Adds the force of every tether that ends at the robot, over the last step.
    fn add_tethers(&self, work: &Workspace, forces: &mut Vec<Force>) {
        let tethers = &self.simulation.scene.tethers;
        for (tether, state) in tethers.iter().zip(&self.simulation.state.tethers) {
            for (end, f_W) in tether.ends.iter().zip(state.end_force) {
                let TetherEnd::Link { robot, link, p_LoQ } = *end else {
                    continue;
                };
                if robot == self.robot {
                    let w = &work.links[link];
                    forces.push(Force {
                        law: "tether",
                        name: tether.name.clone(),
                        p_W: w.p_WL + w.R_WL.mul_vec(p_LoQ),
                        f_W,
                    });
                }
            }
        }
    }

    /// Stores the accelerations of the links at the start of the last step in `work`.
    fn set_accelerations(&self, work: &mut Workspace) {
        let last = &self.simulation.runners[self.robot].work;
        work.links[0].A = last.A_start;
        for (i, link) in self.model().links.iter().enumerate().skip(1) {
            let A_P = work.links[link.parent.unwrap_or(0)].A;
            let own = joint_velocity(link.joint.kind, last.qdd_start[i - 1]);
            let w = &mut work.links[i];
            let carried = A_P.to_child(&w.R_PC, w.p_PC).add_scaled(&w.c, 1.0);
            w.A = carried.add_scaled(&own, 1.0);
        }
    }

    /// Returns the force of the added mass of a link, in L: of its acceleration and its velocity.
    /// The buoyancy contains the part of the acceleration of the water.
    fn added_mass(link: &Link, w: &LinkWork) -> Vec3 {
        let mut V_r = w.V;
        V_r.v -= w.water;
        let wet = w.submerged_fraction;
        let of_velocity = added_mass::force(
            link,
            &w.V,
            &V_r,
            w.water,
            Vec3::zero(),
            (wet, 0.0),
            link.p_LoCb,
        );
        of_velocity.f - inertia_times(&link.added, &w.A).f.scale(wet)
    }
}

impl Evaluation {
    /// Evaluates the forces on a robot at the current instant.
    pub fn new(simulation: &Simulation, robot: usize) -> Self {
        with_snapshot(simulation, robot, Self::from_snapshot)
    }

    fn from_snapshot(snapshot: &RobotSnapshot<'_>) -> Self {
        let (model, gravity) = (snapshot.model(), snapshot.environment.gravity);
        let state = &snapshot.simulation.state.robots[snapshot.robot];
        let mut work = snapshot.evaluate(&state.motion);
        snapshot.set_accelerations(&mut work);
        let (mut masses, mut volumes) = (Center::default(), Center::default());
        let (mut drag, mut wind, mut added) = (Vec3::zero(), Vec3::zero(), Vec3::zero());
        let (mut slender, mut lift) = (Vec3::zero(), Vec3::zero());
        for (link, w) in model.links.iter().zip(&work.links) {
            let in_world = |p: Vec3| w.p_WL + w.R_WL.mul_vec(p);
            masses.add(in_world(link.p_LoLcm), link.mass);
            wind += w.R_WL.mul_vec(snapshot.wind(link, w));
            if link.wet {
                volumes.add(in_world(link.p_LoCb), w.submerged_fraction * link.volume);
                drag += w.R_WL.mul_vec(RobotSnapshot::damping(link, w));
                added += w.R_WL.mul_vec(RobotSnapshot::added_mass(link, w));
                let [own_slender, own_lift] = snapshot.lift(link, w);
                slender += w.R_WL.mul_vec(own_slender);
                lift += w.R_WL.mul_vec(own_lift);
            }
        }
        let base = state.motion.p_WB;
        let gravity_center = masses.point().unwrap_or(base);
        let buoyancy_center = volumes.point();
        let whole = |law: &'static str, p_W: Vec3, f_W: Vec3| Force {
            law,
            name: String::new(),
            p_W,
            f_W,
        };
        let weight = Vec3::new(0.0, 0.0, -masses.weight * gravity);
        let mut forces = vec![whole("gravity", gravity_center, weight)];
        if let Some(center) = buoyancy_center {
            let buoyancy = snapshot.buoyancy(&state.motion, work.links[0].water);
            forces.push(whole("buoyancy", center, buoyancy));
            forces.push(whole("damping", base, drag));
            forces.push(whole("added mass", base, added));
        }
        for (law, f) in [("wind", wind), ("slender body", slender), ("lift", lift)] {
            if f != Vec3::zero() {
                forces.push(whole(law, base, f));
            }
        }
        snapshot.add_fins(&work, &mut forces);
        snapshot.add_tethers(&work, &mut forces);
        for (thruster, own) in model.thrusters.iter().zip(&state.actuators) {
            let w = &work.links[thruster.link];
            let axis = thruster::thrust_axis(model, thruster, &work, 0);
            forces.push(Force {
                law: "thrust",
                name: thruster.name.clone(),
                p_W: w.p_WL + w.R_WL.mul_vec(thruster.p_LoT),
                f_W: w.R_WL.mul_vec(axis).scale(own.thrust),
            });
        }
        let w = &work.links[0];
        Self {
            forces,
            gravity_center,
            buoyancy_center,
            water: w.R_WL.mul_vec(w.water),
        }
    }
}
