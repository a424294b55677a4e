//! Sensors that measure properties of the water or measure with sound in water: keys of their
//! files and conversion to the scene.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::scene::SensorKind;
use merrow_model::sensor::water::{
    AltimeterSpec, CtdSpec, DepthLaw, DopplerVelocityLog, DvlSpec, PingRates, PressureSpec,
    ProbeSpec, Quantity, SamplerSpec,
};
use merrow_model::sensor::{Errors, Noise};
use merrow_model::state::bottle::FIELDS;
use merrow_yaml::error::{Place, Problems, did_you_mean, quote, quoted_list};
use merrow_yaml::spec::spec;

/// Names and units of the tracers of the water of a world; `None` if unknown.
pub(crate) type TracerNames<'a> = Option<&'a [(String, String)]>;

spec! {
    /// Absolute pressure at the sensor [Pa].
    pub(crate) struct PressureConfig {
        /// Errors of the pressure [Pa].
        errors: Noise => "{}",
    }
}

impl BuildSensor for PressureConfig {
    fn build(&self, context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        SensorKind::Pressure(PressureSpec {
            errors: context.errors(&self.errors, "pressure"),
        })
    }
}

spec! {
    /// Distance to the seabed along the x axis of the sensor [m].
    pub struct AltimeterConfig {
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

impl BuildSensor for AltimeterConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        let (near, far) = (self.min_range_m, self.max_range_m);
        if near >= far {
            let text = format!("`min_range_m` is {near}; expected less than `max_range_m` {far}");
            problems.push(self.at.key_place("min_range_m"), text);
        }
        SensorKind::Altimeter(AltimeterSpec {
            errors: context.errors(&self.errors, "range"),
            limits: [near, far],
            beam_width: self.beam_width_deg.to_radians(),
        })
    }
}

impl BuildSensor for DopplerVelocityLog {
    fn build(&self, _context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        SensorKind::Dvl(build_dvl(self, problems))
    }
}

fn build_dvl(file: &DopplerVelocityLog, problems: &mut Problems) -> DvlSpec {
    let mut ordered = |key: &str, pair: &[f64; 2]| {
        if pair[0] >= pair[1] {
            problems.push(
                file.at.key_place(key),
                format!(
                    "`{key}` is [{}, {}]; expected the smaller value first",
                    pair[0], pair[1]
                ),
            );
        }
    };
    ordered("altitude_m", &file.altitude_m);
    if let Some(layer) = &file.water_layer_m {
        ordered("water_layer_m", layer);
    }
    let (s, c) = sin_cos(file.beam_angle_deg.to_radians());
    DvlSpec {
        log: file.clone(),
        beams: file.beam_azimuths_deg.map(|azimuth| {
            let (sa, ca) = sin_cos(azimuth.to_radians());
            Vec3::new(s * ca, s * sa, -c)
        }),
        scale_std: file.scale_std_percent / 100.0,
        ping_rates: build_ping_rates(file, problems),
    }
}

/// Builds the ping rates of a DVL from its range modes, for water track and for search; `None`
/// without modes.
fn build_ping_rates(file: &DopplerVelocityLog, problems: &mut Problems) -> Option<PingRates> {
    let (modes, at) = (&file.range_modes, &file.at);
    let [water, search] = [file.water_rate_hz, file.search_rate_hz];
    if modes.is_empty() {
        for key in ["water_rate_hz", "search_rate_hz"]
            .into_iter()
            .filter(|key| at.has_key(key))
        {
            problems.push(
                at.key_place(key),
                format!("`{key}` without `range_modes`; expected both or none"),
            );
        }
        return None;
    }
    for mode in modes
        .iter()
        .filter(|mode| mode.altitude_m[0] >= mode.altitude_m[1])
    {
        let [low, high] = mode.altitude_m;
        let text = format!("`altitude_m` is [{low}, {high}]; expected the smaller value first");
        problems.push(mode.at.key_place("altitude_m"), text);
    }
    for pair in modes.windows(2) {
        let rises = |k: usize| pair[0].altitude_m[k] < pair[1].altitude_m[k];
        if !rises(0) || !rises(1) {
            let text = "the range mode is not higher than the previous one; expected higher altitudes at both ends"
                .to_string();
            problems.push(pair[1].at.key_place("altitude_m"), text);
        }
    }
    let slowest = modes
        .iter()
        .map(|mode| mode.rate_hz)
        .fold(f64::INFINITY, f64::min);
    let search = search.unwrap_or(slowest);
    let from = |k: usize| match k {
        0 => 0.0,
        k => 0.5 * (modes[k - 1].altitude_m[1] + modes[k].altitude_m[0]),
    };
    Some(PingRates {
        modes: modes
            .iter()
            .enumerate()
            .map(|(k, mode)| [from(k), mode.rate_hz])
            .collect(),
        water: water.unwrap_or(search),
        search,
    })
}

