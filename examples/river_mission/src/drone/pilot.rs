//! The flight of the drone: decisions and velocity commands, without topics.
//!
//! The drone leaves the deck, flies ahead of the boat with its camera down, and returns to the boat,
//! which moves: it flies to the position that the boat transmits, searches the pad with its camera,
//! descends over it and touches down at a low relative speed, so that the latch holds it. It climbs
//! again when it no longer sees the pad, and searches along a widening square when it does not see
//! it where the boat should be. The choice of the speed towards a position follows the guidance of
//! the stock firmware: proportional to the distance, and limited.

use super::target::Target;
use crate::frames::wrapped;
use nalgebra::{Vector2, Vector3};

/// What the drone does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The latch holds it on the deck, and it charges.
    Docked,
    /// The latch is released, the rotors start, and it climbs off the deck.
    TakingOff,
    /// It flies ahead of the boat.
    Scouting,
    /// It flies to where the boat is.
    Returning,
    /// It looks for the pad on a widening square.
    Searching,
    /// It descends over the pad.
    Descending,
    /// It touches down, without seeing the pad.
    TouchingDown,
    /// The rotors are off without the latch: it stands somewhere, or the battery is empty.
    Down,
}

impl Phase {
    /// Returns the name that is published.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Docked => "docked",
            Self::TakingOff => "taking_off",
            Self::Scouting => "scouting",
            Self::Returning => "returning",
            Self::Searching => "searching",
            Self::Descending => "descending",
            Self::TouchingDown => "touching_down",
            Self::Down => "down",
        }
    }
}

/// Heights, distances and limits of a flight.
#[derive(Debug, Clone, PartialEq)]
pub struct PilotSettings {
    /// Height over the pad of the flight ahead [m].
    pub scout_height_m: f64,
    /// Distance ahead of the boat [m].
    pub ahead_m: f64,
    /// Longest flight ahead [s].
    pub scout_time_s: f64,
    /// Height over the pad from which the drone descends [m].
    pub approach_height_m: f64,
    /// Greatest height of a search [m].
    pub max_height_m: f64,
    /// Height over the pad below which the drone touches down without the camera [m]: the marking is
    /// larger than the image.
    pub blind_height_m: f64,
    /// Height of the base of the drone over the pad when it stands on it [m].
    pub standing_height_m: f64,
    /// Charge below which it returns, and below which it lands with or without the camera.
    pub return_charge: f64,
    /// See `return_charge`.
    pub land_charge: f64,
    /// Charge from which it starts.
    pub start_charge: f64,
    /// Time after which the position of the boat is lost [s].
    pub link_timeout_s: f64,
    /// Time after which the pad is no longer seen [s].
    pub sight_timeout_s: f64,
    /// Searches after which it lands at the position of the boat without having seen the pad.
    pub max_searches: u32,
    /// Greatest speeds: level, climb and descent [m/s].
    pub speed_m_s: f64,
    /// See `speed_m_s`.
    pub climb_m_s: f64,
    /// See `speed_m_s`.
    pub sink_m_s: f64,
}

impl Default for PilotSettings {
    fn default() -> Self {
        Self {
            scout_height_m: 25.0,
            ahead_m: 30.0,
            scout_time_s: 120.0,
            approach_height_m: 8.0,
            max_height_m: 20.0,
            blind_height_m: 0.45,
            standing_height_m: 0.08,
            return_charge: 0.4,
            land_charge: 0.15,
            start_charge: 0.6,
            link_timeout_s: 3.0,
            sight_timeout_s: 1.5,
            max_searches: 3,
            speed_m_s: 4.0,
            climb_m_s: 1.5,
            sink_m_s: 0.8,
        }
    }
}

