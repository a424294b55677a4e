//! What a robot's file may say of servos, groups of joints and what keeps an arm off its vehicle.

use merrow_yaml::read::Named;
use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A servo: controller, motor, gear and encoder. Quantities are at the joint, behind the gear; for a prismatic joint
    /// read metre for radian and newton for newton metre.
    pub struct ServoFile {
        /// What it is asked for at the start; position if it has a position loop, else velocity.
        mode: Option<ModeFile>,
        /// Ticks of its controller per second.
        rate_hz: f64 [in 1.0..=100000.0] = 100.0,
        /// Wanted speed per position error [1/s]; 0 for a servo without position loop.
        position_gain: f64 [non_negative] = 0.0,
        /// Largest speed that it asks for [rad/s or m/s].
        max_speed: f64 [positive],
        /// From the wanted velocity to an effort.
        law: LawFile,
        /// Motor and gear.
        actuator: ActuatorFile => "{}",
        /// What it sees of the joint.
        encoder: EncoderFile => "{}",
    }
}

fieldless_choice! {
    /// What a joint is asked for.
    pub enum ModeFile {
        /// An effort.
        Effort = "effort",
        /// A velocity.
        Velocity = "velocity",
        /// A position.
        Position = "position",
    }
}

choice! {
    /// The inner loop of a servo.
    pub enum LawFile {
        /// Proportional and integral on the velocity error, with feed-forward.
        Cascade = "cascade" {
            /// Effort per velocity error [N m s/rad].
            velocity_gain: f64 [non_negative],
            /// Effort per integral of the velocity error [N m/rad].
            integral_gain: f64 [non_negative] = 0.0,
            /// Effort per wanted acceleration [kg m2].
            inertia_feed_forward: f64 [non_negative] = 0.0,
            /// Part of weight, water and Coriolis effort that is added.
            bias_feed_forward: f64 [fraction] = 0.0,
        },
        /// A change of torque each tick: a PID on the velocity error plus part of what is missing to the bias.
        TorquePid = "torque_pid" {
            /// Change per velocity error [N m s/rad].
            kp: f64 [non_negative],
            /// Change per integral of the error [N m/rad].
            ki: f64 [non_negative] = 0.0,
            /// Change per rate of the error [N m s2/rad].
            kd: f64 [non_negative] = 0.0,
            /// Part of the difference to weight, water and Coriolis effort that is made good in a tick.
            bias_blend: f64 [fraction] = 0.0,
            /// Largest change in a tick [N m].
            max_change: f64 [positive],
        },
    }
}

spec! {
    /// Motor and gear. Quantities are at the joint unless they say otherwise.
    pub struct ActuatorFile {
        /// Turns of the motor per turn of the joint [1, or rad/m].
        gear_ratio: f64 [positive] = 1.0,
        /// Inertia of the rotor, at the rotor.
        rotor_inertia_kg_m2: f64 [non_negative] = 0.0,
        /// Part of the motor's power that reaches the joint when the motor drives.
        efficiency: f64 [in 0.01..=1.0] = 1.0,
        /// Part of the joint's power that reaches the motor when the load drives; as `efficiency` if not given.
        back_efficiency: Option<f64> [in 0.01..=1.0],
        /// Width of the gap in the gear [rad or m].
        backlash: f64 [non_negative] = 0.0,
        /// Spring of the gear [N m/rad or N/m]; rigid if not given, 50 Hz with the rotor if there is a gap.
        stiffness: Option<f64> [positive],
        /// Damping of that spring [N m s/rad or N s/m]; critical for the rotor if not given.
        spring_damping: Option<f64> [non_negative],
        /// Largest effort at rest, from which the torque-speed line falls.
        stall_effort: Option<f64> [positive],
        /// Speed at which it reaches 0.
        no_load_speed: Option<f64> [positive],
        /// Effort per ampere [N m/A or N/A].
        effort_per_ampere: Option<f64> [positive],
        /// Heating of the motor.
        winding: Option<WindingFile>,
    }
}

