//! Tests of image textures: orientation, minification, and motion blur.

use crate::common::folder::Folder;
use crate::common::{advance, simulation};
use merrow_model::state::frames::FrameData;
use merrow_world::{Overrides, load_world};

/// Returns the world with a fixed robot at a height of 20 m that carries a camera with `keys`,
/// looking along x.
fn world(keys: &str, rest: &str) -> String {
    format!(
        "
step: {{dt_s: 0.01}}
robots:
  r:
    position_m: [0, 0, 20]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{c: {{lazy: false, device: {{source: test, rate_hz: 10, kind: camera, gamma: false, full_well_electrons: 0, {keys}}}}}}}
weather: {{cloud_cover: 1, start_utc: '2026-06-20T20:00:00Z'}}
{rest}
"
    )
}

/// Returns the colours of the first image.
fn colors(text: &str) -> Vec<[f64; 3]> {
    let mut sim = simulation(text);
    advance(&mut sim, 0.1);
    let FrameData::CameraImages(images) = &*sim.frames[0].data else {
        panic!("no camera images")
    };
    let rgb = images.rgb.as_ref().expect("colours");
    rgb.chunks_exact(3)
        .map(|p| [0, 1, 2].map(|k| f64::from(p[k])))
        .collect()
}

fn png(folder: &Folder, name: &str, size: [u32; 2], pixel: impl Fn(u32, u32) -> [u8; 3]) -> String {
    let path = folder.0.join(name);
    let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), size[0], size[1]);
    encoder.set_color(png::ColorType::Rgb);
    let bytes: Vec<u8> = (0..size[0] * size[1])
        .flat_map(|k| pixel(k % size[0], k / size[0]))
        .collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&bytes)
        .unwrap();
    path.to_string_lossy().into_owned()
}

// A texture is upright on a wall, has the brightness of its pixel values, and from a distance shows
// the mean of its pixels. Method: red, green, blue and white quarters on the visible side, against
// a wall of one colour; stripes one texel wide, 400 of them within 3 pixels. Tolerance: 3 counts of
// 255; 4 % of white for the stripes.
#[test]
fn textures_are_mapped_as_specified() {
    let folder = Folder::new("texture", &[]);
    let quarters = png(&folder, "quarters.png", [16, 16], |i, j| {
        match (i < 8, j < 8) {
            (true, true) => [255, 0, 0],
            (false, true) => [0, 255, 0],
            (true, false) => [0, 0, 255],
            _ => [255, 255, 255],
        }
    });
    let stripes = png(&folder, "stripes.png", [400, 1], |i, _| {
        [if i % 2 == 0 { 255 } else { 0 }; 3]
    });
    let wall = |size: f64, texture: &str| {
        format!(
            "structures: {{wall: {{position_m: [10.5, 0, 20], shapes: {{s: {{kind: box, size_m: [1, {size}, {size}], material: {{color: [1, 1, 1]}}{texture}}}}}}}}}"
        )
    };
    let keys = "width: 9, height: 9, focal_px: [40, 40], exposure_ev100: 13";
    let plain = colors(&world(keys, &wall(4.0, "")));
    let shown = colors(&world(
        keys,
        &wall(
            4.0,
            &format!(", texture: {{kind: image, file: {quarters}}}"),
        ),
    ));
    for (column, row, lit) in [
        (2, 2, [1.0, 0.0, 0.0]),
        (6, 2, [0.0, 1.0, 0.0]),
        (2, 6, [0.0, 0.0, 1.0]),
        (6, 6, [1.0; 3]),
    ] {
        let (plain, shown) = (plain[9 * row + column], shown[9 * row + column]);
        assert!(plain[1] > 60.0 && plain[1] < 254.0, "{plain:?}");
        for k in 0..3 {
            assert!(
                (shown[k] - plain[k] * lit[k]).abs() < 3.0,
                "({column}, {row}): {shown:?} of {plain:?}"
            );
        }
    }
    let plain = colors(&world(keys, &wall(0.8, "")))[40];
    let far = colors(&world(
        keys,
        &wall(0.8, &format!(", texture: {{kind: image, file: {stripes}}}")),
    ))[40];
    assert!(
        (far[1] - 0.5 * plain[1]).abs() < 0.04 * plain[1],
        "{far:?} of {plain:?}"
    );
}

