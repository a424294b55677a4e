//! Conversion of the bearings of a profiling sonar to scans. Bearings are in the sensor frame:
//! about z, counter-clockwise.

use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::state::frames::ping::Ping;
use merrow_ros2::msg::sensor_msgs::LaserScan;
use merrow_ros2::msg::std_msgs::Header;

/// Accumulator of the ranges of one turn of the head, or of one pass through the sector.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Number of the latest received ping. A restart resets the numbers.
    last: u64,
    /// Start time of the sweep, computed from its first received ping [ns].
    stamp_ns: u64,
    ranges: Vec<f32>,
    intensities: Vec<f32>,
}

/// Returns range [m] and level of a ping.
fn range_and_level(ping: &Ping) -> (f32, f32) {
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

/// Builds a scan that starts at the bearing of the ping `first`; `rate` is the ping rate [Hz].
fn scan(
    spec: &SonarSpec,
    first: u64,
    rate: f64,
    header: Header,
    ranges: Vec<f32>,
    intensities: Vec<f32>,
) -> LaserScan {
    let (a, n) = (spec.head_angle(first), ranges.len());
    // a full-circle head returns by one turn after the last ping
    let from =
        if first % spec.sweep_pings() + 1 == spec.sweep_pings() && spec.rotates_continuously() {
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

/// Builds the scan with the single bearing of a ping.
pub fn bearing(spec: &SonarSpec, ping: &Ping, rate: f64, header: Header) -> LaserScan {
    let (range, level) = range_and_level(ping);
    scan(spec, ping.number, rate, header, vec![range], vec![level])
}

impl Profile {
    /// Adds a ping of time `stamp_ns` [ns]; `rate` is the ping rate [Hz]. Returns time stamp and
    /// scan if the ping completes a sweep. Missed bearings are NaN.
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
        (self.ranges[k as usize], self.intensities[k as usize]) = range_and_level(ping);
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
