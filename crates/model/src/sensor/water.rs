//! Sensors that measure properties of the water or measure with sound in water: parameters and
//! readings.

use crate::persist::Persist;
use crate::sensor::errors::instrument;
use crate::sensor::{Errors, Noise};
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

spec! {
    /// Absolute pressure at the sensor [Pa].
    pub struct PressureKeys {
        /// Errors of the pressure [Pa].
        errors: Noise => "{}",
    }
}

instrument! {
    /// Sensor of the absolute pressure.
    PressureSpec(PressureKeys) { errors = "pressure" }
}

/// Reading of an absolute pressure sensor.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Pressure {
    /// Measured absolute pressure [Pa].
    pub pressure: f64,
    /// Variance of the pressure [Pa²].
    pub variance: f64,
    /// Water by which the pressure is converted to a height.
    pub water: WaterAtRest,
}

impl Pressure {
    /// Returns the height of the sensor in W [m] and its variance [m²]; `None` if the water has no
    /// weight.
    pub fn height(&self) -> Option<[f64; 2]> {
        let WaterAtRest {
            level,
            surface_pressure,
            weight,
        } = self.water;
        (weight > 0.0).then(|| {
            let height = level - (self.pressure - surface_pressure) / weight;
            [height, self.variance / (weight * weight)]
        })
    }
}

/// Water without waves at the place and the time of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct WaterAtRest {
    /// Height of its surface in W [m].
    pub level: f64,
    /// Pressure of the air at its surface [Pa].
    pub surface_pressure: f64,
    /// Mean weight density of the water above the sensor [N/m³].
    pub weight: f64,
}

spec! {
    /// Distance to the seabed along the x axis of the sensor [m].
    pub struct AltimeterKeys {
        /// Errors of the distance [m].
        errors: Noise => "{}",
        /// Minimum range of the altimeter.
        min_range_m: f64 [non_negative],
        /// Maximum range of the altimeter.
        max_range_m: f64 [positive],
        /// Full width of the beam.
        beam_width_deg: f64 [positive] = 10.0,
    }
}

instrument! {
    /// Single-beam echo sounder along its x axis.
    AltimeterSpec(AltimeterKeys) { errors = "range" }
}

/// Range to the seabed along the beam.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Altimeter {
    /// Range [m]; +inf beyond the maximum range, -inf below the minimum range (REP-117).
    pub range: f64,
    /// Minimum and maximum range [m].
    pub limits: [f64; 2],
    /// Full beam width [rad].
    pub beam_width: f64,
    /// Variance of the range [m²].
    pub variance: f64,
}

spec! {
    /// Velocity over the seabed or through the water (Doppler velocity log).
    pub struct DopplerVelocityLog {
        /// Angle between the beams and the -z axis of the sensor.
        beam_angle_deg: f64 [in 1.0..=60.0],
        /// Azimuths of the four beams about z, from x, counter-clockwise.
        beam_azimuths_deg: [f64; 4] = [45.0, 135.0, -135.0, -45.0],
        /// Standard deviation of the velocity along a beam in bottom track.
        bottom_std_m_s: f64 [non_negative],
        /// Standard deviation of the velocity along a beam in water track.
        water_std_m_s: f64 [non_negative] = 0.0,
        /// Standard deviation of the scale error.
        scale_std_percent: f64 [non_negative] = 0.0,
        /// Standard deviation of the range along a beam.
        range_std_m: f64 [non_negative] = 0.0,
        /// Minimum and maximum altitude for bottom track of a level instrument over a level seabed;
        /// in any attitude, the corresponding slant ranges limit each beam.
        altitude_m: [f64; 2] [non_negative],
        /// Nearest and farthest edge of the water-track layer. Default: no water track.
        water_layer_m: Option<[f64; 2]> [non_negative],
        /// Maximum speed along a beam.
        max_beam_speed_m_s: f64 [positive] = 10.0,
        /// Resolution of the velocity output; 0 for none.
        resolution_m_s: f64 [non_negative] = 0.0,
        /// Probability that a beam is lost at the maximum altitude.
        beam_loss: f64 [fraction] = 0.0,
        /// Ping rates by altitude, from the lowest range mode up, each limited by `rate_hz`.
        /// Default: always `rate_hz`.
        range_modes: Vec<RangeMode> = Vec::new(),
        /// Pings per second in water track. Default: `search_rate_hz`.
        water_rate_hz: Option<f64> [positive],
        /// Pings per second without bottom and water track. Default: the rate of the slowest
        /// range mode.
        search_rate_hz: Option<f64> [positive],
    }

    /// A range mode of a DVL.
    pub struct RangeMode {
        /// Minimum and maximum altitude. Where two modes overlap, the DVL switches at the midpoint
        /// of the overlap.
        altitude_m: [f64; 2] [non_negative],
        /// Pings per second in this mode.
        rate_hz: f64 [positive],
    }
}

