//! Bridges that can never deliver: errors of the world file, and notes where the positions decide.
//!
//! An error holds for every position of the modems and for every message of the type, because the
//! smallest message is compared with the queue, the frames and the slots of the modem. A note
//! states that an exchange cannot succeed from the positions at the start, from which robots move
//! away.

use crate::modem::bridges::{BridgeError, message_types};
use crate::modem::calls;
use merrow_comms::network::Network;
use merrow_comms::network::misfit::Misfit;
use merrow_environment::signal::signal_speed;
use merrow_model::kinematics::link_poses;
use merrow_model::scene::Scene;
use merrow_model::state::State;
use merrow_ros2::message::TypeInfo;

/// Size of the number of a bridge in a packet [byte].
const BRIDGE_NUMBER: usize = 2;
/// Size of the number of a call in a packet [byte].
const CALL_NUMBER: usize = 4;

/// A bridge that cannot deliver.
#[derive(Debug)]
pub(super) struct Finding {
    /// Whether the bridge is of a service.
    pub(super) is_service: bool,
    /// The bridge and the text.
    pub(super) error: BridgeError,
    /// Whether the bridge can never deliver; otherwise it cannot from the positions at the start.
    pub(super) is_error: bool,
}

/// Checks the bridges of a scene whose types are valid: first the topics, then the services, each
/// ordered by bridge.
pub(super) fn check(scene: &Scene) -> Vec<Finding> {
    let Ok(network) = Network::new(&scene.modems, scene.seed) else {
        return Vec::new();
    };
    let checks = Checks {
        scene,
        network,
        places: places(scene),
    };
    let finding = |is_service: bool, k: usize| {
        move |(is_error, text): (bool, String)| Finding {
            is_service,
            error: (k, text),
            is_error,
        }
    };
    let mut all = Vec::new();
    for (k, info) in message_types(scene).into_iter().flatten() {
        all.extend(checks.topic(k, info).map(finding(false, k)));
    }
    for (k, info) in calls::service_types(scene).into_iter().flatten() {
        let found = checks.service(k, [info.request, info.response]).into_iter();
        all.extend(found.map(finding(true, k)));
    }
    all
}

/// Scene with its network and the positions of the modems at the start.
struct Checks<'a> {
    scene: &'a Scene,
    network: Network,
    places: Vec<merrow_math::Vec3>,
}

