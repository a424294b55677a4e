// Calls the C interface `rmw` of an installed ROS 2 with fixed-layout arguments.
//
// Compiled against the headers of the sourced ROS 2, because the structures of rmw differ between
// distributions. The libraries are opened at run time, so that the program also starts without
// ROS 2. Every function that can fail writes one line of text to `error`.

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rcutils/allocator.h"
#include "rcutils/error_handling.h"
#include "rcutils/strdup.h"
#include "rcutils/types/uint8_array.h"
#include "rmw/event.h"
#include "rmw/rmw.h"
#if __has_include("rmw/events_statuses/events_statuses.h")
#include "rmw/events_statuses/events_statuses.h"
#else
#include "rmw/incompatible_qos_events_statuses.h"
#endif
#if __has_include("rmw/discovery_options.h")
#define HAS_DISCOVERY_OPTIONS
#include "rmw/discovery_options.h"
#endif
#if __has_include("rosidl_runtime_c/type_hash.h")
#define HAS_TYPE_HASH
#include "rosidl_runtime_c/type_hash.h"
#endif
#include "rosidl_runtime_c/message_type_support_struct.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

// Functions of librmw_implementation, librmw and librcutils.
#define FUNCTIONS(X)                                                                             \
  X(rcutils_get_default_allocator)                                                               \
  X(rcutils_error_is_set)                                                                        \
  X(rcutils_get_error_string)                                                                    \
  X(rcutils_reset_error)                                                                         \
  X(rcutils_strdup)                                                                              \
  X(rcutils_uint8_array_fini)                                                                    \
  X(rmw_get_implementation_identifier)                                                           \
  X(rmw_get_zero_initialized_init_options)                                                       \
  X(rmw_init_options_init)                                                                       \
  X(rmw_init_options_fini)                                                                       \
  X(rmw_get_zero_initialized_context)                                                            \
  X(rmw_init)                                                                                    \
  X(rmw_shutdown)                                                                                \
  X(rmw_context_fini)                                                                            \
  X(rmw_create_node)                                                                             \
  X(rmw_destroy_node)                                                                            \
  X(rmw_get_default_publisher_options)                                                           \
  X(rmw_create_publisher)                                                                        \
  X(rmw_destroy_publisher)                                                                       \
  X(rmw_publish_serialized_message)                                                              \
  X(rmw_publisher_count_matched_subscriptions)                                                   \
  X(rmw_get_default_subscription_options)                                                        \
  X(rmw_create_subscription)                                                                     \
  X(rmw_destroy_subscription)                                                                    \
  X(rmw_take_serialized_message)                                                                 \
  X(rmw_subscription_set_on_new_message_callback)                                                \
  X(rmw_create_service)                                                                          \
  X(rmw_destroy_service)                                                                         \
  X(rmw_take_request)                                                                            \
  X(rmw_send_response)                                                                           \
  X(rmw_service_set_on_new_request_callback)                                                     \
  X(rmw_create_client)                                                                           \
  X(rmw_destroy_client)                                                                          \
  X(rmw_send_request)                                                                            \
  X(rmw_take_response)                                                                           \
  X(rmw_client_set_on_new_response_callback)                                                     \
  X(rmw_service_server_is_available)                                                             \
  X(rmw_serialize)                                                                               \
  X(rmw_deserialize)                                                                             \
  X(rmw_get_zero_initialized_event)                                                              \
  X(rmw_publisher_event_init)                                                                    \
  X(rmw_subscription_event_init)                                                                 \
  X(rmw_event_set_callback)                                                                      \
  X(rmw_event_fini)                                                                              \
  X(rmw_take_event)

static struct {
#define DECLARE(name) __typeof__(&name) name;
  FUNCTIONS(DECLARE)
#undef DECLARE
} ros;

// Buffer for one line of text about an error.
typedef struct {
  char *text;
  size_t size;
} merrow_error;

