// Measures Pinocchio's articulated-body algorithm on a robot, with the timing of Merrow's in benches/kernel.rs.
//
// The code is typical of Pinocchio's users: one Model, one Data, pinocchio::aba() from the headers, so that the flags of
// the compiler apply to it. peers/models.py provides the joints as numbers, because the URDF reader in the library is
// compiled for a different alignment than an AVX build.
//
//   pinocchio MODEL.txt        prints one JSON object

#include "pinocchio/algorithm/aba.hpp"
#include "pinocchio/algorithm/center-of-mass.hpp"
#include "pinocchio/algorithm/joint-configuration.hpp"
#include "pinocchio/multibody.hpp"

#include "timing.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

/// A line of the file: parent, pose of the joint in the parent, mass, centre of mass, inertia about the centre of mass.
pinocchio::Model read_model(const std::string & path)
{
  std::ifstream file(path);
  pinocchio::Model model;
  for (pinocchio::JointIndex parent; file >> parent;) {
    Eigen::Matrix3d R, I;
    Eigen::Vector3d p, com;
    double mass = 0.0;
    const auto read = [&file](auto & matrix) {
      for (Eigen::Index i = 0; i < matrix.size(); ++i) file >> matrix(i);
    };
    read(R);
    read(p);
    file >> mass;
    read(com);
    read(I);
    if (!file) throw std::runtime_error("a line is too short");
    const pinocchio::SE3 place(R, p);
    const std::string name = "joint" + std::to_string(model.njoints);
    const auto joint = parent == 0 ? model.addJoint(parent, pinocchio::JointModelFreeFlyer(), place, name)
                                   : model.addJoint(parent, pinocchio::JointModelRZ(), place, name);
    model.appendBodyToJoint(joint, pinocchio::Inertia(mass, com, I));
  }
  return model;
}

/// Prevents the compiler from removing an unused result.
void keep(const Eigen::VectorXd & result) { asm volatile("" : : "g"(result.data()) : "memory"); }

void run(const std::string & path)
{
  const pinocchio::Model model = read_model(path);
  pinocchio::Data data(model);
  // a general state as in benches/kernel.rs, in which no term vanishes
  Eigen::VectorXd q = pinocchio::neutral(model);
  q.tail(model.nq - 7).setConstant(0.3);
  Eigen::VectorXd v = Eigen::VectorXd::Constant(model.nv, 0.1);
  v[0] = 0.3;
  v[5] = 0.2;
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv);

  const double local = median_ns([&] { keep(pinocchio::aba(model, data, q, v, tau, pinocchio::Convention::LOCAL)); });
  const double world = median_ns([&] { keep(pinocchio::aba(model, data, q, v, tau, pinocchio::Convention::WORLD)); });
  std::printf(
    "{\"nv\": %d, \"mass_kg\": %.9g, \"aba local\": %.1f, \"aba world\": %.1f}\n", static_cast<int>(model.nv),
    pinocchio::computeTotalMass(model), local, world);
}

}  // namespace

int main(int argc, char ** argv)
{
  if (argc != 2) {
    std::fprintf(stderr, "usage: pinocchio MODEL.txt\n");
    return 2;
  }
  try {
    run(argv[1]);
  } catch (const std::exception & e) {
    std::fprintf(stderr, "pinocchio: %s: %s\n", argv[1], e.what());
    return 1;
  }
  return 0;
}
