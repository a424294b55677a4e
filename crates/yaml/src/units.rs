//! Table of the unit suffixes of keys.
//!
//! The table also contains units that Merrow does not use, so that a key with a wrong unit is
//! recognised and the message can name it. Values are never converted: a value has the unit that
//! its key names.

/// A unit: the suffix of a key and its usual notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Suffix of the key, without the leading underscore.
    pub suffix: &'static str,
    /// Usual notation of the unit.
    pub symbol: &'static str,
}

/// All known unit suffixes with their notation: those in use, and other common ones that must be
/// recognised in messages.
const UNITS: &[(&str, &str)] = &[
    // length, area, volume
    ("m", "m"),
    ("mm", "mm"),
    ("cm", "cm"),
    ("km", "km"),
    ("um", "um"),
    ("ft", "ft"),
    ("nmi", "nmi"),
    ("m2", "m2"),
    ("m3", "m3"),
    // mass and inertia
    ("kg", "kg"),
    ("g", "g"),
    ("lb", "lb"),
    ("kg_per_m", "kg/m"),
    ("kg_m2", "kg m2"),
    ("kg_m3", "kg/m3"),
    ("g_cm3", "g/cm3"),
    ("g_kg", "g/kg"),
    ("psu", "psu"),
    // time
    ("s", "s"),
    ("ms", "ms"),
    ("us", "us"),
    ("ns", "ns"),
    ("h", "h"),
    ("hz", "Hz"),
    ("khz", "kHz"),
    ("mhz", "MHz"),
    ("ghz", "GHz"),
    // force, torque, pressure, stiffness, damping
    ("n", "N"),
    ("kgf", "kgf"),
    ("lbf", "lbf"),
    ("nm", "N m"),
    ("nm2", "N m2"),
    ("n_per_m", "N/m"),
    ("n_per_m2", "N/m2"),
    ("n_s", "N s"),
    ("n_s_per_m", "N s/m"),
    ("nm_per_rad", "N m/rad"),
    ("nm_s_per_rad", "N m s/rad"),
    ("nm_s2", "N m s2"),
    ("nm_s3", "N m s3"),
    ("n_s2", "N s2"),
    ("n_s2_per_m2", "N s2/m2"),
    ("s_per_m", "s/m"),
    ("pa", "Pa"),
    ("kpa", "kPa"),
    ("hpa", "hPa"),
    ("bar", "bar"),
    ("dbar", "dbar"),
    // angle and motion
    ("deg", "deg"),
    ("rad", "rad"),
    ("per_rad", "1/rad"),
    ("rad_per_m", "rad/m"),
    ("mrad", "mrad"),
    ("m_s", "m/s"),
    ("km_h", "km/h"),
    ("knots", "knots"),
    ("kn", "kn"),
    ("m_s2", "m/s2"),
    ("g0", "g0"),
    ("rad_s", "rad/s"),
    ("deg_s", "deg/s"),
    ("deg_h", "deg/h"),
    ("rad_s2", "rad/s2"),
    ("deg_s2", "deg/s2"),
    ("rpm", "rpm"),
    ("rev_s", "rev/s"),
    ("m3_s", "m3/s"),
    ("cd_per_lx_m2", "cd/(lx m2)"),
    ("mm_h", "mm/h"),
    // noise densities and random walks
    ("m_s2_per_sqrt_hz", "m/s2/sqrt(Hz)"),
    ("rad_s_per_sqrt_hz", "rad/s/sqrt(Hz)"),
    ("deg_s_per_sqrt_hz", "deg/s/sqrt(Hz)"),
    ("m_s_per_sqrt_s", "m/s/sqrt(s)"),
    ("rad_per_sqrt_s", "rad/sqrt(s)"),
    // electricity and magnetism
    ("v", "V"),
    ("mv", "mV"),
    ("a", "A"),
    ("ma", "mA"),
    ("ah", "Ah"),
    ("mah", "mAh"),
    ("w", "W"),
    ("kw", "kW"),
    ("w_per_n15", "W/N^1.5"),
    ("w_per_n2m2", "W/(N2 m2)"),
    ("wh", "Wh"),
    ("j", "J"),
    ("ohm", "ohm"),
    ("nt", "nT"),
    ("ut", "uT"),
    ("nm_per_a", "N m/A"),
    ("rpm_per_v", "rpm/V"),
    // heat and light
    ("k", "K"),
    ("k_per_w", "K/W"),
    ("c", "degrees Celsius"),
    ("lux", "lx"),
    ("ev100", "EV at ISO 100"),
    ("electrons", "electrons"),
    ("per_m", "1/m"),
    ("per_s", "1/s"),
    // sound, radio, data
    ("db", "dB"),
    ("dbm", "dBm"),
    ("db_per_km", "dB/km"),
    ("db_per_m", "dB/m"),
    ("db_per_wavelength", "dB/wavelength"),
    ("db_re_1upa", "dB re 1 uPa"),
    ("bit_s", "bit/s"),
    ("kbit_s", "kbit/s"),
    ("bytes", "bytes"),
    ("px", "px"),
    // ratios
    ("ppm", "ppm"),
    ("percent", "%"),
];

/// Splits a key into its stem and the unit with the longest known suffix.
pub fn split_unit(key: &str) -> (&str, Option<Unit>) {
    let mut best: (&str, Option<Unit>) = (key, None);
    for &(suffix, symbol) in UNITS {
        let stem = key
            .strip_suffix(suffix)
            .and_then(|rest| rest.strip_suffix('_'));
        if let Some(stem) = stem.filter(|stem| !stem.is_empty() && stem.len() < best.0.len()) {
            best = (stem, Some(Unit { suffix, symbol }));
        }
    }
    best
}

/// Returns the notation of the unit that the suffix of `key` names.
pub fn unit_of(key: &str) -> Option<&'static str> {
    split_unit(key).1.map(|unit| unit.symbol)
}

/// Returns " [unit]", or an empty string without a unit.
pub fn in_brackets(unit: Option<&str>) -> String {
    unit.map_or_else(String::new, |unit| format!(" [{unit}]"))
}
