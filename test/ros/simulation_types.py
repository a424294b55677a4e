"""Types of simulation_interfaces 2.1.0, in the notation of peer.FIELDS."""

import arm_types
import peer

TYPES = {
    "simulation_interfaces/action/SimulateSteps_Goal": "uint64 steps",
    "simulation_interfaces/action/SimulateSteps_Result": "simulation_interfaces/msg/Result result",
    "simulation_interfaces/action/SimulateSteps_Feedback": "uint64 completed_steps; uint64 remaining_steps",
    "simulation_interfaces/msg/Bounds": "uint8 type; geometry_msgs/msg/Vector3[] points",
    "simulation_interfaces/msg/EntityCategory": "uint8 category",
    "simulation_interfaces/msg/EntityFilters": "string filter; simulation_interfaces/msg/EntityCategory[] categories; "
    "simulation_interfaces/msg/TagsFilter tags; simulation_interfaces/msg/Bounds bounds",
    "simulation_interfaces/msg/EntityInfo": "simulation_interfaces/msg/EntityCategory category; string description; string[] tags",
    "simulation_interfaces/msg/EntityState": "std_msgs/msg/Header header; geometry_msgs/msg/Pose pose; geometry_msgs/msg/Twist twist; "
    "geometry_msgs/msg/Accel acceleration",
    "simulation_interfaces/msg/NamedPose": "string name; string description; string[] tags; geometry_msgs/msg/Pose pose",
    "simulation_interfaces/msg/Resource": "string uri; string resource_string",
    "simulation_interfaces/msg/Result": "uint8 result; string error_message",
    "simulation_interfaces/msg/SimulationState": "uint8 state",
    "simulation_interfaces/msg/SimulatorFeatures": "uint16[] features; string[] spawn_formats; string custom_info",
    "simulation_interfaces/msg/SpawnEntity": "string name; bool allow_renaming; simulation_interfaces/msg/Resource entity_resource; "
    "string entity_namespace; geometry_msgs/msg/PoseStamped initial_pose",
    "simulation_interfaces/msg/SpawnResult": "simulation_interfaces/msg/Result result; string entity_name",
    "simulation_interfaces/msg/Spawnable": "simulation_interfaces/msg/Resource entity_resource; string description; "
    "simulation_interfaces/msg/Bounds spawn_bounds",
    "simulation_interfaces/msg/TagsFilter": "string[] tags; uint8 filter_mode",
    "simulation_interfaces/msg/WorldResource": "string name; simulation_interfaces/msg/Resource world_resource; string description; string[] tags",
    "simulation_interfaces/srv/DeleteEntity_Request": "string entity",
    "simulation_interfaces/srv/DeleteEntity_Response": "simulation_interfaces/msg/Result result",
    "simulation_interfaces/srv/GetAvailableWorlds_Request": "string[] additional_sources; simulation_interfaces/msg/TagsFilter filter; bool offline_only; "
    "bool continue_on_error",
    "simulation_interfaces/srv/GetAvailableWorlds_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/WorldResource[] worlds",
    "simulation_interfaces/srv/GetCurrentWorld_Request": "uint8 structure_needs_at_least_one_member",
    "simulation_interfaces/srv/GetCurrentWorld_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/WorldResource world",
    "simulation_interfaces/srv/GetEntities_Request": "simulation_interfaces/msg/EntityFilters filters",
    "simulation_interfaces/srv/GetEntities_Response": "simulation_interfaces/msg/Result result; string[] entities",
    "simulation_interfaces/srv/GetEntitiesStates_Request": "simulation_interfaces/msg/EntityFilters filters",
    "simulation_interfaces/srv/GetEntitiesStates_Response": "simulation_interfaces/msg/Result result; string[] entities; "
    "simulation_interfaces/msg/EntityState[] states",
    "simulation_interfaces/srv/GetEntityBounds_Request": "string entity",
    "simulation_interfaces/srv/GetEntityBounds_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/Bounds bounds",
    "simulation_interfaces/srv/GetEntityInfo_Request": "string entity",
    "simulation_interfaces/srv/GetEntityInfo_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/EntityInfo info",
    "simulation_interfaces/srv/GetEntityState_Request": "string entity",
    "simulation_interfaces/srv/GetEntityState_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/EntityState state",
    "simulation_interfaces/srv/GetNamedPoseBounds_Request": "string name",
    "simulation_interfaces/srv/GetNamedPoseBounds_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/Bounds bounds",
    "simulation_interfaces/srv/GetNamedPoses_Request": "simulation_interfaces/msg/TagsFilter tags",
    "simulation_interfaces/srv/GetNamedPoses_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/NamedPose[] poses",
    "simulation_interfaces/srv/GetSimulationState_Request": "uint8 structure_needs_at_least_one_member",
    "simulation_interfaces/srv/GetSimulationState_Response": "simulation_interfaces/msg/SimulationState state; simulation_interfaces/msg/Result result",
    "simulation_interfaces/srv/GetSimulatorFeatures_Request": "uint8 structure_needs_at_least_one_member",
    "simulation_interfaces/srv/GetSimulatorFeatures_Response": "simulation_interfaces/msg/SimulatorFeatures features",
    "simulation_interfaces/srv/GetSpawnables_Request": "string[] sources",
    "simulation_interfaces/srv/GetSpawnables_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/Spawnable[] spawnables",
    "simulation_interfaces/srv/LoadWorld_Request": "simulation_interfaces/msg/Resource world_resource; bool fail_on_unsupported_element; "
    "bool ignore_missing_or_unsupported_assets",
    "simulation_interfaces/srv/LoadWorld_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/WorldResource world",
    "simulation_interfaces/srv/ResetSimulation_Request": "uint8 scope",
    "simulation_interfaces/srv/ResetSimulation_Response": "simulation_interfaces/msg/Result result",
    "simulation_interfaces/srv/SetEntityInfo_Request": "string entity; simulation_interfaces/msg/EntityInfo info",
    "simulation_interfaces/srv/SetEntityInfo_Response": "simulation_interfaces/msg/Result result",
    "simulation_interfaces/srv/SetEntityState_Request": "string entity; simulation_interfaces/msg/EntityState state; bool set_pose; bool set_twist; "
    "bool set_acceleration",
    "simulation_interfaces/srv/SetEntityState_Response": "simulation_interfaces/msg/Result result",
    "simulation_interfaces/srv/SetSimulationState_Request": "simulation_interfaces/msg/SimulationState state",
    "simulation_interfaces/srv/SetSimulationState_Response": "simulation_interfaces/msg/Result result",
    "simulation_interfaces/srv/SpawnEntities_Request": "simulation_interfaces/msg/SpawnEntity[] spawn_requests",
    "simulation_interfaces/srv/SpawnEntities_Response": "simulation_interfaces/msg/Result result; simulation_interfaces/msg/SpawnResult[] results",
    "simulation_interfaces/srv/SpawnEntity_Request": "string name; bool allow_renaming; simulation_interfaces/msg/Resource entity_resource; "
    "string entity_namespace; geometry_msgs/msg/PoseStamped initial_pose",
    "simulation_interfaces/srv/SpawnEntity_Response": "simulation_interfaces/msg/Result result; string entity_name",
    "simulation_interfaces/srv/StepSimulation_Request": "uint64 steps",
    "simulation_interfaces/srv/StepSimulation_Response": "simulation_interfaces/msg/Result result",
    "simulation_interfaces/srv/UnloadWorld_Request": "uint8 structure_needs_at_least_one_member",
    "simulation_interfaces/srv/UnloadWorld_Response": "simulation_interfaces/msg/Result result",
}

STEPS = "simulation_interfaces/action/SimulateSteps"
arm_types.ACTIONS[STEPS] = tuple(TYPES[f"{STEPS}_{part}"] for part in ("Goal", "Result", "Feedback"))
peer.FIELDS.update(TYPES | arm_types.fields())
peer.FIELDS["merrow_msgs/srv/SaveWorld_Request"] = "string uri"
peer.FIELDS["merrow_msgs/srv/SaveWorld_Response"] = "bool success; string message"
peer.FIELDS["merrow_msgs/srv/ApplyWrench_Request"] = (
    "string body; string reference_frame; geometry_msgs/msg/Point reference_point; geometry_msgs/msg/Wrench wrench; "
    "float64 delay_s; float64 duration_s"
)
peer.FIELDS["merrow_msgs/srv/ApplyWrench_Response"] = "bool success; string message"
peer.FIELDS["merrow_msgs/srv/ClearWrenches_Request"] = "string body"
peer.FIELDS["merrow_msgs/srv/ClearWrenches_Response"] = "bool success; string message"
