//! Detection of the landing pad in rendered images, compared with the poses of the world.

mod rendered;

use nalgebra::{Rotation3, Vector3};
use rendered::{DRONE, DUSK, MORNING, NOON, View, camera, pose, render};
use river_mission::vision::helipad::{PadDetector, PadMarking};

/// Height of the marking above the water [m].
const PAD_HEIGHT: f64 = 1.254;
const BOAT: [f64; 3] = [125.0, -71.0, 180.0];
/// Distances at which the mission searches a pad [m].
const RANGE: [f64; 2] = [0.3, 40.0];

/// Views over the pad at a height [m]: offsets of up to a third of the height, all headings.
fn views(height: f64, time: &'static str, visibility_m: f64) -> impl Iterator<Item = View> {
    (0..3).map(move |k| {
        let angle = 2.1 * f64::from(k) + height;
        let reach = 0.15 * f64::from(k) * height;
        let tilt = 6.0 * f64::from(k - 1);
        View {
            drone: [
                BOAT[0] + reach * angle.cos(),
                BOAT[1] + reach * angle.sin(),
                PAD_HEIGHT + height,
                0.5 * tilt,
                tilt,
                100.0 * f64::from(k) + 10.0 * height,
            ],
            boat: BOAT,
            visibility_m,
            time,
        }
    })
}

#[test]
#[ignore = "renders many images: test/run slow"]
fn pads_are_found_where_they_are() {
    let detector = PadDetector {
        marking: PadMarking::WAMV,
    };
    let camera = camera(DRONE);
    let mut wrong = Vec::new();
    for (condition, time, visibility_m, farthest) in [
        ("noon", NOON, 20_000.0, 20.0),
        ("morning", MORNING, 20_000.0, 20.0),
        ("dusk", DUSK, 20_000.0, 20.0),
        ("fog", MORNING, 150.0, 20.0),
        ("dense fog", MORNING, 40.0, 12.0),
    ] {
        for height in [1.0, 1.5, 2.5, 4.0, 6.0, 9.0, 12.0, 16.0, 20.0, 25.0] {
            let (mut found, mut count) = (0, 0);
            let (mut across, mut along, mut turn) = (0.0_f64, 0.0_f64, 0.0_f64);
            for (k, view) in views(height, time, visibility_m).enumerate() {
                let name = format!("pad_{}_{height}_{k}", condition.replace(' ', "_"));
                let (image, _) = render(&name, &view, DRONE, false);
                let (rotation, position) = pose(&view, DRONE);
                let up = rotation.inverse() * Vector3::z();
                let truth =
                    rotation.inverse() * (Vector3::new(BOAT[0], BOAT[1], PAD_HEIGHT) - position);
                count += 1;
                let seen = detector.detect(&image, &camera, up, RANGE);
                let Some(pad) = seen else {
                    continue;
                };
                found += 1;
                let error = pad.position - truth;
                let line = truth.normalize();
                along = along.max(error.dot(&line).abs());
                across = across.max((error - line * error.dot(&line)).norm());
                let boat = Rotation3::from_axis_angle(&Vector3::z_axis(), BOAT[2].to_radians());
                let relative = (rotation * pad.rotation).inverse() * boat;
                let axis = relative * Vector3::x();
                turn = turn.max(axis.y.atan2(axis.x.abs()).abs().to_degrees());
            }
            println!(
                "{condition:9} {height:4} m: {found}/{count}, largest error across {across:.3} m, along {along:.3} m, heading {turn:.1} deg"
            );
            let is_accurate = across < 0.02 + 0.005 * height
                && along < 0.03 + 0.05 * height
                && turn < 3.0 + 0.4 * height;
            if (height <= farthest && found < count) || !is_accurate {
                wrong.push(format!("{condition}, {height} m"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
#[ignore = "renders many images: test/run slow"]
fn rivers_without_a_boat_have_no_pad() {
    let detector = PadDetector {
        marking: PadMarking::WAMV,
    };
    let camera = camera(DRONE);
    for (k, [east, north]) in [
        [40.0, -38.0],
        [125.0, -71.0],
        [100.0, -74.0],
        [15.0, 0.0],
        [80.0, -60.0],
        [150.0, -60.0],
    ]
    .into_iter()
    .enumerate()
    {
        for (j, time) in [NOON, MORNING, DUSK].into_iter().enumerate() {
            let view = View {
                drone: [
                    east,
                    north,
                    6.0 + 5.0 * k as f64,
                    3.0,
                    -4.0,
                    50.0 * k as f64,
                ],
                boat: [-10.0, 37.0, 140.0],
                visibility_m: 20_000.0,
                time,
            };
            let (image, _) = render(&format!("no_pad_{k}_{j}"), &view, DRONE, false);
            let up = pose(&view, DRONE).0.inverse() * Vector3::z();
            assert_eq!(
                detector.detect(&image, &camera, up, RANGE),
                None,
                "view {k}, {time}"
            );
        }
    }
}
