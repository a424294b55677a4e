//! The vehicle with its arm as a replay drives it, and the ways in which a study may change it.

use crate::pool::recording::{JOINT_NAMES, JOINTS};
use crate::pool::replay::CURVE_STEP;
use crate::pool::servo::Controller;
use merrow_environment::{Instant, Variation};
use merrow_math::{Mat3, SpatialInertia, Sym3, Vec3};
use merrow_model::scene::{Damping, Drive, JointKind, Robot, Scene};

/// A robot of a scene, in still water without surface or bottom.
#[derive(Clone, Debug)]
pub struct Model {
    /// The scene it is from: gravity, water, step.
    pub scene: Scene,
    /// The robot.
    pub robot: Robot,
    /// Which of the robot's joints the four of the arm are.
    pub joints: [usize; JOINTS],
    /// Their controllers, where the servo moves the arm.
    pub controllers: [Controller; JOINTS],
    /// True if the added mass is not solved for but pushes with the acceleration of one step before.
    pub delayed_added_mass: bool,
}

/// The first robot of `scene` that has exactly the arm's four joints, and which of its joints they are.
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

/// The controllers of that robot's four joints, if each has one.
fn controllers(scene: &Scene) -> Option<[Controller; JOINTS]> {
    let (robot, joints) = arm(scene)?;
    let all: Vec<Controller> = joints
        .iter()
        .filter_map(|j| Controller::of(robot, *j))
        .collect();
    all.try_into().ok()
}

impl Model {
    /// The first robot of `scene` that has the arm's four joints, with its own controllers if it has servos, else with those of
    /// `servos`, where a robot has them.
    ///
    /// # Errors
    /// One line if there is none, or if the step does not fit the replays.
    pub fn new(scene: Scene, servos: &Scene) -> Result<Self, String> {
        let Some((mut robot, joints)) = arm(&scene).map(|(robot, joints)| (robot.clone(), joints))
        else {
            return Err(format!(
                "{}: no robot with exactly the joints {}, expected one as in worlds/uvms_pool.yaml",
                scene.name,
                JOINT_NAMES.join(", ")
            ));
        };
        let Some(controllers) = controllers(&scene).or_else(|| controllers(servos)) else {
            return Err(format!(
                "{}: the joints {} have no servos with the law torque_pid, expected them as in worlds/uvms_pool_servo.yaml",
                servos.name,
                JOINT_NAMES.join(", ")
            ));
        };
        let steps = CURVE_STEP / scene.dt();
        if steps < 0.999 || (steps - libm::round(steps)).abs() > 1e-3 {
            return Err(format!(
                "{}: the step of {} s does not fit, expected a whole number of steps in {CURVE_STEP} s",
                scene.name,
                scene.dt()
            ));
        }
        robot.thrusters.clear();
        robot.manager = None;
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
            bandwidth: 1.0,
            max_speed: 1.0,
            max_acceleration: 1.0,
        }))
    }

    /// Step [s].
    pub fn dt(&self) -> f64 {
        self.scene.dt()
    }

    /// The water and gravity, the same at all times.
    pub fn instant(&self) -> Instant<'_> {
        let (sea, gravity) = (&self.scene.sea, self.scene.gravity);
        Instant {
            sea,
            gravity,
            time: 0.0,
            variation: Variation::NONE,
            waves: None,
        }
    }

    /// The same with another drive on all four joints.
    #[must_use]
    pub fn with_drive(mut self, drive: Drive) -> Self {
        for j in self.joints {
            self.robot.links[j + 1].joint.drive = drive.clone();
        }
        self
    }

    /// The same with another added mass on every link.
    #[must_use]
    pub fn with_added_mass(
        mut self,
        change: impl Fn(&merrow_model::scene::Link) -> SpatialInertia,
    ) -> Self {
        for link in &mut self.robot.links {
            let added = change(link);
            link.added = added;
            link.total = link.rigid.plus(&added);
        }
        self
    }

    /// The same with the added mass of every link made one mass, the mean of its three, at the centre of buoyancy;
    /// the added inertia about that point stays [Kolano 2022, §III-A].
    #[must_use]
    pub fn with_scalar_added_mass(self) -> Self {
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

    /// The same with the vehicle's drag of rotation and of translation exchanged: the slip that the trials' authors made.
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

    /// The same with reflected inertia [kg m²] and viscous friction [N m s/rad] in the joints; the servo alone feels them.
    #[must_use]
    pub fn with_actuators(mut self, armature: [f64; JOINTS], damping: [f64; JOINTS]) -> Self {
        for (k, j) in self.joints.into_iter().enumerate() {
            let joint = &mut self.robot.links[j + 1].joint;
            (joint.armature, joint.damping) = (armature[k], damping[k]);
        }
        self
    }
}
