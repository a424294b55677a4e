// Checks the effects of every service and its reports of rejected requests.

#include <cmath>

#include "merrow.hpp"

static const std::string kRobot = "bluerov2";
static const std::string kOdometry = "/bluerov2/odometry";
constexpr int64_t kStep_ns = 2'000'000;

struct Tick {
  int64_t time_ns;
  static constexpr const char* kType = "rosgraph_msgs/msg/Clock";
  static Tick read(CdrReader& in) { return Tick{in.time_ns()}; }
};

static void check_all_services_available() {
  Merrow merrow("pool");
  expect(merrow.facts().services.size() >= 12, "too few services are known");
  const std::string prefix = "/merrow/";
  for (const auto& [name, type] : merrow.facts().services) {
    if (name.rfind(prefix, 0) == 0) merrow.client(name.substr(prefix.size()));
  }
}

// Time stops, and continues from the same value.
static void check_pause_and_resume() {
  Merrow merrow("pool");
  auto* clock = merrow.listen("/clock");
  latest<Tick>(clock);
  merrow.must("pause");
  sleep_s(0.2);
  const auto before = latest<Tick>(clock).time_ns;
  sleep_s(0.5);
  for (const auto& tick : all<Tick>(clock)) expect(tick.time_ns == before, "time went on");
  merrow.must("pause");
  merrow.must("resume");
  sleep_s(0.5);
  const double passed_s = 1e-9 * (latest<Tick>(clock).time_ns - before);
  expect(passed_s > 0.3 && passed_s < 0.9, number(passed_s) + " s in 0.5 s after the resume");
}

// A paused world makes exactly the requested steps; a running one rejects the request.
static void check_step() {
  Merrow merrow("pool");
  const auto running = merrow.try_step(1);
  expect(!running.success && running.message.find("running") != std::string::npos, "running: " + running.message);
  merrow.must("pause");
  auto time_ns = merrow.step(1);
  for (uint64_t n : {1, 7, 250, 1000}) {
    const auto now = merrow.step(n);
    expect(now == time_ns + static_cast<int64_t>(n) * kStep_ns, std::to_string(n) + " steps to " + std::to_string(now));
    time_ns = now;
  }
  const auto none = merrow.try_step(0);
  expect(!none.success && !none.message.empty(), "0 steps");
  merrow.must("resume");
  expect(!merrow.try_step(1).success, "a resumed world made a step");
}

// Lock-step: steps up to a time publish the readings of that time, and no message is lost.
static void check_lock_step() {
  Merrow merrow("pool", {"--pace", "lockstep"});
  auto *clock = merrow.listen("/clock"), *truth = merrow.listen(kOdometry), *imu = merrow.listen("/bluerov2/imu/data");
  merrow.settle();
  std::vector<Odometry> poses;
  for (int64_t i = 1; i <= 50; ++i) {
    expect(merrow.step(1) == i * kStep_ns, "not one step");
    if (i % 10 != 0) continue;
    poses.push_back(wait_until<Odometry>(truth, [&](const auto& o) { return o.header.stamp_ns == i * kStep_ns; }));
  }
  expect(merrow.step(1000) == 1050 * kStep_ns, "not 1000 steps");
  wait_until<Tick>(clock, [](const Tick& tick) { return tick.time_ns == 1050 * kStep_ns; });
  sleep_s(0.2);
  const auto gaps = [](int64_t first, const auto& messages, int64_t period_ns) {
    int64_t due = first;
    for (const auto& m : messages) {
      expect(m.header.stamp_ns == due, "expected a message of " + std::to_string(due) + " ns");
      due += period_ns;
    }
  };
  const auto later = all<Odometry>(truth);
  expect(later.size() == 100, std::to_string(later.size()) + " poses");
  gaps(60 * kStep_ns, later, 20'000'000);
  const auto readings = all<Imu>(imu);
  expect(readings.size() >= 200, std::to_string(readings.size()) + " IMU readings");
  gaps(readings.front().header.stamp_ns, readings, 10'000'000);
}

