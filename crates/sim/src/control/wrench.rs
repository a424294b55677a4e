//! Commands that apply wrenches to links.

use crate::control::command::{check_finite, find_robot, reject};
use merrow_model::scene::Scene;
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::{AppliedWrench, State, WrenchSource};

/// Maximum number of wrenches on one robot.
const WRENCHES_MAX: usize = 64;

/// Applies a wrench, whose `start_ns` is a delay and whose `end_ns` is a duration [ns].
pub(crate) fn apply(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    wrench: &AppliedWrench,
) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    if wrench.link >= model.links.len() {
        let why = format!("expected a link of the robot, found {}", wrench.link);
        return Err(reject(robot, why));
    }
    check_finite(robot, "force", wrench.F.f)?;
    check_finite(robot, "torque", wrench.F.m)?;
    check_finite(robot, "point", wrench.p_LoP)?;
    let start_ns = now.saturating_add(wrench.start_ns);
    let wrench = AppliedWrench {
        start_ns,
        end_ns: start_ns.saturating_add(wrench.end_ns),
        ..*wrench
    };
    if wrench.source == WrenchSource::Topic {
        let is_former =
            |w: &AppliedWrench| w.source == WrenchSource::Topic && w.link == wrench.link;
        target.applied_wrenches.retain(|w| !is_former(w));
    }
    if target.applied_wrenches.len() >= WRENCHES_MAX {
        let why = format!("{WRENCHES_MAX} wrenches act already, the maximum; clear wrenches first");
        return Err(reject(robot, why));
    }
    target.applied_wrenches.push(wrench);
    Ok(())
}

/// Ends the wrenches of the service on a link, or on all links.
pub(crate) fn clear(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    link: Option<usize>,
) -> Result<(), CommandRejection> {
    let (_, target) = find_robot(scene, state, robot)?;
    let is_cleared = |w: &AppliedWrench| {
        w.source == WrenchSource::Service && link.is_none_or(|link| link == w.link)
    };
    target.applied_wrenches.retain(|w| !is_cleared(w));
    Ok(())
}
