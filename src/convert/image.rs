//! Pictures as image_transport publishes them: raw, as files of JPEG or PNG, and depths as PNG files of inverse depth.
//!
//! Subscribers of `image/compressed` and `image/compressedDepth` learn from `format` what the pixels were, and from twelve
//! bytes before a depth's file how it was scaled; so those are as the plugins write them. What encodes is integer
//! arithmetic, and single sums and products in single precision: the same picture is the same file on every machine.
//!
//! ```text
//!   q = A / z + B,   A = z0 (z0 + 1),   B = 1 - A / z_max        (1)  number that stands for a depth z below z_max; 0: none
//!   z = A / (q - B)                                              (2)  what subscribers make of it
//! ```

use std::fmt;

use bytes::Bytes;
use jpeg_encoder::{ChromaSubsamplingMethod, ColorType, SamplingFactor};

use merrow_ros2::msg::sensor_msgs::{CompressedImage, Image};
use merrow_ros2::msg::std_msgs::Header;

/// A picture: rows from the top, pixels from the left, no gaps.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// The pixels.
    pub pixels: Pixels<'a>,
}

/// Pixels of a picture, by kind.
#[derive(Debug, Clone, Copy)]
pub enum Pixels<'a> {
    /// Red, green, blue, 0 to 255 each.
    Rgb8(&'a Bytes),
    /// Grey, 0 to 255.
    Mono8(&'a Bytes),
    /// Numbers that are not brightness, as labels.
    Uint16(&'a [u16]),
    /// Depths along the optical axis \[m\]; no number, or +inf, where there is nothing.
    Depth(&'a [f32]),
}

/// How finely depths are told apart, eq. (1); the defaults are those of image_transport's plugin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthScale {
    /// Depth from which on nothing is told \[m\], above 0. Far ones cost the near ones nothing: a step is z²/A whatever it is.
    pub max: f32,
    /// z0: the larger, the finer, and the farther the nearest depth that can be told, A / (65535 - B) \[m\]. Above 0.
    pub quantization: f32,
}

impl Default for DepthScale {
    fn default() -> Self {
        Self {
            max: 10.0,
            quantization: 100.0,
        }
    }
}

/// Why a picture has no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureError {
    /// `found` numbers, which is not what width, height and the kind of pixels ask for.
    Size {
        /// Number of columns.
        width: u32,
        /// Number of rows.
        height: u32,
        /// Numbers that there are.
        found: usize,
    },
    /// A file of this kind cannot hold such pixels (their encoding).
    Kind(&'static str, &'static str),
    /// What the writer of files says, for one larger than its format can have.
    Writer(String),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size {
                width,
                height,
                found,
            } => {
                write!(
                    f,
                    "{found} numbers are no picture of {width} x {height} pixels"
                )
            }
            Self::Kind(file, encoding) => write!(f, "a {file} cannot hold pixels {encoding}"),
            Self::Writer(why) => write!(f, "the picture cannot be written: {why}"),
        }
    }
}

impl std::error::Error for PictureError {}

impl Pixels<'_> {
    /// Name of the kind, as `sensor_msgs/Image` has it.
    pub fn encoding(&self) -> &'static str {
        match self {
            Self::Rgb8(_) => "rgb8",
            Self::Mono8(_) => "mono8",
            Self::Uint16(_) => "16UC1",
            Self::Depth(_) => "32FC1",
        }
    }
}

