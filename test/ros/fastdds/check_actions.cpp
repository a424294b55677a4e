// Checks of the actions of an arm, used as by a Fast DDS client of rclcpp_action.

#include <random>

#include "merrow.hpp"

using Id = std::array<uint8_t, 16>;

constexpr int8_t kUnknown = 0, kExecuting = 2, kSucceeded = 4, kCanceled = 5;
constexpr int32_t kInvalidJoints = -2;
constexpr uint64_t kStepsPerSecond = 1000;
static const std::string kAction = "/uvms/arm_controller/follow_joint_trajectory";
static const std::string kType = "control_msgs::action::dds_::FollowJointTrajectory";
static const std::vector<std::string> kJoints = {"base", "shoulder", "elbow", "wrist"};

static Id new_id() {
  static std::mt19937 random(11);
  Id id;
  for (auto& byte : id) byte = static_cast<uint8_t>(random());
  return id;
}

static CdrWriter open_with(const Id& id) {
  CdrWriter out;
  for (uint8_t byte : id) out.put(byte);
  return out;
}

struct Ended {
  int8_t status;
  int32_t code;
  std::string why;
};

class Arm {
 public:
  explicit Arm(Merrow& merrow)
      : peer_(merrow.domain()),
        send_goal_(peer_, kAction + "/_action/send_goal", kType + "_SendGoal"),
        cancel_goal_(peer_, kAction + "/_action/cancel_goal", "action_msgs::srv::dds_::CancelGoal"),
        get_result_(peer_, kAction + "/_action/get_result", kType + "_GetResult"),
        feedback_(peer_.reader("rt" + kAction + "/_action/feedback", kType + "_FeedbackMessage_")),
        status_(peer_.reader("rt" + kAction + "/_action/status", "action_msgs::msg::dds_::GoalStatusArray_", true, true)) {
    for (auto* client : {&send_goal_, &cancel_goal_, &get_result_}) expect(client->wait(), "a service of the action lacks");
    expect(wait_for([&] { return is_matched(feedback_) && is_matched(status_); }), "a topic of the action lacks");
    sleep_s(0.1);
  }

  // Sends a goal to reach `positions` after a time; returns whether it is accepted.
  bool send(const Id& id, const std::vector<std::string>& joints, const std::vector<double>& positions, int32_t seconds) {
    auto out = open_with(id);
    const std::vector<double> none, rest(positions.size(), 0.0);
    out.header("").texts(joints);
    out.put(uint32_t{1}).sequence(positions).sequence(rest).sequence(none).sequence(none).put(seconds).put(uint32_t{0});
    out.header("").texts({}).put(uint32_t{0});              // multi-DOF trajectory
    for (int lists = 0; lists < 4; ++lists) out.put(uint32_t{0});  // tolerances
    out.put(int32_t{0}).put(uint32_t{0});
    const auto reply = send_goal_.receive(send_goal_.send(out.bytes()));
    expect(reply.has_value(), "no answer to a goal");
    CdrReader in(*reply);
    const bool accepted = in.boolean();
    in.time_ns();
    expect(in.at_end(), "bytes are left after the answer to a goal");
    return accepted;
  }

  SampleIdentity ask(const Id& id) { return get_result_.send(open_with(id).bytes()); }

  std::optional<Ended> result(const SampleIdentity& requested, double timeout_s = 10) {
    const auto reply = get_result_.receive(requested, timeout_s);
    if (!reply) return std::nullopt;
    CdrReader in(*reply);
    return Ended{in.get<int8_t>(), in.get<int32_t>(), in.text()};
  }

  // Returns the IDs of the goals that are being canceled.
  std::vector<Id> cancel(const Id& id) {
    const auto reply = cancel_goal_.receive(cancel_goal_.send(open_with(id).put(int32_t{0}).put(uint32_t{0}).bytes()));
    expect(reply.has_value(), "no answer to a cancel request");
    CdrReader in(*reply);
    expect(in.get<int8_t>() == 0, "the cancel request is refused");
    std::vector<Id> goals(in.count());
    for (auto& goal : goals) {
      goal = in.array<uint8_t, 16>();
      in.time_ns();
    }
    return goals;
  }

  // Returns the number of feedback messages of a goal.
  size_t feedback(const Id& id) {
    size_t n = 0;
    for (const auto& bytes : take_all(feedback_)) {
      CdrReader in(bytes);
      n += in.array<uint8_t, 16>() == id;
    }
    return n;
  }

  bool has_status(const Id& id, int8_t status) {
    return wait_for([&] {
      for (const auto& bytes : take_all(status_)) {
        CdrReader in(bytes);
        for (size_t n = in.count(); n > 0; --n) {
          const auto goal = in.array<uint8_t, 16>();
          in.time_ns();
          known_[goal] = in.get<int8_t>();
        }
      }
      return known_.count(id) > 0 && known_[id] == status;
    });
  }

 private:
  Peer peer_;
  Client send_goal_, cancel_goal_, get_result_;
  DataReader *feedback_, *status_;
  std::map<Id, int8_t> known_;
};

// A goal is accepted, gives feedback, is reached and reported; its status is available to late
// subscribers.
static void check_goal() {
  Merrow merrow("uvms_pool", {"--pace", "lockstep"});
  Arm arm(merrow);
  const auto id = new_id();
  expect(arm.send(id, kJoints, {0.2, 0.3, 0.2, -1.0}, 2), "rejected");
  expect(arm.has_status(id, kExecuting), "not executing");
  const auto early = arm.ask(id);
  merrow.step(kStepsPerSecond);
  expect(!arm.result(early, 0.2), "a result before the end");
  merrow.step(2 * kStepsPerSecond);
  const auto late = arm.ask(id);
  const auto first = arm.result(early), second = arm.result(late);
  for (const auto& ended : {first, second}) {
    expect(ended && ended->status == kSucceeded && ended->code == 0, ended ? ended->why : "no result");
  }
  const auto response = arm.feedback(id);
  expect(response > 50, "feedback " + std::to_string(response) + " times in 2 s");
  expect(arm.has_status(id, kSucceeded), "not succeeded");
  expect(Arm(merrow).has_status(id, kSucceeded), "not succeeded, for a late client");
}

static void check_cancel_and_reject() {
  Merrow merrow("uvms_pool", {"--pace", "lockstep"});
  Arm arm(merrow);
  const auto id = new_id(), bad = new_id();
  expect(arm.send(id, kJoints, {0.2, 0.3, 0.2, -1.0}, 2), "rejected");
  merrow.step(kStepsPerSecond);
  expect(!arm.send(bad, {"base", "nothing", "elbow", "wrist"}, {0, 0, 0, 0}, 2), "an unknown joint is accepted");
  const auto why = arm.result(arm.ask(bad));
  expect(why && why->status == kUnknown && why->code == kInvalidJoints, why ? why->why : "no reason");
  expect(arm.cancel(id) == std::vector<Id>{id}, "not canceled");
  const auto ended = arm.result(arm.ask(id));
  expect(ended && ended->status == kCanceled, ended ? ended->why : "no result");
  expect(arm.has_status(id, kCanceled), "the status is another");
}

const std::vector<Check> kActionChecks = {{"action_goal", check_goal}, {"action_cancel_and_reject", check_cancel_and_reject}};
