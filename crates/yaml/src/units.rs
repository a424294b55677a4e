//! Table of the unit suffixes of keys.
//!
//! A product is written without a separator or with `_` (`nm` is N m, `n_s` is N s), a quotient
//! with `_per_` (`n_per_m`). A few established quotients are written without it, such as `m_s` and
//! `kg_m3`.
//!
//! The table also contains units that Merrow does not use, so that a key with a wrong unit is
//! recognised and the message can name it. Values are never converted: a value has the unit that
//! its key names.

/// Declares the suffixes with their notation.
macro_rules! units {
    ($($suffix:ident $symbol:literal)*) => {
        &[$((stringify!($suffix), $symbol)),*]
    };
}

/// All known unit suffixes with their notation: suffixes in use, and other common suffixes that
/// must be recognised in messages.
const UNITS: &[(&str, &str)] = units! {
    // length, area, volume
    m "m"  mm "mm"  cm "cm"  km "km"  um "um"  ft "ft"  nmi "nmi"  cm2 "cm2"  m2 "m2"  m3 "m3"
    // mass and inertia
    kg "kg"  g "g"  lb "lb"  kg_per_m "kg/m"  kg_m2 "kg m2"  kg_m3 "kg/m3"  g_cm3 "g/cm3"
    g_kg "g/kg"  psu "psu"
    // time
    s "s"  ms "ms"  us "us"  ns "ns"  h "h"  hz "Hz"  khz "kHz"  mhz "MHz"  ghz "GHz"
    // force, torque, pressure, stiffness, damping
    n "N"  kgf "kgf"  lbf "lbf"  nm "N m"  nm2 "N m2"  n_per_m "N/m"  n_per_m2 "N/m2"  n_s "N s"
    n_s_per_m "N s/m"  nm_per_rad "N m/rad"  nm_s_per_rad "N m s/rad"
    nm_s2_per_rad2 "N m s2/rad2"  nm_s3_per_rad3 "N m s3/rad3"  n_s2_per_m2 "N s2/m2"
    n_s2_per_rad "N s2/rad"  n_s2_per_rad2 "N s2/rad2"  n_s2_per_rad_m "N s2/(rad m)"
    s_per_m "s/m"  pa "Pa"  kpa "kPa"  hpa "hPa"  bar "bar"  dbar "dbar"
    // angle and motion
    deg "deg"  rad "rad"  per_rad "1/rad"  rad_per_m "rad/m"  rad_per_m_s "rad/(m/s)"  mrad "mrad"
    m_s "m/s"  km_h "km/h"  knots "knots"  kn "kn"  m_s2 "m/s2"  g0 "g0"  rad_s "rad/s"
    deg_s "deg/s"  deg_h "deg/h"  rad_s2 "rad/s2"  deg_s2 "deg/s2"  rpm "rpm"  rev_s "rev/s"
    m3_s "m3/s"  cd_per_lx_m2 "cd/(lx m2)"  mm_h "mm/h"
    // noise densities and random walks
    m_s2_per_sqrt_hz "m/s2/sqrt(Hz)"  rad_s_per_sqrt_hz "rad/s/sqrt(Hz)"
    rad_s_per_sqrt_n "rad/s/sqrt(N)"  deg_s_per_sqrt_hz "deg/s/sqrt(Hz)"
    m_s_per_sqrt_s "m/s/sqrt(s)"  rad_per_sqrt_s "rad/sqrt(s)"
    // electricity and magnetism
    v "V"  mv "mV"  a "A"  ma "mA"  ah "Ah"  mah "mAh"  w "W"  kw "kW"  w_per_n15 "W/N^1.5"
    w_per_n2m2 "W/(N2 m2)"  wh "Wh"  j "J"  ohm "ohm"  nt "nT"  ut "uT"  siemens_per_m "S/m"
    a_per_w "A/W"  w_per_sqrt_hz "W/sqrt(Hz)"  nm_per_a "N m/A"  rpm_per_v "rpm/V"
    // heat and light
    k "K"  k_per_w "K/W"  c "degrees Celsius"  lux "lx"  ev100 "EV at ISO 100"
    electrons "electrons"  per_m "1/m"  per_s "1/s"
    // sound, radio, data
    db "dB"  dbm "dBm"  db_per_km "dB/km"  db_per_m "dB/m"  db_per_wavelength "dB/wavelength"
    db_re_1upa "dB re 1 uPa"  bit_s "bit/s"  kbit_s "kbit/s"  bits "bits"  bytes "bytes"  px "px"
    // ratios
    ppm "ppm"  percent "%"
};

