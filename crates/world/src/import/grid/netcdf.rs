//! Reads NetCDF files with the crate `netcdf-reader`: classic files (CDF-1, CDF-2, CDF-5), and the
//! root group of NetCDF-4 files with any chunks and the filters deflate, shuffle and Fletcher-32.
//!
//! The samples of a classic file stay in the file until they are requested. The chunks of NetCDF-4
//! are compressed, so the whole variable is read into memory.

use crate::import::grid::mapped_file::map_file;
use crate::import::grid::{FileGrid, FileSamples, NamedAxis, SAMPLES_MAX};
use merrow_model::scene::sea::mapped::{Layout, Number};
use merrow_yaml::error::{did_you_mean, quote, quoted_list};
use netcdf_reader::classic::data::compute_record_stride;
use netcdf_reader::{NcFile, NcFormat, NcType, NcVariable};
use std::path::Path;

/// First bytes of an HDF5 file, which a NetCDF-4 file is.
pub(crate) const HDF5_SIGNATURE: &[u8] = b"\x89HDF";

/// Returns the number format of a type; `None` if it is not a number of at most 64 bits that a grid
/// can map.
fn number(kind: &NcType) -> Option<Number> {
    Some(match kind {
        NcType::Byte => Number::I8,
        NcType::UByte => Number::U8,
        NcType::Short => Number::I16,
        NcType::UShort => Number::U16,
        NcType::Int => Number::I32,
        NcType::UInt => Number::U32,
        NcType::Int64 => Number::I64,
        NcType::Float => Number::F32,
        NcType::Double => Number::F64,
        _ => return None,
    })
}

/// Returns the scale factor and offset of the stored numbers, and the number that marks a missing
/// value. The fill values of samples that were never written are those of `netcdf.h`; all values of
/// a byte are data.
///
/// # Errors
/// The variable holds no numbers.
fn encoding(variable: &NcVariable) -> Result<([f64; 2], Option<f64>), String> {
    let fill = match &variable.dtype {
        NcType::Byte | NcType::UByte => None,
        NcType::Short => Some(-32_767.0),
        NcType::UShort => Some(65_535.0),
        NcType::Int => Some(-2_147_483_647.0),
        NcType::UInt => Some(4_294_967_295.0),
        NcType::Int64 => Some(-9_223_372_036_854_775_806.0),
        NcType::UInt64 => Some(18_446_744_073_709_551_614.0),
        NcType::Float => Some(f64::from(9.969_21e36_f32)),
        NcType::Double => Some(9.969_209_968_386_869e36),
        _ => return Err(no_numbers(variable)),
    };
    let attribute = |name: &str| variable.attribute(name)?.value.as_f64();
    let missing = attribute("_FillValue").or_else(|| attribute("missing_value"));
    let factor = attribute("scale_factor").unwrap_or(1.0);
    let offset = attribute("add_offset").unwrap_or(0.0);
    Ok(([factor, offset], missing.or(fill)))
}

fn no_numbers(variable: &NcVariable) -> String {
    format!("the variable {} holds no numbers", quote(&variable.name))
}

/// Returns the message for a file that cannot be read.
pub(crate) fn unreadable(e: netcdf_reader::Error) -> String {
    format!("cannot be read as NetCDF: {e}")
}

/// Returns where a classic file of `length` bytes stores the samples of a variable.
fn layout(variables: &[NcVariable], v: &NcVariable, length: usize) -> Result<Layout, String> {
    let number = number(&v.dtype).ok_or_else(|| no_numbers(v))?;
    let (scale, missing_value) = encoding(v)?;
    let count = v.num_elements().map_err(|e| unreadable(e.into()))?;
    let records = match v.is_record_var {
        true => v
            .dimensions
            .first()
            .map_or(1, |records| records.size.max(1)),
        false => 1,
    };
    let run = (count / records).max(1);
    let run_stride = match v.is_record_var {
        true => compute_record_stride(variables).map_err(unreadable)?,
        false => run.saturating_mul(number.size() as u64),
    };
    let last = u128::from(v.data_offset) + u128::from(records - 1) * u128::from(run_stride);
    if last + u128::from(run) * number.size() as u128 > length as u128 {
        return Err(format!(
            "the file ends at byte {length}, in the variable {} of {count} numbers",
            quote(&v.name)
        ));
    }
    Ok(Layout {
        number,
        big_endian: true,
        offset: v.data_offset as usize,
        run: run as usize,
        run_stride: run_stride as usize,
        count: count as usize,
        scale,
        missing_value,
        fill_value: f64::NAN,
    })
}

