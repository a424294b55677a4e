//! Images that Merrow renders for the tests of the vision.

use image::RgbImage;
use nalgebra::{Rotation3, Vector2, Vector3};
use river_mission::vision::camera::Camera;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Where a camera is: robot and sensor.
pub(crate) type Mount = (&'static str, &'static str);

pub(crate) const DRONE: Mount = ("uav", "camera");
#[allow(dead_code)]
pub(crate) const BOAT: Mount = ("usv", "stereo_left");

/// A view: pose of both robots and conditions.
#[derive(Clone)]
pub(crate) struct View {
    /// East, north, up [m] and roll, pitch, yaw [deg] of the drone.
    pub(crate) drone: [f64; 6],
    /// East, north [m] and yaw [deg] of the boat.
    pub(crate) boat: [f64; 3],
    /// Visibility [m], UTC time of the world.
    pub(crate) visibility_m: f64,
    pub(crate) time: &'static str,
}

pub(crate) const NOON: &str = "2026-05-14T12:30:00Z";
pub(crate) const MORNING: &str = "2026-05-14T09:00:00Z";
/// The sun is 4 degrees above the horizon.
pub(crate) const DUSK: &str = "2026-05-14T19:10:00Z";

/// Program that renders: that of `MERROW_PROGRAM`, or the one next to the tests, built with the
/// workspace.
pub(crate) fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("MERROW_PROGRAM") {
        return program.into();
    }
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.ancestors().nth(2).expect("the folder of the build");
    let program = folder.join("merrow");
    assert!(
        program.exists(),
        "{}: no program; build it with `cargo build -p merrow`",
        program.display()
    );
    program
}

pub(crate) fn worlds() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../worlds")
}

/// Rendered colours and, if asked for, labels of a view.
pub(crate) fn render(
    name: &str,
    view: &View,
    mount: Mount,
    labels: bool,
) -> (RgbImage, Option<RgbImage>) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut world = format!("extends: {}/riverwatch.yaml\n", worlds().display());
    let [e, n, u, roll, pitch, yaw] = view.drone;
    let [boat_e, boat_n, boat_yaw] = view.boat;
    write!(
        world,
        "couplings: {{pad: null}}\nchargers: {{pad: null}}\n\
         weather: {{start_utc: \"{}\", visibility_m: {}}}\n\
         robots:\n  \
         uav: {{position_m: [{e}, {n}, {u}], attitude_deg: [{roll}, {pitch}, {yaw}], model: {{extends: robots/firefly_riverwatch.yaml, \
         sensors: {{camera: {{device: {{extends: sensors/uav_camera.yaml, outputs: [rgb, labels]}}}}}}}}}}\n  \
         usv: {{position_m: [{boat_e}, {boat_n}, 0], attitude_deg: [0, 0, {boat_yaw}], model: {{extends: robots/wamv_riverwatch.yaml, \
         sensors: {{stereo_left: {{device: {{extends: sensors/stereo_half.yaml, outputs: [rgb, labels]}}}}}}}}}}\n",
        view.time, view.visibility_m
    )
    .unwrap();
    let file = folder.join(format!("{name}.yaml"));
    std::fs::write(&file, world).expect("a world file");
    let snapshot = |show: &str| {
        let output = folder.join(format!("{name}_{show}.png"));
        let run = Command::new(program())
            .arg("snapshot")
            .arg(&file)
            .args([
                "--robot", mount.0, "--sensor", mount.1, "--show", show, "-o",
            ])
            .arg(&output)
            .output()
            .expect("merrow starts");
        let text = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{name}: {text}");
        read_png(&output)
    };
    (snapshot("rgb"), labels.then(|| snapshot("labels")))
}

pub(crate) fn read_png(path: &PathBuf) -> RgbImage {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("an image"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small image")];
    let info = reader.next_frame(&mut pixels).expect("a PNG");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    RgbImage::from_raw(info.width, info.height, pixels).expect("three bytes per pixel")
}

/// Colour of water in an image of labels.
#[allow(dead_code)]
pub(crate) fn is_water_label(pixel: [u8; 3]) -> bool {
    pixel == [40, 90, 140]
}

/// Intrinsics of the bundled cameras.
pub(crate) fn camera(mount: Mount) -> Camera {
    let (size, fov, d): ([u32; 2], f64, _) = if mount == DRONE {
        ([640, 480], 75.0, vec![-0.08, 0.02, 0.0, 0.0, 0.0])
    } else {
        ([640, 400], 70.0, vec![-0.05, 0.01, 0.0, 0.0, 0.0])
    };
    let focal = 0.5 * f64::from(size[0]) / (0.5 * fov.to_radians()).tan();
    let center = size.map(|s| 0.5 * (f64::from(s) - 1.0));
    Camera::from_info(&merrow_ros2::msg::sensor_msgs::CameraInfo {
        width: size[0],
        height: size[1],
        distortion_model: "plumb_bob".into(),
        d,
        k: [focal, 0.0, center[0], 0.0, focal, center[1], 0.0, 0.0, 1.0],
        ..Default::default()
    })
    .expect("a camera")
}

/// Pose of the camera of a view in the world: rotation from the optical frame, and position [m].
pub(crate) fn pose(view: &View, mount: Mount) -> (Rotation3<f64>, Vector3<f64>) {
    // the optical frame has x right, y down, z forward; the sensor frame x forward, y left, z up
    let optical = Rotation3::from_matrix_unchecked(nalgebra::Matrix3::new(
        0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0,
    ));
    let ([e, n, u, roll, pitch, yaw], place, tilt) = if mount == DRONE {
        (view.drone, Vector3::new(0.0, 0.0, -0.085), 90.0_f64)
    } else {
        let [e, n, yaw] = view.boat;
        (
            [e, n, 0.0, 0.0, 0.0, yaw],
            Vector3::new(1.4, 0.12, 1.5),
            8.0,
        )
    };
    let body =
        Rotation3::from_euler_angles(roll.to_radians(), pitch.to_radians(), yaw.to_radians());
    let sensor = Rotation3::from_euler_angles(0.0, tilt.to_radians(), 0.0);
    (
        body * sensor * optical,
        Vector3::new(e, n, u) + body * place,
    )
}

/// Point where a pixel meets the water.
#[allow(dead_code)]
pub(crate) fn on_water(
    camera: &Camera,
    (rotation, position): &(Rotation3<f64>, Vector3<f64>),
    pixel: [u32; 2],
) -> Option<Vector2<f64>> {
    let ray = rotation * camera.ray(Vector2::new(f64::from(pixel[0]), f64::from(pixel[1])))?;
    (ray.z < -1e-6).then(|| (position - ray * (position.z / ray.z)).xy())
}
