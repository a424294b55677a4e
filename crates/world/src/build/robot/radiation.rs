//! Conversion of tables of radiation and wave forces to the radiation filters and the diffraction
//! of the base.

use crate::context::Context;
use crate::import::bem::{BemTable, Matrix, WaveExcitation, capytaine, fit, wamit};
use crate::import::files;
use crate::import::sname;
use crate::keys::{BodyConfig, RadiationConfig};
use merrow_environment::waves::dispersion;
use merrow_math::hull_mesh::HullMesh;
use merrow_math::{Mat3, SpatialForce, SpatialInertia, Vec3};
use merrow_model::scene::Link;
use merrow_model::scene::robot::radiation::{Diffraction, Filter, FilterStep, Phasor, Radiation};
use merrow_physics::forces::hydrodynamics::buoyancy;
use merrow_yaml::error::{Place, quote};
use merrow_yaml::read::Places;
use std::path::Path;
use std::sync::Arc;

/// Deviation of the filters from the tables, relative to the largest value, above which a note is
/// given.
const NOTED_FIT_ERROR: f64 = 0.05;
/// Energy that the filters add, relative to the largest damping, above which a note is given, and
/// above which the tables are rejected.
const ADDED_ENERGY_LIMITS: [f64; 2] = [0.02, 0.2];
/// Number of intervals into which the interval between two frequencies of the tables is divided.
const SUBDIVISIONS: u32 = 4;
/// Number of frequencies above the tables, and the ratio between them.
const HIGHER_FREQUENCIES: (u32, f64) = (20, 1.1);
/// Relative difference of the heave stiffness of the hull from the tables above which a note is
/// given.
const NOTED_STIFFNESS_ERROR: f64 = 0.05;

/// Sets the radiation model of `link` from the tables of `body`, if there are any.
pub(crate) fn set_radiation(link: &mut Link, body: &BodyConfig, cx: Context<'_>) {
    let Some(file) = &body.radiation else { return };
    let (RadiationConfig::Wamit {
        at,
        origin_m,
        filters,
        ..
    }
    | RadiationConfig::Capytaine {
        at,
        origin_m,
        filters,
        ..
    }) = file;
    if !is_applicable(link, body, at, cx) {
        return;
    }
    let p_LoP = sname::vector_to_flu(body.axes, *origin_m);
    let up = Vec3::new(0.0, 0.0, 1.0);
    let wet_at_rest = wetted_fraction(link, up, -p_LoP.z);
    if wet_at_rest <= 0.0 {
        let text = format!(
            "no part of the hull of {} lies under the surface through `origin_m`",
            link.name
        );
        return cx.error(at.key_place("origin_m"), text);
    }
    let Some((table, place)) = read_tables(file, cx) else {
        return;
    };
    check_heave_stiffness(file, link, p_LoP, cx);
    let size = link.hull.bound;
    let fitted = fit::fit(&table, *filters as usize, size);
    check_fit(link, &fitted, place, cx);
    let to_link = |m: &Matrix| {
        let swap = |k: usize| (k + 3) % 6;
        let turned = std::array::from_fn(|i| std::array::from_fn(|j| m[swap(i)][swap(j)]));
        SpatialInertia::from_matrix(&turned).to_parent(&Mat3::identity(), p_LoP)
    };
    let filters = fitted.filters.iter().map(|(omega, damping, gain)| Filter {
        omega: *omega,
        damping: *damping,
        gain: to_link(gain),
        advance: [0.5, 1.0].map(|part| FilterStep::discretise(part * cx.dt, *omega, *damping)),
    });
    let diffraction = table.waves.as_ref().and_then(|w| {
        let is_round = table.is_axisymmetric();
        build_diffraction((w, is_round), &fitted, link, p_LoP, place, cx)
    });
    // The added mass is scaled with the wetted fraction: at rest it equals the value of the tables.
    link.added = to_link(&fitted.added_infinite).scale(1.0 / wet_at_rest);
    link.total = link.rigid + link.added;
    link.radiation = Some(Arc::new(Radiation {
        filters: filters.collect(),
        wet_at_rest,
        diffraction,
    }));
}