typedef void (*merrow_notify)(const void *user, size_t count);

// Quality of service; `depth` 0 keeps all samples, `lifespan_ns` 0 is without limit.
typedef struct {
  uint64_t lifespan_ns;
  uint32_t depth;
  bool is_reliable;
  bool is_transient_local;
} merrow_qos;

// Node and network. `discovery` is 0 for off, 1 for this machine, 2 for all networks.
typedef struct {
  const char *name;
  const char *ns;
  const char *const *peers;
  size_t peer_count;
  size_t domain;
  uint32_t discovery;
} merrow_node_options;

typedef struct {
  rmw_init_options_t options;
  rmw_context_t context;
  rmw_node_t *node;
} merrow_context;

typedef struct {
  merrow_context *context;
  rmw_publisher_t *publisher;
  rmw_event_t event;
  rmw_event_t match;
  int32_t incompatible;
  bool has_event;
  bool has_match;
} merrow_publisher;

typedef struct {
  merrow_context *context;
  rmw_subscription_t *subscription;
  rcutils_uint8_array_t buffer;
  rmw_event_t event;
  int32_t incompatible;
  bool has_event;
} merrow_subscription;

// Request or response: functions of its package and its type support.
typedef struct {
  void *(*create)(void);
  void (*destroy)(void *);
  const rosidl_message_type_support_t *support;
} merrow_message;

typedef struct {
  merrow_context *context;
  rmw_service_t *service;
  merrow_message request;
  merrow_message response;
  rcutils_uint8_array_t buffer;
} merrow_service;

typedef struct {
  merrow_context *context;
  rmw_client_t *client;
  merrow_message request;
  merrow_message response;
  rcutils_uint8_array_t buffer;
} merrow_client;

// Identity of a request, with space for the longest writer of all distributions.
typedef struct {
  uint8_t writer[24];
  int64_t sequence_number;
} merrow_request_id;

static void describe(merrow_error error, const char *text) {
  if (error.size == 0) return;
  snprintf(error.text, error.size, "%s", text);
  for (char *c = error.text; *c; c++) {
    if (*c == '\n') *c = ' ';
  }
}

// Copies the error of the last call into ROS 2 and clears it there.
static void fail(merrow_error error, const char *operation) {
  rcutils_error_string_t cause = ros.rcutils_get_error_string();
  ros.rcutils_reset_error();
  char text[1400];
  snprintf(text, sizeof text, "%s: %s", operation, cause.str);
  describe(error, text);
}

// Returns the result of taking a request or response. rmw_cyclonedds_cpp reports success also if it
// cannot decode a message: it sets the error of the thread, and the fields from the first invalid
// one on keep their defaults. The error must be clear before the call.
static rmw_ret_t result_of_take(rmw_ret_t ret, bool taken) {
  return ret == RMW_RET_OK && taken && ros.rcutils_error_is_set() ? RMW_RET_ERROR : ret;
}

static rcutils_uint8_array_t empty_buffer(void) {
  rcutils_uint8_array_t buffer;
  memset(&buffer, 0, sizeof buffer);
  buffer.allocator = ros.rcutils_get_default_allocator();
  return buffer;
}

static void free_buffer(rcutils_uint8_array_t *buffer) {
  if (buffer->buffer && ros.rcutils_uint8_array_fini(buffer) != RCUTILS_RET_OK) {
    ros.rcutils_reset_error();
  }
}

static rcutils_uint8_array_t borrowed(const uint8_t *data, size_t size) {
  rcutils_uint8_array_t message = empty_buffer();
  message.buffer = (uint8_t *)data;
  message.buffer_length = size;
  message.buffer_capacity = size;
  return message;
}