/// What the drone knows at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Senses {
    /// Time [ns].
    pub now_ns: u64,
    /// Position of its base in the map [m], and velocity [m/s].
    pub position: Vector3<f64>,
    /// See `position`.
    pub velocity: Vector3<f64>,
    /// Heading [rad].
    pub heading: f64,
    /// The pad, from the link and the camera.
    pub target: Option<Target>,
    /// Time of the last position of the boat over the link [ns].
    pub link_ns: Option<u64>,
    /// Time of the last sight of the pad [ns].
    pub sight_ns: Option<u64>,
    /// Charge of the battery, 0 to 1; `None` before the first message.
    pub charge: Option<f64>,
    /// Whether the latch holds the drone.
    pub is_latched: bool,
    /// Whether the rotors are off.
    pub is_off: bool,
    /// Whether a flight is wanted.
    pub is_wanted: bool,
}

/// What the drone does next.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Order {
    /// Velocity in the map [m/s], and yaw rate [rad/s].
    pub velocity: Option<(Vector3<f64>, f64)>,
    /// Command of the latch: true to let it catch, false to release.
    pub latch: Option<bool>,
    /// Start of the rotors.
    pub takes_off: bool,
    /// Landing of the firmware.
    pub lands: bool,
    /// Lines for the user.
    pub events: Vec<String>,
}

/// Proportional gains of positions [1/s] and of the heading [1/s].
const POSITION_GAIN: f64 = 0.8;
const HEADING_GAIN: f64 = 1.0;
const MAX_YAW_RATE: f64 = 0.8;
/// Height over the deck at which the take-off is complete [m].
const TAKEN_OFF_M: f64 = 2.5;
/// Distance from the boat at which the drone has returned [m].
const RETURNED_M: f64 = 2.0;
/// Half the width of the cone over the pad within which the drone descends: at the pad [m], and per
/// height.
const CONE_M: f64 = 0.08;
const CONE_PER_M: f64 = 0.25;
/// Spacing of the legs of a search over the height: the image is 1.15 heights deep.
const LEG_PER_HEIGHT: f64 = 0.8;
/// Legs of a search.
const LEGS: u32 = 8;
/// Distance from the end of a leg at which the next one begins [m].
const LEG_END_M: f64 = 1.5;
/// Speed of a search [m/s].
const SEARCH_SPEED: f64 = 2.0;
/// Sinking speeds near the deck and at the touch-down [m/s].
const SLOW_SINK: f64 = 0.35;
/// Distance from the pad within which a drone whose rotors are off stands on the deck [m].
const ON_DECK_M: f64 = 0.8;
/// Take-offs after a touch-down beside the latch.
const MAX_RETRIES: u32 = 3;
/// Longest touch-down [s].
const TOUCHDOWN_TIMEOUT_S: f64 = 6.0;
/// Lost sights during a descent after which the drone searches.
const SIGHT_HEIGHT_GAIN: f64 = 2.0;

/// The pilot: phase, and what it remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Pilot {
    settings: PilotSettings,
    phase: Phase,
    since_ns: u64,
    /// Height over the pad that a climb after a lost sight aims at [m].
    retry_height: f64,
    search: Search,
    searches: u32,
    /// Take-offs of this flight after a touch-down beside the latch.
    retries: u32,
    /// Whether the boat's position was lost.
    is_link_lost: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Search {
    leg: u32,
    height: f64,
    /// Start of the current leg relative to the centre [m].
    corner: Vector2<f64>,
}

impl Pilot {
    /// Starts on the deck.
    #[must_use]
    pub fn new(settings: PilotSettings) -> Self {
        Self {
            retry_height: settings.approach_height_m,
            settings,
            phase: Phase::Docked,
            since_ns: 0,
            search: Search::default(),
            searches: 0,
            retries: 0,
            is_link_lost: false,
        }
    }

