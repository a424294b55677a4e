// Arguments, clocks and statistics that the C and C++ programs of benches/ros share.
//
//     PROGRAM publish|receive DOMAIN TOPICS BYTES PERIOD_NS COUNT [spread] [shared_memory]
//
// `publish` writes one message of BYTES bytes on each of TOPICS topics every PERIOD_NS nanoseconds,
// COUNT times: all at the begin of the period, or, with `spread`, at equal distances in the period.
// One second of messages that are not measured precedes them. The data of a message begin with the
// send time on the monotonic clock [ns], 0 if the message is not measured. Both modes print one JSON
// object at the end.

#pragma once

#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define TOPIC_TYPE "std_msgs::msg::dds_::UInt8MultiArray_"
// Time in which a subscription must be discovered, and after which silence ends `receive` [s].
#define DISCOVERY_S 30
#define SILENCE_S 5
// Time that repairs have at the end [ns].
#define REPAIR_NS 1000000000

struct bench {
  int publishes;
  int shared_memory;
  int spread;
  uint32_t domain;
  uint32_t topics;
  size_t bytes;
  int64_t period_ns;
  int64_t count;
};

struct statistics {
  pthread_mutex_t lock;
  size_t capacity;
  size_t received;
  int64_t *latencies_ns;
  int64_t last_ns;
  int64_t first_cpu_ns;
  int64_t last_cpu_ns;
};

static inline int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

// Returns the processor time of all threads of the process [ns].
static inline int64_t cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

static inline void sleep_until(int64_t at_ns) {
  const struct timespec at = {(time_t)(at_ns / 1000000000), (long)(at_ns % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
  }
}

static inline struct bench parse(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: %s publish|receive DOMAIN TOPICS BYTES PERIOD_NS COUNT [spread] [shared_memory]\n", argv[0]);
    exit(2);
  }
  struct bench bench;
  bench.publishes = strcmp(argv[1], "publish") == 0;
  bench.domain = (uint32_t)strtoul(argv[2], NULL, 10);
  bench.topics = (uint32_t)strtoul(argv[3], NULL, 10);
  bench.bytes = strtoul(argv[4], NULL, 10);
  bench.period_ns = strtoll(argv[5], NULL, 10);
  bench.count = strtoll(argv[6], NULL, 10);
  bench.shared_memory = bench.spread = 0;
  for (int i = 7; i < argc; ++i) {
    bench.shared_memory |= strcmp(argv[i], "shared_memory") == 0;
    bench.spread |= strcmp(argv[i], "spread") == 0;
  }
  return bench;
}

static inline void topic_name(char *name, size_t size, uint32_t topic) { snprintf(name, size, "rt/bench_%" PRIu32, topic); }

// Writes on all topics at the period and prints the processor time of the measured part.
static inline void publish_all(const struct bench *bench, void (*write)(void *context, uint32_t topic, int64_t stamp_ns),
                               void *context) {
  // sleeps end without the default delay of 0.05 ms
  prctl(PR_SET_TIMERSLACK, 1UL);
  const int64_t warm_up = 1000000000 / bench->period_ns, start_ns = now_ns();
  const int64_t distance_ns = bench->spread ? bench->period_ns / bench->topics : 0;
  int64_t cpu_start_ns = 0;
  for (int64_t i = 0; i < warm_up + bench->count; ++i) {
    const int64_t at_ns = start_ns + i * bench->period_ns;
    sleep_until(at_ns);
    if (i == warm_up) cpu_start_ns = cpu_ns();
    for (uint32_t topic = 0; topic < bench->topics; ++topic) {
      if (bench->spread) sleep_until(at_ns + topic * distance_ns);
      write(context, topic, i < warm_up ? 0 : now_ns());
    }
  }
  const int64_t end_ns = start_ns + (warm_up + bench->count) * bench->period_ns;
  sleep_until(end_ns);
  const double cpu_s = 1e-9 * (double)(cpu_ns() - cpu_start_ns);
  const double late_s = 1e-9 * (double)(now_ns() - end_ns);
  sleep_until(now_ns() + REPAIR_NS);
  printf("{\"cpu_s\": %.6f, \"late_s\": %.6f}\n", cpu_s, late_s);
}

static inline void start_statistics(struct statistics *found, const struct bench *bench) {
  memset(found, 0, sizeof *found);
  pthread_mutex_init(&found->lock, NULL);
  found->capacity = bench->topics * (size_t)bench->count;
  found->latencies_ns = (int64_t *)calloc(found->capacity, sizeof *found->latencies_ns);
}

// Adds a message whose data begin at `data`. Any thread may call it.
static inline void add_message(struct statistics *found, const void *data) {
  const int64_t arrived_ns = now_ns();
  int64_t stamp_ns;
  memcpy(&stamp_ns, data, sizeof stamp_ns);
  pthread_mutex_lock(&found->lock);
  found->last_ns = arrived_ns;
  if (stamp_ns != 0 && found->received < found->capacity) {
    if (found->received == 0) found->first_cpu_ns = cpu_ns();
    found->latencies_ns[found->received++] = arrived_ns - stamp_ns;
    if (found->received == found->capacity) found->last_cpu_ns = cpu_ns();
  }
  pthread_mutex_unlock(&found->lock);
}

static inline int compare_latencies(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// Waits until all messages have arrived or none arrives any more, and prints the statistics.
static inline void wait_and_print(struct statistics *found) {
  const int64_t start_ns = now_ns();
  for (int is_over = 0; !is_over;) {
    sleep_until(now_ns() + 50000000);
    pthread_mutex_lock(&found->lock);
    const int64_t wait_s = found->last_ns == 0 ? DISCOVERY_S : SILENCE_S;
    const int64_t since_ns = found->last_ns == 0 ? start_ns : found->last_ns;
    is_over = found->received == found->capacity || now_ns() > since_ns + wait_s * 1000000000;
    pthread_mutex_unlock(&found->lock);
  }
  pthread_mutex_lock(&found->lock);
  const size_t n = found->received;
  if (n < found->capacity) found->last_cpu_ns = n > 0 ? cpu_ns() : found->first_cpu_ns;
  qsort(found->latencies_ns, n, sizeof *found->latencies_ns, compare_latencies);
  const double p50_ms = n > 0 ? 1e-6 * (double)found->latencies_ns[n / 2] : 0;
  const double p99_ms = n > 0 ? 1e-6 * (double)found->latencies_ns[n * 99 / 100] : 0;
  printf("{\"received\": %zu, \"p50_ms\": %.6f, \"p99_ms\": %.6f, \"cpu_s\": %.6f}\n", n, p50_ms, p99_ms,
         1e-9 * (double)(found->last_cpu_ns - found->first_cpu_ns));
  pthread_mutex_unlock(&found->lock);
}
