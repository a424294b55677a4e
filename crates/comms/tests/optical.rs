//! Tests of optical modems.

mod common;

use common::{environment, fixed, read, scene, sea, still_link, transceiver, view, within};
use merrow_comms::channel::optical::{ambient_power, lambertian_order, noise_power};
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::propagation::{Channel, Propagation};
use merrow_environment::SPEED_OF_LIGHT;
use merrow_math::Vec3;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::{Medium, OpticalMedium};
use merrow_model::scene::sea::optics::Optics;
use merrow_model::state::comms::LossCause;

fn medium() -> OpticalMedium {
    OpticalMedium {
        half_angle_deg: 0.6_f64.to_degrees(),
        field_of_view_deg: 0.5_f64.to_degrees(),
        ..read(
            "{band_khz: [0, 2000], radiated_power_w: 2, half_angle_deg: 1, wavelength_um: 0.465, \
             field_of_view_deg: 1, aperture_cm2: 10, responsivity_a_per_w: 0.3, \
             noise_w_per_sqrt_hz: 1e-12, filter_width_um: 0.02}",
        )
    }
}

fn modem(medium: OpticalMedium) -> Transceiver {
    transceiver(Medium::Optical(medium), 1e6, 2e6)
}

/// Returns the link between two modems at positions [m] with axes `ends`.
fn link(transceiver: &Transceiver, ends: [(Vec3, Vec3); 2]) -> Propagation {
    let scene = scene(sea(35.0));
    let modems = ends.map(|(p, axis)| {
        let mut place = fixed(&format!("{}", p.x), p, transceiver);
        place.axis = axis;
        place
    });
    let (view, environment) = (view(&scene, 0, &[]), environment(&scene, 0.0, None));
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    WorldChannel::new(&scene, &modems)
        .update_to(&instant)
        .propagate(0, 1, 0, 1.0)
}

fn x(sign: f64) -> Vec3 {
    Vec3::new(sign, 0.0, 0.0)
}

// Received power and delay on the axis. Method: P (m+1) A/(2π r²) e^(-c r) with c of the sea; half
// of the intensity at the half angle. Tolerance: 1e-12 of the power, 1 ns.
#[test]
fn received_power_follows_lambert_and_beam_attenuation() {
    let order = lambertian_order(0.6);
    within("half angle", 0.6f64.cos().powf(order), 0.5, 1e-12);
    within(
        "60 degrees",
        lambertian_order(std::f64::consts::FRAC_PI_3),
        1.0,
        1e-12,
    );
    let at = |x: f64| Vec3::new(x, 0.0, -60.0);
    for r in [2.0, 10.0, 40.0] {
        let found = link(&modem(medium()), [(at(0.0), x(1.0)), (at(r), x(-1.0))]);
        let c = Optics::default().beam[2];
        let expected =
            2.0 * (order + 1.0) / std::f64::consts::TAU * 1e-3 / (r * r) * (-c * r).exp();
        within("power", found.power / expected, 1.0, 1e-12);
        within(
            "delay",
            found.delay_ns as f64,
            1e9 * 1.34 * r / SPEED_OF_LIGHT,
            0.51,
        );
        let turned = Vec3::new(0.6f64.cos(), 0.6f64.sin(), 0.0);
        let half = link(&modem(medium()), [(at(0.0), turned), (at(r), x(-1.0))]);
        within("half", half.power / found.power, 0.5, 1e-9);
        let tilted = Vec3::new(-0.4f64.cos(), 0.0, 0.4f64.sin());
        let oblique = link(&modem(medium()), [(at(0.0), x(1.0)), (at(r), tilted)]);
        within("oblique", oblique.power / found.power, 0.4f64.cos(), 1e-9);
    }
    let own = OpticalMedium {
        attenuation_per_m: Some(0.0),
        ..medium()
    };
    let clear = link(&modem(own), [(at(0.0), x(1.0)), (at(10.0), x(-1.0))]).power;
    let sea = link(&modem(medium()), [(at(0.0), x(1.0)), (at(10.0), x(-1.0))]).power;
    within(
        "attenuation",
        (sea / clear).ln(),
        -10.0 * Optics::default().beam[2],
        1e-9,
    );
}

// No link outside the field of view, behind the lamp and out of the water. Method: each case.
#[test]
fn view_and_surface_limit_the_link() {
    let at = |x: f64, z: f64| Vec3::new(x, 0.0, z);
    let cause = |ends| link(&modem(medium()), ends).obstruction;
    let tilted = |angle: f64| Vec3::new(-angle.cos(), angle.sin(), 0.0);
    let (a, b) = (at(0.0, -60.0), at(5.0, -60.0));
    assert_eq!(cause([(a, x(1.0)), (b, tilted(0.49))]), None);
    assert_eq!(
        cause([(a, x(1.0)), (b, tilted(0.51))]),
        Some(LossCause::OutOfView)
    );
    assert_eq!(
        cause([(a, x(-1.0)), (b, x(-1.0))]),
        Some(LossCause::OutOfView)
    );
    assert_eq!(
        cause([(at(0.0, 1.0), x(1.0)), (b, x(-1.0))]),
        Some(LossCause::Surface)
    );
    let dry = still_link(
        &scene(sea(35.0)),
        &modem(medium()),
        [at(0.0, 1.0), at(5.0, 1.0)],
    );
    assert_eq!(dry.obstruction, Some(LossCause::Surface));
}

// Noise of the dark receiver, of the signal and of daylight. Method: closed forms; daylight
// decreases with depth by K. Tolerance: 1e-9.
#[test]
fn daylight_and_signal_add_shot_noise() {
    let m = medium();
    within(
        "dark",
        noise_power(&m, 0.0, 0.0, 2e6) / (1e-12 * 2e6f64.sqrt()),
        1.0,
        1e-9,
    );
    let shot = (2.0_f64 * 1.602_176_634e-19 * 3e-6 / 0.3 * 2e6).sqrt();
    let dark = OpticalMedium {
        noise_w_per_sqrt_hz: 0.0,
        ..m.clone()
    };
    within(
        "shot",
        noise_power(&dark, 1e-6, 2e-6, 2e6) / shot,
        1.0,
        1e-9,
    );
    let optics = Optics::default();
    let at = |depth, axis| ambient_power(&m, &optics, 800.0, (depth, axis));
    let down = Vec3::new(0.0, 0.0, -1.0);
    let ratio = at(30.0, down) / at(10.0, down);
    within("depth", ratio.ln(), -20.0 * optics.daylight[2], 1e-9);
    // looking up: the whole radiance E/π of 1.2e9 W/m³, 20 nm, 1e-3 m², 2π (1 - cos 0.5)
    let expected = 1.5e6 * 800.0 / std::f64::consts::PI
        * 20e-9
        * 1e-3
        * std::f64::consts::TAU
        * (1.0 - 0.5f64.cos());
    within("up", at(0.0, -down) / expected, 1.0, 1e-9);
    within("down", at(0.0, down) / at(0.0, -down), 0.036, 1e-9);
    let p = |z| Vec3::new(0.0, 0.0, z);
    let noise = |z: f64| {
        let b = Vec3::new(5.0, 0.0, z);
        link(&modem(medium()), [(p(z), x(1.0)), (b, x(-1.0))]).noise
    };
    assert!(
        noise(-2.0) > noise(-40.0),
        "noon of an equinox at 46 degrees north"
    );
}
