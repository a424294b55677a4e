//! Reads NetCDF classic files: CDF-1, CDF-2 (64-bit offsets) and CDF-5 (64-bit counts), as
//! specified in the NetCDF Users' Guide.
//!
//! Only the header is parsed; the numbers of a variable stay in the file until they are requested.
//! Every count in the header is checked against the length of the file before it is used.

use crate::import::grid::{FileGrid, NamedAxis};
use merrow_model::scene::sea::mapped::{Layout, Number};
use merrow_yaml::error::{did_you_mean, quote, quoted_list};

/// Returns the fill value of samples that were never written, in variables without a fill value
/// attribute (`netcdf.h`). All values of a byte are data.
pub(crate) fn default_fill(number: Number) -> Option<f64> {
    Some(match number {
        Number::I8 | Number::U8 => return None,
        Number::I16 => -32_767.0,
        Number::U16 => 65_535.0,
        Number::I32 => -2_147_483_647.0,
        Number::U32 => 4_294_967_295.0,
        Number::I64 => -9_223_372_036_854_775_806.0,
        Number::F32 => f64::from(9.969_21e36_f32),
        Number::F64 => 9.969_209_968_386_869e36,
    })
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Format version: 1, 2 or 5.
    version: u8,
}

struct Attribute {
    name: String,
    text: Option<String>,
    number: Option<f64>,
}

struct Variable {
    name: String,
    dims: Vec<usize>,
    attributes: Vec<Attribute>,
    number: Option<Number>,
    begin: usize,
}

struct NetcdfHeader {
    records: usize,
    dims: Vec<(String, usize)>,
    variables: Vec<Variable>,
}

type ReadResult<T> = Result<T, String>;

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> ReadResult<&'a [u8]> {
        let end = self
            .at
            .checked_add(n)
            .filter(|end| *end <= self.bytes.len());
        let end = end
            .ok_or_else(|| format!("the file ends at byte {}, in its header", self.bytes.len()))?;
        let part = &self.bytes[self.at..end];
        self.at = end;
        Ok(part)
    }

    fn int(&mut self) -> ReadResult<u32> {
        let b = self.take(4)?;
        Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    fn long(&mut self) -> ReadResult<usize> {
        let b = self.take(8)?;
        let value = u64::from_be_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
        usize::try_from(value)
            .map_err(|_| format!("found the number {value}, more than the file can hold"))
    }

    /// Reads a count. Each element takes at least one byte, so a count above the file length is an
    /// error.
    fn count(&mut self) -> ReadResult<usize> {
        if self.version == 5 {
            self.long()
        } else {
            Ok(self.int()? as usize)
        }
    }

    fn offset(&mut self) -> ReadResult<usize> {
        if self.version == 1 {
            Ok(self.int()? as usize)
        } else {
            self.long()
        }
    }

    fn padded(&mut self, n: usize) -> ReadResult<&'a [u8]> {
        let part = self.take(n)?;
        self.take(n.wrapping_neg() % 4)?;
        Ok(part)
    }

    fn name(&mut self) -> ReadResult<String> {
        let n = self.count()?;
        Ok(String::from_utf8_lossy(self.padded(n)?).into_owned())
    }

    /// Reads the elements of a list that begins with `tag`.
    fn list<T>(
        &mut self,
        tag: u32,
        mut one: impl FnMut(&mut Self) -> ReadResult<T>,
    ) -> ReadResult<Vec<T>> {
        let (found, n) = (self.int()?, self.count()?);
        if n == 0 {
            return Ok(Vec::new());
        }
        if found != tag {
            return Err(format!(
                "not a NetCDF classic file; expected a list with the tag {tag}, found {found}"
            ));
        }
        let mut all = Vec::new();
        for _ in 0..n {
            all.push(one(self)?);
        }
        Ok(all)
    }

    fn attribute(&mut self) -> ReadResult<Attribute> {
        let name = self.name()?;
        let (kind, n) = (self.int()?, self.count()?);
        if kind == 2 {
            let text = String::from_utf8_lossy(self.padded(n)?)
                .trim_end_matches('\0')
                .to_string();
            return Ok(Attribute {
                name,
                text: Some(text),
                number: None,
            });
        }
        let size = if kind == 11 { 8 } else { number(kind)?.size() };
        let bytes = self.padded(
            n.checked_mul(size)
                .ok_or("found an attribute larger than the file")?,
        )?;
        let number = number(kind)
            .ok()
            .filter(|_| n > 0)
            .map(|number| number.read(bytes, true));
        Ok(Attribute {
            name,
            text: None,
            number,
        })
    }

    fn variable(&mut self) -> ReadResult<Variable> {
        let name = self.name()?;
        let n = self.count()?;
        let mut dims = Vec::new();
        for _ in 0..n {
            dims.push(self.count()?);
        }
        let attributes = self.list(12, Self::attribute)?;
        let number = number(self.int()?).ok();
        let _size = self.count()?;
        Ok(Variable {
            name,
            dims,
            attributes,
            number,
            begin: self.offset()?,
        })
    }
}

