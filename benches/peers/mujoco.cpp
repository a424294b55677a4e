// Measures MuJoCo's mj_step of a robot through its C API, with the timing of Merrow's RK4 step in benches/kernel.rs.
//
// peers/models.py creates the model: the same tree, RK4, ellipsoid fluid, no contacts and no limits.
//
//   mujoco MODEL.xml           prints one JSON object

#include <mujoco/mujoco.h>

#include "timing.hpp"

#include <cmath>
#include <cstdio>

namespace {

/// A general state as in benches/kernel.rs, in which no term vanishes.
void set_state(const mjModel * model, mjData * data)
{
  mj_resetData(model, data);
  for (int i = 7; i < model->nq; ++i) data->qpos[i] = 0.3;
  data->qvel[0] = 0.3;
  data->qvel[5] = 0.2;
  for (int i = 6; i < model->nv; ++i) data->qvel[i] = 0.1;
}

double time_steps(const mjModel * model, mjData * data)
{
  set_state(model, data);
  int step = 0;
  return median_ns([&] {
    // restart after one second, because the motion of a long series becomes unrealistic
    if (++step % 1000 == 0) set_state(model, data);
    mj_step(model, data);
  });
}

}  // namespace

int main(int argc, char ** argv)
{
  if (argc != 2) {
    std::fprintf(stderr, "usage: mujoco MODEL.xml\n");
    return 2;
  }
  char why[1000] = "";
  mjModel * model = mj_loadXML(argv[1], nullptr, why, sizeof why);
  if (!model) {
    std::fprintf(stderr, "mujoco: %s: %s\n", argv[1], why);
    return 1;
  }
  mjData * data = mj_makeData(model);
  const double rk4 = time_steps(model, data);
  if (!std::isfinite(data->qpos[0]) || data->warning[mjWARN_BADQACC].number > 0) {
    std::fprintf(stderr, "mujoco: the motion is not finite, so its time is not meaningful\n");
    return 1;
  }
  std::printf(
    "{\"nv\": %d, \"mass_kg\": %.9g, \"mj_step RK4\": %.1f}\n", static_cast<int>(model->nv),
    static_cast<double>(model->body_subtreemass[0]), rk4);
  mj_deleteData(data);
  mj_deleteModel(model);
  return 0;
}
