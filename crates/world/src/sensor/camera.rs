//! Cameras, lamps and the optical properties of water: keys of their files and conversion to
//! the scene.

use crate::context::Context;
use crate::sensor::{BuildSensor, SensorContext};
use merrow_environment::optics;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::scene::sea::optics::Optics;
use merrow_model::scene::{Link, Load};
use merrow_model::sensor::camera::{
    CameraKeys, CameraOutput, CameraSpec, ImageOutput, Lamp, LensDistortion, RenderQuality,
};
use merrow_model::sensor::lens::{Distortion, Lens};
use merrow_yaml::spec::spec;

spec! {
    /// A lamp on a robot.
    pub struct LampConfig {
        /// Link on which the lamp is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Position on the link (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Direction of the beam in the link frame (forward, left, up).
        direction: [f64; 3] = [1.0, 0.0, 0.0],
        /// Full cone angle of the beam.
        cone_deg: f64 [in 1.0..=180.0] = 80.0,
        /// Luminous flux in lumens.
        lumens: f64 [positive],
        /// Colour of the light (red, green, blue), with 1 for the brightest component.
        color: [f64; 3] [fraction] = [1.0, 1.0, 1.0],
        /// Load of the robot whose level dims the lamp. Default: on while the robot has power.
        load: Option<String>,
    }

    /// Optical properties of the water.
    pub struct OpticsConfig {
        /// Water type as defined by Jerlov.
        jerlov: JerlovConfig = JerlovConfig::Two,
        /// Diffuse attenuation of daylight with depth for red, green and blue. Default: the value
        /// of the water type.
        daylight_per_m: Option<[f64; 3]> [positive],
        /// Scattering coefficient for red, green and blue. Default: the value of the water type.
        scattering_per_m: Option<[f64; 3]> [positive],
        /// Beam attenuation coefficient for red, green and blue. Default: computed from the other
        /// two.
        beam_per_m: Option<[f64; 3]> [positive],
    }

    /// Jerlov water types, the clearest first, in the order of the table in `optics::jerlov`.
    pub(crate) enum JerlovConfig words {
        /// Type I: clearest ocean water.
        One = "I",
        /// Type IA: clear ocean water.
        OneA = "IA",
        /// Type IB: clear ocean water.
        OneB = "IB",
        /// Type II: ocean water.
        Two = "II",
        /// Type III: turbid ocean water.
        Three = "III",
        /// Type 1C: clearest coastal water.
        C1 = "1C",
        /// Type 3C: coastal water.
        C3 = "3C",
        /// Type 5C: coastal water.
        C5 = "5C",
        /// Type 7C: turbid coastal water.
        C7 = "7C",
        /// Type 9C: most turbid coastal water.
        C9 = "9C",
    }
}

/// Maximum number of pixels of an image, to limit the memory.
const PIXELS_MAX: usize = 16_000_000;

/// Default exposure value below which gain is applied.
const GAIN_BELOW: f64 = 4.0;

impl BuildSensor for CameraKeys {
    type Spec = CameraSpec;

    fn build(&self, cx: &SensorContext<'_>) -> CameraSpec {
        let mut size = [self.width as usize, self.height as usize];
        let pixels = size[0] * size[1];
        if pixels > PIXELS_MAX {
            let text = format!("{pixels} pixels per image; expected at most {PIXELS_MAX}");
            cx.error(&self.at.whole, text);
            size = [1, 1];
        }
        check_times_and_ranges(self, cx);
        let lens = lens(self, cx);
        check_exposure_keys(self, cx);
        if self.quality == RenderQuality::Fast {
            check_fast_keys(self, cx);
        }
        CameraSpec {
            gain_below: gain_below(self, cx),
            ..camera(self, size, lens)
        }
    }
}

/// Builds a camera with `size` columns and rows and a lens; gain applies below the exposure value of
/// the keys.
pub fn camera(file: &CameraKeys, size: [usize; 2], lens: Lens) -> CameraSpec {
    let [antialias, instants] = match file.quality {
        RenderQuality::Fast => [1, 1],
        RenderQuality::Full => [file.antialias as usize, file.blur_samples as usize],
    };
    CameraSpec {
        rays: CameraSpec::pixel_directions(&lens, size),
        subpixels: CameraSpec::subpixels(antialias),
        size,
        lens,
        outputs: output_bits(&file.outputs),
        instants,
        gain_below: file.exposure.gain_below_ev100.unwrap_or(GAIN_BELOW),
        max_gain: file.exposure.max_gain_db / (20.0 * std::f64::consts::LOG10_2),
        camera: file.clone(),
    }
}