fn number(kind: u32) -> ReadResult<Number> {
    Ok(match kind {
        1 => Number::I8,
        3 => Number::I16,
        4 => Number::I32,
        5 => Number::F32,
        6 => Number::F64,
        7 => Number::U8,
        8 => Number::U16,
        9 => Number::U32,
        10 => Number::I64,
        _ => {
            return Err(format!(
                "expected a variable with numbers, found type {kind}"
            ));
        }
    })
}

fn read_header(bytes: &[u8]) -> ReadResult<NetcdfHeader> {
    if bytes.starts_with(b"\x89HDF") {
        return Err(
            "tables of panel methods: expected NetCDF classic, found a NetCDF-4 file; convert it with `nccopy -k cdf5 in.nc out.nc`".into(),
        );
    }
    let version = match bytes {
        [b'C', b'D', b'F', v @ (1 | 2 | 5), ..] => *v,
        _ => return Err("not a NetCDF classic file; expected CDF in its first bytes".into()),
    };
    let mut r = Reader {
        bytes,
        at: 4,
        version,
    };
    let streaming = if version == 5 {
        usize::MAX
    } else {
        u32::MAX as usize
    };
    let records = r.count()?;
    let dims = r.list(10, |r| Ok((r.name()?, r.count()?)))?;
    r.list(12, Reader::attribute)?;
    let variables = r.list(11, Reader::variable)?;
    if records == streaming {
        return Err(
            "the file does not state the number of records: the program that wrote it did not close it"
                .into(),
        );
    }
    Ok(NetcdfHeader {
        records,
        dims,
        variables,
    })
}

impl NetcdfHeader {
    fn length(&self, dim: usize) -> ReadResult<usize> {
        let (_, n) = self
            .dims
            .get(dim)
            .ok_or("found a variable on a missing dimension")?;
        Ok(if *n == 0 { self.records } else { *n })
    }

    fn is_record(&self, v: &Variable) -> bool {
        v.dims
            .first()
            .and_then(|d| self.dims.get(*d))
            .is_some_and(|(_, n)| *n == 0)
    }

    /// Returns the number of samples of a variable that are contiguous in the file.
    fn contiguous_samples(&self, v: &Variable) -> ReadResult<usize> {
        let from = usize::from(self.is_record(v));
        let mut n = 1_usize;
        for d in &v.dims[from.min(v.dims.len())..] {
            n = n
                .checked_mul(self.length(*d)?)
                .ok_or("found a variable larger than any file")?;
        }
        Ok(n)
    }

    /// Returns the number of bytes from one record to the next.
    fn record_size(&self) -> ReadResult<usize> {
        let records: Vec<&Variable> = self
            .variables
            .iter()
            .filter(|v| self.is_record(v))
            .collect();
        let mut sum = 0_usize;
        for v in &records {
            let bytes = self
                .contiguous_samples(v)?
                .saturating_mul(v.number.map_or(1, Number::size));
            // a single record variable is not padded
            let padded = if records.len() == 1 {
                bytes
            } else {
                bytes.div_ceil(4).saturating_mul(4)
            };
            sum = sum
                .checked_add(padded)
                .ok_or("found records larger than any file")?;
        }
        Ok(sum)
    }

    fn layout(&self, v: &Variable, bytes: &[u8]) -> ReadResult<Layout> {
        let number = v
            .number
            .ok_or_else(|| format!("the variable {} holds no numbers", quote(&v.name)))?;
        let run = self.contiguous_samples(v)?.max(1);
        let records = if self.is_record(v) { self.records } else { 1 };
        let run_stride = if self.is_record(v) {
            self.record_size()?
        } else {
            run.saturating_mul(number.size())
        };
        let count = run
            .checked_mul(records)
            .ok_or("found a variable larger than any file")?;
        let last = run_stride
            .checked_mul(records.saturating_sub(1))
            .and_then(|n| n.checked_add(v.begin));
        let end = last.and_then(|n| n.checked_add(run.checked_mul(number.size())?));
        if end.is_none_or(|end| end > bytes.len()) {
            return Err(format!(
                "the file ends at byte {}, in the variable {} of {count} numbers",
                bytes.len(),
                quote(&v.name)
            ));
        }
        let attribute = |name: &str| {
            v.attributes
                .iter()
                .find(|a| a.name == name)
                .and_then(|a| a.number)
        };
        let own = attribute("_FillValue").or_else(|| attribute("missing_value"));
        Ok(Layout {
            number,
            big_endian: true,
            offset: v.begin,
            run,
            run_stride,
            count,
            scale: [
                attribute("scale_factor").unwrap_or(1.0),
                attribute("add_offset").unwrap_or(0.0),
            ],
            missing_value: own.or(default_fill(number)),
            fill_value: f64::NAN,
        })
    }
}

