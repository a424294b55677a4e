// Checks that invalid input is rejected, counted and reported, and causes no motion.

#include <cmath>
#include <random>

#include "merrow.hpp"

static const std::string kRobot = "uvms";
constexpr int kRounds = 20;  // rounds of 0.1 s
constexpr uint64_t kSteps = 100;
constexpr int64_t kStep_ns = 1'000'000;
static const std::vector<double> kDrive = {1500, 1600, 1550, 1450, 1580, 1530};

using Random = std::mt19937;

static Bytes random_bytes(Random& random, size_t n) {
  Bytes bytes(n);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

static Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Length in bytes of the shortest message of each kind that is sent here.
static const std::map<std::string, size_t> kShortest = {
    {"Float64", 8}, {"Float64MultiArray", 12}, {"Wrench", 48}, {"WrenchStamped", 64}, {"JointState", 28}, {"JointTrajectory", 28}};

// Writers of arbitrary bytes on all inputs and all services.
class Liar {
 public:
  explicit Liar(Merrow& merrow) : peer_(merrow.domain()) {
    for (const auto& [topic, type] : merrow.facts().subscribed) {
      // A wrench of 5 N in the frame world is valid on a link.
      if (topic.find("external_wrench") != std::string::npos) continue;
      if (kShortest.count(type.substr(type.rfind('/') + 1))) add(topic, type, "rt" + topic, dds_type(type) + "_");
    }
    for (const auto& [service, type] : merrow.facts().services) {
      if (service.rfind("/merrow/", 0) == 0) add(service, type, "rq" + service + "Request", dds_type(type) + "_Request_");
    }
  }
  // Sends one round of invalid data; returns the number of messages that should be counted.
  int round(Random& random) {
    int sent = 0;
    for (auto& each : inputs_) sent += each.is_service ? bad_requests(each, random) : bad_messages(each, random);
    return sent;
  }

 private:
  struct Input {
    std::string name, kind;
    bool is_service;
    DataWriter* writer;
  };

  void add(const std::string& name, const std::string& type, const std::string& topic, const std::string& kind) {
    auto* writer = peer_.writer(topic, kind);
    expect(wait_for([&] { return is_matched(writer); }), "nobody listens to " + name);
    const auto base = type.substr(type.rfind('/') + 1);
    inputs_.push_back({name, base, type.find("/srv/") != std::string::npos, writer});
  }

  static void send(Input& input, Bytes bytes, bool as_request = false) {
    WriteParams params;
    // This marks a request of the Fast DDS service mapping; the identity belongs to no reader.
    if (as_request) params.related_sample_identity().writer_guid(input.writer->guid());
    as_request ? input.writer->write(&bytes, params) : input.writer->write(&bytes);
  }

  // Requests of both service mappings that end too early or have wrong lengths.
  static int bad_requests(Input& input, Random& random) {
    send(input, kLittleEndian + random_bytes(random, 8));
    // A request without fields has one byte, which may have any value.
    if (input.kind == "Trigger") {
      send(input, kLittleEndian, true);
      return 1;
    }
    const Bytes lie = {0xff, 0xff, 0xff, 0x7f};
    send(input, kLittleEndian + random_bytes(random, 16) + lie);
    send(input, kLittleEndian + lie, true);
    send(input, Bytes{0, 9, 0, 0} + random_bytes(random, 64), true);
    return 3;
  }

  static int bad_messages(Input& input, Random& random) {
    const size_t n = kShortest.at(input.kind);
    // Too short for any such message; longer random bytes could be a valid command.
    send(input, kLittleEndian + random_bytes(random, 4 * (random() % (n / 4 - 1) + 1)));
    send(input, Bytes{0, 7, 0, 0} + random_bytes(random, n));
    const auto bad = bad_values(input.kind, random);
    for (const auto& bytes : bad) send(input, bytes);
    return 1 + static_cast<int>(bad.size());
  }

  // Messages of the right form with invalid values, names or lengths.
  static std::vector<Bytes> bad_values(const std::string& kind, Random& random) {
    const double wrong[] = {std::nan(""), INFINITY, -INFINITY};
    const auto any = [&] { return wrong[random() % 3]; };
    std::vector<Bytes> all;
    if (kind == "Float64") {
      for (double value : wrong) all.push_back(CdrWriter().put(value).bytes());
    } else if (kind == "Wrench") {
      for (int axis = 0; axis < 6; ++axis) {
        CdrWriter out;
        for (int i = 0; i < 6; ++i) out.put(i == axis ? any() : 1.0);
        all.push_back(out.bytes());
      }
    } else if (kind == "WrenchStamped") {
      for (const auto& [frame, force] : {std::pair{"world", 5.0}, {"uvms/imu", 5.0}, {"base_link", any()}}) {
        CdrWriter out;
        out.header(frame);
        for (int i = 0; i < 6; ++i) out.put(force);
        all.push_back(out.bytes());
      }
    } else if (kind == "Float64MultiArray") {
      for (size_t n : {0, 1, 5, 7, 1000}) all.push_back(array(0, std::vector<double>(n, 1550)));
      all.push_back(array(0xffffffff, kDrive));
      auto values = kDrive;
      values.back() = any();
      all.push_back(array(0, values));
      CdrWriter lie;
      all.push_back(lie.put(uint32_t{0}).put(uint32_t{0}).put(uint32_t{1u << 31}).put(1550.0).bytes());
    } else if (kind == "JointState") {
      const double nan = std::nan("");
      all = {joints({"nothing"}, {0.1}, {0.1}), joints({"base", "nothing"}, {0.1, 0.1}, {0.1, 0.1}),
             joints({"base"}, {}, {}),          joints({"base", "shoulder"}, {0.1}, {0.1}),
             joints({"base"}, {nan}, {nan}),    joints({""}, {0.0}, {0.0})};
    }
    return all;
  }

  static Bytes array(uint32_t offset, const std::vector<double>& values) {
    return CdrWriter().put(uint32_t{0}).put(offset).sequence(values).bytes();
  }

  static Bytes joints(const std::vector<std::string>& names, const std::vector<double>& positions,
                      const std::vector<double>& efforts) {
    return CdrWriter().header("").texts(names).sequence(positions).sequence<double>({}).sequence(efforts).bytes();
  }

  Peer peer_;
  std::vector<Input> inputs_;
};

// Rejected messages are counted per robot and for the node, and reported as warnings.
static void check_rejections_reported(Merrow& merrow, DataReader* log, DataReader* diagnostics, int sent) {
  take_all(diagnostics);
  // Diagnostics follow the simulated time; the next report is up to one second away.
  merrow.step(1'000'000'000 / kStep_ns);
  const auto report = latest<Diagnostics>(diagnostics);
  const auto& robot = report.status.at(kRobot + ": commands").values;
  const auto& run = report.status.at("merrow: run").values;
  const int commands = std::stoi(robot.at("refused commands")), requests = std::stoi(run.at("refused requests"));
  // Messages that DDS itself rejects are not counted, nor are requests without a client identity.
  expect(commands > sent / 2, std::to_string(commands) + " commands counted of " + std::to_string(sent));
  expect(requests > 50, std::to_string(requests) + " requests counted");
  expect(!robot.at("last refusal").empty(), "no last refusal");
  size_t warnings = 0;
  for (const auto& line : all<LogLine>(log)) warnings += line.level == 30 && line.text.find("refused") != std::string::npos;
  // Warnings are throttled: about one line per second and robot.
  expect(warnings > 0 && warnings < 60, std::to_string(warnings) + " warnings");
}

// Returns the odometry of a lock-stepped robot under fixed commands, with or without invalid data
// between the steps.
static std::vector<Bytes> motion(bool disturbed) {
  Merrow merrow("uvms_pool", {"--pace", "lockstep"});
  auto *odometry = merrow.listen("/uvms/odometry"), *log = merrow.listen("/rosout", LogLine::kType);
  auto* diagnostics = merrow.listen("/diagnostics");
  std::optional<Liar> liar;
  if (disturbed) liar.emplace(merrow);
  merrow.settle();
  Random random(7);
  int sent = 0;
  for (int i = 0; i < kRounds; ++i) {
    auto command = kDrive;
    for (double& value : command) value += i;
    merrow.write("/uvms/thrusters/command", CdrWriter().put(uint32_t{0}).put(uint32_t{0}).sequence(command).bytes());
    if (liar) {
      const auto begin = Clock::now();
      sent += liar->round(random);
      expect(!merrow.set_pose(kRobot, {std::nan(""), 0, 0}).success, "an invalid pose");
      expect(!merrow.set_pose("unknown", {0, 0, 0}).success, "an unknown robot");
      expect(!merrow.try_step(0).success, "no steps");
      expect(!merrow.set("pace", Value::of(std::string("sideways"))).success, "an invalid pace");
      std::this_thread::sleep_until(begin + std::chrono::milliseconds(100));
    }
    const auto now = merrow.step(kSteps);
    expect(now == (i + 1) * static_cast<int64_t>(kSteps) * kStep_ns, std::to_string(now) + " ns after round " + std::to_string(i));
  }
  std::vector<Bytes> found;
  wait_for(
      [&] {
        for (auto& bytes : take_all(odometry)) found.push_back(std::move(bytes));
        return !found.empty() && stamp_of(found.back()) == kRounds * int64_t{kSteps} * kStep_ns;
      },
      5);
  if (disturbed) {
    expect(sent > 500, "only " + std::to_string(sent) + " messages of garbage");
    check_rejections_reported(merrow, log, diagnostics, sent);
  }
  merrow.alive();
  expect(merrow.errors().find("panicked") == std::string::npos, merrow.errors());
  return found;
}

// Two seconds of invalid data on all inputs and services: the robot moves as without it, bit for
// bit.
static void check_invalid_input() {
  const auto quiet = motion(false), disturbed = motion(true);
  expect(quiet.size() == kRounds * kSteps / 20 + 1, std::to_string(quiet.size()) + " poses");
  expect(disturbed.size() == quiet.size(), std::to_string(disturbed.size()) + " poses with garbage");
  for (size_t i = 0; i < quiet.size(); ++i) expect(quiet[i] == disturbed[i], "pose " + std::to_string(i) + " differs");
}

const std::vector<Check> kGarbageChecks = {{"invalid_input", check_invalid_input}};
