//! Reads Capytaine data sets in NetCDF classic: `separate_complex_values(dataset).to_netcdf(path,
//! format="NETCDF3_64BIT")`.

use crate::import::bem::{BemTable, Matrix, WaveExcitation};
use crate::import::grid::netcdf;
use crate::import::grid::netcdf::Array;
use merrow_yaml::error::{quote, quoted_list};

/// Names of the six degrees of freedom, in matrix order.
const MOTIONS: [&str; 6] = ["surge", "sway", "heave", "roll", "pitch", "yaw"];

/// Reads the table of a file, scaled to water of `density` [kg/m³]; `gravity` [m/s²] must agree
/// with the file to 1 %.
pub fn read(bytes: &[u8], density: f64, gravity: f64) -> Result<BemTable, String> {
    let file = File {
        bytes,
        rows: motions(bytes, "influenced_dof")?,
        columns: motions(bytes, "radiating_dof")?,
    };
    let omega = file.required_variable("omega", &["omega"])?.values;
    let one = |name: &str| Ok::<f64, String>(file.required_variable(name, &[])?.values[0]);
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

struct File<'a> {
    bytes: &'a [u8],
    rows: Vec<usize>,
    columns: Vec<usize>,
}

/// Returns the degree of freedom (0..6) of each entry of a coordinate.
fn motions(bytes: &[u8], name: &str) -> Result<Vec<usize>, String> {
    let words = netcdf::read_words(bytes, name)?.ok_or_else(|| {
        format!(
            "the file has no variable {}; expected a data set of Capytaine",
            quote(name)
        )
    })?;
    let index = |word: &String| {
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

impl File<'_> {
    /// Reads a required variable and checks its dimensions.
    fn required_variable(&self, name: &str, dims: &[&str]) -> Result<Array, String> {
        let found = netcdf::read_array(self.bytes, name)?.ok_or_else(|| {
            format!(
                "no variable {}; expected a data set of Capytaine",
                quote(name)
            )
        })?;
        let names: Vec<&str> = found.dims.iter().map(|(name, _)| name.as_str()).collect();
        if names != dims {
            return Err(format!(
                "{} on {}; expected {}",
                quote(name),
                quoted_list(names),
                quoted_list(dims.to_vec())
            ));
        }
        Ok(found)
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
        Ok(array.values.chunks_exact(rows * columns).map(one).collect())
    }

    /// Reads the diffraction forces. The file's time convention is exp(-iωt), so the imaginary part
    /// changes its sign.
    fn diffraction_forces(
        &self,
        omega: &[f64],
        scale: f64,
    ) -> Result<Option<WaveExcitation>, String> {
        let name = "diffraction_force";
        if netcdf::read_array(self.bytes, name)?.is_none() {
            return Ok(None);
        }
        let array = self.required_variable(
            name,
            &["complex", "omega", "wave_direction", "influenced_dof"],
        )?;
        let directions = self
            .required_variable("wave_direction", &["wave_direction"])?
            .values;
        let mut order: Vec<usize> = (0..directions.len()).collect();
        order.sort_by(|a, b| directions[*a].total_cmp(&directions[*b]));
        let mut kept: Vec<usize> = (0..omega.len())
            .filter(|k| omega[*k].is_finite() && omega[*k] > 0.0)
            .collect();
        kept.sort_by(|a, b| omega[*a].total_cmp(&omega[*b]));
        let (n, m) = (directions.len(), self.rows.len());
        let half = array.values.len() / 2;
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
                    let (Some(re), Some(im)) = (array.values.get(at), array.values.get(half + at))
                    else {
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
