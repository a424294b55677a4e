// Checks that every parameter can be set, has an effect, and rejects invalid values.

#include <cmath>
#include <set>

#include "merrow.hpp"

static const std::string kSpeed = "water.current.speed_m_s", kDirection = "water.current.direction_deg";

// Returns a value that differs from the initial one.
static Value legal_value(const Parameter& parameter) {
  if (parameter.type == "double") return Value::of(parameter.low + 0.6 * (parameter.high - parameter.low));
  if (parameter.type == "bool") return Value::of(parameter.initial != "true");
  return Value::of(std::string(parameter.name == "pace" ? "2" : "stuck"));
}

// All declared parameters accept a new legal value, return it, and publish it on /parameter_events.
static void check_every_parameter_can_be_set() {
  Merrow merrow("pool", {"--pace", "lockstep"});
  auto* events = merrow.listen("/parameter_events", ParameterEvent::kType);
  merrow.settle();
  const auto& declared = merrow.facts().parameters;
  expect(declared.size() > 20, "too few parameters are known");
  for (const auto& parameter : declared) {
    const auto value = legal_value(parameter);
    const auto response = merrow.set(parameter.name, value);
    expect(response.success, parameter.name + " = " + value.shown() + ": " + response.message);
    const auto found = merrow.get(parameter.name);
    expect(found == value, parameter.name + ": set to " + value.shown() + ", found " + found.shown());
  }
  std::set<std::string> missing;
  for (const auto& parameter : declared) missing.insert(parameter.name);
  wait_for(
      [&] {
        for (const auto& event : all<ParameterEvent>(events)) {
          for (const auto& name : event.changed) missing.erase(name);
        }
        return missing.empty();
      },
      5);
  expect(missing.empty(), std::to_string(missing.size()) + " without an event, " + (missing.empty() ? "" : *missing.begin()));
  merrow.alive();
}

static const std::map<std::string, uint8_t> kTypeNumbers = {{"bool", 1}, {"double", 3}, {"string", 4}};

// A descriptor equals the descriptor in `describe`.
static void check_descriptor(CdrReader& in, const Parameter& parameter) {
  expect(in.text() == parameter.name, "another name than " + parameter.name);
  expect(in.get<uint8_t>() == kTypeNumbers.at(parameter.type), parameter.name + ": another type");
  expect(!in.text().empty(), parameter.name + ": no description");
  in.text();  // constraints
  expect(!in.boolean(), parameter.name + " is read-only");
  in.boolean();  // dynamic typing
  const auto ranges = in.count();
  expect(ranges == (parameter.type == "double" ? 1u : 0u), parameter.name + ": ranges");
  for (size_t k = 0; k < ranges; ++k) {
    const auto low = in.get<double>(), high = in.get<double>();
    in.get<double>();  // step
    // `describe` prints ten digits.
    const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
    expect(same(low, parameter.low) && same(high, parameter.high), parameter.name + ": another range");
  }
  expect(in.count() == 0, parameter.name + ": a range of integers");
}

// Names, types and descriptors agree with `describe`, requested one by one.
static void check_parameters_are_described() {
  Merrow merrow("pool");
  for (const auto& parameter : merrow.facts().parameters) {
    const auto listed = merrow.call("list_parameters", CdrWriter().texts({parameter.name}).put(uint64_t{0}).bytes());
    expect(CdrReader(listed).texts() == std::vector{parameter.name}, parameter.name + " is not listed");
    const auto request = CdrWriter().texts({parameter.name}).bytes();
    const auto typed = merrow.call("get_parameter_types", request);
    const std::vector<uint8_t> expected = {kTypeNumbers.at(parameter.type)};
    expect(CdrReader(typed).sequence<uint8_t>() == expected, parameter.name + ": another type");
    const auto described = merrow.call("describe_parameters", request);
    CdrReader in(described);
    expect(in.count() == 1, parameter.name + ": not one descriptor");
    check_descriptor(in, parameter);
    expect(in.at_end(), "bytes are left after a descriptor");
  }
}

static std::vector<std::string> names_of_parameters(const Merrow& merrow) {
  std::vector<std::string> names;
  for (const auto& parameter : merrow.facts().parameters) names.push_back(parameter.name);
  return names;
}

