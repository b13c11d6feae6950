// The arrays in the shared memory of a kernel. A cubin contains no names of arrays; the PTX text in it declares them.
// Without PTX text, arrays are distinguished by the values that the instructions use.
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
  std::string name;  // demangled, without its enclosing scopes
  std::uint64_t begin = 0, bytes = 0;
};

struct ptx_arrays {
  std::vector<ptx_array> fixed;  // static, by address
  std::uint64_t fixed_bytes = 0;
  bool is_placed = true;             // false if the addresses of `fixed` are unknown
  std::vector<std::string> dynamic;  // names for the dynamic memory
};

// The arrays of a kernel as PTX declares them and ptxas places them: first those of the kernel itself, then those of
// the module that it or a called function uses, then those of the functions; always in the order of the text, each at
// the next multiple of its alignment. Nothing if the text has no such kernel, or declarations that are not understood.
// If nvlink made the program, the order of several arrays is unknown.
std::optional<ptx_arrays> read_declarations(const cubin::program& p, const std::string& mangled);
std::optional<ptx_arrays> read_declarations(const std::vector<std::string_view>& ptx, const std::string& mangled);

// The arrays that the sites of a launch access, by address. They are the declared arrays, if the memory has their size
// and each access is in exactly one of them. Otherwise, and in dynamic memory, sites that use the same values share an
// array (value_flow.hpp), and two arrays may use the same bytes; for a declared array, these are its phases. `touched`
// and `webs` have one entry for each of `sites`.
std::vector<shared_array> find_arrays(const std::optional<ptx_arrays>& declared, std::uint64_t static_bytes,
                                      const std::vector<site>& sites, const std::vector<touched_bytes>& touched,
                                      const std::vector<std::uint32_t>& webs);

}  // namespace bankwise
