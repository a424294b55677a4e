//! `sensor_msgs` with large data: images, point clouds and scans.
//!
//! They are separate from the other sensor messages only to limit the file length; users access
//! them through `sensor_msgs`. Pixels and points are [`Bytes`]: a message shares them with their
//! producer, and encoding makes the only copy.

use bytes::Bytes;

use crate::message::ros_message;
use crate::msg::std_msgs::Header;

ros_message! {
    /// Image. The frame of the header is the camera's optical frame: x right, y down, z into the
    /// image.
    pub struct Image("sensor_msgs/msg/Image") {
        /// Exposure time, and optical frame.
        header: Header,
        /// Number of pixel rows.
        height: u32,
        /// Number of pixel columns.
        width: u32,
        /// Pixel format, such as `rgb8`, `mono8`, `16UC1` or `32FC1`.
        encoding: String,
        /// 1 if numbers are stored in big-endian order.
        is_bigendian: u8,
        /// Length of a row \[bytes\].
        step: u32,
        /// Rows of the image, top row first.
        data: Bytes,
    }

    /// Image as a JPEG or PNG file.
    pub struct CompressedImage("sensor_msgs/msg/CompressedImage") {
        /// Exposure time, and optical frame.
        header: Header,
        /// Original and compressed pixel format, as written by the plugins of image_transport:
        /// `rgb8; jpeg compressed bgr8`.
        format: String,
        /// Content of the file.
        data: Bytes,
    }

    /// Region of an image, in pixels of the full sensor; all zeros mean the full image.
    pub struct RegionOfInterest("sensor_msgs/msg/RegionOfInterest") {
        /// Leftmost column of the region.
        x_offset: u32,
        /// Topmost row of the region.
        y_offset: u32,
        /// Number of pixel rows.
        height: u32,
        /// Number of pixel columns.
        width: u32,
        /// Whether a rectified region is to be cut out of the raw image.
        do_rectify: bool,
    }

    /// Calibration of a camera: the mapping from its optical frame to pixels. `k[0]` is 0 if the
    /// camera is not calibrated.
    pub struct CameraInfo("sensor_msgs/msg/CameraInfo") {
        /// Header of the image.
        header: Header,
        /// Number of rows of the whole sensor.
        height: u32,
        /// Number of columns of the whole sensor.
        width: u32,
        /// Distortion model, such as `plumb_bob`.
        distortion_model: String,
        /// Distortion coefficients; k1, k2, t1, t2, k3 for `plumb_bob`.
        d: Vec<f64>,
        /// Row-major 3x3: focal lengths and principal point of the raw image \[px\].
        k: [f64; 9],
        /// Row-major 3x3: rotation from the camera to the rectified image.
        r: [f64; 9],
        /// Row-major 3x4: projection into the rectified image \[px\]. For a right-hand camera, the
        /// last column contains -fx times the baseline.
        p: [f64; 12],
        /// Number of sensor columns per image column; 0 counts as 1.
        binning_x: u32,
        /// Number of sensor rows per image row; 0 counts as 1.
        binning_y: u32,
        /// Region of the sensor that is read.
        roi: RegionOfInterest,
    }

    /// Position and type of a number in a point of a cloud.
    pub struct PointField("sensor_msgs/msg/PointField") {
        /// Name of the field, such as `x` or `intensity`.
        name: String,
        /// Offset from the start of the point \[bytes\].
        offset: u32,
        /// Data type, one of the constants.
        datatype: u8,
        /// Number of consecutive elements.
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

    /// Point cloud in the frame of the header.
    pub struct PointCloud2("sensor_msgs/msg/PointCloud2") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Number of rows; 1 if the points are unordered.
        height: u32,
        /// Number of points in a row.
        width: u32,
        /// Fields of a point.
        fields: Vec<PointField>,
        /// Whether numbers are stored in big-endian order.
        is_bigendian: bool,
        /// Length of a point \[bytes\].
        point_step: u32,
        /// Length of a row \[bytes\].
        row_step: u32,
        /// Points of the cloud, row by row.
        data: Bytes,
        /// Whether all points are valid, without NaN.
        is_dense: bool,
    }

    /// Scan in a plane: ranges at angles about z of the frame of the header, from x towards y.
    pub struct LaserScan("sensor_msgs/msg/LaserScan") {
        /// Time of the first ray, and frame of the data.
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
        /// Minimum valid range \[m\].
        range_min: f32,
        /// Maximum valid range \[m\].
        range_max: f32,
        /// Ranges \[m\]; +inf if no target is within range, -inf if a target is too near.
        ranges: Vec<f32>,
        /// Strength of each return, in the instrument's own unit; empty if not measured.
        intensities: Vec<f32>,
    }
}
