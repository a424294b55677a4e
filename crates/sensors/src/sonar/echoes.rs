//! Accumulation of the echoes of all rays of a ping in range bins and beams. The equations are in
//! `mod.rs`.

use crate::sample::Pose;
use crate::sonar::beam::pattern;
use crate::sonar::decibels::power;
use crate::sonar::motion::SonarMotion;
use crate::sonar::propagation::{PropagationContext, Transmitter};
use crate::sonar::targets::SmallTargets;
use crate::wave_clipmap::WaveSurfaceRays;
use merrow_math::Vec3;
use merrow_model::sensor::sonar::{ColumnBeams, SonarSpec};
use std::collections::VecDeque;
use std::f64::consts::LN_10;

/// Range ratios within which a patch of the seabed or the surface is treated as flat.
pub(crate) const FLAT: [f64; 2] = [0.5, 2.0];
/// Range ratios within which a patch of another object, which may end there, is treated as flat.
pub(crate) const FLAT_SHAPE: [f64; 2] = [0.95, 1.05];

/// Mean echo powers by range and beam.
pub struct EchoPowers {
    /// Number of receive beams.
    pub beams: usize,
    /// Power [µPa²]: one row per range bin, one column per beam.
    pub power: Vec<f32>,
    /// Length of the range interval that the echo of a point covers [m].
    pub cell: f64,
}

/// Echoes of one column of rays.
pub(crate) struct ColumnEchoes {
    power: Vec<f32>,
    /// First and end index of the range bins with echoes.
    bin_range: [usize; 2],
    /// Range bins of hits, and the weighted solid angle in shadow behind each [sr].
    shadowed: Vec<(usize, f64)>,
    /// Weighted solid angle of the column [sr].
    pub solid_angle: f64,
    /// Length of the range interval that the echo of a point covers [m].
    cell: f64,
}

/// Path of a ray: length, apparent length and absorption.
#[derive(Clone, Copy, Debug, Default)]
pub struct AcousticPath {
    /// Length of the path [m].
    pub r: f64,
    /// Apparent length [m]: the travel time times the speed of sound that the sonar assumes.
    pub apparent_length: f64,
    /// One-way absorption along the path [dB].
    pub loss: f64,
}

impl std::ops::Add for AcousticPath {
    type Output = Self;
    fn add(self, next: Self) -> Self {
        Self {
            r: self.r + next.r,
            apparent_length: self.apparent_length + next.apparent_length,
            loss: self.loss + next.loss,
        }
    }
}

/// Surface patch that one ray insonifies.
pub(crate) struct Patch {
    /// Direction of the ray.
    pub d: Vec3,
    /// Unit vectors towards the neighbouring rays, and half the distance to them.
    pub sides: [(Vec3, f64); 2],
    /// Unit normal of the surface.
    pub n: Vec3,
    /// Range ratios within which the patch is treated as flat.
    pub flat: [f64; 2],
    /// Weighted solid angle in shadow behind the patch [sr].
    pub solid_angle: f64,
}

impl EchoPowers {
    /// Returns zero power, for a sonar that assumes this speed of sound [m/s].
    pub fn new(spec: &SonarSpec, sound_speed: f64) -> Self {
        let beams = spec.steering.len();
        let cell = (0.5 * sound_speed * spec.pulse()).max(spec.bin());
        Self {
            beams,
            power: vec![0.0; beams * spec.bins()],
            cell,
        }
    }

    /// Adds the echoes of a column in the range bins `bin_range` to all beams that receive them.
    fn add_column(&mut self, echoes: &[f32], bin_range: [usize; 2], column_beams: &ColumnBeams) {
        for k in bin_range[0]..bin_range[1] {
            let power = echoes[k];
            if power > 0.0 {
                let row = &mut self.power[k * self.beams + column_beams.first..];
                row.iter_mut()
                    .zip(&column_beams.weights)
                    .for_each(|(sum, weight)| *sum += power * weight);
            }
        }
    }
}

/// Columns of a moving sonar, shifted to their angles at the arrival of the echoes. Completed
/// columns are removed.
struct ShiftedColumns {
    /// Shifts of the nearest and the farthest echoes of each column [columns].
    shifts: Vec<[f64; 2]>,
    /// Upper bound of the shifts [columns].
    max_shift: usize,
    /// Index of the first kept column, and the echoes of that column and those after it.
    first: usize,
    pending: VecDeque<Vec<f32>>,
}

impl ShiftedColumns {
    fn new(spec: &SonarSpec, transmitter: &Transmitter<'_>) -> Self {
        let of_column = |c: &f64| {
            [spec.sonar.min_range_m, spec.sonar.max_range_m]
                .map(|r| transmitter.shift(c + transmitter.head, r) / spec.column_step)
        };
        let shifts: Vec<[f64; 2]> = spec.columns.iter().map(of_column).collect();
        let max_shift = shifts
            .iter()
            .flatten()
            .fold(0.0_f64, |max_shift, s| max_shift.max(s.abs()));
        let max_shift = max_shift.min(spec.columns.len() as f64) as usize + 2;
        Self {
            shifts,
            max_shift,
            first: 0,
            pending: VecDeque::new(),
        }
    }

