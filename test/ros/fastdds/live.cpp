// Checks a `merrow run pool` process from Fast DDS, as rmw_fastrtps would use it: started by run.sh.
//
//     fastdds_live DOMAIN
//
// Each check prints one line; the exit code is 1 if one failed. Built by build.sh. Messages are read at the offsets
// that CDR gives them, from the definitions of sensor_msgs, nav_msgs and std_srvs.

#include "peer.hpp"

#include <cmath>

constexpr double kGravity = 9.81;
constexpr size_t kHeader = 4;

template <class T>
T at(const Bytes& bytes, size_t offset) {
  T value{};
  if (bytes.size() >= kHeader + offset + sizeof(T)) std::memcpy(&value, bytes.data() + kHeader + offset, sizeof(T));
  return value;
}

std::string text_at(const Bytes& bytes, size_t offset) {
  const auto length = at<uint32_t>(bytes, offset);
  if (length == 0 || bytes.size() < kHeader + offset + 4 + length) return "";
  const auto* begin = reinterpret_cast<const char*>(bytes.data()) + kHeader + offset + 4;
  return {begin, begin + length - 1};
}

Bytes encode_double(double value) {
  Bytes bytes = {0, 1, 0, 0};
  bytes.resize(kHeader + sizeof value);
  std::memcpy(bytes.data() + kHeader, &value, sizeof value);
  return bytes;
}

int64_t stamp_ns(const Bytes& bytes) {
  return int64_t{at<int32_t>(bytes, 0)} * 1'000'000'000 + at<uint32_t>(bytes, 4);
}

// The newest of all samples that have come, or that come soon.
std::optional<Sample> newest(DataReader* reader) {
  auto sample = take(reader);
  while (auto next = take(reader, 0.02)) sample = next;
  return sample;
}

// Sensors, frames and the description are there, for readers of their types.
bool check_topics_are_seen(uint32_t domain) {
  Peer peer(domain);
  const std::pair<const char*, const char*> topics[] = {
      {"clock", "rosgraph_msgs::msg::dds_::Clock_"},
      {"tf", "tf2_msgs::msg::dds_::TFMessage_"},
      {"tf_static", "tf2_msgs::msg::dds_::TFMessage_"},
      {"diagnostics", "diagnostic_msgs::msg::dds_::DiagnosticArray_"},
      {"bluerov2/imu/data", "sensor_msgs::msg::dds_::Imu_"},
      {"bluerov2/dvl/data", "marine_acoustic_msgs::msg::dds_::Dvl_"},
      {"bluerov2/pressure/data", "sensor_msgs::msg::dds_::FluidPressure_"},
      {"bluerov2/gps/fix", "sensor_msgs::msg::dds_::NavSatFix_"},
      {"bluerov2/odometry", "nav_msgs::msg::dds_::Odometry_"},
      {"bluerov2/battery_state", "sensor_msgs::msg::dds_::BatteryState_"},
      {"bluerov2/robot_description", kText.c_str()},
  };
  for (const auto& [topic, type] : topics) {
    auto* reader = peer.reader(std::string("rt/") + topic, type);
    if (!wait_for([&, r = reader] { return is_matched(r); })) {
      std::cout << "nobody publishes " << topic << std::endl;
      return false;
    }
  }
  return true;
}

// The IMU reports gravity upwards, 100 times a simulated second, to reliable and best-effort readers.
bool check_imu(uint32_t domain) {
  for (bool reliable : {true, false}) {
    Peer peer(domain);
    auto* reader = peer.reader("rt/bluerov2/imu/data", "sensor_msgs::msg::dds_::Imu_", reliable);
    int64_t last = 0;
    for (int i = 0; i < 150; ++i) {
      const auto sample = take(reader);
      if (!sample || text_at(sample->bytes, 8) != "bluerov2/imu") return false;
      if (std::abs(at<double>(sample->bytes, 248) - kGravity) > 1) return false;
      const int64_t now = stamp_ns(sample->bytes);
      if (reliable && i > 0 && now - last != 10'000'000) return false;
      last = now;
    }
  }
  return true;
}

