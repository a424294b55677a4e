//! Messages of MAVLink about a robot.
//!
//! Position, attitude and velocity are ground truth, in north, east, down. Units and fields follow
//! the dialect `common` (mavlink.io).

use crate::history::MotionSample;
use crate::mavlink::fields::{centidegrees, centimetres_per_second, millimetres, position};
use crate::ned::{attitude_in_ned, forward_right_down, north_east_down};
use ::mavlink::dialects::common::{
    ATTITUDE_DATA, BATTERY_STATUS_DATA, GLOBAL_POSITION_INT_DATA, GPS_RAW_INT_DATA, GpsFixType,
    HEARTBEAT_DATA, MavAutopilot, MavBatteryFunction, MavBatteryType, MavMessage, MavModeFlag,
    MavState, MavSysStatusSensor, MavType, SCALED_PRESSURE2_DATA, SYS_STATUS_DATA, VFR_HUD_DATA,
};
use merrow_environment::geodesy::geodetic_from_world;
use merrow_model::scene::Robot;
use merrow_model::state::firmware::tasks::ControlMode;
use merrow_sim::Simulation;

/// Cell voltage of an absent cell in `BATTERY_STATUS`.
const NO_CELL: u16 = u16::MAX;
/// A course, speed or dilution that is unknown.
const UNKNOWN: u16 = u16::MAX;

/// Returns heartbeat and battery of robot `robot`.
pub(crate) fn slow_messages(simulation: &Simulation, robot: usize) -> Vec<MavMessage> {
    let (model, state) = (
        &simulation.scene.robots[robot],
        &simulation.state.robots[robot],
    );
    let mode = mode(simulation, robot);
    let mut base_mode = MavModeFlag::MAV_MODE_FLAG_CUSTOM_MODE_ENABLED;
    if mode.is_some_and(|mode| mode != ControlMode::Off) {
        base_mode |= MavModeFlag::MAV_MODE_FLAG_SAFETY_ARMED;
    }
    if mode.is_some_and(ControlMode::is_piloted) {
        base_mode |= MavModeFlag::MAV_MODE_FLAG_MANUAL_INPUT_ENABLED;
    }
    let mut messages = vec![MavMessage::HEARTBEAT(HEARTBEAT_DATA {
        custom_mode: mode.map_or(0, mode_number),
        mavtype: vehicle_type(simulation, model),
        autopilot: MavAutopilot::MAV_AUTOPILOT_GENERIC,
        base_mode,
        system_status: if state.halted.is_some() {
            MavState::MAV_STATE_CRITICAL
        } else if base_mode.contains(MavModeFlag::MAV_MODE_FLAG_SAFETY_ARMED) {
            MavState::MAV_STATE_ACTIVE
        } else {
            MavState::MAV_STATE_STANDBY
        },
        mavlink_version: 3,
    })];
    let (mut voltage, mut current, mut remaining) = (UNKNOWN, -1, -1);
    if model.battery.is_some() {
        let battery = &state.battery;
        voltage = (1000.0 * battery.voltage).round() as u16;
        current = (100.0 * battery.current).round() as i16;
        remaining = (100.0 * battery.charge).round() as i8;
        let mut voltages = [NO_CELL; 10];
        voltages[0] = voltage;
        messages.push(MavMessage::BATTERY_STATUS(BATTERY_STATUS_DATA {
            current_consumed: -1,
            energy_consumed: -1,
            temperature: i16::MAX,
            voltages,
            current_battery: current,
            id: 0,
            battery_function: MavBatteryFunction::MAV_BATTERY_FUNCTION_ALL,
            mavtype: MavBatteryType::MAV_BATTERY_TYPE_LION,
            battery_remaining: remaining,
        }));
    }
    let sensors = MavSysStatusSensor::MAV_SYS_STATUS_SENSOR_3D_GYRO
        | MavSysStatusSensor::MAV_SYS_STATUS_SENSOR_3D_ACCEL;
    messages.push(MavMessage::SYS_STATUS(SYS_STATUS_DATA {
        onboard_control_sensors_present: sensors,
        onboard_control_sensors_enabled: sensors,
        onboard_control_sensors_health: sensors,
        voltage_battery: voltage,
        current_battery: current,
        battery_remaining: remaining,
        ..SYS_STATUS_DATA::default()
    }));
    messages
}

