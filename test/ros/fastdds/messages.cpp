#include "messages.hpp"

// Braces evaluate from left to right, so that the fields are read in their order.

static Header read_header(CdrReader& in) { return Header{in.time_ns(), in.text()}; }

static Vector3 read_vector(CdrReader& in) { return in.array<double, 3>(); }

Imu Imu::read(CdrReader& in) {
  return Imu{read_header(in), in.array<double, 4>(), in.array<double, 9>(), read_vector(in), in.array<double, 9>(),
             read_vector(in), in.array<double, 9>()};
}

Odometry Odometry::read(CdrReader& in) {
  return Odometry{read_header(in), in.text(), read_vector(in), in.array<double, 4>(), in.array<double, 36>(),
                  read_vector(in), read_vector(in), in.array<double, 36>()};
}

Diagnostics Diagnostics::read(CdrReader& in) {
  Diagnostics report{read_header(in), {}};
  for (size_t n = in.count(); n > 0; --n) {
    Status status{in.get<uint8_t>(), "", {}};
    const auto name = in.text();
    status.message = in.text();
    in.text();  // hardware
    for (size_t k = in.count(); k > 0; --k) {
      const auto key = in.text();
      status.values[key] = in.text();
    }
    report.status[name] = status;
  }
  return report;
}

LogLine LogLine::read(CdrReader& in) {
  LogLine line{in.time_ns(), in.get<uint8_t>(), in.text(), in.text()};
  in.text();  // file
  in.text();  // function
  in.get<uint32_t>();
  return line;
}

bool Value::operator==(const Value& other) const {
  return type == other.type && boolean == other.boolean && integer == other.integer && number == other.number &&
         text == other.text;
}

std::string Value::shown() const {
  switch (type) {
    case 0: return "nothing";
    case 1: return boolean ? "true" : "false";
    case 2: return std::to_string(integer);
    case 3: return std::to_string(number);
    case 4: return "'" + text + "'";
    default: return "a value of type " + std::to_string(type);
  }
}

Value Value::read(CdrReader& in) {
  Value value{in.get<uint8_t>(), in.boolean(), in.get<int64_t>(), in.get<double>(), in.text()};
  in.sequence<uint8_t>();
  in.sequence<uint8_t>();
  in.sequence<int64_t>();
  in.sequence<double>();
  in.texts();
  return value;
}

void Value::write(CdrWriter& out) const {
  out.put(type).put(static_cast<uint8_t>(boolean)).put(integer).put(number).text(text);
  for (int lists = 0; lists < 5; ++lists) out.put(uint32_t{0});
}

ParameterEvent ParameterEvent::read(CdrReader& in) {
  ParameterEvent event;
  in.time_ns();
  in.text();  // node
  for (auto* names : {&event.added, &event.changed, &event.deleted}) {
    for (size_t n = in.count(); n > 0; --n) {
      names->push_back(in.text());
      Value::read(in);
    }
  }
  return event;
}

int64_t stamp_of(const Bytes& bytes) { return CdrReader(bytes).time_ns(); }
