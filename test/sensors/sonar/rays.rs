//! Tests of refracted sonar rays: closed forms of arcs in layers, and the effect on a multibeam
//! echo sounder.

use super::{BARE, beam, peak, ping, world};
use crate::common::{initial_environment, simulation, within};
use merrow_environment::sound::Waveguide;
use merrow_math::Vec3;

/// Temperatures at the surface and at 50 m depth [°C]: the sound speed decreases with depth, or
/// increases.
const WARM_ABOVE: [f64; 2] = [24.0, 3.0];
const WARM_BELOW: [f64; 2] = [3.0, 24.0];

/// Returns the world with a sonar at 2 m depth in a water column of 50 m over a flat seabed.
fn column(device: &str, temperatures: [f64; 2], rest: &str) -> String {
    let [a, b] = temperatures;
    let layers = format!(
        "column: {{layers: [{{depth_m: 0, temperature_c: {a}, salinity_psu: 35}}, {{depth_m: 50, temperature_c: {b}, salinity_psu: 35}}]}}"
    );
    world(2.0, device, rest).replace(
        "density_kg_m3: 1026.95, sound_speed_m_s: 1500, temperature_c: 10",
        &layers,
    )
}

fn guide(text: &str) -> Waveguide {
    let sim = simulation(text);
    Waveguide::in_environment(&initial_environment(&sim.scene), Vec3::zero(), 50.0).unwrap()
}

/// Returns the range [m] and time [s] at which a ray from 2 m depth, at an angle from the vertical,
/// reaches a depth: closed form of an arc in each layer.
fn arc(guide: &Waveguide, angle: f64, to: f64) -> (f64, f64) {
    let xi = angle.sin() / guide.speed(2.0);
    let edges: Vec<f64> = std::iter::once(2.0)
        .chain(
            guide
                .nodes()
                .iter()
                .map(|n| n[0])
                .filter(|z| *z > 2.0 && *z < to),
        )
        .chain([to])
        .collect();
    let (mut x, mut time) = (0.0, 0.0);
    for pair in edges.windows(2) {
        let [c1, c2] = [guide.speed(pair[0]), guide.speed(pair[1])];
        let g = (c2 - c1) / (pair[1] - pair[0]);
        // Sines of the angle below the horizontal.
        let [s1, s2] = [c1, c2].map(|c| (1.0 - (xi * c).powi(2)).sqrt());
        x += if xi > 0.0 { (s1 - s2) / (xi * g) } else { 0.0 };
        time += if xi > 0.0 {
            (s1.atanh() - s2.atanh()) / g
        } else {
            (c2 / c1).ln() / g
        };
    }
    (x, time)
}

fn sounder(bent: bool, speed: f64) -> String {
    // Loud enough for the far ends of the fan.
    let bare = BARE.replace("source_level_db: 210", "source_level_db: 230");
    format!(
        "kind: multibeam, sector_deg: 120, beams: 41, beam_width_deg: 0.5, along_width_deg: 0.5, rays: [600, 3], pulse_us: 60, max_range_m: 140, bins: 2800, \
         sound_speed_m_s: {speed}, refraction: {bent}, {bare}"
    )
}

// With refraction an echo arrives at the two-way travel time along the arc of its launch angle,
// without refraction at the angle of the straight line. Method: a column from 1530 to 1460 m/s over
// 50 m; times by the closed form of an arc in each layer. Tolerance: one bin, 5 cm of 50 to 90 m;
// the two differ by 1 m at 60 degrees.
#[test]
fn rays_refract_as_exact_arcs() {
    let find = |bent: bool| {
        let text = column(&sounder(bent, 1500.0), WARM_ABOVE, "seabed: {depth_m: 50}");
        (ping(&text).1.soundings, guide(&text))
    };
    let (bent, guide) = find(true);
    let (straight, _) = find(false);
    let mut apart = 0.0_f64;
    for (k, sounding) in bent.iter().enumerate() {
        let angle = (-60.0 + 3.0 * k as f64).to_radians().abs();
        within(
            "arc",
            sounding.range,
            1500.0 * arc(&guide, angle, 50.0).1,
            0.05,
        );
        apart = apart.max((sounding.range - straight[k].range).abs());
    }
    assert!(apart > 0.2, "{apart}");
}

