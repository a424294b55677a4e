//! Cases that repeat published trials. [`merrow_validate::cases`] defines what a case is.

pub mod avoidance;
pub mod docking;
pub mod kelpie;
pub mod missions;
pub mod swarm;

use crate::sets;
use merrow_validate::cases;
use merrow_validate::cases::Case;
use merrow_validate::sets::CaseSet;

/// Name of the paper, used as the source of the cases of the Kelpie simulator.
const PAPER: &str = "Kelpie [Mendonca 2013]";

/// Cases in the order of their numbers, except those that take minutes.
const CASES: &[Case] = cases! {
    1, THETIS, missions::lake,
        "lake mission of Taipan 300 (coefficients and gains are Merrow's: docs/explanation/thetis.md)",
        "figures of Thetis [Parodi 2009]";
    4, THETIS, missions::stall,
        "controller that stalls for 5 s in the lake mission: the simulation continues",
        "temporal decoupling of Thetis [Parodi 2009]; run with repeated commands";
    5, KELPIE, kelpie::attitude, "pitch and roll from wind and waves, eqs 2-4", PAPER;
    6, KELPIE, kelpie::wind, "wind force on an aerial vehicle, eqs 5-6", PAPER;
    7, KELPIE, kelpie::buoyancy, "buoyancy of a bounding box, eq. 1", PAPER;
    12, DOCKING, docking::still_water,
        "docking in still water, positions by sound and radio (docs/explanation/docking.md)",
        "docking study, section 5.2.3; independent recomputation with four degrees of freedom";
    14, DOCKING, docking::motive_power, "motive power and energy of the docking",
        "Fm = u/1.17, Pm = Fm v; docking study, sections 5.2.3 and 5.2.4";
    15, DOCKING, docking::clock_skew,
        "skew of 50 000 releases of a task, and of slots of the network, against the grid of steps",
        "zero in lock-step; docking study, table 5.1: 1.0 to 2.6 ms";
    16, DOCKING, docking::heave, "heave of RexROV: pole, delay of 0.74 s, closed loop",
        "b/a, first-order Padé approximation; docking study, section 5.1.1";
    17, UVMS, missions::trials, "26 pool trials, measured joint angles (docs/explanation/uvms.md)",
        "recordings of [Kolano 2022]";
    18, UVMS, missions::rest, "vehicle with arm: attitude at rest and ascent speed",
        "[Kolano 2022]";
    25, FLEETS, avoidance::avoidance,
        "two RexROV on opposite courses: avoidance by overheard positions",
        "docking study, sections 4.4.3 and 5.1.2; the rule of avoidance is Merrow's";
    29, FLEETS, swarm::search, "search by ten AUVs with and without relays (world swarm_comms)",
        "discharge of 14 degC in water of 9 degC; range of the modems";
};

/// Cases that take minutes; only `merrow-studies docking` runs them.
const LONG_CASES: &[Case] = cases! {
    13, DOCKING, docking::currents, "docking against head currents, mean of 10 seeds",
        "docking study, section 5.2.4; independent recomputation with four degrees of freedom";
};

/// Returns all cases except those that take minutes, sorted by number.
pub fn all_cases() -> Vec<Case> {
    CASES.to_vec()
}

/// Returns the cases of a set, also those that take minutes, sorted by number.
pub fn cases_of(set: &CaseSet) -> Vec<Case> {
    let mut selected = [CASES, LONG_CASES].concat();
    selected.retain(|case| case.set == set);
    selected.sort_by_key(|case| case.number);
    selected
}