spec! {
    /// Heating of a motor's winding.
    pub struct WindingFile {
        /// Its resistance.
        resistance_ohm: f64 [positive],
        /// Rise of its temperature over the water's per watt.
        thermal_resistance_k_w: f64 [positive],
        /// Time constant of its temperature.
        thermal_time_constant_s: f64 [positive],
        /// Temperature from which the effort is reduced.
        derate_from_c: f64 = 100.0,
        /// Temperature at which no effort is left.
        max_temperature_c: f64 = 125.0,
    }
}

spec! {
    /// What a servo sees of its joint, and what `joint_states` says.
    pub struct EncoderFile {
        /// Where it sits.
        on: EncoderSide = EncoderSide::Joint,
        /// Step of the position [rad or m].
        resolution: f64 [non_negative] = 0.0,
        /// Standard deviation of the position [rad or m].
        noise_std: f64 [non_negative] = 0.0,
        /// How it finds the velocity.
        velocity: VelocityFile => "{kind: direct}",
    }
}

fieldless_choice! {
    /// Where an encoder sits.
    pub enum EncoderSide {
        /// On the joint, behind the gear.
        Joint = "joint",
        /// On the motor, before the gear.
        Motor = "motor",
    }
}

choice! {
    /// How a servo finds a velocity.
    pub enum VelocityFile {
        /// Measured for itself.
        Direct = "direct" {
            /// Step [rad/s or m/s].
            resolution: f64 [non_negative] = 0.0,
            /// Standard deviation [rad/s or m/s].
            noise_std: f64 [non_negative] = 0.0,
        },
        /// Difference of the positions of two ticks, through a low-pass filter.
        Difference = "difference" {
            /// Time constant of the filter.
            filter_s: f64 [non_negative] = 0.0,
        },
    }
}

spec! {
    /// How trajectories and grippers of a robot are judged, as `joint_trajectory_controller` has it.
    pub struct TrajectoryFile {
        /// Whether a trajectory may leave out joints of its group, which then hold.
        allow_partial_joints: bool = false,
        /// Whether the last point may have a velocity.
        allow_moving_end: bool = false,
        /// Largest distance from the path [rad or m]; 0: not watched.
        path_tolerance: f64 [non_negative] = 0.0,
        /// Largest distance from the last point [rad or m]; 0: not watched.
        goal_tolerance: f64 [non_negative] = 0.0,
        /// Largest speed at the end [rad/s or m/s]; 0: not watched.
        stopped_speed: f64 [non_negative] = 0.01,
        /// Time after the end within which the goal must be reached; 0: no limit.
        goal_time_s: f64 [non_negative] = 0.0,
        /// Time after which a gripper that stands still has stalled.
        stall_time_s: f64 [positive] = 1.0,
        /// Speed below which it stands still [rad/s or m/s].
        stall_speed: f64 [positive] = 0.001,
        /// Whether a gripper that has stalled has reached its goal; else the goal is aborted.
        allow_stalling: bool = false,
        /// Distance within which a gripper is at its goal [rad or m].
        gripper_tolerance: f64 [positive] = 0.01,
    }
}

spec! {
    /// Boxes of the vehicle that the controller of its arms keeps them out of: it freezes the servos.
    pub struct KeepOutFile {
        /// The boxes, fixed to the base.
        boxes: Named<BoxFile>,
        /// What must not enter them: spheres on links.
        spheres: Named<SphereFile>,
        /// How far ahead the motion is looked at.
        look_ahead_s: f64 [non_negative] = 0.1,
    }
}

spec! {
    /// A box along the axes of the base.
    pub struct BoxFile {
        /// Its centre.
        center_m: [f64; 3],
        /// Length, width, height.
        size_m: [f64; 3] [positive],
    }
}

spec! {
    /// A sphere on a link.
    pub struct SphereFile {
        /// The link.
        link: String [name],
        /// Its centre on the link.
        center_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Its radius.
        radius_m: f64 [non_negative] = 0.0,
    }
}
