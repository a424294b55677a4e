// A running `merrow` process and a Fast DDS peer: the interface of the checks.
//
// Each process has its own DDS domain. Topics, services and parameters of a world come from `merrow
// describe`, converted by facts.py.

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages.hpp"
#include "peer.hpp"

// Fails the current check with a reason.
inline void expect(bool holds, const std::string& otherwise) {
  if (!holds) throw std::runtime_error(otherwise);
}

inline std::string number(double value) { return std::to_string(value); }

struct PublishedTopic {
  std::string name, type;
  double rate_hz;  // 0: once, or on change
  bool latched;
};

struct Parameter {
  std::string name, type, initial;
  double low, high;
};

struct Facts {
  int64_t step_ns = 0;
  std::vector<PublishedTopic> published;
  std::vector<std::pair<std::string, std::string>> subscribed, services;  // name, type
  std::vector<Parameter> parameters;

  std::string type_of(const std::string& topic) const;
};

// Arguments of the program.
struct Setting {
  std::string program;
  std::filesystem::path facts;
};
inline Setting setting;

const Facts& facts_of(const std::string& world);

// Returns the DDS name of `pkg/msg/Type`.
std::string dds_type(const std::string& ros_type);

// A DDS domain that no other test on this machine uses.
class Domain {
 public:
  Domain();
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  uint32_t number() const { return number_; }

 private:
  uint32_t number_ = 0;
  int file_ = -1;
};

// Starts a program in a DDS domain. It writes to the files `out` and `err` of the folder.
pid_t start(const std::vector<std::string>& command, uint32_t domain, const std::filesystem::path& folder);

struct Response {
  bool success = false;
  std::string message;
};

struct Stepped : Response {
  int64_t time_ns = 0;
};

// A `merrow run` process; it ends with the object.
class Merrow {
 public:
  explicit Merrow(const std::string& world, const std::vector<std::string>& options = {});
  ~Merrow();
  Merrow(const Merrow&) = delete;
  Merrow& operator=(const Merrow&) = delete;

  const Facts& facts() const { return facts_; }
  const std::filesystem::path& folder() const { return folder_; }
  uint32_t domain() const { return domain_.number(); }
  std::string errors() const;
  void alive();
  // Sends SIGINT and returns the exit code.
  int end();

  // topics
  DataReader* listen(const std::string& topic, const std::string& type = "", bool latched = false);
  void write(const std::string& topic, const Bytes& bytes);
  // Gives the node time to discover the newest reader or writer: a match is known on one side
  // first.
  void settle();

  // services
  Client& client(const std::string& service);
  Bytes call(const std::string& service, const Bytes& request);
  Response trigger(const std::string& service);
  void must(const std::string& service);
  Stepped try_step(uint64_t n);
  int64_t step(uint64_t n);
  Response set_pose(const std::string& robot, const Vector3& position, const Quaternion& orientation = {0, 0, 0, 1},
                const Vector3& linear = {0, 0, 0});
  Response record(const std::string& uri);

  // parameters
  Response set(const std::string& name, const Value& value);
  Value get(const std::string& name);

 private:
  Domain domain_;
  const Facts& facts_;
  std::filesystem::path folder_;
  pid_t process_ = -1;
  std::unique_ptr<Peer> peer_;
  std::map<std::string, DataWriter*> writers_;
  std::map<std::string, Client> clients_;
  bool fresh_ = false;
};

// Reads success and message, which most responses contain.
Response read_response(CdrReader& in);

// Returns all samples received so far.
std::vector<Bytes> take_all(DataReader* reader);

template <class Message>
std::vector<Message> all(DataReader* reader) {
  return decode_all<Message>(take_all(reader));
}

// Waits for messages and returns the newest.
template <class Message>
Message latest(DataReader* reader, double timeout_s = 5) {
  std::vector<Message> found;
  expect(wait_for([&] { return !(found = all<Message>(reader)).empty(); }, timeout_s),
         std::string("no ") + Message::kType);
  return found.back();
}

// Returns the first message from now on for which `condition` holds.
template <class Message, class Condition>
Message wait_until(DataReader* reader, Condition condition, double timeout_s = 5) {
  std::optional<Message> found;
  const bool came = wait_for(
      [&] {
        for (auto& message : all<Message>(reader)) {
          if (!found && condition(message)) found = message;
        }
        return found.has_value();
      },
      timeout_s);
  expect(came, std::string("no such ") + Message::kType);
  return *found;
}

inline void sleep_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

struct Check {
  const char* name;
  void (*run)();
};

extern const std::vector<Check> kServiceChecks, kParameterChecks, kActionChecks, kGarbageChecks;
