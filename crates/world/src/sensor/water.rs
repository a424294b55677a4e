//! Conversion of the sensors that measure properties of the water or measure with sound in water.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::sensor::water::{
    AltimeterKeys, AltimeterSpec, CtdKeys, CtdSpec, DopplerVelocityLog, DvlSpec, PingRates,
    ProbeKeys, ProbeSpec, Quantity, SamplerSpec, WaterSamplerKeys,
};
use merrow_model::state::bottle::FIELDS;
use merrow_yaml::error::{Place, did_you_mean, quote, quoted_list};

impl BuildSensor for AltimeterKeys {
    type Spec = AltimeterSpec;

    fn build(&self, cx: &SensorContext<'_>) -> AltimeterSpec {
        cx.check_ranges(&self.at, self.min_range_m, self.max_range_m);
        AltimeterSpec::new(self, |noise, channel| cx.errors(noise, channel))
    }
}

impl BuildSensor for DopplerVelocityLog {
    type Spec = DvlSpec;

    fn build(&self, cx: &SensorContext<'_>) -> DvlSpec {
        cx.check_ascending(&self.at, "altitude_m", self.altitude_m);
        if let Some(layer) = self.water_layer_m {
            cx.check_ascending(&self.at, "water_layer_m", layer);
        }
        let (s, c) = sin_cos(self.beam_angle_deg.to_radians());
        DvlSpec {
            log: self.clone(),
            beams: self.beam_azimuths_deg.map(|azimuth| {
                let (sa, ca) = sin_cos(azimuth.to_radians());
                Vec3::new(s * ca, s * sa, -c)
            }),
            scale_std: self.scale_std_percent / 100.0,
            ping_rates: build_ping_rates(self, cx),
        }
    }
}

/// Builds the ping rates of a DVL from its range modes, for water track and for search; `None`
/// without modes.
fn build_ping_rates(file: &DopplerVelocityLog, cx: &SensorContext<'_>) -> Option<PingRates> {
    let (modes, at) = (&file.range_modes, &file.at);
    if modes.is_empty() {
        for key in ["water_rate_hz", "search_rate_hz"] {
            if at.has_key(key) {
                let text = format!("`{key}` without `range_modes`; expected both or none");
                cx.error(at.key_place(key), text);
            }
        }
        return None;
    }
    for mode in modes {
        cx.check_ascending(&mode.at, "altitude_m", mode.altitude_m);
    }
    for pair in modes.windows(2) {
        let rises = |k: usize| pair[0].altitude_m[k] < pair[1].altitude_m[k];
        if !rises(0) || !rises(1) {
            let text = "the range mode is not higher than the previous one; expected higher altitudes at both ends";
            cx.error(pair[1].at.key_place("altitude_m"), text);
        }
    }
    Some(PingRates::new(file))
}

impl BuildSensor for ProbeKeys {
    type Spec = ProbeSpec;

    fn build(&self, cx: &SensorContext<'_>) -> ProbeSpec {
        let (quantity, unit) = find_quantity(&self.field, self.at.key_place("field"), cx);
        if let Some(range) = self.range {
            cx.check_ascending(&self.at, "range", range);
        }
        ProbeSpec {
            quantity,
            unit,
            errors: cx.errors(&self.errors, &self.field),
            keys: self.clone(),
        }
    }
}

impl BuildSensor for CtdKeys {
    type Spec = CtdSpec;

    fn build(&self, cx: &SensorContext<'_>) -> CtdSpec {
        CtdSpec {
            errors: [
                cx.errors(&self.temperature, "temperature"),
                cx.errors(&self.conductivity, "conductivity"),
                cx.errors(&self.pressure, "pressure"),
            ],
            gravity: cx.gravity,
            keys: self.clone(),
        }
    }
}

/// Returns the quantity that the name `field`, written at `place`, denotes, and its unit.
fn find_quantity(field: &str, place: &Place, cx: &SensorContext<'_>) -> (Quantity, String) {
    let mut of_all_water = Quantity::WATER_QUANTITIES.iter();
    if let Some((_, quantity, unit)) = of_all_water.find(|(name, ..)| *name == field) {
        return (*quantity, (*unit).to_string());
    }
    let Some(tracers) = cx.tracers else {
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
    cx.error(place, text);
    (Quantity::Temperature, String::new())
}

impl BuildSensor for WaterSamplerKeys {
    type Spec = SamplerSpec;

    fn build(&self, cx: &SensorContext<'_>) -> SamplerSpec {
        let place = self.at.key_place("fields");
        let mut fields = self.fields.clone();
        if fields.is_empty() {
            let own = ["temperature", "salinity"].map(str::to_string);
            let tracers = cx.tracers.unwrap_or(&[]).iter();
            fields.extend(own.into_iter().chain(tracers.map(|(name, _)| name.clone())));
        }
        if fields.len() > FIELDS {
            let text = format!(
                "`fields` has {}; expected at most {FIELDS}; list fewer quantities",
                fields.len()
            );
            cx.error(place, text);
        }
        let found = fields.iter().map(|field| find_quantity(field, place, cx));
        let found: Vec<(Quantity, String)> = found.collect();
        let name = |(field, (_, unit)): (&String, &(Quantity, String))| format!("{field} [{unit}]");
        SamplerSpec {
            names: fields.iter().zip(&found).map(name).collect(),
            quantities: found.iter().map(|(quantity, _)| *quantity).collect(),
            keys: self.clone(),
        }
    }
}
