//! Battery model: current, voltage and charge over a step.
//!
//! # Law
//! ```text
//!   V = OCV(charge) - R I,   V (I + I_c) = P - P_s                          (1)
//!   I = 2 (P - P_s - OCV I_c)/(b + sqrt(b² - 4 R (P - P_s - OCV I_c))),  b = OCV - R I_c    (2)
//!   I >= -min(I_max, (V_max - OCV)/R),   I >= 0 when full                   (3)
//!   charge' = -I/(3600 C),  times the charging efficiency where I < 0       (4)
//! ```
//! The charger supplies its current I_c until the battery has reached its voltage, then only the
//! current that (3) allows: constant current, then constant voltage. If (3) limits the charging
//! current, first the charger and then the panels supply less. If (2) has no real root, the battery
//! delivers its maximum power at I = b/(2R), and all consumers receive the same fraction of their
//! demand.
//!
//! # Symbols
//! I current out of the battery [A] · V terminal voltage · OCV open-circuit voltage · R internal
//! resistance · P demanded power, P_s power of the panels [W] · I_max, V_max maximum charging
//! current and voltage · C capacity [A h].
//!
//! # Limits
//! One resistance for both directions and all states of charge. Relaxation after a load,
//! temperature, ageing and self-discharge are not modelled. The open-circuit voltage is constant
//! over a step.
//!
//! # Checked by
//! test/analytic/devices/battery.rs, test/identity/energy.rs

use merrow_model::scene::Battery;

/// Demand and supply on the power bus.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PowerBus {
    /// Power demand of all devices on board [W].
    pub load: f64,
    /// Power available from the panels [W].
    pub solar: f64,
    /// Current and voltage offered by a charger [A, V]; 0: none.
    pub offer: [f64; 2],
}

/// Resulting power flows and battery current.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Current out of the battery [A].
    pub current: f64,
    /// Voltage at its terminals [V].
    pub voltage: f64,
    /// Power from the panels [W].
    pub solar: f64,
    /// Power from the charger [W].
    pub charger: f64,
    /// Fraction of the demand that is served, 0..1.
    pub(crate) served_fraction: f64,
}

/// Computes the flows at the state of charge `charge` (0..1). (1) to (3)
pub(crate) fn power_flow(battery: &Battery, charge: f64, bus: &PowerBus) -> Flow {
    let (R, ocv) = (battery.resistance_ohm, battery.open_circuit_voltage(charge));
    let [offered, up_to] = bus.offer;
    let charger = if up_to > ocv { offered } else { 0.0 };
    let ceiling = if charger > 0.0 {
        battery.charge_voltage().min(up_to)
    } else {
        battery.charge_voltage()
    };
    let (net_load, b) = (bus.load - bus.solar - ocv * charger, ocv - R * charger);
    let discriminant = b * b - 4.0 * R * net_load;
    let served = |current: f64| {
        let voltage = ocv - R * current;
        Flow {
            current,
            voltage,
            solar: bus.solar,
            charger: voltage * charger,
            served_fraction: 1.0,
        }
    };
    if discriminant < 0.0 || b <= 0.0 && net_load > 0.0 {
        let mut flow = served((b / (2.0 * R)).max(0.0));
        let given = flow.voltage * (flow.current + charger) + bus.solar;
        flow.served_fraction = (given / bus.load).clamp(0.0, 1.0);
        return flow;
    }
    let current = 2.0 * net_load / (b + discriminant.sqrt()); // (2)
    let lower_limit = min_current(battery, charge, ocv, ceiling);
    if current >= lower_limit {
        return served(current);
    }
    let flow = served(lower_limit);
    let needed = (bus.load - flow.voltage * lower_limit).max(0.0);
    let solar = bus.solar.min(needed);
    Flow {
        solar,
        charger: needed - solar,
        ..flow
    }
}

/// Returns the lower limit of the battery current [A] by (3).
fn min_current(battery: &Battery, charge: f64, ocv: f64, ceiling: f64) -> f64 {
    if charge >= 1.0 || ocv >= ceiling {
        return 0.0;
    }
    let max_charge = battery.charge_current();
    if battery.resistance_ohm > 0.0 {
        -max_charge.min((ceiling - ocv) / battery.resistance_ohm)
    } else {
        -max_charge
    }
}

/// Returns the state of charge after the current `current` [A] has flowed for `dt` [s]. (4)
pub(crate) fn charge_after(battery: &Battery, charge: f64, current: f64, dt: f64) -> f64 {
    let kept = if current < 0.0 {
        battery.charge_efficiency
    } else {
        1.0
    };
    (charge - kept * current * dt / (3600.0 * battery.capacity_ah)).clamp(0.0, 1.0)
}
