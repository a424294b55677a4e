//! Conversion of tables of radiation and wave forces to the radiation filters and the diffraction
//! of the base.

use crate::build::robot::BuildContext;
use crate::import::assets;
use crate::import::bem::{BemTable, Matrix, WaveExcitation, capytaine, fit, wamit};
use crate::import::sname;
use merrow_environment::waves::dispersion;
use merrow_math::hull_mesh::HullMesh;
use merrow_math::{Mat3, SpatialForce, SpatialInertia, Vec3};
use merrow_model::scene::Link;
use merrow_model::scene::robot::radiation::{Diffraction, Filter, FilterStep, Phasor, Radiation};
use merrow_physics::forces::hydrodynamics::buoyancy;
use merrow_schema::{BodyConfig, RadiationConfig};
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::read::Places;
use std::path::Path;
use std::sync::Arc;

/// Deviation of the filters from the tables, relative to the largest value, above which a note is
/// given.
const NOTED_FIT_ERROR: f64 = 0.05;
/// Energy that the filters add, relative to the largest damping, above which a note is given, and
/// above which the tables are rejected.
const ADDED_ENERGY_LIMITS: [f64; 2] = [0.02, 0.2];
/// Steps of the headings to which the forces on a body of revolution are turned [deg].
const TURNED_HEADING_STEP: i32 = 3;
/// Relative difference of the heave stiffness of the hull from the tables above which a note is
/// given.
const NOTED_STIFFNESS_ERROR: f64 = 0.05;

/// Sets the radiation model of `link` from the tables of `body`, if there are any.
pub(crate) fn set_radiation(
    link: &mut Link,
    body: &BodyConfig,
    frame: BuildContext<'_>,
    problems: &mut Problems,
) {
    let Some(file) = &body.radiation else { return };
    let keys = RadiationKeys::from_config(file);
    if !is_applicable(link, body, keys.at, frame, problems) {
        return;
    }
    let p_LoP = sname::vector_to_flu(body.axes, keys.origin);
    let up = Vec3::new(0.0, 0.0, 1.0);
    let wet_at_rest = wetted_fraction(link, up, -p_LoP.z);
    if wet_at_rest <= 0.0 {
        let text = format!(
            "no part of the hull of {} lies under the surface through `origin_m`",
            link.name
        );
        return problems.push(keys.at.key_place("origin_m"), text);
    }
    let Some((table, place)) = read_tables(file, frame, problems) else {
        return;
    };
    check_heave_stiffness(file, link, p_LoP, frame, problems);
    let size = link.hull.bound;
    let fitted = fit::fit(&table, keys.filter_count, size);
    check_fit(link, &fitted, place, problems);
    let to_link = |m: &Matrix| {
        let swap = |k: usize| (k + 3) % 6;
        let turned = std::array::from_fn(|i| std::array::from_fn(|j| m[swap(i)][swap(j)]));
        SpatialInertia::from_matrix(&turned).to_parent(&Mat3::identity(), p_LoP)
    };
    let filters = fitted.filters.iter().map(|(omega, damping, gain)| Filter {
        omega: *omega,
        damping: *damping,
        gain: to_link(gain),
        advance: [0.5, 1.0]
            .map(|part| FilterStep::discretise(part * frame.world.dt, *omega, *damping)),
    });
    let diffraction = table.waves.as_ref().and_then(|w| {
        let headings = HeadingTable::from_waves(w, table.is_axisymmetric());
        build_diffraction((w, headings), link, p_LoP, frame, place, problems)
    });
    // The added mass is scaled with the wetted fraction: at rest it equals the value of the tables.
    link.added = to_link(&fitted.added_infinite).scale(1.0 / wet_at_rest);
    link.total = link.rigid.plus(&link.added);
    link.radiation = Some(Arc::new(Radiation {
        filters: filters.collect(),
        wet_at_rest,
        diffraction,
    }));
}

/// Keys that tables of all programs have.
struct RadiationKeys<'a> {
    at: &'a Places,
    /// Origin of the tables, in the axes of the body file [m].
    origin: [f64; 3],
    /// Number of filters of the radiation model.
    filter_count: usize,
}

impl<'a> RadiationKeys<'a> {
    /// Returns the keys of `file`.
    fn from_config(file: &'a RadiationConfig) -> Self {
        match file {
            RadiationConfig::Wamit {
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
            } => RadiationKeys {
                at,
                origin: *origin_m,
                filter_count: *filters as usize,
            },
        }
    }
}

