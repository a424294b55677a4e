//! Keys of textures on shapes.

use merrow_yaml::spec::spec;

spec! {
    /// A texture on a shape. On the lateral sides it is upright; on the sides normal to z its upper
    /// edge points to +y.
    pub enum TextureConfig {
        /// A PNG or JPEG image. On a box it covers each side, on a mesh it is mapped with the
        /// texture coordinates of the mesh. With `size_m` it is repeated from the centre.
        Image = "image" {
            /// Image file: a path relative to the folder of the file that names it, or
            /// `package://<package>/<path>`.
            file: String [not_empty],
            /// Width and height of one tile of the repeated image. Default: not repeated.
            size_m: Option<[f64; 2]> [positive],
            /// Sides that show the image. Default: all.
            sides: Vec<ShapeSideConfig> = Vec::new(),
        },
        /// An AprilTag with its white frame, at the centre of a side.
        AprilTag = "apriltag" {
            /// Family of the AprilTag.
            family: TagFamilyConfig = TagFamilyConfig::Tag36h11,
            /// Number of the tag in its family.
            id: u32 [in 0.0..=586.0],
            /// Side length of the black square. The white frame adds a quarter.
            size_m: f64 [positive],
            /// Sides that show the tag.
            sides: Vec<ShapeSideConfig> [not_empty] = vec![ShapeSideConfig::Front],
        },
        /// A helipad circle and letter at the centre of a side.
        Helipad = "helipad" {
            /// Diameter of the circle.
            size_m: f64 [positive] = 6.0,
            /// Sides that show the helipad.
            sides: Vec<ShapeSideConfig> [not_empty] = vec![ShapeSideConfig::Top],
        },
    }

    /// Family of an AprilTag.
    pub(crate) enum TagFamilyConfig words {
        /// 587 tags of 36 bits with a Hamming distance of at least 11.
        Tag36h11 = "36h11",
    }

    /// Side of a shape.
    pub enum ShapeSideConfig words {
        /// Back, towards negative x.
        Back = "-x",
        /// Front, towards positive x.
        Front = "+x",
        /// Right, towards negative y.
        Right = "-y",
        /// Left, towards positive y.
        Left = "+y",
        /// Bottom, towards negative z.
        Bottom = "-z",
        /// Top, towards positive z.
        Top = "+z",
    }
}