static rmw_qos_profile_t profile(const merrow_qos *qos) {
  rmw_qos_profile_t out;
  // zero is "default of the system" in every policy that is not set here
  memset(&out, 0, sizeof out);
  out.history = qos->depth ? RMW_QOS_POLICY_HISTORY_KEEP_LAST : RMW_QOS_POLICY_HISTORY_KEEP_ALL;
  out.depth = qos->depth;
  out.reliability =
    qos->is_reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  out.durability = qos->is_transient_local ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL
                                           : RMW_QOS_POLICY_DURABILITY_VOLATILE;
  out.lifespan.sec = qos->lifespan_ns / 1000000000u;
  out.lifespan.nsec = qos->lifespan_ns % 1000000000u;
  return out;
}

// Opens a library for the rest of the process; NULL if it cannot be opened.
void *merrow_library_open(const char *path, merrow_error error) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) describe(error, dlerror());
  return library;
}

void *merrow_library_symbol(void *library, const char *name) { return dlsym(library, name); }

// Loads the functions from the libraries; false if one is missing.
bool merrow_bind(void *const *libraries, size_t count, merrow_error error) {
#define BIND(name)                                                  \
  ros.name = NULL;                                                  \
  for (size_t i = 0; i < count && !ros.name; i++) {                 \
    *(void **)&ros.name = dlsym(libraries[i], #name);               \
  }                                                                 \
  if (!ros.name) {                                                  \
    describe(error, "the libraries of ROS 2 have no " #name);       \
    return false;                                                   \
  }
  FUNCTIONS(BIND)
#undef BIND
  return true;
}

static bool set_discovery(rmw_init_options_t *options, const merrow_node_options *given) {
#ifdef HAS_DISCOVERY_OPTIONS
  static const rmw_automatic_discovery_range_t ranges[] = {
    RMW_AUTOMATIC_DISCOVERY_RANGE_OFF, RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST,
    RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET};
  rmw_discovery_options_t *out = &options->discovery_options;
  out->automatic_discovery_range = ranges[given->discovery];
  out->allocator = options->allocator;
  if (given->peer_count == 0) return true;
  // rmw_init_options_fini frees them with the allocator
  out->static_peers = options->allocator.zero_allocate(
    given->peer_count, sizeof *out->static_peers, options->allocator.state);
  if (!out->static_peers) return false;
  out->static_peers_count = given->peer_count;
  for (size_t i = 0; i < given->peer_count; i++) {
    snprintf(out->static_peers[i].peer_address, sizeof out->static_peers[i].peer_address, "%s",
             given->peers[i]);
  }
#else
  options->localhost_only =
    given->discovery == 2 ? RMW_LOCALHOST_ONLY_DISABLED : RMW_LOCALHOST_ONLY_ENABLED;
#endif
  return true;
}

static bool start(merrow_context *self, const merrow_node_options *given, merrow_error error) {
  self->options.instance_id = 1;
  self->options.domain_id = given->domain;
  self->options.enclave = ros.rcutils_strdup("/", self->options.allocator);
  if (!self->options.enclave || !set_discovery(&self->options, given)) {
    describe(error, "out of memory");
    return false;
  }
  if (ros.rmw_init(&self->options, &self->context) != RMW_RET_OK) {
    fail(error, "rmw_init");
    return false;
  }
  self->node = ros.rmw_create_node(&self->context, given->name, given->ns);
  if (self->node) return true;
  fail(error, "rmw_create_node");
  if (ros.rmw_shutdown(&self->context) != RMW_RET_OK) ros.rcutils_reset_error();
  if (ros.rmw_context_fini(&self->context) != RMW_RET_OK) ros.rcutils_reset_error();
  return false;
}

merrow_context *merrow_context_create(const merrow_node_options *given, merrow_error error) {
  merrow_context *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->options = ros.rmw_get_zero_initialized_init_options();
  self->context = ros.rmw_get_zero_initialized_context();
  rcutils_allocator_t allocator = ros.rcutils_get_default_allocator();
  if (ros.rmw_init_options_init(&self->options, allocator) != RMW_RET_OK) {
    fail(error, "rmw_init_options_init");
    free(self);
    return NULL;
  }
  if (start(self, given, error)) return self;
  if (ros.rmw_init_options_fini(&self->options) != RMW_RET_OK) ros.rcutils_reset_error();
  free(self);
  return NULL;
}

// Ends the node. All its endpoints must be destroyed before.
void merrow_context_destroy(merrow_context *self) {
  if (ros.rmw_destroy_node(self->node) != RMW_RET_OK) ros.rcutils_reset_error();
  if (ros.rmw_shutdown(&self->context) != RMW_RET_OK) ros.rcutils_reset_error();
  if (ros.rmw_context_fini(&self->context) != RMW_RET_OK) ros.rcutils_reset_error();
  if (ros.rmw_init_options_fini(&self->options) != RMW_RET_OK) ros.rcutils_reset_error();
  free(self);
}

const char *merrow_implementation(void) { return ros.rmw_get_implementation_identifier(); }

#ifdef HAS_TYPE_HASH
static bool format_hash(const rosidl_type_hash_t *hash, char *out, size_t size) {
  if (!hash || size < 2 * sizeof hash->value + 8) return false;
  size_t length = snprintf(out, size, "RIHS%02u_", hash->version);
  for (size_t i = 0; i < sizeof hash->value; i++) {
    length += snprintf(out + length, size - length, "%02x", hash->value[i]);
  }
  return true;
}
#endif

// Writes the type hash of a message; false on distributions without hashes.
bool merrow_message_hash(const rosidl_message_type_support_t *support, char *out, size_t size) {
#ifdef HAS_TYPE_HASH
  return support->get_type_hash_func && format_hash(support->get_type_hash_func(support), out, size);
#else
  (void)support, (void)out, (void)size;
  return false;
#endif
}

// Writes the type hash of a service; false on distributions without hashes.
bool merrow_service_hash(const rosidl_service_type_support_t *support, char *out, size_t size) {
#ifdef HAS_TYPE_HASH
  return support->get_type_hash_func && format_hash(support->get_type_hash_func(support), out, size);
#else
  (void)support, (void)out, (void)size;
  return false;
#endif
}

static bool set_event(rmw_event_t *event, rmw_ret_t created, merrow_notify notify, const void *user) {
  // an implementation without this event reports no incompatible endpoints
  if (created != RMW_RET_OK) {
    ros.rcutils_reset_error();
    return false;
  }
  if (ros.rmw_event_set_callback(event, notify, user) != RMW_RET_OK) ros.rcutils_reset_error();
  return true;
}

static void end_event(rmw_event_t *event) {
  if (ros.rmw_event_set_callback(event, NULL, NULL) != RMW_RET_OK) ros.rcutils_reset_error();
  if (ros.rmw_event_fini(event) != RMW_RET_OK) ros.rcutils_reset_error();
}

// Returns the policy that made endpoints incompatible since the last call, 0 without one. `known`
// is their number until then: an RMW resets the change when it reports it.
static uint32_t take_incompatible(rmw_event_t *event, int32_t *known) {
  rmw_offered_qos_incompatible_event_status_t status;
  memset(&status, 0, sizeof status);
  bool taken = false;
  if (ros.rmw_take_event(event, &status, &taken) != RMW_RET_OK) ros.rcutils_reset_error();
  if (!taken || status.total_count <= *known) return 0;
  *known = status.total_count;
  return (uint32_t)status.last_policy_kind;
}

merrow_publisher *merrow_publisher_create(
  merrow_context *context, const rosidl_message_type_support_t *support, const char *topic,
  const merrow_qos *qos, merrow_notify on_incompatible, const void *user, merrow_error error) {
  merrow_publisher *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->context = context;
  rmw_qos_profile_t policies = profile(qos);
  rmw_publisher_options_t options = ros.rmw_get_default_publisher_options();
  self->publisher = ros.rmw_create_publisher(context->node, support, topic, &policies, &options);
  if (!self->publisher) {
    fail(error, "rmw_create_publisher");
    free(self);
    return NULL;
  }
  self->event = ros.rmw_get_zero_initialized_event();
  rmw_ret_t created = ros.rmw_publisher_event_init(
    &self->event, self->publisher, RMW_EVENT_OFFERED_QOS_INCOMPATIBLE);
  self->has_event = set_event(&self->event, created, on_incompatible, user);
  return self;
}

// Calls `notify` from any thread when a subscription matches or leaves; false if the implementation
// does not report it.
bool merrow_publisher_notify(merrow_publisher *self, merrow_notify notify, const void *user) {
#ifdef HAS_TYPE_HASH
  // distributions with type hashes have the event
  self->match = ros.rmw_get_zero_initialized_event();
  rmw_ret_t created = ros.rmw_publisher_event_init(
    &self->match, self->publisher, RMW_EVENT_PUBLICATION_MATCHED);
  self->has_match = set_event(&self->match, created, notify, user);
#else
  (void)notify, (void)user;
#endif
  return self->has_match;
}

uint32_t merrow_publisher_take_incompatible(merrow_publisher *self) {
  return self->has_event ? take_incompatible(&self->event, &self->incompatible) : 0;
}

size_t merrow_publisher_matched(const merrow_publisher *self) {
  size_t count = 0;
  if (ros.rmw_publisher_count_matched_subscriptions(self->publisher, &count) != RMW_RET_OK) {
    ros.rcutils_reset_error();
  }
  return count;
}

bool merrow_publisher_publish(
  const merrow_publisher *self, const uint8_t *data, size_t size, merrow_error error) {
  rcutils_uint8_array_t message = borrowed(data, size);
  if (ros.rmw_publish_serialized_message(self->publisher, &message, NULL) == RMW_RET_OK) return true;
  fail(error, "rmw_publish_serialized_message");
  return false;
}

void merrow_publisher_destroy(merrow_publisher *self) {
  if (self->has_match) end_event(&self->match);
  if (self->has_event) end_event(&self->event);
  if (ros.rmw_destroy_publisher(self->context->node, self->publisher) != RMW_RET_OK) {
    ros.rcutils_reset_error();
  }
  free(self);
}

merrow_subscription *merrow_subscription_create(
  merrow_context *context, const rosidl_message_type_support_t *support, const char *topic,
  const merrow_qos *qos, merrow_notify on_incompatible, const void *user, merrow_error error) {
  merrow_subscription *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->context = context;
  self->buffer = empty_buffer();
  rmw_qos_profile_t policies = profile(qos);
  rmw_subscription_options_t options = ros.rmw_get_default_subscription_options();
  self->subscription =
    ros.rmw_create_subscription(context->node, support, topic, &policies, &options);
  if (!self->subscription) {
    fail(error, "rmw_create_subscription");
    free(self);
    return NULL;
  }
  self->event = ros.rmw_get_zero_initialized_event();
  rmw_ret_t created = ros.rmw_subscription_event_init(
    &self->event, self->subscription, RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE);
  self->has_event = set_event(&self->event, created, on_incompatible, user);
  return self;
}

// Calls `notify` from any thread for messages; false if the implementation cannot.
bool merrow_subscription_notify(merrow_subscription *self, merrow_notify notify, const void *user) {
  rmw_ret_t set =
    ros.rmw_subscription_set_on_new_message_callback(self->subscription, notify, user);
  if (set != RMW_RET_OK) ros.rcutils_reset_error();
  return set == RMW_RET_OK;
}

uint32_t merrow_subscription_take_incompatible(merrow_subscription *self) {
  return self->has_event ? take_incompatible(&self->event, &self->incompatible) : 0;
}

// Takes one message into a buffer that is valid until the next call; NULL without a message.
const uint8_t *merrow_subscription_take(merrow_subscription *self, size_t *size) {
  bool taken = false;
  rmw_ret_t ret =
    ros.rmw_take_serialized_message(self->subscription, &self->buffer, &taken, NULL);
  if (ret != RMW_RET_OK) ros.rcutils_reset_error();
  if (ret != RMW_RET_OK || !taken) return NULL;
  *size = self->buffer.buffer_length;
  return self->buffer.buffer;
}

void merrow_subscription_destroy(merrow_subscription *self) {
  merrow_subscription_notify(self, NULL, NULL);
  if (self->has_event) end_event(&self->event);
  if (ros.rmw_destroy_subscription(self->context->node, self->subscription) != RMW_RET_OK) {
    ros.rcutils_reset_error();
  }
  free_buffer(&self->buffer);
  free(self);
}

merrow_service *merrow_service_create(
  merrow_context *context, const rosidl_service_type_support_t *support, merrow_message request,
  merrow_message response, const char *name, const merrow_qos *qos, merrow_error error) {
  merrow_service *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->context = context;
  self->request = request;
  self->response = response;
  self->buffer = empty_buffer();
  rmw_qos_profile_t policies = profile(qos);
  self->service = ros.rmw_create_service(context->node, support, name, &policies);
  if (self->service) return self;
  fail(error, "rmw_create_service");
  free(self);
  return NULL;
}

// Calls `notify` from any thread for requests; false if the implementation cannot.
bool merrow_service_notify(merrow_service *self, merrow_notify notify, const void *user) {
  rmw_ret_t set = ros.rmw_service_set_on_new_request_callback(self->service, notify, user);
  if (set != RMW_RET_OK) ros.rcutils_reset_error();
  return set == RMW_RET_OK;
}

// Takes one request into a buffer that is valid until the next call; NULL without a request. A
// request that cannot be decoded has size 0.
const uint8_t *merrow_service_take(merrow_service *self, size_t *size, merrow_request_id *id) {
  void *request = self->request.create();
  if (!request) return NULL;
  rmw_service_info_t info;
  memset(&info, 0, sizeof info);
  bool taken = false;
  ros.rcutils_reset_error();
  rmw_ret_t ret = ros.rmw_take_request(self->service, &info, request, &taken);
  ret = result_of_take(ret, taken);
  bool is_empty = ret == RMW_RET_OK && !taken;
  if (ret == RMW_RET_OK && taken) {
    ret = ros.rmw_serialize(request, self->request.support, &self->buffer);
  }
  self->request.destroy(request);
  if (ret != RMW_RET_OK) ros.rcutils_reset_error();
  if (is_empty) return NULL;
  *size = ret == RMW_RET_OK ? self->buffer.buffer_length : 0;
  memcpy(id->writer, info.request_id.writer_guid, sizeof info.request_id.writer_guid);
  id->sequence_number = info.request_id.sequence_number;
  return self->buffer.buffer ? self->buffer.buffer : (const uint8_t *)"";
}

bool merrow_service_respond(
  const merrow_service *self, const merrow_request_id *id, const uint8_t *data, size_t size,
  merrow_error error) {
  void *response = self->response.create();
  if (!response) {
    describe(error, "out of memory");
    return false;
  }
  rcutils_uint8_array_t message = borrowed(data, size);
  const char *operation = "rmw_deserialize";
  rmw_ret_t ret = ros.rmw_deserialize(&message, self->response.support, response);
  if (ret == RMW_RET_OK) {
    rmw_request_id_t header;
    memset(&header, 0, sizeof header);
    memcpy(header.writer_guid, id->writer, sizeof header.writer_guid);
    header.sequence_number = id->sequence_number;
    operation = "rmw_send_response";
    ret = ros.rmw_send_response(self->service, &header, response);
  }
  self->response.destroy(response);
  if (ret != RMW_RET_OK) fail(error, operation);
  return ret == RMW_RET_OK;
}

void merrow_service_destroy(merrow_service *self) {
  merrow_service_notify(self, NULL, NULL);
  if (ros.rmw_destroy_service(self->context->node, self->service) != RMW_RET_OK) {
    ros.rcutils_reset_error();
  }
  free_buffer(&self->buffer);
  free(self);
}

merrow_client *merrow_client_create(
  merrow_context *context, const rosidl_service_type_support_t *support, merrow_message request,
  merrow_message response, const char *name, const merrow_qos *qos, merrow_error error) {
  merrow_client *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->context = context;
  self->request = request;
  self->response = response;
  self->buffer = empty_buffer();
  rmw_qos_profile_t policies = profile(qos);
  self->client = ros.rmw_create_client(context->node, support, name, &policies);
  if (self->client) return self;
  fail(error, "rmw_create_client");
  free(self);
  return NULL;
}

// Calls `notify` from any thread for responses; false if the implementation cannot.
bool merrow_client_notify(merrow_client *self, merrow_notify notify, const void *user) {
  rmw_ret_t set = ros.rmw_client_set_on_new_response_callback(self->client, notify, user);
  if (set != RMW_RET_OK) ros.rcutils_reset_error();
  return set == RMW_RET_OK;
}

// Returns whether a server receives the next request and its response arrives.
bool merrow_client_has_server(const merrow_client *self) {
  bool is_available = false;
  rmw_ret_t ret =
    ros.rmw_service_server_is_available(self->context->node, self->client, &is_available);
  if (ret != RMW_RET_OK) ros.rcutils_reset_error();
  return ret == RMW_RET_OK && is_available;
}

// Sends a request and writes its number, which is unique for the client.
bool merrow_client_call(
  const merrow_client *self, const uint8_t *data, size_t size, int64_t *number,
  merrow_error error) {
  void *request = self->request.create();
  if (!request) {
    describe(error, "out of memory");
    return false;
  }
  rcutils_uint8_array_t message = borrowed(data, size);
  const char *operation = "rmw_deserialize";
  rmw_ret_t ret = ros.rmw_deserialize(&message, self->request.support, request);
  if (ret == RMW_RET_OK) {
    operation = "rmw_send_request";
    ret = ros.rmw_send_request(self->client, request, number);
  }
  self->request.destroy(request);
  if (ret != RMW_RET_OK) fail(error, operation);
  return ret == RMW_RET_OK;
}

// Takes one response into a buffer that is valid until the next call, and writes the number of its
// request; NULL without a response. A response that cannot be decoded has size 0.
const uint8_t *merrow_client_take(merrow_client *self, size_t *size, int64_t *number) {
  void *response = self->response.create();
  if (!response) return NULL;
  rmw_service_info_t info;
  memset(&info, 0, sizeof info);
  bool taken = false;
  ros.rcutils_reset_error();
  rmw_ret_t ret = ros.rmw_take_response(self->client, &info, response, &taken);
  ret = result_of_take(ret, taken);
  bool is_empty = ret == RMW_RET_OK && !taken;
  if (ret == RMW_RET_OK && taken) {
    ret = ros.rmw_serialize(response, self->response.support, &self->buffer);
  }
  self->response.destroy(response);
  if (ret != RMW_RET_OK) ros.rcutils_reset_error();
  if (is_empty) return NULL;
  *size = ret == RMW_RET_OK ? self->buffer.buffer_length : 0;
  *number = info.request_id.sequence_number;
  return self->buffer.buffer ? self->buffer.buffer : (const uint8_t *)"";
}

void merrow_client_destroy(merrow_client *self) {
  merrow_client_notify(self, NULL, NULL);
  if (ros.rmw_destroy_client(self->context->node, self->client) != RMW_RET_OK) {
    ros.rcutils_reset_error();
  }
  free_buffer(&self->buffer);
  free(self);
}
