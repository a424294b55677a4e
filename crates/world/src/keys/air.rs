//! Keys of the air and the weather, and of the wind load on a body.

use merrow_model::scene::sea::air::{Gusts, Shear};
use merrow_yaml::spec::spec;

spec! {
    /// Wind profile and gust model. They are constant during a run.
    pub struct AirConfig {
        /// Height above the surface at which the wind speed is given.
        reference_height_m: f64 [in 0.1..=500.0] = 10.0,
        /// Change of the mean wind with height.
        shear: Shear => "{kind: power}",
        /// Model of the gusts.
        gusts: Gusts => "{kind: none}",
    }

    /// Weather at the start of the run.
    pub struct WeatherConfig {
        /// Date and universal time at the start of the run, such as `2026-06-21T09:30:00Z`.
        /// Default: solar noon at the origin on 2026-03-20.
        start_utc: Option<String> [not_empty],
        /// Mean wind speed at the reference height.
        wind_speed_m_s: f64 [in 0.0..=100.0] = 0.0,
        /// Direction that the wind comes from, clockwise from north.
        wind_from_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Factor on the gusts.
        gustiness: f64 [in 0.0..=10.0] = 1.0,
        /// Air temperature at sea level.
        temperature_c: f64 [in -60.0..=60.0] = 15.0,
        /// Fraction of the sky that is covered by clouds.
        cloud_cover: f64 [fraction] = 0.0,
        /// Rain rate at the surface.
        rain_mm_h: f64 [in 0.0..=500.0] = 0.0,
        /// Meteorological visibility; fog is below 1000 m.
        visibility_m: f64 [in 1.0..=100000.0] = 50000.0,
    }
}
