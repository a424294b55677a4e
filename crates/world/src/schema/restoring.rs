//! What a world file may say of a hull's linear hydrostatics.

use merrow_yaml::spec::spec;

spec! {
    /// Hydrostatics of a floating hull by its stiffness, about the waterline at which it floats with `supports_kg` and its origin at the
    /// surface, instead of `hull`. Points are in the axes of the body.
    pub struct RestoringFile {
        /// Mass that floats at that waterline.
        supports_kg: f64 [positive],
        /// Centre of that mass.
        supports_at_m: [f64; 3],
        /// Vertical force per sinkage.
        heave_n_m: f64 [positive],
        /// Moment per angle of heel.
        roll_nm_rad: f64 [positive],
        /// Moment per angle of trim.
        pitch_nm_rad: f64 [positive],
        /// Centre of the waterline's area.
        center_of_flotation_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Mass that the hull could carry wholly under water, itself included.
        reserve_kg: f64 [positive],
    }
}