/// Returns true if `link` can have a radiation model with the keys `places`. Reports the reason if
/// not.
fn is_applicable(link: &Link, body: &BodyConfig, places: &Places, cx: Context<'_>) -> bool {
    if link.parent.is_some() {
        let text = format!(
            "`radiation` of {}: only the base of a robot can have it",
            link.name
        );
        cx.error(&places.whole, text);
        return false;
    }
    if body.at.has_key("added_mass") {
        let text = format!(
            "the added mass of {} follows from `radiation` (at {}): leave `added_mass` out",
            link.name, places.whole
        );
        cx.error(body.at.key_place("added_mass"), text);
        return false;
    }
    if cx.density <= 0.0 || cx.gravity <= 0.0 {
        cx.error(&places.whole, "`radiation` needs water and gravity");
        return false;
    }
    true
}

/// Returns the wetted fraction of the hull with its origin `height` [m] above the surface.
pub(super) fn wetted_fraction(link: &Link, up: Vec3, height: f64) -> f64 {
    match &link.hull_mesh {
        Some(hull_mesh) => hull_mesh.submerged_below_plane(up, height).volume / hull_mesh.volume,
        None => buoyancy::wetness(link, up, height).wet,
    }
}

/// Returns what `parse` reads from the file `name`, or `None` after reporting a problem.
fn read_file<T>(
    name: &str,
    place: &Place,
    parse: impl FnOnce(&Path) -> Result<T, String>,
    cx: Context<'_>,
) -> Option<T> {
    let path = files::find_file(name, place, &mut cx.problems())?;
    parse(&path)
        .map_err(|text| cx.error(place, format!("{}: {text}", quote(name))))
        .ok()
}

/// Returns the tables and the position at which their file is named.
fn read_tables<'a>(file: &'a RadiationConfig, cx: Context<'_>) -> Option<(BemTable, &'a Place)> {
    match file {
        RadiationConfig::Wamit {
            added_mass,
            excitation,
            scattering,
            length_m,
            at,
            ..
        } => {
            let scale = wamit::Scale {
                density: cx.density,
                gravity: cx.gravity,
                length: *length_m,
            };
            let place = at.key_place("added_mass");
            let mut table = read_file(
                added_mass,
                place,
                |path| wamit::read_radiation(&files::read_text(path)?, scale),
                cx,
            )?;
            let (name, key, is_total) = match (excitation, scattering) {
                (Some(_), Some(_)) => {
                    let text = "both `excitation` and `scattering` are given; expected one of them";
                    return cx.refuse(at.key_place("scattering"), text);
                }
                (Some(name), None) => (name, "excitation", true),
                (None, Some(name)) => (name, "scattering", false),
                (None, None) => return Some((table, place)),
            };
            table.waves = Some(read_file(
                name,
                at.key_place(key),
                |path| wamit::read_excitation(&files::read_text(path)?, scale, is_total),
                cx,
            )?);
            Some((table, place))
        }
        RadiationConfig::Capytaine { file, at, .. } => {
            let place = at.key_place("file");
            let table = read_file(
                file,
                place,
                |path| capytaine::read(&files::read_bytes(path)?, cx.density, cx.gravity),
                cx,
            )?;
            Some((table, place))
        }
    }
}

/// Notes filters that deviate from the tables; rejects filters that add energy.
fn check_fit(link: &Link, fitted: &fit::Fit, place: &Place, cx: Context<'_>) {
    let [noted, refused] = ADDED_ENERGY_LIMITS;
    if fitted.error > NOTED_FIT_ERROR {
        let text = format!(
            "the radiation memory of {} deviates from the tables by up to {:.0} % of their largest \
             value; give more frequencies, or change `filters`",
            link.name,
            100.0 * fitted.error
        );
        cx.note(place, text);
    }
    let causes = [
        (
            fitted.of_table,
            "the tables are not coefficients of a body that makes waves",
        ),
        (
            fitted.of_filters,
            "no filters fit the tables; give more frequencies, or change `filters`",
        ),
    ];
    let Some((found, cause)) = causes.into_iter().find(|(found, _)| found.part > noted) else {
        return;
    };
    let text = format!(
        "the radiation of {} would add energy at {:.3} rad/s, {:.0} % of its largest damping: {cause}",
        link.name,
        found.omega,
        100.0 * found.part
    );
    if found.part > refused {
        cx.error(place, text)
    } else {
        cx.note(place, text)
    }
}

