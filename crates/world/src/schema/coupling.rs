//! What a world file may say of things that hold together.

use merrow_yaml::spec::{choice, spec};

spec! {
    /// Two bodies that hold together, or can.
    pub struct CouplingFile {
        /// First end: of a latch the seat, of a grasp the gripper.
        a: CouplingEndFile,
        /// Second end. A grasp without one takes what it is told, what it touches, or what is nearest.
        b: Option<CouplingEndFile>,
        /// Whether it holds at the start; welds, hinges, slides and balls do if not given.
        engaged: Option<bool>,
        /// Force at which it breaks.
        strength_n: Option<f64> [positive],
        /// Moment at which it breaks.
        strength_nm: Option<f64> [positive],
        ..kind: CouplingKindFile,
    }
}

spec! {
    /// One end of a coupling: a frame on a link, or in the world where no robot is named.
    pub struct CouplingEndFile {
        /// The robot or prop; the world if not given.
        robot: Option<String> [name],
        /// Its link.
        link: Option<String> [name],
        /// Origin of the frame, in the link's frame or in the world; for a second end without position and attitude, where
        /// the first is at the start.
        position_m: Option<[f64; 3]>,
        /// Roll, pitch and yaw of the frame.
        attitude_deg: Option<[f64; 3]>,
    }
}

choice! {
    /// What a coupling leaves free.
    pub enum CouplingKindFile {
        /// Nothing.
        Weld = "weld",
        /// To turn about z of the frames.
        Hinge = "hinge",
        /// To move along z of the first frame.
        Slide = "slide",
        /// To turn about all axes.
        Ball = "ball",
        /// Captures the second end (the tip) when it comes to the first (the seat) along z of that, and lets go when told.
        Latch = "latch" {
            /// Farthest from the seat at which the tip is captured.
            distance_m: f64 [positive] = 0.05,
            /// Largest angle between the two z axes at which it is captured.
            angle_deg: f64 [in 0.0..=180.0] = 10.0,
            /// Largest turn about z at which it is captured, and which is then turned back; without it any, and kept.
            roll_deg: Option<f64> [in 0.0..=180.0],
            /// Largest speed against the seat at which it is captured.
            speed_m_s: f64 [positive] = 0.5,
            /// Largest angular speed at which it is captured.
            spin_rad_s: f64 [positive] = 0.5,
            /// What leads the tip to the seat.
            funnel: Option<FunnelFile>,
        },
        /// Takes hold of what is near when told, as it lies.
        Grasp = "grasp" {
            /// Farthest that the link taken may lie from the first end, if it does not touch it.
            reach_m: f64 [non_negative] = 0.1,
        },
    }
}

spec! {
    /// A smooth cone about z of a latch's seat that the tip does not leave sideways, closed at the seat.
    pub struct FunnelFile {
        /// Radius at its mouth.
        entrance_radius_m: f64 [positive],
        /// Radius at the seat.
        exit_radius_m: f64 [non_negative],
        /// Length.
        length_m: f64 [positive],
    }
}
