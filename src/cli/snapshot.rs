//! `merrow snapshot`: one picture of a world, or of what a sensor brings, as a file.

use super::pictured::{self, Content};
use super::readings;
use bytes::Bytes;
use clap::Args;
use merrow::convert::header;
use merrow::convert::image::{Picture, Pixels};
use merrow_environment::air::sun;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::Looks;
use merrow_model::scene::sensor::camera::{CameraSpec, Exposure, Part};
use merrow_model::scene::sensor::lens::{Distortion, Lens};
use merrow_model::state::frames;
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_sensors::camera::shading::{OPEN_WATER, SURFACE};
use merrow_sim::Simulation;
use merrow_sim::sensors::scheduler;
use merrow_validate::figure::canvas::Drawing;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Columns and rows of a view from afar.
const SIZE: [usize; 2] = [960, 540];
/// What names of pictures end in.
const PICTURES: [&str; 3] = ["png", "jpg", "jpeg"];
/// What names of curves end in.
const CURVES: [&str; 2] = ["svg", "png"];
/// Quality of a file of JPEG, 1 to 100.
const QUALITY: u8 = 90;

/// What `merrow snapshot` takes.
#[derive(Args, Debug)]
pub struct Arguments {
    /// World file, or the name of a shipped world.
    world: String,
    /// Robot that carries the sensor.
    #[arg(long, requires = "sensor", required_unless_present = "view")]
    robot: Option<String>,
    /// The sensor. A scanning sonar and a radar show a whole turn, a side-scan and a multibeam the lines of the run before, a laser that nods one nod; what brings numbers shows
    /// them over time, from the start to `--at`.
    #[arg(long, requires = "robot")]
    sensor: Option<String>,
    /// What of a camera: rgb, depth or labels.
    #[arg(long, default_value = "rgb", value_parser = ["rgb", "depth", "labels"])]
    show: String,
    /// Look at the world from afar instead.
    #[arg(long, conflicts_with = "robot")]
    view: bool,
    /// Where from: east, north, up [m].
    #[arg(long, value_parser = place, allow_hyphen_values = true, requires = "view")]
    from: Option<Vec3>,
    /// Where to: east, north, up [m].
    #[arg(long, value_parser = place, allow_hyphen_values = true, requires = "view")]
    look: Option<Vec3>,
    /// Simulated time [s]; 0 if not given, 10 for curves.
    #[arg(long)]
    at: Option<f64>,
    /// Time of day that the sun shows at the world's origin, as 14:30, instead of the world's own; a view of a world that states no time
    /// is at noon.
    #[arg(long, value_parser = time_of_day)]
    time_of_day: Option<f64>,
    /// The file, by its ending PNG or JPEG; of curves SVG or PNG.
    #[arg(short, long, default_value = "snapshot.png")]
    output: PathBuf,
}

/// Three numbers.
fn place(text: &str) -> Result<Vec3, String> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => {
            Ok(Vec3::new(x, y, z))
        }
        _ => Err(format!("expected three numbers as 1,2,3, got {text}")),
    }
}

/// Seconds of the day.
fn time_of_day(text: &str) -> Result<f64, String> {
    let parts: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some(&[hours, minutes]) if hours < 24 && minutes < 60 => {
            Ok(f64::from(3600 * hours + 60 * minutes))
        }
        _ => Err(format!("expected a time from 00:00 to 23:59, got {text}")),
    }
}

/// Moves the sun to where it is at the second of the day that is asked for, if one is, on the same day.
fn set_time(simulation: &mut Simulation, arguments: &Arguments) {
    let Some(second) = arguments.time_of_day else {
        return;
    };
    let day = 86_400.0;
    // a day of the sun goes by the longitude
    let longitude = simulation.scene.origin.longitude / std::f64::consts::TAU * day;
    let time = simulation.state.time_ns as f64 * 1e-9;
    let air = &mut simulation.state.sea.air;
    let now = air.start_utc + time + longitude;
    air.start_utc += second - (now - (now / day).floor() * day);
}