/// Checks the order of ranges and exposure values, and the times within one image.
fn check_times_and_ranges(file: &CameraKeys, cx: &SensorContext<'_>) {
    let [low, high] = file.exposure.auto_exposure_ev100;
    if low > high {
        let text =
            format!("`auto_exposure_ev100` is [{low}, {high}]; expected the smaller value first");
        cx.error(file.exposure.at.key_place("auto_exposure_ev100"), text);
    }
    cx.check_ranges(&file.at, file.min_range_m, file.max_range_m);
    for (key, time) in [
        ("exposure_s", file.exposure_s),
        ("readout_s", file.readout_s),
    ] {
        if time * cx.rate > 1.0 + 1e-9 {
            let text = format!(
                "`{key}` is {time}; expected at most the image period of {} s",
                (1e6 / cx.rate).round() * 1e-6
            );
            cx.error(file.at.key_place(key), text);
        }
    }
}

/// Reports keys that add rays to an image in the file that sets the quality `fast`. A device may
/// have them in another file.
fn check_fast_keys(file: &CameraKeys, cx: &SensorContext<'_>) {
    let own = &file.at.key_place("quality").file;
    for key in ["antialias", "blur_samples"] {
        if file.at.has_key(key) && file.at.key_place(key).file == *own {
            let text = format!("`{key}` has no effect with `quality: fast`; expected one of them");
            cx.error(file.at.key_place(key), text);
        }
    }
}

/// Reports a fixed exposure together with an automatic one.
fn check_exposure_keys(file: &CameraKeys, cx: &SensorContext<'_>) {
    let at = &file.exposure.at;
    let [fixed, found] = ["exposure_ev100", "auto_exposure_ev100"];
    // The limits of a device may be overridden by a fixed value in another file.
    if at.has_key(fixed)
        && at.has_key(found)
        && at.key_place(fixed).file == at.key_place(found).file
    {
        cx.error(
            at.key_place(found),
            format!("`{found}` has no effect together with `{fixed}`; remove one of them"),
        );
    }
}

/// Returns the exposure value of the longest exposure time: with an f-number the value of
/// `exposure_s`, or of the time between two images.
fn gain_below(file: &CameraKeys, cx: &SensorContext<'_>) -> f64 {
    let exposure = &file.exposure;
    let Some(aperture) = exposure.f_number else {
        return exposure.gain_below_ev100.unwrap_or(GAIN_BELOW);
    };
    if exposure.gain_below_ev100.is_some() {
        let text = "both `f_number` and `gain_below_ev100`; expected one: `f_number` also determines where gain begins";
        cx.error(exposure.at.key_place("f_number"), text);
    }
    let longest = if file.exposure_s > 0.0 {
        file.exposure_s
    } else {
        1.0 / cx.rate
    };
    libm::log2(aperture * aperture / longest)
}

/// Returns the outputs as bits.
fn output_bits(outputs: &[ImageOutput]) -> u8 {
    let bits = |output: &ImageOutput| match output {
        ImageOutput::Rgb => CameraOutput::Rgb as u8 | CameraOutput::Jpeg as u8,
        ImageOutput::Depth => CameraOutput::Depth as u8,
        ImageOutput::Labels => CameraOutput::Labels as u8,
    };
    outputs
        .iter()
        .fold(CameraOutput::Info as u8, |all, output| all | bits(output))
}

fn lens(file: &CameraKeys, cx: &SensorContext<'_>) -> Lens {
    let distortion = match file.distortion {
        LensDistortion::PlumbBob {
            k1, k2, p1, p2, k3, ..
        } => Distortion::BrownConrady([k1, k2, p1, p2, k3]),
        LensDistortion::FishEye { k1, k2, k3, k4, .. } => Distortion::FishEye([k1, k2, k3, k4]),
    };
    let half = 0.5 * f64::from(file.width);
    let focal = match (file.focal_px, file.horizontal_fov_deg) {
        (Some(focal), None) => focal,
        (None, Some(angle)) => {
            let angle = 0.5 * angle.to_radians();
            let across = match distortion {
                Distortion::FishEye(_) => angle,
                Distortion::BrownConrady(_) => {
                    if angle > 1.5 {
                        let text = "`horizontal_fov_deg` is too large for a lens other than `fisheye`; expected at most 170";
                        cx.error(file.at.key_place("horizontal_fov_deg"), text);
                    }
                    libm::tan(angle.min(1.5))
                }
            };
            [half / across; 2]
        }
        _ => {
            cx.error(
                &file.at.whole,
                "expected either `horizontal_fov_deg` or `focal_px`",
            );
            [half; 2]
        }
    };
    let center = [file.width, file.height].map(|n| 0.5 * (f64::from(n) - 1.0));
    let lens = Lens {
        focal,
        center: file.center_px.unwrap_or(center),
        distortion,
    };
    let last = [file.width, file.height].map(|n| f64::from(n) - 1.0);
    if (0..2).any(|i| !(0.0..=last[i]).contains(&lens.center[i])) {
        let [x, y] = lens.center;
        let text = format!(
            "`center_px` is [{x}, {y}]; expected within the image, [0, 0] to [{}, {}]",
            last[0], last[1]
        );
        cx.error(file.at.key_place("center_px"), text);
    } else {
        check_monotonic_distortion(file, &lens, cx);
    }
    lens
}

