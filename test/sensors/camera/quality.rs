//! Tests of the render quality `fast` against `full`.

use super::{camera_images, world};
use crate::common::relative;
use merrow_model::sensor::camera::CameraImages;
use merrow_sensors::camera::shading::SURFACE_LABEL;
use merrow_world::{Overrides, load_text};

/// Camera of 120 x 90 pixels whose pixel values are proportional to light.
const CAMERA: &str = "width: 120, height: 90, horizontal_fov_deg: 80, outputs: [rgb, depth, labels], \
    gamma: false, full_well_electrons: 0, exposure_ev100";
/// A sea with waves, objects on both sides of the surface, and a lamp.
const PLACE: &str = "
seed: 1
seabed: {depth_m: 6}
water: {waves: {kind: jonswap, beaufort: 3, tp_s: 4}, optics: {jerlov: '1C'}}
weather: {wind_speed_m_s: 5, wind_from_deg: 250, cloud_cover: 0.4, start_utc: '2026-06-20T20:00:00Z'}
structures:
  pile: {shapes: {own: {kind: cylinder, radius_m: 0.4, length_m: 12, position_m: [9, 2, -2]}}}
  rock: {shapes: {own: {kind: sphere, radius_m: 1, position_m: [5, -1, -6]}}}
";

fn images(height_m: f64, exposure: f64, quality: &str) -> CameraImages {
    let keys = format!("{CAMERA}: {exposure}, quality: {quality}");
    camera_images(&world(height_m, &keys, PLACE))
}

/// Returns the mean red, green and blue of the pixels with a label, and their number.
fn mean_color(images: &CameraImages, label: u16) -> ([f64; 3], usize) {
    let (mut sum, mut count) = ([0.0; 3], 0);
    let labels = images.labels.as_ref().expect("labels");
    let rgb = images.rgb.as_ref().expect("colours");
    for (pixel, _) in rgb.chunks(3).zip(labels).filter(|(_, l)| **l == label) {
        (0..3).for_each(|k| sum[k] += f64::from(pixel[k]));
        count += 1;
    }
    (sum.map(|x| x / count.max(1) as f64), count)
}

// `fast` changes neither depth nor labels, and water keeps its brightness and colour. Method:
// images of one place from above and from below the surface, with both qualities. Tolerance: none
// for depth and labels; the mean of each colour over the pixels of a label within 20 %, over the
// surface seen from below within 35 %, since `fast` has no mirror image of the seabed.
#[test]
fn fast_images_have_the_same_geometry_and_similar_colors() {
    let surface = SURFACE_LABEL;
    for (height_m, exposure, labels) in [
        (1.5, 14.0, vec![(surface, 0.2)]),
        (-2.5, 13.0, vec![(1, 0.2), (surface, 0.35)]),
    ] {
        let [full, fast] = ["full", "fast"].map(|quality| images(height_m, exposure, quality));
        assert_eq!(full.labels, fast.labels);
        assert_eq!(full.depth, fast.depth);
        assert_ne!(full.rgb, fast.rgb);
        for (label, tolerance) in labels {
            let [(expected, n), (found, _)] = [&full, &fast].map(|i| mean_color(i, label));
            println!("{height_m} m, label {label}, {n} pixels: {expected:.1?} {found:.1?}");
            assert!(n > 100, "label {label}: {n} pixels");
            for k in 0..3 {
                relative("colour", found[k], expected[k], tolerance);
            }
        }
    }
}

// Keys that would add rays to an image of the quality `fast` are refused. Method: each with
// `quality: fast`.
#[test]
fn fast_images_have_one_ray_per_pixel() {
    for (key, value) in [("antialias", 4), ("blur_samples", 4)] {
        let keys = format!("{CAMERA}: 12, quality: fast, {key}: {value}");
        let text = world(-2.0, &keys, "");
        let problems = load_text("w.yaml", &text, Overrides::default()).expect_err(key);
        let expected = format!("`{key}` has no effect with `quality: fast`");
        assert!(problems.to_string().contains(&expected), "{problems}");
    }
}