// An echo sounder that assumes a constant sound speed shows a flat seabed with edges curved up
// (smile) where the sound speed decreases with depth, and curved down (frown) where it increases.
// Method: it assumes the speed that gives the correct depth below the sonar; c₀ t(θ) cos θ with the
// closed form of t. Tolerance: a bin of 5 cm; edges at least 1 m off.
#[test]
fn flat_seabed_shows_refraction_artefacts() {
    for (temperatures, sign) in [(WARM_ABOVE, 1.0), (WARM_BELOW, -1.0)] {
        let text =
            |speed: f64| column(&sounder(true, speed), temperatures, "seabed: {depth_m: 50}");
        let guide = guide(&text(1500.0));
        let mean = 48.0 / arc(&guide, 0.0, 50.0).1;
        let (spec, ping) = ping(&text(mean));
        for (sounding, angle) in ping.soundings.iter().zip(&spec.steering) {
            let stated = sounding.range * angle.cos();
            within(
                "stated",
                stated,
                mean * arc(&guide, angle.abs(), 50.0).1 * angle.cos(),
                0.05,
            );
        }
        let edge = 48.0 - ping.soundings[0].range * spec.steering[0].cos();
        within("under it", ping.soundings[20].range, 48.0, 0.05);
        assert!(sign * edge > 1.0, "{edge}");
    }
}

// Refracted beams hit other places than straight beams. Method: a ball of 30 cm radius on the
// closed-form arc of the beam at 60 degrees, 45 m down, 2 m off the straight line: that beam
// receives its echo with refraction at the travel time of the arc, and not without refraction.
// Tolerance: 0.35 m.
#[test]
fn refracted_beam_hits_a_target_on_its_arc() {
    let of = |bent: bool| {
        let guide = guide(&column(&sounder(bent, 1500.0), WARM_ABOVE, ""));
        let (y, time) = arc(&guide, 60_f64.to_radians(), 45.0);
        assert!((y - 43.0 * 3f64.sqrt()).abs() > 1.5, "{y}");
        // Starboard, as the last beam.
        let ball = format!(
            "structures: {{t: {{position_m: [0, {}, -45], shapes: {{s: {{kind: sphere, radius_m: 0.3}}}}}}}}",
            -y
        );
        let (spec, ping) = ping(&column(&sounder(bent, 1500.0), WARM_ABOVE, &ball));
        let (k, most) = peak(&beam(&spec, &ping, 40));
        (spec.range(k), most, 1500.0 * time)
    };
    let (found, level, exact) = of(true);
    within("range", found, exact - 0.15, 0.35);
    assert!(level > of(false).1 + 20.0, "{level} {:?}", of(false));
}

/// Returns the directions at the sonar and at the ball, and lengths, of the paths between (0, 0,
/// -10) and (24, 0, -14) in calm water: direct, via the surface, via a seabed at a depth.
fn path_geometry(depth: f64) -> [([f64; 2], [f64; 2], f64); 3] {
    let way = |down: f64, turned: f64| {
        let r = (24.0 * 24.0 + down * down).sqrt();
        let d = [24.0 / r, -down / r];
        (d, [d[0], d[1] * turned], r)
    };
    [
        way(4.0, 1.0),
        way(-24.0, -1.0),
        way(2.0 * depth - 24.0, -1.0),
    ]
}

