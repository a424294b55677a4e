//! The unit suffixes of keys, in one table.
//!
//! Exists because a wrong unit is the commonest mistake of all, and must be recognised to be named.
//!
//! Must not convert: a value is in the unit that its key names.

/// A unit as the end of a key says it, and as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// End of the key, without its first underscore.
    pub suffix: &'static str,
    /// The unit in words or symbols.
    pub symbol: &'static str,
}

/// Every unit suffix known: those in use, and those that people bring from elsewhere and must be told about.
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
    ("kg_m", "kg/m"),
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
    ("n_m", "N/m"),
    ("n_m2", "N/m2"),
    ("n_s", "N s"),
    ("n_s_m", "N s/m"),
    ("nm_rad", "N m/rad"),
    ("nm_s_rad", "N m s/rad"),
    ("nm_s2", "N m s2"),
    ("nm_s3", "N m s3"),
    ("n_s2", "N s2"),
    ("rad_m", "rad/m"),
    ("pa", "Pa"),
    ("kpa", "kPa"),
    ("hpa", "hPa"),
    ("bar", "bar"),
    ("dbar", "dbar"),
    // angle and motion
    ("deg", "deg"),
    ("rad", "rad"),
    ("mrad", "mrad"),
    ("m_s", "m/s"),
    ("km_h", "km/h"),
    ("knots", "knots"),
    ("kn", "knots"),
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
    ("cd_lx_m2", "cd/(lx m2)"),
    ("mm_h", "mm/h"),
    // noise densities and random walks
    ("m_s2_sqrt_hz", "m/s2/sqrt(Hz)"),
    ("rad_s_sqrt_hz", "rad/s/sqrt(Hz)"),
    ("deg_s_sqrt_hz", "deg/s/sqrt(Hz)"),
    ("m_s_sqrt_s", "m/s/sqrt(s)"),
    ("rad_sqrt_s", "rad/sqrt(s)"),
    // electricity and magnetism
    ("v", "V"),
    ("mv", "mV"),
    ("a", "A"),
    ("ma", "mA"),
    ("ah", "Ah"),
    ("mah", "mAh"),
    ("w", "W"),
    ("kw", "kW"),
    ("w_n2m2", "W/(N2 m2)"),
    ("wh", "Wh"),
    ("j", "J"),
    ("ohm", "ohm"),
    ("nt", "nT"),
    ("ut", "uT"),
    ("nm_a", "N m/A"),
    ("rpm_v", "rpm/V"),
    // heat and light
    ("k", "K"),
    ("c", "degrees Celsius"),
    ("lux", "lx"),
    ("per_m", "1/m"),
    ("per_s", "1/s"),
    // sound, radio, data
    ("db", "dB"),
    ("dbm", "dBm"),
    ("db_km", "dB/km"),
    ("db_m", "dB/m"),
    ("db_re_1upa", "dB re 1 uPa"),
    ("bit_s", "bit/s"),
    ("kbit_s", "kbit/s"),
    ("bytes", "bytes"),
    ("px", "px"),
    // ratios
    ("ppm", "ppm"),
    ("percent", "%"),
];

/// A key without its unit, and the unit: the longest suffix known.
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

/// The unit that a key's suffix names, as people write it.
pub fn unit_of(key: &str) -> Option<&'static str> {
    split_unit(key).1.map(|unit| unit.symbol)
}

/// " [unit]", or nothing.
pub fn in_brackets(unit: Option<&str>) -> String {
    unit.map_or_else(String::new, |unit| format!(" [{unit}]"))
}
