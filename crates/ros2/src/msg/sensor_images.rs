//! `sensor_msgs`, what many rays measure at once: pictures, clouds of points and scans.
//!
//! Apart from the other sensors' for the length of the file only; users name them through `sensor_msgs`. Pixels and
//! points are [`Bytes`]: a message shares them with whoever made them, and encoding is the one copy.

use bytes::Bytes;

use crate::message::ros_message;
use crate::msg::std_msgs::Header;

ros_message! {
    /// A picture. The frame of the header is the camera's optical one: x right, y down, z into the picture.
    pub struct Image("sensor_msgs/msg/Image") {
        /// When the shutter was open, and the optical frame.
        header: Header,
        /// Number of rows.
        height: u32,
        /// Number of columns.
        width: u32,
        /// What a pixel is, as `rgb8`, `mono8`, `16UC1` or `32FC1`.
        encoding: String,
        /// 1 if numbers of several bytes have their highest byte first.
        is_bigendian: u8,
        /// Length of a row \[bytes\].
        step: u32,
        /// The rows, from the top.
        data: Bytes,
    }

    /// A picture as a JPEG or PNG file.
    pub struct CompressedImage("sensor_msgs/msg/CompressedImage") {
        /// When the shutter was open, and the optical frame.
        header: Header,
        /// What the pixels were and what they became, in the words of image_transport's plugins: `rgb8; jpeg compressed bgr8`.
        format: String,
        /// The file.
        data: Bytes,
    }

    /// Part of a picture, in pixels of the whole sensor; all zero means all of it.
    pub struct RegionOfInterest("sensor_msgs/msg/RegionOfInterest") {
        /// Its leftmost column.
        x_offset: u32,
        /// Its topmost row.
        y_offset: u32,
        /// Number of rows.
        height: u32,
        /// Number of columns.
        width: u32,
        /// Whether a rectified part is to be cut out of the raw one.
        do_rectify: bool,
    }

    /// How a camera maps points of its optical frame to pixels; `k[0]` is 0 if nobody has calibrated it.
    pub struct CameraInfo("sensor_msgs/msg/CameraInfo") {
        /// That of the picture.
        header: Header,
        /// Number of rows of the whole sensor.
        height: u32,
        /// Number of columns of the whole sensor.
        width: u32,
        /// Law of the distortion, as `plumb_bob`.
        distortion_model: String,
        /// Its coefficients; of `plumb_bob` k1, k2, t1, t2, k3.
        d: Vec<f64>,
        /// Row-major 3x3: focal lengths and principal point of the raw picture \[px\].
        k: [f64; 9],
        /// Row-major 3x3: rotation from the camera to the rectified picture.
        r: [f64; 9],
        /// Row-major 3x4: projection into the rectified picture \[px\]; in the last column of a right-hand camera -fx times the baseline.
        p: [f64; 12],
        /// Columns of the sensor that make one of the picture; 0 counts as 1.
        binning_x: u32,
        /// Rows of the sensor that make one of the picture; 0 counts as 1.
        binning_y: u32,
        /// Part of the sensor that is read.
        roi: RegionOfInterest,
    }

    /// Where a number stands in a point of a cloud.
    pub struct PointField("sensor_msgs/msg/PointField") {
        /// Its name, as `x` or `intensity`.
        name: String,
        /// Its place \[bytes from the point's first\].
        offset: u32,
        /// Its type, a constant.
        datatype: u8,
        /// How many of them follow each other.
        count: u32,
    } consts {
        INT8: u8 = 1,
        UINT8: u8 = 2,
        INT16: u8 = 3,
        UINT16: u8 = 4,
        INT32: u8 = 5,
        UINT32: u8 = 6,
        FLOAT32: u8 = 7,
        FLOAT64: u8 = 8,
    }

    /// A cloud of points in the frame of the header.
    pub struct PointCloud2("sensor_msgs/msg/PointCloud2") {
        /// When, and in which frame.
        header: Header,
        /// Number of rows; 1 if the points have no order.
        height: u32,
        /// Number of points in a row.
        width: u32,
        /// What a point is made of.
        fields: Vec<PointField>,
        /// Whether numbers have their highest byte first.
        is_bigendian: bool,
        /// Length of a point \[bytes\].
        point_step: u32,
        /// Length of a row \[bytes\].
        row_step: u32,
        /// The points, row by row.
        data: Bytes,
        /// Whether every point is a return: none is NaN.
        is_dense: bool,
    }

    /// Scan of a plane: ranges about z of the frame of the header, from x towards y.
    pub struct LaserScan("sensor_msgs/msg/LaserScan") {
        /// When the first ray left, and in which frame.
        header: Header,
        /// Angle of the first ray \[rad\].
        angle_min: f32,
        /// Angle of the last ray \[rad\].
        angle_max: f32,
        /// Angle from one ray to the next \[rad\].
        angle_increment: f32,
        /// Time from one ray to the next \[s\].
        time_increment: f32,
        /// Time from one scan to the next \[s\].
        scan_time: f32,
        /// Least range that counts \[m\].
        range_min: f32,
        /// Greatest range that counts \[m\].
        range_max: f32,
        /// Ranges \[m\]; +inf: nothing within reach, -inf: too near.
        ranges: Vec<f32>,
        /// Strength of each return, in the instrument's own unit; empty if it states none.
        intensities: Vec<f32>,
    }
}
