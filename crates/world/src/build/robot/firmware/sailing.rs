//! Conversion of the firmware of a sailing boat.

use crate::build::robot::firmware::feedback::feedback;
use crate::build::robot::firmware::{check_rate, find_by_name};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::{Firmware, FirmwareLaw, Sailing};
use merrow_model::scene::robot::sailing::SailingKeys;
use merrow_yaml::error::{Problems, quote};

/// Builds the firmware of the sailing boat `robot` in a world with time step `dt` [s].
pub(super) fn sailing(
    file: &SailingKeys,
    robot: &Robot,
    dt: f64,
    problems: &mut Problems,
) -> Firmware {
    check_rate(file.rate_hz, dt, &file.at, problems);
    let names = robot.fins.iter().map(|f| f.name.as_str());
    let place = file.at.key_place("sail");
    let sail = find_by_name("fin", &file.sail, names.clone(), place, problems);
    if robot.fins.get(sail).is_some_and(|fin| !fin.sail) {
        let text = format!(
            "firmware `sailing`: the fin {} has no `sail: true`",
            quote(&file.sail)
        );
        problems.push(place, text);
    }
    let place = file.at.key_place("rudder");
    let rudder = find_by_name("fin", &file.rudder, names, place, problems);
    let law = FirmwareLaw::Sailing(Sailing {
        keys: file.clone(),
        sail,
        rudder,
    });
    Firmware {
        rate_hz: file.rate_hz,
        command_timeout_s: f64::INFINITY,
        guidance: None,
        feedback: feedback(&file.source_of_motion, robot, problems),
        law,
    }
}
