//! Tests lens models against OpenCV.

use crate::common::folder::Folder;
use crate::common::python::script;
use merrow_math::Vec3;
use merrow_model::sensor::lens::{Distortion, Lens};
use serde_json::{Value, json};

// Cameras project as OpenCV does, in both directions. Method: cv2.projectPoints and
// cv2.fisheye.projectPoints for points over the whole view of three lenses each; Merrow's pixels of
// the points, and Merrow's directions of OpenCV's pixels, projected. Tolerance: 0.01 px.
#[test]
fn lens_models_match_opencv() {
    let Some(mut command) = script("witness/devices/camera_opencv.py") else {
        return;
    };
    let lens = |distortion| Lens {
        focal: [420.0, 415.0],
        center: [322.3, 236.1],
        distortion,
    };
    let lenses = [
        lens(Distortion::BrownConrady([0.0; 5])),
        lens(Distortion::BrownConrady([
            -0.28, 0.09, 0.0012, -0.0007, -0.012,
        ])),
        lens(Distortion::BrownConrady([0.12, -0.21, -0.002, 0.001, 0.09])),
        lens(Distortion::FishEye([0.0; 4])),
        lens(Distortion::FishEye([-0.013, 0.021, -0.011, 0.0021])),
        lens(Distortion::FishEye([0.05, -0.02, 0.004, -0.0004])),
    ];
    let points: Vec<Vec3> = (-8..=8)
        .flat_map(|i| {
            (-6..=6)
                .map(move |j| Vec3::new(0.09 * f64::from(i), 0.09 * f64::from(j), 1.0).scale(2.5))
        })
        .collect();
    let request: Value = lenses
        .iter()
        .map(|lens| {
            let (model, k) = match lens.distortion {
                Distortion::BrownConrady(k) => ("plumb_bob", k.to_vec()),
                Distortion::FishEye(k) => ("fisheye", k.to_vec()),
            };
            let points: Vec<[f64; 3]> = points.iter().map(|p| p.to_array()).collect();
            json!({"model": model, "focal": lens.focal, "center": lens.center, "k": k, "points": points})
        })
        .collect();
    let folder = Folder::new("opencv", &[]);
    let files = (folder.0.join("request.json"), folder.0.join("reply.json"));
    std::fs::write(&files.0, request.to_string()).unwrap();
    let output = command.args([&files.0, &files.1]).output().unwrap();
    assert!(
        output.status.success(),
        "OpenCV: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let reply: Vec<Vec<[f64; 2]>> =
        serde_json::from_str::<Value>(&std::fs::read_to_string(&files.1).unwrap())
            .map(pairs)
            .unwrap();
    let mut most = [0.0_f64; 2];
    for (lens, theirs) in lenses.iter().zip(&reply) {
        for (point, pixel) in points.iter().zip(theirs) {
            let own = lens.project(*point).unwrap();
            most[0] = most[0]
                .max((own[0] - pixel[0]).abs())
                .max((own[1] - pixel[1]).abs());
            let d = lens.direction(*pixel).expect("a direction");
            let off = d.cross(*point).norm() / point.norm();
            most[1] = most[1].max(off * lens.focal[0]);
        }
    }
    println!("{most:?} px");
    assert!(most[0] < 0.01 && most[1] < 0.01, "{most:?}");
}

/// Parses lists of pixels.
fn pairs(value: Value) -> Vec<Vec<[f64; 2]>> {
    let number = |v: &Value, k: usize| v[k].as_f64().unwrap();
    let list = |v: &Value| {
        v.as_array()
            .unwrap()
            .iter()
            .map(|p| [number(p, 0), number(p, 1)])
            .collect()
    };
    value.as_array().unwrap().iter().map(list).collect()
}