// Motion blur smears an object by its motion during the exposure. Method: a robot yaws at 2 rad/s
// in front of a bright bar of 2 degrees, 50 ms exposure, 64 samples in time; width of the bright
// area minus that at rest. Tolerance: one pixel of 13.
#[test]
fn motion_blurs_images() {
    let width = |open: f64| {
        let keys = format!(
            "width: 201, height: 3, focal_px: [130, 130], exposure_ev100: 13, exposure_s: {open}, blur_samples: 64"
        );
        let bar = "gravity_m_s2: 0
structures:
  bar: {position_m: [10, 0, 20], shapes: {s: {kind: box, size_m: [0.1, 0.35, 6], material: {color: [1, 1, 1]}}}}
  wall: {position_m: [40, 0, 20], shapes: {s: {kind: box, size_m: [1, 300, 300], material: {color: [0, 0, 0]}}}}";
        let text = world(&keys, bar)
            .replace("base: fixed", "base: floating")
            .replace(
                "[0, 0, 20]\n    model",
                "[0, 0, 20]\n    angular_velocity_rad_s: [0, 0, 2]\n    model",
            );
        let row = &colors(&text)[201..402];
        // The integrated light of the bar relative to its centre, then its ends.
        let lit: Vec<usize> = (0..201).filter(|k| row[*k][1] > 1.0).collect();
        (lit[lit.len() - 1] - lit[0] + 1) as f64
    };
    let (still, blurred) = (width(0.0), width(0.05));
    println!("{still} and {blurred} px");
    assert!(
        (blurred - still - 2.0 * 0.05 * 130.0).abs() <= 1.0,
        "{blurred} of {still}"
    );
}

// A file that is not an image, is too large, or cannot be mapped onto its shape is rejected with a
// one-line message. Method: the messages.
#[test]
fn wrong_textures_are_refused() {
    let folder = Folder::new("wrong_texture", &[]);
    std::fs::write(folder.0.join("text.png"), "not an image").unwrap();
    let mut huge = vec![0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13];
    huge.extend(b"IHDR\x00\x01\x00\x00\x00\x01\x00\x00\x08\x02\x00\x00\x00\xe3\xe6\xa7\xb4");
    std::fs::write(folder.0.join("huge.png"), huge).unwrap();
    std::fs::write(folder.0.join("cut.jpg"), [0xff, 0xd8, 0xff, 0xe0, 0, 4]).unwrap();
    let cases = [
        (
            "box, size_m: [1, 1, 1]",
            "kind: image, file: text.png",
            "expected a PNG or JPEG file",
        ),
        (
            "box, size_m: [1, 1, 1]",
            "kind: image, file: huge.png",
            "the image has 65536 x 65536 pixels; expected sides of 1 to 8192",
        ),
        (
            "box, size_m: [1, 1, 1]",
            "kind: image, file: cut.jpg",
            "not a valid JPEG file",
        ),
        (
            "box, size_m: [1, 1, 1]",
            "kind: image, file: none.png",
            "no file `none.png`",
        ),
        (
            "sphere, radius_m: 1",
            "kind: image, file: text.png",
            "expected `size_m`: only boxes and meshes can show an image without it",
        ),
        (
            "box, size_m: [1, 1, 1]",
            "kind: apriltag, id: 587, size_m: 1",
            "587",
        ),
    ];
    for (shape, texture, expected) in cases {
        let path = folder.0.join("world.yaml");
        let rest = format!(
            "structures: {{a: {{shapes: {{s: {{kind: {shape}, texture: {{{texture}}}}}}}}}}}"
        );
        std::fs::write(
            &path,
            world("width: 9, height: 9, focal_px: [40, 40]", &rest),
        )
        .unwrap();
        let Err(problems) = load_world(&path, Overrides::default()) else {
            panic!("{texture} is taken")
        };
        let text = problems.to_string();
        assert!(
            text.contains(expected) && text.contains("world.yaml:"),
            "{texture}: {text}"
        );
    }
}
