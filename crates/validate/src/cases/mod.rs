//! Cases with a known answer: closed-form solutions, other programs, published trials. `merrow
//! validate` and the tests run the same cases.
//!
//! A case runs the production code, through world files where possible. It reports the expected
//! value, the result and the tolerance of each comparison. A case that fails is reported as a
//! failure.

pub mod bodies;
pub mod check;
pub mod comms;
pub mod control;
pub mod hemisphere;
pub mod hulls;
pub mod otter;
pub mod prelude;
pub mod reference_data;
pub mod remus;
pub mod reports;
pub mod sea;
pub mod vessels;

use crate::cases::check::Check;
use crate::cases::reference_data::ReferenceData;
use crate::sets;
use crate::sets::CaseSet;
use merrow_chart::canvas::Drawing;

/// Result of a case.
#[derive(Clone, Debug, Default)]
pub struct CaseResult {
    /// Comparisons of the case.
    pub checks: Vec<Check>,
    /// Names and figures of the case.
    pub figures: Vec<(&'static str, Drawing)>,
}

impl CaseResult {
    /// Creates a result without figures.
    pub fn new(checks: Vec<Check>) -> Self {
        Self {
            checks,
            figures: Vec::new(),
        }
    }

    /// Adds a figure under its file name.
    pub fn with_figure(mut self, name: &'static str, figure: Drawing) -> Self {
        self.figures.push((name, figure));
        self
    }

    /// Returns the comparison with the largest error relative to its tolerance, or `None` without
    /// comparisons.
    pub fn worst_check(&self) -> Option<&Check> {
        let first = self.checks.first()?;
        // a comparison with NaN counts as the worst
        let by = |c: &Check| {
            if c.relative_error().is_nan() {
                f64::INFINITY
            } else {
                c.relative_error()
            }
        };
        Some(
            self.checks
                .iter()
                .fold(first, |worst, c| if by(c) > by(worst) { c } else { worst }),
        )
    }

    /// Returns true if every comparison is within its tolerance.
    pub fn passes(&self) -> bool {
        self.checks.iter().all(Check::passes)
    }
}

/// A validation case with a known answer.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Number of the case, as in V01.
    pub number: u32,
    /// Set that the case belongs to.
    pub set: &'static CaseSet,
    /// Subject of the case.
    pub title: &'static str,
    /// Source of the expected values.
    pub source: &'static str,
    /// Function that runs the case.
    pub run: Run,
}

/// Runs a case. Returns its comparisons, or the reason why it could not run.
pub type Run = fn(&ReferenceData) -> Result<CaseResult, String>;

/// Returns the cases that `merrow validate` runs for a set, sorted by number.
pub fn cases_of(set: &CaseSet) -> Vec<Case> {
    // the laws of sound also concern communication
    let is_related = |c: &Case| set.name == "comms" && (65..=69).contains(&c.number);
    let mut selected = all_cases();
    selected.retain(|c| c.set == set || is_related(c));
    selected
}

/// Returns all cases, sorted by number.
pub fn all_cases() -> Vec<Case> {
    CASES.to_vec()
}

/// Returns a list of cases. Each row has the number, the set, the function that runs the case, the
/// title and the source of the expected values.
#[macro_export]
macro_rules! cases {
    ($($number:literal, $set:ident, $run:path, $title:expr, $source:expr;)*) => {
        &[$($crate::cases::Case {
            number: $number,
            set: &sets::$set,
            title: $title,
            source: $source,
            run: $run,
        }),*]
    };
}

const PROGRAMS: &str = "MSS 736a3d1 in GNU Octave; PythonVehicleSimulator c717e07";

