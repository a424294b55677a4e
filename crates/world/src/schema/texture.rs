//! What a file of a picture on a shape may say.

use merrow_yaml::spec::{choice, fieldless_choice};

choice! {
    /// A picture on a shape; it stands upright on its sides, on those across z its upper edge is to +y.
    pub enum TextureFile {
        /// A PNG or JPEG file. On a box each side shows it whole, on a mesh it lies as the mesh says; with `size_m` it is repeated from the middle.
        Image = "image" {
            /// Its file: a path, from the folder of the file that names it, or `package://<package>/<path>`.
            file: String [not_empty],
            /// Width and height of one picture, which is repeated.
            size_m: Option<[f64; 2]> [positive],
            /// Sides that show it; all if not given.
            sides: Vec<SideFile> = Vec::new(),
        },
        /// An AprilTag in the middle of a side, with its white frame.
        AprilTag = "apriltag" {
            /// Family.
            family: FamilyFile = FamilyFile::Tag36h11,
            /// Number of the tag.
            id: u32 [in 0.0..=586.0],
            /// Side of its black square; a quarter more with the frame.
            size_m: f64 [positive],
            /// Sides that show it.
            sides: Vec<SideFile> [not_empty] = vec![SideFile::Front],
        },
        /// A helipad's circle and letter in the middle of a side.
        Helipad = "helipad" {
            /// Diameter of the circle.
            size_m: f64 [positive] = 6.0,
            /// Sides that show it.
            sides: Vec<SideFile> [not_empty] = vec![SideFile::Top],
        },
    }
}

fieldless_choice! {
    /// Families of AprilTags.
    pub enum FamilyFile {
        /// 587 tags of 36 bits that differ in 11 at least.
        Tag36h11 = "36h11",
    }
}

fieldless_choice! {
    /// A side of a shape.
    pub enum SideFile {
        /// Backwards.
        Back = "-x",
        /// Forwards.
        Front = "+x",
        /// To the right.
        Right = "-y",
        /// To the left.
        Left = "+y",
        /// Downwards.
        Bottom = "-z",
        /// Upwards.
        Top = "+z",
    }
}
