//! The model of the vehicle with its arm used in a replay, and the modifications that a study
//! applies to it.

use crate::pool::recording::{JOINT_NAMES, JOINTS};
use crate::pool::replay::CURVE_STEP;
use crate::pool::servo::Controller;
use merrow_environment::{EnvironmentState, Variation};
use merrow_math::{Mat3, SpatialInertia, Sym3, Vec3};
use merrow_model::scene::{Damping, Drive, JointKind, Robot, Scene};

/// A robot of a scene, in still water without surface and seabed.
#[derive(Clone, Debug)]
pub struct Model {
    /// Scene of the robot: gravity, water, step.
    pub scene: Scene,
    /// The robot, without thrusters and sensors.
    pub robot: Robot,
    /// Indices of the arm's four joints among the robot's joints.
    pub joints: [usize; JOINTS],
    /// Controllers of these joints, used if the servo moves the arm.
    pub controllers: [Controller; JOINTS],
    /// True if the added mass acts as a force with the acceleration of the previous step, instead
    /// of being part of the inertia.
    pub(crate) delayed_added_mass: bool,
}

/// Returns the first robot of `scene` that has exactly the arm's four joints, and their indices.
fn arm(scene: &Scene) -> Option<(&Robot, [usize; JOINTS])> {
    scene.robots.iter().find_map(|robot| {
        let place = |name: &&str| robot.links[1..].iter().position(|l| l.joint.name == **name);
        let joints: Vec<usize> = JOINT_NAMES.iter().filter_map(place).collect();
        let four = <[usize; JOINTS]>::try_from(joints).ok()?;
        let moving = robot.links[1..]
            .iter()
            .filter(|l| l.joint.kind != JointKind::Fixed)
            .count();
        (moving == JOINTS).then_some((robot, four))
    })
}

/// Returns the controllers of that robot's four joints, if each has one.
fn controllers(scene: &Scene) -> Option<[Controller; JOINTS]> {
    let (robot, joints) = arm(scene)?;
    let all: Vec<Controller> = joints
        .iter()
        .filter_map(|j| Controller::for_joint(robot, *j))
        .collect();
    all.try_into().ok()
}

impl Model {
    /// Creates the model of the first robot of `scene` that has the arm's four joints. Its
    /// controllers are its own servos, or the servos of the robot in `servos`.
    ///
    /// # Errors
    /// There is no such robot or servo, or the step does not divide the sampling interval of the
    /// replays.
    pub fn new(scene: Scene, servos: &Scene) -> Result<Self, String> {
        let Some((mut robot, joints)) = arm(&scene).map(|(robot, joints)| (robot.clone(), joints))
        else {
            return Err(format!(
                "{}: no robot with exactly the joints {}; expected a robot as in worlds/uvms_pool.yaml",
                scene.name,
                JOINT_NAMES.join(", ")
            ));
        };
        let Some(controllers) = controllers(&scene).or_else(|| controllers(servos)) else {
            return Err(format!(
                "{}: the joints {} have no servos with the law torque_pid; expected servos as in worlds/uvms_pool_servo.yaml",
                servos.name,
                JOINT_NAMES.join(", ")
            ));
        };
        let steps = CURVE_STEP / scene.dt();
        if steps < 0.999 || (steps - libm::round(steps)).abs() > 1e-3 {
            return Err(format!(
                "{}: the step of {} s does not fit; expected a whole number of steps in {CURVE_STEP} s",
                scene.name,
                scene.dt()
            ));
        }
        robot.thrusters.clear();
        robot.allocation = None;
        robot.sensors.clear();
        robot.inflow = false;
        let model = Self {
            scene,
            robot,
            joints,
            controllers,
            delayed_added_mass: false,
        };
        Ok(model.with_drive(Drive::Position {
            bandwidth_rad_s: 1.0,
            max_speed: 1.0,
            max_acceleration: 1.0,
        }))
    }

    /// Returns the time step [s].
    pub fn dt(&self) -> f64 {
        self.scene.dt()
    }

    /// Returns the environment (water and gravity), which is constant in time.
    pub fn environment(&self) -> EnvironmentState<'_> {
        let (sea, gravity) = (&self.scene.sea, self.scene.gravity);
        EnvironmentState {
            sea,
            gravity,
            time: 0.0,
            variation: Variation::NONE,
            waves: None,
        }
    }

    /// Returns the model with another drive on all four joints.
    #[must_use]
    pub(crate) fn with_drive(mut self, drive: Drive) -> Self {
        for j in self.joints {
            self.robot.links[j + 1].joint.drive = drive.clone();
        }
        self
    }

    /// Returns the model with another added mass on every link.
    #[must_use]
    pub(crate) fn with_added_mass(
        mut self,
        change: impl Fn(&merrow_model::scene::Link) -> SpatialInertia,
    ) -> Self {
        for link in &mut self.robot.links {
            let added = change(link);
            link.added = added;
            link.total = link.rigid + added;
        }
        self
    }

    /// Returns the model with a scalar added mass on every link, the mean of the three
    /// translational components, at the centre of buoyancy. The added inertia about that point is
    /// unchanged [Kolano 2022, §III-A].
    #[must_use]
    pub(crate) fn with_scalar_added_mass(self) -> Self {
        self.with_added_mass(|link| {
            let still = Mat3::identity();
            let at_center = link.added.to_parent(&still, link.p_LoCb.scale(-1.0));
            let mean = (at_center.D.xx + at_center.D.yy + at_center.D.zz) / 3.0;
            let D = Sym3 {
                xx: mean,
                xy: 0.0,
                xz: 0.0,
                yy: mean,
                yz: 0.0,
                zz: mean,
            };
            let B = Mat3 {
                r: [Vec3::zero(); 3],
            };
            SpatialInertia {
                A: at_center.A,
                B,
                D,
            }
            .to_parent(&still, link.p_LoCb)
        })
    }

    /// Returns the model with the vehicle's rotational and translational drag exchanged, as in the
    /// error of the trials' authors.
    #[must_use]
    pub fn with_drag_exchanged(mut self) -> Self {
        let base = &mut self.robot.links[0];
        for damping in [&mut base.linear_damping, &mut base.quadratic_damping] {
            if let Damping::Diagonal(d) = damping {
                let [a, b, c, x, y, z] = *d;
                *d = [x, y, z, a, b, c];
            }
        }
        self
    }

    /// Returns the model with reflected inertia [kg m²] and viscous friction [N m s/rad] in the
    /// joints. They affect only the servo mode.
    #[must_use]
    pub(crate) fn with_actuators(
        mut self,
        armature: [f64; JOINTS],
        damping: [f64; JOINTS],
    ) -> Self {
        for (k, j) in self.joints.into_iter().enumerate() {
            let joint = &mut self.robot.links[j + 1].joint;
            (joint.armature, joint.damping) = (armature[k], damping[k]);
        }
        self
    }
}
