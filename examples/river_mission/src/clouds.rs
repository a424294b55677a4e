//! Point clouds of 32-bit numbers: `sensor_msgs/msg/PointCloud2`.

use bytes::Bytes;
use merrow_ros2::msg::sensor_msgs::{PointCloud2, PointField};
use nalgebra::Point3;

use crate::frames::{MAP_FRAME, header};

/// Largest number of points of a cloud.
const MAX_POINTS: usize = 1 << 21;

/// Builds a cloud of points in the map [m].
pub fn cloud(stamp_ns: u64, points: impl Iterator<Item = Point3<f64>>) -> PointCloud2 {
    cloud_of(stamp_ns, ["x", "y", "z"], points.map(|p| [p.x, p.y, p.z]))
}

/// Builds a cloud in the map with these fields.
pub fn cloud_of<const N: usize>(
    stamp_ns: u64,
    names: [&str; N],
    points: impl Iterator<Item = [f64; N]>,
) -> PointCloud2 {
    let fields = names.iter().enumerate().map(|(k, name)| PointField {
        name: (*name).to_owned(),
        offset: 4 * k as u32,
        datatype: PointField::FLOAT32,
        count: 1,
    });
    let mut data = Vec::new();
    for value in points.flatten() {
        data.extend_from_slice(&(value as f32).to_le_bytes());
    }
    let step = 4 * N as u32;
    let width = data.len() as u32 / step;
    PointCloud2 {
        header: header(MAP_FRAME, stamp_ns),
        height: 1,
        width,
        fields: fields.collect(),
        is_bigendian: false,
        point_step: step,
        row_step: step * width,
        data: Bytes::from(data),
        is_dense: true,
    }
}

/// Reads the finite points of a cloud, each with its time after the stamp [s]; 0 without a field
/// `time`.
///
/// # Errors
/// As [`read_fields`].
pub fn read_points(cloud: &PointCloud2) -> Result<Vec<(Point3<f64>, f64)>, String> {
    let rows = match offset(cloud, "time") {
        Some(_) => read_fields(cloud, ["x", "y", "z", "time"])?,
        None => read_fields(cloud, ["x", "y", "z"])?
            .into_iter()
            .map(|[x, y, z]| [x, y, z, 0.0])
            .collect(),
    };
    let points = rows
        .into_iter()
        .map(|[x, y, z, t]| (Point3::new(x, y, z), t));
    let is_valid =
        |(p, t): &(Point3<f64>, f64)| p.iter().all(|c| c.is_finite()) && (0.0..10.0).contains(t);
    Ok(points.filter(is_valid).collect())
}

/// Reads fields of the points of a cloud.
///
/// # Errors
/// The cloud does not have the fields as 32-bit numbers, is big-endian, or contradicts its size.
pub fn read_fields<const N: usize>(
    cloud: &PointCloud2,
    names: [&str; N],
) -> Result<Vec<[f64; N]>, String> {
    if cloud.is_bigendian {
        return Err("big-endian; expected little-endian".to_owned());
    }
    let mut offsets = [0; N];
    for (offset_of, name) in offsets.iter_mut().zip(names) {
        *offset_of = offset(cloud, name).ok_or_else(|| {
            format!(
                "no field {name} of type float32; expected {}",
                names.join(", ")
            )
        })?;
    }
    let step = cloud.point_step as usize;
    let count = (cloud.width as usize).saturating_mul(cloud.height as usize);
    if count > MAX_POINTS || count.saturating_mul(step) > cloud.data.len() {
        let bytes = cloud.data.len();
        return Err(format!(
            "{count} points of {step} bytes, found {bytes} bytes"
        ));
    }
    let points = cloud.data.chunks_exact(step.max(1)).take(count);
    let number = |point: &[u8], at: usize| {
        let bytes = [point[at], point[at + 1], point[at + 2], point[at + 3]];
        f64::from(f32::from_le_bytes(bytes))
    };
    Ok(points
        .map(|point| offsets.map(|at| number(point, at)))
        .collect())
}

/// Returns the offset of a field of 32-bit numbers [bytes].
fn offset(cloud: &PointCloud2, name: &str) -> Option<usize> {
    let mut fields = cloud.fields.iter();
    let field = fields.find(|f| f.name == name && f.datatype == PointField::FLOAT32);
    field
        .map(|f| f.offset as usize)
        .filter(|offset| offset + 4 <= cloud.point_step as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_ros2::cdr::{from_bytes, to_bytes};

    #[test]
    fn clouds_that_contradict_themselves_are_refused() {
        let good = cloud(0, std::iter::once(Point3::new(1.0, 2.0, 3.0)));
        assert_eq!(
            read_points(&good).unwrap(),
            [(Point3::new(1.0, 2.0, 3.0), 0.0)]
        );
        let with = |change: fn(&mut PointCloud2)| {
            let mut bad: PointCloud2 = from_bytes(&to_bytes(&good)).unwrap();
            change(&mut bad);
            read_points(&bad)
        };
        assert!(with(|c| c.width = 2).is_err());
        assert!(with(|c| (c.width, c.height) = (u32::MAX, u32::MAX)).is_err());
        assert!(with(|c| c.fields[2].offset = 9).is_err());
        assert!(with(|c| c.point_step = 0).is_err());
        assert!(with(|c| c.is_bigendian = true).is_err());
        assert!(with(|c| c.fields.clear()).is_err());
    }
}
