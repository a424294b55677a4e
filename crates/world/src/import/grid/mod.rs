//! Reads quantities on grids from files: finds the variable, maps the axes to east, north, depth
//! and time, and handles holes.
//!
//! One module reads all gridded quantities, so that declarations and error texts are the same for
//! all. Large grids in NetCDF classic and raw files stay on disk
//! (`crates/model/src/scene/sea/mapped.rs`).

mod holes;
pub mod mapped_file;
pub(super) mod netcdf;
pub(super) mod text;
mod tiff;

use crate::import::files;
use crate::import::grid::mapped_file::map_file;
use crate::keys::grid::{GridConfig, HorizontalUnitConfig, RawGridConfig, VerticalDirectionConfig};
use memmap2::Mmap;
use merrow_math::ellipsoid::TangentPlane;
use merrow_model::scene::Origin;
use merrow_model::scene::sea::grid::{Axis, Grid, Samples};
use merrow_model::scene::sea::mapped::{Layout, Mapped};
use merrow_yaml::error::{Place, Problems, quote, quoted_list};
use merrow_yaml::load::Loader;
use merrow_yaml::read;
use std::path::Path;

/// Maximum number of samples of a grid that is not memory-mapped.
const SAMPLES_MAX: usize = 64_000_000;
/// Number of samples above which a grid is stored in single precision or left in its file.
const DOUBLE_PRECISION_MAX: usize = 2_000_000;
/// Accepted names of the axes: east, north, depth, time.
const AXIS_NAMES: [&[&str]; 4] = [
    &["x", "lon", "longitude", "easting"],
    &["y", "lat", "latitude", "northing"],
    &["depth", "z", "height", "altitude", "lev"],
    &["time", "t"],
];

/// An axis as its file defines it.
pub(crate) struct NamedAxis {
    /// Name of the axis in the file.
    pub name: String,
    /// Coordinates of the samples, in the file's unit.
    pub coordinates: Vec<f64>,
}

/// A grid as its file defines it.
pub(crate) struct FileGrid {
    /// Axes from the slowest to the fastest varying.
    pub axes: Vec<NamedAxis>,
    /// Samples in the file's unit, last axis fastest.
    pub samples: FileSamples,
    /// Unit of the quantity, if the file states it.
    pub unit: Option<String>,
}

/// Samples of a file.
pub(crate) enum FileSamples {
    /// Mapped file, and where it stores the samples.
    Mapped(Mmap, Layout),
    /// Samples in memory, with NaN for missing values.
    Memory(Vec<f64>),
}

/// Axes from the slowest to the fastest varying, and samples with NaN for missing values.
pub(crate) type MemoryGrid = (Vec<NamedAxis>, Vec<f64>);

impl From<MemoryGrid> for FileGrid {
    fn from((axes, samples): MemoryGrid) -> Self {
        Self {
            axes,
            samples: FileSamples::Memory(samples),
            unit: None,
        }
    }
}

/// Reads the grid that `file` declares, for a world with this origin. Returns `None` after
/// reporting a problem.
pub(crate) fn read_grid(
    file: &GridConfig,
    origin: &Origin,
    problems: &mut Problems,
) -> Option<Grid> {
    let place = file.at.key_place("file");
    let path = files::find_file(&file.file, place, problems)?;
    let source = open(file, &path, problems)?;
    let name = quote(&path.to_string_lossy());
    assemble_grid(file, source, origin)
        .map(|(grid, note)| {
            if let Some(note) = note {
                problems.note(place, format!("{name}: {note}"));
            }
            grid
        })
        .map_err(|text| problems.push(place, format!("{name}: {text}")))
        .ok()
}

fn open(file: &GridConfig, path: &Path, problems: &mut Problems) -> Option<FileGrid> {
    let place = file.at.key_place("file");
    let name = quote(&path.to_string_lossy());
    let variable = file.variable.as_deref();
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let opened = match ending.as_deref() {
        Some("nc" | "nc3" | "cdf") => netcdf::read(path, variable),
        Some("csv") => files::read_text(path).and_then(|text| {
            let own = [&file.axes.x, &file.axes.y, &file.axes.depth, &file.axes.time];
            let names: Vec<&str> = own
                .iter()
                .zip(AXIS_NAMES)
                .flat_map(|(own, usual)| own.as_deref().map_or(usual.to_vec(), |name| vec![name]))
                .collect();
            text::read_table(&text, variable, &names).map(FileGrid::from)
        }),
        Some("asc" | "agr" | "grd") => {
            let text = std::fs::read_to_string(path).map_err(|e| format!("cannot be read: {e}"));
            text.and_then(|text| text::read_ascii_grid(&text)).map(FileGrid::from)
        }
        Some("tif" | "tiff") => tiff::read(path).map(FileGrid::from),
        Some("yaml" | "yml") => return map_raw_grid(path, place, problems),
        _ => {
            Err("expected a grid that ends in .nc, .csv, .asc, .tif, or .yaml for the header of a raw grid"
                .into())
        }
    };
    opened
        .map_err(|text| problems.push(place, format!("{name}: {text}")))
        .ok()
}