/// All cases in the order of their numbers.
const CASES: &[Case] = cases! {
    2, COMMS, comms::delay, "delay of the acoustic modem of Thetis",
        "d/c + n/rate [Thetis, section IV.D]";
    3, COMMS, comms::delivery, "delivery by signal excess, directivity, and damage by overlap",
        "SL - TL - NB > threshold [Thetis, section IV.D]";
    8, COMMS, comms::schedule, "TDMA of a docking station and eight vehicles",
        "arithmetic; docking study, section 4.4.1";
    9, COMMS, comms::path_loss, "acoustic path loss in fresh water at 100 kHz",
        "15 log r + 3.58 dB/km r; docking study, eqs 2.1 to 2.5";
    10, COMMS, comms::conductor, "electromagnetic wave of 10 MHz in fresh water",
        "plane wave in a conductor; docking study, eq. 2.7";
    11, COMMS, comms::fading, "Rayleigh fading and the frames that it loses",
        "closed forms of the distribution; docking study, section 5.3";
    24, COMMS, comms::pair::pair,
        "two Taipan 300: a follower with commands by modem, overlap, range",
        "d/c + n/rate, SL - TL - NB > threshold [Parodi 2009]";
    26, COMMS, comms::traffic::throughput,
        "throughput of medium access protocols over the offered load",
        "G exp(-2 G), G exp(-G) [Abramson 1970]; nonpersistent CSMA [Kleinrock 1975]";
    27, COMMS, comms::traffic::adaptation, "data rate by the quality of the channel",
        "fastest scheme whose minimum ratio is exceeded; Thetis, section III.C";
    28, COMMS, comms::traffic::power_control,
        "adaptive power control: requests until messages arrive",
        "P r^-1.5 > 1.9 mW; docking study, section 4.4.4";
    30, BODIES, bodies::sphere, "added mass of a sphere", "closed form; Capytaine 3.0.0 (BEM)";
    31, BODIES, bodies::spheroids, "added mass of prolate spheroids",
        "closed form [Lamb 1932, §114, §115]";
    32, BODIES, bodies::cylinder, "added mass of a cylinder 1.33 m x 0.191 m, from handbook tables",
        "Capytaine 3.0.0 (BEM)";
    33, BODIES, bodies::cube, "added mass of a cube, from handbook tables", "Capytaine 3.0.0 (BEM)";
    34, HULLS, hemisphere::hemisphere,
        "floating hemisphere: added mass, damping, wave forces, response and power",
        "Capytaine 3.0.0 (BEM), different mesh";
    35, BODIES, bodies::kirchhoff, "free motion of a spheroid in ideal fluid (Kirchhoff)",
        "DOP853 at 1e-12 on Kirchhoff's equations";
    36, BODIES, bodies::munk, "Munk moment and broadside instability",
        "closed form [Lamb 1932, §124]";
    42, HULLS, hulls::caps, "buoyancy of a sphere at three draughts, closed form and mesh",
        "spherical cap";
    43, HULLS, hulls::heeled, "heeled cube, half submerged", "wall-sided formula";
    44, HULLS, hulls::stability, "metacentric heights, capsizing, heave",
        "GM = KB + BM - KG; w = sqrt(g/T)";
    46, VEHICLES, vessels::current,
        "REMUS 100 in a current (MSS gives 2.2604 m/s over ground: its propeller model uses the speed over ground)",
        "still water (Galilean invariance)";
    47, VEHICLES, vessels::vectors,
        "accelerations of REMUS 100 and Otter in 20 states each, to the precision of the tabulated states",
        "MSS 736a3d1 in GNU Octave";
    48, VEHICLES, vessels::trajectories,
        "trajectories with the reference programs' integrators, relative to the range of each column",
        PROGRAMS;
    49, VEHICLES, vessels::steady, "steady speeds and turns", PROGRAMS;
    50, VEHICLES, vessels::prestero,
        "REMUS 100 with Prestero's coefficients: speed and static instability",
        "sqrt(X_prop/X_uu); [Prestero 2001]";
    51, VEHICLES, vessels::decays, "free decays of the Otter: period and logarithmic decrement",
        "MSS 736a3d1 in GNU Octave";
    52, VEHICLES, vessels::firefly, "Firefly: rotor speed in hover, maximum thrust",
        "RotorS [Furrer 2016]";
    53, VEHICLES, vessels::top_speeds, "top speeds of WAM-V and Heron",
        "T = d u + q u² of VRX and Clearpath";
    54, COMMS, comms::budget::budget,
        "received power over distance by sound, light, radio and in conductive water; satellite",
        "Friis, Lambert and beam attenuation, plane wave in a conductor, spreading and absorption";
    60, SEA, sea::dispersion, "dispersion, 64 pairs of period and depth",
        "SciPy on w² = g k tanh kh";
    61, SEA, sea::decay, "decay of motion and pressure with depth", "e^kz; long waves: sqrt(g h)";
    62, SEA, sea::hour::hour,
        "JONSWAP spectrum (Hs 2 m, Tp 8 s): moments, and three one-hour records at one point",
        "moments from SciPy; Rayleigh distribution [Longuet-Higgins 1952]";
    63, SEA, sea::wind, "significant wave height of a wind sea",
        "Hs = 0.21 V²/g [Fossen 2021, eq. 10.60]";
    64, SEA, sea::beaufort, "Beaufort scale", "WMO; V = 0.836 B^1.5";
    65, SEA, sea::water::sea_water,
        "speed of sound and density of sea water, check values and 252 grid points",
        "[Mackenzie 1981], UNESCO 44 [Fofonoff 1983], gsw 3.06 and seawater 3.3";
    66, SEA, sea::water::absorption, "absorption of sound, check values and 165 grid points",
        "[Thorp 1967], [Francois 1982], [Ainslie 1998] in Python";
    67, SEA, sea::sound::rays,
        "sound rays: arcs, travel times, images, reciprocity, turning depths",
        "closed forms; profile of [Munk 1974]";
    68, SEA, sea::sound::shift, "Doppler shift",
        "2vf/c; numerically solved arrival times of a moving source";
    69, SEA, sea::sound::mirror, "Lloyd's mirror", "image source";
    70, SEA, sea::water::geodesy,
        "WGS84: ECEF and local coordinates at six origins, forward and back", "pyproj 3.7.2";
    80, VEHICLES, control::step_responses,
        "motion controllers: overshoot and remaining error after a step of the goal",
        "reference model and pole placement with critical damping [Fossen 2021, ch. 12 and 15]";
    90, REPORTS, reports::bodies::imported_hulls,
        "URDF of two floats, and of a lying cylinder: equilibrium",
        "rectangles and half discs; gz-sim#3892 (rotated shapes), asv_wave_sim#36 (offset shapes)";
    91, REPORTS, reports::bodies::floating_sphere,
        "sphere of 30 kg and 0.2 m radius at the surface: draught at rest",
        "spherical cap; uuv_simulator#254 (it keeps jumping)";
    92, REPORTS, reports::bodies::tall_box, "box of 2 m height at any draught: buoyancy",
        "ρ g times the submerged volume; uuv_simulator#174 (tall bodies lose it)";
    93, REPORTS, reports::bodies::restoring,
        "submerged body, centre of buoyancy above and below the centre of mass",
        "pendulum, period 2π sqrt(I/(m g h)); gz-sim#1296 (the sign is wrong)";
    94, REPORTS, reports::bodies::large_added_mass,
        "added mass from 0.1 to 1000 times the mass, constant force",
        "F t/(m + m_A); gz-sim#1923, WEC-Sim#1157 (unbounded), mujoco#3452 (not applied)";
    95, REPORTS, reports::bodies::indefinite_added_mass,
        "added mass matrix with a negative eigenvalue",
        "6 x 6 linear system in NumPy; gz-sim#1923 (matrices refused or unstable)";
    96, REPORTS, reports::bodies::astern,
        "vehicles that move astern: drag, and power of their fins",
        "passivity; lrauv#55 (fins astern), uuv_simulator#351 (drag that drives)";
    97, REPORTS, reports::bodies::imported_inertia,
        "URDF with a fixed point mass and chained mimic joints",
        "parallel axis theorem, m1 m2 and m1 b2 + b1; sdformat#22 (wrong sum of fixed links)";
    98, REPORTS, reports::sensors::heights,
        "heights from pressure at a tide of 3 m: pressure sensor, INS, depth control, above the water",
        "hydrostatics; dave#61 (pressure above the surface as below it)";
    99, REPORTS, reports::sensors::slant_ranges,
        "DVL with a range of 50 m over a level seabed, at pitch angles up to 80 deg",
        "slant range of each beam; lrauv#229 (beams without data)";
    100, REPORTS, reports::sensors::pitched_altimeter, "echo sounder pitched by 26 deg",
        "h/cos 26 deg; glider_hybrid_whoi#38 (z instead of the range)";
    101, REPORTS, reports::sensors::small_target,
        "imaging sonar: ball of 0.3 m radius at 15 m, at any elevation in the beam",
        "sonar equation, Lambert ball; nps_uw_multibeam_sonar#4 (targets between rays)";
    102, REPORTS, reports::sensors::carried,
        "body at rest in a current of 0.8 m/s from any heading",
        "the water carries it; stonefish#19, vrx#442 (no effect)";
    103, REPORTS, reports::sensors::equal_runs, "five runs of one world, on one and two threads",
        "zero difference; gz-sim#3349 (spread of 1 m)";
    104, REPORTS, reports::sensors::left_alone,
        "vehicles at rest in calm water without control, for 60 s",
        "no moment about the vertical; stonefish#67 (yaw of 0.03 rad/s)";
    105, REPORTS, reports::sensors::against_the_current,
        "Heron on a path against a current of 3 m/s: speed over ground",
        "thrust equals drag; MSS#61 (a current near the top speed sets a boat astern)";
    106, REPORTS, reports::sensors::hemisphere_in_waves,
        "body of revolution in regular waves: yaw and drift in 8 min",
        "symmetry, Stokes drift ω k a²; stonefish#32 (bodies at the surface turn slowly)";
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::check::Tolerance::{Absolute, Relative};

    // a number identifies one case
    #[test]
    fn case_numbers_are_unique() {
        let numbers: Vec<u32> = all_cases().iter().map(|c| c.number).collect();
        assert!(numbers.windows(2).all(|w| w[0] < w[1]), "{numbers:?}");
        assert!(crate::sets::ALL.iter().all(|set| !cases_of(set).is_empty()));
    }

    #[test]
    fn worst_check_has_the_largest_relative_error() {
        let near = Check::new("near", "m", 2.0, 2.001, Relative(0.01));
        let far = Check::new("far", "m", 2.0, 2.2, Absolute(0.1));
        let found = CaseResult::new(vec![near.clone(), far]);
        assert_eq!(found.worst_check().map(|c| c.what.as_str()), Some("far"));
        assert!(!found.passes() && CaseResult::new(vec![near.clone()]).passes());
        let nan = Check::new("nan", "m", 2.0, f64::NAN, Absolute(0.1));
        let found = CaseResult::new(vec![nan, near]);
        assert_eq!(found.worst_check().map(|c| c.what.as_str()), Some("nan"));
        assert!(!found.passes(), "NaN does not pass");
    }
}
