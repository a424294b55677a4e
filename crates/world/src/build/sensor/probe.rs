//! Conversion of instruments that measure the water at their position.

use crate::schema::sensor::probe::{CtdConfig, DepthLawConfig, ProbeConfig, WaterSamplerConfig};
use merrow_model::scene::sensor::Errors;
use merrow_model::scene::sensor::probe::{CtdSpec, DepthLaw, ProbeSpec, Quantity, SamplerSpec};
use merrow_model::state::bottle::FIELDS;
use merrow_yaml::error::{Place, Problems, did_you_mean, quote, quoted_list};

/// Names and units of the quantities carried by the water of a world; `None` if unknown.
pub type CarriedNames<'a> = Option<&'a [(String, String)]>;

/// Builds a probe with the error model `errors`.
pub fn probe(
    file: &ProbeConfig,
    errors: Errors,
    carried: CarriedNames<'_>,
    problems: &mut Problems,
) -> ProbeSpec {
    let (quantity, unit) =
        find_quantity(&file.field, file.at.key_place("field"), carried, problems);
    let range = file.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    if range[0] >= range[1] {
        let text = format!(
            "`range` is [{}, {}], expected the smaller value first",
            range[0], range[1]
        );
        problems.push(file.at.key_place("range"), text);
    }
    ProbeSpec {
        quantity,
        field: file.field.as_str().into(),
        unit: unit.into(),
        errors,
        tau: file.response_s,
        range,
        detection_limit: file.detection_limit,
    }
}

/// Returns the quantity that the name `field`, written at `place`, stands for, and its unit.
fn find_quantity(
    field: &str,
    place: &Place,
    carried: CarriedNames<'_>,
    problems: &mut Problems,
) -> (Quantity, String) {
    if let Some((_, quantity, unit)) = Quantity::OF_WATER.iter().find(|(name, ..)| *name == field) {
        return (*quantity, (*unit).to_string());
    }
    let Some(carried) = carried else {
        return (Quantity::Temperature, String::new());
    };
    if let Some(k) = carried.iter().position(|(name, _)| name == field) {
        return (Quantity::Carried(k), carried[k].1.clone());
    }
    let known = || {
        Quantity::OF_WATER
            .iter()
            .map(|(name, ..)| *name)
            .chain(carried.iter().map(|(n, _)| n.as_str()))
    };
    let text = format!(
        "the water carries no {}, expected one of {}, or a name under `water.tracers`{}",
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
    carried: CarriedNames<'_>,
    problems: &mut Problems,
) -> SamplerSpec {
    let place = file.at.key_place("fields");
    let mut fields: Vec<String> = file.fields.clone();
    if fields.is_empty() {
        let own = ["temperature", "salinity"].map(str::to_string);
        fields = own
            .into_iter()
            .chain(carried.unwrap_or(&[]).iter().map(|(name, _)| name.clone()))
            .collect();
    }
    if fields.len() > FIELDS {
        let text = format!(
            "`fields` has {}, expected no more than {FIELDS}: list fewer quantities",
            fields.len()
        );
        problems.push(place, text);
    }
    let found: Vec<(Quantity, String)> = fields
        .iter()
        .map(|field| find_quantity(field, place, carried, problems))
        .collect();
    SamplerSpec {
        bottles: file.bottles,
        volume: file.volume_m3,
        flow: file.flow_m3_s,
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
        tau: [file.temperature_response_s, file.conductivity_response_s],
        depth: match file.depth_law {
            DepthLawConfig::Seawater => DepthLaw::Seawater,
            DepthLawConfig::Fresh => DepthLaw::Fresh,
        },
        gravity,
    }
}
