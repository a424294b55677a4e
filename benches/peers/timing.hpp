// Measures the time of a call like benches/kernel.rs: median over 21 batches of CPU time of the thread.
//
// All programs must be measured with the same clock and the same rule, otherwise the ratios are not meaningful.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>

/// CPU time of this thread [ns].
inline double thread_time_ns()
{
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Returns the median over 21 batches of 20 to 40 ms each [ns per call].
template <typename Call>
double median_ns(Call call)
{
  auto batch = [&call](std::uint64_t n) {
    const double start = thread_time_ns();
    for (std::uint64_t i = 0; i < n; ++i) call();
    return thread_time_ns() - start;
  };
  std::uint64_t n = 1;
  while (batch(n) < 20e6) n *= 2;
  std::array<double, 21> samples{};
  for (double & sample : samples) sample = batch(n) / static_cast<double>(n);
  std::sort(samples.begin(), samples.end());
  return samples[10];
}
