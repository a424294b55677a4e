//! Evaluation of the channel between two modems within a step.

use crate::channel::conductive::ConductiveWave;
use crate::channel::fading::{pair_stream, power_factor};
use crate::channel::multipath::Boundaries;
use crate::channel::radio::RadioSurface;
use crate::channel::world::class::{Class, conductivity_at};
use crate::channel::world::{ChannelInstant, WorldChannel};
use crate::channel::{
    Arrival, End, Ends, acoustic, conductive, doppler_loss, multipath, optical, radio, satellite,
};
use crate::propagation::{Channel, Propagation};
use merrow_math::Vec3;
use merrow_math::decibels::ratio;
use merrow_model::scene::comms::medium::{
    AcousticMedium, ElectromagneticMedium, Medium, SatelliteRole,
};
use merrow_model::scene::comms::transceiver::Reception;
use merrow_model::state::comms::LossCause;
use merrow_sensors::acoustic::path::{AcousticMedium as PathMedium, PathEnd, PathWater};
use merrow_sensors::acoustic::thruster_noise;

/// Mean power relative to the noise below which a signal is not tested for obstacles.
const WEAK: f64 = 0.01;
/// Ratio of signal to noise of a link between two gateways, which has no loss.
const GATEWAY_SNR: f64 = 1e9;

/// Channels during one step.
#[derive(Clone, Copy, Debug)]
pub struct InstantChannel<'a> {
    pub(super) world: &'a WorldChannel,
    pub(super) instant: &'a ChannelInstant<'a>,
}

/// Signal at the receiver before fading, and the noise there.
struct Signal {
    arrival: Arrival,
    noise: f64,
}

impl Channel for InstantChannel<'_> {
    fn propagate(&self, from: usize, to: usize, t_ns: u64, power: f64) -> Propagation {
        let overlap = self.world.overlap(from, to);
        if overlap <= 0.0 {
            return self.no_signal(to, LossCause::OutOfView);
        }
        if self.is_misplaced(from) || self.is_misplaced(to) {
            return self.no_signal(to, LossCause::Surface);
        }
        let mut moved = [None; 2];
        let [source, receiver] = {
            let [a, b] = &mut moved;
            [self.end(from, t_ns, a), self.end(to, t_ns, b)]
        };
        if !source.p.is_finite() || !receiver.p.is_finite() {
            return self.no_signal(to, LossCause::OutOfView);
        }
        let sent = self.class(from).reference_power * power * overlap;
        match self.signal((from, source), (to, receiver), t_ns, sent) {
            Ok(signal) => self.received((from, source), (to, receiver), t_ns, (sent, signal)),
            Err(obstruction) => self.no_signal(to, obstruction),
        }
    }
}