/// Maps a raw grid whose header is in `path`.
fn map_raw_grid(path: &Path, place: &Place, problems: &mut Problems) -> Option<FileGrid> {
    let node = Loader::new(Vec::new()).load(path, problems)?;
    let head: RawGridConfig = read::read_root(&node, problems)?;
    let mut axes = Vec::new();
    for axis in &head.axes {
        let places = match (&axis.coordinates, axis.count) {
            (Some(all), None) => all.clone(),
            (None, Some(n)) if (n as usize) <= SAMPLES_MAX => (0..n)
                .map(|k| axis.start + axis.step * f64::from(k))
                .collect(),
            _ => {
                let text = format!(
                    "the axis {} needs either `count` or `coordinates`",
                    quote(&axis.name)
                );
                return problems.refuse(&axis.at.whole, text);
            }
        };
        axes.push(NamedAxis {
            name: axis.name.clone(),
            coordinates: places,
        });
    }
    let count = axes
        .iter()
        .fold(1_usize, |n, axis| n.saturating_mul(axis.coordinates.len()));
    let number = head.number.number();
    let data = path.parent().unwrap_or(Path::new("")).join(&head.data);
    let map = map_file(&data).map_err(|text| {
        let name = quote(&data.to_string_lossy());
        problems.push(head.at.key_place("data"), format!("{name}: {text}"));
    });
    let map = map.ok()?;
    let expected = count
        .saturating_mul(number.size())
        .saturating_add(head.skip_bytes as usize);
    if map.len() != expected {
        let text = format!(
            "{}: expected {expected} bytes, {count} numbers of {} bytes after {}, found {}",
            quote(&data.to_string_lossy()),
            number.size(),
            head.skip_bytes,
            map.len()
        );
        return problems.refuse(place, text);
    }
    let layout = Layout {
        number,
        big_endian: false,
        offset: head.skip_bytes as usize,
        run: count.max(1),
        run_stride: count.saturating_mul(number.size()),
        count,
        scale: [head.factor, head.offset],
        missing_value: head.missing_value,
        fill_value: f64::NAN,
    };
    Some(FileGrid {
        axes,
        samples: FileSamples::Mapped(map, layout),
        unit: head.unit.clone(),
    })
}

/// Arranges the samples along the world's axes and handles the holes. The returned text is a note
/// for the user.
fn assemble_grid(
    file: &GridConfig,
    source: FileGrid,
    origin: &Origin,
) -> Result<(Grid, Option<String>), String> {
    if let (Some(expected), Some(found)) = (&file.unit, &source.unit)
        && expected != found
    {
        let text = format!("its unit is {}; expected {}", quote(found), quote(expected));
        return Err(text);
    }
    let (axes, first, strides) = world_axes(file, &source.axes, origin)?;
    let mut samples = scaled_samples(source.samples, [file.factor, file.offset])?;
    let shape = [
        axes[0].count(),
        axes[1].count(),
        axes[2].count(),
        axes[3].count(),
    ];
    let note = crate::import::grid::holes::fill_holes(file, &mut samples, first, strides, shape)?;
    if let Samples::F64(all) = &samples
        && all.len() > DOUBLE_PRECISION_MAX
    {
        samples = Samples::F32(all.iter().map(|x| *x as f32).collect());
    }
    let digest = digest(&samples);
    let grid = Grid {
        samples,
        axes,
        first,
        strides,
        plane: (file.axes.horizontal == HorizontalUnitConfig::Degrees)
            .then(|| tangent_plane(origin)),
        interpolation: file.interpolation,
        extrapolation: file.extrapolation,
        digest,
    };
    Ok((grid, note))
}

