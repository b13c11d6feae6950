// The folder in which tune keeps what it compiled and predicted. The name of an entry is a hash of everything on which
// the entry depends, so a changed source, launch, GPU or bankwise finds no old entry. Several processes may share it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

// Returns 64 hexadecimal digits that stand for the texts. They are the same on every machine.
std::string content_key(const std::vector<std::string>& parts);
// Returns the key of a file's bytes, or an empty text if the file cannot be read.
std::string file_key(const std::string& path);
// Returns a key of a file's size and time, which is enough for a file that is replaced when it changes.
std::string stamp_of_file(const std::string& path);
// Returns the key of a file that many variants read, such as a header. Its bytes are read again only if its size or time
// changes. For files of the system, returns their stamp.
std::string known_file_key(const std::string& path);

class tune_cache {
 public:
  // `asked` is the value of --cache: a folder, "off", or nothing for the usual folder ($XDG_CACHE_HOME/bankwise/tune or
  // ~/.cache/bankwise/tune). Without a home folder, nothing is kept.
  static result<tune_cache> open(const std::optional<std::string>& asked);

  bool is_on() const { return !folder_.empty(); }
  const std::string& folder() const { return folder_; }

  std::optional<std::string> find(const std::string& key) const;
  // An entry that cannot be written is not kept, which is not an error.
  void keep(const std::string& key, const std::string& text) const;

  // Copies a file, such as a cubin or a program, into the cache under the key of its bytes. Returns the path of the copy,
  // or of the file itself if the cache is off.
  std::string keep_file(const std::string& path) const;
  // Returns the path of a kept file, or nothing if it is missing or was changed.
  std::optional<std::string> find_file(const std::string& key) const;

 private:
  explicit tune_cache(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace bankwise::cli