impl InstantChannel<'_> {
    fn class(&self, modem: usize) -> &Class {
        &self.world.classes[self.world.modems[modem].class]
    }

    /// Returns position, velocity and attitude of a modem at `t_ns` [ns]. (1) `moved` stores them
    /// if the modem moves.
    fn end<'b>(&'b self, modem: usize, t_ns: u64, moved: &'b mut Option<End>) -> &'b End {
        let end = &self.world.ends[modem];
        if end.v == Vec3::zero() {
            return end;
        }
        let dt = t_ns.wrapping_sub(self.world.t_ns) as i64 as f64 * 1e-9;
        moved.insert(End {
            p: end.p + end.v.scale(dt),
            ..*end
        })
    }

    /// Returns true if a modem is in the wrong medium at the start of the step.
    fn is_misplaced(&self, modem: usize) -> bool {
        let cell = &self.world.cache.misplaced[modem];
        if let Some(known) = cell.get() {
            return known;
        }
        let medium = &self.class(modem).transceiver.medium;
        let p = self.world.ends[modem].p;
        let height = self
            .instant
            .environment
            .approximate_height_above_surface(p, 0.0);
        let is_gateway = matches!(medium, Medium::Satellite(m)
            if m.role == SatelliteRole::Gateway);
        let misplaced = !is_gateway && (height < 0.0) != medium.is_under_water();
        cell.set(Some(misplaced));
        misplaced
    }

    /// Returns a propagation without a signal.
    fn no_signal(&self, to: usize, obstruction: LossCause) -> Propagation {
        Propagation {
            delay_ns: 0,
            mean_power: 0.0,
            power: 0.0,
            noise: self.class(to).noise,
            doppler: 0.0,
            obstruction: Some(obstruction),
        }
    }

    /// Computes the signal of modem `from` at modem `to`, for the reference power `sent`.
    fn signal(
        &self,
        (from, source): (usize, &End),
        (to, receiver): (usize, &End),
        t_ns: u64,
        sent: f64,
    ) -> Result<Signal, LossCause> {
        let (a, b) = (self.class(from), self.class(to));
        let ends = [(source, &a.transceiver), (receiver, &b.transceiver)];
        let arrival = match (&a.transceiver.medium, &b.transceiver.medium) {
            (Medium::Acoustic(medium), _) => {
                let compute = || self.sound(medium, a, ends);
                let is_fixed = source.v == Vec3::zero() && receiver.v == Vec3::zero();
                if is_fixed && !medium.refraction && a.has_constant_water() {
                    self.world.fixed.get_or_compute([from, to], compute)?
                } else {
                    compute()?
                }
            }
            (Medium::Electromagnetic(medium), _) => {
                let wave = a.wave.unwrap_or_else(|| self.local_wave(medium, a, source));
                conductive::arrival(medium, &wave, ends)
            }
            (Medium::Radio(medium), _) => {
                let surface = RadioSurface {
                    waves: self.instant.environment.waves,
                    wave_height: self.world.wave_height,
                    conductivity: a.conductivity,
                };
                let frequency = a.transceiver.frequency();
                let stream = self.world.shadowing;
                radio::arrival((medium, frequency), &surface, stream, ends)
            }
            (Medium::Optical(sender), Medium::Optical(listener)) => {
                let optics = &self.instant.environment.sea.optics;
                optical::arrival((sender, listener), optics, source, receiver)?
            }
            (Medium::Satellite(_), _) => {
                return self.over_satellite((from, source), (to, receiver), t_ns);
            }
            (Medium::Optical(_), _) => return Err(LossCause::OutOfView),
        };
        let noise = self.noise(to, receiver, sent * arrival.gain) + sent * arrival.late;
        Ok(Signal { arrival, noise })
    }

    fn sound(
        &self,
        medium: &AcousticMedium,
        class: &Class,
        ends: Ends<'_>,
    ) -> Result<Arrival, LossCause> {
        let frequency = class.transceiver.frequency();
        let water = PathMedium {
            environment: self.instant.environment,
            refracts: medium.refraction,
            absorption: medium.absorption,
            spreading: medium.spreading,
            water: &class.water,
        };
        let [source, receiver] = ends.map(|(end, _)| end);
        let path = acoustic::moving_path(&water, source, receiver, frequency)
            .ok_or(LossCause::ShadowZone)?;
        let speeds = match &class.water {
            PathWater::Homogeneous { slowness, .. } => [1.0 / slowness; 2],
            PathWater::Sampled | PathWater::Table(_) => {
                [source.p, receiver.p].map(|p| water.environment.sound_speed(p))
            }
        };
        let mut arrival = acoustic::direct_arrival(&path, ends, speeds);
        if let Some(parameters) = &medium.multipath {
            let midpoint = (source.p + receiver.p).scale(0.5);
            let sea = self.instant.environment.sea;
            let boundaries = Boundaries {
                seabed_z: sea.seabed.height(midpoint.x, midpoint.y),
                ground: &self.world.ground,
                wave_height: self.world.wave_height,
                water: [sea.density, speeds[1]],
                band: [frequency, class.transceiver.bandwidth()],
            };
            let link = multipath::Link {
                path: &path,
                medium: &water,
                parameters,
                boundaries,
                ends,
            };
            link.add_reflections(&mut arrival);
        }
        Ok(arrival)
    }

    /// Returns the wave in water whose conductivity depends on the position, for the conductivity
    /// at the source.
    fn local_wave(
        &self,
        medium: &ElectromagneticMedium,
        class: &Class,
        source: &End,
    ) -> ConductiveWave {
        let conductivity = conductivity_at(self.instant.environment, source.p);
        let relative = [medium.relative_permittivity, medium.relative_permeability];
        ConductiveWave::new(class.transceiver.frequency(), relative, conductivity)
    }

    /// Computes the noise at a modem that receives the power `received`, in the unit of its medium.
    fn noise(&self, modem: usize, end: &End, received: f64) -> f64 {
        let class = self.class(modem);
        match &class.transceiver.medium {
            Medium::Acoustic(medium) => class.noise + self.thruster_noise(modem, medium, class),
            Medium::Optical(medium) => {
                let sea = self.instant.environment.sea;
                let axis = end.R_WM.col(0);
                let (optics, irradiance) = (&sea.optics, self.world.irradiance);
                let ambient = optical::ambient_power(medium, optics, irradiance, (-end.p.z, axis));
                let bandwidth = class.transceiver.bandwidth();
                optical::noise_power(medium, received, ambient, bandwidth)
            }
            Medium::Electromagnetic(_) | Medium::Radio(_) | Medium::Satellite(_) => class.noise,
        }
    }

    /// Returns the noise of the thrusters of the same robot in the band of a modem [µPa²].
    fn thruster_noise(&self, modem: usize, medium: &AcousticMedium, class: &Class) -> f64 {
        let Some(noise) = &medium.thruster_noise else {
            return 0.0;
        };
        let cell = &self.world.cache.thruster_noise[modem];
        if !cell.get().is_nan() {
            return cell.get();
        }
        let robot = self.world.modems[modem].on.map(|(robot, _)| robot);
        let speeds = robot.and_then(|r| self.instant.shaft_speeds.get(r));
        let (frequency, bandwidth) = (class.transceiver.frequency(), class.transceiver.bandwidth());
        let power = speeds.map_or(0.0, |speeds| {
            thruster_noise::spectral_power(noise, speeds, frequency) * bandwidth
        });
        cell.set(power);
        power
    }

    /// Computes the signal over a satellite. The travel times of both terminals are added.
    fn over_satellite(
        &self,
        (from, source): (usize, &End),
        (to, receiver): (usize, &End),
        t_ns: u64,
    ) -> Result<Signal, LossCause> {
        let t = t_ns as f64 * 1e-9;
        let mut snr = GATEWAY_SNR;
        let mut time = 0.0;
        for (modem, end) in [(from, source), (to, receiver)] {
            let class = self.class(modem);
            let Medium::Satellite(medium) = &class.transceiver.medium else {
                return Err(LossCause::OutOfView);
            };
            let terminal = (medium, &class.transceiver);
            let connection = satellite::connect(terminal, end, &self.world.origin, t)
                .ok_or(LossCause::NoSatellite)?;
            if modem == from {
                time += medium.latency_s;
            }
            let is_blocked = |d| {
                let ray_scene = self.instant.ray_scene;
                ray_scene.is_some_and(|scene| {
                    scene.is_blocked_along(end.robot, end.p, d, satellite::SKY_DISTANCE)
                })
            };
            let is_hidden =
                class.transceiver.line_of_sight && connection.direction.is_some_and(is_blocked);
            if is_hidden {
                return Err(LossCause::NoSatellite);
            }
            snr = connection.snr.min(snr);
            time += connection.delay;
        }
        let arrival = Arrival {
            time,
            gain: snr,
            late: 0.0,
            isotropic: snr,
            doppler: 0.0,
        };
        Ok(Signal {
            arrival,
            noise: self.class(to).noise,
        })
    }

    /// Applies range, obstacles and fading to a signal. (2)
    fn received(
        &self,
        (from, source): (usize, &End),
        (to, receiver): (usize, &End),
        t_ns: u64,
        (sent, signal): (f64, Signal),
    ) -> Propagation {
        let Signal { arrival, noise } = signal;
        let transceiver = &self.class(to).transceiver;
        let mean_power = sent * arrival.gain;
        let mut obstruction = None;
        let distance = || (receiver.p - source.p).norm();
        if transceiver
            .max_range_m
            .is_some_and(|range| distance() > range)
        {
            obstruction = Some(LossCause::OutOfRange);
        } else if let Reception::SignalExcess { threshold_db, .. } = transceiver.reception
            && sent * arrival.isotropic <= ratio(threshold_db) * noise
        {
            obstruction = Some(LossCause::OutOfRange);
        } else if transceiver.line_of_sight && mean_power >= WEAK * noise {
            obstruction = self.obstacle(from, to);
        }
        let (a, b) = (&self.world.modems[from], &self.world.modems[to]);
        let (mean_power, power) = if obstruction.is_some() {
            (0.0, 0.0)
        } else {
            let stream = pair_stream(a.stream, b.stream);
            let factor = power_factor(&transceiver.fading, stream, t_ns);
            (mean_power, mean_power * factor)
        };
        let kept = self.kept_fraction(to, arrival.doppler);
        Propagation {
            delay_ns: nanoseconds(arrival.time),
            mean_power: kept * mean_power,
            power: kept * power,
            noise: noise + (1.0 - kept) * power,
            doppler: arrival.doppler,
            obstruction,
        }
    }

    /// Returns the fraction of the power that modem `to` keeps of a signal with the relative
    /// frequency shift `shift` [-].
    fn kept_fraction(&self, to: usize, shift: f64) -> f64 {
        let transceiver = &self.class(to).transceiver;
        let tolerance = match &transceiver.medium {
            Medium::Acoustic(medium) => medium.doppler.as_ref(),
            Medium::Electromagnetic(_)
            | Medium::Radio(_)
            | Medium::Optical(_)
            | Medium::Satellite(_) => None,
        };
        tolerance.map_or(1.0, |tolerance| {
            doppler_loss::kept_fraction(tolerance, transceiver.frequency(), shift)
        })
    }

    /// Returns the obstacle between two modems at the start of the step, if any.
    fn obstacle(&self, from: usize, to: usize) -> Option<LossCause> {
        let ray_scene = self.instant.ray_scene?;
        if matches!(self.class(to).transceiver.medium, Medium::Satellite(_)) {
            return None;
        }
        let (world, cache) = (self.world, &self.world.cache);
        // both directions have the same result
        let (i, j) = (from.min(to), from.max(to));
        let cell = &cache.obstacles[i * world.modems.len() + j];
        let label = match cell.get() {
            (instant, label) if instant == cache.instant => label,
            _ => {
                let [a, b] = [i, j].map(|k| PathEnd {
                    robot: world.ends[k].robot,
                    p: world.ends[k].p,
                });
                let label = ray_scene.find_between(a, b);
                cell.set((cache.instant, label));
                label
            }
        };
        Some(match usize::from(label?) {
            1 => LossCause::Terrain,
            label if label < 2 + world.n_structures => LossCause::Structure,
            _ => LossCause::Robot,
        })
    }
}

/// Returns a time [s] as a number of nanoseconds.
fn nanoseconds(time: f64) -> u64 {
    (time * 1e9 + 0.5) as u64
}
