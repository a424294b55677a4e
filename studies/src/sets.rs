//! The sets of cases of the studies.

use merrow_validate::sets::CaseSet;

/// Lake mission of Thetis.
pub static THETIS: CaseSet = CaseSet {
    name: "thetis",
    heading: "Thetis",
    description: "In V04 the controller of the lake mission sends no commands for 5 s.
The simulation does not wait: the vehicle continues with its last commands.",
};

/// Laws of the Kelpie simulator.
pub static KELPIE: CaseSet = CaseSet {
    name: "kelpie",
    heading: "Kelpie",
    description:
        "The laws of the Kelpie simulator [Mendonca 2013] are available as options in addition to
Merrow's own: `waves: {kind: kelpie}`, `kelpie_attitude`, `wind: {law: kelpie}` and
`hull: {kind: bounding_box}` (`docs/reference/hulls.md`, `docs/reference/flight.md`).

* Kelpie sets pitch and roll directly.
  In Merrow a moment turns the vehicle to these angles, so that all other forces still act on it.
* Eqs 5 and 6 are ambiguous.
  For a wind of 5 m/s from astern they give 25 N with `p_w` as the wind vector, and 5 N with the
  wind direction.
  Merrow uses the vector.
* The bounding box of a hull displaces more water than the hull.
  The ratio is 1.9 for half a ball, and 2.3 for the boat at its waterline.",
};

/// Pool trials of a vehicle with an arm.
pub static UVMS: CaseSet = CaseSet {
    name: "uvms",
    heading: "Vehicle with arm",
    description: "",
};

/// Searches and encounters of several vehicles with modems.
pub static FLEETS: CaseSet = CaseSet {
    name: "fleets",
    heading: "Fleets",
    description: "In V25 two RexROV on opposite courses avoid each other by the positions that they overhear; the
rule of avoidance is Merrow's.
V29 runs the world `swarm_comms` as it is, and without the bridges of its relays.
The search succeeds if a reading above 13 degC arrives at the office.",
};

/// Docking of RexROV with positions by modem.
pub static DOCKING: CaseSet = CaseSet {
    name: "docking",
    heading: "Docking",
    description: "`docs/explanation/docking.md` describes the study, its variants and V13.
The dock transmits the position of RexROV by `docking_acoustic` and, within 10 m, by `wfs_s300`.",
};

/// All sets, in the order of the page.
pub static ALL: [&CaseSet; 5] = [&THETIS, &KELPIE, &UVMS, &FLEETS, &DOCKING];
