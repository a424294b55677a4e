// Measures MuJoCo's mj_step with contacts through its C API, with the timing of Merrow's step in benches/contact.rs.
//
// peers/contact_models.py creates the model. All combinations of friction cone and integrator are measured, because the
// fastest one, which counts, depends on the world. The solver is Newton with its default tolerance.
//
//   mujoco_contact MODEL.xml MOVING SETTLED RESTING SAMPLES INTEGRATOR...
//
// prints one JSON object; spans are in steps.

#include <mujoco/mujoco.h>

#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Plan
{
  int moving, settled, resting, samples;
};

struct Choice
{
  const char * name;
  int value;
};

constexpr Choice CONES[] = {{"pyramidal", mjCONE_PYRAMIDAL}, {"elliptic", mjCONE_ELLIPTIC}};
constexpr Choice INTEGRATORS[] = {{"Euler", mjINT_EULER}, {"implicitfast", mjINT_IMPLICITFAST}, {"RK4", mjINT_RK4}};

/// Quantities that are zero at perfect rest, and the number of steps in which the solver did not converge.
struct Residual
{
  int contacts = 0, unsolved_moving = 0, unsolved_at_rest = 0;
  double overlap = 0, speed = 0, turning = 0;
};

double norm(const double * v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

double median(std::vector<double> samples)
{
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

bool ran_out(const mjModel * model, const mjData * data)
{
  for (int island = 0; island < std::min(std::max(data->nisland, 1), mjNISLAND); ++island) {
    if (data->solver_niter[island] >= model->opt.iterations) return true;
  }
  return false;
}

/// Returns the time per step [ns].
double time_steps(const mjModel * model, mjData * data, int steps)
{
  const double start = thread_time_ns();
  for (int i = 0; i < steps; ++i) mj_step(model, data);
  return (thread_time_ns() - start) / steps;
}

int count_unsolved(const mjModel * model, mjData * data, int steps)
{
  int count = 0;
  for (int i = 0; i < steps; ++i) {
    mj_step(model, data);
    count += ran_out(model, data);
  }
  return count;
}

void start(const mjModel * model, mjData * data)
{
  if (model->nkey > 0) mj_resetDataKeyframe(model, data, 0);
  else mj_resetData(model, data);
}

void look(const mjModel * model, const mjData * data, Residual & residual)
{
  residual.contacts = data->ncon;
  for (int i = 0; i < data->ncon; ++i) residual.overlap = std::max(residual.overlap, -data->contact[i].dist);
  for (int joint = 0; joint < model->njnt; ++joint) {
    if (model->jnt_type[joint] != mjJNT_FREE) continue;
    const double * v = data->qvel + model->jnt_dofadr[joint];
    residual.speed = std::max(residual.speed, norm(v));
    residual.turning = std::max(residual.turning, norm(v + 3));
  }
}

/// Prints the member of one setting in the JSON object; returns false if the motion was not finite.
bool measure(mjModel * model, const Choice & cone, const Choice & integrator, const Plan & plan)
{
  model->opt.cone = cone.value;
  model->opt.integrator = integrator.value;
  mjData * data = mj_makeData(model);
  Residual residual;
  // first run: allocates memory and warms the caches
  start(model, data);
  residual.unsolved_moving = count_unsolved(model, data, plan.moving);
  std::vector<double> moving, at_rest;
  for (int i = 0; i < plan.samples; ++i) {
    start(model, data);
    moving.push_back(time_steps(model, data, plan.moving));
  }
  time_steps(model, data, plan.settled - plan.moving);
  for (int i = 0; i < plan.samples; ++i) at_rest.push_back(time_steps(model, data, plan.resting));
  for (int i = 0; i < plan.resting; ++i) {
    residual.unsolved_at_rest += count_unsolved(model, data, 1);
    look(model, data, residual);
  }
  const bool finite = std::isfinite(data->qpos[0]) && data->warning[mjWARN_BADQACC].number == 0;
  std::printf(
    "\"%s %s\": {\"moving\": %.0f, \"at rest\": %.0f, \"contacts\": %d, \"overlap_m\": %.3e, \"speed_m_s\": %.3e, "
    "\"turning_rad_s\": %.3e, \"unsolved_moving\": %d, \"unsolved_at_rest\": %d}",
    cone.name, integrator.name, median(moving), median(at_rest), residual.contacts, residual.overlap, residual.speed,
    residual.turning, residual.unsolved_moving, residual.unsolved_at_rest);
  mj_deleteData(data);
  return finite;
}

const Choice * find_integrator(const char * name)
{
  for (const Choice & one : INTEGRATORS) {
    if (std::strcmp(one.name, name) == 0) return &one;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char ** argv)
{
  if (argc < 7) {
    std::fprintf(stderr, "usage: mujoco_contact MODEL.xml MOVING SETTLED RESTING SAMPLES INTEGRATOR...\n");
    return 2;
  }
  char why[1000] = "";
  mjModel * model = mj_loadXML(argv[1], nullptr, why, sizeof why);
  if (!model) {
    std::fprintf(stderr, "mujoco_contact: %s: %s\n", argv[1], why);
    return 1;
  }
  const Plan plan{std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5])};
  const char * separator = "{";
  for (const Choice & cone : CONES) {
    for (int i = 6; i < argc; ++i) {
      const Choice * integrator = find_integrator(argv[i]);
      if (!integrator) {
        std::fprintf(stderr, "mujoco_contact: unknown integrator %s, expected Euler, implicitfast or RK4\n", argv[i]);
        return 2;
      }
      std::printf("%s", separator);
      separator = ", ";
      if (!measure(model, cone, *integrator, plan)) {
        std::fprintf(stderr, "mujoco_contact: %s %s: the motion is not finite\n", cone.name, integrator->name);
        return 1;
      }
    }
  }
  std::printf("}\n");
  mj_deleteModel(model);
  return 0;
}