/// Notes a difference of the heave stiffness of the hull from WAMIT's `.hst`.
fn check_heave_stiffness(file: &RadiationConfig, link: &Link, p_LoP: Vec3, cx: Context<'_>) {
    let RadiationConfig::Wamit {
        hydrostatics: Some(name),
        length_m,
        at,
        ..
    } = file
    else {
        return;
    };
    let place = at.key_place("hydrostatics");
    let c33 = read_file(
        name,
        place,
        |path| wamit::read_waterplane_area(&files::read_text(path)?),
        cx,
    );
    let Some(c33) = c33 else { return };
    let area = c33 * length_m * length_m;
    let up = Vec3::new(0.0, 0.0, 1.0);
    let step = 1e-4 * link.hull.bound;
    let around = |height: f64| wetted_fraction(link, up, height) * link.volume_m3;
    let own = (around(-p_LoP.z - step) - around(-p_LoP.z + step)) / (2.0 * step);
    if (own / area - 1.0).abs() > NOTED_STIFFNESS_ERROR {
        let density = cx.density;
        let text = format!(
            "{}: the tables' waterplane is {area:.4} m2, the waterplane of the hull of {} {own:.4} \
             m2 (in water of {density} kg/m3): the value of the hull is used; check `length_m` and \
             `origin_m`",
            quote(name),
            link.name
        );
        cx.note(place, text);
    }
}

/// Wave forces for headings that cover 0 to 180 degrees or the full circle.
struct HeadingTable {
    /// Headings of the waves [deg], ascending.
    headings: Vec<f64>,
    /// Forces over frequency and heading, headings fastest.
    force: Vec<[[f64; 2]; 6]>,
    /// Whether the headings end at 180 degrees, so that the other half is the mirror image.
    mirrored: bool,
}

impl HeadingTable {
    /// Returns the table of `waves`, closed to a full circle if its headings nearly cover one, and
    /// turned to all headings if a body of revolution has only one; `None` if headings are missing.
    fn from_waves(waves: &WaveExcitation, is_axisymmetric: bool) -> Option<Self> {
        let (mut headings, mut force) = (waves.headings.clone(), waves.force.clone());
        if let ([given], true) = (headings.as_slice(), is_axisymmetric) {
            return Some(Self::of_revolution(waves, *given));
        }
        let mirrored = match (headings.first(), headings.last()) {
            (Some(first), Some(last)) if *first == 0.0 && *last == 180.0 => true,
            (Some(first), Some(last)) if headings.len() > 2 && last - first >= 359.999 => false,
            (Some(first), Some(last))
                if headings.len() > 2
                    && *first >= -180.0
                    && *last < first + 360.0
                    && last - first > 180.0 =>
            {
                // Full circle: the first heading is repeated at the end.
                let n = headings.len();
                let closed = first + 360.0;
                headings.push(closed);
                force = force
                    .chunks_exact(n)
                    .flat_map(|row| row.iter().copied().chain([row[0]]))
                    .collect();
                false
            }
            _ => return None,
        };
        Some(HeadingTable {
            headings,
            force,
            mirrored,
        })
    }

    /// Returns the forces at the frequencies `samples`, less the reaction to the motion of the
    /// water at a frequency and a heading [deg], along and across the waves.
    fn less_reaction(
        &self,
        samples: &[(usize, f64, f64)],
        is_round: bool,
        reaction: impl Fn(f64, f64) -> [[f64; 2]; 6],
    ) -> Vec<Phasor> {
        let n = self.headings.len();
        let mut all = Vec::new();
        for (row, part, omega) in samples {
            for (column, heading) in self.headings.iter().enumerate() {
                let this = row * n + column;
                let next = if *part > 0.0 { this + n } else { this };
                let force = weighted(&self.force[this], 1.0 - part, &self.force[next], *part);
                let rest = weighted(&force, 1.0, &reaction(*omega, *heading), -1.0);
                let [surge, mut sway, heave, mut roll, pitch, mut yaw] = turned(&rest, -heading);
                if is_round {
                    (sway, roll, yaw) = ([0.0; 2], [0.0; 2], [0.0; 2]);
                }
                all.push([roll, pitch, yaw, surge, sway, heave]);
            }
        }
        all
    }

