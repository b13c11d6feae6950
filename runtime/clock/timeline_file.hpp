// The timeline as a file that Perfetto and chrome://tracing open (run --timeline): a row for the host's calls and a row
// for each stream, with an arrow from each call to its work on the device.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cuda {

class timeline_file {
 public:
  // Adds what a stream does, with its times in nanoseconds. `issued`: when its call was made.
  void add_work(unsigned long long stream, std::string name, double begin, double end, double issued);
  // Adds a call of the host, or a wait.
  void add_call(const char* name, double begin, double end);
  result<done> write(const std::string& file) const;

 private:
  struct span {
    bool on_host = false;
    unsigned long long stream = 0;
    std::string name;
    double begin = 0, end = 0, issued = 0;
  };
  void add(span s);

  std::vector<span> spans_;
  std::size_t left_out_ = 0;
};

}  // namespace bankwise::cuda
