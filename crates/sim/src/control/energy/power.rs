//! Power consumption of all devices, motor temperatures, and the limits that an empty battery or a
//! low voltage imposes.
//!
//! # Law
//! ```text
//!   thruster:  P = k |T|^1.5,  or 2π n Q/η for open-water propellers   (1)
//!   servo:     P = P_0 + c M² + max(0, M_f |δ'| - M δ')/η              (2)
//!   joint:     P = max(0, τ ω + R i²)                                  (3)
//!   heat' = (loss P R_th - heat)/τ_th                                  (4)
//!   supply = (V/V_0)^m · clip((T_stop - T)/(T_stop - T_derate), 0, 1)  (5)
//!   (1) momentum theory at bollard pull
//!   (4) solved exactly over a step
//!   (5) times the fraction served (`battery.rs`)
//! ```
//! The battery (`battery.rs`) supplies these powers and the power of sensors, loads and the hotel
//! load. Below its cut-off voltage, or when it is empty, its protection opens. Then thrusters stop
//! and discard their commands, fins and azimuth thrusters keep their angles, servos and ideal
//! effort drives exert no effort, ideal position drives hold their positions, and sensors stop. The
//! protection closes again when it has been open for the stated time and the battery is charged.
//!
//! # Symbols
//! P electrical power · T thrust [N] in (1), motor temperature in (5) · k power coefficient · n, Q
//! shaft speed and torque · η efficiency · P_0 standby power · c coefficient of the holding moment
//! · M hydrodynamic moment about the shaft, δ' rate of the angle, M_f friction moment · τ, ω, i
//! effort, speed and current of the motor of a joint, R its winding resistance · heat motor
//! temperature above the water temperature [K] · loss fraction of P that heats the motor · R_th
//! thermal resistance, τ_th thermal time constant · V voltage of the battery, V_0 voltage for which
//! the curve of the thruster is stated, m exponent · T_derate, T_stop temperatures at which the
//! motor derates and stops.
//!
//! # Limits
//! The coefficient of (1) is fitted at zero speed. Motors do not recuperate energy. Winches on
//! board draw from the battery (`winch.rs`), winches at fixed ends have their own supply. A robot
//! without a battery has unlimited power.
//!
//! # Checked by
//! test/analytic/devices/battery.rs, test/analytic/actuators/motor_heat.rs, test/identity/energy.rs

use crate::control::energy::battery;
use crate::control::energy::battery::PowerBus;
use crate::control::joints::Now;
use merrow_environment::air;
use merrow_model::scene::robot::thruster::Motor;
use merrow_model::scene::{Battery, Curve, Drive, Robot, Thruster};
use merrow_model::state::{ActuatorState, RobotState, Workspace};
use merrow_sensors::SensorEnvironment;

/// Sets the commands of unpowered devices to neutral for the coming step. Fins, azimuth thrusters,
/// servos and sensors check the power themselves.
pub(crate) fn cut_power(robot: &Robot, state: &mut RobotState) {
    if state.battery.is_on() {
        return;
    }
    for (thruster, actuator) in robot.thrusters.iter().zip(&mut state.actuators) {
        actuator.set_command(thruster, thruster.motor.neutral);
    }
    for engine in &mut state.buoyancy_engines {
        engine.command = engine.volume;
    }
    for (j, link) in robot.links[1..].iter().enumerate() {
        match link.joint.drive {
            Drive::Effort { .. } => state.joints[j].original_command = 0.0,
            Drive::Position { .. } => state.joints[j].original_command = state.motion.q[j],
            Drive::Servo(_) => continue,
        }
        state.joint_commands[j] = state.joints[j].original_command;
    }
}

