//! Reads Capytaine data sets in NetCDF classic: `separate_complex_values(dataset).to_netcdf(path,
//! format="NETCDF3_64BIT")`.

use crate::import::bem::{BemTable, Matrix, WaveExcitation};
use crate::import::grid::netcdf;
use merrow_yaml::error::{quote, quoted_list};
use netcdf_reader::NcFile;

/// Names of the six degrees of freedom, in matrix order.
const MOTIONS: [&str; 6] = ["surge", "sway", "heave", "roll", "pitch", "yaw"];

/// Reads the table of a file, scaled to water of `density` [kg/m³]; `gravity` [m/s²] must agree
/// with the file to 1 %.
pub fn read(bytes: &[u8], density: f64, gravity: f64) -> Result<BemTable, String> {
    if bytes.starts_with(netcdf::HDF5_SIGNATURE) {
        return Err(
            "tables of panel methods: expected NetCDF classic, found a NetCDF-4 file; convert it with `nccopy -k cdf5 in.nc out.nc`".into(),
        );
    }
    let file = NcFile::from_bytes(bytes).map_err(netcdf::unreadable)?;
    let file = File {
        rows: motions(&file, "influenced_dof")?,
        columns: motions(&file, "radiating_dof")?,
        file,
    };
    let omega = file.required_variable("omega", &["omega"])?;
    let one = |name: &str| Ok::<f64, String>(file.required_variable(name, &[])?[0]);
    let (rho, g) = (one("rho")?, one("g")?);
    if (g / gravity - 1.0).abs() > 0.01 {
        return Err(format!(
            "wavelengths differ; expected the gravity {gravity} m/s2 of the world, found {g}; \
             compute the data set with the world's gravity"
        ));
    }
    let scale = density / rho;
    let added = file.matrices("added_mass", scale)?;
    let damping = file.matrices("radiation_damping", scale)?;
    let mut table = BemTable::default();
    for (k, omega) in omega.iter().enumerate() {
        if *omega == 0.0 {
            table.slow = Some(added[k]);
        } else if omega.is_infinite() {
            table.fast = Some(added[k]);
        } else if omega.is_finite() && *omega > 0.0 {
            table.omega.push(*omega);
            table.added.push(added[k]);
            table.damping.push(damping[k]);
        }
    }
    table.waves = file.diffraction_forces(&omega, scale)?;
    table.sorted_and_checked()
}

struct File {
    file: NcFile,
    rows: Vec<usize>,
    columns: Vec<usize>,
}

/// Returns the degree of freedom (0..6) of each entry of a coordinate.
fn motions(file: &NcFile, name: &str) -> Result<Vec<usize>, String> {
    let words = file.read_variable_as_strings(name).map_err(|_| {
        format!(
            "the file has no variable {}; expected a data set of Capytaine",
            quote(name)
        )
    })?;
    let index = |word: &String| {
        let word = word.trim_end();
        let lower = word.to_lowercase();
        MOTIONS.iter().position(|m| lower == *m).ok_or_else(|| {
            format!(
                "expected the motions of one rigid body, {}, found {}",
                quoted_list(MOTIONS),
                quote(word)
            )
        })
    };
    words.iter().map(index).collect()
}

impl File {
    /// Reads a required variable and checks its dimensions.
    fn required_variable(&self, name: &str, dims: &[&str]) -> Result<Vec<f64>, String> {
        let found = self.file.variable(name).map_err(|_| {
            format!(
                "no variable {}; expected a data set of Capytaine",
                quote(name)
            )
        })?;
        let names: Vec<&str> = found.dimensions().iter().map(|d| d.name.as_str()).collect();
        if names != dims {
            return Err(format!(
                "{} on {}; expected {}",
                quote(name),
                quoted_list(names),
                quoted_list(dims.to_vec())
            ));
        }
        netcdf::samples(&self.file, found)
    }

    fn matrices(&self, name: &str, scale: f64) -> Result<Vec<Matrix>, String> {
        let array = self.required_variable(name, &["omega", "influenced_dof", "radiating_dof"])?;
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let one = |values: &[f64]| {
            let mut m = [[0.0; 6]; 6];
            for (k, value) in values.iter().enumerate() {
                m[self.rows[k / columns]][self.columns[k % columns]] = scale * value;
            }
            // Capytaine writes NaN for the entries that it leaves undefined at its limits
            m.map(|row| row.map(|x| if x.is_nan() { 0.0 } else { x }))
        };
        Ok(array.chunks_exact(rows * columns).map(one).collect())
    }

    /// Reads the diffraction forces. The file's time convention is exp(-iωt), so the imaginary part
    /// changes its sign.
    fn diffraction_forces(
        &self,
        omega: &[f64],
        scale: f64,
    ) -> Result<Option<WaveExcitation>, String> {
        let name = "diffraction_force";
        if self.file.variable(name).is_err() {
            return Ok(None);
        }
        let array = self.required_variable(
            name,
            &["complex", "omega", "wave_direction", "influenced_dof"],
        )?;
        let directions = self.required_variable("wave_direction", &["wave_direction"])?;
        let mut order: Vec<usize> = (0..directions.len()).collect();
        order.sort_by(|a, b| directions[*a].total_cmp(&directions[*b]));
        let mut kept: Vec<usize> = (0..omega.len())
            .filter(|k| omega[*k].is_finite() && omega[*k] > 0.0)
            .collect();
        kept.sort_by(|a, b| omega[*a].total_cmp(&omega[*b]));
        let (n, m) = (directions.len(), self.rows.len());
        let half = array.len() / 2;
        let mut waves = WaveExcitation {
            omega: kept.iter().map(|k| omega[*k]).collect(),
            headings: order.iter().map(|k| directions[*k].to_degrees()).collect(),
            force: Vec::new(),
            is_total: false,
        };
        for k in &kept {
            for d in &order {
                let mut force = [[0.0; 2]; 6];
                for (i, row) in self.rows.iter().enumerate() {
                    let at = (k * n + d) * m + i;
                    let (Some(re), Some(im)) = (array.get(at), array.get(half + at)) else {
                        return Err(format!("{} ends too early", quote(name)));
                    };
                    force[*row] = [scale * re, -scale * im];
                }
                waves.force.push(force);
            }
        }
        if !waves
            .force
            .iter()
            .flatten()
            .flatten()
            .copied()
            .all(f64::is_finite)
        {
            return Err(format!("{}: a force is not finite", quote(name)));
        }
        Ok(Some(waves))
    }
}
