//! Tests of satellite links.

mod common;

use common::{db, environment, fixed, read, scene, sea, transceiver, view, within};
use merrow_comms::channel::satellite::constellation::highest_satellite;
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::propagation::{Channel, Propagation};
use merrow_environment::SPEED_OF_LIGHT;
use merrow_math::Vec3;
use merrow_math::ellipsoid::MEAN_RADIUS;
use merrow_model::scene::Origin;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::{
    Medium, SatelliteMedium, SatelliteRole, SatelliteVisibility, Walker,
};
use merrow_model::state::comms::LossCause;
use merrow_yaml::read::Places;
use std::f64::consts::PI;

/// Constellation with the geometry of Iridium: six polar planes of eleven satellites.
fn iridium() -> Walker {
    read(
        "{altitude_km: 780, inclination_deg: 86.4, planes: 6, satellites: 11, \
         node_spread_deg: 180, phasing: 0.5}",
    )
}

fn terminal(role: SatelliteRole, sky: SatelliteVisibility) -> Transceiver {
    let medium = SatelliteMedium {
        role,
        sky,
        ..read(
            "{band_mhz: [1621, 1622], zenith_snr_db: 13, latency_s: 5, min_elevation_deg: 8.2, \
             sky: {kind: always}}",
        )
    };
    transceiver(Medium::Satellite(medium), 1621e6, 41.7e3)
}

/// Returns the link from a terminal at `p` [m] to a gateway at the instants `times_ns` [ns].
fn links(sky: &SatelliteVisibility, p: Vec3, times_ns: &[u64]) -> Vec<Propagation> {
    let scene = scene(sea(35.0));
    let modems = [
        fixed("boat", p, &terminal(SatelliteRole::Terminal, sky.clone())),
        fixed(
            "shore",
            Vec3::zero(),
            &terminal(SatelliteRole::Gateway, sky.clone()),
        ),
    ];
    let mut channel = WorldChannel::new(&scene, &modems);
    let (view, environment) = (view(&scene, 0, &[]), environment(&scene, 0.0, None));
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    let channel = channel.update_to(&instant);
    times_ns
        .iter()
        .map(|t| channel.propagate(0, 1, *t, 1.0))
        .collect()
}

// Windows of sky, latency and mask. Method: a window from 10 s to 20 s in every minute; an
// elevation below the mask.
#[test]
fn messages_pass_during_windows_only() {
    let mast = Vec3::new(0.0, 0.0, 2.0);
    let windows = |elevation: f64| SatelliteVisibility::Windows {
        period_s: 60.0,
        open_s: vec![[10.0, 20.0]],
        elevation_deg: elevation.to_degrees(),
        at: Places::default(),
    };
    let times = [
        9_999_999_999,
        10_000_000_000,
        19_999_999_999,
        20_000_000_000,
        75_000_000_000,
    ];
    let found = links(&windows(0.5), mast, &times);
    let closed = Some(LossCause::NoSatellite);
    let causes: Vec<_> = found.iter().map(|p| p.obstruction).collect();
    assert_eq!(causes, [closed, None, None, closed, None]);
    assert_eq!(found[1].delay_ns, 5_000_000_000);
    within("SNR", db(found[1].power / found[1].noise), 13.0, 1e-9);
    assert_eq!(
        links(&windows(0.1), mast, &[15_000_000_000])[0].obstruction,
        closed
    );
    let always: SatelliteVisibility = read("{kind: always}");
    assert_eq!(links(&always, mast, &[0])[0].obstruction, None);
    let submerged = links(&always, Vec3::new(0.0, 0.0, -0.1), &[0]);
    assert_eq!(submerged[0].obstruction, Some(LossCause::Surface));
}

// A polar constellation of 66 satellites at 780 km covers all latitudes above 8.2 degrees. Method:
// the highest satellite over a day at four latitudes. Tolerance: 0.1 % of the time, because the
// phasing of real planes is not uniform.
#[test]
fn polar_constellation_covers_the_earth() {
    for latitude in [0.0, 0.5, 0.9, 1.4_f64] {
        let origin = Origin {
            latitude,
            longitude: 0.3,
            altitude: 0.0,
            magnetic_field: Vec3::zero(),
        };
        let n = 4320;
        let hidden = (0..n)
            .filter(|k| {
                let view = highest_satellite(&iridium(), &origin, 20.0 * f64::from(*k));
                view.sine < (8.2 * PI / 180.0).sin()
            })
            .count();
        assert!(
            hidden * 1000 <= n as usize * 10,
            "{latitude}: {hidden} of {n}"
        );
    }
}

// A satellite over the pole returns after its orbital period, at its altitude. Method: Kepler's
// third law; sine law of the slant range. Tolerance: 1e-9; 1 m.
#[test]
fn orbits_have_the_period_of_kepler() {
    let polar = Walker {
        planes: 1,
        satellites: 1,
        inclination_deg: 90.0,
        ..iridium()
    };
    let pole = Origin {
        latitude: 0.5 * PI,
        longitude: 0.0,
        altitude: 0.0,
        magnetic_field: Vec3::zero(),
    };
    let a = MEAN_RADIUS + 780e3;
    let period = 2.0 * PI * (a * a * a / 3.986_004_418e14).sqrt();
    within("period", period / 60.0, 100.4, 0.1);
    for turn in [0.25, 1.25, 7.25] {
        let view = highest_satellite(&polar, &pole, turn * period);
        within("zenith", view.sine, 1.0, 1e-9);
        within("altitude", view.distance, 780e3, 1.0);
    }
    let view = highest_satellite(&polar, &pole, 0.3 * period);
    // cosine rule at the centre of the Earth
    let angle = 0.1 * PI;
    let d = (a * a + MEAN_RADIUS * MEAN_RADIUS - 2.0 * a * MEAN_RADIUS * angle.cos()).sqrt();
    within("slant range", view.distance, d, 1.0);
    within("direction", view.direction.norm(), 1.0, 1e-12);
}

// Signal and delay follow the slant range. Method: SNR_0 + 20 log(h/d), latency + d/c, over a pass.
// Tolerance: 1e-6 dB, 1 ns.
#[test]
fn signal_and_delay_follow_the_slant_range() {
    let times: Vec<u64> = (0..60).map(|k| k * 10_000_000_000).collect();
    let found = links(
        &SatelliteVisibility::Walker(iridium()),
        Vec3::new(0.0, 0.0, 2.0),
        &times,
    );
    let origin = scene(sea(35.0)).origin;
    let mut seen = 0;
    for (t, link) in times.iter().zip(&found) {
        let view = highest_satellite(&iridium(), &origin, *t as f64 * 1e-9);
        if view.sine < (8.2 * PI / 180.0).sin() {
            assert_eq!(link.obstruction, Some(LossCause::NoSatellite));
            continue;
        }
        seen += 1;
        let snr = 13.0 + 20.0 * (780e3 / view.distance).log10();
        within("SNR", db(link.power / link.noise), snr, 1e-6);
        within(
            "delay",
            link.delay_ns as f64 * 1e-9,
            5.0 + view.distance / SPEED_OF_LIGHT,
            1e-9,
        );
    }
    assert!(seen > 50);
}
