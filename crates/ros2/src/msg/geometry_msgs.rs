//! `geometry_msgs`: vectors, poses, velocities, accelerations, forces and frames.
//!
//! Linear before angular, quaternions x y z w, as ROS has them. SI units and radians throughout.

use crate::message::ros_message;
use crate::msg::std_msgs::Header;

ros_message! {
    /// A free vector; its unit is that of the field it is in.
    pub struct Vector3("geometry_msgs/msg/Vector3") {
        /// Component along x.
        x: f64,
        /// Component along y.
        y: f64,
        /// Component along z.
        z: f64,
    }

    /// A position \[m\].
    pub struct Point("geometry_msgs/msg/Point") {
        /// Coordinate along x \[m\].
        x: f64,
        /// Coordinate along y \[m\].
        y: f64,
        /// Coordinate along z \[m\].
        z: f64,
    }

    /// A free vector in the frame of the header; its unit is the topic's.
    pub struct Vector3Stamped("geometry_msgs/msg/Vector3Stamped") {
        /// When, and in which frame.
        header: Header,
        /// The vector.
        vector: Vector3,
    }

    /// A position in the frame of the header.
    pub struct PointStamped("geometry_msgs/msg/PointStamped") {
        /// When, and in which frame.
        header: Header,
        /// The position \[m\].
        point: Point,
    }

    /// A rotation as a unit quaternion; no rotation at first.
    pub struct Quaternion("geometry_msgs/msg/Quaternion") {
        /// Vector part along x.
        x: f64,
        /// Vector part along y.
        y: f64,
        /// Vector part along z.
        z: f64,
        /// Scalar part.
        w: f64 = 1.0,
    }

    /// A rotation against the frame of the header.
    pub struct QuaternionStamped("geometry_msgs/msg/QuaternionStamped") {
        /// When, and in which frame.
        header: Header,
        /// The rotation.
        quaternion: Quaternion,
    }

    /// Position and orientation of a frame in another.
    pub struct Pose("geometry_msgs/msg/Pose") {
        /// Its origin.
        position: Point,
        /// Its orientation.
        orientation: Quaternion,
    }

    /// A pose in the frame of the header.
    pub struct PoseStamped("geometry_msgs/msg/PoseStamped") {
        /// When, and in which frame.
        header: Header,
        /// The pose.
        pose: Pose,
    }

    /// A pose and how sure it is.
    pub struct PoseWithCovariance("geometry_msgs/msg/PoseWithCovariance") {
        /// The pose.
        pose: Pose,
        /// Row-major 6x6 of x, y, z \[m\] and the rotations about the fixed axes x, y, z \[rad\].
        covariance: [f64; 36],
    }

    /// A pose in the frame of the header and how sure it is.
    pub struct PoseWithCovarianceStamped("geometry_msgs/msg/PoseWithCovarianceStamped") {
        /// When, and in which frame.
        header: Header,
        /// The pose.
        pose: PoseWithCovariance,
    }

    /// Velocity of a frame, linear and angular.
    pub struct Twist("geometry_msgs/msg/Twist") {
        /// Linear velocity \[m/s\].
        linear: Vector3,
        /// Angular velocity \[rad/s\].
        angular: Vector3,
    }

    /// A velocity in the frame of the header.
    pub struct TwistStamped("geometry_msgs/msg/TwistStamped") {
        /// When, and in which frame.
        header: Header,
        /// The velocity.
        twist: Twist,
    }

    /// A velocity and how sure it is.
    pub struct TwistWithCovariance("geometry_msgs/msg/TwistWithCovariance") {
        /// The velocity.
        twist: Twist,
        /// Row-major 6x6 of linear x, y, z \[m/s\] and angular x, y, z \[rad/s\].
        covariance: [f64; 36],
    }

    /// A velocity in the frame of the header and how sure it is.
    pub struct TwistWithCovarianceStamped("geometry_msgs/msg/TwistWithCovarianceStamped") {
        /// When, and in which frame.
        header: Header,
        /// The velocity.
        twist: TwistWithCovariance,
    }

    /// Acceleration of a frame, linear and angular.
    pub struct Accel("geometry_msgs/msg/Accel") {
        /// Linear acceleration \[m/s^2\].
        linear: Vector3,
        /// Angular acceleration \[rad/s^2\].
        angular: Vector3,
    }

    /// An acceleration and how sure it is.
    pub struct AccelWithCovariance("geometry_msgs/msg/AccelWithCovariance") {
        /// The acceleration.
        accel: Accel,
        /// Row-major 6x6 of linear x, y, z \[m/s^2\] and angular x, y, z \[rad/s^2\].
        covariance: [f64; 36],
    }

    /// An acceleration in the frame of the header and how sure it is.
    pub struct AccelWithCovarianceStamped("geometry_msgs/msg/AccelWithCovarianceStamped") {
        /// When, and in which frame.
        header: Header,
        /// The acceleration.
        accel: AccelWithCovariance,
    }

    /// Force and moment.
    pub struct Wrench("geometry_msgs/msg/Wrench") {
        /// Force \[N\].
        force: Vector3,
        /// Moment \[N m\].
        torque: Vector3,
    }

    /// Force and moment in the frame of the header.
    pub struct WrenchStamped("geometry_msgs/msg/WrenchStamped") {
        /// When, and in which frame.
        header: Header,
        /// Force and moment.
        wrench: Wrench,
    }

    /// Where a frame is, as a transform from it to its parent.
    pub struct Transform("geometry_msgs/msg/Transform") {
        /// Its origin in the parent \[m\].
        translation: Vector3,
        /// Its orientation in the parent.
        rotation: Quaternion,
    }

    /// Where the frame `child_frame_id` is in the frame of the header.
    pub struct TransformStamped("geometry_msgs/msg/TransformStamped") {
        /// When, and in which parent frame.
        header: Header,
        /// The frame.
        child_frame_id: String,
        /// Where it is.
        transform: Transform,
    }
}
