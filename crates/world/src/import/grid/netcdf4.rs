//! Reads NetCDF-4 files with the crate `netcdf-reader`: the variables of the root group, in any
//! chunks, with the filters deflate, shuffle and Fletcher-32.
//!
//! Chunks are compressed, so the whole variable is read into memory.

use crate::import::grid::netcdf::{choose_variable, default_fill};
use crate::import::grid::{MemoryGrid, NamedAxis, SAMPLES_MAX};
use merrow_model::scene::sea::mapped::Number;
use merrow_yaml::error::quote;
use netcdf_reader::{NcFile, NcType, NcVariable};
use std::path::Path;

/// First bytes of an HDF5 file, which a NetCDF-4 file is.
pub(crate) const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Returns the variable `requested` of the file, or its only variable on a grid.
pub(super) fn read(path: &Path, requested: Option<&str>) -> Result<MemoryGrid, String> {
    let unreadable = |e: netcdf_reader::Error| format!("cannot be read as NetCDF-4: {e}");
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
    Ok(MemoryGrid {
        axes,
        samples: samples(&file, variable)?,
        unit: variable
            .attribute("units")
            .and_then(|a| a.value.as_string()),
    })
}

/// Reads all values of a variable in its unit; NaN where the file has none.
fn samples(file: &NcFile, variable: &NcVariable) -> Result<Vec<f64>, String> {
    let name = quote(variable.name());
    let fill = match variable.dtype() {
        NcType::Byte | NcType::UByte => None,
        NcType::Short => default_fill(Number::I16),
        NcType::UShort => default_fill(Number::U16),
        NcType::Int => default_fill(Number::I32),
        NcType::UInt => default_fill(Number::U32),
        NcType::Int64 => default_fill(Number::I64),
        NcType::UInt64 => Some(18_446_744_073_709_551_614.0),
        NcType::Float => default_fill(Number::F32),
        NcType::Double => default_fill(Number::F64),
        _ => return Err(format!("the variable {name} holds no numbers")),
    };
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
    let attribute = |name: &str| variable.attribute(name)?.value.as_f64();
    let missing = attribute("_FillValue")
        .or_else(|| attribute("missing_value"))
        .or(fill);
    let scale = attribute("scale_factor").unwrap_or(1.0);
    let offset = attribute("add_offset").unwrap_or(0.0);
    let value = |x: f64| {
        if Some(x) == missing {
            f64::NAN
        } else {
            x * scale + offset
        }
    };
    Ok(array.into_iter().map(value).collect())
}
