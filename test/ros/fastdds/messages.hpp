// The messages that the checks decode, written from the definitions of their packages; none comes
// from Merrow.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "cdr.hpp"

using Vector3 = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // x, y, z, w
using Covariance3 = std::array<double, 9>;
using Covariance6 = std::array<double, 36>;

struct Header {
  int64_t stamp_ns = 0;
  std::string frame;
};

struct Imu {
  Header header;
  Quaternion orientation;
  Covariance3 orientation_covariance;
  Vector3 angular_velocity;
  Covariance3 angular_velocity_covariance;
  Vector3 linear_acceleration;
  Covariance3 linear_acceleration_covariance;
  static constexpr const char* kType = "sensor_msgs/msg/Imu";
  static Imu read(CdrReader& in);
};

struct Odometry {
  Header header;
  std::string child;
  Vector3 position;
  Quaternion orientation;
  Covariance6 pose_covariance;
  Vector3 linear, angular;
  Covariance6 twist_covariance;
  static constexpr const char* kType = "nav_msgs/msg/Odometry";
  static Odometry read(CdrReader& in);
};

struct Status {
  uint8_t level;
  std::string message;
  std::map<std::string, std::string> values;
};

struct Diagnostics {
  Header header;
  std::map<std::string, Status> status;
  static constexpr const char* kType = "diagnostic_msgs/msg/DiagnosticArray";
  static Diagnostics read(CdrReader& in);
};

struct LogLine {
  int64_t stamp_ns;
  uint8_t level;
  std::string name, text;
  static constexpr const char* kType = "rcl_interfaces/msg/Log";
  static LogLine read(CdrReader& in);
};

// Value of a parameter: not set, bool, integer, double or string. Merrow does not use lists.
struct Value {
  uint8_t type = 0;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  static Value of(bool value) { return {1, value, 0, 0, ""}; }
  static Value of(int64_t value) { return {2, false, value, 0, ""}; }
  static Value of(double value) { return {3, false, 0, value, ""}; }
  static Value of(const std::string& value) { return {4, false, 0, 0, value}; }
  bool operator==(const Value& other) const;
  std::string shown() const;
  static Value read(CdrReader& in);
  void write(CdrWriter& out) const;
};

// Names in a ParameterEvent: new, changed, deleted.
struct ParameterEvent {
  std::vector<std::string> added, changed, deleted;
  static constexpr const char* kType = "rcl_interfaces/msg/ParameterEvent";
  static ParameterEvent read(CdrReader& in);
};

// Decodes a whole message; throws if it has another type.
template <class Message>
Message decode(const Bytes& bytes) {
  CdrReader in(bytes);
  auto message = Message::read(in);
  if (!in.at_end()) throw std::runtime_error(std::string("bytes are left after a ") + Message::kType);
  return message;
}

template <class Message>
std::vector<Message> decode_all(const std::vector<Bytes>& all) {
  std::vector<Message> messages;
  for (const auto& bytes : all) messages.push_back(decode<Message>(bytes));
  return messages;
}

// Returns the stamp of a message that begins with a header.
int64_t stamp_of(const Bytes& bytes);
