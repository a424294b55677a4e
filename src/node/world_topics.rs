//! Topics that do not belong to a robot: clock, frames, diagnostics, contacts, couplings, tethers.

use crate::topics::{DIAGNOSTICS_RATE, FRAME_RATE, Input, Output, Source, Target};
use merrow_messages::msg::Contacts;
use merrow_model::scene::{Coupling, Scene, Tether};
use merrow_ros2::message::Message;
use merrow_ros2::msg::diagnostic_msgs::DiagnosticArray;
use merrow_ros2::msg::geometry_msgs::WrenchStamped;
use merrow_ros2::msg::nav_msgs::Path;
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::msg::std_msgs::{Bool, Float64, Float64MultiArray};
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_ros2::qos::Qos;

/// Lists the topics that do not belong to a robot.
pub(super) fn outputs(scene: &Scene) -> Vec<Output> {
    let global = |topic: &str, info, qos, rate_hz, source| Output {
        topic: topic.to_string(),
        info,
        qos,
        rate_hz,
        source,
    };
    let mut outputs = vec![
        global("/clock", Clock::info(), Qos::CLOCK, None, Source::Clock),
        global(
            "/tf",
            TFMessage::info(),
            Qos::TF,
            Some(FRAME_RATE),
            Source::Tf,
        ),
        global(
            "/tf_static",
            TFMessage::info(),
            Qos::TF_STATIC,
            None,
            Source::TfStatic,
        ),
        global(
            "/diagnostics",
            DiagnosticArray::info(),
            Qos::DEFAULT,
            Some(DIAGNOSTICS_RATE),
            Source::Diagnostics,
        ),
    ];
    if scene.robots.iter().any(|r| !r.colliders.is_empty()) {
        let rate = Some(FRAME_RATE);
        outputs.push(global(
            "contacts",
            Contacts::info(),
            Qos::DEFAULT,
            rate,
            Source::Contacts,
        ));
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
        outputs.push(Output {
            topic: format!("{name}/intact"),
            info: Bool::info(),
            qos: Qos::LATCHED,
            rate_hz: None,
            source: Source::TetherIntact { tether: i },
        });
    }
    let mut add = |topic: String, info, source| {
        outputs.push(Output {
            topic,
            info,
            qos: Qos::DEFAULT,
            rate_hz: Some(FRAME_RATE),
            source,
        });
    };
    add(
        format!("{name}/path"),
        Path::info(),
        Source::TetherPath { tether: i },
    );
    add(
        format!("{name}/tension"),
        Float64MultiArray::info(),
        Source::TetherTension { tether: i },
    );
    if let Some(winch) = &tether.winch {
        add(
            format!("{name}/length"),
            Float64::info(),
            Source::TetherLength { tether: i },
        );
        let unit = format!("m/s, positive pays out [-{0}, {0}]", winch.max_speed_m_s);
        let (topic, target) = (format!("{name}/winch/command"), Target::Winch { tether: i });
        inputs.push(Input {
            topic,
            info: Float64::info(),
            target,
            unit,
        });
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
    outputs.push(Output {
        topic: topic("state"),
        info: Bool::info(),
        qos: Qos::LATCHED,
        rate_hz: None,
        source: Source::Coupling { coupling: k },
    });
    outputs.push(Output {
        topic: topic("wrench"),
        info: WrenchStamped::info(),
        qos: Qos::DEFAULT,
        rate_hz: Some(FRAME_RATE),
        source: Source::CouplingLoad { coupling: k },
    });
    let unit = "true: engage (a latch captures an approaching partner); false: release".to_string();
    let target = Target::Coupling { coupling: k };
    inputs.push(Input {
        topic: topic("command"),
        info: Bool::info(),
        target,
        unit,
    });
}