/// Returns the samples of `source` times the factor plus the offset of `scale`. Large grids stay in
/// their file.
fn scaled_samples(source: FileSamples, scale: [f64; 2]) -> Result<Samples, String> {
    let [factor, offset] = scale;
    Ok(match source {
        FileSamples::Memory(all) => {
            Samples::F64(all.into_iter().map(|x| x * factor + offset).collect())
        }
        FileSamples::Mapped(map, mut layout) => {
            layout.scale = [layout.scale[0] * factor, layout.scale[1] * factor + offset];
            match layout.count {
                n if n <= DOUBLE_PRECISION_MAX => Samples::F64(
                    (0..n)
                        .map(|i| layout.get(&map, i).unwrap_or(f64::NAN))
                        .collect(),
                ),
                _ => {
                    let short = "the file is shorter than its header states";
                    Samples::File(Mapped::new(map, layout).ok_or(short)?)
                }
            }
        }
    })
}

/// Returns the FNV-1a hash of the bits of all samples.
fn digest(samples: &Samples) -> u64 {
    (0..samples.len()).fold(0xcbf2_9ce4_8422_2325, |hash, i| {
        (hash ^ samples.get(i).to_bits()).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

type Placed = ([Axis; 4], usize, [isize; 4]);

/// Returns the world axes east, north, depth and time [m, s] of the file's axes, ascending, with
/// the index of the first sample and the index steps along each axis.
fn world_axes(file: &GridConfig, named: &[NamedAxis], origin: &Origin) -> Result<Placed, String> {
    let own = [
        &file.axes.x,
        &file.axes.y,
        &file.axes.depth,
        &file.axes.time,
    ];
    let mut axes = [
        Axis::single(),
        Axis::single(),
        Axis::single(),
        Axis::single(),
    ];
    let (mut first, mut strides, mut taken) = (0, [0_isize; 4], [false; 4]);
    let mut stride = 1_usize;
    for axis in named.iter().rev() {
        let which = (0..4).find(|k| match own[*k] {
            Some(name) => *name == axis.name,
            None => AXIS_NAMES[*k]
                .iter()
                .any(|usual| usual.eq_ignore_ascii_case(&axis.name)),
        });
        let n = axis.coordinates.len();
        let Some(k) = which.filter(|k| !taken[*k]) else {
            if n == 1 {
                continue;
            }
            let names = quoted_list(AXIS_NAMES.iter().flat_map(|n| n.iter().copied()));
            return Err(format!(
                "the axis {} is none of {names}; name it under `axes` as `x`, `y`, `depth` or `time`",
                quote(&axis.name)
            ));
        };
        taken[k] = true;
        let mut places: Vec<f64> = axis
            .coordinates
            .iter()
            .map(|x| to_world_coordinate(file, k, *x, origin))
            .collect();
        if n > 1 && places[1] < places[0] {
            places.reverse();
            first += (n - 1) * stride;
            strides[k] = -(stride as isize);
        } else {
            strides[k] = stride as isize;
        }
        if !places.iter().all(|x| x.is_finite()) || places.windows(2).any(|w| w[1] <= w[0]) {
            return Err(format!(
                "the coordinates along {} are not monotonic",
                quote(&axis.name)
            ));
        }
        if places.is_empty() {
            return Err(format!("the axis {} has no samples", quote(&axis.name)));
        }
        axes[k] = Axis::new(places);
        stride = stride.saturating_mul(n);
    }
    Ok((axes, first, strides))
}

/// Converts a coordinate of the file's axis for world axis `k` (0 east, 1 north, 2 depth, 3 time)
/// to metres or seconds.
fn to_world_coordinate(file: &GridConfig, k: usize, x: f64, origin: &Origin) -> f64 {
    let axes = &file.axes;
    match (k, axes.horizontal) {
        (0 | 1, HorizontalUnitConfig::Metres) => x - axes.origin_m[k],
        (0 | 1, HorizontalUnitConfig::Degrees) => tangent_plane(origin).metres(k, x.to_radians()),
        (2, _) => {
            if axes.vertical == VerticalDirectionConfig::Up {
                -x
            } else {
                x
            }
        }
        _ => (x - axes.time_start) * axes.time_unit_s,
    }
}

/// Returns the local tangent plane of the world at `origin`.
pub(crate) fn tangent_plane(origin: &Origin) -> TangentPlane {
    TangentPlane::new(origin.latitude, origin.longitude, origin.altitude)
}
