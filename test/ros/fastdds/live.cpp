// Checks `merrow run` processes with Fast DDS, as rmw_fastrtps uses it; started by run.sh.
//
//     fastdds_live PROGRAM FACTS [NAME...]
//
// PROGRAM is merrow, FACTS the folder with the files of facts.py. NAMEs select the checks whose
// names contain one of them. Prints `ok NAME` or `FAIL NAME: why` per check; the exit code is 1 if
// one failed. Built by build.sh.

#include "merrow.hpp"

static bool is_requested(const std::string& name, int n, char** parts) {
  for (int i = 0; i < n; ++i) {
    if (name.find(parts[i]) != std::string::npos) return true;
  }
  return n == 0;
}

// Runs a check and prints its line; returns whether it passed.
static bool passes(const Check& check) {
  try {
    check.run();
  } catch (const std::exception& error) {
    std::cout << "FAIL " << check.name << ": " << error.what() << std::endl;
    return false;
  }
  std::cout << "ok   " << check.name << std::endl;
  return true;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: fastdds_live PROGRAM FACTS [NAME...]\n";
    return 2;
  }
  setting = Setting{argv[1], argv[2]};
  int run = 0, failed = 0;
  for (const auto* checks : {&kServiceChecks, &kParameterChecks, &kActionChecks, &kGarbageChecks}) {
    for (const auto& check : *checks) {
      if (!is_requested(check.name, argc - 3, argv + 3)) continue;
      ++run;
      failed += passes(check) ? 0 : 1;
    }
  }
  std::cout << run << " checks, " << failed << " failed" << std::endl;
  return failed > 0 || run == 0 ? 1 : 0;
}
