// Reads the declaration of a shared array in the source of its kernel.
//
//     #define TILE 16
//     template <int PAD> __global__ void transpose(...) {       kernel: "void transpose<1>(float*, ...)"
//       __shared__ float tile[TILE][TILE + PAD];                 -> float tile[16][17]
//
// Constants come from #define, const and constexpr before the declaration, and from the template's arguments that are
// numbers or types. If the declared size differs from the size of the kernel's array, the declaration belongs to
// another array, and the result is empty.
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
  std::uint32_t before_line = 0;  // line of the last access; the last declaration before this line is used
  std::string kernel;             // demangled name
};

// The names that are defined before a position in a source without comments. They are constants, or types that are
// template parameters.
struct constants {
  expr::scope scope;
  std::map<std::string, std::string> types;

  std::string type_of(std::string_view name) const;
};
constants constants_before(std::string_view code, std::size_t end, const std::string& kernel);

std::optional<expr::array_decl> find_declaration(std::string_view source, const declaration_wanted& wanted);

}  // namespace bankwise::source
