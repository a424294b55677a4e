//! Tests of acoustic multipath: Lloyd mirror, roughness, seabed and late paths.

mod common;

use common::{C, acoustic, db, scene, sea, set_band, sound, still_link, within};
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::propagation::Channel;
use merrow_environment::WaveState;
use merrow_environment::waves::realise::wave_field;
use merrow_math::Vec3;
use merrow_model::scene::comms::medium::{AcousticMedium, Multipath};
use merrow_model::scene::robot::collision::Ground;
use merrow_model::scene::sea::water::AbsorptionLaw;
use merrow_model::scene::{Scene, SeaState, Spectrum, Spreading, Waves};
use merrow_yaml::read::Places;
use std::f64::consts::TAU;

fn at(x: f64, z: f64) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// Returns a medium without absorption and with `reflections`; paths later than `max_delay` [s] are
/// noise.
fn echoing(reflections: u32, max_delay: f64) -> AcousticMedium {
    AcousticMedium {
        absorption: AbsorptionLaw::None,
        multipath: Some(Multipath {
            max_reflections: reflections,
            max_delay_s: max_delay,
            at: Places::default(),
        }),
        ..sound()
    }
}

/// Returns a world without reflections at the seabed, whose impedance is equal to the impedance of
/// the water.
fn without_seabed() -> Scene {
    let mut scene = scene(sea(35.0));
    scene.seabed_material.backscatter.subsurface = Ground {
        density_kg_m3: scene.sea.density,
        sound_speed_m_s: C,
        attenuation_db_per_wavelength: 0.0,
        roughness_m: 0.0,
    };
    scene
}

/// Returns the lengths of the direct path and of the path reflected at the surface [m].
fn lengths(a: Vec3, b: Vec3) -> [f64; 2] {
    let image = Vec3::new(a.x, a.y, -a.z);
    [(b - a).norm(), (b - image).norm()]
}

// V69, interference of a tone near the surface (Lloyd mirror). Method: |e^(ikr1)/r1 - e^(ikr2)/r2|²
// in a band of 1 mHz, at 200 ranges; at the nulls the paths differ by whole wavelengths. Tolerance:
// 1e-6 of the direct power; 1e-4 of it at the nulls.
#[test]
fn surface_reflection_gives_the_lloyd_mirror_pattern() {
    let scene = without_seabed();
    let mut modem = acoustic(echoing(1, 1.0));
    let f = 2000.0;
    set_band(&mut modem, [f - 5e-4, f + 5e-4]);
    let k = TAU * f / C;
    let power = |a: Vec3, b: Vec3| still_link(&scene, &modem, [a, b]).power / 1e18;
    let source = at(0.0, -10.0);
    for n in 0..200 {
        let receiver = at(50.0 + 1.37 * f64::from(n), -15.0);
        let [r1, r2] = lengths(source, receiver);
        let (re, im) = (
            1.0 / r1 - (k * (r2 - r1)).cos() / r2,
            (k * (r2 - r1)).sin() / r2,
        );
        within(
            "power",
            power(source, receiver) * r1 * r1,
            (re * re + im * im) * r1 * r1,
            1e-6,
        );
    }
    for order in 4..12 {
        // the range at which the paths differ by `order` wavelengths
        let difference = |x: f64| {
            let [r1, r2] = lengths(source, at(x, -15.0));
            r2 - r1 - f64::from(order) * C / f
        };
        let (mut low, mut high) = (1.0, 1e4);
        for _ in 0..100 {
            let mid = 0.5 * (low + high);
            *(if difference(mid) > 0.0 {
                &mut low
            } else {
                &mut high
            }) = mid;
        }
        let [r1, r2] = lengths(source, at(low, -15.0));
        let residue = (1.0 - r1 / r2) * (1.0 - r1 / r2);
        within(
            "null",
            power(source, at(low, -15.0)) * r1 * r1,
            residue,
            1e-4,
        );
    }
}

// A wide band has the sum of the powers. Method: B Δt = 400. Tolerance: 1/(π B Δt) of the sum.
#[test]
fn wide_band_has_the_sum_of_the_powers() {
    let scene = without_seabed();
    let mut modem = acoustic(echoing(1, 1.0));
    set_band(&mut modem, [5e3, 45e3]);
    let ends = [at(0.0, -20.0), at(60.0, -40.0)];
    let [r1, r2] = lengths(ends[0], ends[1]);
    let found = still_link(&scene, &modem, ends).power / 1e18;
    let expected = 1.0 / (r1 * r1) + 1.0 / (r2 * r2);
    let cycles = 4e4 * (r2 - r1) / C;
    within(
        "sum",
        found / expected,
        1.0,
        1.0 / (std::f64::consts::PI * cycles),
    );
}

