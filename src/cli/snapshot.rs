//! `merrow snapshot`: writes one image of a world, or of the output of a sensor, to a file.

use super::WorldArguments;
use super::failure::Failure;
use super::readings;
use super::sensor_image;
use bytes::Bytes;
use clap::Args;
use merrow::input::mailbox::{find_named, find_robot};
use merrow::picture;
use merrow::picture::{SensorImage, SnapshotOutput};
use merrow_environment::air::sun;
use merrow_math::{Mat3, Vec3};
use merrow_messages::convert::header;
use merrow_messages::convert::image::{ImageView, Pixels};
use merrow_model::scene::Scene;
use merrow_model::sensor::camera::CameraImages;
use merrow_model::sensor::lens::Lens;
use merrow_model::state::frames::FrameData;
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_sensors::camera::shading::{OPEN_WATER_LABEL, SURFACE_LABEL};
use merrow_sim::Simulation;
use merrow_sim::sensors::current_frame;
use merrow_world::sensor::camera::camera;
use merrow_yaml::read::from_text;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Columns and rows of an external view.
const SIZE: [usize; 2] = [960, 540];
/// Keys of the camera of an external view: automatic exposure without noise, and all outputs.
const VIEW_CAMERA: &str = "{width: 960, height: 540, \
    outputs: [rgb, depth, labels], render_self: true, max_range_m: 30000, blur_samples: 1, \
    antialias: 4, auto_exposure_ev100: [-4, 18], full_well_electrons: 0, gain_below_ev100: 0, \
    max_gain_db: 80}";
/// File name extensions for images.
const IMAGE_EXTENSIONS: [&str; 3] = ["png", "jpg", "jpeg"];
/// File name extensions for plots.
const PLOT_EXTENSIONS: [&str; 1] = ["svg"];
/// Quality of JPEG files, 1 to 100.
const QUALITY: u8 = 90;

/// Arguments of `merrow snapshot`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    world: WorldArguments,
    /// Robot that carries the sensor.
    #[arg(long, requires = "sensor", required_unless_present = "view")]
    robot: Option<String>,
    /// Sensor to show. Scanning sonars and radars show one full turn, side-scan and multibeam
    /// sonars the lines of the preceding run, tilting lasers one tilt sweep. Readings of other
    /// sensors are plotted over time, from the start to `--at`.
    #[arg(long, requires = "robot")]
    sensor: Option<String>,
    /// Camera output: rgb, depth or labels.
    #[arg(long, default_value = "rgb", value_parser = ["rgb", "depth", "labels"])]
    show: String,
    /// Render the world from an external viewpoint instead.
    #[arg(long, conflicts_with = "robot")]
    view: bool,
    /// Viewpoint: east, north, up [m].
    #[arg(long, value_parser = parse_point, allow_hyphen_values = true, requires = "view")]
    from: Option<Vec3>,
    /// Target point of the view: east, north, up [m].
    #[arg(long, value_parser = parse_point, allow_hyphen_values = true, requires = "view")]
    look: Option<Vec3>,
    /// Simulated time [s] [default: 0; 10 for plots].
    #[arg(long)]
    at: Option<f64>,
    /// Solar time of day at the world's origin, such as 14:30, instead of the world's own time. The
    /// default of a view is noon if the world defines no time.
    #[arg(long, value_parser = time_of_day)]
    time_of_day: Option<f64>,
    /// Output file: PNG or JPEG by extension; SVG for plots. [default: snapshot.png, snapshot.svg]
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Arguments {
    /// Returns the output file, or `default` if none was given.
    fn output_or(&self, default: &str) -> PathBuf {
        self.output.clone().unwrap_or_else(|| default.into())
    }
}

/// Parses three comma-separated numbers as a point [m].
fn parse_point(text: &str) -> Result<Vec3, String> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => {
            Ok(Vec3::new(x, y, z))
        }
        _ => Err(format!(
            "expected three numbers such as 1,2,3, found {text}"
        )),
    }
}

/// Parses a time of day as seconds since midnight.
fn time_of_day(text: &str) -> Result<f64, String> {
    let parts: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some(&[hours, minutes]) if hours < 24 && minutes < 60 => {
            Ok(f64::from(3600 * hours + 60 * minutes))
        }
        _ => Err(format!("expected a time from 00:00 to 23:59, found {text}")),
    }
}

/// Sets the sun to the requested solar time of the same day, if one is requested.
fn set_time(simulation: &mut Simulation, arguments: &Arguments) {
    let Some(second) = arguments.time_of_day else {
        return;
    };
    let day = 86_400.0;
    // solar time depends on the longitude
    let longitude = simulation.scene.origin.longitude / std::f64::consts::TAU * day;
    let time = simulation.state.time_ns as f64 * 1e-9;
    let air = &mut simulation.state.sea.air;
    let now = air.start_utc + time + longitude;
    air.start_utc += second - (now - (now / day).floor() * day);
}

