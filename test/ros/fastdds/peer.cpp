// Checks a Merrow node from Fast DDS, as rmw_fastrtps would use it: started by dds_peers.rs, which has the node.
//
//     fastdds_peer DOMAIN
//
// Each check prints one line; the exit code is 1 if one failed. Built by build.sh. Payloads are CDR bytes made by hand,
// so that no type is shared with Merrow.

#include <chrono>
#include <cstring>
#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::rtps::GUID_t;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SampleIdentity;
using eprosima::fastrtps::rtps::SerializedPayload_t;
using eprosima::fastrtps::rtps::WriteParams;

using Bytes = std::vector<uint8_t>;
using Clock = std::chrono::steady_clock;

// A type that is its own serialized form, encapsulation header included.
class RawType : public TopicDataType {
 public:
  explicit RawType(const std::string& name) {
    setName(name.c_str());
    m_typeSize = 256;
    m_isGetKeyDefined = false;
  }
  bool serialize(void* data, SerializedPayload_t* payload) override {
    const auto& bytes = *static_cast<Bytes*>(data);
    std::memcpy(payload->data, bytes.data(), bytes.size());
    payload->length = static_cast<uint32_t>(bytes.size());
    payload->encapsulation = CDR_LE;
    return true;
  }
  bool deserialize(SerializedPayload_t* payload, void* data) override {
    static_cast<Bytes*>(data)->assign(payload->data, payload->data + payload->length);
    return true;
  }
  std::function<uint32_t()> getSerializedSizeProvider(void* data) override {
    return [data] { return static_cast<uint32_t>(static_cast<Bytes*>(data)->size()); };
  }
  void* createData() override { return new Bytes; }
  void deleteData(void* data) override { delete static_cast<Bytes*>(data); }
  bool getKey(void*, InstanceHandle_t*, bool) override { return false; }
};

struct Sample {
  Bytes bytes;
  SampleIdentity related;
};

template <class Condition>
bool wait_for(Condition condition, double timeout_s = 10) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_s);
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class Peer {
 public:
  explicit Peer(uint32_t domain)
      : participant_(DomainParticipantFactory::get_instance()->create_participant(domain, PARTICIPANT_QOS_DEFAULT)),
        publisher_(participant_->create_publisher(PUBLISHER_QOS_DEFAULT)),
        subscriber_(participant_->create_subscriber(SUBSCRIBER_QOS_DEFAULT)) {}
  ~Peer() {
    participant_->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(participant_);
  }
  Peer(const Peer&) = delete;

  DataWriter* writer(const std::string& topic, const std::string& type) {
    DataWriterQos qos;
    qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
    qos.history().kind = KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 1000;
    qos.resource_limits().max_samples_per_instance = 5000;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    return publisher_->create_datawriter(this->topic(topic, type), qos);
  }
  DataReader* reader(const std::string& topic, const std::string& type, bool reliable = true) {
    DataReaderQos qos;
    qos.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    qos.history().kind = KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 1000;
    qos.resource_limits().max_samples_per_instance = 5000;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    return subscriber_->create_datareader(this->topic(topic, type), qos);
  }

 private:
  Topic* topic(const std::string& name, const std::string& type) {
    if (auto* known = participant_->lookup_topicdescription(name)) return static_cast<Topic*>(known);
    TypeSupport(new RawType(type)).register_type(participant_);
    return participant_->create_topic(name, type, TOPIC_QOS_DEFAULT);
  }
  DomainParticipant* participant_;
  Publisher* publisher_;
  Subscriber* subscriber_;
};

bool is_matched(DataWriter* writer) {
  PublicationMatchedStatus status;
  writer->get_publication_matched_status(status);
  return status.current_count > 0;
}

bool is_matched(DataReader* reader) {
  SubscriptionMatchedStatus status;
  reader->get_subscription_matched_status(status);
  return status.current_count > 0;
}

std::optional<Sample> take(DataReader* reader, double timeout_s = 5) {
  Bytes bytes;
  SampleInfo info;
  std::optional<Sample> sample;
  wait_for(
      [&] {
        if (reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK && info.valid_data) {
          sample = Sample{bytes, info.related_sample_identity};
        }
        return sample.has_value();
      },
      timeout_s);
  return sample;
}

const std::string kText = "std_msgs::msg::dds_::String_";

Bytes encode_text(const std::string& text) {
  const auto length = static_cast<uint32_t>(text.size() + 1);
  Bytes bytes = {0, 1, 0, 0};
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(length >> shift));
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.push_back(0);
  return bytes;
}

std::string decode_text(const Bytes& bytes) {
  uint32_t length = 0;
  if (bytes.size() < 8) return "";
  std::memcpy(&length, bytes.data() + 4, 4);
  if (length == 0 || bytes.size() < 8 + length) return "";
  return {bytes.begin() + 8, bytes.begin() + 8 + length - 1};
}

// A service client: the request says on which reader it wants the reply, and the reply says which request it answers.
class Client {
 public:
  Client(Peer& peer, const std::string& service, const std::string& type)
      : writer_(peer.writer("rq" + service + "Request", type + "_Request_")),
        reader_(peer.reader("rr" + service + "Reply", type + "_Response_")) {}
  bool wait() {
    return wait_for([&] { return is_matched(writer_) && is_matched(reader_); });
  }
  SampleIdentity send(Bytes request) {
    WriteParams params;
    params.related_sample_identity().writer_guid(reader_->guid());
    writer_->write(&request, params);
    SampleIdentity expected;
    expected.writer_guid(reader_->guid());
    expected.sequence_number(params.sample_identity().sequence_number());
    return expected;
  }
  std::optional<Bytes> receive(const SampleIdentity& expected, double timeout_s = 5) {
    while (auto sample = take(reader_, timeout_s)) {
      if (sample->related == expected) return sample->bytes;
    }
    return std::nullopt;
  }

 private:
  DataWriter* writer_;
  DataReader* reader_;
};

const std::string kSet = "/test/subject/set";
const std::string kSetType = "std_srvs::srv::dds_::SetBool";

// Reliable and best-effort readers get consecutive samples.
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

// 100 calls of two clients at once: each gets its own reply.
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

// A client that asks as soon as it sees the server gets its reply.
bool check_early_calls(uint32_t domain) {
  for (int i = 0; i < 10; ++i) {
    Peer peer(domain);
    Client client(peer, kSet, kSetType);
    if (!client.wait() || !client.receive(client.send({0, 1, 0, 0, 1}))) return false;
  }
  return true;
}

// A request that cannot be decoded gets no reply, and the next one does.
bool check_malformed_requests(uint32_t domain) {
  Peer peer(domain);
  Client client(peer, kSet, kSetType);
  if (!client.wait()) return false;
  for (const Bytes& bad : {Bytes{0, 1, 0, 0}, Bytes{0, 1, 0, 0, 7}, Bytes{0, 9, 0, 0, 1}}) {
    if (client.receive(client.send(bad), 0.2)) return false;
  }
  return client.receive(client.send({0, 1, 0, 0, 1})).has_value();
}

// The node leaves when asked.
bool check_leaving(uint32_t domain) {
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
      {"malformed_requests", check_malformed_requests}, {"leaving", check_leaving},
  };
  int failed = 0;
  for (const auto& [name, check] : checks) {
    const bool ok = check(domain);
    failed += ok ? 0 : 1;
    std::cout << (ok ? "ok   " : "FAIL ") << name << std::endl;
  }
  return failed ? 1 : 0;
}
