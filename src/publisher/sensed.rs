//! Publishing of sensor data: readings and frames, on each topic of the sensor.

use crate::convert;
use crate::convert::camera;
use crate::convert::camera::{Form, Shown};
use crate::convert::exteroceptive;
use crate::convert::exteroceptive::Topic;
use crate::convert::header;
use crate::convert::instruments;
use crate::convert::navigation;
use crate::convert::obstacles;
use crate::convert::positioning;
use crate::convert::profile;
use crate::convert::sonar;
use crate::convert::sonar::Part;
use crate::node::frames;
use crate::publisher::Worker;
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::Looks;
use merrow_model::scene::sensor::acoustic::{AcousticSpec, Output};
use merrow_model::scene::sensor::camera::CameraSpec;
use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::state::frames::acoustic::Sounds;
use merrow_model::state::frames::ping::Ping;
use merrow_model::state::frames::{Frame, FrameData, Picture};
use merrow_model::state::reading::{Reading, Stamped};
use merrow_ros2::msg::geometry_msgs::TwistWithCovarianceStamped;
use merrow_ros2::msg::nmea_msgs::Sentence;
use merrow_ros2::msg::sensor_msgs::LaserScan;
use merrow_ros2::msg::std_msgs::Header;

impl Worker {
    /// Publishes the reading of a sensor that is not exteroceptive.
    pub(crate) fn reading(
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
                for n in 0..instruments::parts(&sensor.kind).len() {
                    self.emit_bytes(i + n, now, || {
                        instruments::encode(sensor, n, reading, head())
                    });
                }
            }
        }
    }

    /// Publishes a frame of an exteroceptive sensor on each of its topics that has subscribers or
    /// is recorded.
    pub(crate) fn look(&mut self, scene: &Scene, frame: &Frame, now: u64) {
        let model = &scene.robots[frame.robot];
        let sensor = &model.sensors[frame.sensor];
        let Some(with) = sensor.kind.looks() else {
            return;
        };
        let first = self.sensor_outputs[frame.robot][frame.sensor];
        for (n, (_, _, topic)) in exteroceptive::topics(with).into_iter().enumerate() {
            let i = first + n;
            if !self.is_wanted(i) {
                continue;
            }
            let head = |frame_id: &str| header(frame.stamp_ns, frame_id);
            match (topic, &*frame.data, &**with) {
                (Topic::Scan, FrameData::Scan(scan), Looks::Laser(spec)) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || {
                        exteroceptive::laser_scan(spec, sensor.rate, scan, head)
                    });
                }
                (Topic::Swept, FrameData::Scan(scan), Looks::Laser(spec)) => {
                    let about = sensor.stamps_about(frame.stamp_ns, scene.dt_ns);
                    let swept = self.swept.entry((frame.robot, frame.sensor)).or_default();
                    if let Some((stamp_ns, points)) = swept.add(spec, scan, frame.stamp_ns, about) {
                        let head = header(stamp_ns, &frames::mount_frame(model, frame.sensor));
                        self.emit(i, now, || exteroceptive::point_cloud(&points, head));
                    }
                }
                (Topic::Cloud, FrameData::Cloud(points), _) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || exteroceptive::point_cloud(points, head));
                }
                (Topic::Camera(form), FrameData::Picture(picture), Looks::Camera(spec)) => {
                    let head = head(&frames::optical_frame(model, frame.sensor));
                    self.picture(i, form, (spec, picture), head, now);
                }
                (Topic::Sonar(Part::Bearing), FrameData::Ping(ping), Looks::Sonar(spec)) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || profile::bearing(spec, ping, sensor.rate, head));
                }
                (Topic::Sonar(Part::Sweep), FrameData::Ping(ping), Looks::Sonar(spec)) => {
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
                (Topic::Sonar(part), FrameData::Ping(ping), Looks::Sonar(spec)) => {
                    let head = head(&frames::acoustic_frame(model, frame.sensor));
                    self.ping(
                        i,
                        (frame.robot, frame.sensor),
                        part,
                        (spec, ping),
                        head,
                        now,
                    );
                }
                (Topic::Sounds(output), FrameData::Sounds(sounds), Looks::Acoustic(spec)) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.sounds((i, output), scene, (spec, sounds), head, now);
                }
                (
                    Topic::Boxes,
                    FrameData::Boxes(_) | FrameData::Echoes(_),
                    Looks::Obstacles(spec),
                ) => {
                    let gathered;
                    let found = match &*frame.data {
                        FrameData::Boxes(found) => found,
                        FrameData::Echoes(heard) => {
                            let before = self
                                .gathered
                                .entry((frame.robot, frame.sensor))
                                .or_default();
                            gathered = before.add(spec, sensor.stream, heard, frame.stamp_ns);
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
                (Topic::Sweep, FrameData::Sweep(sweep), Looks::Radar(spec)) => {
                    let head = head(&frames::sensor_frame(model, frame.sensor));
                    self.emit(i, now, || exteroceptive::radar_sector(spec, sweep, head));
                }
                (Topic::Scope, FrameData::Sweep(sweep), Looks::Radar(spec)) => {
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
    fn sounds(
        &mut self,
        (i, output): (usize, Output),
        scene: &Scene,
        (spec, sounds): (&AcousticSpec, &Sounds),
        head: Header,
        now: u64,
    ) {
        if let Output::Detections = output {
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
    fn ping(
        &mut self,
        i: usize,
        of: (usize, usize),
        part: Part,
        (spec, ping): (&SonarSpec, &Ping),
        head: Header,
        now: u64,
    ) {
        match part {
            Part::Projected => self.emit(i, now, || sonar::projected(spec, ping, head)),
            Part::Raw(beam) => self.emit(i, now, || sonar::raw(spec, ping, beam..beam + 1, head)),
            Part::Samples => self.emit(i, now, || {
                sonar::raw(spec, ping, 0..spec.steering.len(), head)
            }),
            Part::Detections => self.emit(i, now, || sonar::detections(spec, ping, head)),
            Part::Ranges => self.emit(i, now, || sonar::ranges(spec, ping, head)),
            Part::Points => self.emit(i, now, || sonar::points(spec, ping, head)),
            Part::Display => {
                let mut display = self.displays.remove(&of).unwrap_or_default();
                self.emit(i, now, || display.show(spec, ping, head));
                self.displays.insert(of, display);
            }
            // published in the frame of the sensor, see `look`
            Part::Bearing | Part::Sweep => {}
        }
    }

    /// Publishes one output of a camera image.
    fn picture(
        &mut self,
        i: usize,
        form: Form,
        (spec, picture): (&CameraSpec, &Picture),
        head: Header,
        now: u64,
    ) {
        match camera::show(form, spec, picture, head) {
            Some(Shown::Info(info)) => self.emit(i, now, || *info),
            Some(Shown::Raw(image)) => self.emit(i, now, || image),
            Some(Shown::File(file)) => self.emit(i, now, || file),
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
