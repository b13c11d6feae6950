// The kernel's arguments from --arg, one for each parameter, and the memory for them.
//
//     i32=1024            a number: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, or the name of the type in CUDA
//     f32[1M]=iota        a buffer of 1,048,576 floats 0, 1, 2, ...; the kernel gets its address
//     f32[64*64]=zero     zeros       f32[64]=1.5   all elements 1.5       f32[64]=random:7   in [0, 1), from a seed
//     f16[]=file:a.npy    the numbers of a .npy file or of a raw file, which also sets the length
//     out:f32[1M]         a buffer of zeros that the kernel writes
//     1024   0.5          a number of the parameter's type
//     arg:1   arg:1+256   the address of an earlier argument's buffer, or of a byte in it; arg:1.2: of a struct's field
//     {f32[64]=iota, i32=64, i64=8}    a struct by value; each field has one of these forms and is aligned as in C
//     bytes=00ff12        a struct by value, in hexadecimal
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cubin/program.hpp"
#include "emulate/memory/memory.hpp"

namespace bankwise {

enum class number_kind : std::uint8_t { signed_integer, unsigned_integer, floating, bfloat };

struct argument_type {
  std::string_view name;   // name of the type in --arg, such as f32
  std::string_view numpy;  // name of the type in .npy files, such as f4
  std::uint32_t bytes;
  number_kind kind;
};

// Finds a type by its name in --arg or in CUDA. Returns null if there is none.
const argument_type* find_argument_type(std::string_view name);

struct kernel_argument {
  enum class fill_kind : std::uint8_t { zero, iota, same, random, file };

  std::string text;  // argument as the user wrote it
  argument_type type{};
  bool is_typed = true;  // false if the argument is a number without a type, such as 1024
  // If not 0, the argument is an address in the buffer of argument number `within`, and `integer` is the offset in
  // bytes. The first argument has number 1.
  std::size_t within = 0;
  std::size_t field = 0;  // number of the field that contains the buffer, from 1; 0 if there is none
  bool is_buffer = false;
  std::uint64_t count = 0;  // number of elements of a buffer; 0 if its file determines this number
  fill_kind fill = fill_kind::zero;
  double real = 0;  // value of the argument, or of all elements of its buffer
  // Value of an integer argument; separate from `real`, because a double cannot represent all integers.
  std::uint64_t integer = 0;
  std::uint64_t seed = 0;
  std::string file;
  std::vector<std::byte> bytes;         // bytes of a struct that is given in hexadecimal
  std::vector<kernel_argument> fields;  // fields of a struct that is given by its fields
};

// Parses an argument. `number` is its number, and the first argument has number 1. Errors contain the number and point
// into the text.
result<kernel_argument> parse_argument(std::string_view text, std::size_t number);

// Returns the files whose contents the argument and its fields have, in their order.
std::vector<std::string> files_of(const kernel_argument& a);

// The place of an argument: "2", or "2.1" for the first field of the second argument. Without a field number, the place
// is the whole argument.
struct argument_place {
  std::optional<std::uint64_t> number, field;
};
argument_place parse_place(std::string_view text);

struct placed_argument {
  std::uint64_t address = 0;  // address of the argument's buffer; 0 if the argument is a value
  std::uint64_t bytes = 0;
  std::vector<placed_argument> fields;  // fields of the argument, if it is a struct
};
struct placed_arguments {
  std::vector<std::byte> parameters;  // contents of launch::parameters
  std::vector<placed_argument> each;
};

// Allocates the buffers in `memory`, and returns the bytes of the parameters. `read` returns the contents of a file.
// Fails if the arguments do not match the kernel in number or size, if a file does not match its type, or if there is
// not enough memory.
result<placed_arguments> place_arguments(const cubin::kernel& k, const std::vector<kernel_argument>& arguments,
                                         emulate::device_memory& memory,
                                         const std::function<result<std::string>(const std::string& path)>& read);

}  // namespace bankwise
