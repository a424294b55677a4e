//! Segmentation of rendered images, compared with their labels.

mod rendered;

use rendered::{
    BOAT, DRONE, DUSK, MORNING, Mount, NOON, View, camera, is_water_label, on_water, pose, render,
};
use river_mission::vision::segmentation::segment;

/// Places of boats on the river: east, north [m], yaw [deg].
const PLACES: [[f64; 3]; 8] = [
    [125.0, -71.0, 180.0],
    [40.0, -38.0, 130.0],
    [-10.0, 37.0, 140.0],
    [125.0, -71.0, 20.0],
    [40.0, -38.0, -50.0],
    [-10.0, 37.0, -40.0],
    [100.0, -74.0, 170.0],
    [15.0, 0.0, 130.0],
];

/// Intersection over union of the water in a view.
fn overlap(name: &str, view: &View, mount: Mount) -> f64 {
    let (image, labels) = render(name, view, mount, true);
    let labels = labels.expect("labels");
    let (camera, pose) = (camera(mount), pose(view, mount));
    let [east, north, yaw] = view.boat;
    let (sin, cos) = yaw.to_radians().sin_cos();
    let place = |x, y| {
        on_water(&camera, &pose, [x, y]).map(|at| {
            let (e, n) = (at.x - east, at.y - north);
            [e * cos + n * sin, n * cos - e * sin]
        })
    };
    // the boat floats: the water before its bow, and the ring about it, are known
    let is_known = |x, y| {
        place(x, y).is_some_and(|[ahead, left]| {
            if mount == BOAT {
                (4.0..9.0).contains(&ahead) && left.abs() < 2.0
            } else {
                (3.5..5.5).contains(&ahead.hypot(left))
            }
        })
    };
    let found = segment(&image, is_known, |x, y| place(x, y).is_some()).expect("known water");
    let (mut both, mut either) = (0, 0);
    for (x, y, label) in labels.enumerate_pixels() {
        let truth = is_water_label(label.0);
        let water = found.mask.get_pixel(x, y)[0] > 0;
        both += u32::from(truth && water);
        either += u32::from(truth || water);
    }
    f64::from(both) / f64::from(either.max(1))
}

#[test]
#[ignore = "renders many images: test/run slow"]
fn water_agrees_with_the_labels() {
    for (condition, time, visibility_m) in [
        ("noon", NOON, 20_000.0),
        ("morning", MORNING, 20_000.0),
        ("dusk", DUSK, 20_000.0),
        ("fog", MORNING, 300.0),
    ] {
        for (mount, least) in [(DRONE, 0.82), (BOAT, 0.92)] {
            let mut overlaps = Vec::new();
            for (k, place) in PLACES.iter().enumerate() {
                let [east, north, yaw] = *place;
                let k_f = k as f64;
                let view = View {
                    drone: [
                        east + 3.0 * k_f.sin(),
                        north + 3.0 * k_f.cos(),
                        18.0 + 3.0 * k_f,
                        3.0 * k_f.sin(),
                        4.0 * k_f.cos(),
                        40.0 * k_f,
                    ],
                    boat: [east, north, yaw],
                    visibility_m,
                    time,
                };
                overlaps.push(overlap(
                    &format!("water_{condition}_{}_{k}", mount.0),
                    &view,
                    mount,
                ));
            }
            let mean = overlaps.iter().sum::<f64>() / overlaps.len() as f64;
            println!("{condition:8} {:4} mean {mean:.3}  {overlaps:.3?}", mount.0);
            assert!(mean > least, "{condition}, {}: {overlaps:.3?}", mount.0);
        }
    }
}