/// Checks that the distortion is monotonic up to the edge of the image, which otherwise indicates
/// wrong coefficients. For a fisheye lens only the nearest edge is checked, for others all edges.
/// Corners without an image give a note.
fn check_monotonic_distortion(file: &CameraKeys, lens: &Lens, cx: &SensorContext<'_>) {
    let last = [file.width, file.height].map(|n| f64::from(n) - 1.0);
    let [x, y] = [0, 1].map(|i| lens.center[i].clamp(0.0, last[i]));
    let mut edges = [[0.0, y], [last[0], y], [x, 0.0], [x, last[1]]];
    let distance_from_center = |p: &[f64; 2]| (p[0] - x).abs() + (p[1] - y).abs();
    edges.sort_by(|a, b| distance_from_center(a).total_cmp(&distance_from_center(b)));
    let (place, n) = match &file.distortion {
        LensDistortion::PlumbBob { at, .. } => (&at.whole, 4),
        LensDistortion::FishEye { at, .. } => (&at.whole, 1),
    };
    let blind = |p: &[f64; 2]| lens.direction(*p).is_none();
    if let Some(edge) = edges[..n].iter().find(|edge| blind(edge)) {
        let [mut visible, mut hidden] = [0.0, 1.0];
        for _ in 0..30 {
            let part = 0.5 * (visible + hidden);
            let at = [x + part * (edge[0] - x), y + part * (edge[1] - y)];
            if blind(&at) {
                hidden = part
            } else {
                visible = part
            }
        }
        let text = format!(
            "the distortion reverses {:.0} px from the centre, but the edge is at {:.0} px; \
             expected no reversal within the image of {} x {}; check the signs of its \
             coefficients, and the lens's angle",
            visible * distance_from_center(edge),
            distance_from_center(edge),
            file.width,
            file.height
        );
        cx.error(place, text);
    } else if n == 4
        && [[0.0; 2], [last[0], 0.0], [0.0, last[1]], last]
            .iter()
            .any(blind)
    {
        cx.note(
            place,
            "the distortion reverses in the corners of the image: these pixels have no ray",
        );
    }
}

/// Builds the lamp `name` on `link`, which has the index `index`.
pub(crate) fn lamp(
    name: &str,
    file: &LampConfig,
    (index, link): (usize, &Link),
    loads: &[Load],
    cx: Context<'_>,
) -> Lamp {
    let x = Vec3::new(1.0, 0.0, 0.0);
    let what = format!("the direction of {name}");
    let d = cx.direction((&file.at, "direction"), &what, file.direction.into(), x);
    let load = file.load.as_ref().and_then(|requested| {
        let names = loads.iter().map(|load| load.name.as_str());
        cx.find(file.at.key_place("load"), requested, names, |load| {
            format!("no load {load}")
        })
    });
    let half = 0.5 * file.cone_deg.to_radians();
    let (edge, full) = (sin_cos(half).1, sin_cos(0.8 * half).1);
    // Approximates the beam as uniform up to 0.9 of its half angle.
    let solid_angle = std::f64::consts::TAU * (1.0 - sin_cos(0.9 * half).1);
    Lamp {
        name: name.to_string(),
        link: index,
        p_LoX: link.R_LU.mul_vec(Vec3::from(file.position_m)),
        d_L: link.R_LU.mul_vec(d),
        cosines: [edge, full],
        intensity: Vec3::from(file.color).scale(file.lumens / solid_angle),
        load,
    }
}

/// Converts the optical properties of the water.
pub(crate) fn optics(file: &OpticsConfig) -> Optics {
    let typical = optics::jerlov(file.jerlov as usize);
    let own = optics::optics_from_coefficients(
        file.daylight_per_m.unwrap_or(typical.daylight),
        file.scattering_per_m.unwrap_or(typical.scattering),
    );
    Optics {
        beam: file.beam_per_m.unwrap_or(own.beam),
        ..own
    }
}
