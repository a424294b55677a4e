//! Navigation radar: echoes of a rotating antenna, computed by tracing rays.
//!
//! # Law
//! ```text
//!   P = P_t G² b² λ² σ/((4π)³ r⁴ L)                               (1)
//!   σ = γ r² dΩ                         target hit by a ray       (2)
//!   σ = σ_0 r θ c τ/2                   sea                       (3)  [Skolnik 2008, ch. 15]
//!   σ = η r² Ω c τ/2                    rain                      (4)  [Skolnik 2008, ch. 19]
//!   N = k T B F                                                   (5)
//!   z_hidden = (r - sqrt(2 R h))²/(2 R),  R = 4/3 of the Earth's  (6)  below the horizon
//!   (1) radar equation [Skolnik 2008, ch. 1]
//!   (2) γ of a square metre at normal incidence
//! ```
//! Rays are traced from the antenna over the fan of its beam, more densely near the horizon. Each
//! ray represents the solid angle dΩ of its hit. (2) is the constant-γ law for the area that the
//! ray illuminates, σ_0 = γ sin ψ. For a sphere of radius a with γ = 1 it gives the optical cross
//! section π a². γ is `reflectivity` for shapes and `land_db` for the seabed and terrain. The sea
//! at a range is illuminated unless a ray in its direction hits a nearer shape.
//!
//! # Symbols
//! P received power, P_t transmitted power · G gain, b pattern of the antenna
//! (`crates/sensors/src/sonar/beam.rs`) · λ wavelength · σ radar cross section · r range · L losses
//! · σ_0, η of sea and rain (`clutter.rs`) · θ, Ω two-way width and solid angle of the beam · c τ/2
//! half of the pulse length · N noise · h height of the antenna, R Earth radius.
//!
//! # Frames
//! The antenna rotates about z of S, clockwise seen from above, starting at x. Rays are arranged
//! about the horizon, patterns about S.
//!
//! # Limits
//! - One pose per sector.
//! - No reflection at the sea surface, and so no lobing for targets low over the sea.
//! - Shapes have no corner reflections. A radar reflector can only be approximated by a shape with
//!   a reflectivity over 1.
//! - No ducting.
//!
//! # Checked by
//! test/sensors/radar.rs

pub mod clutter;
pub mod display;
pub mod fading;

use crate::cost::CostSite;
use crate::exteroceptive::{Observation, Observe};
use crate::radar::clutter::{SeaClutter, rain_attenuation};
use crate::radar::fading::draw_gamma;
use crate::sonar::beam::{pattern, width};
use crate::sonar::decibels::level;
use merrow_environment::geodesy::RADIO_HORIZON_RADIUS;
use merrow_environment::{SPEED_OF_LIGHT, air};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::sensor::radar::{RadarSpec, Sweep};
use merrow_model::state::frames::FrameData;
use std::collections::BTreeMap;
use std::f64::consts::{LN_10, PI, TAU};
use std::ops::Range;

/// Angle to either side that contributes to a spoke, over the beam width: the main lobe and the
/// first side lobe.
const CONTRIBUTING_BEAM_WIDTHS: f64 = 2.2;

/// Radar at the instant of a sector.
struct Antenna<'a> {
    spec: &'a RadarSpec,
    sample: &'a Observation<'a>,
    /// First label of a robot.
    first_robot: u16,
    /// Wavelength of the radar [m].
    wavelength: f64,
    /// Rain rate [mm/h], and attenuation by rain [dB/m].
    rain: [f64; 2],
    sea: SeaClutter,
    /// Unit vector to windward, W.
    upwind: Vec3,
    /// Height above the water surface [m].
    height: f64,
}

/// Mean echo powers of one column by range [W]: echoes that fluctuate per cell, and echoes of
/// vessels with their labels.
struct ColumnEchoes {
    cell_echoes: Vec<f64>,
    vessels: Vec<(usize, u16, f64)>,
    /// Whether the sea is illuminated, by range.
    lit: Vec<bool>,
}

/// One range of a line [ns].
const LINE: f64 = 100.0;
/// One range of a spoke, and each line received in it [ns].
const SPOKE: [f64; 2] = [360.0, 2.0];

