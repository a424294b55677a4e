//! Keys of the linear hydrostatics of a hull.

use merrow_yaml::spec::spec;

spec! {
    /// Linear hydrostatics of a floating hull, instead of `hull`. The stiffness holds about the
    /// waterline at which the hull floats with `floating_mass_kg` and with its origin at the
    /// surface. Points are in the axes of the body.
    pub struct RestoringConfig {
        /// Mass with which the hull floats at that waterline.
        floating_mass_kg: f64 [positive],
        /// Centre of that mass, relative to the body origin.
        floating_mass_center_m: [f64; 3],
        /// Vertical force per sinkage.
        heave_n_per_m: f64 [positive],
        /// Moment per heel angle.
        roll_nm_per_rad: f64 [positive],
        /// Moment per trim angle.
        pitch_nm_per_rad: f64 [positive],
        /// Centroid of the waterplane, relative to the body origin.
        center_of_flotation_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Whether heel and trim act about the body axes, as in Fossen's programs. Their moments
        /// then have a vertical component, which turns a heeled and trimmed hull. Otherwise the
        /// buoyancy is vertical and its moments are horizontal at every heel.
        linear_body_axes: bool = false,
        /// Total mass, including the hull, that the hull can support when fully submerged.
        max_supported_kg: f64 [positive],
    }
}
