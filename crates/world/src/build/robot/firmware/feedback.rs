//! Conversion of the source of the motion that a firmware uses.

use crate::context::Context;
use merrow_model::scene::robot::feedback::{
    Feedback, FeedbackSensorNames, FeedbackSensors, FeedbackSource, MotionSource, Mounting,
};
use merrow_model::scene::{Robot, Sensor, SensorKind};

/// Returns the source of the motion, with the sensors that the file names or the first of each
/// kind.
pub(super) fn feedback(file: &MotionSource, robot: &Robot, cx: Context<'_>) -> Feedback {
    if matches!(file.feedback, FeedbackSource::Truth) {
        if let Some(named) = &file.feedback_sensors {
            let text = "`feedback_sensors` requires `feedback: sensors`";
            cx.error(&named.at.whole, text);
        }
        return Feedback::Truth;
    }
    let sensors = match &file.feedback_sensors {
        Some(named) => named_sensors(named, robot, cx),
        None => first_sensors(robot),
    };
    if sensors.ins.is_none() && sensors.attitude.is_none() {
        let text = format!(
            "`feedback: sensors`: no INS, AHRS or IMU with attitude on the base of {}",
            robot.name
        );
        cx.error(file.at.key_place("feedback"), text);
    }
    Feedback::Sensors(Box::new(sensors))
}

/// Kinds of feedback sensors and whether a sensor is of this kind.
type IsOfKind = fn(&SensorKind) -> bool;

const INS: IsOfKind = |kind| matches!(kind, SensorKind::Ins(_));
const ATTITUDE: IsOfKind = |kind| match kind {
    SensorKind::Ahrs(_) => true,
    SensorKind::Imu(spec) => spec.keys.attitude_std_deg.is_some(),
    _ => false,
};
const DVL: IsOfKind = |kind| matches!(kind, SensorKind::Dvl(_));
const PRESSURE: IsOfKind = |kind| matches!(kind, SensorKind::Pressure(_));
const GNSS: IsOfKind = |kind| matches!(kind, SensorKind::Gnss(_));

/// Returns the sensors of a kind on the base, with their indices.
fn suitable(robot: &Robot, is_of_kind: IsOfKind) -> Vec<(usize, &Sensor)> {
    let all = robot.sensors.iter().enumerate();
    all.filter(|(_, sensor)| sensor.link == 0 && is_of_kind(&sensor.kind))
        .collect()
}

fn mounting(index: usize, sensor: &Sensor) -> Mounting {
    Mounting {
        sensor: index,
        p_BoS: sensor.p_LoS,
        R_BS: sensor.R_LS,
    }
}

/// Returns the first sensor of each kind on the base.
fn first_sensors(robot: &Robot) -> FeedbackSensors {
    let first = |is_of_kind: IsOfKind| {
        let found = suitable(robot, is_of_kind).into_iter().next();
        found.map(|(index, sensor)| mounting(index, sensor))
    };
    FeedbackSensors {
        ins: first(INS),
        attitude: first(ATTITUDE),
        dvl: first(DVL),
        pressure: first(PRESSURE),
        gnss: first(GNSS),
    }
}

/// Returns the sensors that the file names.
fn named_sensors(file: &FeedbackSensorNames, robot: &Robot, cx: Context<'_>) -> FeedbackSensors {
    let find = |name: &Option<String>, key: &str, is_of_kind: IsOfKind| {
        let name = name.as_ref()?;
        let suitable = suitable(robot, is_of_kind);
        let names = suitable.iter().map(|(_, sensor)| sensor.name.as_str());
        let found = cx.find(file.at.key_place(key), name, names, |name| {
            format!("`{key}`: no sensor {name} of this kind on the base")
        })?;
        let (k, sensor) = suitable[found];
        Some(mounting(k, sensor))
    };
    FeedbackSensors {
        ins: find(&file.ins, "ins", INS),
        attitude: find(&file.attitude, "attitude", ATTITUDE),
        dvl: find(&file.dvl, "dvl", DVL),
        pressure: find(&file.pressure, "pressure", PRESSURE),
        gnss: find(&file.gnss, "gnss", GNSS),
    }
}

/// Reports a firmware that controls the depth with sensors that do not measure it.
pub(super) fn check_depth(
    feedback: &Feedback,
    file: &MotionSource,
    robot: &Robot,
    cx: Context<'_>,
) {
    if let Feedback::Sensors(sensors) = feedback
        && !sensors.measure_depth()
    {
        let text = format!(
            "`feedback: sensors`: no INS or pressure sensor on the base of {}",
            robot.name
        );
        cx.error(file.at.key_place("feedback"), text);
    }
}
