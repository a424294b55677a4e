"""Types of sonars, radars, probes and detectors: `marine_acoustic_msgs` and `marine_sensor_msgs`
2.1, `nmea_msgs` 2.1 and `vision_msgs` 4.1.

rosbags has none of them. They are written from the interface files of these packages, never from
Merrow's own declarations, in the notation of FIELDS in peer.py.
"""

HEADER = "std_msgs/msg/Header header"
PING = "marine_acoustic_msgs/msg/PingInfo ping_info"
FLAGS = "marine_acoustic_msgs/msg/DetectionFlag[] flags"
ECHOES = "marine_acoustic_msgs/msg/SonarImageData image"
DURATION = "builtin_interfaces/msg/Duration"

MESSAGES = {
    "marine_acoustic_msgs/msg/Dvl": f"{HEADER}; uint8 velocity_mode; uint8 dvl_type; "
    "geometry_msgs/msg/Vector3 velocity; float64[9] velocity_covar; float64 altitude; float64 course_gnd; "
    "float64 speed_gnd; uint8 num_good_beams; float32 sound_speed; bool beam_ranges_valid; "
    "bool beam_velocities_valid; geometry_msgs/msg/Vector3[4] beam_unit_vec; float64[4] range; "
    "float32[4] range_covar; float32[4] beam_quality; float32[4] beam_velocity; float32[4] beam_velocity_covar",
    "marine_acoustic_msgs/msg/PingInfo": "float32 frequency; float32 sound_speed; float32[] tx_beamwidths; "
    "float32[] rx_beamwidths",
    "marine_acoustic_msgs/msg/DetectionFlag": "uint8 flag",
    "marine_acoustic_msgs/msg/SonarDetections": f"{HEADER}; {PING}; {FLAGS}; float32[] two_way_travel_times; "
    "float32[] tx_delays; float32[] intensities; float32[] tx_angles; float32[] rx_angles",
    "marine_acoustic_msgs/msg/SonarRanges": f"{HEADER}; {PING}; {FLAGS}; float32[] transmit_delays; "
    "float32[] intensities; geometry_msgs/msg/Vector3[] beam_unit_vec; float32[] ranges",
    "marine_acoustic_msgs/msg/SonarImageData": "bool is_bigendian; uint32 dtype; uint32 beam_count; uint8[] data",
    "marine_acoustic_msgs/msg/ProjectedSonarImage": f"{HEADER}; {PING}; geometry_msgs/msg/Vector3[] beam_directions; "
    f"float32[] ranges; {ECHOES}",
    "marine_acoustic_msgs/msg/RawSonarImage": f"{HEADER}; {PING}; float32 sample_rate; uint32 samples_per_beam; "
    f"uint32 sample0; float32[] tx_delays; float32[] tx_angles; float32[] rx_angles; {ECHOES}",
    "marine_sensor_msgs/msg/RadarEcho": "float32[] echoes",
    "uuv_gazebo_ros_plugins_msgs/msg/FloatStamped": f"{HEADER}; float64 data",
    "marine_sensor_msgs/msg/RadarSector": f"{HEADER}; float32 angle_start; float32 angle_increment; "
    f"{DURATION} time_increment; {DURATION} scan_time; float32 range_min; float32 range_max; "
    "marine_sensor_msgs/msg/RadarEcho[] intensities",
    "ros_gz_interfaces/msg/ParamVec": f"{HEADER}; rcl_interfaces/msg/Parameter[] params",
    "ros_gz_interfaces/msg/Float32Array": "float32[] data",
    "ros_gz_interfaces/msg/StringVec": f"{HEADER}; string[] data",
    "nmea_msgs/msg/Sentence": f"{HEADER}; string sentence",
    "marine_sensor_msgs/msg/TurbidityNTU": f"{HEADER}; float32 ntu",
    "vision_msgs/msg/ObjectHypothesis": "string class_id; float64 score",
    "vision_msgs/msg/ObjectHypothesisWithPose": "vision_msgs/msg/ObjectHypothesis hypothesis; "
    "geometry_msgs/msg/PoseWithCovariance pose",
    "vision_msgs/msg/BoundingBox3D": "geometry_msgs/msg/Pose center; geometry_msgs/msg/Vector3 size",
    "vision_msgs/msg/Detection3D": f"{HEADER}; vision_msgs/msg/ObjectHypothesisWithPose[] results; "
    "vision_msgs/msg/BoundingBox3D bbox; string id",
    "vision_msgs/msg/Detection3DArray": f"{HEADER}; vision_msgs/msg/Detection3D[] detections",
    "vision_msgs/msg/VisionClass": "uint16 class_id; string class_name",
    "vision_msgs/msg/LabelInfo": f"{HEADER}; vision_msgs/msg/VisionClass[] class_map; float32 threshold",
}

DTYPES = ("UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT32", "FLOAT64")

# types with constants: type of all of them, then name and value
CONSTANTS = {
    "marine_acoustic_msgs/msg/Dvl": ("uint8", {"DVL_MODE_BOTTOM": 1, "DVL_MODE_WATER": 2, "DVL_TYPE_PISTON": 0,
                                               "DVL_TYPE_PHASED_ARRAY": 1}),
    "marine_acoustic_msgs/msg/DetectionFlag": ("uint8", {"DETECT_OK": 0, "DETECT_BAD_SONAR": 1, "DETECT_BAD_FILTER": 2,
                                                         "DETECT_BAD_USER": 4}),
    "marine_acoustic_msgs/msg/SonarImageData": ("uint32", {f"DTYPE_{name}": i for i, name in enumerate(DTYPES)}),
}
