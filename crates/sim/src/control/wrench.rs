//! Commands that apply wrenches to links.

use crate::control::command::{Target, check_finite};
use merrow_model::ensure;
use merrow_model::state::commands::Accepted;
use merrow_model::state::{AppliedWrench, WrenchSource};

/// Maximum number of wrenches on one robot.
const WRENCHES_MAX: usize = 64;

impl Target<'_> {
    /// Applies a wrench, whose `start_ns` is a delay and whose `end_ns` is a duration [ns].
    pub(crate) fn apply_wrench(&mut self, wrench: &AppliedWrench) -> Accepted {
        let link = wrench.link;
        let is_there = link < self.model.links.len();
        ensure!(is_there, "expected a link of the robot, found {link}");
        check_finite("force", wrench.F.f)?;
        check_finite("torque", wrench.F.m)?;
        check_finite("point", wrench.p_LoP)?;
        let start_ns = self.now_ns.saturating_add(wrench.start_ns);
        let wrench = AppliedWrench {
            start_ns,
            end_ns: start_ns.saturating_add(wrench.end_ns),
            ..*wrench
        };
        let applied = &mut self.state.applied_wrenches;
        if wrench.source == WrenchSource::Topic {
            applied.retain(|w| w.source != WrenchSource::Topic || w.link != link);
        }
        ensure!(
            applied.len() < WRENCHES_MAX,
            "{WRENCHES_MAX} wrenches act already, the maximum; clear wrenches first"
        );
        applied.push(wrench);
        Ok(())
    }

    /// Ends the wrenches of the service on a link, or on all links.
    pub(crate) fn clear_wrenches(&mut self, link: Option<usize>) {
        let is_cleared = |w: &AppliedWrench| {
            w.source == WrenchSource::Service && link.is_none_or(|link| link == w.link)
        };
        self.state.applied_wrenches.retain(|w| !is_cleared(w));
    }
}
