// A ROS 2 peer without ROS, over Fast DDS as rmw_fastrtps uses it: topics and service clients.
//
// It is shared by the programs in this folder. Payloads are bytes, including the encapsulation
// header, so that no type is shared with Merrow.

#pragma once

#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cdr.hpp"

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastrtps/utils/IPLocator.h>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::rtps::GUID_t;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SampleIdentity;
using eprosima::fastrtps::rtps::SerializedPayload_t;
using eprosima::fastrtps::rtps::WriteParams;


using Clock = std::chrono::steady_clock;

// A type that is its own serialized form, including the encapsulation header.
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
  SampleIdentity related, own;
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
  // With an address, the participant announces itself to this address instead of by multicast.
  explicit Peer(uint32_t domain, const std::string& address = "")
      : participant_(DomainParticipantFactory::get_instance()->create_participant(domain, participant_qos(address))),
        publisher_(participant_->create_publisher(PUBLISHER_QOS_DEFAULT)),
        subscriber_(participant_->create_subscriber(SUBSCRIBER_QOS_DEFAULT)) {}
  ~Peer() {
    participant_->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(participant_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  DataWriter* writer(const std::string& topic, const std::string& type) {
    DataWriterQos qos;
    // the default durability of Fast DDS is transient-local, the default of ROS is volatile
    qos.durability().kind = VOLATILE_DURABILITY_QOS;
    qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
    qos.history().kind = KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 1000;
    qos.resource_limits().max_samples_per_instance = 5000;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    return publisher_->create_datawriter(this->topic(topic, type), qos);
  }
  void remove(DataReader* reader) { subscriber_->delete_datareader(reader); }
  DataReader* reader(const std::string& topic, const std::string& type, bool reliable = true, bool latched = false) {
    DataReaderQos qos;
    qos.durability().kind = latched ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
    qos.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    qos.history().kind = KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 5000;
    qos.resource_limits().max_samples_per_instance = 5000;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    return subscriber_->create_datareader(this->topic(topic, type), qos);
  }

 private:
  static DomainParticipantQos participant_qos(const std::string& address) {
    DomainParticipantQos qos;
    if (address.empty()) return qos;
    // port 0: the ports of the first participants of the domain
    eprosima::fastrtps::rtps::Locator_t locator;
    eprosima::fastrtps::rtps::IPLocator::setIPv4(locator, address);
    qos.wire_protocol().builtin.initialPeersList.push_back(locator);
    return qos;
  }
  Topic* topic(const std::string& name, const std::string& type) {
    if (auto* known = participant_->lookup_topicdescription(name)) return static_cast<Topic*>(known);
    TypeSupport(new RawType(type)).register_type(participant_);
    return participant_->create_topic(name, type, TOPIC_QOS_DEFAULT);
  }
  DomainParticipant* participant_;
  Publisher* publisher_;
  Subscriber* subscriber_;
};

inline bool is_matched(DataWriter* writer) {
  PublicationMatchedStatus status;
  writer->get_publication_matched_status(status);
  return status.current_count > 0;
}

inline bool is_matched(DataReader* reader) {
  SubscriptionMatchedStatus status;
  reader->get_subscription_matched_status(status);
  return status.current_count > 0;
}

inline std::optional<Sample> take(DataReader* reader, double timeout_s = 5) {
  Bytes bytes;
  SampleInfo info;
  std::optional<Sample> sample;
  wait_for(
      [&] {
        if (reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK && info.valid_data) {
          sample = Sample{bytes, info.related_sample_identity, info.sample_identity};
        }
        return sample.has_value();
      },
      timeout_s);
  return sample;
}

// A service client. The request names the reader for its reply, and the reply names its request.
class Client {
 public:
  Client(Peer& peer, const std::string& service, const std::string& type)
      : writer_(peer.writer("rq" + service + "Request", type + "_Request_")),
        reader_(peer.reader("rr" + service + "Reply", type + "_Response_")) {}
  bool wait(double timeout_s = 10) {
    return wait_for([&] { return is_matched(writer_) && is_matched(reader_); }, timeout_s);
  }
  SampleIdentity send(Bytes request) { return send(std::move(request), reader_->guid()); }
  // Sends a request whose reply goes to another reader.
  SampleIdentity send(Bytes request, const GUID_t& reader) {
    WriteParams params;
    params.related_sample_identity().writer_guid(reader);
    writer_->write(&request, params);
    SampleIdentity expected;
    expected.writer_guid(reader_->guid());
    expected.sequence_number(params.sample_identity().sequence_number());
    return expected;
  }
  std::optional<Bytes> receive(const SampleIdentity& expected, double timeout_s = 5) {
    // Replies to other clients also arrive.
    const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_s);
    while (auto sample = take(reader_, std::chrono::duration<double>(deadline - Clock::now()).count())) {
      if (sample->related == expected) return sample->bytes;
    }
    return std::nullopt;
  }

 private:
  DataWriter* writer_;
  DataReader* reader_;
};
