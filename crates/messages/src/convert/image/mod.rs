//! Conversion of images to the messages of image_transport: raw, JPEG or PNG files, and depths as
//! PNG files of inverse depth.
//!
//! Subscribers of `image/compressed` and `image/compressedDepth` read the pixel format from
//! `format`, and the depth scale from twelve bytes before the depth file. Both are written as the
//! plugins write them. The encoders use only integer arithmetic and single-precision sums and
//! products, so an image results in the same file on every machine.
//!
//! ```text
//!   q = A / z + B,   A = z0 (z0 + 1),   B = 1 - A / z_max  (1)  code of a depth z < z_max; 0: none
//!   z = A / (q - B)                                        (2)  depth decoded by subscribers
//! ```

use bytes::Bytes;
use jpeg_encoder::{ChromaSubsamplingMethod, ColorType, SamplingFactor};

use merrow_ros2::msg::sensor_msgs::{CompressedImage, Image};
use merrow_ros2::msg::std_msgs::Header;
use merrow_sensors::display::GreyImage;

/// An image: rows from the top, pixels from the left, without gaps.
#[derive(Debug, Clone, Copy)]
pub struct ImageView<'a> {
    /// Number of pixel columns.
    pub width: u32,
    /// Number of pixel rows.
    pub height: u32,
    /// Pixels row by row from the top, `width * height` in number.
    pub pixels: Pixels<'a>,
}

impl<'a> ImageView<'a> {
    /// Returns an image of red, green and blue with these numbers of columns and rows.
    pub fn rgb(pixels: &'a Bytes, size: [usize; 2]) -> Self {
        let [width, height] = size.map(|n| n as u32);
        Self {
            width,
            height,
            pixels: Pixels::Rgb8(pixels),
        }
    }
}

/// Pixels of an image, by kind.
#[derive(Debug, Clone, Copy)]
pub enum Pixels<'a> {
    /// Red, green, blue, 0 to 255 each.
    Rgb8(&'a Bytes),
    /// Grey, 0 to 255.
    Mono8(&'a Bytes),
    /// Numbers that are not brightness, such as labels.
    Uint16(&'a [u16]),
    /// Depths along the optical axis \[m\]; NaN or +inf where there is no return.
    Depth(&'a [f32]),
}

/// Quantization z0 of compressed depths, eq. (1), as of the image_transport plugin. A larger value
/// gives a finer resolution, but increases the minimum depth that can be encoded, A / (65535 - B)
/// [m].
const DEPTH_QUANTIZATION: f32 = 100.0;

/// Reason why an image cannot be converted to a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The number of values `found` does not match width, height and kind of pixels.
    #[error("found {found} numbers; they do not match an image of {width} x {height} pixels")]
    Size {
        /// Number of pixel columns.
        width: u32,
        /// Number of pixel rows.
        height: u32,
        /// Number of values in the image.
        found: usize,
    },
    /// A file of this kind (first) cannot store pixels of this encoding (second).
    #[error("{0} cannot store pixels of encoding {1}")]
    Kind(&'static str, &'static str),
    /// Error of the file encoder, such as an image that exceeds the limits of its format.
    #[error("cannot encode the image: {0}")]
    Writer(String),
}

impl Pixels<'_> {
    /// Returns the encoding name of `sensor_msgs/Image`.
    pub fn encoding(&self) -> &'static str {
        match self {
            Self::Rgb8(_) => "rgb8",
            Self::Mono8(_) => "mono8",
            Self::Uint16(_) => "16UC1",
            Self::Depth(_) => "32FC1",
        }
    }
}

