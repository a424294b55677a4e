//! Engages and releases couplings on command.

use merrow_model::ensure;
use merrow_model::kinematics::coupling;
use merrow_model::scene::{Coupling, CouplingEnd, CouplingKind, Scene};
use merrow_model::state::commands::Accepted;
use merrow_model::state::contact::ContactBody;
use merrow_model::state::coupling::LatchCapture;
use merrow_model::state::{CouplingState, State};

/// Engages or releases coupling `index`, or returns why the command is rejected. A command to
/// engage an engaged coupling has no effect.
pub fn apply(
    scene: &Scene,
    state: &mut State,
    index: usize,
    engage: bool,
    partner: Option<usize>,
) -> Accepted {
    let coupling = scene.couplings.get(index);
    let coupling = coupling.ok_or_else(|| format!("no coupling number {index}"))?;
    let command = Command {
        scene,
        state,
        coupling,
        engage,
        partner,
    };
    let memory = command.apply_to(state.couplings[index]);
    state.couplings[index] =
        memory.map_err(|why| format!("the coupling {}: {why}", coupling.name))?;
    Ok(())
}

/// Command to a coupling.
struct Command<'a> {
    scene: &'a Scene,
    state: &'a State,
    coupling: &'a Coupling,
    engage: bool,
    partner: Option<usize>,
}

