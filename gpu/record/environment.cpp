#include "environment.hpp"

#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace bankwise::record {

std::string program_name() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : "";
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string rank() {
  for (const char* variable :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RANK"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return value;
  return "";
}

std::string expand_name(const std::string& name, const std::string& pid, const std::string& host,
                        const std::string& rank) {
  std::string s;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char next = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : '\0';
    if (next == 'p')
      s += pid;
    else if (next == 'h')
      s += host;
    else if (next == 'r')
      s += rank.empty() ? "0" : rank;
    else if (next == '%')
      s += '%';
    else {
      s += name[i];
      continue;
    }
    ++i;
  }
  return s;
}

}  // namespace bankwise::record
