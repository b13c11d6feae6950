// Advice for the user: how a build gets line tables, which map machine code to source lines.
#pragma once

namespace bankwise {

inline constexpr const char* line_table_flag =
    "nvcc -lineinfo; in CMake target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)";

}  // namespace bankwise
