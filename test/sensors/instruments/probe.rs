//! Tests of probes that measure one quantity of the water.

use crate::common::turntable::{ball, set_motion, set_pose, statistics, weightless};
use crate::common::{close, reading, readings, simulation};
use merrow_math::Vec3;
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;

const WATER: &str = "water:
  column: {layers: [{depth_m: 0, temperature_c: 20, salinity_psu: 35}, {depth_m: 100, temperature_c: 10, salinity_psu: 36}]}
  tracers:
    turbidity: {unit: NTU, profile: [[0, 1], [100, 11]]}
    plankton: {unit: 1/m3, profile: [[0, 0], [10, 300]]}
weather: {temperature_c: 25}";

fn probe(keys: &str) -> String {
    format!("p: {{device: {{source: test, kind: probe, rate_hz: 500, {keys}}}}}")
}

fn world(sensors: &str) -> Simulation {
    simulation(&weightless(WATER, sensors))
}

fn value(s: &mut Simulation, sensor: usize) -> f64 {
    let Reading::Probe(p) = reading(s, sensor) else {
        panic!("not a probe")
    };
    p.value
}

// A probe measures the value of its field at its position, and the value of the air out of the
// water. Method: linear profiles by hand at 40 m (the seawater equations are tested elsewhere);
// then 10 m above the water: the air temperature minus 6.5 K per kilometre. Tolerance: rounding.
#[test]
fn probes_measure_their_field_at_their_position() {
    let fields = [
        "temperature",
        "salinity",
        "density",
        "sound_speed",
        "turbidity",
        "plankton",
    ];
    let all = fields
        .map(|f| probe(&format!("field: {f}")).replacen("p:", &format!("{f}:"), 1))
        .join(", ");
    let mut s = world(&all);
    set_pose(&mut s, Vec3::new(3.0, 4.0, -40.0), [0.0; 3]);
    let found: Vec<f64> = (0..6).map(|k| value(&mut s, k)).collect();
    let layer = s.state.sea.column.as_ref().unwrap().properties_at(-40.0);
    let expected = [16.0, 35.4, layer.density, layer.sound_speed, 5.0, 300.0];
    for ((field, found), expected) in fields.into_iter().zip(found).zip(expected) {
        close(field, found, expected, 1e-12);
    }
    assert!(
        (1020.0..1030.0).contains(&layer.density) && (1505.0..1520.0).contains(&layer.sound_speed)
    );
    set_pose(&mut s, Vec3::new(3.0, 4.0, 10.0), [0.0; 3]);
    let [
        temperature,
        salinity,
        density,
        sound_speed,
        turbidity,
        plankton,
    ] = std::array::from_fn(|k| value(&mut s, k));
    close("air", temperature, 25.0 - 0.065, 1e-12);
    assert_eq!([salinity, turbidity, plankton], [0.0; 3]);
    assert!(density.is_nan() && sound_speed.is_nan());
}

// A slow thermometer lags by τ times the rate of change of the temperature. Method: sinking at 2
// m/s through 0.1 K/m, samples at 500 Hz and with a third of them lost; at τ = 0.5 s, from the
// start and settled. Tolerance: 1e-9, for the rounding of the path of the ball.
#[test]
fn slow_thermometer_lags_on_a_ramp() {
    for loss_probability in ["0", "0.33"] {
        let mut s = world(&probe(&format!(
            "field: temperature, response_s: 0.5, loss_probability: {loss_probability}"
        )));
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -10.0),
            [0.0; 3],
            Vec3::new(0.0, 0.0, -2.0),
            Vec3::zero(),
        );
        let all = readings(&mut s, 0, 20.0);
        // If the first sample is lost, the lag starts later; the difference decays quickly.
        let from = if loss_probability == "0" { 0.0 } else { 15.0 };
        for r in all.iter().filter(|r| r.stamp_ns as f64 * 1e-9 > from) {
            let Reading::Probe(p) = r.reading else {
                panic!("not a probe")
            };
            let t = r.stamp_ns as f64 * 1e-9;
            let lag = 0.5 * (1.0 - (-t / 0.5).exp());
            close(
                "temperature",
                p.value,
                20.0 - 0.1 * (10.0 + 2.0 * (t - lag)),
                1e-9,
            );
        }
        assert!(all.len() > 6000, "{}", all.len());
    }
}