// Paths that are later than the maximum delay of the receiver are noise. Method: the power of the
// path reflected at the surface is part of the noise, not of the signal. Tolerance: 1e-9.
#[test]
fn late_paths_are_noise() {
    let scene = without_seabed();
    let ends = [at(0.0, -100.0), at(60.0, -140.0)];
    let [r1, r2] = lengths(ends[0], ends[1]);
    let used = (r2 - r1) / C;
    let quiet = still_link(&scene, &acoustic(echoing(1, 1.01 * used)), ends).noise;
    let found = still_link(&scene, &acoustic(echoing(1, 0.99 * used)), ends);
    within("signal", found.power / 1e18 * r1 * r1, 1.0, 1e-9);
    within("noise", (found.noise - quiet) / 1e18 * r2 * r2, 1.0, 1e-9);
}

// Waves reduce the coherent reflection by e^(-4 k² h² sin²). Method: the noise of a late path at a
// calm and at a rough surface. Tolerance: 1e-9.
#[test]
fn waves_reduce_the_reflection_of_the_surface() {
    let requested = SeaState {
        spectrum: Spectrum::Regular(0.0),
        hs_m: 0.1,
        tp_s: 4.0,
        towards: Vec3::new(0.0, 1.0, 0.0),
        spreading: Spreading::None,
        components: 1,
        min_wavelength_m: None,
        ramp_s: 0.0,
    };
    let field = Waves::from_field(wave_field(requested, 900.0, common::GRAVITY, 1));
    let waves = WaveState::new(&field, 0.0);
    let mut modem = acoustic(echoing(1, 1e-4));
    set_band(&mut modem, [990.0, 1010.0]);
    let scene = without_seabed();
    let ends = [at(0.0, -100.0), at(60.0, -140.0)];
    let modems = ends.map(|p| common::fixed(&format!("{}", p.x), p, &modem));
    let view = common::view(&scene, 0, &[]);
    let noise = |waves| {
        let environment = common::environment(&scene, 0.0, waves);
        let instant = ChannelInstant {
            view: &view,
            environment: &environment,
            ray_scene: None,
            shaft_speeds: &[],
        };
        WorldChannel::new(&scene, &modems)
            .update_to(&instant)
            .propagate(0, 1, 0, 1.0)
            .noise
    };
    let silence = {
        let mut plain = acoustic(AcousticMedium {
            multipath: None,
            ..echoing(1, 1.0)
        });
        set_band(&mut plain, [990.0, 1010.0]);
        still_link(&scene, &plain, ends).noise
    };
    let (calm, rough) = (noise(None) - silence, noise(Some(&waves)) - silence);
    let sine = 240.0 / lengths(ends[0], ends[1])[1];
    let x = 2.0 * TAU * 1000.0 / C * waves.height_std() * sine;
    within("roughness", waves.height_std(), 0.05 / 2f64.sqrt(), 1e-9);
    within("reflection", rough / calm, (-x * x).exp(), 1e-6);
}

// The seabed reflects by its impedance. Method: vertical incidence, R = (Z2 - Z1)/(Z2 + Z1), late
// path. Tolerance: 1e-9.
#[test]
fn seabed_reflects_by_the_contrast_of_impedance() {
    let mut scene = without_seabed();
    let ground = Ground {
        density_kg_m3: 1900.0,
        sound_speed_m_s: 1650.0,
        attenuation_db_per_wavelength: 0.0,
        roughness_m: 0.0,
    };
    scene.seabed_material.backscatter.subsurface = ground;
    let ends = [at(0.0, -800.0), at(0.0, -810.0)];
    let plain = acoustic(AcousticMedium {
        multipath: None,
        ..echoing(1, 1.0)
    });
    let quiet = still_link(&scene, &plain, ends).noise;
    let noise = still_link(&scene, &acoustic(echoing(1, 1e-4)), ends).noise - quiet;
    let z1 = scene.sea.density * C;
    let z2 = ground.density_kg_m3 * ground.sound_speed_m_s;
    let r = (z2 - z1) / (z2 + z1);
    let (by_seabed, by_surface) = (190.0, 1610.0);
    let expected = r * r / (by_seabed * by_seabed) + 1.0 / (by_surface * by_surface);
    within("late power", noise / 1e18 / expected, 1.0, 1e-9);
}

// Images and eigenrays agree in homogeneous water, with two reflections. Method: the same link with
// straight and with refracted rays. Tolerance: 0.02 dB, because eigenrays miss by up to 0.1 mm.
#[test]
fn images_and_eigenrays_agree_in_homogeneous_water() {
    let mut scene = scene(sea(35.0));
    scene.sea.seabed.z0 = -80.0;
    let ends = [at(0.0, -30.0), at(150.0, -55.0)];
    let level = |refraction: bool| {
        let mut modem = acoustic(AcousticMedium {
            refraction,
            ..echoing(2, 1.0)
        });
        set_band(&mut modem, [1500.0, 1900.0]);
        db(still_link(&scene, &modem, ends).power)
    };
    within("level", level(true), level(false), 0.02);
    let direct = 180.0 - 20.0 * (ends[1] - ends[0]).norm().log10();
    assert!((level(false) - direct).abs() > 0.1);
}