/// Advances battery and temperatures over the step whose start has been evaluated in `work`.
pub fn advance(
    robot: &Robot,
    state: &mut RobotState,
    work: &Workspace,
    around: &SensorEnvironment<'_>,
    now: Now,
) {
    let on = state.battery.is_on();
    let mut load = 0.0;
    for (thruster, actuator) in robot.thrusters.iter().zip(&mut state.actuators) {
        actuator.power = if on {
            thruster_power(&thruster.motor, actuator)
        } else {
            0.0
        };
        actuator.shaft = [actuator.held_drive, torque(thruster, actuator)];
        advance_temperature(thruster, actuator, now.ambient);
        load += actuator.power;
    }
    let Some(pack) = &robot.battery else { return };
    for (fin, memory) in robot
        .fins
        .iter()
        .zip(&mut state.fins)
        .filter(|(fin, _)| fin.is_movable())
    {
        memory.power = if on {
            fin.servo.power.electrical_power(memory.moment, memory.rate)
        } else {
            0.0
        }; // (2)
        load += memory.power;
    }
    if on {
        load += joint_power(robot, state);
        load += state.buoyancy_engines.iter().map(|b| b.power).sum::<f64>();
        load += robot.sensors.iter().map(|s| s.power_w).sum::<f64>();
        load += robot
            .loads
            .iter()
            .zip(&state.loads)
            .map(|(l, level)| l.power_w * level)
            .sum::<f64>();
        load += work.winch_power + state.modem_power + pack.hotel_load_w;
    }
    let solar = solar_power(robot, work, around);
    advance_battery(robot, pack, state, load, solar, now);
}

/// Returns the electrical power of a thruster [W] by (1).
fn thruster_power(motor: &Motor, actuator: &ActuatorState) -> f64 {
    match motor.motor_efficiency {
        Some(efficiency) => actuator.shaft_power.max(0.0) / efficiency,
        None => {
            let t = actuator.thrust.abs();
            motor.power_w_per_n15 * t * t.sqrt()
        }
    }
}

/// Returns the torque at the shaft at the start of the step [N m]; NaN if the model does not define
/// it.
fn torque(thruster: &Thruster, actuator: &ActuatorState) -> f64 {
    let speed = actuator.shaft[0];
    match &thruster.motor.curve {
        Curve::OpenWater(_) if speed == 0.0 => 0.0,
        Curve::OpenWater(_) => (actuator.shaft_power / speed).abs(),
        _ if thruster.reaction() == 0.0 => f64::NAN,
        _ => (thruster.reaction() * actuator.thrust).abs(),
    }
}

/// Advances the motor temperature by (4) and sets the temperature factor of (5).
fn advance_temperature(thruster: &Thruster, actuator: &mut ActuatorState, ambient: f64) {
    let motor = &thruster.motor;
    let target = motor.heat_fraction * actuator.power * motor.thermal_resistance_k_per_w;
    actuator.heat += (target - actuator.heat) * thruster.heating;
    actuator.available_fraction = 1.0;
    let Some([derate, stop]) = motor.temperature_limits_c else {
        return;
    };
    let temperature = ambient + actuator.heat;
    actuator.is_overheated = temperature >= stop || actuator.is_overheated && temperature > derate;
    actuator.available_fraction = if actuator.is_overheated {
        0.0
    } else {
        ((stop - temperature) / (stop - derate)).clamp(0.0, 1.0)
    };
}

/// Returns the electrical power of the motors of all joints [W]. (3)
fn joint_power(robot: &Robot, state: &RobotState) -> f64 {
    let mut sum = 0.0;
    for (j, link) in robot.links[1..].iter().enumerate() {
        let speed = state.motion.qd[j];
        sum += match &link.joint.drive {
            Drive::Servo(servo) => {
                let (motor, memory) = (&servo.actuator, &state.joints[j]);
                let speed = if motor.elastic.is_some() {
                    memory.rotor[1]
                } else {
                    speed
                };
                let heat = motor.winding.as_ref().map_or(0.0, |winding| {
                    let current = memory.motor_effort / motor.effort_per_ampere;
                    winding.resistance_ohm * current * current
                });
                (memory.motor_effort * speed + heat).max(0.0)
            }
            Drive::Effort { .. } => (state.joint_commands[j] * speed).max(0.0),
            Drive::Position { .. } => 0.0,
        };
    }
    sum
}