// Noise, resolution, range and detection limit are as stated. Method: at rest; 20 000 samples with
// a standard deviation of 0.05 NTU (4 standard errors: 2 %); values rounded, clipped and cut off by
// hand. Tolerance: as stated, otherwise none.
#[test]
fn errors_of_a_probe_are_as_stated() {
    let mut s = world(&probe("field: turbidity, errors: {density: 0.002236068}"));
    set_pose(&mut s, Vec3::new(0.0, 0.0, -40.0), [0.0; 3]);
    let all: Vec<f64> = readings(&mut s, 0, 40.0)
        .iter()
        .map(|r| {
            let Reading::Probe(p) = r.reading else {
                panic!("not a probe")
            };
            close("variance", p.variance, 0.0025, 1e-6);
            p.value
        })
        .collect();
    let (mean, std) = statistics(&all);
    assert!(
        (mean - 5.0).abs() < 4.0 * 0.05 / 141.0 && (std / 0.05 - 1.0).abs() < 0.02,
        "{mean} {std}"
    );
    for (keys, depth, expected) in [
        ("errors: {resolution: 0.4}", 37.0, 4.8),
        ("range: [2, 4.5]", 37.0, 4.5),
        ("range: [2, 4.5]", 0.1, 2.0),
        ("detection_limit: 1.5", 4.0, 0.0),
        ("detection_limit: 1.5", 6.0, 1.6),
    ] {
        let mut s = world(&probe(&format!("field: turbidity, {keys}")));
        set_pose(&mut s, Vec3::new(0.0, 0.0, -depth), [0.0; 3]);
        close(keys, value(&mut s, 0), expected, 1e-12);
    }
}

// Water of which only the density is stated has the corresponding salinity, in the sea and in a
// region. Method: the density of that salinity by EOS-80, and a river that is less dense than fresh
// water. Tolerance: rounding.
#[test]
fn salinity_follows_from_the_density() {
    use merrow_environment::seawater::{density, ipts68_from_its90};
    let rho = density(31.0, ipts68_from_its90(12.0), 0.0);
    let top = format!(
        "water:
  density_kg_m3: {rho}
  temperature_c: 12
  regions: {{river: {{corners_m: [[0, 0], [9, 0], [9, 9], [0, 9]], density_kg_m3: 999}}}}"
    );
    let mut s = simulation(&ball(&top, "", &probe("field: salinity")));
    set_pose(&mut s, Vec3::new(-5.0, 0.0, -3.0), [0.0; 3]);
    close("sea", value(&mut s, 0), 31.0, 1e-10);
    set_pose(&mut s, Vec3::new(5.0, 5.0, -3.0), [0.0; 3]);
    close("river", value(&mut s, 0), 0.0, 1e-10);
}

// Faults act on a probe as on other sensors. Method: biased, stuck and dead probes while sinking.
// Tolerance: rounding.
#[test]
fn probe_faults_act_as_on_other_sensors() {
    for (fault, at_end) in [
        ("biased, bias: 2.5", Some(7.5)),
        ("stuck", Some(1.0)),
        ("dead", None),
    ] {
        let top = format!(
            "{WATER}\nfaults: {{x: {{robot: ball, target: p, time_s: 0.1, kind: {fault}}}}}"
        );
        let mut s = simulation(&weightless(&top, &probe("field: turbidity")));
        set_pose(&mut s, Vec3::zero(), [0.0; 3]);
        assert!(readings(&mut s, 0, 0.1).len() >= 49);
        set_pose(&mut s, Vec3::new(0.0, 0.0, -40.0), [0.0; 3]);
        let found = readings(&mut s, 0, 0.1).last().map(|r| {
            let Reading::Probe(p) = r.reading else {
                panic!("not a probe")
            };
            p.value
        });
        match (found, at_end) {
            (Some(found), Some(expected)) => close(fault, found, expected, 1e-12),
            (found, expected) => assert_eq!(found, expected, "{fault}"),
        }
    }
}
