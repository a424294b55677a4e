//! Invalid modems and commands: one error line each.

use crate::common::{modem, network, set_band};
use merrow_comms::network::Network;
use merrow_model::scene::comms::mac::{Backoff, CsmaCa, CsmaCd, PollingController, Tdma};
use merrow_model::scene::comms::{BROADCAST, MacProtocol, Modem, RateChoice};
use merrow_model::scene::nanoseconds::Nanoseconds;
use merrow_model::state::comms::{ModemCommand, Ranging, Send};

/// Asserts that a change of one modem gives one error line that contains `expected`.
fn refuse(expected: &str, change: impl FnOnce(&mut Modem)) {
    let mut modems = [modem(1), modem(2)];
    change(&mut modems[1]);
    let errors = Network::new(&modems, 1).expect_err(expected);
    let text = errors.join("\n");
    assert!(
        text.starts_with("modem m") && text.contains(expected),
        "{text}"
    );
    assert!(errors.iter().all(|line| !line.contains('\n')));
}

fn slots(frame_ns: u64, slots: &[(u64, u64)]) -> MacProtocol {
    let slot = |(start, duration): &(u64, u64)| [Nanoseconds(*start), Nanoseconds(*duration)];
    MacProtocol::Tdma(Tdma {
        frame_s: Nanoseconds(frame_ns),
        slots_s: slots.iter().map(slot).collect(),
        guard_s: Nanoseconds(0),
    })
}

// Every invalid modem gives one error line; other keys are limited by their declaration. Method: one
// change each.
#[test]
fn invalid_modems_are_refused() {
    refuse("band from -1 to 34000 Hz", |m| {
        set_band(&mut m.transceiver, [-1.0, 34e3])
    });
    refuse("band from NaN", |m| {
        set_band(&mut m.transceiver, [f64::NAN, 34e3])
    });
    refuse(
        "also has the address 1; give each modem a different address",
        |m| m.address = 1,
    );
    refuse("address 65535 is reserved for broadcasts", |m| {
        m.address = BROADCAST
    });
    refuse("TDMA without slots", |m| m.mac = slots(100, &[]));
    refuse("overlap", |m| m.mac = slots(100, &[(0, 60), (50, 20)]));
    refuse("ends after the frame", |m| m.mac = slots(100, &[(50, 60)]));
    refuse("polling without addresses", |m| {
        m.mac = MacProtocol::PollingController(PollingController {
            addresses: vec![],
            timeout_s: Nanoseconds(1),
            pause_s: Nanoseconds(0),
        });
    });
    for key in ["space_s", "window_s", "guard_s", "pause_s"] {
        refuse(key, |m| {
            m.mac = match key {
                "space_s" => MacProtocol::CsmaCa(CsmaCa {
                    space_s: Nanoseconds(u64::MAX),
                    max_attempts: 1,
                    backoff: Backoff::Nonpersistent {
                        max_s: Nanoseconds(1),
                    },
                }),
                "window_s" => MacProtocol::CsmaCd(CsmaCd {
                    window_s: Nanoseconds(u64::MAX),
                    min_frame_bits: 1,
                    max_exponent: 1,
                    max_attempts: 1,
                }),
                "guard_s" => match slots(100, &[(0, 60)]) {
                    MacProtocol::Tdma(tdma) => MacProtocol::Tdma(Tdma {
                        guard_s: Nanoseconds(u64::MAX),
                        ..tdma
                    }),
                    other => other,
                },
                _ => MacProtocol::PollingController(PollingController {
                    addresses: vec![1],
                    timeout_s: Nanoseconds(1),
                    pause_s: Nanoseconds(u64::MAX),
                }),
            };
        });
    }
    refuse("transmit power 11 W", |m| m.power_w = 11.0);
    refuse("clock offset NaN s", |m| m.clock.offset_s = f64::NAN);
    refuse("control frames of 0 bits", |m| {
        m.transceiver.framing.control_bits = 0
    });
    refuse("data rate number 2", |m| m.rate = RateChoice::Fixed(2));
}

// Every invalid command gives one error line and has no effect. Method: one command each.
#[test]
fn invalid_commands_are_refused() {
    let (net, mut state) = network(&[modem(1), modem(2)], 1);
    let send = |destination, length, is_acknowledged, power| {
        ModemCommand::Send(Send {
            is_acknowledged,
            power,
            ..Send::new(0, destination, vec![0; length])
        })
    };
    let commands = [
        (send(2, 0, false, None), "message of 0 bytes"),
        (send(BROADCAST, 0, false, None), "message of 0 bytes"),
        (send(2, 1001, false, None), "message of 1001 bytes"),
        (send(9, 1, false, None), "address 9"),
        (send(1, 1, false, None), "address 1"),
        (send(2, 1, false, Some(f64::NAN)), "transmit power NaN W"),
        (send(BROADCAST, 1, true, None), "not acknowledged"),
    ];
    let before = state.clone();
    for (command, expected) in commands.into_iter().chain(settings()) {
        let error = net.apply(&mut state, &command).expect_err(expected);
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        assert_eq!(state, before);
    }
}

/// Invalid settings and range measurements.
fn settings() -> Vec<(ModemCommand, &'static str)> {
    vec![
        (
            ModemCommand::SetPower {
                modem: 0,
                power: -1.0,
            },
            "transmit power -1 W",
        ),
        (
            ModemCommand::SetPower {
                modem: 5,
                power: 1.0,
            },
            "modem number 5",
        ),
        (
            ModemCommand::SetRate {
                modem: 0,
                rate: RateChoice::Fixed(7),
            },
            "data rate number 7",
        ),
        (
            ModemCommand::SetMac {
                modem: 0,
                mac: slots(0, &[(0, 1)]),
            },
            "TDMA with a frame of 0 s",
        ),
        (
            ModemCommand::SetClock {
                modem: 0,
                offset: 0.0,
                skew: f64::NAN,
            },
            "skew NaN",
        ),
        (
            ModemCommand::Range {
                modem: 0,
                destination: BROADCAST,
                kind: Ranging::TwoWay,
            },
            "needs one modem",
        ),
        (
            ModemCommand::Switch {
                modem: 2,
                is_on: true,
            },
            "modem number 2",
        ),
    ]
}
