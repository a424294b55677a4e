//! Conversion of firmware files: what all of them have. The control laws convert their own keys.

mod feedback;

use crate::build::robot::firmware::feedback::{check_depth, feedback};
use crate::context::Context;
use crate::keys::robot::firmware::FirmwareConfig;
use merrow_control::build::LawContext;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::Firmware;
use merrow_yaml::read::Places;

/// Builds the firmware of `robot`, whose links and thrusters are complete.
pub(crate) fn build_firmware(file: &FirmwareConfig, robot: &Robot, cx: Context<'_>) -> Firmware {
    let keys = file.common();
    check_rate(keys.rate_hz, keys.at, cx);
    let firmware = Firmware {
        rate_hz: keys.rate_hz,
        command_timeout_s: keys.command_timeout_s,
        guidance: keys.guidance.cloned(),
        feedback: feedback(keys.source_of_motion, robot, cx),
        law: file.build(&LawContext {
            robot,
            problems: cx.problems,
        }),
    };
    if firmware.abilities().depth {
        check_depth(&firmware.feedback, keys.source_of_motion, robot, cx);
    }
    firmware
}

/// Reports a firmware rate above one cycle per time step.
fn check_rate(rate: f64, places: &Places, cx: Context<'_>) {
    let dt = cx.dt;
    if rate * dt > 1.0 + 1e-9 {
        let text = format!(
            "`rate_hz`: expected at most {} with steps of {dt} s, found {rate}",
            1.0 / dt
        );
        cx.error(places.key_place("rate_hz"), text);
    }
}
