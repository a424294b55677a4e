// Receives samples of any topics with Fast DDS, without their types. Started by every_topic.py;
// subscriber.py is the same with Cyclone DDS.
//
//     fastdds_subscriber DOMAIN
//
// Standard input has one line per topic, up to an empty line: name and type on DDS, and `volatile`
// or `transient_local`. Prints `matched` when each topic has a publisher. After the end of the input
// and two seconds without samples, prints one line per sample: name of the topic, CRC-32 of the
// payload without its encapsulation header, padded to a multiple of four bytes. Built by build.sh.

#include "peer.hpp"

#include <poll.h>
#include <unistd.h>

#include <map>
#include <sstream>

constexpr double kQuiet_s = 2;

// Computes the CRC-32 of ISO 3309 of a payload.
static uint32_t checksum(const Bytes& bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> values{};
    for (uint32_t n = 0; n < values.size(); ++n) {
      values[n] = n;
      for (int bit = 0; bit < 8; ++bit) values[n] = values[n] >> 1 ^ (values[n] & 1 ? 0xEDB88320 : 0);
    }
    return values;
  }();
  uint32_t sum = ~uint32_t{0};
  const auto add = [&](uint8_t byte) { sum = sum >> 8 ^ table[(sum ^ byte) & 0xFF]; };
  for (size_t i = kHeaderSize; i < bytes.size(); ++i) add(bytes[i]);
  // only some samples have padding
  for (size_t i = bytes.size(); i % 4 != 0; ++i) add(0);
  return ~sum;
}

static bool has_ended(int file) {
  pollfd input{file, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

struct Subscription {
  std::string topic;
  DataReader* reader;
  bool is_continuous;  // also published while time is stopped
};

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "expected DOMAIN\n";
    return 2;
  }
  Peer peer(static_cast<uint32_t>(std::stoul(argv[1])));
  std::vector<Subscription> subscriptions;
  for (std::string line; std::getline(std::cin, line) && !line.empty();) {
    std::istringstream words(line);
    std::string topic, type, durability;
    words >> topic >> type >> durability;
    auto* reader = peer.reader(topic, type, true, durability == "transient_local");
    subscriptions.push_back({topic, reader, topic == "rt/clock" || topic == "rt/diagnostics"});
  }
  std::vector<std::pair<const std::string*, uint32_t>> received;
  bool is_open = true, has_printed = false;
  auto last = Clock::now();
  const auto quiet_s = [&] { return std::chrono::duration<double>(Clock::now() - last).count(); };
  while (is_open || quiet_s() < kQuiet_s) {
    if (is_open && has_ended(STDIN_FILENO)) {
      is_open = false;
      last = Clock::now();
    }
    bool all_matched = true;
    for (const auto& [topic, reader, is_continuous] : subscriptions) {
      while (const auto sample = take(reader, 0)) {
        received.emplace_back(&topic, checksum(sample->bytes));
        if (!is_continuous) last = Clock::now();
      }
      all_matched = all_matched && (has_printed || is_matched(reader));
    }
    if (all_matched && !has_printed) {
      has_printed = true;
      std::cout << "matched" << std::endl;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (const auto& [topic, sum] : received) std::cout << *topic << ' ' << sum << '\n';
}
