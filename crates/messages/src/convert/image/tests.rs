//! Tests of sizes, formats and files; `test/ros/bags/images.py` decodes them with other programs.

use crate::convert::image::*;
use sha2::{Digest, Sha256};

const WIDTH: u32 = 70;
const HEIGHT: u32 = 37;

/// Returns a smooth image whose sides are not multiples of a JPEG block.
fn smooth() -> Bytes {
    let pixel = |i: u32| {
        let (x, y) = (i % WIDTH, i / WIDTH);
        [
            x * 255 / WIDTH,
            y * 255 / HEIGHT,
            (x + y) * 255 / (WIDTH + HEIGHT),
        ]
        .map(|v| v as u8)
    };
    (0..WIDTH * HEIGHT).flat_map(pixel).collect()
}

fn image_view(pixels: Pixels<'_>) -> ImageView<'_> {
    ImageView {
        width: WIDTH,
        height: HEIGHT,
        pixels,
    }
}

/// Decodes the numbers in a PNG file.
fn read_png(file: &[u8]) -> Vec<u16> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height), (WIDTH, HEIGHT));
    match info.bit_depth {
        png::BitDepth::Sixteen => bytes
            .chunks_exact(2)
            .map(|b| u16::from_be_bytes([b[0], b[1]]))
            .collect(),
        _ => bytes.into_iter().map(u16::from).collect(),
    }
}

#[test]
fn raw_pixels_are_shared_and_numbers_little_endian() {
    let bytes = smooth();
    let image = image_view(Pixels::Rgb8(&bytes))
        .raw(Header::default())
        .unwrap();
    assert_eq!(
        (image.step, image.encoding.as_str(), image.is_bigendian),
        (3 * WIDTH, "rgb8", 0)
    );
    assert_eq!(image.data.as_ptr(), bytes.as_ptr());

    let labels: Vec<u16> = (0..(WIDTH * HEIGHT) as u16).collect();
    let image = image_view(Pixels::Uint16(&labels))
        .raw(Header::default())
        .unwrap();
    assert_eq!((image.step, image.encoding.as_str()), (2 * WIDTH, "16UC1"));
    assert_eq!(image.data[2 * 0x0102..2 * 0x0102 + 2], [2, 1]);

    let depths = vec![-2.0_f32; labels.len()];
    let image = image_view(Pixels::Depth(&depths))
        .raw(Header::default())
        .unwrap();
    assert_eq!((image.step, image.encoding.as_str()), (4 * WIDTH, "32FC1"));
    assert_eq!(image.data[..4], [0, 0, 0, 0xc0]);
}

#[test]
fn formats_match_the_image_transport_plugins() {
    let rgb = smooth();
    let grey = rgb.slice(..(WIDTH * HEIGHT) as usize);
    let numbers = vec![300; grey.len()];
    let depths = vec![1.0; grey.len()];
    let (rgb, grey) = (
        image_view(Pixels::Rgb8(&rgb)),
        image_view(Pixels::Mono8(&grey)),
    );
    let head = Header::default;
    assert_eq!(
        rgb.jpeg(head(), 90).unwrap().format,
        "rgb8; jpeg compressed bgr8"
    );
    assert_eq!(
        grey.jpeg(head(), 90).unwrap().format,
        "mono8; jpeg compressed mono8"
    );
    assert_eq!(rgb.png(head()).unwrap().format, "rgb8; png compressed bgr8");
    assert_eq!(grey.png(head()).unwrap().format, "mono8; png compressed ");
    assert_eq!(
        image_view(Pixels::Uint16(&numbers))
            .png(head())
            .unwrap()
            .format,
        "16UC1; png compressed "
    );
    let depth = image_view(Pixels::Depth(&depths))
        .compressed_depth(head(), 10.0)
        .unwrap();
    assert_eq!(depth.format, "32FC1; compressedDepth png");
}

#[test]
fn png_files_are_lossless() {
    let rgb = smooth();
    let file = image_view(Pixels::Rgb8(&rgb))
        .png(Header::default())
        .unwrap()
        .data;
    assert!(
        read_png(&file)
            .into_iter()
            .eq(rgb.iter().map(|b| u16::from(*b)))
    );
    let labels: Vec<u16> = (0..WIDTH * HEIGHT).map(|i| (i * 25) as u16).collect();
    let file = image_view(Pixels::Uint16(&labels))
        .png(Header::default())
        .unwrap()
        .data;
    assert_eq!(read_png(&file), labels);
}

