// Checks that every kind of command moves a robot in the right direction.

#include <algorithm>
#include <cmath>

#include "merrow.hpp"

static const std::string kOdometry = "/bluerov2/odometry";
static const std::string kManager = "/bluerov2/thruster_manager";
constexpr double kGoal_m = 3, kTolerance_m = 0.15;

using Command = void (*)(Merrow&, double);

// Returns the approximate command of each of four thrusters that lift `up_N` newtons together.
static double drive(double up_N) { return std::clamp(up_N / 4 / 35, -1.0, 1.0); }

static CdrWriter& put_all(CdrWriter& out, const std::vector<double>& values) {
  for (double value : values) out.put(value);
  return out;
}

static void command_thrusters(Merrow& merrow, double up_N) {
  for (const char* name : {"t5", "t6", "t7", "t8"}) {
    const auto topic = std::string("/bluerov2/thrusters/") + name + "/command";
    merrow.write(topic, CdrWriter().put(drive(up_N)).bytes());
  }
}

static void command_array(Merrow& merrow, double up_N) {
  const double each = drive(up_N);
  CdrWriter out;
  out.put(uint32_t{0}).put(uint32_t{0}).sequence<double>({0, 0, 0, 0, each, each, each, each});
  merrow.write("/bluerov2/thrusters/command", out.bytes());
}

static void command_wrench(Merrow& merrow, double up_N) {
  CdrWriter out;
  merrow.write(kManager + "/input", put_all(out, {0, 0, up_N, 0, 0, 0}).bytes());
}

static void command_wrench_stamped(Merrow& merrow, double up_N) {
  CdrWriter out;
  out.header("bluerov2/base_link");
  merrow.write(kManager + "/input_stamped", put_all(out, {0, 0, up_N, 0, 0, 0}).bytes());
}

// Moves the vehicle from 1 m to 3 m depth by its pressure sensor, and holds it there.
static void dive(Command command) {
  Merrow merrow("pool", {"--pace", "4"});
  auto *pressure = merrow.listen("/bluerov2/pressure/data"), *odometry = merrow.listen(kOdometry);
  command(merrow, 0);
  std::optional<double> start_s, depth_m;
  double rate = 0, pushed = 0;
  std::vector<std::pair<double, double>> track;  // time [s], depth [m]
  // One cycle per pressure reading: a PD controller with a slow integral.
  const auto control = [&] {
    for (const auto& reading : all<Pressure>(pressure)) {
      const double now_s = 1e-9 * static_cast<double>(reading.header.stamp_ns);
      const double found_m = (reading.pressure - 101325) / 9810;
      if (depth_m) rate += 0.5 * ((found_m - *depth_m) / 0.05 - rate);
      if (!start_s) start_s = now_s;
      depth_m = found_m;
      const double error = kGoal_m - found_m;
      pushed = std::clamp(pushed + 0.05 * error, -5.0, 5.0);
      command(merrow, -60 * error + 90 * rate - pushed);
    }
    for (const auto& o : all<Odometry>(odometry)) {
      track.emplace_back(1e-9 * static_cast<double>(o.header.stamp_ns), -o.position[2]);
    }
    return start_s && !track.empty() && track.back().first > *start_s + 20;
  };
  expect(wait_for(control, 20), "not 20 s of simulated time in 20 s");
  merrow.alive();
  expect(std::abs(track.front().second - 1) < 0.2, "started at " + number(track.front().second) + " m");
  double worst_m = 0;
  size_t held = 0;
  for (const auto& [time_s, depth] : track) {
    if (time_s < *start_s + 15) continue;
    ++held;
    worst_m = std::max(worst_m, std::abs(depth - kGoal_m));
  }
  expect(held > 100 && worst_m < kTolerance_m, number(worst_m) + " m off in the last 5 s");
}

// Returns the velocity in the axes of the vehicle after 100 steps.
static Odometry after_steps(Merrow& merrow, DataReader* odometry) {
  const auto end = merrow.step(100);
  return wait_until<Odometry>(odometry, [&](const auto& o) { return o.header.stamp_ns == end; });
}

