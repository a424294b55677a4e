// Checks `merrow run` processes from Fast DDS, as rmw_fastrtps would use them: started by run.sh.
//
//     fastdds_live PROGRAM FACTS [NAME...]
//
// PROGRAM is merrow, FACTS the folder with the files of facts.py; NAMEs, where given, choose the checks whose name holds
// one of them. Prints `ok NAME` or `FAIL NAME: why` per check; the exit code is 1 if one failed. Built by build.sh.

#include "merrow.hpp"

static bool wanted(const std::string& name, int n, char** parts) {
  for (int i = 0; i < n; ++i) {
    if (name.find(parts[i]) != std::string::npos) return true;
  }
  return n == 0;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: fastdds_live PROGRAM FACTS [NAME...]\n";
    return 2;
  }
  setting = Setting{argv[1], argv[2]};
  int run = 0, failed = 0;
  for (const auto* checks : {&kTopicChecks, &kServiceChecks, &kParameterChecks, &kDriveChecks, &kActionChecks,
                             &kGarbageChecks}) {
    for (const auto& [name, check] : *checks) {
      if (!wanted(name, argc - 3, argv + 3)) continue;
      ++run;
      try {
        check();
        std::cout << "ok   " << name << std::endl;
      } catch (const std::exception& error) {
        ++failed;
        std::cout << "FAIL " << name << ": " << error.what() << std::endl;
      }
    }
  }
  std::cout << run << " checks, " << failed << " failed" << std::endl;
  return failed > 0 || run == 0 ? 1 : 0;
}