    /// Adds the echoes of column `c`; each range bin is split between the two columns nearest to
    /// its shifted angle.
    fn add(&mut self, spec: &SonarSpec, c: usize, echoes: &ColumnEchoes) {
        let n = spec.columns.len();
        while self.first + self.pending.len() < (c + self.max_shift).min(n) {
            self.pending.push_back(vec![0.0; spec.bins()]);
        }
        // The shift is linear in time.
        let [near, far] = self.shifts[c];
        let step = (far - near) / spec.bins() as f64;
        for k in echoes.bin_range[0]..echoes.bin_range[1] {
            let position = c as f64 + near + step * (k as f64 + 0.5);
            let column = position.floor();
            let share = (position - column) as f32;
            for (column, share) in [(column, 1.0 - share), (column + 1.0, share)] {
                if column >= 0.0 && column < n as f64 {
                    self.pending[column as usize - self.first][k] += echoes.power[k] * share;
                }
            }
        }
    }

    /// Adds all columns before `until`, which receive no more echoes, to the beams.
    fn finish_columns(&mut self, spec: &SonarSpec, until: usize, echo_powers: &mut EchoPowers) {
        while self.first < until
            && let Some(echoes) = self.pending.pop_front()
        {
            echo_powers.add_column(&echoes, [0, spec.bins()], &spec.column_beams[self.first]);
            self.first += 1;
        }
    }
}

/// Adds the echoes of a ping and the volume reverberation. `head` is the head angle [rad].
pub(crate) fn add_echoes(
    echo_powers: &mut EchoPowers,
    spec: &SonarSpec,
    context: &PropagationContext<'_>,
    pose: &Pose,
    head: f64,
) {
    let transmitter = Transmitter {
        spec,
        context,
        robot: pose.robot,
        p: pose.p_WS,
        R_WS: pose.R_WS,
        surface: WaveSurfaceRays::new(
            context.environment,
            pose.p_WS,
            spec.sonar.max_range_m,
            spec.columns.len() * spec.rows.len(),
        ),
        height: context
            .environment
            .waves
            .map_or(0.0, |waves| waves.height_std()),
        head,
        motion: SonarMotion::new(&pose.V_WS_S),
        source: power(spec.sonar.source_level_db),
    };
    let targets = SmallTargets::of(&transmitter);
    let mut echoes = ColumnEchoes::new(spec.bins(), echo_powers.cell);
    let mut volume_angle = VolumeSolidAngle::new(echo_powers.beams, spec.bins());
    let mut shifted = transmitter
        .motion
        .map(|_| ShiftedColumns::new(spec, &transmitter));
    for (c, column) in spec.columns.iter().enumerate() {
        echoes.clear();
        transmitter.trace_column(
            (column + head, pattern(&spec.across[1], *column)),
            &targets,
            &mut echoes,
        );
        let column_beams = &spec.column_beams[c];
        match &mut shifted {
            Some(shifted) => {
                shifted.add(spec, c, &echoes);
                shifted.finish_columns(
                    spec,
                    (c + 1).saturating_sub(shifted.max_shift),
                    echo_powers,
                );
            }
            None => echo_powers.add_column(&echoes.power, echoes.bin_range, column_beams),
        }
        volume_angle.add(&echoes, &column_beams.main);
    }
    if let Some(shifted) = &mut shifted {
        shifted.finish_columns(spec, spec.columns.len(), echo_powers);
    }
    volume_angle.add_reverberation(
        &volume_reverberation(spec, context, echo_powers.cell),
        echo_powers,
    );
}

/// Solid angle of the water that the beams insonify, for volume reverberation.
struct VolumeSolidAngle {
    /// Weighted solid angle of each beam without shadows [sr].
    solid_angle: Vec<f64>,
    /// Weighted solid angle that goes into shadow at each range: one row per range bin, one column
    /// per beam [sr].
    shadowed: Vec<f32>,
}

impl VolumeSolidAngle {
    fn new(beams: usize, bins: usize) -> Self {
        Self {
            solid_angle: vec![0.0; beams],
            shadowed: vec![0.0; beams * bins],
        }
    }

    /// Adds a column to the beams `main`, with their weights.
    fn add(&mut self, echoes: &ColumnEchoes, main: &[(usize, f32)]) {
        let beams = self.solid_angle.len();
        for (beam, weight) in main {
            self.solid_angle[*beam] += echoes.solid_angle * f64::from(*weight);
            for (k, solid_angle) in &echoes.shadowed {
                self.shadowed[k * beams + beam] += (solid_angle * f64::from(*weight)) as f32;
            }
        }
    }

    /// Adds the volume reverberation of the solid angle that is not in shadow at each range.
    /// `volume` is that per steradian.
    fn add_reverberation(mut self, volume: &[f64], echo_powers: &mut EchoPowers) {
        let rows = echo_powers
            .power
            .chunks_exact_mut(echo_powers.beams)
            .zip(self.shadowed.chunks_exact(echo_powers.beams));
        for ((row, shadowed), volume) in rows.zip(volume) {
            for ((sum, shadowed), solid_angle) in
                row.iter_mut().zip(shadowed).zip(&mut self.solid_angle)
            {
                *solid_angle -= f64::from(*shadowed);
                *sum += (solid_angle.max(0.0) * volume) as f32;
            }
        }
    }
}

