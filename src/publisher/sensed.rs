//! Publishing of sensor data: readings and frames, on each topic of the sensor.

use crate::convert;
use crate::convert::camera;
use crate::convert::camera::{CameraMessage, CameraTopic};
use crate::convert::exteroceptive;
use crate::convert::exteroceptive::Topic;
use crate::convert::header;
use crate::convert::instruments;
use crate::convert::navigation;
use crate::convert::obstacles;
use crate::convert::positioning;
use crate::convert::profile;
use crate::convert::sonar;
use crate::convert::sonar::SonarTopic;
use crate::node::frames;
use crate::publisher::Worker;
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::acoustic::{AcousticOutput, AcousticSpec};
use merrow_model::scene::sensor::camera::CameraSpec;
use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::state::frames::acoustic::AcousticObservations;
use merrow_model::state::frames::ping::Ping;
use merrow_model::state::frames::{CameraImages, Frame, FrameData};
use merrow_model::state::reading::{Reading, Stamped};
use merrow_ros2::msg::geometry_msgs::TwistWithCovarianceStamped;
use merrow_ros2::msg::nmea_msgs::Sentence;
use merrow_ros2::msg::sensor_msgs::LaserScan;
use merrow_ros2::msg::std_msgs::Header;

impl Worker {
    /// Publishes the reading of a sensor that is not exteroceptive.
    pub(crate) fn publish_reading(
        &mut self,
        scene: &Scene,
        robot: usize,
        sensor: usize,
        stamped: &Stamped,
        now: u64,
    ) {
        let model = &scene.robots[robot];
        let i = self.sensor_outputs[robot][sensor];
        let head = || header(stamped.stamp_ns, &frames::sensor_frame(model, sensor));
        match &stamped.reading {
            Reading::Imu(r) => self.emit(i, now, || convert::imu(r, head())),
            Reading::Gnss(r) => {
                self.emit(i, now, || {
                    navigation::nav_sat_fix(r, navigation::systems(model, sensor), head())
                });
                if let Some(twist) = navigation::fix_velocity(r, stamped.stamp_ns) {
                    self.emit(i + 1, now, || twist);
                }
            }
            Reading::Heading(r) => self.emit(i, now, || navigation::heading(r, head())),
            Reading::Navigation(r) => {
                let child = frames::sensor_frame(model, sensor);
                self.emit(i, now, || navigation::odometry(r, stamped.stamp_ns, &child));
                self.emit(i + 1, now, || {
                    navigation::position(r, navigation::systems(model, sensor), head())
                });
            }
            Reading::Dvl(r) => {
                let acoustic = header(stamped.stamp_ns, &frames::acoustic_frame(model, sensor));
                self.emit(i, now, || convert::dvl(r, acoustic));
                if let Some(twist) = convert::dvl_twist(r, header(0, "")) {
                    self.emit(i + 1, now, || TwistWithCovarianceStamped {
                        header: head(),
                        ..twist
                    });
                }
            }
            Reading::Pressure(r) => self.emit(i, now, || convert::fluid_pressure(r, head())),
            Reading::Magnetometer(r) => self.emit(i, now, || convert::magnetic_field(r, head())),
            Reading::Altimeter(r) => self.emit(i, now, || convert::range(r, head())),
            Reading::Wrench(r) => self.emit(i, now, || convert::wrench(r, head())),
            Reading::Odometry(r) => self.emit(i, now, || {
                let child = odometry_frame(scene, robot, sensor);
                convert::odometry(r, stamped.stamp_ns, &child)
            }),
            reading => {
                let sensor = &model.sensors[sensor];
                for n in 0..instruments::instrument_topics(&sensor.kind).len() {
                    self.emit_bytes(i + n, now, || {
                        instruments::encode(sensor, n, reading, head())
                    });
                }
            }
        }
    }

