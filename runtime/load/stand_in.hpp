// Which stand-in replaces a library of CUDA, by the library's file name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

inline constexpr const char* all_stand_ins[] = {"libcuda.so.1",
                                                "libcudart.so.12",
                                                "libcudart.so.13",
                                                "libcublas.so.12",
                                                "libcublas.so.13",
                                                "libcublasLt.so.12",
                                                "libcublasLt.so.13",
                                                "libcurand.so.10",
                                                "libcufft.so.11",
                                                "libcufft.so.12",
                                                "libcusolver.so.11",
                                                "libcusolver.so.12",
                                                "libcusparse.so.12",
                                                "libnccl.so.2",
                                                "libnvidia-ml.so.1",
                                                "libcudnn.so.9",
                                                "libcudnn_graph.so.9",
                                                "libcudnn_ops.so.9",
                                                "libcudnn_cnn.so.9",
                                                "libcudnn_adv.so.9",
                                                "libcudnn_heuristic.so.9",
                                                "libcudnn_engines_precompiled.so.9",
                                                "libcudnn_engines_runtime_compiled.so.9"};

// "libcudart.so.13" for /opt/cuda/lib/libcudart.so.13.0.96, libcudart-d0da41ae.so.13 and similar names. Empty if the
// name belongs to another library or version, or has no version.
std::string_view stand_in_of(std::string_view path);
// Whether this is the name of a replaced library without a version: libcudart.so, libcudart-d0da41ae.so.
bool is_without_version(std::string_view path);

// Says how to install a stand-in that is missing in a folder with other stand-ins. The answer depends on whether the
// folder is in a build tree, a wheel or a package.
std::string how_to_get(std::string_view stand_in, std::string_view folder);

// The name that a shared library contains (its soname). The file's name may be different. Empty if there is no soname,
// or if the file is not a shared library.
std::string_view soname_of(byte_span file);

// A library name in a program or library: a library to load, or the library that defines the versions of symbols.
struct needed_name {
  std::string_view name;      // points into the file
  std::uint64_t address = 0;  // address before the file is loaded
};
std::vector<needed_name> needed_names(byte_span file);  // sorted by address, without duplicates

}  // namespace bankwise::cuda