/// Renders the image or the plot and writes its file.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(at) = arguments.at.filter(|at| !(0.0..=1e6).contains(at)) {
        let why = format!("--at is {at}; expected 0 to 1000000 s");
        return Err(Failure::Invalid(why));
    }
    if !arguments.view && (arguments.from.is_some() || arguments.look.is_some()) {
        let why = "--from and --look apply to views only; add --view and remove --robot";
        return Err(Failure::Invalid(why.to_string()));
    }
    let world = super::load(&arguments.world.world, arguments.world.overrides())?;
    if arguments.view {
        check_output(&arguments.output_or("snapshot.png"), &IMAGE_EXTENSIONS)?;
    }
    let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
    let steps = (arguments.at.unwrap_or(0.0) * 1e9 / simulation.scene.dt_ns as f64).round() as u64;
    let (output, message) = if arguments.view {
        write_view(&mut simulation, arguments, steps)?
    } else {
        write_sensor(&mut simulation, arguments, steps)?
    };
    println!("{}: {message}", output.display());
    Ok(())
}

/// Writes the view from the chosen viewpoint after `steps` steps. Returns the file and a line about
/// it.
fn write_view(
    simulation: &mut Simulation,
    arguments: &Arguments,
    steps: u64,
) -> Result<(PathBuf, String), String> {
    let output = arguments.output_or("snapshot.png");
    // frames of the world's own cameras are not needed
    simulation.sensor_scheduler = None;
    simulation.advance(steps);
    set_time(simulation, arguments);
    let (from, to) = viewpoint(simulation, arguments);
    let keys = from_text(VIEW_CAMERA).map_err(|problems| problems.to_string())?;
    let camera = camera(&keys, SIZE, Lens::ideal(SIZE, 0.75 * SIZE[0] as f64));
    let FrameData::CameraImages(images) =
        current_frame::compute_view(simulation, &camera, axes(to - from), from)
    else {
        return Err("the view has no image".to_string());
    };
    write(&images, &arguments.show, camera.size, &output)?;
    Ok((output, sun_text(simulation)))
}

/// Writes the image or the plot of a sensor after `steps` steps. Returns the file and a line about
/// it.
fn write_sensor(
    simulation: &mut Simulation,
    arguments: &Arguments,
    steps: u64,
) -> Result<(PathBuf, String), Failure> {
    let (robot, sensor) = device(&simulation.scene, arguments).map_err(Failure::Invalid)?;
    let scene = Arc::clone(&simulation.scene);
    let snapshot = picture::output(&scene.robots[robot].sensors[sensor]);
    check_camera(snapshot.as_ref(), arguments).map_err(Failure::Invalid)?;
    let image = match snapshot {
        Some(SnapshotOutput::Camera(size, _)) => {
            let output = arguments.output_or("snapshot.png");
            check_output(&output, &IMAGE_EXTENSIONS)?;
            let set_light = |simulation: &mut Simulation| set_time(simulation, arguments);
            let place = (robot, sensor);
            let images = sensor_image::render_camera(simulation, place, steps, set_light)?;
            write(&images, &arguments.show, size, &output)?;
            return Ok((output, sun_text(simulation)));
        }
        Some(SnapshotOutput::Image(samples, image)) => (samples, image),
        _ => {
            let output = arguments.output_or("snapshot.svg");
            check_output(&output, &PLOT_EXTENSIONS)?;
            let seconds = arguments.at.unwrap_or(readings::DEFAULT_DURATION);
            let drawing = readings::draw(simulation, robot, sensor, seconds)?;
            write_file(&output, drawing.svg().as_bytes())?;
            return Ok((output, format!("from 0 to {seconds} s")));
        }
    };
    let output = arguments.output_or("snapshot.png");
    check_output(&output, &IMAGE_EXTENSIONS)?;
    let legend = match sensor_image::render(simulation, (robot, sensor), steps, image)? {
        SensorImage::Grey(Image {
            width,
            height,
            data,
            ..
        }) => {
            let pixels = Pixels::Mono8(&data);
            let shown = ImageView {
                width,
                height,
                pixels,
            };
            save(&shown, &output)?;
            String::new()
        }
        SensorImage::Colored(shown) => {
            let size = [shown.width, shown.height];
            save(&ImageView::rgb(&Bytes::from(shown.rgb), size), &output)?;
            shown.legend
        }
    };
    let message = if legend.is_empty() {
        sun_text(simulation)
    } else {
        legend
    };
    Ok((output, message))
}

/// Checks that arguments for cameras are given for a camera only.
fn check_camera(
    snapshot: Option<&SnapshotOutput<'_>>,
    arguments: &Arguments,
) -> Result<(), String> {
    match snapshot {
        Some(SnapshotOutput::Camera(..)) => Ok(()),
        _ if arguments.show != "rgb" => Err(format!(
            "--show {} applies to cameras only, and the sensor is not a camera",
            arguments.show
        )),
        _ if arguments.time_of_day.is_some() => Err(
            "--time-of-day applies to cameras and views only, and the sensor is not a camera"
                .to_string(),
        ),
        _ => Ok(()),
    }
}

