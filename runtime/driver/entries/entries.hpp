// Declares the driver's functions for programs, tests and the runtime, from the table of entry points.
#pragma once

#include "runtime/device/driver_abi.hpp"

namespace bankwise::cuda {

struct array;
struct context;
struct event;
struct function;
struct graph;
struct graph_exec;
struct green_context;
struct link_state;
struct mipmapped_array;
struct module;
struct node;
struct pool;
struct shared_handle;
struct stream;
struct user_object;

extern "C" {
#define ENTRY(since, name, form, parameters, ...) driver_status name parameters;
#include "runtime/driver/entries/entries.def"
}

}  // namespace bankwise::cuda
