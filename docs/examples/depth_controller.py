#!/usr/bin/env python3
"""Holds the depth of the BlueROV2 of the world `pool` with its pressure sensor.

    merrow run pool
    python3 depth_controller.py 3.0
"""

import sys

import rclpy
from geometry_msgs.msg import Wrench
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import FluidPressure

SURFACE_PA = 101_325.0
PA_PER_M = 9_810.0
POSITION_GAIN, VELOCITY_GAIN, INTEGRAL_GAIN = 60.0, 80.0, 10.0
MAX_INTEGRAL_N = 20.0


class DepthController(Node):
    """A PID controller: pressure in, force on the thruster manager out."""

    def __init__(self, goal_m):
        super().__init__("depth_controller")
        self.goal_m, self.last, self.speed, self.integral = goal_m, None, 0.0, 0.0
        self.force = self.create_publisher(Wrench, "/bluerov2/thruster_manager/input", 10)
        self.create_subscription(FluidPressure, "/bluerov2/pressure/data", self.on_pressure, 10)

    def on_pressure(self, message):
        depth = (message.fluid_pressure - SURFACE_PA) / PA_PER_M
        now = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        error = self.goal_m - depth
        if self.last is not None and now > self.last[0]:
            dt = now - self.last[0]
            # the sensor is noisy: low-pass with 0.2 s
            self.speed += min(1.0, dt / 0.2) * ((depth - self.last[1]) / dt - self.speed)
            self.integral += INTEGRAL_GAIN * error * dt
            self.integral = max(-MAX_INTEGRAL_N, min(MAX_INTEGRAL_N, self.integral))
        self.last = now, depth
        wrench = Wrench()
        # a positive force points upwards
        wrench.force.z = -(POSITION_GAIN * error - VELOCITY_GAIN * self.speed + self.integral)
        self.force.publish(wrench)


def main():
    rclpy.init()
    node = DepthController(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass  # Ctrl-C or SIGTERM
    finally:
        node.destroy_node()
        # rclpy has already shut down after a signal
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
