// Descriptors of arrays, textures and surfaces, valid, unusual and invalid, each with a driver's answer.
//
//     for (const descriptor_case& c : all_descriptors()) c.answer();
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bankwise::textures {

struct descriptor_case {
  std::string name;
  // Returns the status, and the existing levels or layers of what was made. Makes its array or memory, and frees it.
  std::function<std::string()> answer;
};
std::vector<descriptor_case> all_descriptors();
// Makes the driver's context of this thread.
void start();

}  // namespace bankwise::textures
