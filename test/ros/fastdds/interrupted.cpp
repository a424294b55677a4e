// The Fast DDS peer of network/interruptions.py, which interrupts the network between this program
// and a world with an arm. network/interrupted.py is the Cyclone DDS peer.
//
//     fastdds_interrupted DOMAIN [ADDRESS]
//
// Prints `0 0`, then one line per round: the number of clock messages since the last line, and 1 if
// services, parameters, a latched topic and an action work, else 0. With ADDRESS, the participant
// announces itself to this address and does not use multicast. Built by build.sh.

#include "peer.hpp"

#include <random>

using Id = std::array<uint8_t, 16>;

static const std::string kAction = "/bench/gripper_controller/gripper_cmd/_action/";
static const std::string kActionType = "control_msgs::action::dds_::GripperCommand";

static CdrWriter open_with(const Id& id) {
  CdrWriter out;
  for (uint8_t byte : id) out.put(byte);
  return out;
}

class Checks {
 public:
  explicit Checks(Peer& peer)
      : peer_(peer),
        clock_(peer.reader("rt/clock", "rosgraph_msgs::msg::dds_::Clock_")),
        get_(peer, "/merrow/get_parameters", "rcl_interfaces::srv::dds_::GetParameters"),
        set_(peer, "/merrow/set_parameters", "rcl_interfaces::srv::dds_::SetParameters"),
        step_(peer, "/merrow/step", "merrow_msgs::srv::dds_::StepSimulation"),
        send_goal_(peer, kAction + "send_goal", kActionType + "_SendGoal"),
        get_result_(peer, kAction + "get_result", kActionType + "_GetResult") {}

  // Returns the number of clock messages since the last call.
  int clocks() {
    int n = 0;
    while (take(clock_, 0)) ++n;
    return n;
  }

  bool work() {
    for (auto* client : {&get_, &set_, &step_, &send_goal_, &get_result_}) {
      if (!client->wait(0.1)) return false;
    }
    const bool has_replies = call(get_, CdrWriter().texts({"pace"})) && call(set_, CdrWriter().put(uint32_t{0})) &&
                             call(step_, CdrWriter().put(uint64_t{1}));
    return has_replies && latched_topic_works() && action_works();
  }

 private:
  static std::optional<Bytes> call(Client& client, const CdrWriter& request) {
    return client.receive(client.send(request.bytes()));
  }

  // A late subscriber receives the sample.
  bool latched_topic_works() {
    auto* reader = peer_.reader("rt/tf_static", "tf2_msgs::msg::dds_::TFMessage_", true, true);
    const bool received = take(reader, 1).has_value();
    peer_.remove(reader);
    return received;
  }

  bool action_works() {
    // the last goal was accepted before the interruption
    if (last_ && !call(get_result_, open_with(*last_))) return false;
    Id goal;
    for (auto& byte : goal) byte = static_cast<uint8_t>(random_());
    const auto answer = call(send_goal_, open_with(goal).put(0.0).put(0.0));
    if (!answer || !CdrReader(*answer).boolean()) return false;
    last_ = goal;
    return call(get_result_, open_with(goal)).has_value();
  }

  Peer& peer_;
  DataReader* clock_;
  Client get_, set_, step_, send_goal_, get_result_;
  std::random_device random_;
  std::optional<Id> last_;
};

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "expected DOMAIN [ADDRESS]\n";
    return 2;
  }
  std::cout << "0 0" << std::endl;
  Peer peer(static_cast<uint32_t>(std::stoul(argv[1])), argc == 3 ? argv[2] : "");
  Checks checks(peer);
  while (true) {
    const int clocks = checks.clocks();
    std::cout << clocks << ' ' << (clocks > 0 && checks.work() ? 1 : 0) << std::endl;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}
