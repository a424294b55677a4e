//! Conversion of batteries, loads, solar panels and chargers.

use crate::build::coupling;
use crate::build::robot::actuator::checked_table;
use crate::import::sname;
use merrow_math::Vec3;
use merrow_model::scene::robot::energy::{ChargeCondition, ServoPower};
use merrow_model::scene::{Battery, Charger, Link, Load, Scene, Solar};
use merrow_schema::RobotModelConfig;
use merrow_schema::coupling::CouplingConfig;
use merrow_schema::energy::{
    BatteryConfig, ChargerConfig, ChargingConditionConfig, ElectricalLoadConfig, ServoPowerConfig,
    SolarConfig, Technology,
};
use merrow_yaml::error::{Problems, known_names, quote};
use merrow_yaml::read::NamedMap;

/// Default charging current per capacity [A/Ah].
const DEFAULT_CHARGE_RATE: f64 = 0.5;

/// Builds a battery from its file.
pub(crate) fn build_battery(file: &BatteryConfig, problems: &mut Problems) -> Battery {
    let at = file.at.key_place("open_circuit_v");
    let voltage = checked_table(
        &file.open_circuit_v,
        "the open-circuit voltage",
        at,
        problems,
    );
    if voltage
        .iter()
        .any(|(charge, volt)| !(0.0..=1.0).contains(charge) || *volt <= 0.0)
    {
        problems.push(
            at,
            "the open-circuit voltage: expected charges from 0 to 1 and voltages above 0",
        );
    }
    let highest = voltage
        .iter()
        .fold(0.0_f64, |highest, (_, volt)| highest.max(*volt));
    let cut_off = file.cut_off_v.unwrap_or(0.0);
    if cut_off >= highest {
        let text = format!(
            "`cut_off_v` is {cut_off}; expected less than the highest open-circuit voltage \
             {highest}: the protection would never close"
        );
        problems.push(file.at.key_place("cut_off_v"), text);
    }
    Battery {
        capacity: file.capacity_ah,
        voltage,
        resistance: file.resistance_ohm,
        hotel_load: file.hotel_load_w,
        initial_charge: file.initial_charge,
        cut_off,
        restart_charge: file.restart_charge,
        restart_ns: (file.restart_s * 1e9) as u64,
        charge_voltage: file.charge_voltage_v.unwrap_or(highest),
        charge_current: file
            .charge_current_a
            .unwrap_or(DEFAULT_CHARGE_RATE * file.capacity_ah),
        charge_efficiency: file.charge_efficiency,
        technology: match file.technology {
            Technology::Unknown => 0,
            Technology::Nimh => 1,
            Technology::LithiumIon => 2,
            Technology::LithiumPolymer => 3,
            Technology::LithiumIronPhosphate => 4,
            Technology::Nicd => 5,
        },
    }
}

/// Builds the electrical loads of a robot.
pub(crate) fn build_loads(file: &NamedMap<ElectricalLoadConfig>) -> Vec<Load> {
    let one = |(name, load): (&str, &ElectricalLoadConfig)| Load {
        name: name.into(),
        power: load.power_w,
        level: load.level,
    };
    file.iter().map(one).collect()
}

/// Converts the power consumption of a servo.
pub(crate) fn build_servo_power(file: &ServoPowerConfig) -> ServoPower {
    ServoPower {
        standby: file.standby_w,
        efficiency: file.efficiency,
        holding: file.holding_w_per_n2m2,
        friction: file.friction_nm,
    }
}

/// Builds the panel `name` on `link`, which has the index `index`.
pub(crate) fn build_solar_panel(
    name: &str,
    file: &SolarConfig,
    index: usize,
    link: &Link,
    problems: &mut Problems,
) -> Solar {
    let normal = sname::vector_to_flu(file.axes, file.normal)
        .unit()
        .unwrap_or_else(|| {
            let text =
                format!("the normal of {name} has no length; expected numbers that are not all 0");
            problems.push(file.at.key_place("normal"), text);
            Vec3::new(0.0, 0.0, 1.0)
        });
    Solar {
        name: name.to_string(),
        link: index,
        p_LoP: link
            .R_LU
            .mul_vec(sname::vector_to_flu(file.axes, file.position_m)),
        normal: link.R_LU.mul_vec(normal),
        area: file.area_m2,
        efficiency: file.efficiency,
        shading: file.shading,
        min_elevation_sine: merrow_math::real::sin_cos(file.min_elevation_deg.to_radians()).0,
    }
}

/// Reports loads and panels of a robot without a battery.
pub(crate) fn check_battery_present(model: &RobotModelConfig, problems: &mut Problems) {
    if model.battery.is_some() {
        return;
    }
    for (key, any) in [
        ("loads", !model.loads.0.is_empty()),
        ("solar_panels", !model.solar_panels.0.is_empty()),
    ] {
        if any {
            let text =
                format!("`{key}` has no effect on a robot without a battery; expected `battery`");
            problems.push(model.at.key_place(key), text);
        }
    }
}

/// Builds the chargers of a world whose robots and couplings are known.
pub(crate) fn build_chargers(
    file: &NamedMap<ChargerConfig>,
    couplings: &NamedMap<CouplingConfig>,
    scene: &Scene,
    problems: &mut Problems,
) -> Vec<Charger> {
    let one = |(name, entry): (&str, &ChargerConfig)| {
        build_charger(name, entry, couplings, scene, problems)
    };
    file.iter().filter_map(one).collect()
}

fn build_charger(
    name: &str,
    file: &ChargerConfig,
    couplings: &NamedMap<CouplingConfig>,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<Charger> {
    let contact = match &file.contact {
        ChargingConditionConfig::Coupling { coupling, at } => {
            let Some(k) = scene.couplings.iter().position(|c| c.name == *coupling) else {
                // A coupling that is named but invalid has already been reported.
                if !couplings.iter().any(|(known, _)| known == coupling) {
                    let hint = known_names(coupling, couplings.iter().map(|(known, _)| known));
                    let text = format!(
                        "no coupling {} for the charger {name}{hint}",
                        quote(coupling)
                    );
                    problems.push(at.key_place("coupling"), text);
                }
                return None;
            };
            ChargeCondition::Coupling(k)
        }
        ChargingConditionConfig::Proximity {
            position, range_m, ..
        } => ChargeCondition::Proximity(
            coupling::build_end(&format!("the charger {name}"), position, scene, problems)?,
            *range_m,
        ),
    };
    let source_robot = match &file.source_robot {
        None => None,
        Some(requested) => {
            let names = || scene.robots.iter().map(|r| r.name.as_str());
            let Some(k) = names().position(|n| n == requested) else {
                let hint = known_names(requested, names());
                let text = format!(
                    "no robot {} to feed the charger {name}{hint}",
                    quote(requested)
                );
                problems.push(file.at.key_place("source_robot"), text);
                return None;
            };
            if scene.robots[k].battery.is_none() {
                let text = format!("{requested} is to feed the charger {name}, but has no battery");
                problems.push(file.at.key_place("source_robot"), text);
            }
            Some(k)
        }
    };
    Some(Charger {
        name: name.to_string(),
        condition: contact,
        current: file.current_a,
        voltage: file.voltage_v.unwrap_or(f64::INFINITY),
        efficiency: file.efficiency,
        source_robot,
    })
}
