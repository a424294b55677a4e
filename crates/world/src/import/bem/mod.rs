//! Tables of boundary element programs (BEM): added mass, damping and wave forces by frequency.
//!
//! The readers convert the files of a program to one table in SI units; `fit.rs` fits filters to
//! it.

pub mod capytaine;
pub mod fit;
pub mod wamit;

/// Largest difference of the axes of a body of revolution, relative to its largest
/// coefficients.
const ASYMMETRY: f64 = 0.02;

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

    /// Returns the mean of the matrix `m` over the symmetries of the table: the mirror image of a
    /// body that is equal to port and starboard, and the quarter turns of a body of revolution.
    pub(crate) fn symmetrised(&self, m: &Matrix) -> Matrix {
        // surge, heave and pitch have an even index, sway, roll and yaw an odd one
        let couples = |m: &Matrix, i: usize, j: usize| (i + j) % 2 == 1 && m[i][j] != 0.0;
        let any = |m: &Matrix| (0..36).any(|k| couples(m, k / 6, k % 6));
        let is_round = self.is_axisymmetric();
        if !is_round && self.added.iter().chain(&self.damping).any(any) {
            return *m;
        }
        let mut mean = *m;
        for (i, row) in mean.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                let is_turned = is_round && [0, 1, 3, 4].contains(&i) != [0, 1, 3, 4].contains(&j);
                if (i + j) % 2 == 1 || is_turned {
                    *value = 0.0;
                }
            }
        }
        if is_round {
            let [force, moment] = [m[0][0] + m[1][1], m[3][3] + m[4][4]].map(|x| 0.5 * x);
            let coupling = 0.25 * (m[0][4] + m[4][0] - m[1][3] - m[3][1]);
            (mean[0][0], mean[1][1]) = (force, force);
            (mean[3][3], mean[4][4]) = (moment, moment);
            (mean[0][4], mean[4][0]) = (coupling, coupling);
            (mean[1][3], mean[3][1]) = (-coupling, -coupling);
        }
        mean
    }

    /// Returns true if added mass and damping have the symmetry of a body of revolution about the
    /// z axis.
    pub(crate) fn is_axisymmetric(&self) -> bool {
        [&self.added, &self.damping].into_iter().all(|matrices| {
            let largest = |i: usize| matrices.iter().map(|m| m[i][i].abs()).fold(0.0, f64::max);
            let (force, moment) = (largest(0), largest(3));
            let coupling = (force * moment).sqrt();
            let close = |a: f64, b: f64, size: f64| (a - b).abs() <= ASYMMETRY * size;
            matrices.iter().all(|m| {
                close(m[0][0], m[1][1], force)
                    && close(m[3][3], m[4][4], moment)
                    && close(m[0][4], -m[1][3], coupling)
                    && close(m[4][0], -m[3][1], coupling)
                    && close(m[5][5], 0.0, moment)
            })
        })
    }
}