/// Splits a key into its stem and its unit, as suffix and notation. A key that ends in an unknown
/// combination of unit symbols has no unit.
pub(crate) fn split_unit(key: &str) -> (&str, Option<(&'static str, &'static str)>) {
    let run = trailing_units(key);
    let unit = run.and_then(|run| UNITS.iter().find(|(suffix, _)| *suffix == run));
    unit.map_or((key, None), |&unit| {
        (&key[..key.len() - unit.0.len() - 1], Some(unit))
    })
}

/// Returns the notation of the unit that the suffix of `key` names.
pub fn unit_of(key: &str) -> Option<&'static str> {
    split_unit(key).1.map(|(_, symbol)| symbol)
}

/// Returns the key of the component `axis` of a vector: `position_x_m` for `position_m` and `x`.
pub fn component_key(key: &str, axis: &str) -> String {
    match split_unit(key) {
        (stem, Some((suffix, _))) => format!("{stem}_{axis}_{suffix}"),
        (stem, None) => format!("{stem}_{axis}"),
    }
}

/// Returns " [unit]", or an empty string without a unit.
pub(crate) fn in_brackets(unit: Option<&str>) -> String {
    unit.map_or_else(String::new, |unit| format!(" [{unit}]"))
}

/// Returns the longest run of unit symbols at the end of `key`, behind a stem of at least one word;
/// `None` if the last word is no unit symbol. A declared key is unambiguous if this run is a suffix
/// of the table.
pub fn trailing_units(key: &str) -> Option<&str> {
    let is_symbol = |word: &str| {
        UNITS
            .iter()
            .any(|(suffix, _)| suffix.split('_').any(|part| part == word))
    };
    let starts = key.match_indices('_').map(|(at, _)| at + 1);
    starts
        .filter(|&at| at > 1 && at < key.len())
        .map(|at| &key[at..])
        // a wavelength is a unit in quotients only, as in `db_per_wavelength`
        .filter(|run| !run.starts_with("wavelength_"))
        .find(|run| run.split('_').all(is_symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quotients that are written without `_per_`.
    const ESTABLISHED: &[&str] = &[
        "m_s", "m_s2", "rad_s", "rad_s2", "deg_s", "deg_s2", "deg_h", "rev_s", "km_h", "mm_h",
        "m3_s", "kg_m3", "g_cm3", "g_kg", "bit_s", "kbit_s",
    ];

    // No suffix has two meanings. Method: a symbol with a fraction bar needs `per` in its suffix
    // unless the suffix is established; no suffix and no symbol occurs twice.
    #[test]
    fn quotients_are_written_with_per() {
        for (k, (suffix, symbol)) in UNITS.iter().enumerate() {
            let has_per = suffix.split('_').any(|word| word == "per");
            let is_quotient = symbol.contains('/');
            assert_eq!(
                is_quotient,
                has_per || ESTABLISHED.contains(suffix),
                "{suffix} [{symbol}]"
            );
            for (other, of_other) in &UNITS[k + 1..] {
                assert_ne!(suffix, other);
                assert_ne!(symbol, of_other, "{suffix} and {other}");
            }
        }
    }

    #[test]
    fn trailing_units_are_found() {
        let check = |key: &str, run: Option<&str>| assert_eq!(trailing_units(key), run, "{key}");
        check("depth_m", Some("m"));
        check("thermal_resistance_k_w", Some("k_w"));
        check("roll_nm_s_per_rad", Some("nm_s_per_rad"));
        check("gain_per_decade_db", Some("db"));
        check("min_wavelength_m", Some("m"));
        check("drag", None);
        check("m", None);
    }
}