/// Returns the index of the variable `requested` among the variables on a grid, or of the only
/// variable.
fn choose_variable(names: &[&str], requested: Option<&str>) -> Result<usize, String> {
    let list = || quoted_list(names.iter().copied());
    match (requested, names) {
        (Some(requested), _) => names
            .iter()
            .position(|name| *name == requested)
            .ok_or_else(|| {
                format!(
                    "no variable {}; expected one of {}{}",
                    quote(requested),
                    list(),
                    did_you_mean(requested, names.iter().copied())
                )
            }),
        (None, [_]) => Ok(0),
        (None, []) => Err("found no variable on a grid".into()),
        (None, _) => Err(format!(
            "the file has several variables; expected the key `variable` with one of {}, found none",
            list()
        )),
    }
}

/// Returns the variable `requested` of the file, or its only variable on a grid.
pub(super) fn read(path: &Path, requested: Option<&str>) -> Result<FileGrid, String> {
    let file = NcFile::open(path).map_err(unreadable)?;
    let variables = file.variables().map_err(unreadable)?;
    let is_axis = |v: &NcVariable| {
        variables
            .iter()
            .any(|u| u.dimensions().iter().any(|d| d.name == v.name))
    };
    let grids: Vec<&NcVariable> = variables
        .iter()
        .filter(|v| v.ndim() > 0 && !is_axis(v))
        .collect();
    let names: Vec<&str> = grids.iter().map(|v| v.name()).collect();
    let variable = grids[choose_variable(&names, requested)?];
    let mut axes = Vec::new();
    for dimension in variable.dimensions() {
        let own = variables
            .iter()
            .find(|v| v.is_coordinate_variable_for(&dimension.name));
        let coordinates = match own {
            Some(v) => samples(&file, v)?,
            None if dimension.size == 1 => vec![0.0],
            None => {
                return Err(format!(
                    "the dimension {} has no coordinate variable",
                    quote(&dimension.name)
                ));
            }
        };
        axes.push(NamedAxis {
            name: dimension.name.clone(),
            coordinates,
        });
    }
    let samples = match file.format() {
        NcFormat::Nc4 | NcFormat::Nc4Classic => FileSamples::Memory(samples(&file, variable)?),
        NcFormat::Classic | NcFormat::Offset64 | NcFormat::Cdf5 => {
            let map = map_file(path)?;
            // the number of records of a file that was not closed
            if map.get(4..8) == Some(&[255; 4]) && file.format() != NcFormat::Cdf5 {
                return Err(
                    "the file does not state the number of records: the program that wrote it did not close it"
                        .into(),
                );
            }
            let layout = layout(variables, variable, map.len())?;
            FileSamples::Mapped(map, layout)
        }
    };
    let unit = variable.attribute("units");
    Ok(FileGrid {
        axes,
        samples,
        unit: unit.and_then(|a| a.value.as_string()),
    })
}

/// Reads all values of a variable in its unit; NaN where the file has none.
pub(crate) fn samples(file: &NcFile, variable: &NcVariable) -> Result<Vec<f64>, String> {
    let name = quote(variable.name());
    let ([factor, offset], missing) = encoding(variable)?;
    let count = variable.num_elements().unwrap_or(u64::MAX);
    if count > SAMPLES_MAX as u64 {
        return Err(format!(
            "the variable {name} has {count} numbers; expected at most {SAMPLES_MAX}: cut out the region \
             with `ncks -d`, or convert the file with `nccopy -k cdf5 in.nc out.nc`"
        ));
    }
    let array = file
        .read_variable_as_f64(variable.name())
        .map_err(|e| format!("the variable {name} cannot be read: {e}"))?;
    let value = |x: f64| {
        if Some(x) == missing {
            f64::NAN
        } else {
            x * factor + offset
        }
    };
    Ok(array.into_iter().map(value).collect())
}
