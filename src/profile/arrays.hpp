// The arrays in the shared memory of a kernel. A cubin does not contain names of arrays, but its PTX text declares
// them. Without PTX text, arrays are distinguished by the values that instructions use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "profile/trace.hpp"

namespace bankwise {

struct ptx_array {
  std::string name;  // demangled name without its scopes
  std::uint64_t begin = 0, bytes = 0;
};

struct ptx_arrays {
  std::vector<ptx_array> fixed;  // static arrays, by address
  std::uint64_t fixed_bytes = 0;
  bool is_placed = true;             // false if the addresses of `fixed` are unknown
  std::vector<std::string> dynamic;  // names for the dynamic memory
};

// The arrays of a kernel, as PTX declares them and ptxas places them.
//
// Arrays of the kernel come first. Arrays of the module that the kernel or a called function uses are next. Arrays of
// called functions are last. Each group is in the order of the PTX text. Each array begins at the next multiple of its
// alignment. For a program from nvlink, the order of several arrays is unknown.
//
// Returns nothing if the text lacks the kernel, or contains a declaration that cannot be parsed.
std::optional<ptx_arrays> read_declarations(const cubin::program& p, const std::string& mangled);
std::optional<ptx_arrays> read_declarations(const std::vector<std::string_view>& ptx, const std::string& mangled);

// Returns the arrays that the sites of a launch access, sorted by address.
//
// Static memory is divided into the declared arrays if two conditions hold: their total size is the size of the static
// memory, and each access is in exactly one of them. Otherwise, an array is the memory of all sites that use the same
// values (value_flow.hpp). Such arrays may overlap. `touched` and `webs` have one entry for each of `sites`.
std::vector<shared_array> find_arrays(const std::optional<ptx_arrays>& declared, std::uint64_t static_bytes,
                                      const std::vector<site>& sites, const std::vector<touched_bytes>& touched,
                                      const std::vector<std::uint32_t>& webs);

}  // namespace bankwise