impl Observe for RadarSpec {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        let at = sample.environment;
        let weather = air::weather(&at.sea.air, at.time);
        let (wavelength, wind) = (SPEED_OF_LIGHT / self.frequency(), weather.wind.norm());
        let (rain, polarisation) = (weather.rain_mm_h, self.radar.polarisation);
        let antenna = Antenna {
            spec: self,
            sample,
            first_robot: (sample.scene.structures.len() + 2) as u16,
            wavelength,
            rain: [rain, rain_attenuation(self.frequency(), polarisation, rain)],
            sea: SeaClutter {
                wavelength,
                wind,
                polarisation,
            },
            upwind: weather.wind.scale(-1.0 / wind.max(1e-9)),
            height: at.height_above_surface(sample.pose.p_WS),
        };
        let [first, last] = self.spoke_range(sample.errors.sample, sample.rate);
        let reach = contributing_spokes(self);
        // Columns before the first spoke and after the last spoke also contribute to these spokes.
        let columns: Vec<ColumnEchoes> = (0..last - first + 2 * reach)
            .flat_map(|k| (0..self.columns()).map(move |c| (k, c)))
            .map(|(k, c)| antenna.trace_column((first + k) as f64 - reach as f64 + offset(self, c)))
            .collect();
        let spokes = (first..last)
            .map(|n| antenna.spoke(n, first, reach, &columns))
            .collect();
        FrameData::Sweep(Sweep { first, spokes })
    }

    fn cost(&self, site: &CostSite<'_>) -> f64 {
        let (spokes, reach) = (
            self.turns() * self.spokes() as f64 / site.rate,
            contributing_spokes(self) as f64,
        );
        let (bins, columns) = (self.bins() as f64, self.columns() as f64);
        let lines = columns * (spokes + 2.0 * reach);
        let contributing_rays = columns * (2.0 * reach + 1.0);
        lines * (self.rows.len() as f64 * site.world.ray() + bins * LINE)
            + spokes * bins * (SPOKE[0] + contributing_rays * SPOKE[1])
    }
}

/// Returns the angle of a column relative to the centre of its spoke [spokes].
fn offset(spec: &RadarSpec, column: usize) -> f64 {
    (column as f64 + 0.5) / spec.columns() as f64 - 0.5
}

/// Returns the number of spokes to either side whose columns contribute to a spoke.
fn contributing_spokes(spec: &RadarSpec) -> u64 {
    ((CONTRIBUTING_BEAM_WIDTHS * width(&spec.across) / spec.step()).ceil() as u64)
        .clamp(1, spec.spokes() as u64 / 2)
}

/// Returns the minimum height above the water of a visible point at the range `r` [m], for an
/// antenna at `height` [m] [m]. (6)
fn min_visible_height(height: f64, r: f64) -> f64 {
    let beyond_range = r - (2.0 * RADIO_HORIZON_RADIUS * height).sqrt();
    if beyond_range > 0.0 {
        beyond_range * beyond_range / (2.0 * RADIO_HORIZON_RADIUS)
    } else {
        0.0
    }
}

