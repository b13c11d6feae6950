// The stand-in that replaces a library of CUDA, found by the file name of the library.
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

// Returns "libcudart.so.13" for /opt/cuda/lib/libcudart.so.13.0.96, libcudart-d0da41ae.so.13 and similar names. Returns
// nothing if the name has no version, or if there is no stand-in for this library and version.
std::string_view stand_in_of(std::string_view path);
// Whether this is the name of a replaced library, but without a version: libcudart.so, libcudart-d0da41ae.so.
bool is_without_version(std::string_view path);

// Returns a sentence that explains how to install a stand-in that is missing in a folder with other stand-ins. The
// sentence depends on whether the folder is in a build tree, a wheel or a package.
std::string how_to_get(std::string_view stand_in, std::string_view folder);

// Returns the soname of a shared library, which may differ from the file's name. Returns nothing if the file has no
// soname or is not a shared library.
std::string_view soname_of(byte_span file);

// The name of a library in a program or in another library: a library to load, or the library that defines versions of
// symbols.
struct needed_name {
  std::string_view name;      // name in the mapped file
  std::uint64_t address = 0;  // address before the file is loaded
};
std::vector<needed_name> needed_names(byte_span file);  // returns names sorted by address, without duplicates

}  // namespace bankwise::cuda
