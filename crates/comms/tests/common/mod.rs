//! Helpers shared by the tests: a scene without robots, views with given link motions, and
//! transceivers.
// Each test program uses only a part of these helpers.
#![allow(dead_code)]

mod keys;
pub(crate) mod robot;

pub(crate) use keys::{read, set_band};

use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::propagation::{Channel, Propagation};
use merrow_environment::seawater::{density, ipts68_from_its90};
use merrow_environment::{EnvironmentState, Variation, WaveState};
use merrow_math::{Mat3, SpatialVelocity, Vec3};
use merrow_model::scene::comms::medium::{AcousticMedium, Medium};
use merrow_model::scene::comms::scheme::Scheme;
use merrow_model::scene::comms::{MacProtocol, Modem, RateChoice, Transceiver};
use merrow_model::scene::sea::air::Air;
use merrow_model::scene::sea::optics::Optics;
use merrow_model::scene::{Current, Integrator, Material, Origin, Scene, Sea, Seabed, Waves};
use merrow_model::state::frames::view::WorldView;

/// Speed of sound of the test sea [m/s].
pub(crate) const C: f64 = 1500.0;
/// Gravity of the test world [m/s²].
pub(crate) const GRAVITY: f64 = 9.8;

/// Returns a calm, homogeneous sea of 10 °C and salinity `S`, 900 m deep.
pub(crate) fn sea(S: f64) -> Sea {
    Sea {
        density: density(S, ipts68_from_its90(10.0), 0.0),
        sound_speed: C,
        temperature: 10.0,
        air_pressure: 101_325.0,
        column: None,
        regions: vec![],
        tracers: vec![],
        optics: Optics::default(),
        air: Air::default(),
        current: Current {
            profile: vec![(0.0, Vec3::zero())],
            variation: None,
            flows: vec![],
        },
        waves: Waves {
            seas: vec![],
            tide: None,
            regions: None,
        },
        seabed: Seabed {
            z0: -900.0,
            slope: [0.0, 0.0],
            terrain: None,
        },
    }
}

/// Returns a world without robots and structures.
pub(crate) fn scene(sea: Sea) -> Scene {
    Scene {
        name: "test".into(),
        seed: 5,
        dt_ns: 10_000_000,
        start_ns: 0,
        integrator: Integrator::Rk4,
        gravity: GRAVITY,
        sea,
        origin: Origin {
            latitude: 0.8,
            longitude: 0.1,
            altitude: 0.0,
            magnetic_field: Vec3::zero(),
        },
        robots: vec![],
        structures: vec![],
        seabed_material: Material::default(),
        couplings: vec![],
        tethers: vec![],
        chargers: vec![],
        faults: vec![],
        schedule: vec![],
        beacons: vec![],
        obstacles: vec![],
        modems: vec![],
        bridges: vec![],
        service_bridges: vec![],
        ais: vec![],
        task: None,
        map: None,
    }
}

/// Returns the view of `scene` at `time_ns` [ns] with robots of one link each, at the position [m]
/// and with the velocity [m/s] in W.
pub(crate) fn view(scene: &Scene, time_ns: u64, robots: &[(Vec3, Vec3)]) -> WorldView {
    let velocity = |v: Vec3| SpatialVelocity { w: Vec3::zero(), v };
    WorldView {
        time_ns,
        sea: scene.sea.clone(),
        links: robots
            .iter()
            .map(|(p, _)| vec![(Mat3::identity(), *p)])
            .collect(),
        fins: vec![vec![]; robots.len()],
        lamps: vec![vec![]; robots.len()],
        powered: vec![true; robots.len()],
        dead: vec![vec![]; robots.len()],
        beacons: vec![],
        velocities: robots.iter().map(|(_, v)| vec![velocity(*v)]).collect(),
        shaft_speeds: vec![],
    }
}

/// Returns the environment of `scene` at `time` [s] with the waves `waves`.
pub(crate) fn environment<'a>(
    scene: &'a Scene,
    time: f64,
    waves: Option<&'a WaveState>,
) -> EnvironmentState<'a> {
    EnvironmentState {
        sea: &scene.sea,
        gravity: scene.gravity,
        time,
        variation: Variation::NONE,
        waves,
    }
}

