#include "merrow.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

constexpr double kSettles_s = 0.2;
// The DDS ports of domains above 100 are in the range of Linux ephemeral ports.
constexpr uint32_t kDomains = 100;

// The six parameter services of every node.
static const std::pair<const char*, const char*> kParameterServices[] = {
    {"get_parameters", "GetParameters"},   {"get_parameter_types", "GetParameterTypes"},
    {"set_parameters", "SetParameters"},   {"set_parameters_atomically", "SetParametersAtomically"},
    {"list_parameters", "ListParameters"}, {"describe_parameters", "DescribeParameters"},
};

static std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
  return words;
}

static Facts read_facts(const std::filesystem::path& path) {
  Facts facts;
  std::ifstream in(path);
  expect(in.good(), "cannot read " + path.string());
  for (std::string line; std::getline(in, line);) {
    const auto w = split(line);
    const auto& kind = w.at(0);
    if (kind == "step_ns") facts.step_ns = std::stoll(w.at(1));
    if (kind == "published") facts.published.push_back({w.at(1), w.at(2), std::stod(w.at(3)), w.at(4) == "latched"});
    if (kind == "subscribed") facts.subscribed.emplace_back(w.at(1), w.at(2));
    if (kind == "service") facts.services.emplace_back(w.at(1), w.at(2));
    if (kind == "parameter") {
      facts.parameters.push_back({w.at(1), w.at(2), w.at(3), std::stod(w.at(4)), std::stod(w.at(5))});
    }
  }
  for (const auto& [name, type] : kParameterServices) {
    facts.services.emplace_back(std::string("/merrow/") + name, std::string("rcl_interfaces/srv/") + type);
  }
  expect(facts.step_ns > 0 && !facts.published.empty(), path.string() + " holds no facts");
  return facts;
}

const Facts& facts_of(const std::string& world) {
  static std::map<std::string, Facts> known;
  const auto found = known.find(world);
  if (found != known.end()) return found->second;
  return known.emplace(world, read_facts(setting.facts / (std::filesystem::path(world).stem().string() + ".facts"))).first->second;
}

std::string Facts::type_of(const std::string& topic) const {
  for (const auto& known : published) {
    if (known.name == topic) return known.type;
  }
  for (const auto& [name, type] : subscribed) {
    if (name == topic) return type;
  }
  throw std::runtime_error("no topic " + topic);
}

std::string dds_type(const std::string& ros_type) {
  const auto first = ros_type.find('/'), last = ros_type.rfind('/');
  return ros_type.substr(0, first) + "::" + ros_type.substr(first + 1, last - first - 1) +
         "::dds_::" + ros_type.substr(last + 1);
}