impl Picture<'_> {
    /// The pixels as they are; bytes are shared, not copied.
    ///
    /// # Errors
    /// [`PictureError::Size`].
    pub fn raw(&self, header: Header) -> Result<Image, PictureError> {
        self.check()?;
        let data = match self.pixels {
            Pixels::Rgb8(p) | Pixels::Mono8(p) => p.clone(),
            Pixels::Uint16(p) => bytes_of(p.iter().map(|n| n.to_le_bytes())).into(),
            Pixels::Depth(p) => bytes_of(p.iter().map(|n| n.to_le_bytes())).into(),
        };
        Ok(Image {
            header,
            height: self.height,
            width: self.width,
            encoding: self.pixels.encoding().to_owned(),
            is_bigendian: 0,
            step: (data.len() / self.height as usize) as u32,
            data,
        })
    }

    /// A JPEG file of a colour or grey picture, its colours at half the resolution as OpenCV has them. `quality`: 1 to
    /// 100, others count as the nearest of these.
    ///
    /// # Errors
    /// Another kind of pixels, a wrong number of them, a side of more than 65535.
    pub fn jpeg(&self, header: Header, quality: u8) -> Result<CompressedImage, PictureError> {
        self.check()?;
        let (pixels, color, stored) = match self.pixels {
            Pixels::Rgb8(p) => (p, ColorType::Rgb, "bgr8"),
            Pixels::Mono8(p) => (p, ColorType::Luma, "mono8"),
            _ => return Err(PictureError::Kind("JPEG", self.pixels.encoding())),
        };
        let side =
            |n: u32| u16::try_from(n).map_err(|_| PictureError::Writer(format!("a side of {n}")));
        let (width, height) = (side(self.width)?, side(self.height)?);
        let mut file = Vec::with_capacity(pixels.len() / 4);
        let mut encoder = jpeg_encoder::Encoder::new(&mut file, quality.clamp(1, 100));
        encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
        encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
        encoder
            .encode(pixels, width, height, color)
            .map_err(|e| PictureError::Writer(e.to_string()))?;
        Ok(self.compressed(header, &format!("jpeg compressed {stored}"), file))
    }

    /// A PNG file, which loses nothing.
    ///
    /// # Errors
    /// Depths, or a wrong number of pixels.
    pub fn png(&self, header: Header) -> Result<CompressedImage, PictureError> {
        self.check()?;
        let mut file = Vec::new();
        let stored = match self.pixels {
            Pixels::Rgb8(p) => self
                .write_png(&mut file, png::ColorType::Rgb, p)
                .map(|()| "bgr8"),
            Pixels::Mono8(p) => self
                .write_png(&mut file, png::ColorType::Grayscale, p)
                .map(|()| ""),
            Pixels::Uint16(p) => self.write_png16(&mut file, p.iter().copied()).map(|()| ""),
            Pixels::Depth(_) => return Err(PictureError::Kind("PNG", self.pixels.encoding())),
        }?;
        Ok(self.compressed(header, &format!("png compressed {stored}"), file))
    }

    /// Depths as image_transport's compressedDepth has them: a PNG file of inverse depths, eq. (1), after how they are scaled.
    /// What is nearer than can be told has the nearest depth that can.
    ///
    /// # Errors
    /// Another kind of pixels, or a wrong number of them.
    pub fn compressed_depth(
        &self,
        header: Header,
        scale: DepthScale,
    ) -> Result<CompressedImage, PictureError> {
        self.check()?;
        let Pixels::Depth(depths) = self.pixels else {
            return Err(PictureError::Kind(
                "compressedDepth",
                self.pixels.encoding(),
            ));
        };
        let a = scale.quantization * (scale.quantization + 1.0);
        let b = 1.0 - a / scale.max;
        // (1); to the nearest, and `as` keeps within 0 to 65535. A comparison with NaN is false
        let number = |z: &f32| {
            if *z < scale.max {
                (a / z + b + 0.5) as u16
            } else {
                0
            }
        };
        // kind of coding, of which there is one, then its coefficients
        let mut file = 0_i32.to_le_bytes().to_vec();
        file.extend(a.to_le_bytes());
        file.extend(b.to_le_bytes());
        self.write_png16(&mut file, depths.iter().map(number))?;
        Ok(self.compressed(header, "compressedDepth png", file))
    }

    fn check(&self) -> Result<(), PictureError> {
        let (width, height) = (self.width, self.height);
        let (found, per_pixel) = match self.pixels {
            Pixels::Rgb8(p) => (p.len(), 3),
            Pixels::Mono8(p) => (p.len(), 1),
            Pixels::Uint16(p) => (p.len(), 1),
            Pixels::Depth(p) => (p.len(), 1),
        };
        let expected = u64::from(width) * u64::from(height) * per_pixel;
        if expected == 0 || expected != found as u64 {
            return Err(PictureError::Size {
                width,
                height,
                found,
            });
        }
        Ok(())
    }

    fn write_png16(
        &self,
        file: &mut Vec<u8>,
        numbers: impl ExactSizeIterator<Item = u16>,
    ) -> Result<(), PictureError> {
        self.write_png(
            file,
            png::ColorType::Grayscale,
            &bytes_of(numbers.map(u16::to_be_bytes)),
        )
    }

    /// Appends a PNG file, quickly rather than small.
    fn write_png(
        &self,
        file: &mut Vec<u8>,
        color: png::ColorType,
        bytes: &[u8],
    ) -> Result<(), PictureError> {
        let is_wide = matches!(self.pixels, Pixels::Uint16(_) | Pixels::Depth(_));
        let mut encoder = png::Encoder::new(file, self.width, self.height);
        encoder.set_color(color);
        encoder.set_depth(if is_wide {
            png::BitDepth::Sixteen
        } else {
            png::BitDepth::Eight
        });
        encoder.set_compression(png::Compression::Fast);
        encoder.set_filter(png::FilterType::Paeth);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(bytes)?;
            writer.finish()
        });
        written.map_err(|e| PictureError::Writer(e.to_string()))
    }

    fn compressed(&self, header: Header, how: &str, file: Vec<u8>) -> CompressedImage {
        let format = format!("{}; {how}", self.pixels.encoding());
        CompressedImage {
            header,
            format,
            data: file.into(),
        }
    }
}

/// The bytes of numbers, one after another.
fn bytes_of<const N: usize>(numbers: impl ExactSizeIterator<Item = [u8; N]>) -> Vec<u8> {
    let mut bytes = vec![0; N * numbers.len()];
    let (slots, _) = bytes.as_chunks_mut();
    for (slot, number) in slots.iter_mut().zip(numbers) {
        *slot = number;
    }
    bytes
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
