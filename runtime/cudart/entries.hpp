// Declares the runtime's entry points for programs that are built without a toolkit, such as tests.
#pragma once

#include "runtime/cudart/runtime_abi.hpp"
#include "runtime/driver/entries/proc_address.hpp"
#include "runtime/memory/sharing.hpp"

namespace bankwise::cuda {

extern "C" {
#define ENTRY(name, parameters, ...) error name parameters;
#define ANSWER(name, parameters, ...) error name parameters;
#define FORWARD(name, driver, parameters, ...) error name parameters;
#define PLAIN(type, name, parameters, ...) type name parameters;
#include "runtime/cudart/entries.def"
#undef ENTRY
#undef ANSWER
#undef FORWARD
#undef PLAIN
}

}  // namespace bankwise::cuda