    /// Turns the forces at the heading `given` [deg] about the axis of a body of revolution.
    fn of_revolution(waves: &WaveExcitation, given: f64) -> Self {
        let headings = vec![0.0, 180.0];
        let force = waves
            .force
            .iter()
            .flat_map(|force| {
                headings
                    .iter()
                    .map(|heading| turned(force, heading - given))
            })
            .collect();
        HeadingTable {
            headings,
            force,
            mirrored: true,
        }
    }
}

/// Turns a force and its moment by `angle` [deg] about the z axis.
fn turned(force: &[[f64; 2]; 6], angle: f64) -> [[f64; 2]; 6] {
    let (c, s) = (libm::cos(angle.to_radians()), libm::sin(angle.to_radians()));
    let mut all = *force;
    for first in [0, 3] {
        for part in 0..2 {
            let (x, y) = (force[first][part], force[first + 1][part]);
            all[first][part] = c * x - s * y;
            all[first + 1][part] = s * x + c * y;
        }
    }
    all
}

/// Computes the scattering forces of `waves` at P, less the reaction of the hull with the radiation
/// `fitted` to the motion of the water. The forces on a body of revolution (`is_round`) are
/// symmetric to the plane of the wave.
fn build_diffraction(
    (waves, is_round): (&WaveExcitation, bool),
    fitted: &fit::Fit,
    link: &Link,
    p_LoP: Vec3,
    place: &Place,
    cx: Context<'_>,
) -> Option<Diffraction> {
    let Some(hull_mesh) = &link.hull_mesh else {
        let text = format!(
            "the tables contain wave forces, which need a hull of the kind `mesh` for the pressure \
             of the incident waves; give {} one, or leave them out",
            link.name
        );
        return cx.refuse(place, text);
    };
    let Some(mut table) = HeadingTable::from_waves(waves, is_round) else {
        let text = "the headings of the wave forces cover neither 0 to 180 degrees nor the full circle; expected one of the two, or one heading for a body of revolution";
        return cx.refuse(place, text);
    };
    let wave = |omega: f64, heading: f64| UnitWave {
        omega,
        heading: heading.to_radians(),
        k: dispersion::wave_number(omega, cx.depth, cx.gravity),
        depth: cx.depth,
    };
    if waves.is_total {
        let wet = hull_mesh.clip_below_plane(Vec3::new(0.0, 0.0, 1.0), -p_LoP.z);
        let rho_g = cx.density * cx.gravity * (link.volume_m3 / hull_mesh.volume);
        let rows = table.force.chunks_exact_mut(table.headings.len());
        for (omega, row) in waves.omega.iter().zip(rows) {
            for (heading, force) in table.headings.iter().zip(row) {
                let own = wave(*omega, *heading).pressure_force(&wet, p_LoP, rho_g);
                *force = weighted(force, 1.0, &own, -1.0);
            }
        }
    }
    let samples = sampled_frequencies(&waves.omega);
    let p_PE = merrow_environment::water_point_at_rest(link, -p_LoP.z) - p_LoP;
    let reaction = |omega: f64, heading: f64| wave(omega, heading).reaction(fitted, p_PE);
    Some(Diffraction {
        p_LoP,
        omega: samples.iter().map(|(_, _, omega)| *omega).collect(),
        headings: table.headings.iter().map(|h| h.to_radians()).collect(),
        force: table.less_reaction(&samples, is_round, reaction),
        mirrored: table.mirrored,
    })
}

/// Returns `a x + b y` for two forces x and y.
fn weighted(x: &[[f64; 2]; 6], a: f64, y: &[[f64; 2]; 6], b: f64) -> [[f64; 2]; 6] {
    std::array::from_fn(|i| [0, 1].map(|part| a * x[i][part] + b * y[i][part]))
}

