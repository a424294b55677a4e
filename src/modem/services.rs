//! Services of modems: power, rate, medium access, range measurements.

use crate::input::node_service::NodeService;
use crate::modem::topic_name;
use merrow_messages::msg::{MeasureRange, SetModemMac, SetModemPower, SetModemRate};
use merrow_model::scene::Scene;
use merrow_model::scene::comms::RateChoice;
use merrow_model::state::Command;
use merrow_model::state::comms::{ModemCommand, Ranging};
use merrow_world::build::comms::parse_mac;

/// Lists the services of all modems.
pub(crate) fn services(scene: &Scene) -> Vec<NodeService> {
    let mut all = Vec::new();
    for (modem, device) in scene.modems.iter().enumerate() {
        let name = |what: &str| topic_name(scene, device, what);
        let robot = device.on.map(|(robot, _)| robot);
        all.push(NodeService::command::<SetModemPower>(
            name("set_power"),
            robot,
            move |_, _, request| {
                let power = request.power;
                Ok(Command::Modem(ModemCommand::SetPower { modem, power }))
            },
        ));
        all.push(NodeService::command::<SetModemRate>(
            name("set_rate"),
            robot,
            move |scene, _, request| {
                let rate = rate(scene, modem, &request.scheme)?;
                Ok(Command::Modem(ModemCommand::SetRate { modem, rate }))
            },
        ));
        all.push(NodeService::command::<SetModemMac>(
            name("set_mac"),
            robot,
            move |_, _, request| {
                let mac = parse_mac(&request.mac)?;
                Ok(Command::Modem(ModemCommand::SetMac { modem, mac }))
            },
        ));
        all.push(NodeService::command::<MeasureRange>(
            name("measure_range"),
            robot,
            move |_, _, request| {
                Ok(Command::Modem(ModemCommand::Range {
                    modem,
                    destination: request.destination,
                    kind: if request.one_way {
                        Ranging::OneWay
                    } else {
                        Ranging::TwoWay
                    },
                }))
            },
        ));
    }
    all
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