/// Takes the picture.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if let Some(at) = arguments.at.filter(|at| !(0.0..=1e6).contains(at)) {
        return Err(format!("--at is {at}, expected 0 to 1000000 s"));
    }
    if !arguments.view && (arguments.from.is_some() || arguments.look.is_some()) {
        return Err("--from and --look are of views: add --view, without --robot".to_string());
    }
    let world = super::load(&arguments.world, None)?;
    if arguments.view {
        expect_ending(&arguments.output, &PICTURES)?;
    }
    let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
    let steps = (arguments.at.unwrap_or(0.0) * 1e9 / simulation.scene.dt_ns as f64).round() as u64;
    let mut legend = String::new();
    if arguments.view {
        // nobody wants the frames on the way
        simulation.lookout = None;
        simulation.advance(steps);
        set_time(&mut simulation, arguments);
        let (from, to) = standpoint(&simulation, arguments);
        let picture = scheduler::from_afar(&mut simulation, &afar(), axes(to - from), from);
        write(&picture, &arguments.show, SIZE, &arguments.output)?;
    } else {
        let (robot, sensor) = device(&simulation.scene, arguments)?;
        let looks = simulation.scene.robots[robot].sensors[sensor]
            .kind
            .looks()
            .cloned();
        let size = match looks.as_deref() {
            Some(Looks::Camera(spec)) => spec.size,
            _ if arguments.show != "rgb" => {
                return Err(format!(
                    "--show {} is of cameras, the sensor is none",
                    arguments.show
                ));
            }
            _ if arguments.time_of_day.is_some() => {
                return Err(
                    "--time-of-day is of cameras and views, the sensor is no camera".to_string(),
                );
            }
            _ => [0; 2],
        };
        let has_picture = looks.is_some_and(|looks| pictured::has_picture(&looks));
        expect_ending(
            &arguments.output,
            if has_picture { &PICTURES } else { &CURVES },
        )?;
        if !has_picture {
            let seconds = arguments.at.unwrap_or(readings::SECONDS);
            curves(
                &readings::draw(&mut simulation, robot, sensor, seconds)?,
                &arguments.output,
            )?;
            println!("{}: from 0 to {seconds} s", arguments.output.display());
            return Ok(ExitCode::SUCCESS);
        }
        let light = |simulation: &mut Simulation| set_time(simulation, arguments);
        match pictured::picture(&mut simulation, (robot, sensor), steps, light)? {
            Content::Camera(picture) => write(&picture, &arguments.show, size, &arguments.output)?,
            Content::Grey(Image {
                width,
                height,
                data,
                ..
            }) => {
                save(
                    &Picture {
                        width,
                        height,
                        pixels: Pixels::Mono8(&data),
                    },
                    &arguments.output,
                )?;
            }
            Content::Colored(shown) => {
                let (width, height) = (shown.width as u32, shown.height as u32);
                let rgb = Bytes::from(shown.rgb);
                save(
                    &Picture {
                        width,
                        height,
                        pixels: Pixels::Rgb8(&rgb),
                    },
                    &arguments.output,
                )?;
                legend = shown.legend;
            }
        }
    }
    let said = if legend.is_empty() {
        light(&simulation)
    } else {
        legend
    };
    println!("{}: {said}", arguments.output.display());
    Ok(ExitCode::SUCCESS)
}

/// Where the sun stands, so that a dark picture explains itself.
fn light(simulation: &Simulation) -> String {
    let (origin, time) = (
        &simulation.scene.origin,
        simulation.state.time_ns as f64 * 1e-9,
    );
    let utc = simulation.state.sea.air.start_utc + time;
    let up = sun::at(utc, origin.latitude, origin.longitude)
        .elevation
        .to_degrees();
    let night = if up < -6.0 { ": it is night" } else { "" };
    format!("the sun's elevation is {up:.1} deg{night}")
}

/// Robot and sensor that are asked for.
fn device(scene: &Scene, arguments: &Arguments) -> Result<(usize, usize), String> {
    let (robot, sensor) = (
        arguments.robot.as_deref().unwrap_or_default(),
        arguments.sensor.as_deref().unwrap_or_default(),
    );
    let r = scene
        .robots
        .iter()
        .position(|r| r.name == robot)
        .ok_or_else(|| {
            let robots: Vec<&str> = scene.robots.iter().map(|r| r.name.as_str()).collect();
            format!("no robot `{robot}`, expected one of {}", robots.join(", "))
        })?;
    let sensors = &scene.robots[r].sensors;
    let found = sensors.iter().position(|s| s.name == sensor);
    found.map(|s| (r, s)).ok_or_else(|| {
        let names: Vec<&str> = sensors.iter().map(|s| s.name.as_str()).collect();
        let names = if names.is_empty() {
            "it has none".to_string()
        } else {
            format!("expected one of {}", names.join(", "))
        };
        format!("no sensor `{sensor}` on {robot}, {names}")
    })
}