/// Returns a modem fixed at `p` [m] in W, with the axis along x.
pub(crate) fn fixed(name: &str, p: Vec3, transceiver: &Transceiver) -> Modem {
    Modem {
        name: name.into(),
        on: None,
        p,
        axis: Vec3::new(1.0, 0.0, 0.0),
        address: 0,
        transceiver: transceiver.clone(),
        mac: MacProtocol::Aloha,
        clock: read("{}"),
        queue: read("{}"),
        power_w: transceiver.max_power_w,
        rate: RateChoice::Fixed(0),
        promiscuous: false,
        task: None,
        power_control: None,
    }
}

/// Returns a modem at the origin of link 0 of robot number `robot`.
pub(crate) fn carried(robot: usize, transceiver: &Transceiver) -> Modem {
    Modem {
        on: Some((robot, 0)),
        ..fixed(&format!("r{robot}"), Vec3::zero(), transceiver)
    }
}

/// Returns the signal of modem 0 at modem 1 at the time zero, both on robots with the given
/// motions.
pub(crate) fn link(
    scene: &Scene,
    transceivers: [&Transceiver; 2],
    motions: [(Vec3, Vec3); 2],
    power: f64,
) -> Propagation {
    let modems = [carried(0, transceivers[0]), carried(1, transceivers[1])];
    let mut channel = WorldChannel::new(scene, &modems);
    let view = view(scene, 0, &motions);
    let environment = environment(scene, 0.0, None);
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    channel.update_to(&instant).propagate(0, 1, 0, power)
}

/// Returns the result of [`link`] for modems at rest at full power.
pub(crate) fn still_link(scene: &Scene, transceiver: &Transceiver, ends: [Vec3; 2]) -> Propagation {
    let rest = ends.map(|p| (p, Vec3::zero()));
    link(scene, [transceiver, transceiver], rest, 1.0)
}

/// Returns the scheme BPSK at `rate` [bit/s] without a code.
pub(crate) fn bpsk(rate: f64) -> Scheme {
    read(&format!(
        "{{name: bpsk, modulation: bpsk, rate_bit_s: {rate}}}"
    ))
}

/// Returns a transceiver of `medium` in the band around `frequency` [Hz] with the width `width`
/// [Hz].
pub(crate) fn transceiver(medium: Medium, frequency: f64, width: f64) -> Transceiver {
    let text = "{source: test, kind: acoustic, band_khz: [1, 2], source_level_db: 180, \
                max_power_w: 10, circuit_power_w: 1, receive_power_w: 1, idle_power_w: 0.1, \
                carrier_sense_db: 0, line_of_sight: false, \
                schemes: [{name: bpsk, modulation: bpsk, rate_bit_s: 1000}]}";
    let mut transceiver = Transceiver {
        medium,
        ..read(text)
    };
    set_band(
        &mut transceiver,
        [frequency - 0.5 * width, frequency + 0.5 * width],
    );
    transceiver
}

/// Returns acoustic parameters with a source level of 180 dB, spherical spreading and straight
/// rays.
pub(crate) fn sound() -> AcousticMedium {
    read("{band_khz: [23, 27], source_level_db: 180, self_noise_db: 20}")
}

/// Returns an acoustic transceiver with these parameters at 25 kHz, 4 kHz wide.
pub(crate) fn acoustic(medium: AcousticMedium) -> Transceiver {
    transceiver(Medium::Acoustic(medium), 25e3, 4e3)
}

/// Asserts that `found` is within `tolerance` of `expected`.
#[track_caller]
pub(crate) fn within(name: &str, found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{name}: {found}, expected {expected} ± {tolerance}"
    );
}

/// Returns the level [dB] of a power.
pub(crate) fn db(power: f64) -> f64 {
    10.0 * power.log10()
}

/// Returns the Kolmogorov-Smirnov statistic of `samples` against the distribution function `cdf`,
/// times the root of their number. Values above 1.628 have a probability below 1 %.
pub(crate) fn kolmogorov_smirnov(samples: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len() as f64;
    let deviation = |(k, x): (usize, &f64)| {
        let f = cdf(*x);
        (f - k as f64 / n).abs().max(((k + 1) as f64 / n - f).abs())
    };
    let largest = samples
        .iter()
        .enumerate()
        .map(deviation)
        .fold(0.0, f64::max);
    largest * n.sqrt()
}