// A description of all parameters agrees with `describe`.
static void check_descriptors(const Merrow& merrow, const Bytes& described) {
  CdrReader in(described);
  expect(in.count() == merrow.facts().parameters.size(), "not one descriptor each");
  for (const auto& parameter : merrow.facts().parameters) check_descriptor(in, parameter);
  expect(in.at_end(), "bytes are left after the descriptors");
}

// All parameters at once, as requested by `ros2 param list` and rqt.
static void check_all_at_once(const std::string& world, size_t least_size) {
  Merrow merrow(world);
  const auto names = names_of_parameters(merrow);
  auto expected = std::set<std::string>(names.begin(), names.end());
  // read-only parameters are not among the facts
  for (const auto* name : {"use_sim_time", "simulation_interfaces_version", "simulation_interfaces_prefix"}) expected.insert(name);
  const auto listed = merrow.call("list_parameters", CdrWriter().texts({}).put(uint64_t{0}).bytes());
  const auto found = CdrReader(listed).texts();
  expect(std::set<std::string>(found.begin(), found.end()) == expected, "other names are listed");
  const auto request = CdrWriter().texts(names).bytes();
  const auto described = merrow.call("describe_parameters", request);
  expect(described.size() > least_size, "too small a reply: " + std::to_string(described.size()));
  check_descriptors(merrow, described);
  const auto got = merrow.call("get_parameters", request);
  CdrReader values(got);
  expect(values.count() == names.size(), "not one value each");
  for (const auto& name : names) expect(Value::read(values) == merrow.get(name), name + ": another value");
  expect(values.at_end(), "bytes are left after the values");
  for (int i = 0; i < 30; ++i) expect(merrow.call("describe_parameters", request) == described, "another description");
  merrow.alive();
}

// Replies that do not fit into one Ethernet datagram; their fragments carry the identity of the
// request with them.
static void check_large_replies() { check_all_at_once("pool", 1500); }