// The vertical thrusters lift the vehicle, each by its own topic.
bool check_thrusters(uint32_t domain) {
  Peer peer(domain);
  auto* odometry = peer.reader("rt/bluerov2/odometry", "nav_msgs::msg::dds_::Odometry_");
  std::vector<DataWriter*> writers;
  for (const char* name : {"t5", "t6", "t7", "t8"}) {
    const auto topic = std::string("rt/bluerov2/thrusters/") + name + "/command";
    writers.push_back(peer.writer(topic, "std_msgs::msg::dds_::Float64_"));
  }
  if (!wait_for([&] {
        for (auto* writer : writers) {
          if (!is_matched(writer)) return false;
        }
        return is_matched(odometry);
      })) {
    return false;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  for (double command : {-0.5, 0.5}) {
    for (int i = 0; i < 15; ++i) {
      for (auto* writer : writers) {
        Bytes bytes = encode_double(command);
        writer->write(&bytes);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const auto sample = newest(odometry);
    if (!sample || text_at(sample->bytes, 8) != "world") return false;
    if (text_at(sample->bytes, 20) != "bluerov2/base_link") return false;
    const auto upwards = at<double>(sample->bytes, 408);
    if (upwards * command < 0.02) {
      std::cout << "at " << command << ": " << upwards << " m/s upwards" << std::endl;
      return false;
    }
  }
  return true;
}

// Pause stops the clock, a step moves it by that much, resume lets it go; what makes no sense is refused.
bool check_services(uint32_t domain) {
  Peer peer(domain);
  const std::string trigger = "std_srvs::srv::dds_::Trigger";
  Client pause(peer, "/merrow/pause", trigger), resume(peer, "/merrow/resume", trigger);
  Client step(peer, "/merrow/step", "merrow::srv::dds_::StepSimulation");
  if (!pause.wait() || !resume.wait() || !step.wait()) return false;
  auto call = [](Client& client, Bytes request) { return client.receive(client.send(std::move(request))); };
  auto steps = [&](uint64_t n) {
    Bytes request = {0, 1, 0, 0};
    request.resize(kHeader + sizeof n);
    std::memcpy(request.data() + kHeader, &n, sizeof n);
    return call(step, request);
  };
  const auto running = steps(1);
  if (!running || at<uint8_t>(*running, 0) != 0 || text_at(*running, 4).empty()) return false;
  const auto paused = call(pause, {0, 1, 0, 0, 0});
  if (!paused || at<uint8_t>(*paused, 0) != 1) return false;
  // success, an empty message, the time
  auto time_of = [](const Bytes& reply) {
    return int64_t{at<int32_t>(reply, 12)} * 1'000'000'000 + at<uint32_t>(reply, 16);
  };
  const auto first = steps(1), second = steps(500);
  if (!first || !second || time_of(*second) - time_of(*first) != 1'000'000'000) return false;
  const auto resumed = call(resume, {0, 1, 0, 0, 0});
  return resumed && at<uint8_t>(*resumed, 0) == 1;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fastdds_live DOMAIN\n";
    return 2;
  }
  const auto domain = static_cast<uint32_t>(std::stoul(argv[1]));
  const std::pair<const char*, bool (*)(uint32_t)> checks[] = {
      {"topics_are_seen", check_topics_are_seen},
      {"imu", check_imu},
      {"thrusters", check_thrusters},
      {"services", check_services},
  };
  int failed = 0;
  for (const auto& [name, check] : checks) {
    const bool ok = check(domain);
    failed += ok ? 0 : 1;
    std::cout << (ok ? "ok   " : "FAIL ") << name << std::endl;
  }
  return failed ? 1 : 0;
}
