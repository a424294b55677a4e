//! Conversion of the firmware of a glider.

use crate::build::robot::firmware::feedback::{check_depth, feedback};
use crate::build::robot::firmware::{check_rate, find_by_name};
use crate::context::Context;
use merrow_model::scene::robot::firmware::{Firmware, FirmwareLaw, Glider};
use merrow_model::scene::robot::glider::GliderKeys;
use merrow_model::scene::{Drive, Robot};
use merrow_yaml::read::Places;

/// Builds the firmware of the glider `robot`.
pub(super) fn glider(file: &GliderKeys, robot: &Robot, cx: Context<'_>) -> Firmware {
    check_rate(file.rate_hz, &file.at, cx);
    let names = robot.buoyancy_engines.iter().map(|e| e.name.as_str());
    let place = file.at.key_place("engine");
    let engine = find_by_name("buoyancy engine", &file.engine, names, place, cx);
    check_depths_and_volumes(file, robot, engine, cx);
    let joint = |keys: Option<(&str, &Places)>| {
        let (name, at) = keys?;
        let all = robot.links[1..].iter();
        let names = all.map(|l| match l.joint.drive {
            Drive::Effort { .. } => "",
            Drive::Position { .. } | Drive::Servo(_) => l.joint.name.as_str(),
        });
        let place = at.key_place("joint");
        let what = "joint with a position drive";
        Some(find_by_name(what, name, names, place, cx))
    };
    let law = FirmwareLaw::Glider(Box::new(Glider {
        engine,
        slide_joint: joint(file.slide.as_ref().map(|keys| (&*keys.joint, &keys.at))),
        steering_joint: joint(file.steering.as_ref().map(|keys| (&*keys.joint, &keys.at))),
        keys: file.clone(),
    }));
    let feedback = feedback(&file.source_of_motion, robot, cx);
    check_depth(&feedback, &file.source_of_motion, robot, cx);
    Firmware {
        rate_hz: file.rate_hz,
        command_timeout_s: f64::INFINITY,
        guidance: None,
        feedback,
        law,
    }
}

/// Reports depths in the wrong order and volumes outside the range of the engine.
fn check_depths_and_volumes(file: &GliderKeys, robot: &Robot, engine: usize, cx: Context<'_>) {
    if file.dive_depth_m <= file.turn_depth_m {
        let text = format!(
            "`dive_depth_m`: expected more than `turn_depth_m` = {}, found {}",
            file.turn_depth_m, file.dive_depth_m
        );
        cx.error(file.at.key_place("dive_depth_m"), text);
    }
    let Some([low, high]) = robot.buoyancy_engines.get(engine).map(|e| e.range_m3) else {
        return;
    };
    for volume in file.volumes_m3 {
        if !(low..=high).contains(&volume) {
            let text = format!(
                "`volumes_m3`: expected {low} to {high}, the range of the engine, found {volume}"
            );
            cx.error(file.at.key_place("volumes_m3"), text);
        }
    }
}
