//! The sea, with all that parameters change. Gridded data does not change: it is stored as a
//! reference to the grid of the scene with the same samples and axes.

use crate::persist::{Layout, Persist, PersistShared, Reader, Writer, to_bytes};
use crate::scene::sea::Sea;
use crate::scene::sea::flow::FlowLaw;
use crate::scene::sea::grid::{Axis, Grid};
use crate::scene::sea::terrain::Terrain;
use crate::scene::sea::water::TracerValues;
use std::sync::Arc;

impl PersistShared for Grid {
    fn save_shared(shared: &Arc<Self>, to: &mut Writer) {
        // the digest represents the samples, and the plane follows from the origin of the world
        let Grid {
            samples,
            axes,
            first,
            strides,
            plane,
            interpolation,
            extrapolation,
            digest,
        } = &**shared;
        samples.len().save(to);
        digest.save(to);
        axes.iter().for_each(|axis| save_knots(axis, to));
        first.save(to);
        strides.map(|n| n as i64).save(to);
        plane.is_some().save(to);
        (*interpolation as u8).save(to);
        (*extrapolation as u8).save(to);
    }
    fn load_shared(from: &mut Reader<'_>) -> Result<Arc<Self>, String> {
        let sea: &Sea = from.scene()?;
        let column_grids = sea
            .column
            .iter()
            .flat_map(|c| [&c.temperature, &c.salinity]);
        let flow_grids = sea.current.flows.iter().flat_map(|flow| match &flow.law {
            FlowLaw::Grid(grids) => &grids[..],
            _ => &[],
        });
        let tracer_grids = sea
            .tracers
            .iter()
            .filter_map(|tracer| match &tracer.values {
                TracerValues::Grid(grid) => Some(grid),
                TracerValues::Profile(_) => None,
            });
        let all = column_grids.chain(flow_grids).flatten().chain(tracer_grids);
        find_in_scene(all, from)
    }
    fn layout_shared(to: &mut Layout) {
        to.name("Grid of the scene");
    }
}

impl PersistShared for Terrain {
    fn save_shared(shared: &Arc<Self>, to: &mut Writer) {
        shared.grid().save(to);
    }
    fn load_shared(from: &mut Reader<'_>) -> Result<Arc<Self>, String> {
        let sea: &Sea = from.scene()?;
        find_in_scene(sea.seabed.terrain.iter(), from)
    }
    fn layout_shared(to: &mut Layout) {
        to.name("Terrain of the scene");
    }
}

fn save_knots(axis: &Axis, to: &mut Writer) {
    axis.count().save(to);
    (0..axis.count()).for_each(|k| axis.coordinate(k).save(to));
}

/// Returns the item of the scene whose bytes follow.
fn find_in_scene<'a, T>(
    mut all: impl Iterator<Item = &'a Arc<T>>,
    from: &mut Reader<'_>,
) -> Result<Arc<T>, String>
where
    T: 'a,
    Arc<T>: Persist,
{
    let found = all.find_map(|item| {
        let bytes = to_bytes(item);
        from.remaining_bytes()
            .starts_with(&bytes)
            .then(|| (Arc::clone(item), bytes.len()))
    });
    let (item, n) = found.ok_or("found gridded data that the world does not contain")?;
    from.read_bytes(n)?;
    Ok(item)
}