impl Antenna<'_> {
    /// Returns the horizontal direction of a spoke (unit vector, W), counted since the start. The
    /// antenna rotates clockwise.
    fn horizon(&self, spoke: f64) -> Vec3 {
        let turns = spoke / self.spec.spokes() as f64;
        let (s, c) = sin_cos(-TAU * (turns - turns.floor()));
        let d = self.sample.pose.R_WS.mul_vec(Vec3::new(c, s, 0.0));
        Vec3::new(d.x, d.y, 0.0)
            .unit()
            .unwrap_or(Vec3::new(1.0, 0.0, 0.0))
    }

    /// Returns the echo powers of one column on the beam axis. (1), (2)
    fn trace_column(&self, spoke: f64) -> ColumnEchoes {
        let spec = self.spec;
        let mut column = ColumnEchoes {
            cell_echoes: vec![0.0; spec.bins()],
            vessels: Vec::new(),
            lit: vec![self.height > 0.0; spec.bins()],
        };
        if self.height <= 0.0 {
            return column;
        }
        let h = self.horizon(spoke);
        let max_range = spec.radar.max_range_m;
        let step = spec.step() / spec.columns() as f64;
        let constant = self.strength();
        // Depression of each ray that hit a shape below the horizon, and the range of the hit, the
        // steepest first.
        let mut occluders: Vec<[f64; 2]> = Vec::new();
        for [elevation, width] in &spec.rows {
            let (s, c) = sin_cos(*elevation);
            let d = h.scale(c) + Vec3::new(0.0, 0.0, s);
            let to_sea = if s < 0.0 {
                self.height / -s
            } else {
                f64::INFINITY
            };
            let (pose, ray_scene) = (self.sample.pose, self.sample.ray_scenes.collision());
            let range = [0.0, max_range.min(to_sea)];
            let own = ray_scene.shapes_of(pose.robot);
            let Some(hit) = ray_scene.first_hit(own, pose.p_WS, d, range) else {
                continue;
            };
            let r = hit.distance;
            let environment = self.sample.environment;
            let z = environment.height_above_surface(pose.p_WS + d.scale(r));
            if z < min_visible_height(self.height, r) {
                continue;
            }
            if s < 0.0 {
                occluders.push([-s / c, r]);
            }
            let cells = self.pulse_cells(r);
            if cells.is_empty() {
                continue;
            }
            let along = pose.R_WS.tr_mul_vec(d).z;
            let b = pattern(&spec.along, libm::asin(along.clamp(-1.0, 1.0)));
            let gamma = if hit.label == 1 {
                spec.land
            } else {
                hit.material.reflectivity
            };
            let solid_angle = width * c * step;
            let echo = constant * b * b * gamma * solid_angle / (r * r) * self.rain_attenuation(r);
            if hit.label >= self.first_robot {
                column.vessels.extend(cells.map(|k| (k, hit.label, echo)));
            } else {
                column.cell_echoes[cells]
                    .iter_mut()
                    .for_each(|sum| *sum += echo);
            }
        }
        self.hide_cells(&occluders, &mut column.lit);
        column
    }

    /// Clears the cells of the sea that a shape hides or that are beyond the horizon. `occluders`
    /// contains depression and range of each ray that hit a shape below the horizon, the steepest
    /// first.
    fn hide_cells(&self, occluders: &[[f64; 2]], lit: &mut [bool]) {
        let spec = self.spec;
        // Rows and ranges are both sorted by depression, so one pass over each is sufficient.
        let (mut nearest, mut row) = (0, 0);
        for k in 0..spec.bins() {
            let depression = self.height / spec.range(k);
            let slope_difference = |n: usize| {
                occluders
                    .get(n)
                    .map_or(f64::INFINITY, |[slope, _]| (slope - depression).abs())
            };
            while slope_difference(nearest + 1) < slope_difference(nearest) {
                nearest += 1;
            }
            while spec
                .rows
                .get(row)
                .is_some_and(|[elevation, width]| elevation + width < -depression)
            {
                row += 1;
            }
            let width = spec.rows.get(row).map_or(0.0, |[_, width]| *width);
            let is_hidden = occluders
                .get(nearest)
                .is_some_and(|[_, r]| *r < spec.range(k) && slope_difference(nearest) < width);
            lit[k] = !is_hidden && min_visible_height(self.height, spec.range(k)) == 0.0;
        }
    }

    /// Returns the range cells that the echo of a point at the range `r` [m] covers, by the length
    /// of the pulse.
    fn pulse_cells(&self, r: f64) -> Range<usize> {
        let (spec, bin) = (self.spec, self.spec.bin());
        let k = (r - spec.radar.min_range_m) / bin;
        let n = (self.cell() / bin).round();
        let first = (k - 0.5 * n + 0.5).floor();
        let from = first.max(0.0) as usize;
        from..((first + n).max(0.0) as usize).min(spec.bins())
    }

    /// Returns the P_t G² λ²/((4π)³ L) [W m²]. (1)
    fn strength(&self) -> f64 {
        let spec = self.spec;
        let four = 4.0 * PI;
        spec.radar.transmit_w * spec.gain * spec.gain * self.wavelength * self.wavelength
            / (four * four * four * spec.losses)
    }

    /// Returns the length of the range interval that a point echo covers [m].
    fn cell(&self) -> f64 {
        (0.5 * SPEED_OF_LIGHT * (1e-6 * self.spec.radar.pulse_us)).max(self.spec.bin())
    }

    /// Returns the two-way attenuation factor of the rain.
    fn rain_attenuation(&self, r: f64) -> f64 {
        libm::exp(-0.2 * LN_10 * self.rain[1] * r)
    }

    /// Returns the mean clutter powers of sea and rain at the range `r` on the beam axis [W]. (3),
    /// (4)
    fn clutter(&self, h: Vec3, r: f64, lit: bool) -> [f64; 2] {
        let (spec, constant) = (self.spec, self.strength() * self.rain_attenuation(r));
        let cell = self.cell();
        let grazing = libm::atan(self.height / r);
        let rain = if self.height > 0.0 {
            crate::radar::clutter::rain_cross_section(spec.frequency(), self.rain[0])
                * r
                * r
                * spec.solid_angle
                * cell
        } else {
            0.0
        };
        let sea = if lit {
            let towards = h - Vec3::new(0.0, 0.0, self.height / r);
            let direction = self.sample.pose.R_WS.tr_mul_vec(towards).unit();
            let b = pattern(
                &spec.along,
                direction.map_or(0.0, |d| libm::asin(d.z.clamp(-1.0, 1.0))),
            );
            b * b * self.sea.strength(grazing, h.dot(self.upwind)) * r * spec.width * cell
        } else {
            0.0
        };
        let r4 = r * r * r * r;
        [constant * sea / r4, constant * rain / r4]
    }

    /// Returns the strengths of spoke `n`. `columns` are the columns starting `reach` spokes before
    /// `first`.
    fn spoke(&self, n: u64, first: u64, reach: u64, columns: &[ColumnEchoes]) -> Vec<f32> {
        let (spec, errors) = (self.spec, self.sample.errors);
        let fades = spec.radar.fading && errors.noise;
        let (mut mean, mut lit, mut total_weight) =
            (vec![0.0; spec.bins()], vec![0.0; spec.bins()], 0.0);
        let (turn, mut vessels) = (n / spec.spokes() as u64, vec![0.0; spec.bins()]);
        let mut fluctuations = BTreeMap::new();
        let from = (n - first) as usize * spec.columns();
        for (i, column) in columns[from..from + (2 * reach as usize + 1) * spec.columns()]
            .iter()
            .enumerate()
        {
            let (k, c) = (i / spec.columns(), i % spec.columns());
            let b = pattern(
                &spec.across,
                (k as f64 - reach as f64 + offset(spec, c)) * spec.step(),
            );
            let weight = b * b;
            total_weight += weight;
            for (j, echo) in column.cell_echoes.iter().enumerate() {
                mean[j] += weight * echo;
                lit[j] += if column.lit[j] { weight } else { 0.0 };
            }
            for (j, label, echo) in &column.vessels {
                // One variate per vessel and rotation: (3) of fading.rs.
                let fluctuation = fluctuations.entry(*label).or_insert_with(|| {
                    let draw_index = u64::MAX - (turn << 16 | u64::from(*label));
                    if fades {
                        draw_gamma(1.0, &mut errors.stream.draw(draw_index))
                    } else {
                        1.0
                    }
                });
                vessels[*j] += weight * echo * *fluctuation;
            }
        }
        let h = self.horizon(n as f64);
        let mut draw = errors.stream.draw(n + 1);
        let strength_at = |k: usize| {
            let r = spec.range(k);
            let share = lit[k] / total_weight;
            let [sea, rain] = self.clutter(h, r, share > 0.0);
            let mut p = [mean[k] + rain + spec.noise, share * sea];
            if fades {
                let grazing = libm::atan(self.height.max(0.0) / r);
                let shape = self.sea.shape(grazing, h.dot(self.upwind), r * spec.width);
                p[1] *= draw_gamma(shape, &mut draw);
                let pulses = draw_gamma(f64::from(spec.radar.pulses), &mut draw);
                p = p.map(|p| p * pulses);
            }
            let range_gain =
                spec.radar.gain_per_decade_db * libm::log10(r.max(1.0) / spec.radar.max_range_m);
            let level_dbm = level(p[0] + p[1] + vessels[k]) + 30.0 + range_gain;
            ((level_dbm - spec.radar.levels_dbm[0])
                / (spec.radar.levels_dbm[1] - spec.radar.levels_dbm[0]))
                .clamp(0.0, 1.0) as f32
        };
        (0..spec.bins()).map(strength_at).collect()
    }
}
