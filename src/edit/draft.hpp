// An edit of an array in progress: the array, the uses of the array, and the changes so far.
//
//     d.replace(first, last, "BM + 4");       replaces tokens of the source by a new text
//     d.doubt(12, "a row is passed on");      records that the edit may be wrong about line 12
//     d.refuse("panels change every index");  records that there is no edit
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "edit/array_edit.hpp"
#include "source/reader.hpp"

namespace bankwise::edit {

struct draft {
  const source::reader& reader;
  const std::vector<source::token>& tokens;
  const source::declaration& declared;
  const expr::array_decl& shape;
  const advise::problem& problem;
  const advise::answer& answer;
  const std::vector<std::uint32_t>& lines;      // lines of the array's accesses
  const std::vector<expr::array_decl>& others;  // shapes of the array in the other instances of a template
  std::vector<source::use> uses;
  source::known_names names;
  array_edit made = {};
  // extents of the function parameters that get the array
  std::vector<std::vector<source::token_range>> handed = {};
  std::string name = {}, extent = {};
  std::size_t rows = 0;       // number of indices in an access
  bool launch_sized = false;  // whether the launch determines the size, as for extern __shared__ float a[]
  std::uint64_t columns = 0;

  void refuse(std::string why);
  void doubt(std::uint32_t line, std::string what);
  void replace(std::size_t first, std::size_t last, std::string with);
  std::uint32_t line_of(std::size_t at) const;  // returns the line of a byte of the source
  bool is_whole(const source::use& u) const { return u.index.size() >= rows; }
  std::string declared_words() const;    // returns the name and extents after the edit, such as "tile[T][T + 1]"
  std::string declaration_text() const;  // returns the declaration with the existing layout
  // Returns the values of extents that are a single name, such as a template argument. The values follow from the
  // extents of the array `of`.
  std::map<std::string, std::int64_t, std::less<>> constants_of(const expr::array_decl& of) const;
};

}  // namespace bankwise::edit