// A target between surface and seabed gives echoes along all pairs of outgoing and returning paths,
// direct, via the surface and via the seabed, each at the range and level of its image. Method: a
// ball with Lambert scattering and a sand seabed without backscatter; (r + r')/2, and SL + TS(β) -
// 20 log r - 20 log r' - α(r + r') + 10 log |R|²|R'|² + 10 log(b_t b'_r + b'_t b_r), where for a
// Lambert ball TS(β) = TS + 10 log((sin β + (π - β) cos β)/π) for an angle β between the paths at
// the ball. The Rayleigh coefficient of the seabed by its own closed form. Tolerance: 0.35 m, 0.6
// dB, for the origin of the echo on the ball of 0.5 m radius.
#[test]
fn surface_and_seabed_reflect_a_target() {
    const DEPTH: f64 = 34.0;
    let bare = BARE.replace("source_level_db: 210", "source_level_db: 230");
    let device = |multipath: bool| {
        format!(
            "kind: imaging_sonar, sector_deg: 4, beams: 3, beam_width_deg: 6, elevation_width_deg: 90, shading: uniform, rays: [90, 1500], pulse_us: 1000, \
             max_range_m: 60, bins: 1200, multipath: {multipath}, {bare}"
        )
    };
    let rest = format!(
        "seabed: {{depth_m: {DEPTH}, material: {{backscatter_db: -100, subsurface: {{density_kg_m3: 1900, sound_speed_m_s: 1650, attenuation_db_per_wavelength: 0}}}}}}
structures: {{t: {{position_m: [24, 0, -14], shapes: {{s: {{kind: sphere, radius_m: 0.5}}}}}}}}"
    );
    let (spec, received) = ping(&world(10.0, &device(true), &rest));
    let levels = beam(&spec, &received, 1);
    let ways = path_geometry(DEPTH);
    let strength = 10.0 * (2.0 * std::f64::consts::PI * 0.25 * 10f64.powf(-2.7) / 3.0).log10();
    let absorbed = super::absorption(400.0, 12.0);
    // Reflected fraction of the power at grazing incidence on the seabed, by [Jensen 2011] without
    // attenuation.
    let sine = -ways[2].0[1];
    let under = (1500.0_f64 / 1650.0).powi(2) - ways[2].0[0].powi(2);
    let (a, b) = (1900.0 / 1026.95 * sine, under.max(0.0).sqrt());
    let kept = [1.0, 1.0, ((a - b) / (a + b)).powi(2)];
    assert!(under > 0.0 && kept[2] < 0.3);
    let pattern = |k: usize, end: usize| {
        let out = ways[k].0[1].asin();
        merrow_sensors::sonar::beam::pattern(&spec.along[end], out)
    };
    for (i, j) in [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)] {
        let (r, s) = (ways[i].2, ways[j].2);
        let (u, v) = (ways[i].1, ways[j].1);
        let angle = (u[0] * v[0] + u[1] * v[1]).min(1.0).acos();
        let apart =
            (angle.sin() + (std::f64::consts::PI - angle) * angle.cos()) / std::f64::consts::PI;
        let both = if i == j { 1.0 } else { 2.0 };
        let power = both * pattern(i, 0) * pattern(j, 1) * kept[i] * kept[j] * apart;
        let [from, to] = [r, s].map(|r| r - 0.3);
        let expected = 230.0 + strength - 20.0 * (from * to).log10() - absorbed * (r + s)
            + 10.0 * power.log10();
        let middle = (0.5 * (r + s) / spec.bin()) as usize;
        let (k, found) = peak(&levels[middle - 30..middle + 30]);
        within(&format!("level {i} {j}"), found, expected, 0.6);
        let half = levels[middle - 30..middle + 30]
            .iter()
            .filter(|l| **l > found - 3.0)
            .count();
        assert!(half < 26, "{half}");
        within(
            &format!("range {i} {j}"),
            spec.range(middle - 30 + k),
            0.5 * (r + s) - 0.3,
            0.35,
        );
    }
    let (_, alone) = ping(&world(10.0, &device(false), &rest));
    let (k, _) = peak(&beam(&spec, &alone, 1));
    within("without the other", spec.range(k), ways[0].2 - 0.3, 0.35);
    assert!(
        beam(&spec, &alone, 1)[560..]
            .iter()
            .all(|l| *l < levels[(ways[2].2 / spec.bin()) as usize] - 10.0)
    );
}
