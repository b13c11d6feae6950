// A folder of our own that goes when this goes.
#pragma once

#include <string>

#include "base/result.hpp"

namespace bankwise {

class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::string& path() const { return path_; }  // empty: it could not be made
  diagnostic why_not() const;

 private:
  std::string path_;
  int error_ = 0;
};

}  // namespace bankwise