    /// Returns what the drone does.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    fn enter(&mut self, phase: Phase, now_ns: u64, why: &str, order: &mut Order) {
        order.events.push(format!("{}: {why}", phase.name()));
        (self.phase, self.since_ns) = (phase, now_ns);
    }

    /// Decides: returns the commands of this time.
    pub fn decide(&mut self, senses: &Senses) -> Order {
        let mut order = Order::default();
        let now = senses.now_ns;
        let age_s =
            |at: Option<u64>| at.map_or(f64::INFINITY, |at| now.saturating_sub(at) as f64 * 1e-9);
        let in_phase_s = now.saturating_sub(self.since_ns) as f64 * 1e-9;
        let is_linked = age_s(senses.link_ns) < self.settings.link_timeout_s;
        let is_seen = age_s(senses.sight_ns) < self.settings.sight_timeout_s;
        let charge = senses.charge.unwrap_or(0.0);
        let is_flying = !matches!(self.phase, Phase::Docked | Phase::TakingOff | Phase::Down);
        if is_flying && senses.is_latched {
            (self.searches, self.retries) = (0, 0);
            self.enter(Phase::Docked, now, "the latch holds the drone", &mut order);
            order.lands = !senses.is_off;
            return order;
        }
        if is_flying && senses.is_off {
            self.enter(
                Phase::Down,
                now,
                "the rotors are off without the latch",
                &mut order,
            );
            return order;
        }
        let Some(target) = &senses.target else {
            return self.without_target(senses, order);
        };
        let target = target.at(now);
        if is_flying && !is_linked && !self.is_link_lost {
            order.events.push(
                "the boat's position is lost; the drone returns to where it should be".into(),
            );
            self.is_link_lost = true;
        } else if is_linked {
            self.is_link_lost = false;
        }
        let height = senses.position.z - self.settings.standing_height_m - target.position.z;
        let offset = (target.position - senses.position).xy();
        match self.phase {
            Phase::Docked => {
                if !senses.is_latched && senses.is_off && in_phase_s > 1.0 {
                    self.enter(
                        Phase::Down,
                        now,
                        "the latch does not hold the drone",
                        &mut order,
                    );
                } else if senses.is_wanted && is_linked && charge >= self.settings.start_charge {
                    self.enter(Phase::TakingOff, now, "released", &mut order);
                    order.latch = Some(false);
                    order.takes_off = true;
                }
            }
            Phase::TakingOff => {
                // the deck moves below the drone
                let climb = if height < self.settings.standing_height_m + 0.3 {
                    self.settings.climb_m_s.min(1.0)
                } else {
                    self.settings.climb_m_s
                };
                order.velocity = Some((
                    Vector3::new(target.velocity.x, target.velocity.y, climb),
                    0.0,
                ));
                if senses.is_latched && in_phase_s > 1.0 {
                    order.latch = Some(false);
                }
                if senses.is_off && in_phase_s > 3.0 {
                    self.enter(Phase::Docked, now, "the rotors did not start", &mut order);
                    order.latch = Some(true);
                } else if height > TAKEN_OFF_M {
                    order.latch = Some(true);
                    let next = match self.retries {
                        0 => Phase::Scouting,
                        _ => Phase::Returning,
                    };
                    self.enter(next, now, "off the deck", &mut order);
                }
            }
            Phase::Scouting => {
                let ahead = Vector2::new(target.heading.cos(), target.heading.sin())
                    * self.settings.ahead_m;
                let goal = target.position.xy() + ahead;
                order.velocity = Some(self.fly_to(
                    senses,
                    goal,
                    self.settings.scout_height_m - height,
                    &target,
                    self.settings.speed_m_s,
                ));
                let why = if charge < self.settings.return_charge {
                    Some(format!("{:.0} % of the charge are left", 100.0 * charge))
                } else if !is_linked {
                    Some("no position of the boat".into())
                } else if in_phase_s > self.settings.scout_time_s {
                    Some("the time is over".into())
                } else if !senses.is_wanted {
                    Some("recalled".into())
                } else {
                    None
                };
                if let Some(why) = why {
                    self.enter(Phase::Returning, now, &why, &mut order);
                }
            }
            Phase::Returning => {
                // level first: over the trees of the banks
                let wanted = if offset.norm() > 6.0 {
                    height.clamp(
                        self.settings.approach_height_m,
                        self.settings.scout_height_m,
                    )
                } else {
                    self.settings.approach_height_m
                };
                order.velocity = Some(self.fly_to(
                    senses,
                    target.position.xy(),
                    wanted - height,
                    &target,
                    self.settings.speed_m_s,
                ));
                if is_seen && offset.norm() < RETURNED_M + 0.5 * height {
                    self.retry_height = self.settings.approach_height_m;
                    self.enter(Phase::Descending, now, "the pad is seen", &mut order);
                } else if offset.norm() < RETURNED_M
                    && (height - wanted).abs() < 1.0
                    && in_phase_s > 3.0
                {
                    self.start_search(now, "the pad is not seen where the boat is", &mut order);
                }
            }
            Phase::Searching => self.search(senses, &target, height, is_seen, charge, &mut order),
            Phase::Descending => self.descend(
                senses, &target, height, is_seen, is_linked, charge, &mut order,
            ),
            Phase::TouchingDown => {
                let (mut velocity, yaw) =
                    self.fly_to(senses, target.position.xy(), 0.0, &target, 1.0);
                velocity.z = target.velocity.z - SLOW_SINK;
                order.velocity = Some((velocity, yaw));
                order.latch = Some(true);
                if in_phase_s > TOUCHDOWN_TIMEOUT_S {
                    self.retry_height = self.settings.approach_height_m;
                    self.enter(
                        Phase::Descending,
                        now,
                        "the latch did not catch: another approach",
                        &mut order,
                    );
                } else if height > 2.0 * self.settings.blind_height_m + 0.3 {
                    self.enter(Phase::Descending, now, "moved off the deck", &mut order);
                }
            }
            Phase::Down => {
                let is_on_deck = height.abs() < ON_DECK_M && offset.norm() < ON_DECK_M;
                if senses.is_latched {
                    self.retries = 0;
                    self.enter(Phase::Docked, now, "the latch holds the drone", &mut order);
                } else if is_on_deck
                    && is_linked
                    && charge > self.settings.land_charge
                    && self.retries < MAX_RETRIES
                    && in_phase_s > 1.0
                {
                    self.retries += 1;
                    order.takes_off = true;
                    let why = "it stands beside the latch: another approach";
                    self.enter(Phase::TakingOff, now, why, &mut order);
                }
            }
        }
        order
    }

    /// Hovers until the boat transmits its position: without it there is no place to go to.
    fn without_target(&mut self, senses: &Senses, mut order: Order) -> Order {
        if !matches!(self.phase, Phase::Docked | Phase::Down) {
            order.velocity = Some((Vector3::zeros(), 0.0));
            if senses
                .charge
                .is_some_and(|charge| charge < self.settings.land_charge)
            {
                order.lands = true;
            }
        }
        order
    }

    /// Returns the velocity [m/s] and yaw rate [rad/s] towards a position that moves with the boat.
    fn fly_to(
        &self,
        senses: &Senses,
        goal: Vector2<f64>,
        climb_m: f64,
        target: &Target,
        speed: f64,
    ) -> (Vector3<f64>, f64) {
        let towards = (goal - senses.position.xy()) * POSITION_GAIN;
        let towards = towards.cap_magnitude(speed) + target.velocity.xy();
        let up = (POSITION_GAIN * climb_m).clamp(-self.settings.sink_m_s, self.settings.climb_m_s);
        let turn = HEADING_GAIN * wrapped(target.heading - senses.heading);
        (towards.push(up), turn.clamp(-MAX_YAW_RATE, MAX_YAW_RATE))
    }

    fn start_search(&mut self, now: u64, why: &str, order: &mut Order) {
        self.searches += 1;
        let step = f64::from(self.searches - 1) * 4.0;
        self.search = Search {
            leg: 0,
            height: (self.settings.approach_height_m + step).min(self.settings.max_height_m),
            corner: Vector2::zeros(),
        };
        self.enter(Phase::Searching, now, why, order);
    }

    /// Flies along a square that widens about the position of the boat.
    fn search(
        &mut self,
        senses: &Senses,
        target: &Target,
        height: f64,
        is_seen: bool,
        charge: f64,
        order: &mut Order,
    ) {
        let now = senses.now_ns;
        let leg = self.search.leg;
        // legs of 1, 1, 2, 2, 3, 3, ... spacings
        let length = f64::from(leg / 2 + 1) * LEG_PER_HEIGHT * self.search.height;
        let direction =
            [Vector2::x(), Vector2::y(), -Vector2::x(), -Vector2::y()][(leg % 4) as usize];
        let end = self.search.corner + direction * length;
        let goal = target.position.xy() + end;
        order.velocity = Some(self.fly_to(
            senses,
            goal,
            self.search.height - height,
            target,
            SEARCH_SPEED,
        ));
        let is_low = charge < self.settings.land_charge;
        if is_seen {
            self.retry_height = self.settings.approach_height_m;
            self.enter(Phase::Descending, now, "the pad is seen", order);
        } else if is_low || self.searches > self.settings.max_searches {
            let why = if is_low {
                "the battery is nearly empty"
            } else {
                "the pad was not seen in all searches"
            };
            self.retry_height = self.settings.approach_height_m;
            self.enter(
                Phase::Descending,
                now,
                &format!("{why}: by position alone"),
                order,
            );
        } else if (goal - senses.position.xy()).norm() < LEG_END_M {
            self.search.corner = end;
            self.search.leg += 1;
            if self.search.leg == LEGS {
                self.start_search(now, "once more, higher", order);
            }
        }
    }

    /// Descends within a cone over the pad, and climbs when the pad is out of sight.
    fn descend(
        &mut self,
        senses: &Senses,
        target: &Target,
        height: f64,
        is_seen: bool,
        is_linked: bool,
        charge: f64,
        order: &mut Order,
    ) {
        let now = senses.now_ns;
        let offset = (target.position - senses.position).xy().norm();
        let turn = wrapped(target.heading - senses.heading).abs();
        let by_position = is_linked
            && (charge < self.settings.land_charge || self.searches > self.settings.max_searches);
        if is_seen {
            self.retry_height = self.settings.approach_height_m;
        }
        if is_seen || by_position {
            let cone = CONE_M + CONE_PER_M * height;
            let is_over = offset < cone && (height > 2.0 || turn < 0.15);
            let sink = (0.4 * height).clamp(SLOW_SINK, self.settings.sink_m_s);
            let (mut velocity, yaw) = self.fly_to(senses, target.position.xy(), 0.0, target, 3.0);
            velocity.z = target.velocity.z
                - if is_over {
                    sink
                } else if offset < 2.0 * cone {
                    0.0
                } else {
                    -0.3
                };
            order.velocity = Some((velocity, yaw));
            if height < self.settings.blind_height_m && offset < CONE_M + 0.1 && turn < 0.2 {
                order.latch = Some(true);
                self.enter(Phase::TouchingDown, now, "over the pad", order);
            }
        } else {
            if height < self.retry_height && self.retry_height <= self.settings.approach_height_m {
                self.retry_height =
                    (height + SIGHT_HEIGHT_GAIN).max(self.settings.approach_height_m) + 0.1;
                order
                    .events
                    .push("the pad is out of sight: the drone climbs".into());
            }
            let goal = self.retry_height.min(self.settings.max_height_m);
            order.velocity =
                Some(self.fly_to(senses, target.position.xy(), goal - height, target, 2.0));
            // from higher it comes down to where the boat is
            if (height - goal).abs() < 0.5 {
                self.start_search(now, "the pad is out of sight", order);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_NS: u64 = 50_000_000;

    /// A drone that follows velocity commands with a lag of 0.4 s, and a boat that drives a circle.
    struct Flight {
        pilot: Pilot,
        senses: Senses,
        /// Heights over the pad at which the camera sees it [m].
        sight_m: [f64; 2],
        /// Times at which the boat transmits its position [s].
        link_s: [f64; 2],
        events: Vec<String>,
        is_latching: bool,
        /// Touch-downs that the latch does not catch, and the time on the deck [s].
        misses: u32,
        deck_s: f64,
        /// Speed over the deck when the latch caught [m/s], and distance from the centre [m].
        caught: Option<[f64; 2]>,
    }

    fn boat(t: f64) -> (Vector3<f64>, Vector3<f64>, f64) {
        let heading = 0.02 * t;
        let velocity = Vector3::new(heading.cos(), heading.sin(), 0.0) * 1.2;
        let position = Vector3::new(heading.sin(), 1.0 - heading.cos(), 0.0) * 60.0;
        (position + Vector3::z() * 1.25, velocity, heading)
    }

    impl Flight {
        fn new(sight_m: [f64; 2], link_s: [f64; 2]) -> Self {
            let settings = PilotSettings {
                scout_time_s: 40.0,
                ..PilotSettings::default()
            };
            Self {
                pilot: Pilot::new(settings),
                senses: Senses {
                    now_ns: 0,
                    position: boat(0.0).0 + Vector3::z() * 0.08,
                    velocity: Vector3::zeros(),
                    heading: 0.0,
                    target: None,
                    link_ns: None,
                    sight_ns: None,
                    charge: Some(0.9),
                    is_latched: true,
                    is_off: true,
                    is_wanted: true,
                },
                sight_m,
                link_s,
                events: Vec::new(),
                is_latching: false,
                misses: 0,
                deck_s: 0.0,
                caught: None,
            }
        }

        fn step(&mut self) {
            let dt = STEP_NS as f64 * 1e-9;
            let senses = &mut self.senses;
            senses.now_ns += STEP_NS;
            let t = senses.now_ns as f64 * 1e-9;
            let (pad, pad_velocity, heading) = boat(t);
            let height = senses.position.z - pad.z;
            let offset = (senses.position - pad).xy();
            if (self.link_s[0]..self.link_s[1]).contains(&t) {
                senses.link_ns = Some(senses.now_ns);
                let target = senses.target.get_or_insert_with(|| {
                    Target::new(senses.now_ns, pad, 0.1, pad_velocity, heading)
                });
                target.measure(senses.now_ns, pad, 0.1, Some(heading));
            }
            let is_visible = (self.sight_m[0]..self.sight_m[1]).contains(&height)
                && offset.amax() < 0.55 * height;
            if is_visible && let Some(target) = &mut senses.target {
                senses.sight_ns = Some(senses.now_ns);
                target.measure(senses.now_ns, pad, 0.03, Some(heading));
            }
            let order = self.pilot.decide(senses);
            self.events.extend(order.events);
            if order.takes_off {
                senses.is_off = false;
            }
            if order.latch == Some(false) {
                senses.is_latched = false;
            }
            if let Some(on) = order.latch {
                self.is_latching = on;
            }
            if order.lands && senses.is_latched {
                senses.is_off = true;
            }
            if senses.is_latched || senses.is_off {
                senses.position = pad + Vector3::z() * 0.08;
                senses.velocity = pad_velocity;
                return;
            }
            let (velocity, turn) = order.velocity.unwrap_or_default();
            senses.velocity += (velocity - senses.velocity) * (dt / 0.4);
            senses.position += senses.velocity * dt;
            senses.heading += turn * dt;
            // the deck
            let height = senses.position.z - pad.z;
            if height < 0.08 && offset.norm() < 1.0 {
                senses.position.z = pad.z + 0.08;
                senses.velocity.z = 0.0;
                let is_near = offset.norm() < 0.15;
                // the firmware stops the rotors when a descent is blocked
                self.deck_s += if velocity.z < 0.0 { dt } else { 0.0 };
                if self.misses > 0 && self.deck_s > 0.5 {
                    senses.is_off = true;
                    (self.misses, self.deck_s) = (self.misses - 1, 0.0);
                } else if self.is_latching && is_near && self.misses == 0 {
                    let speed = (senses.velocity - pad_velocity).norm();
                    self.caught = Some([speed, offset.norm()]);
                    senses.is_latched = true;
                }
            }
        }

        fn run(&mut self, seconds: u64) {
            for _ in 0..seconds * 20 {
                self.step();
                if self.caught.is_some() && self.pilot.phase() == Phase::Docked {
                    self.senses.is_wanted = false;
                    return;
                }
            }
        }
    }

    #[test]
    fn drones_return_to_a_boat_that_moves() {
        let mut flight = Flight::new([0.3, 16.0], [0.0, 1e9]);
        flight.run(200);
        let [speed, offset] = flight
            .caught
            .unwrap_or_else(|| panic!("{:?}", flight.events));
        assert!(speed < 0.6 && offset < 0.15, "{speed} m/s, {offset} m");
        assert_eq!(flight.pilot.phase(), Phase::Docked);
        assert!(
            !flight.events.iter().any(|e| e.contains("search")),
            "{:?}",
            flight.events
        );
    }

    // A pad that is seen now and then from high above is approached without a search.
    #[test]
    fn single_sights_from_high_above_are_enough() {
        let mut flight = Flight::new([0.3, 9.0], [0.0, 1e9]);
        for _ in 0..200 * 20 {
            let now_ns = flight.senses.now_ns;
            if flight.pilot.phase() == Phase::Returning && now_ns.is_multiple_of(1_000_000_000) {
                flight.senses.sight_ns = Some(now_ns);
            }
            flight.step();
            if flight.caught.is_some() {
                break;
            }
        }
        let searches = flight.events.iter().any(|e| e.contains("search"));
        assert!(flight.caught.is_some() && !searches, "{:?}", flight.events);
    }

    #[test]
    fn drones_that_miss_the_latch_take_off_again() {
        let mut flight = Flight::new([0.3, 16.0], [0.0, 1e9]);
        flight.misses = 2;
        flight.run(300);
        let again = |e: &&String| e.contains("another approach");
        assert_eq!(flight.events.iter().filter(again).count(), 2);
        assert!(flight.caught.is_some(), "{:?}", flight.events);
        let mut flight = Flight::new([0.3, 16.0], [0.0, 1e9]);
        flight.misses = 9;
        flight.run(300);
        assert_eq!(flight.pilot.phase(), Phase::Down, "{:?}", flight.events);
    }

    #[test]
    fn lost_links_end_the_flight_ahead_and_the_camera_finds_the_pad() {
        let mut flight = Flight::new([0.3, 16.0], [0.0, 20.0]);
        flight.run(300);
        assert!(flight.caught.is_some(), "{:?}", flight.events);
        assert!(
            flight.events.iter().any(|e| e.contains("lost")),
            "{:?}",
            flight.events
        );
    }

    #[test]
    fn pads_in_fog_are_searched_and_then_reached_by_position() {
        let mut flight = Flight::new([100.0, 101.0], [0.0, 1e9]);
        flight.run(900);
        assert!(flight.caught.is_some(), "{:?}", flight.events);
        let searches = flight
            .events
            .iter()
            .filter(|e| e.starts_with("searching"))
            .count();
        assert!(searches > 3, "{:?}", flight.events);
    }

    #[test]
    fn drones_climb_when_the_pad_is_out_of_sight() {
        // seen from above 5 m only, at first
        let mut flight = Flight::new([5.0, 16.0], [0.0, 1e9]);
        let mut lowest = f64::INFINITY;
        for _ in 0..2400 {
            flight.step();
            if flight.pilot.phase() == Phase::Descending {
                let height =
                    flight.senses.position.z - boat(flight.senses.now_ns as f64 * 1e-9).0.z;
                lowest = lowest.min(height);
            }
        }
        assert!(flight.caught.is_none());
        assert!((2.5..5.5).contains(&lowest), "{lowest}");
        assert!(
            flight.events.iter().any(|e| e.contains("climbs")),
            "{:?}",
            flight.events
        );
        flight.sight_m = [0.3, 16.0];
        flight.run(400);
        assert!(flight.caught.is_some(), "{:?}", flight.events);
    }

    #[test]
    fn low_batteries_end_the_flight_ahead_and_forbid_its_start() {
        let mut flight = Flight::new([0.3, 16.0], [0.0, 1e9]);
        flight.senses.charge = Some(0.5);
        flight.run(5);
        assert_eq!(flight.pilot.phase(), Phase::Docked);
        flight.senses.charge = Some(0.7);
        flight.run(20);
        assert_eq!(flight.pilot.phase(), Phase::Scouting);
        flight.senses.charge = Some(0.39);
        flight.run(1);
        assert_eq!(flight.pilot.phase(), Phase::Returning);
    }
}
