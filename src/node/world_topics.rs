//! Topics that do not belong to a robot: clock, frames, diagnostics, contacts, couplings, tethers.

use crate::node::map;
use crate::replay::state::{read_contact, set_line};
use crate::topics::{Content, Input, Output, STATUS_RATE, Switch};
use merrow_math::Vec3;
use merrow_messages::convert::{self, contacts, header, vehicle};
use merrow_messages::frames;
use merrow_messages::msg::Contacts;
use merrow_model::scene::{Coupling, Scene, Tether};
use merrow_model::sensor::vehicle::Wrench;
use merrow_model::state::{Command, WinchCommand};
use merrow_ros2::message::Message;
use merrow_ros2::msg::diagnostic_msgs::DiagnosticArray;
use merrow_ros2::msg::nav_msgs::Path;
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::msg::std_msgs::{Bool, Float64, Float64MultiArray};
use merrow_ros2::qos::Qos;

/// Lists the topics that do not belong to a robot.
pub(super) fn outputs(scene: &Scene) -> Vec<Output> {
    let transforms = Output::states("/tf", |moment, states| {
        frames::moving_frames(moment.scene, states, moment.has_truth_tf)
    });
    let fixed = Output::once("/tf_static", |moment| frames::static_frames(moment.scene));
    let health = Output::new("/diagnostics", DiagnosticArray::info(), Content::Health);
    let mut outputs = vec![
        Output::new("/clock", Clock::info(), Content::Clock)
            .with_qos(Qos::CLOCK)
            .local(),
        transforms.with_qos(Qos::TF),
        fixed.with_qos(Qos::TF_STATIC),
        health.at_rate(STATUS_RATE).local(),
    ];
    outputs.extend(map::output(scene));
    if scene.robots.iter().any(|r| !r.colliders.is_empty()) {
        let output = Output::states("contacts", |moment, states| {
            contacts::contacts_message(moment.scene, states)
        });
        outputs.push(output.restored_by(|simulation, message: &Contacts| {
            let scene = &simulation.scene;
            let touching = message.contacts.iter();
            let touching = touching.filter_map(|contact| read_contact(scene, contact));
            simulation.state.contacts.touching = touching.collect();
        }));
    }
    outputs
}

/// Adds the topics of tether `i`.
pub(super) fn add_tether(
    i: usize,
    tether: &Tether,
    outputs: &mut Vec<Output>,
    inputs: &mut Vec<Input>,
) {
    let name = &tether.name;
    if tether.line.breaking_load_n.is_some() {
        let intact = Output::switch(format!("{name}/intact"), Switch::Tether(i));
        outputs.push(intact.restored_by(move |simulation, message: &Bool| {
            set_line(&mut simulation.state, i, message.data);
        }));
    }
    let path = Output::states(format!("{name}/path"), move |moment, states| {
        convert::path(&states.tethers[i].p, moment.now_ns)
    });
    outputs.push(path.restored_by(move |simulation, message: &Path| {
        let p = message.poses.iter().map(|stamped| &stamped.pose.position);
        let nodes = &mut simulation.state.tethers[i].p;
        if p.len() == nodes.len() {
            *nodes = p.map(convert::from_point).collect();
        }
    }));
    outputs.push(Output::states(
        format!("{name}/tension"),
        move |_, states| Float64MultiArray {
            data: states.tethers[i].end_tensions().to_vec(),
            ..Float64MultiArray::default()
        },
    ));
    if let Some(winch) = &tether.winch {
        let length = Output::states(format!("{name}/length"), move |_, states| Float64 {
            data: states.tethers[i].length,
        });
        outputs.push(length.restored_by(move |simulation, message: &Float64| {
            simulation.state.tethers[i].length = message.data;
        }));
        let unit = format!("m/s, positive pays out [-{0}, {0}]", winch.max_speed_m_s);
        inputs.push(Input::new(
            format!("{name}/winch/command"),
            unit,
            move |_, speed: Float64| Command::Winch {
                tether: i,
                command: WinchCommand::Speed(speed.data),
            },
        ));
    }
}

/// Adds the topics of coupling `k`.
pub(super) fn add_coupling(
    k: usize,
    coupling: &Coupling,
    outputs: &mut Vec<Output>,
    inputs: &mut Vec<Input>,
) {
    let topic = |what: &str| format!("couplings/{}/{what}", coupling.name);
    let engaged = Output::switch(topic("state"), Switch::Coupling(k));
    outputs.push(engaged.restored_by(move |simulation, message: &Bool| {
        simulation.state.couplings[k].engaged = message.data;
    }));
    outputs.push(Output::states(topic("wrench"), move |moment, states| {
        let [force, torque] = states.coupling_loads[k];
        let load = Wrench {
            force,
            torque,
            variances: [Vec3::zero(); 2],
        };
        vehicle::wrench(&load, header(moment.now_ns, convert::WORLD_FRAME))
    }));
    inputs.push(Input::new(
        topic("command"),
        "true: engage (a latch captures an approaching partner); false: release",
        move |_, engage: Bool| Command::SetCoupling {
            coupling: k,
            engage: engage.data,
            partner: None,
        },
    ));
}
