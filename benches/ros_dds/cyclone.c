// Publisher and subscriber of benches/ros on the C library of Cyclone DDS; arguments as in bench.h.

#include "bench.h"

#include <dds/dds.h>

#include "message.h"

static dds_entity_t checked(dds_entity_t entity, const char *attempt) {
  if (entity < 0) {
    fprintf(stderr, "cyclone: %s: %s\n", attempt, dds_strretcode(entity));
    exit(1);
  }
  return entity;
}

static dds_entity_t create_topic(dds_entity_t participant, uint32_t number) {
  char name[32];
  topic_name(name, sizeof name, number);
  return checked(dds_create_topic(participant, &std_msgs_msg_dds__UInt8MultiArray__desc, name, NULL, NULL), "topic");
}

// Returns the quality of service of a default publisher or subscription of ROS.
static dds_qos_t *default_qos(void) {
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
  dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
  return qos;
}

struct publisher {
  dds_entity_t *writers;
  std_msgs_msg_dds__UInt8MultiArray_ message;
};

static void write_message(void *context, uint32_t topic, int64_t stamp_ns) {
  struct publisher *publisher = context;
  memcpy(publisher->message.data_._buffer, &stamp_ns, sizeof stamp_ns);
  checked(dds_write(publisher->writers[topic], &publisher->message), "write");
}

static void wait_for_subscriptions(const struct publisher *publisher, uint32_t topics) {
  const int64_t end_ns = now_ns() + DISCOVERY_S * INT64_C(1000000000);
  for (uint32_t i = 0; i < topics;) {
    dds_publication_matched_status_t status;
    checked(dds_get_publication_matched_status(publisher->writers[i], &status), "status");
    if (status.current_count > 0) {
      ++i;
    } else if (now_ns() > end_ns) {
      fprintf(stderr, "cyclone: no subscription was discovered\n");
      exit(1);
    } else {
      dds_sleepfor(DDS_MSECS(1));
    }
  }
}

static void publish(const struct bench *bench, dds_entity_t participant) {
  struct publisher publisher;
  memset(&publisher, 0, sizeof publisher);
  publisher.writers = calloc(bench->topics, sizeof *publisher.writers);
  publisher.message.data_._buffer = calloc(bench->bytes, 1);
  publisher.message.data_._length = publisher.message.data_._maximum = (uint32_t)bench->bytes;
  dds_qos_t *qos = default_qos();
  for (uint32_t i = 0; i < bench->topics; ++i) {
    publisher.writers[i] = checked(dds_create_writer(participant, create_topic(participant, i), qos, NULL), "writer");
  }
  wait_for_subscriptions(&publisher, bench->topics);
  publish_all(bench, write_message, &publisher);
}

static void on_data(dds_entity_t reader, void *context) {
  void *sample = NULL;
  dds_sample_info_t info;
  while (dds_take(reader, &sample, &info, 1, 1) > 0) {
    const std_msgs_msg_dds__UInt8MultiArray_ *message = sample;
    if (info.valid_data) add_message(context, message->data_._buffer);
    dds_return_loan(reader, &sample, 1);
    sample = NULL;
  }
}

static void receive(const struct bench *bench, dds_entity_t participant) {
  struct statistics found;
  start_statistics(&found, bench);
  dds_listener_t *listener = dds_create_listener(&found);
  dds_lset_data_available(listener, on_data);
  dds_qos_t *qos = default_qos();
  for (uint32_t i = 0; i < bench->topics; ++i) {
    checked(dds_create_reader(participant, create_topic(participant, i), qos, listener), "reader");
  }
  wait_and_print(&found);
}

int main(int argc, char **argv) {
  const struct bench bench = parse(argc, argv);
  const dds_entity_t participant = checked(dds_create_participant(bench.domain, NULL, NULL), "participant");
  (bench.publishes ? publish : receive)(&bench, participant);
  fflush(stdout);
  dds_delete(participant);
  return 0;
}
