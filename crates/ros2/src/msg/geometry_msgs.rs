//! `geometry_msgs`: vectors, poses, velocities, accelerations, forces and frames.
//!
//! As in ROS, linear components precede angular components, and quaternions have the order x y z w.
//! All values are in SI units and radians.

use crate::message::ros_message;
use crate::msg::std_msgs::Header;

ros_message! {
    /// Free vector in the unit of the field that contains it.
    pub struct Vector3("geometry_msgs/msg/Vector3") {
        /// Component along the x axis.
        x: f64,
        /// Component along the y axis.
        y: f64,
        /// Component along the z axis.
        z: f64,
    }

    /// Position of a point \[m\].
    pub struct Point("geometry_msgs/msg/Point") {
        /// Coordinate along x \[m\].
        x: f64,
        /// Coordinate along y \[m\].
        y: f64,
        /// Coordinate along z \[m\].
        z: f64,
    }

    /// Free vector in the frame of the header, in the unit of the topic.
    pub struct Vector3Stamped("geometry_msgs/msg/Vector3Stamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Components of the vector.
        vector: Vector3,
    }

    /// Position in the frame of the header.
    pub struct PointStamped("geometry_msgs/msg/PointStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Coordinates of the position \[m\].
        point: Point,
    }

    /// Rotation as a unit quaternion; the initial value is no rotation.
    pub struct Quaternion("geometry_msgs/msg/Quaternion") {
        /// Vector component along x.
        x: f64,
        /// Vector component along y.
        y: f64,
        /// Vector component along z.
        z: f64,
        /// Scalar component of the quaternion.
        w: f64 = 1.0,
    }

    /// Rotation relative to the frame of the header.
    pub struct QuaternionStamped("geometry_msgs/msg/QuaternionStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Rotation as a quaternion.
        quaternion: Quaternion,
    }

    /// Position and orientation of a frame relative to another frame.
    pub struct Pose("geometry_msgs/msg/Pose") {
        /// Position of the frame's origin.
        position: Point,
        /// Orientation of the frame.
        orientation: Quaternion,
    }

    /// Pose in the frame of the header.
    pub struct PoseStamped("geometry_msgs/msg/PoseStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Pose of the frame.
        pose: Pose,
    }

    /// Pose with its covariance.
    pub struct PoseWithCovariance("geometry_msgs/msg/PoseWithCovariance") {
        /// Pose of the frame.
        pose: Pose,
        /// Covariance, row-major 6x6 of x, y, z \[m\] and the rotations about the fixed axes x, y,
        /// z \[rad\].
        covariance: [f64; 36],
    }

    /// Pose with covariance in the frame of the header.
    pub struct PoseWithCovarianceStamped("geometry_msgs/msg/PoseWithCovarianceStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Pose of the frame.
        pose: PoseWithCovariance,
    }

    /// Linear and angular velocity of a frame.
    pub struct Twist("geometry_msgs/msg/Twist") {
        /// Linear velocity vector \[m/s\].
        linear: Vector3,
        /// Angular velocity vector \[rad/s\].
        angular: Vector3,
    }

    /// Velocity in the frame of the header.
    pub struct TwistStamped("geometry_msgs/msg/TwistStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Linear and angular velocity.
        twist: Twist,
    }

    /// Velocity with its covariance.
    pub struct TwistWithCovariance("geometry_msgs/msg/TwistWithCovariance") {
        /// Linear and angular velocity.
        twist: Twist,
        /// Covariance, row-major 6x6 of linear x, y, z \[m/s\] and angular x, y, z \[rad/s\].
        covariance: [f64; 36],
    }

    /// Velocity with covariance in the frame of the header.
    pub struct TwistWithCovarianceStamped("geometry_msgs/msg/TwistWithCovarianceStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Linear and angular velocity.
        twist: TwistWithCovariance,
    }

    /// Linear and angular acceleration of a frame.
    pub struct Accel("geometry_msgs/msg/Accel") {
        /// Linear acceleration vector \[m/s^2\].
        linear: Vector3,
        /// Angular acceleration vector \[rad/s^2\].
        angular: Vector3,
    }

    /// Acceleration with its covariance.
    pub struct AccelWithCovariance("geometry_msgs/msg/AccelWithCovariance") {
        /// Linear and angular acceleration.
        accel: Accel,
        /// Covariance, row-major 6x6 of linear x, y, z \[m/s^2\] and angular x, y, z \[rad/s^2\].
        covariance: [f64; 36],
    }

    /// Acceleration with covariance in the frame of the header.
    pub struct AccelWithCovarianceStamped("geometry_msgs/msg/AccelWithCovarianceStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Linear and angular acceleration.
        accel: AccelWithCovariance,
    }

    /// Force and moment on a body.
    pub struct Wrench("geometry_msgs/msg/Wrench") {
        /// Vector of the force \[N\].
        force: Vector3,
        /// Moment vector \[N m\].
        torque: Vector3,
    }

    /// Force and moment in the frame of the header.
    pub struct WrenchStamped("geometry_msgs/msg/WrenchStamped") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Force and moment vectors.
        wrench: Wrench,
    }

    /// Transform from a frame to its parent.
    pub struct Transform("geometry_msgs/msg/Transform") {
        /// Origin of the frame in the parent \[m\].
        translation: Vector3,
        /// Orientation of the frame in the parent.
        rotation: Quaternion,
    }

    /// Transform from the frame `child_frame_id` to the frame of the header.
    pub struct TransformStamped("geometry_msgs/msg/TransformStamped") {
        /// Time of the transform, and parent frame.
        header: Header,
        /// Name of the child frame.
        child_frame_id: String,
        /// Transform from child to parent.
        transform: Transform,
    }
}
