// Keeps facts about the code of kernels for later launches, because it takes long to find them. A program can launch a
// kernel a thousand times.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>

#include "cubin/program.hpp"

namespace bankwise {

template <class Facts>
class kept_facts {
 public:
  // The facts about a kernel. find(program, kernel) finds them if they are not known yet.
  template <class Find>
  std::shared_ptr<const Facts> of(const cubin::program& p, const cubin::kernel& k, Find find) {
    const cubin::code_section& code = p.sections[k.section];
    // A program may be at the address of another program that has ended, so the bytes of the code are also compared.
    const std::string_view bytes(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
    const key here{&p, k.section, k.offset, code.address, std::hash<std::string_view>()(bytes)};
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = all_.find(here); known != all_.end()) return known->second;
    }
    auto made = std::make_shared<const Facts>(find(p, k));
    const std::lock_guard lock(mutex_);
    if (all_.size() >= most_kernels) all_.clear();
    return all_[here] = std::move(made);
  }

 private:
  static constexpr std::size_t most_kernels = 1024;
  using key = std::tuple<const void*, std::size_t, std::uint64_t, std::uint64_t, std::size_t>;
  std::mutex mutex_;
  std::map<key, std::shared_ptr<const Facts>> all_;
};

}  // namespace bankwise