/// Returns the index of the variable `requested` among the variables on a grid, or of the only
/// variable.
pub(crate) fn choose_variable(names: &[&str], requested: Option<&str>) -> ReadResult<usize> {
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
pub(crate) fn find_variable(bytes: &[u8], requested: Option<&str>) -> Result<FileGrid, String> {
    let head = read_header(bytes)?;
    let is_axis = |v: &Variable| head.dims.iter().any(|(name, _)| *name == v.name);
    let grids: Vec<&Variable> = head
        .variables
        .iter()
        .filter(|v| !v.dims.is_empty() && !is_axis(v))
        .collect();
    let names: Vec<&str> = grids.iter().map(|v| v.name.as_str()).collect();
    let variable = grids[choose_variable(&names, requested)?];
    let mut axes = Vec::new();
    for d in &variable.dims {
        let n = head.length(*d)?;
        let name = head.dims[*d].0.clone();
        let own = head
            .variables
            .iter()
            .find(|v| v.name == name && v.dims == [*d]);
        let places = match own {
            Some(v) => {
                let layout = head.layout(v, bytes)?;
                let place = |i| layout.get(bytes, i).unwrap_or(f64::NAN);
                (0..layout.count).map(place).collect()
            }
            None if n == 1 => vec![0.0],
            None => {
                return Err(format!(
                    "the dimension {} has no coordinate variable",
                    quote(&name)
                ));
            }
        };
        axes.push(NamedAxis {
            name,
            coordinates: places,
        });
    }
    let unit = variable
        .attributes
        .iter()
        .find(|a| a.name == "units")
        .and_then(|a| a.text.clone());
    Ok(FileGrid {
        axes,
        layout: head.layout(variable, bytes)?,
        unit,
    })
}

/// A whole variable in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Names and lengths of its dimensions, the slowest first.
    pub dims: Vec<(String, usize)>,
    /// Values of the variable; NaN where the file has none.
    pub values: Vec<f64>,
}

/// Reads the variable `name` as numbers. Returns `None` if the file does not have it.
pub fn read_array(bytes: &[u8], name: &str) -> Result<Option<Array>, String> {
    let head = read_header(bytes)?;
    let Some(v) = head.variables.iter().find(|v| v.name == name) else {
        return Ok(None);
    };
    let layout = head.layout(v, bytes)?;
    let mut dims = Vec::new();
    for d in &v.dims {
        dims.push((
            head.dims
                .get(*d)
                .map_or(String::new(), |(name, _)| name.clone()),
            head.length(*d)?,
        ));
    }
    let values = (0..layout.count)
        .map(|i| layout.get(bytes, i).unwrap_or(f64::NAN))
        .collect();
    Ok(Some(Array { dims, values }))
}

/// Reads the variable `name` as a list of words, one per row. Returns `None` if it is missing or
/// holds numbers.
pub(crate) fn read_words(bytes: &[u8], name: &str) -> Result<Option<Vec<String>>, String> {
    let head = read_header(bytes)?;
    let found = head
        .variables
        .iter()
        .find(|v| v.name == name && v.number.is_none());
    let Some(v) = found else { return Ok(None) };
    let [rows, width] = v.dims[..] else {
        return Ok(None);
    };
    let (rows, width) = (head.length(rows)?, head.length(width)?);
    let end = rows
        .checked_mul(width)
        .and_then(|n| n.checked_add(v.begin))
        .filter(|end| *end <= bytes.len());
    let end =
        end.ok_or_else(|| format!("the file ends at byte {}, in {}", bytes.len(), quote(name)))?;
    let word = |row: &[u8]| {
        String::from_utf8_lossy(row)
            .trim_end_matches(['\0', ' '])
            .to_string()
    };
    Ok(Some(
        bytes[v.begin..end].chunks(width.max(1)).map(word).collect(),
    ))
}