/// Returns true if `link` can have a radiation model with the keys `places`. Reports the reason if
/// not.
fn is_applicable(
    link: &Link,
    body: &BodyConfig,
    places: &Places,
    frame: BuildContext<'_>,
    problems: &mut Problems,
) -> bool {
    if link.parent.is_some() {
        let text = format!(
            "`radiation` of {}: only the base of a robot can have it",
            link.name
        );
        problems.push(&places.whole, text);
        return false;
    }
    if body.at.has_key("added_mass") {
        let text = format!(
            "the added mass of {} follows from `radiation` (at {}): leave `added_mass` out",
            link.name, places.whole
        );
        problems.push(body.at.key_place("added_mass"), text);
        return false;
    }
    if frame.around.density <= 0.0 || frame.around.gravity <= 0.0 {
        problems.push(&places.whole, "`radiation` needs water and gravity");
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

/// Returns the tables and the position at which their file is named.
fn read_tables<'a>(
    file: &'a RadiationConfig,
    frame: BuildContext<'_>,
    problems: &mut Problems,
) -> Option<(BemTable, &'a Place)> {
    let around = frame.around;
    let mut use_file = |name: &str, place: &Place, parse: &dyn Fn(&Path) -> Result<(), String>| {
        let path = assets::find_file(name, place, problems)?;
        if let Err(text) = parse(&path) {
            problems.push(place, format!("{}: {text}", quote(name)));
            return None;
        }
        Some(())
    };
    let mut table = None;
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
                density: around.density,
                gravity: around.gravity,
                length: *length_m,
            };
            let place = at.key_place("added_mass");
            let cell = std::cell::RefCell::new(BemTable::default());
            use_file(added_mass, place, &|path| {
                *cell.borrow_mut() = wamit::read_radiation(&assets::read_text(path)?, scale)?;
                Ok(())
            })?;
            let waves = match (excitation, scattering) {
                (Some(_), Some(_)) => {
                    let text = "both `excitation` and `scattering` are given; expected one of them";
                    problems.push(at.key_place("scattering"), text);
                    return None;
                }
                (Some(name), None) => Some((name, at.key_place("excitation"), true)),
                (None, Some(name)) => Some((name, at.key_place("scattering"), false)),
                (None, None) => None,
            };
            if let Some((name, place, is_total)) = waves {
                use_file(name, place, &|path| {
                    let found = wamit::read_excitation(&assets::read_text(path)?, scale, is_total)?;
                    cell.borrow_mut().waves = Some(found);
                    Ok(())
                })?;
            }
            table.replace((cell.into_inner(), place));
        }
        RadiationConfig::Capytaine { file, at, .. } => {
            let place = at.key_place("file");
            let cell = std::cell::RefCell::new(BemTable::default());
            use_file(file, place, &|path| {
                let bytes = assets::read_bytes(path)?;
                *cell.borrow_mut() = capytaine::read(&bytes, around.density, around.gravity)?;
                Ok(())
            })?;
            table.replace((cell.into_inner(), place));
        }
    }
    table
}

/// Notes filters that deviate from the tables; rejects filters that add energy.
fn check_fit(link: &Link, fitted: &fit::Fit, place: &Place, problems: &mut Problems) {
    let [noted, refused] = ADDED_ENERGY_LIMITS;
    if fitted.error > NOTED_FIT_ERROR {
        let text = format!(
            "the radiation memory of {} deviates from the tables by up to {:.0} % of their largest \
             value; give more frequencies, or change `filters`",
            link.name,
            100.0 * fitted.error
        );
        problems.note(place, text);
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
        problems.push(place, text)
    } else {
        problems.note(place, text)
    }
}

