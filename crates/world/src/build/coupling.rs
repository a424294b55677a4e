//! Conversion of couplings: the bodies of their ends, and whether the ends fit.

use crate::context::SceneContext;
use crate::keys::coupling::{CouplingConfig, CouplingEndConfig};
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::kinematics::coupling;
use merrow_model::scene::{Coupling, CouplingEnd, CouplingKind};
use merrow_model::state::State;
use merrow_yaml::error::Place;
use merrow_yaml::read::NamedMap;

/// Builds the couplings of `file` between the robots of `scene`.
pub(crate) fn build_couplings(
    file: &NamedMap<CouplingConfig>,
    cx: SceneContext<'_>,
) -> Vec<Coupling> {
    if file.0.is_empty() {
        return Vec::new();
    }
    let state = State::new(cx.scene);
    let one = |(name, entry): (&str, &CouplingConfig)| build_coupling(name, entry, &state, cx);
    file.iter().filter_map(one).collect()
}

fn build_coupling(
    name: &str,
    file: &CouplingConfig,
    state: &State,
    cx: SceneContext<'_>,
) -> Option<Coupling> {
    let kind = file.kind.clone();
    check_funnel(&kind, cx);
    let grasps = matches!(kind, CouplingKind::Grasp { .. });
    let of = format!("the coupling {name}");
    let a = build_end(&of, &file.a, cx);
    let mut b = None;
    if let Some(given) = &file.b {
        b = Some(build_second_end(given, a, name, state, cx)?);
    } else if !grasps {
        let text = format!("the {} {name} has no second end; expected `b`", kind.kind());
        return cx.refuse(&file.at.whole, text);
    }
    let (a, place) = (a?, &file.at.whole);
    let engaged = file
        .engaged
        .unwrap_or(!grasps && !matches!(kind, CouplingKind::Latch(_)));
    let mut coupling = Coupling {
        name: name.to_string(),
        a,
        b,
        kind,
        engaged,
        start: (Vec3::zero(), Quat::identity()),
        break_force_n: file.break_force_n,
        break_moment_nm: file.break_moment_nm,
    };
    check_bodies(&coupling, place, cx)?;
    if engaged {
        set_initial_state(&mut coupling, state, file, cx);
    }
    Some(coupling)
}

/// Reports a coupling with both ends on one body, which would have no effect.
fn check_bodies(c: &Coupling, place: &Place, cx: SceneContext<'_>) -> Option<()> {
    let word = c.kind.kind();
    let text = match (c.a.link(), c.b.map(|b| b.link())) {
        (None, Some(None)) => {
            format!(
                "both ends of the {word} {} are in the world; expected a robot at one",
                c.name
            )
        }
        (Some((r, l)), Some(other)) if other == Some((r, l)) => {
            let (robot, link) = (&cx.scene.robots[r].name, &cx.scene.robots[r].links[l].name);
            format!(
                "both ends of the {word} {} are on the link {link} of {robot}; expected two bodies",
                c.name
            )
        }
        (Some((r, _)), Some(Some((s, _))))
            if r == s && matches!(c.kind, CouplingKind::Grasp { .. }) =>
        {
            format!(
                "the grasp {} has both ends on {}; expected another robot",
                c.name, cx.scene.robots[r].name
            )
        }
        (_, Some(None)) if matches!(c.kind, CouplingKind::Grasp { .. }) => {
            format!(
                "the grasp {} has its second end in the world; expected a robot or a prop",
                c.name
            )
        }
        _ => return Some(()),
    };
    cx.refuse(place, text)
}

