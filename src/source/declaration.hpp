// Reads the declaration of a shared array in the source of its kernel.
//
//     #define TILE 16
//     template <int PAD> __global__ void transpose(...) {       kernel: "void transpose<1>(float*, ...)"
//       __shared__ float tile[TILE][TILE + PAD];                 -> float tile[16][17]
//
// Constants come from #define, const and constexpr before it, and from numbers and types among the template's
// arguments. A declaration whose size differs from the kernel's array is another one and is not returned.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "expr/parse/scope.hpp"

namespace bankwise::source {

struct declaration_wanted {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t before_line = 0;  // of the last access; the last declaration before it is meant
  std::string kernel;             // demangled
};

// Names before a position in a source without comments: constants, and the types of a template's parameters.
struct constants {
  expr::scope scope;
  std::map<std::string, std::string> types;

  std::string type_of(std::string_view name) const;
};
constants constants_before(std::string_view code, std::size_t end, const std::string& kernel);

std::optional<expr::array_decl> find_declaration(std::string_view source, const declaration_wanted& wanted);

}  // namespace bankwise::source
