// Checks that every topic of a world exists, has its rate, and has plausible content.

#include <cmath>
#include <set>

#include "merrow.hpp"

constexpr double kWindow_s = 4.3;
constexpr double kGravity = 9.81;
constexpr double kAir_Pa = 101325;
constexpr double kPoolDepth_m = 5;

// The messages of every topic of a world during a run.
struct Observation {
  std::map<std::string, std::vector<Bytes>> messages;
  double window_s = 0;

  const std::vector<Bytes>& raw(const std::string& topic) const {
    const auto found = messages.find(topic);
    expect(found != messages.end() && !found->second.empty(), "no message arrived on " + topic);
    return found->second;
  }
  template <class Message>
  std::vector<Message> of(const std::string& topic) const {
    return decode_all<Message>(raw(topic));
  }
};

static Observation observe(const std::string& world) {
  Merrow merrow(world);
  Observation seen;
  std::map<std::string, DataReader*> readers;
  for (const auto& topic : merrow.facts().published) readers[topic.name] = merrow.listen(topic.name, "", topic.latched);
  merrow.settle();
  for (const auto& topic : merrow.facts().published) {
    if (!topic.latched) take_all(readers[topic.name]);
  }
  const auto begin = Clock::now();
  const auto collect = [&] {
    for (auto& [topic, reader] : readers) {
      for (auto& bytes : take_all(reader)) seen.messages[topic].push_back(std::move(bytes));
    }
    seen.window_s = std::chrono::duration<double>(Clock::now() - begin).count();
    return seen.window_s > kWindow_s;
  };
  wait_for(collect, kWindow_s + 1);
  merrow.alive();
  return seen;
}

// Each world is observed once; its checks share the messages.
static const Observation& observation(const std::string& world) {
  static std::map<std::string, Observation> known;
  if (known.find(world) == known.end()) known[world] = observe(world);
  return known[world];
}

template <class Message>
static std::vector<Message> of_pool(const std::string& topic) {
  return observation("pool").of<Message>("/bluerov2/" + topic);
}

// A receiver under water has no fix and no velocity.
static bool is_silent(const std::string& topic) { return topic == "/bluerov2/gps/vel"; }

static bool near(double a, double b, double tolerance) { return std::abs(a - b) < tolerance; }

static bool is_unit(const Quaternion& q) {
  return near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-9);
}