/// Computes the initial state of a coupling that is engaged at the start, and reports ends that do
/// not coincide.
fn set_initial_state(c: &mut Coupling, state: &State, file: &CouplingConfig, cx: SceneContext<'_>) {
    let Some(b) = c.b else {
        let text = format!(
            "the grasp {} is engaged at the start and has no `b`; expected the held object in `b`",
            c.name
        );
        cx.error(file.at.key_place("engaged"), text);
        return;
    };
    let A = coupling::end_motion(cx.scene, state, &c.a);
    if let (CouplingKind::Grasp { .. }, Some((robot, link))) = (&c.kind, b.link()) {
        c.start = coupling::relative_pose(
            &A,
            &coupling::link_motion_or_rest(cx.scene, state, robot, link),
        );
        return;
    }
    let T = coupling::target_frame(&A, c.start.0, &c.start.1);
    let (misfit, _) = coupling::deviation(&c.kind, &T, &coupling::end_motion(cx.scene, state, &b));
    if let Some(why) = coupling::misfit_error(&misfit) {
        let text = format!(
            "the {} {} holds at the start, but {why}; remove `position_m` and `attitude_deg` of the second end to place \
             it at the first",
            c.kind.kind(),
            c.name
        );
        cx.error(&file.at.whole, text);
    }
}

/// Reports a funnel that widens towards the seat.
fn check_funnel(kind: &CouplingKind, cx: SceneContext<'_>) {
    let CouplingKind::Latch(latch) = kind else {
        return;
    };
    let Some(funnel) = &latch.funnel else {
        return;
    };
    let (entrance, exit) = (funnel.entrance_radius_m, funnel.exit_radius_m);
    if exit > entrance {
        let text =
            format!("`exit_radius_m` is {exit}; expected at most `entrance_radius_m` {entrance}");
        cx.error(funnel.at.key_place("exit_radius_m"), text);
    }
}

/// Builds the second end. Without its own pose it coincides with the first at the start.
fn build_second_end(
    file: &CouplingEndConfig,
    a: Option<CouplingEnd>,
    name: &str,
    state: &State,
    cx: SceneContext<'_>,
) -> Option<CouplingEnd> {
    let b = build_end(&format!("the coupling {name}"), file, cx)?;
    if file.position_m.is_some() || file.attitude_deg.is_some() {
        return Some(b);
    }
    let A = coupling::end_motion(cx.scene, state, &a?);
    Some(match b {
        CouplingEnd::World { .. } => CouplingEnd::World {
            R_WE: A.R_W,
            p_WE: A.p_W,
        },
        CouplingEnd::Link { robot, link, .. } => {
            let L = coupling::link_motion_or_rest(cx.scene, state, robot, link);
            let (R_LE, p_LoE) = (
                L.R_W.transpose().mul_mat(&A.R_W),
                L.R_W.tr_mul_vec(A.p_W - L.p_W),
            );
            CouplingEnd::Link {
                robot,
                link,
                R_LE,
                p_LoE,
            }
        }
    })
}

/// Builds an end from `file`; `name` is the coupling in messages.
pub(crate) fn build_end(
    name: &str,
    file: &CouplingEndConfig,
    cx: SceneContext<'_>,
) -> Option<CouplingEnd> {
    let p = Vec3::from(file.position_m.unwrap_or_default());
    let [roll, pitch, yaw] = file.attitude_deg.unwrap_or_default().map(f64::to_radians);
    let R = Mat3::from_rpy(roll, pitch, yaw);
    let Some(robot_name) = &file.robot else {
        if file.link.is_some() {
            let text = format!("an end of {name} names a link; expected its `robot` too");
            return cx.refuse(file.at.key_place("link"), text);
        }
        return Some(CouplingEnd::World { R_WE: R, p_WE: p });
    };
    let robot = cx.find_robot(name, robot_name, file.at.key_place("robot"))?;
    let model = &cx.scene.robots[robot];
    let link = file.link.as_deref().unwrap_or(&model.links[0].name);
    let frame = cx.find_link(link, file.at.key_place("link"), model)?;
    Some(CouplingEnd::Link {
        robot,
        link: frame.link,
        R_LE: frame.R_LF.mul_mat(&R),
        p_LoE: frame.point(p),
    })
}