    /// Publishes a frame of an exteroceptive sensor on each of its topics that has subscribers or
    /// is recorded.
    pub(crate) fn publish_frame(&mut self, scene: &Scene, frame: &Frame, now: u64) {
        let model = &scene.robots[frame.robot];
        let sensor = &model.sensors[frame.sensor];
        let Some(with) = sensor.kind.exteroceptive() else {
            return;
        };
        let first = self.sensor_outputs[frame.robot][frame.sensor];
        for (n, (_, _, topic)) in exteroceptive::topics(with).into_iter().enumerate() {
            let i = first + n;
            if !self.has_receivers(i) {
                continue;
            }
            let head = |frame_id: &str| header(frame.stamp_ns, frame_id);
            match (topic, &*frame.data, &**with) {
                (Topic::Scan, FrameData::Scan(scan), ExteroceptiveSpec::Laser(spec)) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || {
                        exteroceptive::laser_scan(spec, sensor.rate, scan, head)
                    });
                }
                (Topic::TiltCloud, FrameData::Scan(scan), ExteroceptiveSpec::Laser(spec)) => {
                    let about = sensor.adjacent_stamps(frame.stamp_ns, scene.dt_ns);
                    let swept = self
                        .tilt_accumulators
                        .entry((frame.robot, frame.sensor))
                        .or_default();
                    if let Some((stamp_ns, points)) = swept.add(spec, scan, frame.stamp_ns, about) {
                        let head = header(stamp_ns, &frames::mount_frame(model, frame.sensor));
                        self.emit(i, now, || exteroceptive::point_cloud(&points, head));
                    }
                }
                (Topic::Cloud, FrameData::Cloud(points), _) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || exteroceptive::point_cloud(points, head));
                }
                (
                    Topic::Camera(form),
                    FrameData::CameraImages(picture),
                    ExteroceptiveSpec::Camera(spec),
                ) => {
                    let head = head(&frames::optical_frame(model, frame.sensor));
                    self.publish_camera(i, form, (spec, picture), head, now);
                }
                (
                    Topic::Sonar(SonarTopic::Bearing),
                    FrameData::Ping(ping),
                    ExteroceptiveSpec::Sonar(spec),
                ) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || profile::bearing(spec, ping, sensor.rate, head));
                }
                (
                    Topic::Sonar(SonarTopic::Sweep),
                    FrameData::Ping(ping),
                    ExteroceptiveSpec::Sonar(spec),
                ) => {
                    let profile = self
                        .profiles
                        .entry((frame.robot, frame.sensor))
                        .or_default();
                    if let Some((stamp_ns, scan)) =
                        profile.add(spec, ping, frame.stamp_ns, sensor.rate)
                    {
                        let header = header(stamp_ns, &frames::sensor_frame(model, frame.sensor));
                        self.emit(i, now, || LaserScan { header, ..scan });
                    }
                }
                (Topic::Sonar(part), FrameData::Ping(ping), ExteroceptiveSpec::Sonar(spec)) => {
                    let head = head(&frames::acoustic_frame(model, frame.sensor));
                    self.publish_ping(
                        i,
                        (frame.robot, frame.sensor),
                        part,
                        (spec, ping),
                        head,
                        now,
                    );
                }
                (
                    Topic::Acoustic(output),
                    FrameData::Acoustic(sounds),
                    ExteroceptiveSpec::Acoustic(spec),
                ) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.publish_acoustic((i, output), scene, (spec, sounds), head, now);
                }
                (
                    Topic::Boxes,
                    FrameData::Detections(_) | FrameData::Echoes(_),
                    ExteroceptiveSpec::Obstacles(spec),
                ) => {
                    let gathered;
                    let found = match &*frame.data {
                        FrameData::Detections(found) => found,
                        FrameData::Echoes(heard) => {
                            let before = self
                                .echo_accumulators
                                .entry((frame.robot, frame.sensor))
                                .or_default();
                            gathered =
                                before.add_sample(spec, sensor.stream, heard, frame.stamp_ns);
                            &gathered
                        }
                        _ => continue,
                    };
                    let of = (frame.stamp_ns, &*frames::sensor_frame(model, frame.sensor));
                    let mut tracks = self
                        .tracks
                        .remove(&(frame.robot, frame.sensor))
                        .unwrap_or_default();
                    self.emit(i, now, || {
                        obstacles::detections(spec, &scene.obstacles, found, &mut tracks, of)
                    });
                    self.tracks.insert((frame.robot, frame.sensor), tracks);
                }
                (Topic::Sweep, FrameData::Sweep(sweep), ExteroceptiveSpec::Radar(spec)) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || exteroceptive::radar_sector(spec, sweep, head));
                }
                (Topic::PlanPosition, FrameData::Sweep(sweep), ExteroceptiveSpec::Radar(spec)) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    let mut scope = self
                        .scopes
                        .remove(&(frame.robot, frame.sensor))
                        .unwrap_or_default();
                    self.emit(i, now, || scope.show(spec, sweep, head));
                    self.scopes.insert((frame.robot, frame.sensor), scope);
                }
                (Topic::Sentences, FrameData::Sentences(sentences), _) => {
                    let frame_id = frames::sensor_frame(model, frame.sensor);
                    for heard in sentences {
                        let header = header(heard.stamp_ns, &frame_id);
                        self.emit(i, now, || Sentence {
                            header,
                            sentence: heard.text.clone(),
                        });
                    }
                }
                // a frame always has the kind of its sensor
                _ => {}
            }
        }
    }

    /// Publishes one output of an acoustic positioning instrument, if the frame contains it.
    fn publish_acoustic(
        &mut self,
        (i, output): (usize, AcousticOutput),
        scene: &Scene,
        (spec, sounds): (&AcousticSpec, &AcousticObservations),
        head: Header,
        now: u64,
    ) {
        if let AcousticOutput::Detections = output {
            self.emit(i, now, || {
                positioning::detections(spec, &scene.beacons, sounds, head)
            });
        } else if let Some(pose) = positioning::pose(output, sounds, &head.frame_id) {
            self.emit(i, now, || pose);
        } else if let Some(range) = positioning::range(spec, output, sounds, &head.frame_id) {
            self.emit(i, now, || range);
        }
    }

    /// Publishes one output of a ping of the sonar `of` (robot, sensor).
    fn publish_ping(
        &mut self,
        i: usize,
        of: (usize, usize),
        part: SonarTopic,
        (spec, ping): (&SonarSpec, &Ping),
        head: Header,
        now: u64,
    ) {
        match part {
            SonarTopic::Projected => self.emit(i, now, || sonar::projected(spec, ping, head)),
            SonarTopic::Raw(beam) => {
                self.emit(i, now, || sonar::raw(spec, ping, beam..beam + 1, head))
            }
            SonarTopic::Samples => self.emit(i, now, || {
                sonar::raw(spec, ping, 0..spec.steering.len(), head)
            }),
            SonarTopic::Detections => self.emit(i, now, || sonar::detections(spec, ping, head)),
            SonarTopic::Ranges => self.emit(i, now, || sonar::ranges(spec, ping, head)),
            SonarTopic::Points => self.emit(i, now, || sonar::points(spec, ping, head)),
            SonarTopic::Display => {
                let mut display = self.displays.remove(&of).unwrap_or_default();
                self.emit(i, now, || display.show(spec, ping, head));
                self.displays.insert(of, display);
            }
            // published in the frame of the sensor, see `look`
            SonarTopic::Bearing | SonarTopic::Sweep => {}
        }
    }

    /// Publishes one output of a camera image.
    fn publish_camera(
        &mut self,
        i: usize,
        form: CameraTopic,
        (spec, picture): (&CameraSpec, &CameraImages),
        head: Header,
        now: u64,
    ) {
        match camera::convert_image(form, spec, picture, head) {
            Some(CameraMessage::Info(info)) => self.emit(i, now, || *info),
            Some(CameraMessage::Raw(image)) => self.emit(i, now, || image),
            Some(CameraMessage::File(file)) => self.emit(i, now, || file),
            None => {}
        }
    }
}

/// Returns the child frame of an odometry sensor: the link itself if the sensor is at the link's
/// origin, otherwise the sensor frame.
fn odometry_frame(scene: &Scene, robot: usize, sensor: usize) -> String {
    let model = &scene.robots[robot];
    let s = &model.sensors[sensor];
    let at_link = s.p_UoS_U == merrow_math::Vec3::zero() && s.R_US == merrow_math::Mat3::identity();
    if at_link {
        frames::link_frame(model, s.link)
    } else {
        frames::sensor_frame(model, sensor)
    }
}
