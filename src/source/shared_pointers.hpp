// The names that a function gives to parts of its shared memory, and the names that a line uses. This file reads the
// names of dynamic memory, and of static memory that several arrays use one after another.
//
//     extern __shared__ float smem[];                  the memory itself
//     float* As = smem;                                a part
//     float* Bs = smem + BM * BK;                      a part
//     float* row = &As[threadIdx.y * BK];              As: an address that depends on the thread is not a new part
//     sum += row[k] * Bs[k * BN + tx];                 uses As and Bs
//     __shared__ union { float tile[32][32]; ... } u;  tile: a part of u
//     __shared__ char bytes[4096];                     its parts have the names of the pointers into it
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::source {

struct shared_pointer {
  std::string name;
  std::string type;                  // type of an element; empty if unknown
  std::uint32_t element_bytes = 0;   // size of an element; 0 if unknown
  std::vector<std::uint64_t> inner;  // for an array of rows: the extents after the first
  std::uint64_t first_extent = 0;    // first extent of a member of a union; 0 if unknown
  std::string memory;                // the static array or union that contains the part; empty for dynamic memory
  bool is_memory = false;            // whether the launch determines the size of this array
};

class shared_pointers {
 public:
  // Reads the names in the function that contains the line. `kernel` is a demangled name, whose template arguments are
  // constants.
  shared_pointers(std::string_view source, std::uint32_t line, const std::string& kernel);

  // Whether the function whose names were read contains this line.
  bool covers(std::uint32_t line) const;
  // Returns the parts that the line uses, or the statement around the line. They are in the order of the text, without
  // duplicates.
  std::vector<std::string> on_line(std::uint32_t line) const;
  const shared_pointer* find(const std::string& name) const;
  const std::vector<shared_pointer>& parts() const { return parts_; }

 private:
  void read(std::size_t begin, std::size_t end);
  void read_statement(std::string_view statement, std::size_t at);
  void read_unions();
  void read_memory(const std::string& statement, std::size_t at, bool is_static);
  void assign(std::string_view left, std::string_view right, std::string_view first_type, std::size_t at);
  bool varies(std::string_view expression) const;
  bool varies_by_round_only(std::string_view expression) const;
  std::string part_in(std::string_view expression) const;
  std::vector<std::string> used_in(std::string_view code) const;

  std::string code_;
  std::string kernel_;
  std::size_t begin_ = 0, end_ = 0;  // range of the function, as positions in the source
  std::vector<shared_pointer> parts_;
  std::map<std::string, std::string> alias_;    // aliases of the parts; each part also has an entry with its own name
  std::map<std::string, std::string> waiting_;  // types of pointers that have no value yet, by name
  // The names of variables that depend on the thread or on the iteration of a loop. The value is true if the variable
  // depends only on the iteration.
  std::map<std::string, bool> varying_;
};

}  // namespace bankwise::source
