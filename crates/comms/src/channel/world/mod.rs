//! Channels between the modems of a running world.
//!
//! [`WorldChannel`] contains the constants of a run and, after [`WorldChannel::update_to`], the
//! positions and velocities of the modems at the start of a step. [`InstantChannel`] evaluates the
//! law of the medium for two modems at a time within the step.
//!
//! # Law
//! ```text
//!   p(t) = p(t_0) + v (t - t_0)                                         (1)
//!   P_r = P_0 p g b X,   b = |B_t ∩ B_r|/|B_t|                          (2)
//! ```
//! # Symbols
//! p position and v velocity of a modem, t_0 start of the step · P_r received power, P_0 reference
//! power of the transmitter, p fraction of the maximum power · g gain of the channel (the file of
//! the medium), B_t, B_r bands of transmitter and receiver, b fraction of B_t within B_r · X fading
//! (`fading.rs`).
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - Attitudes, obstacles and the surface are constant during a step, as at its start. A transducer
//!   above the surface and an antenna below it neither transmit nor receive.
//! - Obstacles are tested on the straight line, also for refracted and reflected paths.
//! - A signal whose mean power is more than 20 dB below the noise is not tested for obstacles.
//! - The parameters of the receiver determine fading and maximum range.
//!
//! # Checked by
//! crates/comms/tests/world.rs

mod class;
mod evaluate;
mod fixed;

pub use crate::channel::world::evaluate::InstantChannel;

use crate::channel::End;
use crate::channel::world::class::Class;
use crate::channel::world::fixed::FixedArrivals;
use merrow_environment::EnvironmentState;
use merrow_environment::air::{self, sunlight};
use merrow_math::rng::Stream;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::comms::directivity::mount_attitude;
use merrow_model::scene::comms::medium::Medium;
use merrow_model::scene::comms::{Modem, Transceiver};
use merrow_model::scene::robot::collision::Ground;
use merrow_model::scene::sea::terrain::Terrain;
use merrow_model::scene::sea::water::WaterColumn;
use merrow_model::scene::{Origin, Scene, Sea};
use merrow_model::state::frames::view::WorldView;
use merrow_sensors::ray_scene::RayScene;
use std::cell::Cell;
use std::sync::Arc;

/// World at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct ChannelInstant<'a> {
    /// Poses and velocities of all links.
    pub view: &'a WorldView,
    /// Sea, air and gravity at this instant.
    pub environment: &'a EnvironmentState<'a>,
    /// Geometry that can block paths, at the poses of `view`; `None`: no obstacles.
    pub ray_scene: Option<&'a RayScene>,
    /// Shaft speeds of the thrusters of every robot [rad/s]; empty: no noise of thrusters.
    pub shaft_speeds: &'a [Vec<f64>],
}

/// Modem with the constants of its place.
#[derive(Clone, Debug)]
struct PlacedModem {
    on: Option<(usize, usize)>,
    p: Vec3,
    R_LM: Mat3,
    class: usize,
    stream: Stream,
}

/// Channels between the modems of a world.
#[derive(Debug)]
pub struct WorldChannel {
    modems: Vec<PlacedModem>,
    classes: Vec<Class>,
    /// Fraction of the band of each class within the band of each other class; zero between
    /// different media.
    overlaps: Vec<f64>,
    shadowing: Stream,
    ground: Ground,
    origin: Origin,
    n_structures: usize,
    t_ns: u64,
    ends: Vec<End>,
    wave_height: f64,
    irradiance: f64,
    /// Sea at the last update.
    sea: Option<SeaKey>,
    cache: InstantCache,
    fixed: FixedArrivals,
}

/// Values of an instant that are computed when they are first needed.
#[derive(Debug, Default)]
struct InstantCache {
    /// Whether each modem is in the wrong medium.
    misplaced: Vec<Cell<Option<bool>>>,
    /// Noise of the own thrusters at each modem [µPa²]; NaN: not computed.
    thruster_noise: Vec<Cell<f64>>,
    /// Number of the instant; entries of `obstacles` for other instants are invalid.
    instant: u32,
    /// Instant and label of the obstacle between two modems.
    obstacles: Vec<Cell<(u32, Option<u16>)>>,
}

/// Returns the fraction of the band of `from` within the band of `to`; zero for different media.
fn band_overlap(from: &Transceiver, to: &Transceiver) -> f64 {
    if !from.is_same_medium(to) {
        return 0.0;
    }
    let (a, b) = (from.medium.band(), to.medium.band());
    let common = a[1].min(b[1]) - a[0].max(b[0]);
    common / from.bandwidth()
}

