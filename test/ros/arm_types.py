"""Types of the topics and actions of arms: `control_msgs` of Jazzy (5.x) and the action types that
rosidl generates.

Neither rosbags nor ros2-pyterfaces has them. They are written from the interface files of
control_msgs and action_msgs, never from Merrow's own declarations, in the notation of FIELDS in
peer.py.
"""

POINT = "trajectory_msgs/msg/JointTrajectoryPoint"
MULTI = "trajectory_msgs/msg/MultiDOFJointTrajectoryPoint"
UUID = "unique_identifier_msgs/msg/UUID"
FOLLOW = "control_msgs/action/FollowJointTrajectory"
GRIPPER = "control_msgs/action/GripperCommand"
PARALLEL = "control_msgs/action/ParallelGripperCommand"
CANCEL = "action_msgs/srv/CancelGoal"
STATUS = "action_msgs/msg/GoalStatusArray"

MESSAGES = {
    "control_msgs/msg/JointTolerance": "string name; float64 position; float64 velocity; float64 acceleration",
    "control_msgs/msg/JointComponentTolerance": "string joint_name; uint16 component; float64 position; "
    "float64 velocity; float64 acceleration",
    "control_msgs/msg/GripperCommand": "float64 position; float64 max_effort",
    "control_msgs/msg/JointTrajectoryControllerState": "std_msgs/msg/Header header; string[] joint_names; "
    f"{POINT} reference; {POINT} feedback; {POINT} error; {POINT} output; string[] multi_dof_joint_names; "
    f"{MULTI} multi_dof_reference; {MULTI} multi_dof_feedback; {MULTI} multi_dof_error; {MULTI} multi_dof_output; "
    "float64 speed_scaling_factor",
    f"{CANCEL}_Request": "action_msgs/msg/GoalInfo goal_info",
    f"{CANCEL}_Response": "int8 return_code; action_msgs/msg/GoalInfo[] goals_canceling",
}

GRIPPER_STATE = "float64 position; float64 effort; bool stalled; bool reached_goal"
ACTIONS = {
    FOLLOW: (
        "trajectory_msgs/msg/JointTrajectory trajectory; trajectory_msgs/msg/MultiDOFJointTrajectory "
        "multi_dof_trajectory; control_msgs/msg/JointTolerance[] path_tolerance; "
        "control_msgs/msg/JointComponentTolerance[] component_path_tolerance; "
        "control_msgs/msg/JointTolerance[] goal_tolerance; "
        "control_msgs/msg/JointComponentTolerance[] component_goal_tolerance; "
        "builtin_interfaces/msg/Duration goal_time_tolerance",
        "int32 error_code; string error_string",
        f"std_msgs/msg/Header header; string[] joint_names; {POINT} desired; {POINT} actual; {POINT} error; "
        f"string[] multi_dof_joint_names; {MULTI} multi_dof_desired; {MULTI} multi_dof_actual; {MULTI} multi_dof_error",
    ),
    GRIPPER: ("control_msgs/msg/GripperCommand command", GRIPPER_STATE, GRIPPER_STATE),
    PARALLEL: (
        "sensor_msgs/msg/JointState command",
        "sensor_msgs/msg/JointState state; bool stalled; bool reached_goal",
        "sensor_msgs/msg/JointState state",
    ),
}


def fields():
    """Returns all types: those above, and for each action its three messages, two services and the
    feedback message.
    """
    found = dict(MESSAGES)
    for name, (goal, result, feedback) in ACTIONS.items():
        found |= {
            f"{name}_Goal": goal,
            f"{name}_Result": result,
            f"{name}_Feedback": feedback,
            f"{name}_SendGoal_Request": f"{UUID} goal_id; {name}_Goal goal",
            f"{name}_SendGoal_Response": "bool accepted; builtin_interfaces/msg/Time stamp",
            f"{name}_GetResult_Request": f"{UUID} goal_id",
            f"{name}_GetResult_Response": f"int8 status; {name}_Result result",
            f"{name}_FeedbackMessage": f"{UUID} goal_id; {name}_Feedback feedback",
        }
    return found
