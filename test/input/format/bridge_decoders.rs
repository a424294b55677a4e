//! Calls the decoders of packets of bridges.
//!
//! It is a separate file so that the randomized test and the fuzz target use the same decoders. It
//! must not make assumptions about the origin of the bytes.

use merrow_model::scene::Scene;
use merrow_model::state::comms::Delivery;
use merrow_sim::{bridged_call, bridged_message};

/// World with bridges of topics, one of them to all modems, and with a bridge of a service.
pub(super) const BRIDGE_WORLD: &str = "
robots: {}
modems:
  a: {modem: wifi_80211n, position_m: [0, 0, 5]}
  b: {modem: wifi_80211n, position_m: [50, 0, 5]}
  c: {modem: wifi_80211n, position_m: [0, 50, 5]}
bridges:
  one: {from: a, to: b, topic: /a/text, message_type: std_msgs/msg/String}
  each: {from: b, to: all, topic: /b/text, message_type: std_msgs/msg/String}
  arm: {from: a, to: c, service: /c/arm, service_type: std_srvs/srv/SetBool}
";

/// Decodes bytes as a delivery of a bridge: transmitting and receiving modem, flags, payload.
/// Returns whether they are a message, and whether they are a call.
///
/// # Panics
/// Panics if an accepted message does not belong to its bridge or differs from the payload; the
/// tests look for this.
pub(super) fn decode_bridged(scene: &Scene, bytes: &[u8]) -> [bool; 2] {
    let Some(([from, to, flags], payload)) = bytes.split_first_chunk::<3>() else {
        return [false; 2];
    };
    let delivery = Delivery {
        message: 0,
        from: u32::from(*from),
        to: u32::from(*to),
        destination: 1,
        is_overheard: flags & 1 != 0,
        is_bridged: flags & 2 == 0,
        created_ns: 0,
        transmitted_ns: 0,
        received_ns: 0,
        snr: 1.0,
        doppler: 0.0,
        payload_start: 0,
        payload_len: payload.len(),
        published_ns: 0,
    };
    let message = bridged_message(scene, &delivery, payload);
    if let Some((bridge, receiver, message)) = message {
        let (modem, _) = &scene.bridges[bridge].to[receiver];
        assert!(*modem == usize::from(*to) && payload.ends_with(message));
        assert_eq!(message.len() + 2, payload.len());
    }
    let call = bridged_call(scene, &delivery, payload);
    if let Some(call) = call {
        let own = &scene.service_bridges[call.bridge];
        let ends = [usize::from(*from), usize::from(*to)];
        let expected = if call.is_response {
            [own.to, own.from]
        } else {
            [own.from, own.to]
        };
        assert!(ends == expected && payload.ends_with(call.message));
        assert_eq!(call.message.len() + 6, payload.len());
    }
    assert!(
        message.is_none() || call.is_none(),
        "two bridges: {bytes:?}"
    );
    [message.is_some(), call.is_some()]
}
