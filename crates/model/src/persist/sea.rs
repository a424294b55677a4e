//! The sea, with all that parameters change. Gridded data does not change: it is stored as a
//! reference to the grid of the scene with the same samples and axes.

use crate::persist;
use crate::persist::{Persist, Reader, Writer, to_bytes};
use crate::scene::sea::air::{Air, GustComponent, Gusts, Shear, Weather};
use crate::scene::sea::flow::{Channel, Constituent, Eddy, Flow, FlowLaw, Jet};
use crate::scene::sea::grid::{Axis, Extrapolation, Grid, Interpolation};
use crate::scene::sea::optics::Optics;
use crate::scene::sea::terrain::Terrain;
use crate::scene::sea::water::{Layer, Region, SoundSpeedLaw, Tracer, TracerValues, WaterColumn};
use crate::scene::sea::waves::{Components, SeaState, Spectrum, Spreading, WaveField, Waves};
use crate::scene::sea::{Current, GaussMarkov, Sea, Seabed};
use std::sync::Arc;

persist! { struct Sea {
    density, sound_speed, temperature, air_pressure, column, regions, tracers, optics, air, current,
    waves, seabed,
} }
persist! { struct WaterColumn { layers, sound_speed_law, temperature, salinity } }
persist! { enum SoundSpeedLaw { 0 = Unesco, 1 = Mackenzie } }
persist! { struct Layer { depth, temperature, salinity, density, sound_speed, load } }
persist! { struct Region {
    name, corners, density, sound_speed, temperature, level, waves, has_world_current,
} }
persist! { struct Tracer { name, unit, values } }
persist! { enum TracerValues { 0 = Profile(points), 1 = Grid(grid) } }
persist! { struct Optics { beam, scattering, daylight } }

persist! { struct Air {
    reference_height, shear, gusts, components, start_utc, default_start_utc, from, to, change,
} }
persist! { enum Shear { 0 = Uniform, 1 = Power { exponent }, 2 = Log { roughness } } }
persist! { enum Gusts { 0 = None, 1 = Npd, 2 = Dryden { std, length } } }
persist! { struct GustComponent { frequency, band, npd, phase } }
persist! { struct Weather { wind, gustiness, temperature, cloud_cover, rain, visibility } }

persist! { struct Current { profile, gauss_markov, flows } }
persist! { struct GaussMarkov { std, tau } }
persist! { struct Flow { name, gain, region, law } }
persist! { enum FlowLaw {
    0 = Tide(constituents), 1 = Jet(jet), 2 = Channel(channel), 3 = Eddy(eddy), 4 = Grid(grids),
} }
persist! { struct Constituent { omega, major, minor, lag } }
persist! { struct Jet { velocity, across, p_W, half_width, decay_depth } }
persist! { struct Channel { velocity, across, p_W, half_width, exponent, bed } }
persist! { struct Eddy { spin, p_W, core } }

persist! { struct Waves { seas, tide, regions } }
persist! { struct WaveField { requested, components, n, depth, max_elevation } }
persist! { struct SeaState { spectrum, hs, tp, towards, spreading, components, min_wavelength, ramp } }
persist! { enum Spectrum {
    0 = Regular(phase), 1 = PiersonMoskowitz, 2 = Jonswap(gamma), 3 = Bretschneider,
    4 = Torsethaugen, 5 = Tabulated(points), 6 = Kelpie,
} }
persist! { enum Spreading { 0 = None, 1 = HalfAngle(s), 2 = Angle(n) } }
persist! { struct Components { a, omega, phase, k, kx, ky, dx, dy, q, speed, head } }

persist! { struct Seabed { z0, slope, terrain } }
persist! { enum Interpolation { 0 = Linear, 1 = Nearest } }
persist! { enum Extrapolation { 0 = Clamp, 1 = Zero, 2 = Stop } }

impl Persist for Arc<Grid> {
    fn save(&self, to: &mut Writer) {
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
        } = &**self;
        samples.len().save(to);
        digest.save(to);
        axes.iter().for_each(|axis| save_knots(axis, to));
        first.save(to);
        strides.map(|n| n as i64).save(to);
        plane.is_some().save(to);
        interpolation.save(to);
        extrapolation.save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let sea = from.sea;
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
}

impl Persist for Arc<Terrain> {
    fn save(&self, to: &mut Writer) {
        self.grid().save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        find_in_scene(from.sea.seabed.terrain.iter(), from)
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