impl Checks<'_> {
    /// Checks the bridge of a topic with messages of the type `info`. Returns a finding, and whether
    /// it is an error.
    fn topic(&self, k: usize, info: &TypeInfo) -> Option<(bool, String)> {
        let bridge = &self.scene.bridges[k];
        let size = BRIDGE_NUMBER + info.structure.min_cdr_size();
        if let Some(why) = self.misfit(bridge.from, size) {
            let what = format!("no message on /{} can be transmitted", bridge.topic);
            return Some((true, format!("bridge {}: {what}; {why}", bridge.name)));
        }
        let (to, _) = bridge.to.first().filter(|_| bridge.is_acknowledged)?;
        self.acknowledgement(&bridge.name, [bridge.from, *to])
    }

    /// Checks the bridge of a service with requests and responses of the types `infos`. Returns
    /// findings, and whether each is an error.
    fn service(&self, k: usize, infos: [&TypeInfo; 2]) -> Vec<(bool, String)> {
        let bridge = &self.scene.service_bridges[k];
        let sizes = infos.map(|info| BRIDGE_NUMBER + CALL_NUMBER + info.structure.min_cdr_size());
        let ends = [bridge.from, bridge.to];
        for (i, what) in ["request", "response"].into_iter().enumerate() {
            if let Some(why) = self.misfit(ends[i], sizes[i]) {
                let text = format!(
                    "bridge {}: no {what} of /{} can be transmitted; {why}",
                    bridge.name, bridge.service
                );
                return vec![(true, text)];
            }
        }
        let airtime_ns =
            self.network.airtime_ns(ends[0], sizes[0]) + self.network.airtime_ns(ends[1], sizes[1]);
        let what = format!(
            "bridge {}: no response can arrive before the timeout",
            bridge.name
        );
        let times_ns = [bridge.timeout_ns, airtime_ns];
        let response = self.exchange(&what, ends, times_ns, "raise `timeout_s`");
        let acknowledgement = bridge
            .is_acknowledged
            .then(|| self.acknowledgement(&bridge.name, ends));
        response
            .into_iter()
            .chain(acknowledgement.flatten())
            .collect()
    }

    /// Returns why modem `modem` can never transmit a packet of `size` bytes or more.
    fn misfit(&self, modem: usize, size: usize) -> Option<String> {
        let own = &self.scene.modems[modem];
        let name = &own.name;
        let misfit = self.network.misfit(modem, &own.mac, own.rate, size)?;
        let seconds = |ns: u64| ns as f64 / 1e9;
        Some(match misfit {
            Misfit::Frames { max_bytes } => format!(
                "expected at most {max_bytes} bytes, the largest message of {name}, found at least \
                 {size} bytes; select a smaller message type"
            ),
            Misfit::Queue { max_bytes } => format!(
                "expected at most {max_bytes} bytes, the queue of {name}, found at least {size} \
                 bytes; raise `max_size_bytes` of the queue"
            ),
            Misfit::Slot { frame_ns, max_ns } => format!(
                "expected a frame of at most {} s, the longest slot of {name}, found {} s for \
                 {size} bytes or more; lengthen the slot",
                seconds(max_ns),
                seconds(frame_ns)
            ),
        })
    }

    /// Checks that the acknowledgement of a frame can arrive before the modem repeats the frame.
    fn acknowledgement(&self, bridge: &str, ends: [usize; 2]) -> Option<(bool, String)> {
        let acknowledgement = &self.scene.modems[ends[0]].transceiver.acknowledgement;
        let reply_ns = self.network.acknowledgement_ns(ends[1]);
        let what = format!(
            "bridge {bridge}: no acknowledgement can arrive before the timeout of {}",
            self.scene.modems[ends[0]].name
        );
        let remedy = "raise `timeout_s` of its `acknowledgement`";
        self.exchange(
            &what,
            ends,
            [acknowledgement.timeout_ns(), reply_ns],
            remedy,
        )
    }

    /// Checks that two modems can exchange frames of `airtime_ns` within `limit_ns`. It is an error
    /// if they cannot at any distance or are both fixed.
    fn exchange(
        &self,
        what: &str,
        ends: [usize; 2],
        [limit_ns, airtime_ns]: [u64; 2],
        remedy: &str,
    ) -> Option<(bool, String)> {
        let [a, b] = ends.map(|k| &self.scene.modems[k]);
        let distance = (self.places[ends[0]] - self.places[ends[1]]).norm();
        let travel = distance / signal_speed(self.scene, a);
        let [limit, airtime] = [limit_ns, airtime_ns].map(|ns| ns as f64 / 1e9);
        let shortest = airtime + 2.0 * travel;
        // the speed of sound varies by less than 10 % along the path
        if airtime + 1.8 * travel <= limit {
            return None;
        }
        let is_error = airtime > limit || a.on.is_none() && b.on.is_none();
        let place = if is_error {
            ""
        } else {
            " from the positions at the start"
        };
        let text = format!(
            "{what}{place}; expected at least {shortest:.3} s for {distance:.0} m, found {limit} s; \
             {remedy}"
        );
        Some((is_error, text))
    }
}

/// Returns the positions of all modems at the start, in W [m].
fn places(scene: &Scene) -> Vec<merrow_math::Vec3> {
    let state = State::new(scene);
    let of_modem = |modem: &merrow_model::scene::comms::Modem| match modem.on {
        None => modem.p,
        Some((robot, link)) => {
            let links = link_poses(&scene.robots[robot], &state.robots[robot].motion);
            links[link].p_WL + links[link].R_WL.mul_vec(modem.p)
        }
    };
    scene.modems.iter().map(of_modem).collect()
}
