//! Docking in the world `docking_station`: the dock measures the vehicle by USBL, and guides and a
//! latch finish the docking.

use crate::docking::law::Law;
use crate::docking::run::{CYCLE, Timing, Trial};
use crate::docking::scenario::Packets;
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::state::frames::FrameData;

/// World with guides, latch and USBL.
pub(crate) const WORLD: &str = "docking_station";
/// Origin of the latched vehicle in W [m]: 0.8 m above the seat of the latch.
const BERTH: Vec3 = Vec3 {
    x: 0.0,
    y: 0.0,
    z: -98.875,
};
/// Height of the origin of the vehicle above its transponder [m].
const ABOVE_BEACON: f64 = 0.8;
/// Period of the USBL, and so of the packets by radio, in cycles of 20 ms.
const RADIO_CYCLES: u64 = 5;
/// Time after which the manoeuvre has failed [s].
const LIMIT: f64 = 300.0;

/// Result of a manoeuvre with latch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latching {
    /// Time and distance from the berth [s, m].
    pub distances: Vec<[f64; 2]>,
    /// Time at which the latch captured the vehicle [s].
    pub latched: Option<f64>,
    /// Distance from the berth 2 s after the capture [m].
    pub rest: f64,
    /// Number of fixes of the USBL.
    pub fixes: usize,
    /// Root mean square of the errors of the fixes [m].
    pub fix_error: f64,
}

/// Simulates the manoeuvre with positions by sound and radio.
///
/// # Errors
/// The world lacks dock, USBL or latch, or a command is refused.
pub(crate) fn run_latching(mut scene: Scene, law: Law) -> Result<Latching, String> {
    let dock = scene.robots.iter().position(|r| r.name == "dock");
    let dock = dock.ok_or("the world has no robot dock")?;
    // without subscribers, only sensors that are not lazy are computed
    for sensor in &mut scene.robots[dock].sensors {
        sensor.lazy = false;
    }
    // the computers of the study command the vehicle and transmit the positions
    scene.schedule.clear();
    scene.bridges.clear();
    let mut timing = Timing::from_packets(&Packets::TEXT);
    timing.cycles[1] = RADIO_CYCLES;
    let mut trial = Trial::new(scene, law, true, BERTH, timing)?;
    let mut found = Latching::default();
    let mut squares = 0.0;
    let mut end = LIMIT;
    while trial.time() < end {
        let truth = trial.simulation.state.robots[0].motion.p_WB;
        let mut position = None;
        for frame in trial.simulation.frames.iter().filter(|f| f.robot == dock) {
            let FrameData::Acoustic(sounds) = &*frame.data else {
                continue;
            };
            let world = sounds.fixes.iter().filter_map(|fix| fix.world);
            for (p, _) in world {
                let fix = p + Vec3::new(0.0, 0.0, ABOVE_BEACON);
                let error = (fix - truth).norm();
                squares += error * error;
                found.fixes += 1;
                position = Some(fix);
            }
        }
        trial.advance(position)?;
        let distance = (trial.simulation.state.robots[0].motion.p_WB - BERTH).norm();
        found.distances.push([trial.time(), distance]);
        found.rest = distance;
        let latch = trial.simulation.state.couplings.first();
        if latch.is_some_and(|latch| latch.engaged) && found.latched.is_none() {
            found.latched = Some(trial.time());
            end = trial.time() + 2.0 + 0.5 * CYCLE;
        }
    }
    found.fix_error = (squares / found.fixes as f64).sqrt();
    Ok(found)
}
