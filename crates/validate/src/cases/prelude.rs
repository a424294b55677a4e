//! Items that most cases use: comparisons, access to worlds and tables, figures.

pub use crate::cases::CaseResult;
pub use crate::cases::check::Check;
pub use crate::cases::check::Tolerance::{self, Absolute, AtMost, MoreThan, Relative};
pub use crate::cases::reference_data::{
    ReferenceData, advance, apply, bisect, command_thruster, command_thrusters, environment_of,
    evaluate, initial_motion, mean_period,
};
pub use crate::checks;
pub use merrow_chart::canvas::Drawing;
pub use merrow_chart::chart::{
    BLACK, COLOURS, FIGURE_WIDTH, Panel, PlotCurve, coloured, draw_figure,
};
pub use merrow_math::real::sin_cos;
pub use merrow_math::{Quat, Vec3};
pub use merrow_model::scene::Scene;
pub use merrow_sim::{Simulation, step::Kernel};
pub use merrow_world::keys::GRAVITY;
