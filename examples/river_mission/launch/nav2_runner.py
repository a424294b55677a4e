"""Sends a boat from way-point to way-point with Nav2, and publishes the progress as the node `runner` of this example does.

    python3 nav2_runner.py BOAT X Y [X Y ...] --ros-args -p use_sim_time:=true

A way-point that Nav2 does not reach is given up. The program runs until it is interrupted.
"""

import sys
import time

import rclpy
from action_msgs.msg import GoalStatus
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.utilities import remove_ros_args
from std_msgs.msg import String

# wall time after which a goal is sent again to a server that is not active yet [s]
RETRY_S = 1.0


class Runner(Node):
    """The node. `way_points`: x and y in the frame `map` [m]."""

    def __init__(self, boat, way_points):
        super().__init__("nav2_runner")
        self.way_points, self.reached, self.given_up = way_points, 0, 0
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.progress = self.create_publisher(String, f"/{boat}/mission/progress", latched)
        self.client = ActionClient(self, NavigateToPose, "navigate_to_pose")

    def run(self):
        """Drives to all way-points."""
        self.publish("running")
        for number, place in enumerate(self.way_points, 1):
            is_reached = self.go_to(*place)
            self.reached += is_reached
            self.given_up += not is_reached
            self.get_logger().info(f"way-point {number} of {len(self.way_points)} {'reached' if is_reached else 'given up'}")
            self.publish("running" if number < len(self.way_points) else "done")

    def publish(self, state):
        self.progress.publish(String(data=f"{state} {self.reached} {self.given_up} {len(self.way_points)}"))

    def go_to(self, x, y):
        """Drives to a place; returns whether Nav2 has reached it."""
        goal = NavigateToPose.Goal()
        goal.pose.header.frame_id = "map"
        goal.pose.pose.position.x, goal.pose.pose.position.y, goal.pose.pose.orientation.w = x, y, 1.0
        self.client.wait_for_server()
        while not (handle := self.wait(self.client.send_goal_async(goal))).accepted:
            time.sleep(RETRY_S)
        return self.wait(handle.get_result_async()).status == GoalStatus.STATUS_SUCCEEDED

    def wait(self, future):
        rclpy.spin_until_future_complete(self, future)
        if not future.done():
            raise ExternalShutdownException
        return future.result()


def main():
    boat, *numbers = remove_ros_args(sys.argv)[1:]
    numbers = [float(number) for number in numbers]
    rclpy.init()
    try:
        runner = Runner(boat, list(zip(numbers[::2], numbers[1::2])))
        runner.run()
        rclpy.spin(runner)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
