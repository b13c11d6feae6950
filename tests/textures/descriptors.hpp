// Descriptors of arrays, textures and surfaces, good, odd and bad, each with what a driver answers.
//
//     for (const descriptor_case& c : all_descriptors()) c.answer();
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bankwise::textures {

struct descriptor_case {
  std::string name;
  // The status, and of what was made the levels or layers that there are. Makes its array or memory, and frees it.
  std::function<std::string()> answer;
};
std::vector<descriptor_case> all_descriptors();
// The driver's context of this thread.
void start();

}  // namespace bankwise::textures
