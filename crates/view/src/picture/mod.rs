//! Images and figures of exteroceptive sensors for `merrow snapshot` and the page. The outputs of
//! each kind are in `merrow_messages::snapshot`.

pub mod figure;
pub mod live;

pub use merrow_chart::chart::FIGURE_WIDTH;
pub use merrow_messages::snapshot::{
    ImageBuilder, Plot, Samples, SensorImage, SnapshotOutput, cloud, colors, field_of_view, output,
    points_in_world,
};
