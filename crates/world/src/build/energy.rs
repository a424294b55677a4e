//! Conversion of batteries, loads, solar panels and chargers.

use crate::build::coupling;
use crate::context::{Context, SceneContext};
use crate::import::sname;
use crate::keys::RobotModelConfig;
use crate::keys::coupling::CouplingConfig;
use crate::keys::energy::{
    ChargerConfig, ChargingConditionConfig, ElectricalLoadConfig, SolarConfig,
};
use merrow_math::Vec3;
use merrow_model::scene::robot::energy::ChargeCondition;
use merrow_model::scene::{Battery, Charger, Link, Load, Solar};
use merrow_yaml::read::NamedMap;

/// Reports values of a battery that contradict each other.
pub(crate) fn check_battery(battery: &Battery, cx: Context<'_>) {
    let at = battery.at.key_place("open_circuit_v");
    let voltage = &battery.open_circuit_v;
    cx.problems()
        .check_increasing(at, "the open-circuit voltage", voltage);
    if voltage
        .iter()
        .any(|[charge, volt]| !(0.0..=1.0).contains(charge) || *volt <= 0.0)
    {
        cx.error(
            at,
            "the open-circuit voltage: expected charges from 0 to 1 and voltages above 0",
        );
    }
    let (cut_off, highest) = (battery.cut_off(), battery.highest_voltage());
    if cut_off >= highest {
        let text = format!(
            "`cut_off_v` is {cut_off}; expected less than the highest open-circuit voltage \
             {highest}: the protection would never close"
        );
        cx.error(battery.at.key_place("cut_off_v"), text);
    }
}

/// Builds the electrical loads of a robot.
pub(crate) fn build_loads(file: &NamedMap<ElectricalLoadConfig>) -> Vec<Load> {
    let one = |(name, load): (&str, &ElectricalLoadConfig)| Load {
        name: name.into(),
        power_w: load.power_w,
        level: load.level,
    };
    file.iter().map(one).collect()
}

/// Builds the panel `name` on `link`, which has the index `index`.
pub(crate) fn build_solar_panel(
    name: &str,
    file: &SolarConfig,
    index: usize,
    link: &Link,
    cx: Context<'_>,
) -> Solar {
    let normal = cx.direction(
        (&file.at, "normal"),
        &format!("the normal of {name}"),
        sname::vector_to_flu(file.axes, file.normal),
        Vec3::new(0.0, 0.0, 1.0),
    );
    Solar {
        name: name.to_string(),
        link: index,
        p_LoP: link
            .R_LU
            .mul_vec(sname::vector_to_flu(file.axes, file.position_m)),
        normal: link.R_LU.mul_vec(normal),
        area_m2: file.area_m2,
        efficiency: file.efficiency,
        shading: file.shading,
        min_elevation_sine: merrow_math::real::sin_cos(file.min_elevation_deg.to_radians()).0,
    }
}

/// Reports loads and panels of a robot without a battery.
pub(crate) fn check_battery_present(model: &RobotModelConfig, cx: Context<'_>) {
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
            cx.error(model.at.key_place(key), text);
        }
    }
}

/// Builds the chargers of a world whose robots and couplings are known.
pub(crate) fn build_chargers(
    file: &NamedMap<ChargerConfig>,
    couplings: &NamedMap<CouplingConfig>,
    cx: SceneContext<'_>,
) -> Vec<Charger> {
    let one = |(name, entry): (&str, &ChargerConfig)| build_charger(name, entry, couplings, cx);
    file.iter().filter_map(one).collect()
}

fn build_charger(
    name: &str,
    file: &ChargerConfig,
    couplings: &NamedMap<CouplingConfig>,
    cx: SceneContext<'_>,
) -> Option<Charger> {
    let user = format!("the charger {name}");
    let contact = match &file.contact {
        ChargingConditionConfig::Coupling { coupling, at } => {
            let place = at.key_place("coupling");
            let names = couplings.iter().map(|(known, _)| known);
            cx.find(place, coupling, names, |coupling| {
                format!("no coupling {coupling} for {user}")
            })?;
            // A coupling that is named but invalid has already been reported.
            let k = cx
                .scene
                .couplings
                .iter()
                .position(|c| c.name == *coupling)?;
            ChargeCondition::Coupling(k)
        }
        ChargingConditionConfig::Proximity {
            position, range_m, ..
        } => ChargeCondition::Proximity(coupling::build_end(&user, position, cx)?, *range_m),
    };
    let source_robot = match &file.source_robot {
        None => None,
        Some(requested) => {
            let place = file.at.key_place("source_robot");
            let k = cx.find_robot(&user, requested, place)?;
            if cx.scene.robots[k].battery.is_none() {
                let text = format!("{requested} is to feed the charger {name}, but has no battery");
                cx.error(place, text);
            }
            Some(k)
        }
    };
    Some(Charger {
        name: name.to_string(),
        condition: contact,
        current_a: file.current_a,
        voltage_v: file.voltage_v.unwrap_or(f64::INFINITY),
        efficiency: file.efficiency,
        source_robot,
    })
}