/// Formats the elevation of the sun, which explains dark images.
fn sun_text(simulation: &Simulation) -> String {
    let (origin, time) = (
        &simulation.scene.origin,
        simulation.state.time_ns as f64 * 1e-9,
    );
    let utc = simulation.state.sea.air.start_utc + time;
    let up = sun::sun_position(utc, origin.latitude, origin.longitude)
        .elevation
        .to_degrees();
    let night = if up < -6.0 { ": it is night" } else { "" };
    format!("the sun's elevation is {up:.1} deg{night}")
}

/// Returns the indices of the requested robot and sensor.
fn device(scene: &Scene, arguments: &Arguments) -> Result<(usize, usize), String> {
    let robot = find_robot(scene, arguments.robot.as_deref().unwrap_or_default())?;
    let sensors = scene.robots[robot].sensors.iter();
    let name = arguments.sensor.as_deref().unwrap_or_default();
    let sensor = find_named("sensor", name, sensors.map(|sensor| &sensor.name))?;
    Ok((robot, sensor))
}

/// Returns the viewpoint and the target point of a view.
fn viewpoint(simulation: &Simulation, arguments: &Arguments) -> (Vec3, Vec3) {
    let first = simulation
        .state
        .robots
        .first()
        .map_or(Vec3::zero(), |robot| robot.motion.p_WB);
    let to = arguments.look.unwrap_or(first);
    let away = if to.z < -1.0 {
        Vec3::new(-4.0, -3.0, 1.5)
    } else {
        Vec3::new(-12.0, -9.0, 5.0)
    };
    (arguments.from.unwrap_or(to + away), to)
}

/// Returns the axes of an upright camera that looks along `d`.
fn axes(d: Vec3) -> Mat3 {
    let x = d.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
    let y = Vec3::new(0.0, 0.0, 1.0)
        .cross(x)
        .unit()
        .unwrap_or(Vec3::new(0.0, 1.0, 0.0));
    let z = x.cross(y);
    Mat3::from_rows(x, y, z).transpose()
}

/// Writes the requested output of a camera image.
fn write(images: &CameraImages, show: &str, size: [usize; 2], file: &Path) -> Result<(), String> {
    let missing = || format!("the camera has no {show} output; add it to its `outputs`");
    let rgb = match show {
        "depth" => depths(images.depth.as_ref().ok_or_else(missing)?),
        "labels" => labels(images.labels.as_ref().ok_or_else(missing)?),
        _ => images.rgb.clone().ok_or_else(missing)?,
    };
    save(&ImageView::rgb(&rgb, size), file)
}

/// Writes an image as PNG or JPEG.
pub(super) fn save(shown: &ImageView, file: &Path) -> Result<(), String> {
    let image = if extension(file) == "png" {
        shown.png(header(0, ""))
    } else {
        shown.jpeg(header(0, ""), QUALITY)
    };
    write_file(file, &image.map_err(|e| e.to_string())?.data)
}

/// Checks folder and extension of the output file before the simulation runs.
pub(super) fn check_output(file: &Path, endings: &[&str]) -> Result<(), Failure> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Failure::Failed(format!(
            "{}: no folder `{}`; create it or choose another file",
            file.display(),
            folder.display()
        )));
    }
    if endings.contains(&extension(file).as_str()) {
        return Ok(());
    }
    Err(Failure::Invalid(format!(
        "{}: expected a file name that ends in .{}",
        file.display(),
        endings.join(" or .")
    )))
}

/// Returns the extension of a file name in lower case.
pub(super) fn extension(file: &Path) -> String {
    file.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase()
}

/// Writes bytes to a file.
pub(super) fn write_file(file: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(file, bytes)
        .map_err(|e| format!("{}: cannot write the file: {e}", file.display()))
}

/// Converts depths to grey on a logarithmic scale; near is bright.
fn depths(depths: &[f32]) -> Bytes {
    let finite = || depths.iter().copied().filter(|d| d.is_finite() && *d > 0.0);
    let (low, high) = (
        finite().fold(f32::INFINITY, f32::min),
        finite().fold(0.0, f32::max),
    );
    let span = libm::log(f64::from(high / low)).max(1e-6);
    let grey = |d: &f32| {
        let part = libm::log(f64::from(*d / low)) / span;
        let grey = if d.is_finite() && *d > 0.0 {
            (255.0 - 225.0 * part) as u8
        } else {
            0
        };
        [grey; 3]
    };
    depths.iter().flat_map(grey).collect()
}

/// Converts labels to colours.
fn labels(labels: &[u16]) -> Bytes {
    let color = |label: &u16| match label {
        &0 => [0; 3],
        &SURFACE_LABEL => [40, 90, 140],
        &OPEN_WATER_LABEL => [20, 45, 70],
        &1 => [110, 100, 80],
        n => [73_u32, 151, 199].map(|k| (64 + (u32::from(*n) * k) % 192) as u8),
    };
    labels.iter().flat_map(color).collect()
}