/// From where to where a view goes.
fn standpoint(simulation: &Simulation, arguments: &Arguments) -> (Vec3, Vec3) {
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

/// Axes of a camera that looks along `d`, upright.
fn axes(d: Vec3) -> Mat3 {
    let x = d.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
    let y = Vec3::new(0.0, 0.0, 1.0)
        .cross(x)
        .unit()
        .unwrap_or(Vec3::new(0.0, 1.0, 0.0));
    let z = x.cross(y);
    Mat3::from_rows(
        Vec3::new(x.x, y.x, z.x),
        Vec3::new(x.y, y.y, z.y),
        Vec3::new(x.z, y.z, z.z),
    )
}

/// The camera of a view.
fn afar() -> CameraSpec {
    let lens = Lens {
        focal: [0.75 * SIZE[0] as f64; 2],
        center: SIZE.map(|n| 0.5 * (n as f64 - 1.0)),
        distortion: Distortion::BrownConrady([0.0; 5]),
    };
    let exposure = Exposure {
        fixed: None,
        limits: [-4.0, 18.0],
        gamma: true,
        vignette: 0.0,
        full_well: 0.0,
        read_noise: 0.0,
        gain_below: 0.0,
        most_gain: f64::INFINITY,
        smoothing: 0,
    };
    CameraSpec {
        size: SIZE,
        rays: CameraSpec::aim(&lens, SIZE),
        lens,
        flat_port: None,
        parts: Part::Rgb as u8 | Part::Depth as u8 | Part::Labels as u8,
        sees_self: true,
        range: [0.01, 30_000.0],
        readout: 0.0,
        open: 0.0,
        instants: 1,
        baseline: None,
        exposure,
        snow: 0.0,
        jpeg_quality: 90,
        places: CameraSpec::places(4),
    }
}

/// Writes what is to be shown.
fn write(
    picture: &frames::Picture,
    show: &str,
    size: [usize; 2],
    file: &Path,
) -> Result<(), String> {
    let missing = || format!("the camera gives no {show}: add it to its `outputs`");
    let rgb = match show {
        "depth" => depths(picture.depth.as_ref().ok_or_else(missing)?),
        "labels" => labels(picture.labels.as_ref().ok_or_else(missing)?),
        _ => picture.rgb.clone().ok_or_else(missing)?,
    };
    let [width, height] = size.map(|n| n as u32);
    save(
        &Picture {
            width,
            height,
            pixels: Pixels::Rgb8(&rgb),
        },
        file,
    )
}

/// As a file of PNG or JPEG.
fn save(shown: &Picture, file: &Path) -> Result<(), String> {
    let made = if extension(file) == "png" {
        shown.png(header(0, ""))
    } else {
        shown.jpeg(header(0, ""), QUALITY)
    };
    keep(file, &made.map_err(|e| e.to_string())?.data)
}

/// Refuses other names before anything is worked out.
fn expect_ending(file: &Path, endings: &[&str]) -> Result<(), String> {
    if endings.contains(&extension(file).as_str()) {
        return Ok(());
    }
    Err(format!(
        "{}: expected a name that ends in .{}",
        file.display(),
        endings.join(" or .")
    ))
}

/// What the name of a file ends in, in small letters.
fn extension(file: &Path) -> String {
    file.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase()
}

/// Curves as a file of PNG or SVG.
fn curves(drawing: &Drawing, file: &Path) -> Result<(), String> {
    if extension(file) == "svg" {
        keep(file, drawing.svg().as_bytes())
    } else {
        keep(file, &drawing.png(1.0).map_err(|e| e.to_string())?)
    }
}

/// Writes a file, in folders that are made.
fn keep(file: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, bytes));
    made.map_err(|e| format!("{}: {e}", file.display()))
}

/// Depths as grey: near is bright, by the logarithm.
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

/// Labels as colours.
fn labels(labels: &[u16]) -> Bytes {
    let color = |label: &u16| match label {
        &0 => [0; 3],
        &SURFACE => [40, 90, 140],
        &OPEN_WATER => [20, 45, 70],
        &1 => [110, 100, 80],
        n => [73_u32, 151, 199].map(|k| (64 + (u32::from(*n) * k) % 192) as u8),
    };
    labels.iter().flat_map(color).collect()
}