/// Returns the power available from the solar panels [W].
fn solar_power(robot: &Robot, work: &Workspace, around: &SensorEnvironment<'_>) -> f64 {
    if robot.solar_panels.is_empty() {
        return 0.0;
    }
    let light = air::sunlight::sunlight_at_time(
        &around.environment.sea.air,
        around.origin,
        around.environment.time,
    );
    let mut sum = 0.0;
    for panel in &robot.solar_panels {
        let link = &work.links[panel.link];
        let p_W = link.p_WL + link.R_WL.mul_vec(panel.p_LoP);
        if around.environment.height_above_surface(p_W) > 0.0 {
            let normal = link.R_WL.mul_vec(panel.normal);
            sum += panel.efficiency
                * panel.area_m2
                * light.irradiance(normal, panel.shading, panel.min_elevation_sine);
        }
    }
    sum
}

/// Computes the power flows, the remaining charge and the supply of the thrusters.
fn advance_battery(
    robot: &Robot,
    pack: &Battery,
    state: &mut RobotState,
    load: f64,
    solar: f64,
    Now { ns: now_ns, dt, .. }: Now,
) {
    let memory = &mut state.battery;
    // a charger fed by this battery draws the energy that it delivered in the preceding period
    let fed = if memory.is_on() {
        memory.charger_debt[1].min(memory.charger_debt[0] / dt)
    } else {
        0.0
    };
    let demand = load + fed;
    let bus = PowerBus {
        load: demand.min(memory.limit),
        solar,
        offer: memory.offer,
    };
    let mut flow = battery::power_flow(pack, memory.charge, &bus);
    if demand > bus.load {
        flow.served_fraction *= bus.load / demand;
    }
    memory.charger_debt[0] = (memory.charger_debt[0] - flow.served_fraction * fed * dt).max(0.0);
    (memory.current, memory.voltage) = (flow.current, flow.voltage);
    (memory.load, memory.solar, memory.charger) =
        (flow.served_fraction * demand, flow.solar, flow.charger);
    memory.delivered += memory.load * dt;
    memory.lost += pack.resistance_ohm * flow.current * flow.current * dt;
    memory.gained += (flow.solar + flow.charger) * dt;
    memory.taken += flow.charger * dt;
    memory.charge = battery::charge_after(pack, memory.charge, flow.current, dt);
    update_protection(pack, state, now_ns);
    let memory = &state.battery;
    for (thruster, actuator) in robot.thrusters.iter().zip(&mut state.actuators) {
        let motor = &thruster.motor;
        let of_voltage = motor.rated_voltage_v.map_or(1.0, |rated| {
            libm::pow((memory.voltage / rated).max(0.0), motor.voltage_exponent)
        });
        actuator.available_fraction *= if memory.is_on() {
            of_voltage * flow.served_fraction
        } else {
            0.0
        }; // (5)
    }
}

/// Opens and closes the protection of the battery.
fn update_protection(pack: &Battery, state: &mut RobotState, now_ns: u64) {
    let memory = &mut state.battery;
    match memory.open_ns {
        None if memory.failed || memory.charge <= 0.0 || memory.voltage < pack.cut_off() => {
            memory.open_ns = Some(now_ns)
        }
        Some(since) => {
            let charged = memory.charge > 0.0 && memory.charge >= pack.restart_charge;
            let rested = now_ns >= since.saturating_add((pack.restart_s * 1e9) as u64);
            if charged
                && rested
                && !memory.failed
                && pack.open_circuit_voltage(memory.charge) >= pack.cut_off()
            {
                memory.open_ns = None;
            }
        }
        None => {}
    }
}
