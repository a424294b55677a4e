//! Points of a rendered pair of images, compared with the depth that the simulator renders.

use std::path::{Path, PathBuf};
use std::process::Command;

use image::{GrayImage, RgbImage};
use nalgebra::{Isometry3, Vector2, Vector3};
use river_mission::vision::rectification::Pair;
use river_mission::vision::stereo::points;

// the other tests use more of it
#[allow(dead_code)]
mod rendered;

use rendered::{BOAT, camera, program, read_png, worlds};

/// Runs the program that renders, with these arguments.
fn merrow(arguments: &[&str]) {
    let run = Command::new(program())
        .args(arguments)
        .output()
        .expect("merrow starts");
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{arguments:?}: {text}");
}

/// Reads a portable float map, whose rows go up.
fn read_pfm(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).expect("a depth image");
    let values = &bytes[bytes.len() - 640 * 400 * 4..];
    let value = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let values: Vec<f32> = values.chunks_exact(4).map(value).collect();
    values.chunks_exact(640).rev().flatten().copied().collect()
}

/// Renders the pair of cameras of a boat at a place with a heading: both images, and the depth of the
/// left one.
fn render_pair(
    name: &str,
    [east, north, yaw]: [f64; 3],
    weather: &str,
) -> ([GrayImage; 2], Vec<f32>) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder is created");
    let world = format!(
        "extends: {}/riverwatch.yaml\n\
         couplings: {{pad: null}}\nchargers: {{pad: null}}\nweather: {{{weather}}}\n\
         robots:\n  uav: null\n  \
         usv: {{position_m: [{east}, {north}, 0], attitude_deg: [0, 0, {yaw}], model: {{extends: robots/wamv_riverwatch.yaml, \
         sensors: {{stereo_left: {{device: {{extends: sensors/stereo_half.yaml, outputs: [rgb, depth]}}}}}}}}}}\n",
        worlds().display()
    );
    // of an earlier run
    let _ = std::fs::remove_file(folder.join("pair.mcap"));
    let [file, bag, tables] = ["world.yaml", "pair.mcap", "tables"].map(|name| folder.join(name));
    std::fs::write(&file, world).expect("a world file");
    let [file, bag] = [&file, &bag].map(|path| path.to_str().expect("UTF-8"));
    merrow(&[
        "run",
        file,
        "--pace",
        "max",
        "--for",
        "0.1",
        "--record",
        bag,
        "--record-topics",
        "stereo",
    ]);
    merrow(&["export", bag, "--csv", tables.to_str().expect("UTF-8")]);
    let image = |side: &str| {
        let path = tables.join(format!("usv.stereo_{side}.image_raw.data/000000.png"));
        image::imageops::grayscale::<RgbImage>(&read_png(&path))
    };
    let depth = read_pfm(&tables.join("usv.stereo_left.depth.image_raw.data/000000.pfm"));
    ([image("left"), image("right")], depth)
}

/// Points, those with the true depth to 10 % or 0.3 m, and those with a wrong one above the water, of
/// which only these would be obstacles in the map.
fn count(name: &str, place: [f64; 3], weather: &str) -> [usize; 3] {
    let (images, depth) = render_pair(name, place, weather);
    let camera = camera(BOAT);
    let right = Isometry3::translation(0.24, 0.0, 0.0);
    let pair = Pair::new(&camera, &camera, &right).expect("a pair");
    let found = points(&pair, [&images[0], &images[1]]);
    let (mut good, mut wrong) = (0, 0);
    // 8 deg down, 1.5 m above the water
    let (sin, cos) = 8f64.to_radians().sin_cos();
    for p in &found {
        let pixel: Vector2<f64> = camera.project(&p.coords).expect("before the camera");
        let around = [[0.0, 0.0], [3.0, 0.0], [-3.0, 0.0], [0.0, 3.0], [0.0, -3.0]];
        // blocks spread borders by some pixels
        let is_true = around.into_iter().any(|[du, dv]| {
            let (u, v) = (pixel.x + du, pixel.y + dv);
            let is_inside = (0.0..639.5).contains(&u) && (0.0..399.5).contains(&v);
            is_inside && {
                let truth = depth[v.round() as usize * 640 + u.round() as usize];
                (f64::from(truth) - p.z).abs() < (0.1 * p.z).max(0.3)
            }
        });
        let up = Vector3::new(0.0, -cos, -sin).dot(&p.coords) + 1.5;
        good += usize::from(is_true);
        wrong += usize::from(!is_true && up > 0.25);
    }
    println!(
        "{name}: {} points, {good} true, {wrong} wrong above the water",
        found.len()
    );
    [found.len(), good, wrong]
}

#[test]
#[ignore = "renders images: test/run slow"]
fn points_have_the_rendered_depth() {
    // a bank 4 m away; along the river to both banks; wind and fog
    for (name, place, weather, least) in [
        (
            "stereo_bank",
            [104.0, -62.0, 60.0],
            "wind_speed_m_s: 2",
            5_000,
        ),
        (
            "stereo_river",
            [125.0, -71.0, 180.0],
            "wind_speed_m_s: 2",
            0,
        ),
        ("stereo_wind", [104.0, -64.0, 90.0], "wind_speed_m_s: 8", 0),
        (
            "stereo_fog",
            [104.0, -62.0, 60.0],
            "visibility_m: 100",
            4_000,
        ),
    ] {
        let [all, good, wrong] = count(name, place, weather);
        assert!(good >= least, "{name}: {good} of {all}");
        assert!(wrong * 50 <= all.max(500), "{name}: {wrong} of {all}");
    }
}
