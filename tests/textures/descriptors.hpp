// Valid, unusual and invalid descriptors of arrays, textures and surfaces, each with the answer of a driver.
//
//     for (const descriptor_case& c : all_descriptors()) c.answer();
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bankwise::textures {

struct descriptor_case {
  std::string name;
  // Makes the array or memory, returns the status and the levels or layers of the made object, and frees the object.
  std::function<std::string()> answer;
};
std::vector<descriptor_case> all_descriptors();
// Makes the driver's context of this thread current.
void start();

}  // namespace bankwise::textures
