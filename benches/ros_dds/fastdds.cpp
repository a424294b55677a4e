// Publisher and subscriber of benches/ros on Fast DDS; arguments as in bench.h. It uses UDP only, or
// also shared memory, which is the default of Fast DDS, with the argument `shared_memory`.

#include "bench.h"

#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include "../../test/ros/fastdds/peer.hpp"

// Offset of the data in a message: encapsulation, an empty layout and the length of the data.
constexpr size_t kData = 16;

static DomainParticipant* create_participant(const bench& bench) {
  DomainParticipantQos qos = PARTICIPANT_QOS_DEFAULT;
  if (!bench.shared_memory) {
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>());
  }
  auto* participant = DomainParticipantFactory::get_instance()->create_participant(bench.domain, qos);
  TypeSupport(new RawType(TOPIC_TYPE)).register_type(participant);
  return participant;
}

static Topic* create_topic(DomainParticipant* participant, uint32_t number) {
  char name[32];
  topic_name(name, sizeof name, number);
  return participant->create_topic(name, TOPIC_TYPE, TOPIC_QOS_DEFAULT);
}

// Sets the quality of service of a default publisher or subscription of ROS, and the memory policy of
// rmw_fastrtps.
template <class Qos>
static Qos default_qos(Qos qos) {
  qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
  qos.durability().kind = VOLATILE_DURABILITY_QOS;
  qos.history().kind = KEEP_LAST_HISTORY_QOS;
  qos.history().depth = 10;
  qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  return qos;
}

struct Output {
  std::vector<DataWriter*> writers;
  Bytes message;
};

static void write_message(void* context, uint32_t topic, int64_t stamp_ns) {
  auto& output = *static_cast<Output*>(context);
  std::memcpy(output.message.data() + kData, &stamp_ns, sizeof stamp_ns);
  output.writers[topic]->write(&output.message);
}

static void publish(const bench& bench, DomainParticipant* participant) {
  Output output;
  output.message = CdrWriter().put(uint32_t{0}).put(uint32_t{0}).sequence(Bytes(bench.bytes)).bytes();
  auto* publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT);
  const auto qos = default_qos(DATAWRITER_QOS_DEFAULT);
  for (uint32_t i = 0; i < bench.topics; ++i) {
    output.writers.push_back(publisher->create_datawriter(create_topic(participant, i), qos));
  }
  for (auto* writer : output.writers) {
    if (!wait_for([&] { return is_matched(writer); }, DISCOVERY_S)) throw std::runtime_error("no subscription was discovered");
  }
  publish_all(&bench, write_message, &output);
}

class Listener : public DataReaderListener {
 public:
  explicit Listener(statistics& found) : found_(found) {}
  void on_data_available(DataReader* reader) override {
    // one listener serves all readers, possibly on several threads
    thread_local Bytes bytes;
    SampleInfo info;
    while (reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK) {
      if (info.valid_data && bytes.size() > kData) add_message(&found_, bytes.data() + kData);
    }
  }

 private:
  statistics& found_;
};

static void receive(const bench& bench, DomainParticipant* participant) {
  statistics found;
  start_statistics(&found, &bench);
  Listener listener(found);
  auto* subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
  const auto qos = default_qos(DATAREADER_QOS_DEFAULT);
  std::vector<DataReader*> readers;
  for (uint32_t i = 0; i < bench.topics; ++i) {
    readers.push_back(subscriber->create_datareader(create_topic(participant, i), qos, &listener));
  }
  wait_and_print(&found);
  for (auto* reader : readers) reader->set_listener(nullptr);
}

int main(int argc, char** argv) {
  const bench bench = parse(argc, argv);
  auto* participant = create_participant(bench);
  try {
    (bench.publishes ? publish : receive)(bench, participant);
  } catch (const std::exception& error) {
    std::cerr << "fastdds: " << error.what() << std::endl;
    return 1;
  }
  std::fflush(stdout);
  participant->delete_contained_entities();
  DomainParticipantFactory::get_instance()->delete_participant(participant);
  return 0;
}