// During a request of many steps the node continues to serve; a pause ends it, and the reply
// reports the steps made.
static void check_pause_ends_a_step() {
  Merrow merrow("pool", {"--pace", "lockstep"});
  auto& client = merrow.client("step");
  merrow.client("pause");
  merrow.step(1);
  const auto pending = client.send(CdrWriter().put(uint64_t{1'000'000'000}).bytes());
  expect(!client.receive(pending, 0.3), "a thousand million steps in 0.3 s");
  expect(merrow.get("publish_truth_tf") == Value::of(true), "no parameter while steps are made");
  merrow.must("pause");
  const auto reply = client.receive(pending);
  expect(reply.has_value(), "no answer to the step request");
  CdrReader in(*reply);
  const auto response = read_response(in);
  const auto time_ns = in.time_ns();
  expect(!response.success, "success without all steps");
  const auto made = std::to_string(time_ns / kStep_ns - 1);
  expect(response.message == "paused after " + made + " of 1000000000 steps", response.message + ", but " + made + " were made");
}

// Time and pose return to the start, and the world continues.
static void check_reset() {
  Merrow merrow("pool", {"--pace", "lockstep"});
  auto* truth = merrow.listen(kOdometry);
  const auto after_ten_steps = [&] {
    expect(merrow.step(10) == 10 * kStep_ns, "not at the start");
    return wait_until<Odometry>(truth, [](const auto& o) { return o.header.stamp_ns == 10 * kStep_ns; });
  };
  const auto first = after_ten_steps();
  expect(merrow.set_pose(kRobot, {3, 4, -2}).success, "set_pose");
  merrow.step(500);
  merrow.must("reset");
  sleep_s(0.2);
  take_all(truth);
  const auto again = after_ten_steps();
  const bool same = again.position == first.position && again.orientation == first.orientation &&
                    again.linear == first.linear && again.angular == first.angular;
  expect(same, "another start");
}

// A robot is at the requested pose; invalid requests are rejected with a reason and cause no
// motion.
static void check_set_pose() {
  Merrow merrow("pool", {"--pace", "lockstep"});
  auto* truth = merrow.listen(kOdometry);
  const double half = std::sqrt(0.5), nan = std::nan("");
  expect(merrow.set_pose(kRobot, {1, -2, -3}, {0, 0, half, half}, {0.5, 0, 0}).success, "set_pose");
  merrow.step(10);
  const auto there = wait_until<Odometry>(truth, [](const auto& o) { return o.header.stamp_ns == 10 * kStep_ns; });
  const auto off = [](const Vector3& a, const Vector3& b) {
    return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
  };
  expect(off(there.position, {1, -2, -3}) < 0.02, "not where it was put");
  expect(there.position[1] > -2 + 0.005, "facing north at 0.5 m/s, but not moving north");
  struct {
    const char* why;
    Response response;
  } const refused[] = {
      {"robot", merrow.set_pose("nobody", {0, 0, -1})},
      {"finite", merrow.set_pose(kRobot, {nan, 0, -1})},
      {"finite", merrow.set_pose(kRobot, {0, INFINITY, -1})},
      {"finite", merrow.set_pose(kRobot, {0, 0, -1}, {0, 0, 0, 1}, {nan, 0, 0})},
      {"quaternion", merrow.set_pose(kRobot, {0, 0, -1}, {0, 0, 0, 2})},
      {"quaternion", merrow.set_pose(kRobot, {0, 0, -1}, {0, 0, 0, 0})},
  };
  for (const auto& [why, response] : refused) {
    expect(!response.success && response.message.find(why) != std::string::npos, std::string(why) + ": " + response.message);
  }
  merrow.step(10);
  const auto after = wait_until<Odometry>(truth, [](const auto& o) { return o.header.stamp_ns == 20 * kStep_ns; });
  expect(off(after.position, there.position) < 0.03, "moved by a refused command");
}

// A part of the run is recorded in a bag; an impossible recording is rejected.
static void check_record() {
  Merrow merrow("pool", {"--allow-paths", "--pace", "lockstep"});
  const auto nothing = merrow.record("");
  expect(!nothing.success && !nothing.message.empty(), "stopped a recording that was not running");
  const auto nowhere = merrow.record("/proc/nowhere/bag.mcap");
  expect(!nowhere.success && !nowhere.message.empty(), "recorded nowhere");
  std::filesystem::create_directory(merrow.folder() / "bags");
  const auto begun = merrow.record((merrow.folder() / "bags" / "first.mcap").string());
  expect(begun.success, begun.message);
  const auto twice = merrow.record((merrow.folder() / "second.mcap").string());
  expect(!twice.success && !twice.message.empty(), "recorded twice");
  merrow.step(1000);
  const auto done = merrow.record("");
  expect(done.success && std::stoi(done.message) > 500, done.message);
  int bags = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(merrow.folder())) {
    if (entry.path().extension() != ".mcap") continue;
    ++bags;
    expect(entry.file_size() > 50'000, std::to_string(entry.file_size()) + " bytes in the bag");
  }
  expect(bags == 1, std::to_string(bags) + " bags");
}

const std::vector<Check> kServiceChecks = {
    {"all_services_available", check_all_services_available},
    {"pause_and_resume", check_pause_and_resume},
    {"step", check_step},
    {"lock_step", check_lock_step},
    {"pause_ends_a_step", check_pause_ends_a_step},
    {"reset", check_reset},
    {"set_pose", check_set_pose},
    {"record", check_record},
};
