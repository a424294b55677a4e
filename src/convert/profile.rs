//! What a profiling sonar finds bearing by bearing, as scans. Bearings are those of the sensor's own frame: about z, counter-clockwise.

use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::state::frames::ping::Ping;
use merrow_ros2::msg::sensor_msgs::LaserScan;
use merrow_ros2::msg::std_msgs::Header;

/// Ranges of a turn of the head, or of its way through the sector, as far as it has come.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Number of the ping that it heard last; those of a new start begin anew.
    last: u64,
    /// Of its first ping that was heard, set back to where it began [ns].
    stamp_ns: u64,
    ranges: Vec<f32>,
    intensities: Vec<f32>,
}

/// Range and level of a ping.
fn found(ping: &Ping) -> (f32, f32) {
    let Some(sounding) = ping.soundings.first() else {
        return (f32::NAN, 0.0);
    };
    (
        sounding.range as f32,
        if sounding.level.is_finite() {
            sounding.level as f32
        } else {
            0.0
        },
    )
}

/// A scan of bearings that begins with that of the ping `first`, `rate` pings a second [Hz].
fn scan(
    spec: &SonarSpec,
    first: u64,
    rate: f64,
    header: Header,
    ranges: Vec<f32>,
    intensities: Vec<f32>,
) -> LaserScan {
    let (a, n) = (spec.head_angle(first), ranges.len());
    // round and round the first after the last is a turn back
    let from = if first % spec.sweep_pings() + 1 == spec.sweep_pings() && spec.turns_round() {
        first - 1
    } else {
        first
    };
    let step = spec.head_angle(from + 1) - spec.head_angle(from);
    LaserScan {
        header,
        angle_min: -a as f32,
        angle_max: -(a + step * (n - 1) as f64) as f32,
        angle_increment: -step as f32,
        time_increment: (1.0 / rate) as f32,
        scan_time: (n as f64 / rate) as f32,
        range_min: spec.limits[0] as f32,
        range_max: spec.limits[1] as f32,
        ranges,
        intensities,
    }
}

/// The range of the bearing of a ping.
pub fn bearing(spec: &SonarSpec, ping: &Ping, rate: f64, header: Header) -> LaserScan {
    let (range, level) = found(ping);
    scan(spec, ping.number, rate, header, vec![range], vec![level])
}

impl Profile {
    /// Adds a ping of `stamp_ns`, `rate` of which come a second [Hz]; stamp and scan if that was the last of a sweep. What was not heard of it is NaN.
    pub fn add(
        &mut self,
        spec: &SonarSpec,
        ping: &Ping,
        stamp_ns: u64,
        rate: f64,
    ) -> Option<(u64, LaserScan)> {
        let n = spec.sweep_pings();
        let (sweep, k) = (ping.number / n, ping.number % n);
        if self.ranges.is_empty() || sweep != self.last / n || ping.number <= self.last {
            let before = (k as f64 * 1e9 / rate) as u64;
            *self = Self {
                last: ping.number,
                stamp_ns: stamp_ns.saturating_sub(before),
                ranges: vec![f32::NAN; n as usize],
                intensities: vec![0.0; n as usize],
            };
        }
        self.last = ping.number;
        (self.ranges[k as usize], self.intensities[k as usize]) = found(ping);
        (k + 1 == n).then(|| {
            let (ranges, intensities) = (
                std::mem::take(&mut self.ranges),
                std::mem::take(&mut self.intensities),
            );
            (
                self.stamp_ns,
                scan(
                    spec,
                    sweep * n,
                    rate,
                    Header::default(),
                    ranges,
                    intensities,
                ),
            )
        })
    }
}
