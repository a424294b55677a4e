//! Tables of boundary element programs (BEM): added mass, damping and wave forces by frequency.
//!
//! The readers convert the files of a program to one table in SI units; `fit.rs` fits filters to
//! it.

pub mod capytaine;
pub mod fit;
pub mod wamit;

/// Matrix with rows and columns surge, sway, heave, roll, pitch, yaw.
pub type Matrix = [[f64; 6]; 6];

/// Result of a BEM program about the body's origin at the waterline; axes forward, port and up (B).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BemTable {
    /// Frequencies, ascending, positive and finite [rad/s].
    pub omega: Vec<f64>,
    /// Added mass at `omega` [kg, kg m, kg m²].
    pub added: Vec<Matrix>,
    /// Radiation damping at `omega` [N s/m, N s, N m s].
    pub damping: Vec<Matrix>,
    /// Added mass at frequency 0, if the file has it.
    pub slow: Option<Matrix>,
    /// Added mass at infinite frequency, if the file has it.
    pub fast: Option<Matrix>,
    /// Wave excitation forces, if the file has them.
    pub waves: Option<WaveExcitation>,
}

/// Wave excitation forces on a fixed body, per metre of wave amplitude.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaveExcitation {
    /// Angular frequencies in ascending order [rad/s].
    pub omega: Vec<f64>,
    /// Directions of propagation of the waves, counter-clockwise from forward, ascending [deg].
    pub headings: Vec<f64>,
    /// Real and imaginary part of the forces [N/m] and moments [N m/m], surge to yaw, for the time
    /// convention exp(+iωt). Indexed by frequency, then heading (fastest).
    pub force: Vec<[[f64; 2]; 6]>,
    /// True if the forces include the pressure of the undisturbed wave (Froude-Krylov forces).
    pub(crate) is_total: bool,
}

impl BemTable {
    /// Sorts the table by frequency and checks it.
    ///
    /// # Errors
    /// Fewer than 4 frequencies, a repeated frequency, or a value that is not finite.
    pub(crate) fn sorted_and_checked(mut self) -> Result<Self, String> {
        let mut order: Vec<usize> = (0..self.omega.len()).collect();
        order.sort_by(|a, b| self.omega[*a].total_cmp(&self.omega[*b]));
        self.omega = order.iter().map(|k| self.omega[*k]).collect();
        self.added = order.iter().map(|k| self.added[*k]).collect();
        self.damping = order.iter().map(|k| self.damping[*k]).collect();
        if self.omega.len() < 4 {
            let n = self.omega.len();
            return Err(format!(
                "expected at least 4 finite frequencies of added mass and damping, found {n}"
            ));
        }
        if let Some(k) = (1..self.omega.len()).find(|k| self.omega[*k] <= self.omega[k - 1]) {
            return Err(format!(
                "the frequency {} rad/s occurs twice",
                self.omega[k]
            ));
        }
        let all = self.added.iter().chain(&self.damping).flatten().flatten();
        if !all.copied().all(f64::is_finite) {
            return Err("an added mass or damping is not finite".into());
        }
        Ok(self)
    }
}