// Replies that do not fit into any datagram.
static void check_larger_replies() { check_all_at_once("test/ros/fastdds/fleet.yaml", 100'000); }

// Two participants send requests at once: each receives its own large reply once, among small replies.
static void check_large_replies_to_two() {
  Merrow merrow("pool");
  Peer other(merrow.domain());
  Client clients[] = {merrow.client("describe_parameters"),
                      {other, "/merrow/describe_parameters", dds_type("rcl_interfaces/srv/DescribeParameters")}};
  expect(clients[1].wait(), "no service for the other participant");
  const auto names = names_of_parameters(merrow);
  const auto large = CdrWriter().texts(names).bytes(), small = CdrWriter().texts({names[0]}).bytes();
  for (int i = 0; i < 20; ++i) {
    SampleIdentity pending[2][2];
    for (int k = 0; k < 2; ++k) {
      pending[k][0] = clients[k].send(large);
      pending[k][1] = clients[k].send(small);
    }
    for (int k = 0; k < 2; ++k) {
      const auto all = clients[k].receive(pending[k][0]), one = clients[k].receive(pending[k][1]);
      expect(all && one, "no reply in round " + std::to_string(i));
      check_descriptors(merrow, *all);
      expect(CdrReader(*one).count() == 1, "not one descriptor");
      if (i == 0) expect(!clients[k].receive(pending[k][0], 0.5), "a reply came twice");
    }
  }
}

// A request in the name of a reader that does not exist receives no reply, and all other clients still
// receive theirs.
static void check_large_replies_to_nobody() {
  Merrow merrow("pool");
  auto& client = merrow.client("describe_parameters");
  const auto large = CdrWriter().texts(names_of_parameters(merrow)).bytes();
  for (uint8_t byte : {1, 0x7f, 0xff}) {
    GUID_t nobody;
    std::memset(nobody.guidPrefix.value, byte, sizeof nobody.guidPrefix.value);
    std::memset(nobody.entityId.value, byte, sizeof nobody.entityId.value);
    const auto own = client.send(large, nobody);
    expect(!client.receive(own, 0.3), "a reply to somebody else");
    check_descriptors(merrow, merrow.call("describe_parameters", large));
  }
  merrow.alive();
}

// NaN, values out of range, of another type or of unknown parameters are rejected with a reason,
// and change no value.
static void check_illegal_parameters() {
  Merrow merrow("pool");
  const double nan = std::nan("");
  for (const auto& parameter : merrow.facts().parameters) {
    const auto before = merrow.get(parameter.name);
    std::vector<Value> bad = {Value{}, Value::of(int64_t{-3})};
    if (parameter.type == "double") {
      for (double value : {nan, double{INFINITY}, -double{INFINITY}, parameter.low - 1, parameter.high + 1}) {
        bad.push_back(Value::of(value));
      }
      bad.push_back(Value::of(std::string("fast")));
    } else if (parameter.type == "string") {
      for (const char* text : {"", "broken", "nan", "-1", "0"}) bad.push_back(Value::of(std::string(text)));
      bad.push_back(Value::of(true));
    } else {
      bad.push_back(Value::of(std::string("true")));
    }
    for (const auto& value : bad) {
      const auto response = merrow.set(parameter.name, value);
      expect(!response.success && !response.message.empty(), parameter.name + " = " + value.shown() + " was taken");
      expect(response.message.find('\n') == std::string::npos, "more than one line: " + response.message);
    }
    expect(merrow.get(parameter.name) == before, parameter.name + " has changed");
  }
  const auto unknown = merrow.set("no.such.parameter", Value::of(1.0));
  expect(!unknown.success && !unknown.message.empty(), "a parameter that does not exist was set");
}

// A batch takes effect completely or not at all.
static void check_batches() {
  Merrow merrow("pool");
  const auto set = [&](const std::string& pace) {
    CdrWriter batch;
    batch.put(uint32_t{2}).text(kSpeed);
    Value::of(1.5).write(batch);
    batch.text("pace");
    Value::of(pace).write(batch);
    const auto bytes = merrow.call("set_parameters_atomically", batch.bytes());
    CdrReader in(bytes);
    return read_response(in);
  };
  const auto half = set("sideways");
  expect(!half.success && !half.message.empty(), "a batch with a bad value was taken");
  expect(merrow.get(kSpeed) == Value::of(0.0), "half a batch was taken");
  const auto whole = set("2");
  expect(whole.success, whole.message);
  expect(merrow.get(kSpeed) == Value::of(1.5) && merrow.get("pace") == Value::of(std::string("2")), "not set");
}

// YAML reads a pace factor as a number; the parameter `pace` accepts it.
static void check_pace_takes_numbers() {
  Merrow merrow("pool", {"--pace", "lockstep", "--ros-args", "-p", "pace:=2"});
  expect(merrow.get("pace") == Value::of(std::string("2")), "-p pace:=2 became " + merrow.get("pace").shown());
  const auto response = merrow.set("pace", Value::of(0.5));
  expect(response.success && merrow.get("pace") == Value::of(std::string("0.5")), response.message);
}

// The vehicle drifts in the direction of the current.
static void check_current_drifts() {
  Merrow merrow("pool", {"--pace", "lockstep"});
  auto* truth = merrow.listen("/bluerov2/odometry");
  for (const auto& [direction, along, across] : {std::tuple{90.0, 0, 1}, std::tuple{0.0, 1, 0}}) {
    merrow.must("reset");
    const auto speed = merrow.set(kSpeed, Value::of(0.5)), heading = merrow.set(kDirection, Value::of(direction));
    expect(speed.success && heading.success, speed.message + heading.message);
    sleep_s(0.1);
    take_all(truth);
    const auto end = merrow.step(2500);
    const auto there = wait_until<Odometry>(truth, [&](const auto& o) { return o.header.stamp_ns == end; });
    const auto &p = there.position;
    const bool carried = p[along] > 0.2 && p[along] < 2.6 && std::abs(p[across]) < 0.3;
    expect(carried, "towards " + number(direction) + " deg: " + number(p[0]) + ", " + number(p[1]) + " m");
  }
}

const std::vector<Check> kParameterChecks = {
    {"every_parameter_can_be_set", check_every_parameter_can_be_set},
    {"parameters_are_described", check_parameters_are_described},
    {"large_replies", check_large_replies},
    {"larger_replies", check_larger_replies},
    {"large_replies_to_two", check_large_replies_to_two},
    {"large_replies_to_nobody", check_large_replies_to_nobody},
    {"illegal_parameters", check_illegal_parameters},
    {"batches_of_parameters", check_batches},
    {"pace_takes_numbers", check_pace_takes_numbers},
    {"current_drifts", check_current_drifts},
};