// A positive command of each thruster accelerates the vehicle in the direction of the thruster, a
// negative one in the opposite direction.
static void check_each_thruster() {
  const double s = std::sqrt(0.5);
  // forward-left-up: von Benzon et al. 2022, with rotated axes
  const std::pair<const char*, Vector3> directions[] = {
      {"t1", {s, s, 0}}, {"t2", {s, -s, 0}}, {"t3", {-s, s, 0}}, {"t4", {-s, -s, 0}},
      {"t5", {0, 0, 1}}, {"t6", {0, 0, 1}},  {"t7", {0, 0, 1}},  {"t8", {0, 0, 1}},
  };
  Merrow merrow("pool", {"--pace", "lockstep"});
  expect(merrow.facts().thrusters.size() == std::size(directions), "other thrusters");
  auto* odometry = merrow.listen(kOdometry);
  for (const auto& [name, way] : directions) {
    for (double value : {0.6, -0.6}) {
      merrow.must("reset");
      take_all(odometry);
      const auto topic = std::string("/bluerov2/thrusters/") + name + "/command";
      merrow.write(topic, CdrWriter().put(value).bytes());
      const auto v = after_steps(merrow, odometry).linear;
      const double along = v[0] * way[0] + v[1] * way[1] + v[2] * way[2];
      expect(along * value > 0.005, std::string(name) + " at " + number(value) + ": " + number(along) + " m/s along it");
    }
  }
}

// The thruster manager gives force and moment along each axis of the base, with both message types
// and both signs.
static void check_wrench_moves_all_axes() {
  Merrow merrow("pool", {"--pace", "lockstep"});
  auto* odometry = merrow.listen(kOdometry);
  for (size_t axis = 0; axis < 6; ++axis) {
    for (const bool stamped : {false, true}) {
      const double sign = stamped ? -1 : 1;
      merrow.must("reset");
      take_all(odometry);
      std::vector<double> six(6, 0.0);
      six[axis] = sign * (axis < 3 ? 20 : 4);
      CdrWriter out;
      if (stamped) out.header("base_link");
      merrow.write(kManager + (stamped ? "/input_stamped" : "/input"), put_all(out, six).bytes());
      const auto o = after_steps(merrow, odometry);
      const double found = axis < 3 ? o.linear[axis] : o.angular[axis - 3];
      expect(found * sign > 0.01, "axis " + std::to_string(axis) + ": " + number(found));
    }
  }
}

// A joint moves to its command, or at least in that direction.
static void check_joint_command() {
  Merrow merrow("uvms_pool");
  auto* states = merrow.listen("/uvms/joint_states");
  const auto shoulder = [&] {
    const auto state = latest<JointState>(states);
    const auto found = std::find(state.name.begin(), state.name.end(), "shoulder");
    expect(found != state.name.end(), "no shoulder");
    return state.position[static_cast<size_t>(found - state.name.begin())];
  };
  const double before = shoulder();
  for (int i = 0; i < 20; ++i) {
    CdrWriter out;
    out.header("").texts({"shoulder"}).sequence<double>({before + 0.5}).sequence<double>({}).sequence<double>({5.0});
    merrow.write("/uvms/joint_commands", out.bytes());
    sleep_s(0.05);
  }
  const double after = shoulder();
  expect(after > before + 0.05, "from " + number(before) + " to " + number(after));
}

const std::vector<Check> kDriveChecks = {
    {"each_thruster", check_each_thruster},
    {"wrench_moves_all_axes", check_wrench_moves_all_axes},
    {"dive_by_thruster_topics", [] { dive(command_thrusters); }},
    {"dive_by_array", [] { dive(command_array); }},
    {"dive_by_wrench", [] { dive(command_wrench); }},
    {"dive_by_stamped_wrench", [] { dive(command_wrench_stamped); }},
    {"joint_command", check_joint_command},
};
