//! Tables of programs for waves and bodies (boundary element methods): added mass, damping and wave forces by frequency.
//!
//! Readers turn a program's files into one table in SI units; `fit.rs` makes filters of it.

pub mod capytaine;
pub mod fit;
pub mod wamit;

/// Rows and columns surge, sway, heave, roll, pitch, yaw.
pub type Matrix = [[f64; 6]; 6];

/// What a program found about a body's origin at the waterline, forward, port and up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Frequencies, ascending, above 0 and finite [rad/s].
    pub omega: Vec<f64>,
    /// Added mass at them.
    pub added: Vec<Matrix>,
    /// Radiation damping at them.
    pub damping: Vec<Matrix>,
    /// Added mass at frequency 0, if it was found.
    pub slow: Option<Matrix>,
    /// Added mass at infinite frequency, if it was found.
    pub fast: Option<Matrix>,
    /// Forces of waves, if they were found.
    pub waves: Option<Exciting>,
}

/// Forces of waves of 1 m on a body that is held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exciting {
    /// Frequencies, ascending [rad/s].
    pub omega: Vec<f64>,
    /// Where the waves go to, counter-clockwise from ahead, ascending [deg].
    pub headings: Vec<f64>,
    /// Real and imaginary part (time goes as exp(+iωt)), surge to yaw; headings fastest.
    pub force: Vec<[[f64; 2]; 6]>,
    /// True if the undisturbed wave's own pressure is in them.
    pub is_total: bool,
}

impl Table {
    /// Sorts by frequency; says what is wrong with the table as a whole.
    pub fn finish(mut self) -> Result<Self, String> {
        let mut order: Vec<usize> = (0..self.omega.len()).collect();
        order.sort_by(|a, b| self.omega[*a].total_cmp(&self.omega[*b]));
        self.omega = order.iter().map(|k| self.omega[*k]).collect();
        self.added = order.iter().map(|k| self.added[*k]).collect();
        self.damping = order.iter().map(|k| self.damping[*k]).collect();
        if self.omega.len() < 4 {
            let n = self.omega.len();
            return Err(format!(
                "found {n} finite frequencies of added mass and damping, expected at least 4"
            ));
        }
        if let Some(k) = (1..self.omega.len()).find(|k| self.omega[*k] <= self.omega[k - 1]) {
            return Err(format!(
                "the frequency {} rad/s stands there twice",
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