/// Returns frequencies between and above the frequencies of the tables [rad/s], each with the row
/// of the tables before it and its place between this row and the next: the scattering is linear
/// between the rows and constant above them, while the reaction to the water is not.
fn sampled_frequencies(table: &[f64]) -> Vec<(usize, f64, f64)> {
    let (number, ratio) = HIGHER_FREQUENCIES;
    let mut all = Vec::new();
    for (row, ends) in table.windows(2).enumerate() {
        all.extend((0..SUBDIVISIONS).map(|k| {
            let part = f64::from(k) / f64::from(SUBDIVISIONS);
            (row, part, ends[0] + part * (ends[1] - ends[0]))
        }));
    }
    let last = table.len() - 1;
    let mut omega = table[last];
    for _ in 0..=number {
        all.push((last, 0.0, omega));
        omega *= ratio;
    }
    all
}

/// Undisturbed wave with an amplitude of 1 m, with its crest at P at the time zero.
struct UnitWave {
    /// Frequency [rad/s].
    omega: f64,
    /// Direction of travel, counter-clockwise from forward [rad].
    heading: f64,
    /// Wave number [1/m].
    k: f64,
    /// Depth of the water [m].
    depth: f64,
}

impl UnitWave {
    /// Returns the phasor of the elevation at `r` [m] from P.
    fn elevation(&self, r: Vec3) -> [f64; 2] {
        let phase = self.k * (r.x * libm::cos(self.heading) + r.y * libm::sin(self.heading));
        [libm::cos(phase), -libm::sin(phase)]
    }

    /// Returns the ratios of the pressure head, and of the horizontal and the vertical motion, at
    /// the height `z` [m] to the elevation.
    fn decay(&self, z: f64) -> [f64; 3] {
        let (k, h, z) = (self.k, self.depth, z.min(0.0));
        if k * h > 300.0 {
            return [libm::exp(k * z); 3];
        }
        let (cosh, sinh) = (libm::cosh(k * (z + h)), libm::sinh(k * (z + h)));
        [
            cosh / libm::cosh(k * h),
            cosh / libm::sinh(k * h),
            sinh / libm::sinh(k * h),
        ]
    }

    /// Returns the pressure force, surge to yaw about P, on the triangles `wet` of a hull at rest.
    /// The pressure is linear over each triangle, as in the simulation step.
    fn pressure_force(&self, wet: &[[Vec3; 3]], p_LoP: Vec3, rho_g: f64) -> [[f64; 2]; 6] {
        let head = |r: Vec3| self.elevation(r).map(|eta| self.decay(r.z)[0] * eta);
        let mut sum = [SpatialForce::zero(); 2];
        for t in wet {
            let about_p = t.map(|p| p - p_LoP);
            let heads = about_p.map(head);
            for (part, sum) in sum.iter_mut().enumerate() {
                *sum += HullMesh::pressure_wrench(&about_p, heads.map(|h| h[part]));
            }
        }
        std::array::from_fn(|i| sum.map(|F| rho_g * if i < 3 { F.f[i] } else { F.m[i - 3] }))
    }

    /// Returns (iω A(ω) + B(ω)) u, surge to yaw about P, for the velocity u of the water at the
    /// point `p_PE` [m].
    fn reaction(&self, fitted: &fit::Fit, p_PE: Vec3) -> [[f64; 2]; 6] {
        let (added, damping) = fitted.matrices_at(self.omega);
        let [re, im] = self.elevation(p_PE).map(|eta| self.omega * eta);
        let [_, level, vertical] = self.decay(p_PE.z);
        let (c, s) = (
            level * libm::cos(self.heading),
            level * libm::sin(self.heading),
        );
        // the vertical velocity is a quarter of a period ahead
        let u = [
            [c * re, c * im],
            [s * re, s * im],
            [-vertical * im, vertical * re],
        ];
        std::array::from_fn(|i| {
            let mut sum = [0.0; 2];
            for (j, [re, im]) in u.iter().enumerate() {
                let (a, b) = (self.omega * added[i][j], damping[i][j]);
                sum[0] += b * re - a * im;
                sum[1] += b * im + a * re;
            }
            sum
        })
    }
}
