// Checks a Merrow node with Fast DDS, as rmw_fastrtps uses it; started by dds_peers.rs, which
// contains the node.
//
//     fastdds_peer DOMAIN
//
// Each check prints one line; the exit code is 1 if one failed. Built by build.sh. Payloads are
// hand-written CDR bytes, so that no type is shared with Merrow.

#include "peer.hpp"

#include <algorithm>

const std::string kSet = "/test/subject/set";
const std::string kSetType = "std_srvs::srv::dds_::SetBool";

// Reliable and best-effort readers receive consecutive samples.
bool check_topics_out(uint32_t domain) {
  for (bool reliable : {true, false}) {
    Peer peer(domain);
    auto* reader = peer.reader("rt/test/reliable", kText, reliable);
    int last = -1;
    for (int i = 0; i < 20; ++i) {
      const auto sample = take(reader);
      if (!sample) return false;
      const int number = std::stoi(decode_text(sample->bytes));
      if (last >= 0 && number != last + 1) return false;
      last = number;
    }
  }
  return true;
}

// Small messages and one of 60 KB are echoed, in order and without loss.
bool check_echo(uint32_t domain) {
  Peer peer(domain);
  auto* writer = peer.writer("rt/test/in", kText);
  auto* reader = peer.reader("rt/test/echo", kText);
  if (!wait_for([&] { return is_matched(writer) && is_matched(reader); })) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::deque<std::string> sent;
  for (int i = 0; i < 300; ++i) sent.push_back("message " + std::to_string(i));
  sent.push_back(std::string(60000, 'x'));
  for (const auto& text : sent) {
    Bytes bytes = encode_text(text);
    writer->write(&bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const auto& text : sent) {
    const auto sample = take(reader);
    if (!sample || decode_text(sample->bytes) != text) return false;
  }
  return true;
}

// 100 calls of two clients at once: each receives its own reply.
bool check_service(uint32_t domain) {
  Peer peer(domain);
  Client clients[] = {{peer, kSet, kSetType}, {peer, kSet, kSetType}};
  for (auto& client : clients) {
    if (!client.wait()) return false;
  }
  for (int i = 0; i < 100; ++i) {
    SampleIdentity expected[2];
    for (uint8_t k = 0; k < 2; ++k) expected[k] = clients[k].send({0, 1, 0, 0, static_cast<uint8_t>((i + k) % 2)});
    for (int k = 0; k < 2; ++k) {
      const auto reply = clients[k].receive(expected[k]);
      if (!reply || reply->size() < 5 || (*reply)[4] != (i + k) % 2) return false;
    }
  }
  return true;
}

// A client that calls as soon as it discovers the server receives its reply.
// The slowest of 100 first calls is faster than 300 ms.
bool check_early_calls(uint32_t domain) {
  double slowest = 0;
  for (int i = 0; i < 100; ++i) {
    Peer peer(domain);
    Client client(peer, kSet, kSetType);
    if (!client.wait()) return false;
    const auto start = Clock::now();
    if (!client.receive(client.send({0, 1, 0, 0, 1}))) return false;
    slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::cout << "     slowest of 100 first calls: " << slowest << " s" << std::endl;
  return slowest < 0.3;
}

// A participant that publishes one message as soon as it discovers a subscriber and ends 100 ms later, as
// `ros2 topic pub --once` does, is received: 50 of 50.
bool check_single_publications(uint32_t domain) {
  Peer listener(domain);
  auto* reader = listener.reader("rt/test/echo", kText);
  if (!wait_for([&] { return is_matched(reader); })) return false;
  for (int i = 0; i < 50; ++i) {
    const std::string text = "single " + std::to_string(i);
    {
      Peer peer(domain);
      auto* writer = peer.writer("rt/test/in", kText);
      if (!wait_for([&] { return is_matched(writer); })) return false;
      Bytes bytes = encode_text(text);
      writer->write(&bytes);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const auto sample = take(reader, 1);
    if (!sample || decode_text(sample->bytes) != text) return false;
  }
  return true;
}

// A request that cannot be decoded receives no reply, and the next request does.
bool check_malformed_requests(uint32_t domain) {
  Peer peer(domain);
  Client client(peer, kSet, kSetType);
  if (!client.wait()) return false;
  for (const Bytes& bad : {Bytes{0, 1, 0, 0}, Bytes{0, 1, 0, 0, 7}, Bytes{0, 9, 0, 0, 1}}) {
    if (client.receive(client.send(bad), 0.2)) return false;
  }
  return client.receive(client.send({0, 1, 0, 0, 1})).has_value();
}

// The node exits on request.
bool check_participant_exit(uint32_t domain) {
  Peer peer(domain);
  Client client(peer, "/test/subject/leave", "std_srvs::srv::dds_::Trigger");
  auto* reader = peer.reader("rt/test/reliable", kText);
  if (!client.wait() || !wait_for([&] { return is_matched(reader); })) return false;
  client.send({0, 1, 0, 0, 0});
  return wait_for([&] { return !is_matched(reader); }, 3);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fastdds_peer DOMAIN\n";
    return 2;
  }
  const auto domain = static_cast<uint32_t>(std::stoul(argv[1]));
  const std::pair<const char*, bool (*)(uint32_t)> checks[] = {
      {"topics_out", check_topics_out},       {"echo", check_echo},
      {"service", check_service},             {"early_calls", check_early_calls},
      {"single_publications", check_single_publications},
      {"malformed_requests", check_malformed_requests}, {"participant_exit", check_participant_exit},
  };
  int failed = 0;
  for (const auto& [name, check] : checks) {
    const bool ok = check(domain);
    failed += ok ? 0 : 1;
    std::cout << (ok ? "ok   " : "FAIL ") << name << std::endl;
  }
  return failed ? 1 : 0;
}
