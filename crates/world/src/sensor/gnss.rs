//! Builders of the receivers of navigation satellites.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_math::rng::Stream;
use merrow_model::sensor::gnss::{
    GnssKeys, GnssSky, GnssSpec, HeadingReceiver, SatelliteConstellation,
};
use merrow_sensors::gnss::visibility::dilution;

/// Minimum horizontal baseline of two antennas [m].
const MIN_BASELINE: f64 = 0.01;

impl BuildSensor for GnssKeys {
    type Spec = GnssSpec;

    fn build(&self, cx: &SensorContext<'_>) -> GnssSpec {
        let sky = self.sky.as_ref();
        GnssSpec {
            constellation: sky.map(|sky| build_constellation(sky, cx.stream("sky"))),
            receiver: self.clone(),
        }
    }
}

/// Distributes satellites evenly over the sky above the mask, on a golden-angle spiral with a
/// random start.
fn build_constellation(file: &GnssSky, stream: Stream) -> SatelliteConstellation {
    let n = file.satellites;
    let lowest = sin_cos(file.elevation_mask_deg.to_radians()).0;
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let start = std::f64::consts::TAU * stream.draw(0).uniform();
    let satellite = |k: u32| {
        let up = lowest + (1.0 - lowest) * (f64::from(k) + 0.5) / f64::from(n);
        let (s, c) = sin_cos(start + golden * f64::from(k));
        let level = (1.0 - up * up).sqrt();
        Vec3::new(level * c, level * s, up)
    };
    let satellites: Vec<Vec3> = (0..n).map(satellite).collect();
    // Six or more satellites on a spiral never lie on a cone.
    let dilution = dilution(satellites.iter().copied()).unwrap_or([1.0; 2]);
    SatelliteConstellation {
        satellites,
        dilution,
    }
}

impl BuildSensor for HeadingReceiver {
    type Spec = Self;

    fn build(&self, cx: &SensorContext<'_>) -> Self {
        let antennas = self.antennas_m.map(Vec3::from);
        let b = antennas[1] - antennas[0];
        if b.x * b.x + b.y * b.y < MIN_BASELINE * MIN_BASELINE {
            let text = format!(
                "the horizontal distance of the antennas is {} m; expected at least {MIN_BASELINE} m",
                libm::hypot(b.x, b.y)
            );
            cx.error(self.at.key_place("antennas_m"), text);
        }
        self.clone()
    }
}