/// Doppler velocity log with four beams.
#[derive(Clone, Debug)]
pub struct DvlSpec {
    /// Keys of the instrument.
    pub log: DopplerVelocityLog,
    /// Unit beam directions in S, pointing away from the transducer.
    pub beams: [Vec3; 4],
    /// Standard deviation of the relative scale error of the velocity [-].
    pub scale_std: f64,
    /// Ping rate as a function of altitude; `None`: the rate of the sensor.
    pub ping_rates: Option<PingRates>,
}

impl DvlSpec {
    /// Returns the minimum and maximum slant range of the beam with the direction `d` in S [m].
    pub fn range_limits(&self, d: Vec3) -> [f64; 2] {
        self.log.altitude_m.map(|altitude| altitude / -d.z)
    }
}

/// Ping rate of a DVL as a function of its last measurement [Hz].
#[derive(Clone, Debug)]
pub struct PingRates {
    /// Range modes: minimum altitude [m], ascending from 0, and ping rate [Hz].
    pub modes: Vec<[f64; 2]>,
    /// Ping rate during water track only [Hz].
    pub water: f64,
    /// Ping rate without bottom or water track [Hz].
    pub search: f64,
}

impl PingRates {
    /// Creates the rates of a DVL with range modes, which switch at the midpoints of the overlaps.
    pub fn new(log: &DopplerVelocityLog) -> Self {
        let modes = &log.range_modes;
        let rates = modes.iter().map(|mode| mode.rate_hz);
        let slowest = rates.fold(f64::INFINITY, f64::min);
        let search = log.search_rate_hz.unwrap_or(slowest);
        let from = |k: usize| match k {
            0 => 0.0,
            k => 0.5 * (modes[k - 1].altitude_m[1] + modes[k].altitude_m[0]),
        };
        let numbered = modes.iter().enumerate();
        Self {
            modes: numbered.map(|(k, mode)| [from(k), mode.rate_hz]).collect(),
            water: log.water_rate_hz.unwrap_or(search),
            search,
        }
    }

    /// Returns the ping rate [Hz] for the last measured `altitude` [m]. Without an altitude it is
    /// the water-track rate if `tracks_water` is true, otherwise the search rate.
    pub fn rate(&self, altitude: Option<f64>, tracks_water: bool) -> f64 {
        match altitude {
            Some(altitude) => {
                let mode = self.modes.iter().rfind(|[from, _]| *from <= altitude);
                mode.map_or(self.search, |[_, rate]| *rate)
            }
            None if tracks_water => self.water,
            None => self.search,
        }
    }

    /// Returns the minimum of all rates [Hz].
    pub fn min_rate(&self) -> f64 {
        self.modes
            .iter()
            .map(|[_, rate]| *rate)
            .fold(self.water.min(self.search), f64::min)
    }
}

/// Reference of the DVL velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum DvlLock {
    /// Seabed: the DVL has bottom track.
    Bottom,
    /// Water below the vehicle (water track).
    Water,
    /// No lock: too few valid beams.
    None,
}

/// One acoustic beam of a DVL.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct DvlBeam {
    /// Unit vector pointing away from the transducer, in S.
    pub direction: Vec3,
    /// True if the beam has an echo from the seabed.
    pub bottom: bool,
    /// Slant range to the seabed [m]; NaN without an echo.
    pub range: f64,
    /// Velocity along the beam, positive away from the transducer [m/s]; NaN if invalid.
    pub velocity: f64,
    /// Variance of this velocity [m²/s²].
    pub velocity_variance: f64,
}

/// Ping of a Doppler velocity log.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Dvl {
    /// Reference of the velocity.
    pub lock: DvlLock,
    /// Velocity of S, expressed in S [m/s]; NaN without lock.
    pub velocity: Vec3,
    /// Covariance of the velocity [m²/s²], row-major.
    pub covariance: [f64; 9],
    /// Altitude above the seabed [m]; NaN without bottom lock or with a target above.
    pub altitude: f64,
    /// Measurements of the four beams.
    pub beams: [DvlBeam; 4],
    /// Variance of the range of a beam [m²].
    pub range_variance: f64,
    /// Sound speed that the instrument uses [m/s].
    pub sound_speed: f64,
}

/// Quantity of the water that an instrument measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Temperature of the water [°C].
    Temperature,
    /// Practical salinity of the water [psu].
    Salinity,
    /// Density of the water [kg/m³].
    Density,
    /// Speed of sound [m/s].
    SoundSpeed,
    /// Tracer of the water, by its index in `Sea::tracers`.
    Tracer(usize),
}