impl ImageView<'_> {
    /// Builds a raw image message. Byte pixels are shared, not copied.
    ///
    /// # Errors
    /// [`ImageError::Size`] if the number of values does not match the size.
    pub fn raw(&self, header: Header) -> Result<Image, ImageError> {
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

    /// Encodes a colour or grey image as JPEG, with colours at half the resolution as in OpenCV.
    /// `quality` is clamped to 1 to 100.
    ///
    /// # Errors
    /// The kind of pixels is not supported, their number is wrong, or a side exceeds 65535.
    pub fn jpeg(&self, header: Header, quality: u8) -> Result<CompressedImage, ImageError> {
        self.check()?;
        let (pixels, color, stored) = match self.pixels {
            Pixels::Rgb8(p) => (p, ColorType::Rgb, "bgr8"),
            Pixels::Mono8(p) => (p, ColorType::Luma, "mono8"),
            _ => return Err(ImageError::Kind("JPEG", self.pixels.encoding())),
        };
        let side = |n: u32| {
            u16::try_from(n).map_err(|_| ImageError::Writer(format!("side of {n} pixels")))
        };
        let (width, height) = (side(self.width)?, side(self.height)?);
        let mut file = Vec::with_capacity(pixels.len() / 4);
        let mut encoder = jpeg_encoder::Encoder::new(&mut file, quality.clamp(1, 100));
        encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
        encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
        encoder
            .encode(pixels, width, height, color)
            .map_err(|e| ImageError::Writer(e.to_string()))?;
        Ok(self.compressed(header, &format!("jpeg compressed {stored}"), file))
    }

    /// Encodes an image as PNG, without loss.
    ///
    /// # Errors
    /// The pixels are depths, or their number is wrong.
    pub fn png(&self, header: Header) -> Result<CompressedImage, ImageError> {
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
            Pixels::Depth(_) => return Err(ImageError::Kind("PNG", self.pixels.encoding())),
        }?;
        Ok(self.compressed(header, &format!("png compressed {stored}"), file))
    }

    /// Encodes depths in the compressedDepth format of image_transport: the scale, then a PNG file
    /// of inverse depths, eq. (1). Depths below the minimum are encoded as the minimum, those from
    /// `max` [m] on, which is above 0, as none. It does not affect the resolution of near depths: a
    /// step is z²/A for any maximum.
    ///
    /// # Errors
    /// The pixels are not depths, or their number is wrong.
    pub fn compressed_depth(
        &self,
        header: Header,
        max: f32,
    ) -> Result<CompressedImage, ImageError> {
        self.check()?;
        let Pixels::Depth(depths) = self.pixels else {
            return Err(ImageError::Kind("compressedDepth", self.pixels.encoding()));
        };
        let a = DEPTH_QUANTIZATION * (DEPTH_QUANTIZATION + 1.0);
        let b = 1.0 - a / max;
        // (1), rounded to nearest; `as` saturates to 0..65535. A comparison with NaN is false
        let number = |z: &f32| {
            if *z < max {
                (a / z + b + 0.5) as u16
            } else {
                0
            }
        };
        // compression format (the only value), then its coefficients
        let mut file = 0_i32.to_le_bytes().to_vec();
        file.extend(a.to_le_bytes());
        file.extend(b.to_le_bytes());
        self.write_png16(&mut file, depths.iter().map(number))?;
        Ok(self.compressed(header, "compressedDepth png", file))
    }

    fn check(&self) -> Result<(), ImageError> {
        let (width, height) = (self.width, self.height);
        let (found, per_pixel) = match self.pixels {
            Pixels::Rgb8(p) => (p.len(), 3),
            Pixels::Mono8(p) => (p.len(), 1),
            Pixels::Uint16(p) => (p.len(), 1),
            Pixels::Depth(p) => (p.len(), 1),
        };
        let expected = u64::from(width) * u64::from(height) * per_pixel;
        if expected == 0 || expected != found as u64 {
            return Err(ImageError::Size {
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
    ) -> Result<(), ImageError> {
        self.write_png(
            file,
            png::ColorType::Grayscale,
            &bytes_of(numbers.map(u16::to_be_bytes)),
        )
    }

    /// Appends a PNG file, optimized for speed rather than size.
    fn write_png(
        &self,
        file: &mut Vec<u8>,
        color: png::ColorType,
        bytes: &[u8],
    ) -> Result<(), ImageError> {
        let is_wide = matches!(self.pixels, Pixels::Uint16(_) | Pixels::Depth(_));
        let mut encoder = png::Encoder::new(file, self.width, self.height);
        encoder.set_color(color);
        encoder.set_depth(if is_wide {
            png::BitDepth::Sixteen
        } else {
            png::BitDepth::Eight
        });
        encoder.set_compression(png::Compression::Fast);
        encoder.set_filter(png::Filter::Paeth);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(bytes)?;
            writer.finish()
        });
        written.map_err(|e| ImageError::Writer(e.to_string()))
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

/// Concatenates the bytes of numbers.
fn bytes_of<const N: usize>(numbers: impl ExactSizeIterator<Item = [u8; N]>) -> Vec<u8> {
    let mut bytes = vec![0; N * numbers.len()];
    let (slots, _) = bytes.as_chunks_mut();
    for (slot, number) in slots.iter_mut().zip(numbers) {
        *slot = number;
    }
    bytes
}

#[cfg(test)]
mod tests;

/// Converts a greyscale image to its message.
pub(crate) fn grey_image(shown: &GreyImage, header: Header) -> Image {
    Image {
        header,
        height: shown.height as u32,
        width: shown.width as u32,
        encoding: "mono8".into(),
        is_bigendian: 0,
        step: shown.width as u32,
        data: Bytes::copy_from_slice(&shown.pixels),
    }
}