/// Returns attitude, position and depth of robot `robot`.
pub(crate) fn fast_messages(simulation: &Simulation, robot: usize) -> Vec<MavMessage> {
    let (scene, sea) = (&simulation.scene, &simulation.state.sea);
    let motion = MotionSample::read(simulation, robot);
    let (time_ms, z) = ((motion.time_ns / 1_000_000) as u32, motion.position.z);
    let [roll, pitch, yaw] = attitude_in_ned(motion.attitude).matrix().to_rpy();
    let rate = forward_right_down(motion.angular_velocity);
    let v = north_east_down(motion.velocity);
    let speed = v.x.hypot(v.y);
    let (lat, lon, alt) = position(geodetic_from_world(&scene.origin, motion.position));
    let [vx, vy, vz] = centimetres_per_second(v);
    vec![
        MavMessage::ATTITUDE(ATTITUDE_DATA {
            time_boot_ms: time_ms,
            roll: roll as f32,
            pitch: pitch as f32,
            yaw: yaw as f32,
            rollspeed: rate.x as f32,
            pitchspeed: rate.y as f32,
            yawspeed: rate.z as f32,
        }),
        MavMessage::GLOBAL_POSITION_INT(GLOBAL_POSITION_INT_DATA {
            time_boot_ms: time_ms,
            lat,
            lon,
            alt,
            relative_alt: millimetres(z),
            vx,
            vy,
            vz,
            hdg: centidegrees(yaw),
        }),
        MavMessage::GPS_RAW_INT(GPS_RAW_INT_DATA {
            time_usec: motion.time_ns / 1000,
            lat,
            lon,
            alt,
            eph: UNKNOWN,
            epv: UNKNOWN,
            vel: (100.0 * speed).round() as u16,
            cog: centidegrees(v.y.atan2(v.x)),
            fix_type: GpsFixType::GPS_FIX_TYPE_3D_FIX,
            satellites_visible: u8::MAX,
        }),
        MavMessage::VFR_HUD(VFR_HUD_DATA {
            airspeed: speed as f32,
            groundspeed: speed as f32,
            alt: z as f32,
            climb: -v.z as f32,
            heading: (centidegrees(yaw) / 100) as i16,
            throttle: 0,
        }),
        MavMessage::SCALED_PRESSURE2(SCALED_PRESSURE2_DATA {
            time_boot_ms: time_ms,
            press_abs: (0.01 * motion.still_pressure(scene, sea)) as f32,
            press_diff: 0.0,
            temperature: (100.0 * sea.temperature).round() as i16,
        }),
    ]
}

/// Returns the mode of the firmware; `None` without firmware.
fn mode(simulation: &Simulation, robot: usize) -> Option<ControlMode> {
    let firmware = simulation.state.robots[robot].firmware.as_ref()?;
    Some(firmware.activity().mode)
}

/// Returns the number of a mode in `custom_mode`: its place in the list of all modes.
pub(crate) fn mode_number(mode: ControlMode) -> u32 {
    let place = ControlMode::ALL.iter().position(|other| *other == mode);
    place.unwrap_or(0) as u32
}

/// Returns the type of vehicle, from its rotors, its propulsion and its buoyancy.
fn vehicle_type(simulation: &Simulation, robot: &Robot) -> MavType {
    if robot.rotors {
        return match robot.thrusters.len() {
            6 => MavType::MAV_TYPE_HEXAROTOR,
            8 => MavType::MAV_TYPE_OCTOROTOR,
            _ => MavType::MAV_TYPE_QUADROTOR,
        };
    }
    if robot.links.iter().any(|link| link.restoring.is_some()) {
        return MavType::MAV_TYPE_SURFACE_BOAT;
    }
    let displaced: f64 = robot.links.iter().map(|link| link.volume_m3).sum();
    if displaced == 0.0 {
        return MavType::MAV_TYPE_GROUND_ROVER;
    }
    let buoyancy = simulation.state.sea.density * displaced / robot.mass();
    if buoyancy > SURFACE_BUOYANCY {
        MavType::MAV_TYPE_SURFACE_BOAT
    } else {
        MavType::MAV_TYPE_SUBMARINE
    }
}

/// Buoyancy of the submerged hull, relative to the weight, above which a vehicle is a boat.
const SURFACE_BUOYANCY: f64 = 1.3;
