//! Scheduled commands of modems.

use crate::build::comms::ADAPTIVE;
use crate::build::schedule::find_kind;
use crate::context::SceneContext;
use crate::keys::schedule::{ScheduledConfig, ScheduledKindConfig};
use merrow_model::scene::comms::{BROADCAST, Modem, RateChoice};
use merrow_model::state::Command;
use merrow_model::state::comms::{ModemCommand, Ranging, Send};

/// Returns the command of an entry for a modem; `None` for another entry, or after an error.
pub(crate) fn build_modem_command(file: &ScheduledConfig, cx: SceneContext<'_>) -> Option<Command> {
    let names = cx.scene.modems.iter().map(|modem| modem.name.as_str());
    let find_modem =
        |key: &str, name: &str| find_kind(file, (key, "modem"), name, names.clone(), cx);
    let command = match &file.kind {
        ScheduledKindConfig::ModemSend(keys) => ModemCommand::Send(Send {
            priority: keys.priority as u8,
            is_acknowledged: keys.acknowledge,
            ..Send::new(
                find_modem("from", &keys.from)?,
                match &keys.to {
                    Some(to) => cx.scene.modems[find_modem("to", to)?].address,
                    None => BROADCAST,
                },
                keys.text.clone().into_bytes(),
            )
        }),
        ScheduledKindConfig::ModemRange {
            from, to, one_way, ..
        } => ModemCommand::Range {
            modem: find_modem("from", from)?,
            destination: cx.scene.modems[find_modem("to", to)?].address,
            kind: if *one_way {
                Ranging::OneWay
            } else {
                Ranging::TwoWay
            },
        },
        ScheduledKindConfig::ModemPower {
            target, power_w, ..
        } => ModemCommand::SetPower {
            modem: find_modem("target", target)?,
            power: *power_w,
        },
        ScheduledKindConfig::ModemRate { target, scheme, .. } => {
            let modem = find_modem("target", target)?;
            let rate = find_rate(file, &cx.scene.modems[modem], scheme, cx)?;
            ModemCommand::SetRate { modem, rate }
        }
        ScheduledKindConfig::ModemMac { target, mac, .. } => ModemCommand::SetMac {
            modem: find_modem("target", target)?,
            mac: mac.clone(),
        },
        ScheduledKindConfig::ModemSwitch { target, on, .. } => ModemCommand::Switch {
            modem: find_modem("target", target)?,
            is_on: *on,
        },
        _ => return None,
    };
    Some(Command::Modem(command))
}

/// Returns the data rate with the name `scheme`, or reports that the modem has none.
fn find_rate(
    file: &ScheduledConfig,
    modem: &Modem,
    scheme: &str,
    cx: SceneContext<'_>,
) -> Option<RateChoice> {
    if scheme == ADAPTIVE {
        return Some(RateChoice::Adaptive);
    }
    let names = modem.transceiver.schemes.iter().map(|known| &*known.name);
    let kind = ("scheme", "scheme");
    find_kind(file, kind, scheme, names, cx).map(RateChoice::Fixed)
}