/// Notes a difference of the heave stiffness of the hull from WAMIT's `.hst`.
fn check_heave_stiffness(
    file: &RadiationConfig,
    link: &Link,
    p_LoP: Vec3,
    frame: BuildContext<'_>,
    problems: &mut Problems,
) {
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
    let Some(path) = assets::find_file(name, place, problems) else {
        return;
    };
    let found = assets::read_text(&path).and_then(|text| wamit::read_waterplane_area(&text));
    let area = match found {
        Ok(c33) => c33 * length_m * length_m,
        Err(text) => return problems.push(place, format!("{}: {text}", quote(name))),
    };
    let up = Vec3::new(0.0, 0.0, 1.0);
    let step = 1e-4 * link.hull.bound;
    let around = |height: f64| wetted_fraction(link, up, height) * link.volume;
    let own = (around(-p_LoP.z - step) - around(-p_LoP.z + step)) / (2.0 * step);
    if (own / area - 1.0).abs() > NOTED_STIFFNESS_ERROR {
        let density = frame.around.density;
        let text = format!(
            "{}: the tables' waterplane is {area:.4} m2, the waterplane of the hull of {} {own:.4} \
             m2 (in water of {density} kg/m3): the value of the hull is used; check `length_m` and \
             `origin_m`",
            quote(name),
            link.name
        );
        problems.note(place, text);
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

    /// Turns the forces at the heading `given` [deg] about the axis of a body of revolution.
    fn of_revolution(waves: &WaveExcitation, given: f64) -> Self {
        let headings: Vec<f64> = (0..=180 / TURNED_HEADING_STEP)
            .map(|k| f64::from(k * TURNED_HEADING_STEP))
            .collect();
        let turned = |force: &[[f64; 2]; 6], heading: f64| -> [[f64; 2]; 6] {
            let angle = (heading - given).to_radians();
            let (c, s) = (libm::cos(angle), libm::sin(angle));
            let mut all = *force;
            for first in [0, 3] {
                for part in 0..2 {
                    let (x, y) = (force[first][part], force[first + 1][part]);
                    all[first][part] = c * x - s * y;
                    all[first + 1][part] = s * x + c * y;
                }
            }
            all
        };
        let force = waves
            .force
            .iter()
            .flat_map(|force| headings.iter().map(|heading| turned(force, *heading)))
            .collect();
        HeadingTable {
            headings,
            force,
            mirrored: true,
        }
    }
}

/// Computes the scattering forces at Lo from `waves` and its table over the headings.
fn build_diffraction(
    (waves, table): (&WaveExcitation, Option<HeadingTable>),
    link: &Link,
    p_LoP: Vec3,
    frame: BuildContext<'_>,
    place: &Place,
    problems: &mut Problems,
) -> Option<Diffraction> {
    let Some(hull_mesh) = &link.hull_mesh else {
        let text = format!(
            "the tables contain wave forces, which need a hull of the kind `mesh` for the pressure \
             of the incident waves; give {} one, or leave them out",
            link.name
        );
        problems.push(place, text);
        return None;
    };
    let Some(table) = table else {
        let text = "the headings of the wave forces cover neither 0 to 180 degrees nor the full circle; expected one of the two, or one heading for a body of revolution";
        problems.push(place, text);
        return None;
    };
    let HeadingTable {
        headings,
        force,
        mirrored,
    } = table;
    let n = headings.len();
    let wet = hull_mesh.clip_below_plane(Vec3::new(0.0, 0.0, 1.0), -p_LoP.z);
    let around = frame.around;
    let to_link = |k: usize, force: &[[f64; 2]; 6]| -> Phasor {
        let (omega, heading) = (waves.omega[k / n], headings[k % n].to_radians());
        let part = |c: usize| {
            let x = |i: usize| force[i][c];
            let (f, m) = (Vec3::new(x(0), x(1), x(2)), Vec3::new(x(3), x(4), x(5)));
            SpatialForce {
                m: m + p_LoP.cross(f),
                f,
            }
        };
        let mut parts = [part(0), part(1)];
        if waves.is_total {
            let wave_number = dispersion::wave_number(omega, around.depth, around.gravity);
            let own = froude_krylov_force(&wet, p_LoP, wave_number, heading, around.depth);
            let rho_g = around.density * around.gravity * (link.volume / hull_mesh.volume);
            for (part, own) in parts.iter_mut().zip(own) {
                *part = part.minus(&SpatialForce {
                    m: own.m.scale(rho_g),
                    f: own.f.scale(rho_g),
                });
            }
        }
        let [re, im] = parts.map(|p| [p.m.x, p.m.y, p.m.z, p.f.x, p.f.y, p.f.z]);
        std::array::from_fn(|i| [re[i], im[i]])
    };
    let force = force
        .iter()
        .enumerate()
        .map(|(k, force)| to_link(k, force))
        .collect();
    let headings = headings.iter().map(|h| h.to_radians()).collect();
    Some(Diffraction {
        p_LoP,
        omega: waves.omega.clone(),
        headings,
        force,
        mirrored,
    })
}

/// Returns real and imaginary part of the pressure force of an undisturbed wave of 1 m amplitude on
/// triangles at rest, divided by ρ g, at Lo. The pressure is linear over each triangle, as in the
/// simulation step.
fn froude_krylov_force(
    wet: &[[Vec3; 3]],
    p_LoP: Vec3,
    k: f64,
    heading: f64,
    depth: f64,
) -> [SpatialForce; 2] {
    let (c, s) = (libm::cos(heading), libm::sin(heading));
    let head = |p: Vec3| {
        let r = p - p_LoP;
        let z = r.z.min(0.0);
        let deep = k * depth > 300.0;
        let sinks = if deep {
            libm::exp(k * z)
        } else {
            libm::cosh(k * (z + depth)) / libm::cosh(k * depth)
        };
        let phase = k * (r.x * c + r.y * s);
        [sinks * libm::cos(phase), -sinks * libm::sin(phase)]
    };
    let mut sum = [SpatialForce::zero(); 2];
    for t in wet {
        let heads = t.map(head);
        for (part, sum) in sum.iter_mut().enumerate() {
            *sum = sum.plus(&HullMesh::pressure_wrench(t, heads.map(|h| h[part])));
        }
    }
    sum
}
