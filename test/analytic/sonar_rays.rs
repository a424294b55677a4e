//! Rays of sonars that bend: the closed forms of arcs, layer by layer, and what an echo sounder makes of them.

use super::sonar::{BARE, beam, near, peak, ping, world};
use crate::common::simulation;
use merrow::environment::sound::Waveguide;
use merrow::math::Vec3;

/// Temperatures from the surface to 50 m: sound slows down going down, or speeds up.
const WARM_ABOVE: [f64; 2] = [24.0, 3.0];
const WARM_BELOW: [f64; 2] = [3.0, 24.0];

/// A sonar 2 m under the surface of a column that reaches 50 m down, over a bottom there.
fn column(device: &str, temperatures: [f64; 2], rest: &str) -> String {
    let [a, b] = temperatures;
    let layers = format!(
        "column: {{layers: [{{depth_m: 0, temperature_c: {a}, salinity_psu: 35}}, {{depth_m: 50, temperature_c: {b}, salinity_psu: 35}}]}}"
    );
    world(2.0, device, rest)
        .replace("density_kg_m3: 1026.95, sound_speed_m_s: 1500, temperature_c: 10", &layers)
}

fn guide(text: &str) -> Waveguide {
    let sim = simulation(text);
    Waveguide::about(&sim.scene.sea, 9.81, Vec3::zero(), 0.0, 50.0).unwrap()
}

/// Where and when a ray from 2 m down under an angle from upright comes to a depth: by the closed form of an arc in each layer.
fn arc(guide: &Waveguide, angle: f64, to: f64) -> (f64, f64) {
    let xi = angle.sin() / guide.speed(2.0);
    let edges: Vec<f64> = std::iter::once(2.0)
        .chain(guide.nodes().iter().map(|n| n[0]).filter(|z| *z > 2.0 && *z < to))
        .chain([to])
        .collect();
    let (mut x, mut time) = (0.0, 0.0);
    for pair in edges.windows(2) {
        let [c1, c2] = [guide.speed(pair[0]), guide.speed(pair[1])];
        let g = (c2 - c1) / (pair[1] - pair[0]);
        // sines of the angle below the horizontal
        let [s1, s2] = [c1, c2].map(|c| (1.0 - (xi * c).powi(2)).sqrt());
        x += if xi > 0.0 { (s1 - s2) / (xi * g) } else { 0.0 };
        time += if xi > 0.0 { (s1.atanh() - s2.atanh()) / g } else { (c2 / c1).ln() / g };
    }
    (x, time)
}

fn sounder(bent: bool, speed: f64) -> String {
    // loud enough for the far ends of the fan
    let bare = BARE.replace("source_level_db: 210", "source_level_db: 230");
    format!(
        "kind: multibeam, sector_deg: 120, beams: 41, beam_width_deg: 0.5, along_width_deg: 0.5, rays: [600, 3], pulse_us: 60, max_range_m: 140, bins: 2800, \
         sound_speed_m_s: {speed}, ray_bent: {bent}, {bare}"
    )
}

// Goal: with bent rays an echo comes when the arc of its launch angle has reached the bottom and come back, with straight ones when the straight way has. Method: a column from 1530 to 1460 m/s over 50 m; times
// by the closed form of an arc in each of its layers. Tolerance: 5 cm of 50 to 90 m, a bin; the two differ by 1 m at 60 degrees.
#[test]
fn rays_bend_as_exact_arcs() {
    let find = |bent: bool| {
        let text = column(&sounder(bent, 1500.0), WARM_ABOVE, "seabed: {depth_m: 50}");
        (ping(&text).1.soundings, guide(&text))
    };
    let (bent, guide) = find(true);
    let (straight, _) = find(false);
    let mut apart = 0.0_f64;
    for (k, sounding) in bent.iter().enumerate() {
        let angle = (-60.0 + 3.0 * k as f64).to_radians().abs();
        near("arc", sounding.range, 1500.0 * arc(&guide, angle, 50.0).1, 0.05);
        apart = apart.max((sounding.range - straight[k].range).abs());
    }
    assert!(apart > 0.2, "{apart}");
}

// Goal: an echo sounder that takes the speed of sound for the same everywhere shows a flat bottom as a smile, edges up, where sound slows down going down, and as a frown where it speeds up. Method: it assumes the
// speed by which the depth under it is right; c₀ t(θ) cos θ with the closed form of t. Tolerance: a bin of 5 cm; edges at least 1 m off.
#[test]
fn a_flat_bottom_smiles_or_frowns() {
    for (temperatures, sign) in [(WARM_ABOVE, 1.0), (WARM_BELOW, -1.0)] {
        let text = |speed: f64| column(&sounder(true, speed), temperatures, "seabed: {depth_m: 50}");
        let guide = guide(&text(1500.0));
        let mean = 48.0 / arc(&guide, 0.0, 50.0).1;
        let (spec, ping) = ping(&text(mean));
        for (sounding, angle) in ping.soundings.iter().zip(&spec.steering) {
            let told = sounding.range * angle.cos();
            near("told", told, mean * arc(&guide, angle.abs(), 50.0).1 * angle.cos(), 0.05);
        }
        let edge = 48.0 - ping.soundings[0].range * spec.steering[0].cos();
        near("under it", ping.soundings[20].range, 48.0, 0.05);
        assert!(sign * edge > 1.0, "{edge}");
    }
}

// Goal: beams land elsewhere. Method: a ball of 30 cm on the closed arc of the beam at 60 degrees, 45 m down, 2 m off the straight way: that beam hears it with bent rays at the time of the arc and not with straight ones. Tolerance: 0.35 m.
#[test]
fn a_bent_beam_meets_what_lies_on_its_arc() {
    let of = |bent: bool| {
        let guide = guide(&column(&sounder(bent, 1500.0), WARM_ABOVE, ""));
        let (y, time) = arc(&guide, 60_f64.to_radians(), 45.0);
        assert!((y - 43.0 * 3f64.sqrt()).abs() > 1.5, "{y}");
        // starboard, as the last beam
        let ball = format!(
            "structures: {{t: {{position_m: [0, {}, -45], shapes: {{s: {{kind: sphere, radius_m: 0.3}}}}}}}}",
            -y
        );
        let (spec, ping) = ping(&column(&sounder(bent, 1500.0), WARM_ABOVE, &ball));
        let (k, most) = peak(&beam(&spec, &ping, 40));
        (spec.range(k), most, 1500.0 * time)
    };
    let (found, level, exact) = of(true);
    near("range", found, exact - 0.15, 0.35);
    assert!(level > of(false).1 + 20.0, "{level} {:?}", of(false));
}