// The lock files are shared with live.py, so that the peers of both DDS implementations use different
// domains.
Domain::Domain() {
  static uint32_t next = static_cast<uint32_t>(getpid());
  for (uint32_t tries = 0; tries < kDomains; ++tries) {
    number_ = next++ % kDomains + 1;
    const auto name = "merrow-test-domain-" + std::to_string(number_) + ".lock";
    file_ = open((std::filesystem::temp_directory_path() / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    if (file_ >= 0) close(file_);
  }
  throw std::runtime_error("all domains are taken");
}

Domain::~Domain() { close(file_); }

pid_t start(const std::vector<std::string>& command, uint32_t domain, const std::filesystem::path& folder) {
  std::vector<char*> arguments, environment;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto own = "ROS_DOMAIN_ID=" + std::to_string(domain);
  for (char** each = environ; *each != nullptr; ++each) {
    if (std::strncmp(*each, "ROS_", 4) != 0) environment.push_back(*each);
  }
  environment.push_back(const_cast<char*>(own.c_str()));
  environment.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, (folder / "out").c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, (folder / "err").c_str(), kFlags, 0600);
  pid_t process = -1;
  const int error = posix_spawn(&process, arguments[0], &files, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  expect(error == 0, command[0] + " does not start: " + std::strerror(error));
  return process;
}

Merrow::Merrow(const std::string& world, const std::vector<std::string>& options) : facts_(facts_of(world)) {
  auto pattern = (std::filesystem::temp_directory_path() / "merrow-fastdds-XXXXXX").string();
  expect(mkdtemp(pattern.data()) != nullptr, "no temporary folder");
  folder_ = pattern;
  std::vector<std::string> command = {setting.program, "run", world};
  command.insert(command.end(), options.begin(), options.end());
  process_ = start(command, domain_.number(), folder_);
  peer_ = std::make_unique<Peer>(domain_.number());
  client("step");
  client("get_parameters");
}

Merrow::~Merrow() {
  peer_.reset();
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;  // a folder that remains is not an error of the tested program
  std::filesystem::remove_all(folder_, ignored);
}

std::string Merrow::errors() const {
  std::ifstream in(folder_ / "err");
  return {std::istreambuf_iterator<char>(in), {}};
}

void Merrow::alive() {
  if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == 0) return;
  process_ = -1;
  throw std::runtime_error("the process has ended: " + errors());
}

int Merrow::end() {
  kill(process_, SIGINT);
  int status = 0;
  const bool ended = wait_for([&] { return waitpid(process_, &status, WNOHANG) == process_; }, 3);
  expect(ended, "the process does not end");
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

DataReader* Merrow::listen(const std::string& topic, const std::string& type, bool latched) {
  const auto kind = dds_type(type.empty() ? facts_.type_of(topic) : type) + "_";
  auto* reader = peer_->reader("rt" + topic, kind, true, latched);
  expect(wait_for([&] { return is_matched(reader); }), "nobody publishes " + topic);
  fresh_ = true;
  return reader;
}

void Merrow::write(const std::string& topic, const Bytes& bytes) {
  auto& writer = writers_[topic];
  if (writer == nullptr) {
    writer = peer_->writer("rt" + topic, dds_type(facts_.type_of(topic)) + "_");
    expect(wait_for([&] { return is_matched(writer); }), "nobody listens to " + topic);
    fresh_ = true;
  }
  settle();
  Bytes copy = bytes;
  writer->write(&copy);
}

void Merrow::settle() {
  if (fresh_) sleep_s(kSettles_s);
  fresh_ = false;
}

Client& Merrow::client(const std::string& service) {
  const auto found = clients_.find(service);
  if (found != clients_.end()) return found->second;
  const auto name = "/merrow/" + service;
  for (const auto& [known, type] : facts_.services) {
    if (known != name) continue;
    Client client(*peer_, name, dds_type(type));
    if (!client.wait()) {
      alive();
      throw std::runtime_error("no service " + name);
    }
    return clients_.emplace(service, client).first->second;
  }
  throw std::runtime_error(name + " is not among the services of describe");
}

Bytes Merrow::call(const std::string& service, const Bytes& request) {
  auto& requested = client(service);
  auto reply = requested.receive(requested.send(request), 10);
  if (!reply) alive();
  expect(reply.has_value(), "no reply from " + service);
  return *reply;
}

Response read_response(CdrReader& in) { return Response{in.boolean(), in.text()}; }

static Response decode_response(const Bytes& bytes) {
  CdrReader in(bytes);
  auto response = read_response(in);
  expect(in.at_end(), "bytes are left after a reply");
  return response;
}

Response Merrow::trigger(const std::string& service) {
  return decode_response(call(service, CdrWriter().put(uint8_t{0}).bytes()));
}

void Merrow::must(const std::string& service) {
  const auto response = trigger(service);
  expect(response.success, service + ": " + response.message);
}

Stepped Merrow::try_step(uint64_t n) {
  settle();
  const auto bytes = call("step", CdrWriter().put(n).bytes());
  CdrReader in(bytes);
  Stepped stepped;
  static_cast<Response&>(stepped) = read_response(in);
  stepped.time_ns = in.time_ns();
  return stepped;
}

int64_t Merrow::step(uint64_t n) {
  const auto stepped = try_step(n);
  expect(stepped.success, "step: " + stepped.message);
  return stepped.time_ns;
}

Response Merrow::set_pose(const std::string& robot, const Vector3& position, const Quaternion& orientation,
                      const Vector3& linear) {
  CdrWriter out;
  out.text(robot);
  for (double x : position) out.put(x);
  for (double x : orientation) out.put(x);
  for (double x : linear) out.put(x);
  for (int i = 0; i < 3; ++i) out.put(0.0);
  return decode_response(call("set_pose", out.bytes()));
}

Response Merrow::record(const std::string& uri) { return decode_response(call("record", CdrWriter().text(uri).bytes())); }

Response Merrow::set(const std::string& name, const Value& value) {
  CdrWriter out;
  out.put(uint32_t{1}).text(name);
  value.write(out);
  const auto bytes = call("set_parameters", out.bytes());
  CdrReader in(bytes);
  expect(in.count() == 1, "set_parameters: not one result");
  return read_response(in);
}

Value Merrow::get(const std::string& name) {
  const auto bytes = call("get_parameters", CdrWriter().texts({name}).bytes());
  CdrReader in(bytes);
  expect(in.count() == 1, "get_parameters: not one value");
  return Value::read(in);
}

std::vector<Bytes> take_all(DataReader* reader) {
  std::vector<Bytes> found;
  Bytes bytes;
  SampleInfo info;
  while (reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK) {
    if (info.valid_data) found.push_back(bytes);
  }
  return found;
}