/// Returns the volume reverberation per steradian in each range bin [µPa²/sr]. (3)
fn volume_reverberation(spec: &SonarSpec, context: &PropagationContext<'_>, cell: f64) -> Vec<f64> {
    let strength = power(spec.sonar.source_level_db + spec.sonar.volume_backscatter_db) * cell;
    let loss = context.medium.at_sonar[1];
    let of_bin = |k: usize| {
        let r = spec.range(k);
        strength / (r * r) * libm::exp(-0.2 * LN_10 * loss * r)
    };
    (0..spec.bins()).map(of_bin).collect()
}

impl ColumnEchoes {
    fn new(bins: usize, cell: f64) -> Self {
        Self {
            power: vec![0.0; bins],
            bin_range: [bins, 0],
            shadowed: Vec::new(),
            solid_angle: 0.0,
            cell,
        }
    }

    /// Adds the echo of a patch. `strength` is the echo power that the patch would have at 1 m at
    /// normal incidence without absorption [µPa²].
    pub(crate) fn add(
        &mut self,
        spec: &SonarSpec,
        patch: &Patch,
        path: AcousticPath,
        strength: f64,
    ) {
        let (
            sine,
            AcousticPath {
                r,
                apparent_length,
                loss,
            },
        ) = (-patch.n.dot(patch.d), path);
        if sine <= 1e-6 || r <= 1e-3 {
            return;
        }
        let bin = spec.bin();
        let position = (apparent_length - spec.sonar.min_range_m) / bin;
        if position < spec.bins() as f64 {
            self.shadowed
                .push((position.max(0.0) as usize, patch.solid_angle));
        }
        if strength <= 0.0 {
            return;
        }
        // (1) with (2)
        let power = strength / (sine * r * r) * libm::exp(-0.2 * LN_10 * loss);
        let [a, b] = range_ratios(patch);
        let spread = RangeDistribution::new(
            [apparent_length * a, apparent_length * b],
            self.cell,
            0.01 * bin,
        );
        let index = |x: f64| ((x - spec.sonar.min_range_m) / bin).clamp(0.0, spec.bins() as f64);
        let (first, last) = (
            index(spread.start()) as usize,
            index(spread.end()).ceil() as usize,
        );
        if last <= first {
            return;
        }
        self.bin_range = [self.bin_range[0].min(first), self.bin_range[1].max(last)];
        let mut before = spread.integral_to(spec.sonar.min_range_m + first as f64 * bin);
        for k in first..last {
            let next = spread.integral_to(spec.sonar.min_range_m + (k + 1) as f64 * bin);
            self.power[k] += (power * (next - before) / bin) as f32;
            before = next;
        }
    }

    fn clear(&mut self) {
        let [first, last] = self.bin_range;
        if first < last {
            self.power[first..last].fill(0.0);
        }
        self.shadowed.clear();
        self.bin_range = [self.power.len(), 0];
        self.solid_angle = 0.0;
    }
}

/// Returns the nearest and farthest range of a patch, divided by the range of its centre, on its
/// plane.
fn range_ratios(patch: &Patch) -> [f64; 2] {
    let (n, flat) = (patch.n, patch.flat);
    let down = n.dot(patch.d);
    let mut widest = [1.0, 1.0];
    for (side, half) in patch.sides {
        let (h, slant) = (half, n.dot(side));
        let ratio_at = |h: f64| {
            let ratio = down * (1.0 + h * h).sqrt() / (down + h * slant);
            if ratio > 0.0 {
                ratio.clamp(flat[0], flat[1])
            } else {
                flat[1]
            }
        };
        let (a, b) = (ratio_at(h), ratio_at(-h));
        let ends = [a.min(b), a.max(b)];
        if ends[1] - ends[0] > widest[1] - widest[0] {
            widest = ends;
        }
    }
    widest
}

/// Range distribution of an echo: uniform over the ranges of its patch, convolved with the pulse.
struct RangeDistribution {
    corners: [f64; 4],
    width: f64,
}

impl RangeDistribution {
    fn new([a, b]: [f64; 2], cell: f64, min_width: f64) -> Self {
        let (center, width) = (0.5 * (a + b), (b - a).max(min_width));
        let (inner, outer) = (0.5 * (cell - width), 0.5 * (cell + width));
        Self {
            corners: [
                center - outer,
                center - inner,
                center + inner,
                center + outer,
            ],
            width,
        }
    }

    fn start(&self) -> f64 {
        self.corners[0]
    }

    fn end(&self) -> f64 {
        self.corners[3]
    }

    /// Returns the integral of the distribution up to `x` [m]. The distribution is 1 over the
    /// length of the pulse cell.
    fn integral_to(&self, x: f64) -> f64 {
        let part = |corner: f64| {
            let over = (x - corner).max(0.0);
            0.5 * over * over
        };
        let [a, b, c, d] = self.corners.map(part);
        (a - b - c + d) / self.width
    }
}
