// A scratch folder. The destructor deletes it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bankwise {

class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::string& path() const { return path_; }  // empty if the folder could not be created
  diagnostic why_not() const;

 private:
  std::string path_;
  int lock_ = -1;  // descriptor of the lock file; the file is locked as long as the folder is in use
  int error_ = 0;
};

// Whether the name has the form of a scratch folder's name.
bool is_scratch_name(std::string_view name);

// Removes the folders of killed processes. These are all folders of this user whose lock is free.
void remove_abandoned_folders();

}  // namespace bankwise
