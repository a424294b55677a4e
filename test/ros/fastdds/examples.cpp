// Checks the examples of the crate `ros2` with Fast DDS, as rmw_fastrtps uses it; started by run.sh.
//
//     fastdds_examples FOLDER
//
// FOLDER contains the programs talker, listener, add_two_ints and add_two_ints_client. Prints `ok NAME` or `FAIL NAME: why`
// per check; the exit code is 1 if one failed. Built by build.sh.

#include "merrow.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <fstream>

static std::filesystem::path programs;

// A running example and a peer in its domain.
class Example {
 public:
  explicit Example(const std::string& name, const std::vector<std::string>& arguments = {}) : peer_(domain_.number()) {
    auto pattern = (std::filesystem::temp_directory_path() / "merrow-example-XXXXXX").string();
    expect(mkdtemp(pattern.data()) != nullptr, "no temporary folder");
    folder_ = pattern;
    std::vector<std::string> command{(programs / name).string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    process_ = start(command, domain_.number(), folder_);
  }
  ~Example() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    std::error_code ignored;  // a folder that remains is not an error of the tested program
    std::filesystem::remove_all(folder_, ignored);
  }
  Example(const Example&) = delete;
  Example& operator=(const Example&) = delete;

  Peer& peer() { return peer_; }
  bool has_logged(const std::string& text) const {
    std::ifstream in(folder_ / "err");
    const std::string log{std::istreambuf_iterator<char>(in), {}};
    return log.find(text) != std::string::npos;
  }

 private:
  Domain domain_;
  Peer peer_;
  std::filesystem::path folder_;
  pid_t process_ = -1;
};

static void check_talker() {
  Example example("talker");
  const auto sample = take(example.peer().reader("rt/chatter", kText), 10);
  expect(sample.has_value(), "no message");
  const auto text = decode_text(sample->bytes);
  expect(text.rfind("Hello World: ", 0) == 0, "another text: " + text);
}

static void check_listener() {
  Example example("listener");
  auto* writer = example.peer().writer("rt/chatter", kText);
  expect(wait_for([&] { return is_matched(writer); }), "the listener was not discovered");
  Bytes bytes = encode_text("ahoy");
  writer->write(&bytes);
  expect(wait_for([&] { return example.has_logged("I heard: ahoy"); }, 5), "the message was not logged");
}

static void check_add_two_ints() {
  Example example("add_two_ints");
  Client client(example.peer(), "/add_two_ints", "example_interfaces::srv::dds_::AddTwoInts");
  expect(client.wait(), "no service");
  for (int64_t b : {3, -5}) {
    const auto reply = client.receive(client.send(CdrWriter().put(int64_t{2}).put(b).bytes()));
    expect(reply.has_value(), "no reply");
    CdrReader in(*reply);
    const auto sum = in.get<int64_t>();
    expect(sum == 2 + b && in.at_end(), "another sum: " + std::to_string(sum));
  }
}

// A server as in rmw_fastrtps: the reply names the reader of the client and the sample of the request.
static void check_add_two_ints_client() {
  Example example("add_two_ints_client", {"2", "3"});
  auto* requests = example.peer().reader("rq/add_two_intsRequest", "example_interfaces::srv::dds_::AddTwoInts_Request_");
  auto* replies = example.peer().writer("rr/add_two_intsReply", "example_interfaces::srv::dds_::AddTwoInts_Response_");
  const auto request = take(requests, 10);
  expect(request.has_value(), "no request");
  CdrReader in(request->bytes);
  const auto a = in.get<int64_t>(), b = in.get<int64_t>();
  expect(a == 2 && b == 3 && in.at_end(), "another request");
  WriteParams params;
  params.related_sample_identity().writer_guid(request->related.writer_guid());
  params.related_sample_identity().sequence_number(request->own.sequence_number());
  auto reply = CdrWriter().put(a + b).bytes();
  replies->write(&reply, params);
  expect(wait_for([&] { return example.has_logged("sum: 5"); }, 5), "the sum was not logged");
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fastdds_examples FOLDER\n";
    return 2;
  }
  programs = argv[1];
  int failed = 0;
  for (const auto& check : {Check{"talker", check_talker}, Check{"listener", check_listener},
                            Check{"add_two_ints", check_add_two_ints},
                            Check{"add_two_ints_client", check_add_two_ints_client}}) {
    try {
      check.run();
      std::cout << "ok   " << check.name << std::endl;
    } catch (const std::exception& error) {
      ++failed;
      std::cout << "FAIL " << check.name << ": " << error.what() << std::endl;
    }
  }
  return failed > 0 ? 1 : 0;
}
