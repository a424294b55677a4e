//! Tests the conductivity of sea water against the reference program of TEOS-10.

use crate::common::relative;
use merrow_environment::conductivity::{conductivity, salinity};
use merrow_environment::seawater::ipts68_from_its90;

// PSS-78 with Hill's law for dilute water matches the reference program. Method: 72 points of
// salinity, temperature and pressure, conductivities by gsw 3.6.23, in both directions. Tolerance:
// 1e-8, the resolution of the table's ten digits for the most dilute water.
#[test]
fn conductivity_matches_gsw() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/test/data/conductivity.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        <[f64; 4]>::try_from(row).unwrap()
    });
    let mut n = 0;
    for [S, t, p, expected] in rows {
        let what = format!("salinity {S}, {t} degC, {p} dbar");
        relative(
            &what,
            conductivity(S, ipts68_from_its90(t), p * 1e4),
            expected,
            1e-8,
        );
        relative(
            &what,
            salinity(expected, ipts68_from_its90(t), p * 1e4),
            S,
            1e-8,
        );
        n += 1;
    }
    assert_eq!(n, 72);
}