impl Command<'_> {
    /// Returns the state of the coupling after the command.
    fn apply_to(&self, mut memory: CouplingState) -> Result<CouplingState, String> {
        let (c, partner) = (self.coupling, self.partner);
        if let Some(robot) = partner {
            self.check_partner(robot)?;
        }
        match (self.engage, memory.engaged, &c.kind) {
            (true, true, CouplingKind::Grasp { .. }) => ensure!(
                partner.is_none() || partner == memory.partner.map(|(robot, _)| robot),
                "it already holds another robot; release it first"
            ),
            (true, true, _) => {}
            (true, false, CouplingKind::Latch(_)) => memory.capture = LatchCapture::Armed,
            (true, false, CouplingKind::Grasp { reach_m, .. }) => {
                let found = self.find_grasped_link(*reach_m)?;
                self.grasp(found, &mut memory);
            }
            (true, false, _) => self.engage_near(&mut memory)?,
            (false, true, _) => memory.release(LatchCapture::Leaving),
            (false, false, _) => memory.capture = LatchCapture::Off,
        }
        Ok(memory)
    }

    /// Checks a named partner: a grasp accepts any other robot, the other kinds only their own.
    fn check_partner(&self, robot: usize) -> Accepted {
        let c = self.coupling;
        let model = self.scene.robots.get(robot);
        let model = model.ok_or_else(|| format!("no robot number {robot}"))?;
        if !self.engage {
            return Err("expected no partner for a release, found one; omit the partner".into());
        }
        let own = c.a.link().is_some_and(|(r, _)| r == robot);
        match (&c.kind, c.b) {
            (CouplingKind::Grasp { .. }, _) if own => {
                Err(format!("{} cannot grasp itself", model.name))
            }
            (CouplingKind::Grasp { .. }, _) if self.state.robots[robot].halted.is_some() => {
                Err(format!("{} is halted", model.name))
            }
            (CouplingKind::Grasp { .. }, _) => Ok(()),
            (_, Some(b)) if b.link().is_some_and(|(r, _)| r == robot) || own => Ok(()),
            _ => Err(format!("{} is not one of its two ends", model.name)),
        }
    }

    /// Engages the coupling with its ends at their current poses, if these are near enough to the
    /// nominal values.
    fn engage_near(&self, memory: &mut CouplingState) -> Accepted {
        let c = self.coupling;
        let Some(b) = c.b else { return Ok(()) };
        let [A, B] = [c.a, b].map(|end| coupling::end_motion(self.scene, self.state, &end));
        let T = coupling::target_frame(&A, memory.p_AT, &memory.q_AT);
        let (offset, rate) = coupling::deviation(&c.kind, &T, &B);
        if let Some(why) = coupling::misfit_error(&offset) {
            return Err(why);
        }
        memory.engage(offset, rate);
        Ok(())
    }

    /// Finds the link that a grasp holds: a link of the named robot, else the link that the gripper
    /// touches, else the nearest base link.
    fn find_grasped_link(&self, reach: f64) -> Result<(usize, usize), String> {
        let (scene, state, c) = (self.scene, self.state, self.coupling);
        let partner = self
            .partner
            .or(c.b.and_then(|b| b.link()).map(|(robot, _)| robot));
        let is_candidate = |robot: usize| {
            partner.is_none_or(|p| p == robot) && state.robots[robot].halted.is_none()
        };
        if let Some(found) =
            touched_links(state, c.a.link()).find(|(robot, _)| is_candidate(*robot))
        {
            return Ok(found);
        }
        let A = coupling::end_motion(scene, state, &c.a);
        let distance = |robot: usize, link: usize| {
            (coupling::link_motion_or_rest(scene, state, robot, link).p_W - A.p_W).norm()
        };
        let own = c.a.link().map(|(robot, _)| robot);
        let mut nearest: Option<(f64, (usize, usize))> = None;
        for (r, model) in scene
            .robots
            .iter()
            .enumerate()
            .filter(|(r, _)| Some(*r) != own && is_candidate(*r))
        {
            // for a named robot any of its links is allowed
            let links = if partner.is_some() {
                model.links.len()
            } else {
                1
            };
            for l in 0..links {
                let d = distance(r, l);
                if nearest.is_none_or(|(shortest, _)| d < shortest) {
                    nearest = Some((d, (r, l)));
                }
            }
        }
        match nearest {
            Some((d, found)) if d <= reach => Ok(found),
            Some((d, (r, _))) => {
                let name = &scene.robots[r].name;
                Err(format!(
                    "no robot or prop within its reach of {reach} m; the nearest is {name} at {d:.3} m"
                ))
            }
            None => Err(format!("no robot or prop within its reach of {reach} m")),
        }
    }

    /// Holds `found` at its current pose in the gripper; its relative velocity is braked.
    fn grasp(&self, (robot, link): (usize, usize), memory: &mut CouplingState) {
        let (scene, state, c) = (self.scene, self.state, self.coupling);
        let A = coupling::end_motion(scene, state, &c.a);
        let B = coupling::link_motion_or_rest(scene, state, robot, link);
        memory.partner = Some((robot, link));
        (memory.p_AT, memory.q_AT) = coupling::relative_pose(&A, &B);
        let T = coupling::target_frame(&A, memory.p_AT, &memory.q_AT);
        memory.engage([0.0; 6], coupling::deviation(&c.kind, &T, &B).1);
    }
}

/// Returns the name of the coupling that holds a robot to another object, if there is one.
pub(crate) fn holding_coupling<'s>(
    scene: &'s Scene,
    state: &State,
    robot: usize,
) -> Option<&'s str> {
    let holds = |(c, memory): (&'s Coupling, &CouplingState)| {
        let b = coupling::second_end(c, memory)?;
        let of = |end: &CouplingEnd| end.link().map(|(r, _)| r);
        let (a, b) = (of(&c.a), of(&b));
        (memory.engaged && a != b && (a == Some(robot) || b == Some(robot)))
            .then_some(c.name.as_str())
    };
    scene.couplings.iter().zip(&state.couplings).find_map(holds)
}

/// Returns the links of other robots that are in contact with `link` now.
fn touched_links(
    state: &State,
    link: Option<(usize, usize)>,
) -> impl Iterator<Item = (usize, usize)> + '_ {
    let other = move |a: ContactBody, b: ContactBody| match (a.link(), b.link()) {
        (own, Some(other)) if own.is_some() && own == link && own.map(|o| o.0) != Some(other.0) => {
            Some(other)
        }
        _ => None,
    };
    state
        .contacts
        .touching
        .iter()
        .filter_map(move |t| other(t.a, t.b).or(other(t.b, t.a)))
}