static double norm(const Vector3& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// Rates refer to simulated time; messages of slow topics are counted.
static void check_rates(const std::string& world) {
  const auto& seen = observation(world);
  for (const auto& topic : facts_of(world).published) {
    if (is_silent(topic.name)) continue;
    const auto& found = seen.raw(topic.name);
    if (topic.rate_hz == 0) continue;
    if (topic.rate_hz < 2) {
      const bool about_right = found.size() >= 3 && found.size() <= 7;
      expect(about_right, topic.name + ": " + std::to_string(found.size()) + " in " + number(seen.window_s) + " s");
      continue;
    }
    const double span_s = 1e-9 * (stamp_of(topic.type, found.back()) - stamp_of(topic.type, found.front()));
    expect(span_s > 3, topic.name + ": " + number(span_s) + " s of messages");
    const double rate = static_cast<double>(found.size() - 1) / span_s;
    // A DVL pings at most at its rate and waits for the echoes; without bottom lock it has no twist.
    const double low = topic.name.find("/dvl/") != std::string::npos ? 0.3 : 0.9;
    const bool right = low < rate / topic.rate_hz && rate / topic.rate_hz < 1.1;
    expect(right, topic.name + ": " + number(rate) + " Hz, expected " + number(topic.rate_hz));
  }
  const std::string clock = "rosgraph_msgs/msg/Clock";
  const auto& ticks = seen.raw("/clock");
  const double passed_s = 1e-9 * (stamp_of(clock, ticks.back()) - stamp_of(clock, ticks.front()));
  expect(near(passed_s / seen.window_s, 1, 0.15), "the clock: " + number(passed_s) + " s in " + number(seen.window_s));
}

// Stamps increase and are multiples of the step.
static void check_stamps(const std::string& world) {
  const auto& facts = facts_of(world);
  for (const auto& topic : facts.published) {
    if (is_silent(topic.name)) continue;
    if (topic.latched) continue;
    int64_t last = -1;
    for (const auto& bytes : observation(world).raw(topic.name)) {
      const auto stamp = stamp_of(topic.type, bytes);
      expect(stamp % facts.step_ns == 0, topic.name + ": " + std::to_string(stamp) + " ns is no multiple of the step");
      // Clock and diagnostics are also published while time is stopped.
      const bool may_stand = topic.name == "/clock" || topic.name == "/diagnostics";
      expect(stamp > last || (may_stand && stamp == last), topic.name + ": stamps do not rise");
      last = stamp;
    }
  }
}

static std::string frame_of(const Bytes& bytes) {
  CdrReader in(bytes);
  in.time_ns();
  return in.text();
}

// Sensors use their frames; the tree of frames agrees with `describe`, and each frame has one
// parent.
static void check_frames(const std::string& world) {
  const auto& facts = facts_of(world);
  const auto& seen = observation(world);
  for (const auto& sensor : facts.sensors) {
    const auto name = "/" + sensor.robot + "/" + sensor.name;
    const auto expected = sensor.kind == "odometry" ? "world" : name.substr(1);
    int topics = 0;
    for (const auto& topic : facts.published) {
      if (is_silent(topic.name)) continue;
      if (topic.name != name && topic.name.rfind(name + "/", 0) != 0) continue;
      ++topics;
      for (const auto& bytes : seen.raw(topic.name)) {
        // The data of a DVL is in the frame of its transducers.
        const bool acoustic = sensor.kind == "dvl" && topic.name == name + "/data";
        const bool in_world = (sensor.kind == "pressure" && topic.name == name + "/pose") ||
                              (sensor.kind == "gnss" && topic.name == name + "/vel");
        const auto frame = in_world ? "world" : expected + (acoustic ? "_acoustic" : "");
        expect(frame_of(bytes) == frame, topic.name + ": frame " + frame_of(bytes) + ", expected " + frame);
      }
    }
    expect(topics > 0, name + " has no topic");
  }
  std::set<std::array<std::string, 3>> edges, expected(facts.frames.begin(), facts.frames.end());
  std::set<std::string> children;
  for (const auto& [topic, kind] : {std::pair{"/tf", "moves"}, std::pair{"/tf_static", "fixed"}}) {
    for (const auto& list : seen.of<TransformList>(topic)) {
      for (const auto& t : list.transforms) {
        expect(is_unit(t.rotation), t.child + ": no unit quaternion");
        if (edges.insert({t.header.frame, t.child, kind}).second) {
          expect(children.insert(t.child).second, t.child + " has two parents");
        }
      }
    }
  }
  expect(edges == expected, std::to_string(edges.size()) + " frames are not those " + std::to_string(expected.size()) +
                                " of describe");
}

static void check_diagnostics(const std::string& world) {
  const auto& facts = facts_of(world);
  for (const auto& report : observation(world).of<Diagnostics>("/diagnostics")) {
    const auto value = [&](const std::string& status, const std::string& key) {
      const auto found = report.status.find(status);
      expect(found != report.status.end(), "no status " + status);
      const auto entry = found->second.values.find(key);
      expect(entry != found->second.values.end(), status + " has no " + key);
      return std::stod(entry->second);
    };
    expect(value("merrow: run", "overruns") >= 0, "overruns");
    expect(value("merrow: run", "dropped messages") == 0, "messages were dropped");
    expect(value("merrow: run", "refused requests") == 0, "requests were refused");
    for (const auto& [robot, thruster] : facts.thrusters) {
      expect(value(robot + ": commands", "refused commands") == 0, "commands were refused");
      expect(value(robot + ": battery", "current [A]") > 0, "the battery gives no current");
      const auto temperature = value(robot + ": thruster " + thruster, "temperature [deg C]");
      expect(temperature > 0 && temperature < 60, thruster + " at " + number(temperature) + " deg C");
    }
  }
}

// The accelerometer of a floating vehicle measures the support against gravity, upwards.
static void check_imu(const std::string& topic, const std::string& world) {
  const auto messages = observation(world).of<Imu>(topic);
  double up = 0;
  for (const auto& m : messages) {
    up += m.linear_acceleration[2] / static_cast<double>(messages.size());
    expect(std::abs(m.linear_acceleration[0]) < 1.5, "surge " + number(m.linear_acceleration[0]));
    expect(m.orientation_covariance[0] != 0, "an orientation without covariance");
    for (const auto& c : {m.angular_velocity_covariance, m.linear_acceleration_covariance}) {
      for (size_t i = 0; i < 9; ++i) expect(i % 4 == 0 ? c[i] > 0 && c[i] < 1 : c[i] == 0, "covariance");
    }
  }
  expect(near(up, kGravity, 0.3), number(up) + " m/s2 upwards");
}

static void check_odometry() {
  const auto messages = of_pool<Odometry>("odometry");
  double w = 0;
  for (const auto& m : messages) {
    expect(m.child == "bluerov2/base_link", m.child);
    expect(is_unit(m.orientation), "no unit quaternion");
    expect(m.pose_covariance[0] > 0 && m.twist_covariance[35] > 0, "no covariance");
    w += m.linear[2] / static_cast<double>(messages.size());
  }
  const auto &first = messages.front(), &last = messages.back();
  const double span_s = 1e-9 * (last.header.stamp_ns - first.header.stamp_ns);
  const double off = last.position[2] - first.position[2] - w * span_s;
  expect(std::abs(off) < 0.02, "velocity and position disagree by " + number(off) + " m");
}

// Returns the height of the vehicle at a time, from the nearest odometry.
static double height_at(int64_t stamp_ns) {
  static const auto truth = of_pool<Odometry>("odometry");
  const Odometry* nearest = &truth.front();
  for (const auto& each : truth) {
    if (std::abs(each.header.stamp_ns - stamp_ns) < std::abs(nearest->header.stamp_ns - stamp_ns)) nearest = &each;
  }
  return nearest->position[2];
}

static void check_dvl() {
  const auto messages = of_pool<Dvl>("dvl/data");
  std::map<int64_t, Dvl> by_time;
  size_t locked = 0;
  for (const auto& m : messages) {
    by_time[m.header.stamp_ns] = m;
    for (const auto& v : m.beam_unit_vec) expect(near(norm(v), 1, 1e-6) && v[2] > 0.8, "a beam that looks elsewhere");
    const double altitude = kPoolDepth_m + height_at(m.header.stamp_ns) + 0.08;
    if (std::isfinite(m.altitude)) expect(near(m.altitude, altitude, 0.2), "altitude " + number(m.altitude));
    expect(m.velocity_mode == 1 || m.velocity_mode == 2, "velocity mode");
    expect(near(m.sound_speed, 1482, 1), "speed of sound " + number(m.sound_speed));
    if (m.velocity_covar[0] <= 0) continue;
    ++locked;
    expect(std::abs(m.velocity[0]) < 0.3 && m.num_good_beams >= 3, "velocity " + number(m.velocity[0]));
    for (double range : m.range) {
      if (std::isfinite(range)) expect(range > 0.9 * altitude && range < 1.5 * altitude, "range " + number(range));
    }
  }
  expect(locked > 0.6 * static_cast<double>(messages.size()), std::to_string(locked) + " pings with bottom lock");
  size_t both = 0;
  for (const auto& twist : of_pool<Twist>("dvl/twist")) {
    expect(twist.covariance[0] > 0 && twist.covariance[35] > 0, "a twist without covariance");
    const auto ping = by_time.find(twist.header.stamp_ns);
    if (ping == by_time.end()) continue;
    ++both;
    // The frame of the transducers is turned by 180 deg about x.
    const auto& v = ping->second.velocity;
    expect(twist.linear == Vector3{v[0], -v[1], -v[2]}, "twist and ping differ by more than their frames");
  }
  expect(both > 10, "no twist goes with a ping");
}

static void check_pressure() {
  for (const auto& m : of_pool<Pressure>("pressure/data")) {
    const double depth = -height_at(m.header.stamp_ns) - 0.02, found = (m.pressure - kAir_Pa) / (1000 * kGravity);
    expect(near(found, depth, 0.06), "it says " + number(found) + " m, the truth is " + number(depth));
    expect(m.variance > 0, "no variance");
  }
}

static void check_altimeter() {
  for (const auto& m : of_pool<Range>("altimeter/range")) {
    const double expected = kPoolDepth_m + height_at(m.header.stamp_ns) - 0.1;
    expect(near(m.range, expected, 0.25), number(m.range) + " m, expected " + number(expected));
    const bool sane = m.radiation_type == 0 && m.min < m.range && m.range < m.max && m.field_of_view > 0;
    expect(sane, "limits of the range");
  }
}

static void check_magnetometer() {
  for (const auto& m : of_pool<MagneticField>("magnetometer/data")) {
    expect(norm(m.field) > 2e-5 && norm(m.field) < 7e-5, "a field of " + number(norm(m.field) * 1e6) + " uT");
    expect(m.covariance[0] > 0, "no covariance");
  }
}

// Under water there is no position, and the message reports it.
static void check_gps_under_water() {
  for (const auto& m : of_pool<Fix>("gps/fix")) {
    expect(m.status == -1, "status " + std::to_string(m.status));
    expect(std::isnan(m.latitude) && std::isnan(m.longitude) && std::isnan(m.altitude), "a position under water");
  }
}

// A receiver at the surface has a fix after its acquisition time.
static void check_gps_at_the_surface() {
  Merrow merrow("pool", {"--pace", "5"});
  auto* reader = merrow.listen("/bluerov2/gps/fix");
  std::optional<Fix> fix;
  wait_for(
      [&] {
        // It sinks or capsizes slowly: reset its pose until there is a fix.
        expect(merrow.set_pose("bluerov2", {0, 0, 0}).success, "set_pose");
        for (const auto& each : all<Fix>(reader)) {
          if (each.status >= 0) fix = each;
        }
        return fix.has_value();
      },
      15);
  expect(fix.has_value(), "no fix within 15 s");
  const bool finite = std::isfinite(fix->latitude) && std::isfinite(fix->longitude) && std::isfinite(fix->altitude);
  expect(finite, "no position");
  expect(fix->covariance_type == 2 && fix->covariance[0] > 0 && fix->covariance[0] < 1, "covariance");
}

static void check_battery() {
  for (const auto& m : of_pool<Battery>("battery_state")) {
    expect(m.voltage > 12 && m.voltage < 17 && m.current < 0, number(m.voltage) + " V, " + number(m.current) + " A");
    expect(m.percentage > 0.9 && m.percentage <= 1 && m.present, "charge " + number(m.percentage));
    expect(m.design_capacity == 18 && m.status == 2, "capacity " + number(m.design_capacity));
  }
}

// The description reaches late subscribers and names the links of the tree.
static void check_description(const std::string& world, const std::string& robot) {
  CdrReader in(observation(world).raw("/" + robot + "/robot_description").front());
  const auto urdf = in.text();
  expect(urdf.find("<robot") != std::string::npos && urdf.find("</robot>") != std::string::npos, "no URDF");
  expect(urdf.find("base_link\"") != std::string::npos, "no link base_link");
  for (const auto& [owner, joint] : facts_of(world).joints) {
    expect(urdf.find("\"" + joint + "\"") != std::string::npos, "no joint " + joint);
  }
}

static void check_joint_states() {
  const std::map<std::string, double> start = {{"base", 0.0309}, {"shoulder", 0.0775}, {"elbow", 0.0274},
                                               {"wrist", -1.269}};
  std::vector<std::string> names;
  for (const auto& [robot, joint] : facts_of("uvms_pool").joints) names.push_back(joint);
  for (const auto& m : observation("uvms_pool").of<JointState>("/uvms/joint_states")) {
    expect(m.name == names, "names of the joints");
    for (const auto* values : {&m.position, &m.velocity, &m.effort}) {
      expect(values->size() == names.size(), "as many values as joints");
      for (double value : *values) expect(std::isfinite(value), "a joint that is not finite");
    }
    for (size_t i = 0; i < names.size(); ++i) {
      const auto known = start.find(names[i]);
      if (known != start.end()) expect(near(m.position[i], known->second, 0.7), names[i] + number(m.position[i]));
    }
  }
}

static void every_topic_comes(const std::string& world) {
  for (const auto& topic : facts_of(world).published) {
    if (!is_silent(topic.name)) observation(world).raw(topic.name);
  }
}

const std::vector<Check> kTopicChecks = {
    {"every_topic_of_the_pool", [] { every_topic_comes("pool"); }},
    {"rates_of_the_pool", [] { check_rates("pool"); }},
    {"stamps_of_the_pool", [] { check_stamps("pool"); }},
    {"frames_of_the_pool", [] { check_frames("pool"); }},
    {"imu", [] { check_imu("/bluerov2/imu/data", "pool"); }},
    {"odometry", check_odometry},
    {"dvl", check_dvl},
    {"pressure", check_pressure},
    {"altimeter", check_altimeter},
    {"magnetometer", check_magnetometer},
    {"gps_under_water", check_gps_under_water},
    {"gps_at_the_surface", check_gps_at_the_surface},
    {"battery", check_battery},
    {"description", [] { check_description("pool", "bluerov2"); }},
    {"diagnostics", [] { check_diagnostics("pool"); }},
    {"every_topic_of_an_arm", [] { every_topic_comes("uvms_pool"); }},
    {"rates_of_an_arm", [] { check_rates("uvms_pool"); }},
    {"stamps_of_an_arm", [] { check_stamps("uvms_pool"); }},
    {"frames_of_an_arm", [] { check_frames("uvms_pool"); }},
    {"imu_of_an_arm", [] { check_imu("/uvms/imu/data", "uvms_pool"); }},
    {"joint_states", check_joint_states},
    {"description_of_an_arm", [] { check_description("uvms_pool", "uvms"); }},
    {"diagnostics_of_an_arm", [] { check_diagnostics("uvms_pool"); }},
};
