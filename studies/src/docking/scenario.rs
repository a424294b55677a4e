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
pub(crate) const DOCK: Vec3 = Vec3 {
    x: 0.0,
    y: 0.0,
    z: -99.825,
};
/// Distance that counts as docked, as a fraction of the distance at the start; section 5.2.3.
const DOCKED: f64 = 0.02;
/// Distance below which the dock transmits by radio [m], section 4.2.
pub(crate) const RADIO_RANGE: f64 = 10.0;
/// Depth of the seabed of the thesis [m]: RexROV, 1.6 m high, touches it 0.625 m above the dock.
pub(crate) const PUBLISHED_DEPTH: f64 = 100.0;
/// Depth of a seabed that RexROV does not touch at the dock [m].
pub(crate) const FREE_DEPTH: f64 = 103.0;
/// Buoyancy minus weight of the published RexROV in water of 1028 kg/m³ [N].
pub(crate) const PUBLISHED_BUOYANCY: f64 = 263.5;
/// Buoyancy minus weight with which the simulation has the three times of figure 5.7 of the thesis
/// [N]; identified by [`crate::docking::study`], the thesis does not publish it.
pub(crate) const IDENTIFIED_BUOYANCY: f64 = 200.0;
/// Number of vehicles that only load the medium access; section 5.1.5.
pub(crate) const DUMMIES: u16 = 4;
/// Distance of these vehicles from the dock [m], section 5.2.2.
const DUMMY_DISTANCE: f64 = 50.0;
/// Address of the modems of the dock.
pub(crate) const DOCK_ADDRESS: u16 = 1;
/// Address of the modems of the docking vehicle, after the addresses of the dummies.
pub(crate) const VEHICLE_ADDRESS: u16 = 2 + DUMMIES;
/// Period of the acoustic schedule [s], number of its places, and durations of a slot of the dock
/// and of a vehicle [s]; section 4.4.1 and V08.
pub(crate) const SCHEDULE: (f64, u32, [f64; 2]) = (0.74, 8, [0.0512, 0.0413]);
/// Rate of the acoustic link [bit/s], table 5.2.
const ACOUSTIC_RATE: f64 = 1e4;
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

/// Packets and acoustic modem, which the thesis states inconsistently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packets {
    /// Length of a packet of the dock [byte].
    pub bytes: usize,
    /// Period of the acoustic schedule in cycles of 20 ms.
    pub cycles: u64,
    /// Rate of the radio link [bit/s]; `None`: rate of the device.
    pub radio_rate: Option<f64>,
    /// Keys of the acoustic modems in a world file.
    pub modem: &'static str,
}

impl Packets {
    /// Packets of 512 bit every 0.74 s by sound of 100 kHz, without noise: sections 4.4.1 and 5.2.
    /// Fresh water absorbs 0.13 dB over 37.6 m, sea water 1.3 dB; the world has sea water.
    pub const TEXT: Self = Self {
        bytes: 64,
        cycles: 37,
        radio_rate: None,
        modem: "modem: {extends: modems/docking_acoustic.yaml, absorption: none}",
    };

    /// Returns the keys of the radio modems in a world file.
    fn radio(&self) -> String {
        let model = match self.radio_rate {
            None => "wfs_s300".to_string(),
            Some(rate) => format!(
                "{{extends: modems/wfs_s300.yaml, schemes: [{{name: only, modulation: qpsk, \
                 rate_bit_s: {rate}, coding_gain_db: 0, min_snr_db: 8}}]}}"
            ),
        };
        format!("modem: {model}, mac: {{kind: csma_cd}}")
    }
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
    /// Packets and acoustic modem.
    pub packets: Packets,
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
            packets: Packets::TEXT,
            seed: 1,
            limit: 400.0,
            continues: false,
        }
    }
}

/// Returns the distance from the dock that counts as docked [m].
pub(crate) fn docked_distance() -> f64 {
    DOCKED * (START - DOCK).norm()
}

/// Returns the keys `mac` of the dock and of the vehicle with a number, in the schedule of
/// `packets`.
fn schedules(packets: &Packets) -> (String, impl Fn(u16) -> String) {
    // exact multiples of 20 ms
    let frame = (2 * packets.cycles) as f64 / 100.0;
    let schedule = move |slots: &[[f64; 2]]| {
        format!("mac: {{kind: tdma, frame_s: {frame}, slots_s: {slots:?}}}")
    };
    let (_, places, [_, up]) = SCHEDULE;
    let down = 8.0 * packets.bytes as f64 / ACOUSTIC_RATE;
    let own: Vec<[f64; 2]> = (0..places).map(|k| [f64::from(k) * down, down]).collect();
    let first = f64::from(places) * down;
    let uplink = move |k: u16| schedule(&[[first + f64::from(k) * up, up]]);
    (schedule(&own), uplink)
}

/// Returns the world of the study as the text of a world file.
pub fn world_text(setup: &Setup) -> String {
    let (downlink, uplink) = schedules(&setup.packets);
    let (acoustic, radio) = (setup.packets.modem, setup.packets.radio());
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
    let mut modem = |indent: &str, name: &str, keys: String| {
        let _ = writeln!(text, "{indent}{name}: {{{keys}}}");
    };
    let (carried, address) = ("        ", VEHICLE_ADDRESS);
    let keys = format!("{acoustic}, address: {address}, {}", uplink(DUMMIES));
    modem(carried, "acoustic", keys);
    modem(carried, "radio", format!("{radio}, address: {address}"));
    modem("", "modems", String::new());
    let place = |p: Vec3| format!("position_m: {:?}, ", p.to_array());
    let at = place(DOCK);
    let keys = format!("{at}{acoustic}, address: {DOCK_ADDRESS}, {downlink}");
    modem("  ", "dock_acoustic", keys);
    let keys = format!("{at}{radio}, address: {DOCK_ADDRESS}");
    modem("  ", "dock_radio", keys);
    for k in 0..DUMMIES {
        let angle = 0.5 * std::f64::consts::PI * f64::from(k);
        let way = Vec3::new(libm::cos(angle), libm::sin(angle), 0.0).scale(DUMMY_DISTANCE);
        let (at, mac) = (place(DOCK + way), uplink(k));
        let keys = format!("{at}{acoustic}, address: {}, {mac}", k + 2);
        modem("  ", &format!("dummy_{k}_acoustic"), keys);
    }
    text.replace("modems: {}\n", "modems:\n")
}
