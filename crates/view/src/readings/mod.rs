//! Readings of the selected robot for the overlays of the page: forces by law, centres of gravity
//! and buoyancy, contacts, current and wind. Events of the run, links and activities of modems,
//! load of the program, samples of topics.

pub(crate) mod events;
pub mod forces;
pub mod foreign_topics;
pub(crate) mod links;
pub(crate) mod load;
pub(crate) mod network;
pub mod plotted;
pub(crate) mod rates;
pub(crate) mod samples;
pub mod topic_table;
pub mod wetted_hull;

use crate::readings::forces::{Evaluation, Force};
use crate::readings::wetted_hull::wetted_hull;
use merrow_environment::air::wind::wind_velocity;
use merrow_model::state::contact::ContactBody;
use merrow_sim::Simulation;
use serde_json::{Value, json};

/// Maximum number of contact points in one message.
const MAX_CONTACTS: usize = 64;

/// Maximum number of triangles of a wetted hull in one message.
const MAX_TRIANGLES: usize = 4000;

/// Returns the readings of a robot as a JSON text, with its wetted hull if `has_hull` is set.
pub(crate) fn message(simulation: &Simulation, robot: usize, has_hull: bool) -> String {
    let evaluation = Evaluation::new(simulation, robot);
    let place = simulation.state.robots[robot].motion.p_WB;
    let time = simulation.time_ns() as f64 * 1e-9;
    let wind = wind_velocity(&simulation.state.sea.air, place, time);
    let force = |force: &Force| {
        json!({
            "law": force.law.name(),
            "name": force.name,
            "p": force.p_W.to_array(),
            "f": force.f_W.to_array(),
            "m": force.m_W.to_array(),
        })
    };
    json!({
        "type": "overlay",
        "robot": robot,
        "forces": evaluation.forces.iter().map(force).collect::<Vec<_>>(),
        "gravity_center": evaluation.gravity_center.to_array(),
        "buoyancy_center": evaluation.buoyancy_center.map(|p| p.to_array()),
        "current": evaluation.water.to_array(),
        "wind": wind.to_array(),
        "contacts": contacts(simulation, robot),
        "wetted_mm": has_hull.then(|| wetted_mm(simulation, robot)),
    })
    .to_string()
}

/// Returns the corners of the triangles of the wetted hull, relative to the origin of the robot
/// along the axes of W [mm].
fn wetted_mm(simulation: &Simulation, robot: usize) -> Vec<i64> {
    let origin = simulation.state.robots[robot].motion.p_WB;
    let triangles = wetted_hull(simulation, robot).into_iter();
    let corners = triangles.take(MAX_TRIANGLES).flatten();
    let numbers = corners.flat_map(|p| (p - origin).to_array());
    numbers.map(|x| (1e3 * x).round() as i64).collect()
}

/// Returns the contact points of a robot with the mean force of the last step on it [N].
fn contacts(simulation: &Simulation, robot: usize) -> Vec<Value> {
    let is_own = |body: &ContactBody| matches!(body, ContactBody::Link { robot: own, .. } if *own as usize == robot);
    let rate = 1.0 / simulation.scene.dt();
    let touching = simulation.state.contacts.touching.iter();
    let own = touching.filter_map(|contact| {
        let sign = match (is_own(&contact.a), is_own(&contact.b)) {
            (true, _) => 1.0,
            (false, true) => -1.0,
            (false, false) => return None,
        };
        let force = contact.impulse_W.scale(sign * rate);
        Some(json!({"p": contact.p_W.to_array(), "f": force.to_array()}))
    });
    own.take(MAX_CONTACTS).collect()
}
