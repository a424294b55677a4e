//! Conversion of the firmware of a sailing boat.

use crate::build::robot::firmware::feedback::feedback;
use crate::build::robot::firmware::{check_rate, find_by_name};
use crate::context::Context;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::{Firmware, FirmwareLaw, Sailing};
use merrow_model::scene::robot::sailing::SailingKeys;
use merrow_yaml::error::quote;

/// Builds the firmware of the sailing boat `robot`.
pub(super) fn sailing(file: &SailingKeys, robot: &Robot, cx: Context<'_>) -> Firmware {
    check_rate(file.rate_hz, &file.at, cx);
    let names = robot.fins.iter().map(|f| f.name.as_str());
    let place = file.at.key_place("sail");
    let sail = find_by_name("fin", &file.sail, names.clone(), place, cx);
    if robot.fins.get(sail).is_some_and(|fin| !fin.sail) {
        let text = format!(
            "firmware `sailing`: the fin {} has no `sail: true`",
            quote(&file.sail)
        );
        cx.error(place, text);
    }
    let place = file.at.key_place("rudder");
    let rudder = find_by_name("fin", &file.rudder, names, place, cx);
    let law = FirmwareLaw::Sailing(Box::new(Sailing {
        keys: file.clone(),
        sail,
        rudder,
    }));
    Firmware {
        rate_hz: file.rate_hz,
        command_timeout_s: f64::INFINITY,
        guidance: None,
        feedback: feedback(&file.source_of_motion, robot, cx),
        law,
    }
}
