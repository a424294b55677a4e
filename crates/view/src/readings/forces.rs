//! Forces on a robot by law: the contributions to the sum that the step of the simulation uses.

use merrow_environment::EnvironmentState;
use merrow_environment::current::VariationCache;
use merrow_environment::waves::StepWaves;
use merrow_math::{SpatialForce, Vec3};
use merrow_model::scene::{Robot, TetherEnd};
use merrow_model::state::Workspace;
use merrow_physics::forces::contributions::{Contribution, Law};
use merrow_sim::Simulation;

/// Force of a law on a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Law that causes it.
    pub law: Law,
    /// Device that causes it; empty for the whole robot.
    pub name: String,
    /// Point of application in W [m].
    pub p_W: Vec3,
    /// Force in W [N].
    pub f_W: Vec3,
    /// Moment about the point of application in W [N m].
    pub m_W: Vec3,
}

/// Forces on a robot and their points of application.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Forces by law, and by device where devices cause them; laws without a force are omitted.
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

/// Calls `evaluate` with the environment of the simulation at the current instant.
pub(super) fn with_environment<T>(
    simulation: &Simulation,
    evaluate: impl FnOnce(&EnvironmentState<'_>) -> T,
) -> T {
    let (scene, sea) = (&simulation.scene, &simulation.state.sea);
    let now_ns = simulation.time_ns();
    let (mut variation, mut waves) = (VariationCache::default(), StepWaves::default());
    let time = now_ns as f64 * 1e-9;
    evaluate(&EnvironmentState {
        sea,
        gravity: scene.gravity,
        time,
        variation: variation.evaluate(&sea.current, scene.seed, time),
        waves: waves.at_start(&sea.waves, now_ns),
    })
}

/// Robot whose forces have been evaluated.
struct Evaluated<'a> {
    simulation: &'a Simulation,
    robot: usize,
    work: Workspace,
}

impl Evaluated<'_> {
    fn model(&self) -> &Robot {
        &self.simulation.scene.robots[self.robot]
    }

    /// Returns a point of a link in W.
    fn in_world(&self, link: usize, p_L: Vec3) -> Vec3 {
        let w = &self.work.links[link];
        w.p_WL + w.R_WL.mul_vec(p_L)
    }

    /// Returns the centres of gravity and buoyancy in W.
    fn centers(&self) -> [Option<Vec3>; 2] {
        let (mut masses, mut volumes) = (Center::default(), Center::default());
        for (i, (link, w)) in self.model().links.iter().zip(&self.work.links).enumerate() {
            masses.add(self.in_world(i, link.p_LoLcm), link.mass_kg);
            if link.wet {
                let volume = w.submerged_fraction * link.volume_m3;
                volumes.add(self.in_world(i, link.p_LoCb), volume);
            }
        }
        [masses.point(), volumes.point()]
    }

    /// Returns the name of the device of a contribution and its point of application in L; `None`
    /// for a law of the whole robot.
    fn device(&self, of: &Contribution) -> Option<(String, Vec3)> {
        let model = self.model();
        Some(match (of.law, of.device) {
            (Law::Thrust, Some(k)) => {
                let thruster = &model.thrusters[k];
                (thruster.name.clone(), thruster.p_LoT)
            }
            (Law::Fin | Law::Sail, Some(k)) => (model.fins[k].name.clone(), model.fins[k].p_LoF),
            (Law::BuoyancyEngine, Some(k)) => {
                let engine = &model.buoyancy_engines[k];
                (engine.name.clone(), engine.p_LoV)
            }
            (Law::Tether, _) => self.tether_at(of.link),
            (Law::Wrench | Law::Contact | Law::Coupling, _) => {
                (model.links[of.link].name.clone(), Vec3::zero())
            }
            _ => return None,
        })
    }

    /// Returns the names of the tethers that end at a link, and the attachment point of the first,
    /// in L.
    fn tether_at(&self, of_link: usize) -> (String, Vec3) {
        let tethers = self.simulation.scene.tethers.iter();
        let ends = tethers.flat_map(|tether| tether.ends.iter().map(move |end| (tether, end)));
        let attached = ends.filter_map(|(tether, end)| match *end {
            TetherEnd::Link { robot, link, p_LoQ } if (robot, link) == (self.robot, of_link) => {
                Some((tether.name.as_str(), p_LoQ))
            }
            _ => None,
        });
        let (names, points): (Vec<&str>, Vec<Vec3>) = attached.unzip();
        (
            names.join(", "),
            points.first().copied().unwrap_or_default(),
        )
    }

    /// Adds a contribution to the force of its device, or to the force of its law on the robot at
    /// `center`.
    fn add(&self, of: &Contribution, center: Vec3, forces: &mut Vec<Force>) {
        let SpatialForce { m, f } = of.F;
        if f == Vec3::zero() && m == Vec3::zero() {
            return;
        }
        let R_WL = &self.work.links[of.link].R_WL;
        let (name, p_W) = self.device(of).map_or_else(
            || (String::new(), center),
            |(name, p_L)| (name, self.in_world(of.link, p_L)),
        );
        let f_W = R_WL.mul_vec(f);
        let m_W = R_WL.mul_vec(m) + (self.work.links[of.link].p_WL - p_W).cross(f_W);
        let same = |force: &&mut Force| force.law == of.law && force.name == name;
        match forces.iter_mut().find(same) {
            Some(force) => {
                force.m_W += m_W + (p_W - force.p_W).cross(f_W);
                force.f_W += f_W;
            }
            None => forces.push(Force {
                law: of.law,
                name,
                p_W,
                f_W,
                m_W,
            }),
        }
    }
}

impl Evaluation {
    /// Evaluates the forces on a robot at the current instant.
    pub fn new(simulation: &Simulation, robot: usize) -> Self {
        let (work, contributions) = simulation.contributions(robot);
        let evaluated = Evaluated {
            simulation,
            robot,
            work,
        };
        let base = simulation.state.robots[robot].motion.p_WB;
        let [gravity_center, buoyancy_center] = evaluated.centers();
        let gravity_center = gravity_center.unwrap_or(base);
        let mut forces = Vec::new();
        for contribution in &contributions {
            let center = match contribution.law {
                Law::Gravity => gravity_center,
                Law::Buoyancy => buoyancy_center.unwrap_or(base),
                _ => base,
            };
            evaluated.add(contribution, center, &mut forces);
        }
        forces.sort_by_key(|force| force.law);
        let w = &evaluated.work.links[0];
        Self {
            forces,
            gravity_center,
            buoyancy_center,
            water: w.R_WL.mul_vec(w.water),
        }
    }
}