#[test]
fn depths_are_decoded_within_half_a_step() {
    let mut depths: Vec<f32> = (0..WIDTH * HEIGHT).map(|i| 0.4 + 0.02 * i as f32).collect();
    let odd = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        40.0,
        -1.0,
        0.0,
        0.01,
    ];
    depths[..odd.len()].copy_from_slice(&odd);
    let max = 40.0;
    let message = image_view(Pixels::Depth(&depths))
        .compressed_depth(Header::default(), max)
        .unwrap();
    let (head, file) = message.data.split_at(12);
    let float = |i: usize| f32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
    let (a, b) = (float(4), float(8));
    assert_eq!(
        (&head[..4], a, b),
        (&[0; 4][..], 10_100.0, 1.0 - 10_100.0 / 40.0)
    );
    let numbers = read_png(file);
    // no return, too far, too near for a depth; then nearer than the minimum
    assert_eq!(numbers[..7], [0, 0, 0, 0, 0, u16::MAX, u16::MAX]);
    for (z, q) in depths.iter().zip(&numbers).skip(odd.len()) {
        if *z >= max {
            assert_eq!(*q, 0, "{z}");
            continue;
        }
        // (2), and half a step of (1) at this depth
        let (back, half_step) = (a / (f32::from(*q) - b), z * z / a * 0.5);
        assert!(
            *q > 0 && (back - z).abs() <= 1.01 * half_step + 1e-6,
            "{z} m was decoded as {back} m"
        );
    }
}

#[test]
fn encoded_files_are_the_same_everywhere() {
    let digits = |data: &[u8]| {
        Sha256::digest(data)
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let rgb = smooth();
    let depths: Vec<f32> = (0..WIDTH * HEIGHT)
        .map(|i| 0.4 + 0.003 * i as f32)
        .collect();
    let jpeg = image_view(Pixels::Rgb8(&rgb))
        .jpeg(Header::default(), 90)
        .unwrap();
    let png = image_view(Pixels::Rgb8(&rgb))
        .png(Header::default())
        .unwrap();
    let depth = image_view(Pixels::Depth(&depths));
    let depth = depth.compressed_depth(Header::default(), 10.0).unwrap();
    // these hashes change only with the crates that encode the files
    let expected = ["a935d4d3458c8c5b", "10cdae7d2fe5bdcb", "634341b4334ef8f7"];
    assert_eq!(
        [jpeg.data, png.data, depth.data].map(|data| digits(&data)),
        expected
    );
}

#[test]
fn quality_increases_file_size_and_is_clamped() {
    let rgb = smooth();
    let jpeg = |quality| {
        image_view(Pixels::Rgb8(&rgb))
            .jpeg(Header::default(), quality)
            .unwrap()
            .data
    };
    assert!(jpeg(30).len() < jpeg(90).len());
    assert_eq!((jpeg(0), jpeg(255)), (jpeg(1), jpeg(100)));
}

#[test]
fn invalid_images_are_rejected() {
    let (rgb, long, depths) = (smooth(), Bytes::from(vec![0; 65_536]), [1.0; 4]);
    let head = Header::default;
    let short = ImageView {
        width: WIDTH,
        height: HEIGHT - 1,
        pixels: Pixels::Rgb8(&rgb),
    };
    let empty = ImageView {
        width: 0,
        height: 0,
        pixels: Pixels::Depth(&[]),
    };
    let strip = ImageView {
        width: 65_536,
        height: 1,
        pixels: Pixels::Mono8(&long),
    };
    let depth = ImageView {
        width: 2,
        height: 2,
        pixels: Pixels::Depth(&depths),
    };
    let text = |result: Result<CompressedImage, ImageError>| result.unwrap_err().to_string();
    assert_eq!(
        text(short.jpeg(head(), 90)),
        "found 7770 numbers; they do not match an image of 70 x 36 pixels"
    );
    assert_eq!(
        text(short.png(head())),
        "found 7770 numbers; they do not match an image of 70 x 36 pixels"
    );
    assert!(short.raw(head()).is_err() && empty.raw(head()).is_err());
    assert_eq!(
        text(strip.jpeg(head(), 90)),
        "cannot encode the image: side of 65536 pixels"
    );
    assert!(strip.png(head()).is_ok());
    assert_eq!(
        text(depth.jpeg(head(), 90)),
        "JPEG cannot store pixels of encoding 32FC1"
    );
    assert_eq!(
        text(depth.png(head())),
        "PNG cannot store pixels of encoding 32FC1"
    );
    assert_eq!(
        text(strip.compressed_depth(head(), 10.0)),
        "compressedDepth cannot store pixels of encoding mono8"
    );
}