impl Quantity {
    /// Quantities that all water has: key in world files, quantity and unit.
    pub const WATER_QUANTITIES: [(&'static str, Quantity, &'static str); 4] = [
        ("temperature", Quantity::Temperature, "degC"),
        ("salinity", Quantity::Salinity, "psu"),
        ("density", Quantity::Density, "kg/m3"),
        ("sound_speed", Quantity::SoundSpeed, "m/s"),
    ];
}

spec! {
    /// A probe for one quantity of the water.
    pub struct ProbeKeys {
        /// Measured quantity: `temperature`, `salinity`, `density`, `sound_speed`, or the name of a
        /// quantity in `water.tracers`.
        field: String [name],
        /// Errors, in the unit of the quantity.
        errors: Noise => "{}",
        /// Time constant of the response.
        response_s: f64 [non_negative] = 0.0,
        /// Minimum and maximum reading, in the unit of the quantity. Default: unlimited.
        range: Option<[f64; 2]>,
        /// Readings closer to 0 than this are reported as 0, in the unit of the quantity.
        detection_limit: f64 [non_negative] = 0.0,
    }
}

/// Probe of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeSpec {
    /// Keys of the probe.
    pub keys: ProbeKeys,
    /// Quantity that the probe measures.
    pub quantity: Quantity,
    /// Unit of the quantity.
    pub unit: String,
    /// Error model of the quantity.
    pub errors: Errors,
}

/// Reading of a probe for one quantity of the water.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Probe {
    /// Value in the unit of the quantity; NaN where undefined.
    pub value: f64,
    /// Variance, in the squared unit of the quantity.
    pub variance: f64,
}

spec! {
    /// Conversion of pressure to depth.
    pub enum DepthLaw words {
        /// Sea water of 0 degC and salinity 35 (UNESCO 44).
        Seawater = "seawater",
        /// Fresh water, as in lakes and rivers.
        Fresh = "fresh",
    }

    /// A conductivity, temperature and depth probe (CTD).
    pub struct CtdKeys {
        /// Errors of the temperature [degC].
        temperature: Noise => "{}",
        /// Errors of the conductivity [S/m].
        conductivity: Noise => "{}",
        /// Errors of the pressure [Pa].
        pressure: Noise => "{}",
        /// Time constant of the thermometer.
        temperature_response_s: f64 [non_negative] = 0.0,
        /// Time constant of the conductivity cell.
        conductivity_response_s: f64 [non_negative] = 0.0,
        /// Conversion of pressure to depth.
        depth_law: DepthLaw = DepthLaw::Seawater,
    }
}

/// Conductivity, temperature and depth instrument (CTD).
#[derive(Clone, Debug, PartialEq)]
pub struct CtdSpec {
    /// Keys of the instrument.
    pub keys: CtdKeys,
    /// Error models of temperature [°C], conductivity [S/m] and pressure [Pa].
    pub errors: [Errors; 3],
    /// Gravity in the conversion of pressure to depth [m/s²].
    pub gravity: f64,
}

/// Measured and derived quantities of a CTD.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Ctd {
    /// Water temperature on the ITS-90 scale [°C].
    pub temperature: f64,
    /// Conductivity of the water [S/m].
    pub conductivity: f64,
    /// Absolute pressure of the water [Pa].
    pub pressure: f64,
    /// Practical salinity, derived [psu].
    pub salinity: f64,
    /// Depth, derived from the pressure [m].
    pub depth: f64,
    /// Sound speed, derived [m/s].
    pub sound_speed: f64,
    /// Variances of temperature [K²], conductivity [S²/m²] and pressure [Pa²].
    pub variances: [f64; 3],
}

spec! {
    /// A sampler that fills bottles with water.
    pub struct WaterSamplerKeys {
        /// Number of bottles that can be filled.
        bottles: u32 [in 1.0..=1000.0] = 1,
        /// Volume of a bottle.
        volume_m3: f64 [positive],
        /// Flow rate of the pump.
        flow_m3_s: f64 [positive],
        /// Quantities that are measured in a bottle, named as `field` of a probe. Default:
        /// temperature, salinity and all tracers.
        fields: Vec<String> [name] = Vec::new(),
    }
}

/// Water sampler with its quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerSpec {
    /// Keys of the sampler.
    pub keys: WaterSamplerKeys,
    /// Quantities that are determined from the bottles, at most eight.
    pub quantities: Vec<Quantity>,
    /// Names of the quantities, each with its unit.
    pub names: Vec<String>,
}
