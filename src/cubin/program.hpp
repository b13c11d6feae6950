// A loaded cubin: code, kernels with the requirements of their launches, variables, constant banks and line tables. All
// relocations are applied.
//
// The parts of a program have these addresses in the 48-bit space of device pointers:
//     code + n         machine code, section after section, aligned to 128 bytes
//     data + n         __device__ variables
//     external + 16 n  functions of the driver (vprintf, malloc), which have no code
// If several programs are in one memory, they have different bases.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cubin/architectures.hpp"
#include "cubin/line_table.hpp"

namespace bankwise::cubin {

inline constexpr std::uint64_t code_base = 0x0000'7a00'0000'0000;
inline constexpr std::uint64_t data_base = 0x0000'7b00'0000'0000;
inline constexpr std::uint32_t variable_bank = 3;  // the constant bank of __constant__ variables
inline constexpr std::uint64_t external_base = 0x0000'7c00'0000'0000;

struct address_bases {
  std::uint64_t code = code_base, data = data_base, external = external_base;
};

struct parameter {
  std::uint32_t offset = 0;  // offset from the first parameter
  std::uint32_t bytes = 0;
};

// A function in a section: a kernel, or a function that was not inlined.
struct code_function {
  std::uint64_t offset = 0, bytes = 0;
  std::string name;  // demangled
};

// A frame of a call stack: the source line of an instruction, and the function that contains this line.
struct frame {
  std::string function;
  std::string file;  // empty if there is no line table
  std::uint32_t line = 0;
};

struct code_section {
  std::string name;
  std::uint32_t elf_index = 0;
  std::uint64_t address = 0;  // address of the first byte
  std::vector<std::byte> bytes;
  std::vector<code_function> functions;

  // Returns the function that contains the byte at this offset, or null.
  const code_function* function_at(std::uint64_t offset) const;
};

struct kernel {
  std::string mangled;
  std::string full_name;      // demangled, with template arguments and parameters
  std::string name;           // bare name
  std::uint32_t section = 0;  // index into program::sections
  std::uint32_t offset = 0;   // offset of the first instruction in the section
  std::uint32_t code_bytes = 0;
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0;  // excludes the bytes that the system reserves
  // number of bytes at the beginning of shared memory that the system reserves: 1024 from sm_90 on
  std::uint32_t reserved_shared_bytes = 0;
  std::uint32_t frame_bytes = 0;  // bytes of local memory for the kernel's own frame
  // minimum bytes of local memory for a thread, including called functions; 0 if unknown
  std::uint32_t stack_bytes = 0;
  std::uint32_t max_threads = 1024;
  std::array<std::uint32_t, 3> cluster{};  // __cluster_dims__; zeros if the kernel has none
  std::uint32_t param_base = 0;            // offset of the parameters in constant bank 0
  std::vector<parameter> params;
  // number and content of each constant bank of the kernel, except bank 0
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> banks;
};

struct variable {
  std::string name;
  std::uint64_t address = 0;  // device address, or offset in the constant bank
  std::uint64_t bytes = 0;
  std::optional<std::uint32_t> bank;  // the constant bank, for a __constant__ variable
};

// A range of device memory that is initialised or filled with zeros.
struct data_segment {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // at least init.size(); the remaining bytes are zero
  std::vector<std::byte> init;
};

struct program {
  std::string file;
  std::uint32_t sm = 0;  // for example 90
  address_bases bases;
  std::vector<code_section> sections;
  std::vector<kernel> kernels;
  std::vector<variable> variables;
  std::vector<data_segment> data;
  // number and content of each constant bank that all kernels share
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> banks;
  // names of the driver's functions; the index determines the address
  std::vector<std::string> externals;
  line_table source;  // CUDA source lines; the key is the ELF section index
  line_table ptx;     // lines of the PTX text; the key is the ELF section index
  // whether nvlink linked this cubin from objects of -rdc=true; if so, nvlink also placed the shared variables
  bool linked = false;
  std::string ptx_text;  // every line ends with a zero byte; empty if the cubin has no PTX, or too much of it

  // Returns the line that Nsight Compute shows, such as line 114 of "transpose.cu". The result is empty if the line is
  // unknown. For a line in an inlined function, also returns the line of the call in the kernel's own code.
  struct place {
    std::string file;
    std::uint32_t line = 0;
    std::string outer_file;
    std::uint32_t outer_line = 0;
  };
  std::optional<place> source_of(std::uint32_t section, std::uint64_t pc) const;
  // Returns the line and the inlined calls as a debugger shows them, innermost first. The last frame is in the function
  // that contains the machine code. There is at least one frame.
  std::vector<frame> frames_of(std::uint32_t section, std::uint64_t pc) const;
  // Returns the sections without kernels. Any kernel may call their functions.
  std::vector<std::uint32_t> function_sections() const;
  // Returns the section that contains this device address, or nothing.
  std::optional<std::uint32_t> section_at(std::uint64_t address) const;
  std::uint32_t ptx_line_of(std::uint32_t section, std::uint64_t pc) const;  // 0 if unknown
  std::vector<std::string_view> ptx_lines() const;  // returns the lines of the PTX text; line n is element n - 1
};

// Returns the number of bytes from the first parameter to the end of the last parameter.
std::size_t parameter_bytes(const kernel& k);

}  // namespace bankwise::cubin
