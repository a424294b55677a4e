// Measures Embree on the rays that benches/rays.rs wrote, in nanoseconds of CPU time of the thread, for `benches/rays`.
//
//   embree FOLDER SIZE [robust]
//
// Reads FOLDER/scene_SIZE.bin and FOLDER/rays_SET.bin, traces every set once after a warm-up and prints a JSON object: ns per ray of each
// set, and the build time. The used part of the library's interface is declared here, from its manual.
#include "timing.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

extern "C" {
struct alignas(16) RTCRay
{
  float org_x, org_y, org_z, tnear, dir_x, dir_y, dir_z, time, tfar;
  unsigned mask, id, flags;
};
struct alignas(16) RTCHit
{
  float Ng_x, Ng_y, Ng_z, u, v;
  unsigned primID, geomID, instID, instPrimID;
};
struct RTCRayHit
{
  RTCRay ray;
  RTCHit hit;
};
void * rtcNewDevice(const char *);
void * rtcNewScene(void *);
void rtcSetSceneFlags(void *, int);
void * rtcNewGeometry(void *, int);
void rtcSetSharedGeometryBuffer(void *, int, unsigned, int, const void *, size_t, size_t, size_t);
void rtcCommitGeometry(void *);
unsigned rtcAttachGeometry(void *, void *);
void rtcCommitScene(void *);
void rtcIntersect1(void *, RTCRayHit *, void *);
}

namespace
{
constexpr int triangles_ = 0, indices_ = 0, vertices_ = 1, uint3_ = 0x5003, float3_ = 0x9003, robust_ = 1 << 2;

template <typename T>
std::vector<T> read(std::ifstream & file, size_t count)
{
  std::vector<T> out(count);
  file.read(reinterpret_cast<char *>(out.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) std::exit((std::fprintf(stderr, "embree: a file is too short or missing\n"), 1));
  return out;
}
}  // namespace

int main(int count, char ** words)
{
  if (count < 3) return std::fprintf(stderr, "embree FOLDER SIZE [robust]\n"), 2;
  const std::string folder = std::string(words[1]) + "/", size = words[2];
  const bool robust = count > 3 && std::strcmp(words[3], "robust") == 0;
  std::ifstream scene_file(folder + "scene_" + size + ".bin", std::ios::binary);
  const auto counts = read<std::uint32_t>(scene_file, 2);
  // the library reads 16 bytes at the last vertex
  auto vertices = read<float>(scene_file, size_t{counts[0]} * 3);
  vertices.resize(vertices.size() + 4);
  const auto indices = read<std::uint32_t>(scene_file, size_t{counts[1]} * 3);

  void * device = rtcNewDevice("threads=1");
  void * scene = rtcNewScene(device);
  if (robust) rtcSetSceneFlags(scene, robust_);
  void * mesh = rtcNewGeometry(device, triangles_);
  rtcSetSharedGeometryBuffer(mesh, vertices_, 0, float3_, vertices.data(), 0, 12, counts[0]);
  rtcSetSharedGeometryBuffer(mesh, indices_, 0, uint3_, indices.data(), 0, 12, counts[1]);
  rtcCommitGeometry(mesh);
  rtcAttachGeometry(scene, mesh);
  const double before = thread_time_ns();
  rtcCommitScene(scene);
  std::printf("{\"build_ms\": %.1f", (thread_time_ns() - before) * 1e-6);

  for (const std::string set : {"lidar", "camera", "multibeam"}) {
    std::ifstream file(folder + "rays_" + set + ".bin", std::ios::binary | std::ios::ate);
    const auto rays = static_cast<size_t>(file.tellg()) / 24;
    file.seekg(0);
    const auto numbers = read<float>(file, rays * 6);
    std::vector<float> distances(rays);
    double last = 0;
    for (int round = 0; round < 2; ++round) {
      const double start = thread_time_ns();
      for (size_t i = 0; i < rays; ++i) {
        const float * r = &numbers[6 * i];
        RTCRayHit ray{{r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, 1e5F, ~0U, 0, 0}, {}};
        ray.hit.geomID = ray.hit.primID = ray.hit.instID = ~0U;
        rtcIntersect1(scene, &ray, nullptr);
        distances[i] = ray.hit.geomID == ~0U ? std::numeric_limits<float>::infinity() : ray.ray.tfar;
      }
      last = (thread_time_ns() - start) / static_cast<double>(rays);
    }
    std::printf(", \"%s_ns\": %.2f", set.c_str(), last);
  }
  std::printf("}\n");
}
