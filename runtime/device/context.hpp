// Contexts of the driver. Each context owns the objects that are made while it is current. All contexts share the only
// device and its memory.
#pragma once

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

struct context {
  unsigned flags = 0;
  unsigned long long id = 0;
  int cache_config = 0;
  // For the primary context: the number of calls that retained it, and whether the runtime uses it.
  unsigned retained = 0;
  bool in_use = false;
};

// Each thread has a stack of contexts. The top of the stack is the current context. If the stack is empty, the runtime
// uses the primary context.
context* current_context();  // returns null if no context is current
void push_context(context* c);
context* pop_context();              // returns null if the thread's stack is empty
void set_context(context* c);        // replaces the top of the stack; null removes it
void drop_from_stack(context* c);    // removes all entries of `c` from the stack
void use_primary_context(state& s);  // has no effect if a context is current

context* make_context(state& s, unsigned flags);
bool is_context(const state& s, const context* c);

}  // namespace bankwise::cuda