spec! {
    /// A probe for one quantity of the water.
    pub struct ProbeConfig {
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

impl BuildSensor for ProbeConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        let errors = context.errors(&self.errors, &self.field);
        let tracers = context.world.tracers;
        SensorKind::Probe(probe(self, errors, tracers, problems))
    }
}

spec! {
    /// A conductivity, temperature and depth probe (CTD).
    pub struct CtdConfig {
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

impl BuildSensor for CtdConfig {
    fn build(&self, context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        let errors = [
            context.errors(&self.temperature, "temperature"),
            context.errors(&self.conductivity, "conductivity"),
            context.errors(&self.pressure, "pressure"),
        ];
        SensorKind::Ctd(ctd(self, errors, context.world.gravity))
    }
}

spec! {
    /// A sampler that fills bottles with water.
    pub struct WaterSamplerConfig {
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

impl BuildSensor for WaterSamplerConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        SensorKind::WaterSampler(sampler(self, context.world.tracers, problems))
    }
}

/// Builds a probe with the error model `errors`.
pub fn probe(
    file: &ProbeConfig,
    errors: Errors,
    tracers: TracerNames<'_>,
    problems: &mut Problems,
) -> ProbeSpec {
    let (quantity, unit) =
        find_quantity(&file.field, file.at.key_place("field"), tracers, problems);
    let range = file.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    if range[0] >= range[1] {
        let text = format!(
            "`range` is [{}, {}]; expected the smaller value first",
            range[0], range[1]
        );
        problems.push(file.at.key_place("range"), text);
    }
    ProbeSpec {
        quantity,
        field: file.field.as_str().into(),
        unit: unit.into(),
        errors,
        response_s: file.response_s,
        range,
        detection_limit: file.detection_limit,
    }
}

/// Returns the quantity that the name `field`, written at `place`, denotes, and its unit.
fn find_quantity(
    field: &str,
    place: &Place,
    tracers: TracerNames<'_>,
    problems: &mut Problems,
) -> (Quantity, String) {
    if let Some((_, quantity, unit)) = Quantity::WATER_QUANTITIES
        .iter()
        .find(|(name, ..)| *name == field)
    {
        return (*quantity, (*unit).to_string());
    }
    let Some(tracers) = tracers else {
        return (Quantity::Temperature, String::new());
    };
    if let Some(k) = tracers.iter().position(|(name, _)| name == field) {
        return (Quantity::Tracer(k), tracers[k].1.clone());
    }
    let known = || {
        Quantity::WATER_QUANTITIES
            .iter()
            .map(|(name, ..)| *name)
            .chain(tracers.iter().map(|(n, _)| n.as_str()))
    };
    let text = format!(
        "unknown water quantity {}; expected one of {}, or a name under `water.tracers`{}",
        quote(field),
        quoted_list(known()),
        did_you_mean(field, known())
    );
    problems.push(place, text);
    (Quantity::Temperature, String::new())
}

/// Builds a water sampler from its file.
pub fn sampler(
    file: &WaterSamplerConfig,
    tracers: TracerNames<'_>,
    problems: &mut Problems,
) -> SamplerSpec {
    let place = file.at.key_place("fields");
    let mut fields: Vec<String> = file.fields.clone();
    if fields.is_empty() {
        let own = ["temperature", "salinity"].map(str::to_string);
        fields = own
            .into_iter()
            .chain(tracers.unwrap_or(&[]).iter().map(|(name, _)| name.clone()))
            .collect();
    }
    if fields.len() > FIELDS {
        let text = format!(
            "`fields` has {}; expected at most {FIELDS}; list fewer quantities",
            fields.len()
        );
        problems.push(place, text);
    }
    let found: Vec<(Quantity, String)> = fields
        .iter()
        .map(|field| find_quantity(field, place, tracers, problems))
        .collect();
    SamplerSpec {
        bottles: file.bottles,
        volume_m3: file.volume_m3,
        flow_m3_s: file.flow_m3_s,
        quantities: found.iter().map(|(quantity, _)| *quantity).collect(),
        names: fields
            .iter()
            .zip(&found)
            .map(|(field, (_, unit))| format!("{field} [{unit}]"))
            .collect(),
    }
}

/// Builds a CTD with errors of temperature, conductivity and pressure, in a world with `gravity`
/// [m/s²].
pub fn ctd(file: &CtdConfig, errors: [Errors; 3], gravity: f64) -> CtdSpec {
    CtdSpec {
        errors,
        temperature_response_s: file.temperature_response_s,
        conductivity_response_s: file.conductivity_response_s,
        depth_law: file.depth_law,
        gravity,
    }
}
