// Counts the samples of one topic that a Fast DDS reader with default settings receives.
//
//     fastdds_count DOMAIN TOPIC TYPE reliable|best_effort BYTES
//
// Prints `matched`, then, once no sample has arrived for two seconds, the number of samples of BYTES
// bytes. Built by build.sh; started by large_samples.rs.

#include "peer.hpp"

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "expected DOMAIN TOPIC TYPE reliable|best_effort BYTES\n";
    return 2;
  }
  Peer peer(static_cast<uint32_t>(std::stoul(argv[1])));
  auto* reader = peer.reader(argv[2], argv[3], argv[4] == std::string("reliable"));
  const size_t bytes = std::stoul(argv[5]);
  if (!wait_for([&] { return is_matched(reader); }, 20)) {
    std::cerr << "no writer of " << argv[2] << "\n";
    return 1;
  }
  std::cout << "matched" << std::endl;
  int count = 0;
  for (double timeout_s = 10; const auto sample = take(reader, timeout_s); timeout_s = 2) {
    // A payload may end with up to 3 bytes of padding.
    const size_t size = sample->bytes.size();
    count += size >= bytes && size < bytes + 4;
  }
  std::cout << count << std::endl;
}