impl WorldChannel {
    /// Prepares the channels between `modems`, which are numbered in this order.
    pub fn new(scene: &Scene, modems: &[Modem]) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        let mut placed = Vec::with_capacity(modems.len());
        for modem in modems {
            let known = classes
                .iter()
                .position(|c| c.transceiver == modem.transceiver);
            let class = known.unwrap_or_else(|| {
                classes.push(Class::new(modem.transceiver.clone()));
                classes.len() - 1
            });
            placed.push(PlacedModem {
                on: modem.on,
                p: modem.p,
                R_LM: mount_attitude(modem.axis),
                class,
                stream: Stream::new(scene.seed, &format!("comms/{}", modem.name)),
            });
        }
        let pairs = classes
            .iter()
            .flat_map(|a| classes.iter().map(move |b| (a, b)));
        let overlaps = pairs
            .map(|(a, b)| band_overlap(&a.transceiver, &b.transceiver))
            .collect();
        let n = modems.len();
        Self {
            modems: placed,
            overlaps,
            classes,
            shadowing: Stream::new(scene.seed, "comms/shadowing"),
            ground: scene.seabed_material.backscatter.subsurface,
            origin: scene.origin,
            n_structures: scene.structures.len(),
            t_ns: 0,
            ends: Vec::with_capacity(n),
            wave_height: 0.0,
            irradiance: 0.0,
            sea: None,
            cache: InstantCache {
                misplaced: vec![Cell::new(None); n],
                thruster_noise: vec![Cell::new(f64::NAN); n],
                instant: 0,
                obstacles: vec![Cell::new((0, None)); n * n],
            },
            fixed: FixedArrivals::new(n),
        }
    }

    /// Sets the positions and velocities of the modems to their values at the start of a step and
    /// returns the channels of this step.
    pub fn update_to<'a>(&'a mut self, instant: &'a ChannelInstant<'a>) -> InstantChannel<'a> {
        let environment = instant.environment;
        self.t_ns = instant.view.time_ns;
        let wind = air::weather(&environment.sea.air, environment.time)
            .wind
            .norm();
        let any = |is: fn(&Medium) -> bool| self.classes.iter().any(|c| is(&c.transceiver.medium));
        if any(needs_wave_height) {
            self.wave_height = environment.waves.map_or(0.0, |waves| waves.height_std());
        }
        if any(|m| matches!(m, Medium::Optical(_))) {
            let (air, time) = (&environment.sea.air, environment.time);
            let sun = sunlight::sunlight_at_time(air, &self.origin, time);
            self.irradiance = sun.beam * sun.towards.z.max(0.0) + sun.sky;
        }
        let sea = SeaKey::new(environment.sea, self.wave_height);
        let has_changed = self.sea.as_ref() != Some(&sea);
        self.sea = Some(sea);
        for class in &mut self.classes {
            class.update(environment, wind, has_changed);
        }
        self.fixed.start_update(has_changed);
        for (k, modem) in self.modems.iter().enumerate() {
            let end = modem.end(instant.view);
            self.fixed.note_place(k, self.ends.get(k), &end);
            match self.ends.get_mut(k) {
                Some(old) => *old = end,
                None => self.ends.push(end),
            }
        }
        self.cache.reset();
        InstantChannel {
            world: self,
            instant,
        }
    }

    /// Returns the fraction of the band of modem `from` within the band of modem `to`.
    fn overlap(&self, from: usize, to: usize) -> f64 {
        self.overlaps[self.modems[from].class * self.classes.len() + self.modems[to].class]
    }
}

/// Values of the sea on which classes and arrivals depend.
#[derive(Clone, Debug)]
struct SeaKey {
    /// Water, height and slopes of the seabed, and height of the waves.
    values: [f64; 7],
    has_regions: bool,
    column: Option<Arc<WaterColumn>>,
    terrain: Option<Arc<Terrain>>,
}

impl SeaKey {
    fn new(sea: &Sea, wave_height: f64) -> Self {
        let ([east, north], z0) = (sea.seabed.slope, sea.seabed.z0);
        Self {
            values: [
                sea.density,
                sea.temperature,
                sea.sound_speed,
                z0,
                east,
                north,
                wave_height,
            ],
            has_regions: !sea.regions.is_empty(),
            column: sea.column.clone(),
            terrain: sea.seabed.terrain.clone(),
        }
    }
}

impl PartialEq for SeaKey {
    fn eq(&self, other: &Self) -> bool {
        let column = |key: &Self| key.column.as_ref().map(Arc::as_ptr);
        let terrain = |key: &Self| key.terrain.as_ref().map(Arc::as_ptr);
        self.values == other.values
            && self.has_regions == other.has_regions
            && column(self) == column(other)
            && terrain(self) == terrain(other)
    }
}

/// Returns true if the law of the medium needs the height of the waves.
fn needs_wave_height(medium: &Medium) -> bool {
    match medium {
        Medium::Acoustic(acoustic) => acoustic.multipath.is_some(),
        Medium::Radio(_) => true,
        Medium::Electromagnetic(_) | Medium::Optical(_) | Medium::Satellite(_) => false,
    }
}

impl InstantCache {
    fn reset(&mut self) {
        for cell in &self.misplaced {
            cell.set(None);
        }
        for cell in &self.thruster_noise {
            cell.set(f64::NAN);
        }
        self.instant = self.instant.wrapping_add(1);
        if self.instant == 0 {
            // the number has overflowed: invalidates the entries of earlier instants
            self.obstacles.iter().for_each(|cell| cell.set((0, None)));
            self.instant = 1;
        }
    }
}

impl PlacedModem {
    /// Returns position, velocity and attitude of the modem in `view`.
    fn end(&self, view: &WorldView) -> End {
        let motion = view.point(self.on, self.p);
        End {
            robot: motion.robot,
            p: motion.p,
            v: motion.v,
            R_WM: motion.attitude(&self.R_LM),
        }
    }
}
