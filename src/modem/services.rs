//! Services of modems: power, rate, medium access, range measurements.

use crate::input::Mailbox;
use crate::input::services::{Caller, MessageOutcome, ServiceOutcome, serve};
use crate::modem::topic_name;
use merrow_messages::msg::{MeasureRange, SetModemMac, SetModemPower, SetModemRate};
use merrow_model::scene::Scene;
use merrow_model::scene::comms::RateChoice;
use merrow_model::state::Command;
use merrow_model::state::comms::{ModemCommand, Ranging};
use merrow_ros2::message::Service as ServiceType;
use merrow_ros2::node::{Node, NodeError, Service};

/// Names and types of the services of all modems, for `describe`.
pub fn names(scene: &Scene) -> Vec<(String, &'static str)> {
    let of_modem = |modem| {
        [
            ("set_power", SetModemPower::TYPE),
            ("set_rate", SetModemRate::TYPE),
            ("set_mac", SetModemMac::TYPE),
            ("measure_range", MeasureRange::TYPE),
        ]
        .map(|(name, service)| (topic_name(scene, modem, name), service))
    };
    scene.modems.iter().flat_map(of_modem).collect()
}

/// Starts the services of all modems.
///
/// # Errors
/// An endpoint could not be created.
pub(crate) fn start(node: &Node, mailbox: &Mailbox) -> Result<Vec<Service>, NodeError> {
    let mut services = Vec::new();
    for (modem, device) in mailbox.scene.modems.iter().enumerate() {
        let name = |what: &str| topic_name(&mailbox.scene, device, what);
        services.push(serve::<SetModemPower>(
            node,
            mailbox,
            &name("set_power"),
            move |mailbox, request, caller| {
                let power = request.power;
                mailbox.send_command(
                    Command::Modem(ModemCommand::SetPower { modem, power }),
                    caller,
                );
            },
        )?);
        services.push(serve::<SetModemRate>(
            node,
            mailbox,
            &name("set_rate"),
            move |mailbox, request, caller| match rate(&mailbox.scene, modem, &request.scheme) {
                Ok(rate) => mailbox.send_command(
                    Command::Modem(ModemCommand::SetRate { modem, rate }),
                    caller,
                ),
                Err(why) => refuse(mailbox, modem, why, caller),
            },
        )?);
        services.push(serve::<SetModemMac>(
            node,
            mailbox,
            &name("set_mac"),
            move |mailbox, request, caller| match merrow_world::build::comms::parse_mac(
                &request.mac,
            ) {
                Ok(mac) => mailbox
                    .send_command(Command::Modem(ModemCommand::SetMac { modem, mac }), caller),
                Err(why) => refuse(mailbox, modem, why, caller),
            },
        )?);
        services.push(serve::<MeasureRange>(
            node,
            mailbox,
            &name("measure_range"),
            move |mailbox, request, caller| {
                let command = ModemCommand::Range {
                    modem,
                    destination: request.destination,
                    kind: if request.one_way {
                        Ranging::OneWay
                    } else {
                        Ranging::TwoWay
                    },
                };
                mailbox.send_command(Command::Modem(command), caller);
            },
        )?);
    }
    Ok(services)
}

/// Returns the rate with the name `scheme`.
fn rate(scene: &Scene, modem: usize, scheme: &str) -> Result<RateChoice, String> {
    if scheme == "adaptive" {
        return Ok(RateChoice::Adaptive);
    }
    let schemes = &scene.modems[modem].transceiver.schemes;
    let found = schemes.iter().position(|s| s.name == scheme);
    found.map(RateChoice::Fixed).ok_or_else(|| {
        let names: Vec<&str> = schemes.iter().map(|s| s.name.as_str()).collect();
        format!(
            "scheme: expected adaptive or one of {}, found {scheme:?}",
            names.join(", ")
        )
    })
}

/// Counts and reports a refusal, and answers the caller.
fn refuse<S: ServiceOutcome<Outcome = MessageOutcome>>(
    mailbox: &Mailbox,
    modem: usize,
    why: String,
    caller: Caller<S>,
) {
    let device = &mailbox.scene.modems[modem];
    mailbox.reject(device.on.map(|(robot, _)| robot), &device.name, &why);
    caller.answer(Err(why));
}
