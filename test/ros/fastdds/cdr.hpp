// Reads and writes classic CDR, the encoding of ROS messages: little-endian, field by field.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using Bytes = std::vector<uint8_t>;

constexpr size_t kHeaderSize = 4;
const Bytes kLittleEndian = {0, 1, 0, 0};

// Reads the fields of a payload in their order; throws if it ends too early.
class CdrReader {
 public:
  explicit CdrReader(const Bytes& bytes) : bytes_(bytes) {
    if (bytes.size() < kHeaderSize || bytes[0] != 0 || bytes[1] != 1) throw std::runtime_error("no little-endian CDR");
  }
  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T, size_t N>
  std::array<T, N> array() {
    std::array<T, N> values;
    for (T& value : values) value = get<T>();
    return values;
  }
  template <class T>
  std::vector<T> sequence() {
    std::vector<T> values(count());
    for (T& value : values) value = get<T>();
    return values;
  }
  // Returns the number of elements of the following sequence, at most the number of bytes left.
  size_t count() {
    const auto n = get<uint32_t>();
    if (n > bytes_.size()) throw std::runtime_error("a sequence longer than its message");
    return n;
  }
  bool boolean() { return get<uint8_t>() != 0; }
  std::string text() {
    const auto length = get<uint32_t>();
    const auto* begin = reinterpret_cast<const char*>(take(length));
    if (length == 0 || begin[length - 1] != 0) throw std::runtime_error("a string without its end");
    return {begin, begin + length - 1};
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count());
    for (auto& value : values) value = text();
    return values;
  }
  int64_t time_ns() {
    const int64_t sec = get<int32_t>();
    return sec * 1'000'000'000 + get<uint32_t>();
  }
  // Returns whether only padding is left. A message that is decoded with wrong fields rarely ends
  // at its end.
  bool at_end() const { return bytes_.size() - kHeaderSize - at_ < 4; }

 private:
  const uint8_t* take(size_t n) {
    if (n > bytes_.size() - kHeaderSize || at_ > bytes_.size() - kHeaderSize - n) {
      throw std::runtime_error("a message that ends too early");
    }
    const auto* here = bytes_.data() + kHeaderSize + at_;
    at_ += n;
    return here;
  }
  const Bytes& bytes_;
  size_t at_ = 0;
};

// Writes fields one after the other.
class CdrWriter {
 public:
  template <class T>
  CdrWriter& put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    while ((bytes_.size() - kHeaderSize) % sizeof(T) != 0) bytes_.push_back(0);
    const auto* begin = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(T));
    return *this;
  }
  template <class T>
  CdrWriter& sequence(const std::vector<T>& values) {
    put(static_cast<uint32_t>(values.size()));
    for (T value : values) put(value);
    return *this;
  }
  CdrWriter& text(const std::string& value) {
    put(static_cast<uint32_t>(value.size() + 1));
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    bytes_.push_back(0);
    return *this;
  }
  CdrWriter& texts(const std::vector<std::string>& values) {
    put(static_cast<uint32_t>(values.size()));
    for (const auto& value : values) text(value);
    return *this;
  }
  // Writes a std_msgs/Header of time 0.
  CdrWriter& header(const std::string& frame) { return put(int32_t{0}).put(uint32_t{0}).text(frame); }
  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_ = kLittleEndian;
};
