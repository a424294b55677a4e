//! World and values of the docking study.

use crate::docking::law::Law;
use merrow_math::Vec3;
use std::fmt::Write as _;

/// Start of the vehicle in W [m], section 5.2.2.
pub(crate) const START: Vec3 = Vec3 {
    x: -20.0,
    y: 20.0,
    z: -75.0,
};
/// Dock in W [m], section 5.2.2.
pub const DOCK: Vec3 = Vec3 {
    x: 0.0,
    y: 0.0,
    z: -99.825,
};
/// Distance that counts as docked, as a fraction of the distance at the start; section 5.2.3.
const DOCKED: f64 = 0.02;
/// Distance below which the dock transmits by radio [m], section 4.2.
pub const RADIO_RANGE: f64 = 10.0;
/// Depth of the seabed of the thesis [m]: RexROV, 1.6 m high, touches it 0.625 m above the dock.
pub const PUBLISHED_DEPTH: f64 = 100.0;
/// Depth of a seabed that RexROV does not touch at the dock [m].
pub const FREE_DEPTH: f64 = 103.0;
/// Buoyancy minus weight of the published RexROV in water of 1028 kg/m³ [N].
pub const PUBLISHED_BUOYANCY: f64 = 263.5;
/// Buoyancy minus weight with which the simulation has the three times of figure 5.7 of the thesis
/// [N]; identified by [`crate::docking::study`], the thesis does not publish it.
pub const IDENTIFIED_BUOYANCY: f64 = 200.0;
/// Number of vehicles that only load the medium access; section 5.1.5.
pub const DUMMIES: u16 = 4;
/// Distance of these vehicles from the dock [m], section 5.2.2.
const DUMMY_DISTANCE: f64 = 50.0;
/// Address of the modems of the dock.
pub const DOCK_ADDRESS: u16 = 1;
/// Address of the modems of the docking vehicle, after the addresses of the dummies.
pub const VEHICLE_ADDRESS: u16 = 2 + DUMMIES;
/// Period of the acoustic schedule [s], number of its places, and durations of a slot of the dock
/// and of a vehicle [s]; section 4.4.1 and V08.
pub const SCHEDULE: (f64, u32, [f64; 2]) = (0.74, 8, [0.0512, 0.0413]);
/// Step of the simulation [s].
pub const STEP: f64 = 0.01;

/// Link that carries the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Sound, with time-division multiple access.
    Acoustic,
    /// Radio under water, with carrier sense.
    Radio,
}

/// Settings of one manoeuvre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// True if the dock transmits by radio within [`RADIO_RANGE`].
    pub is_hybrid: bool,
    /// Reading of the equations of the controller.
    pub law: Law,
    /// Buoyancy minus weight [N].
    pub net_buoyancy: f64,
    /// Speed of the current against the approach [m/s].
    pub head_current: f64,
    /// Depth of the seabed [m].
    pub seabed_depth: f64,
    /// Seed of the fading.
    pub seed: u32,
    /// Time after which the manoeuvre has failed [s].
    pub limit: f64,
    /// True if the simulation continues to the limit after the vehicle has docked.
    pub continues: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            is_hybrid: true,
            law: Law::Error,
            net_buoyancy: 0.0,
            head_current: 0.0,
            seabed_depth: FREE_DEPTH,
            seed: 1,
            limit: 400.0,
            continues: false,
        }
    }
}

/// Returns the distance from the dock that counts as docked [m].
pub fn docked_distance() -> f64 {
    DOCKED * (START - DOCK).norm()
}

/// Returns the world of the study as the text of a world file.
pub fn world_text(setup: &Setup) -> String {
    let schedule = |slots: &[[f64; 2]]| {
        let frame = SCHEDULE.0;
        format!("mac: {{kind: tdma, frame_s: {frame}, slots_s: {slots:?}}}")
    };
    let [down, up] = SCHEDULE.2;
    let places = SCHEDULE.1;
    let own: Vec<[f64; 2]> = (0..places).map(|k| [f64::from(k) * down, down]).collect();
    let uplink = |k: u16| {
        let first = f64::from(places) * down;
        schedule(&[[first + f64::from(k) * up, up]])
    };
    let radio = "modem: wfs_s300, mac: {kind: csma_cd}";
    // the approach goes to the south-east, the current to the north-west
    let current = format!(
        "{{kind: uniform, speed_m_s: {}, direction_deg: -45}}",
        setup.head_current
    );
    let mut text = format!(
        "step: {{dt_s: {STEP}, integrator: rk4}}\nseed: {}\nseabed: {{depth_m: {}}}\n\
         water: {{density_kg_m3: 1028, current: {current}}}\nrobots:\n  rexrov:\n    position_m: {:?}\n    model:\n      \
         extends: robots/rexrov.yaml\n      firmware: null\n      sensors: null\n      body: \
         {{extends: bodies/rexrov_uuv.yaml, volume_m3: null, net_buoyancy_n: {}}}\n      modems:\n",
        setup.seed,
        setup.seabed_depth,
        START.to_array(),
        setup.net_buoyancy,
    );
    let address = VEHICLE_ADDRESS;
    let mut modem = |indent: &str, name: &str, keys: String| {
        let _ = writeln!(text, "{indent}{name}: {{{keys}}}");
    };
    // fresh water absorbs 0.13 dB over 37.6 m, sea water 1.3 dB
    let acoustic = "modem: {extends: modems/docking_acoustic.yaml, absorption: none}";
    let mac = uplink(DUMMIES);
    let carried = "        ";
    modem(
        carried,
        "acoustic",
        format!("{acoustic}, address: {address}, {mac}"),
    );
    modem(carried, "radio", format!("{radio}, address: {address}"));
    modem("", "modems", String::new());
    let place = |p: Vec3| format!("position_m: {:?}, ", p.to_array());
    let at = place(DOCK);
    let mac = schedule(&own);
    modem(
        "  ",
        "dock_acoustic",
        format!("{at}{acoustic}, address: {DOCK_ADDRESS}, {mac}"),
    );
    modem(
        "  ",
        "dock_radio",
        format!("{at}{radio}, address: {DOCK_ADDRESS}"),
    );
    for k in 0..DUMMIES {
        let angle = 0.5 * std::f64::consts::PI * f64::from(k);
        let way = Vec3::new(libm::cos(angle), libm::sin(angle), 0.0).scale(DUMMY_DISTANCE);
        let (at, mac) = (place(DOCK + way), uplink(k));
        modem(
            "  ",
            &format!("dummy_{k}_acoustic"),
            format!("{at}{acoustic}, address: {}, {mac}", k + 2),
        );
    }
    text.replace("modems: {}\n", "modems:\n")
}
