// Contexts of the driver: each owns the objects that are made while it is current. All of them share the one device and
// its memory.
#pragma once

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

struct context {
  unsigned flags = 0;
  unsigned long long id = 0;
  int cache_config = 0;
  // How often the primary context is retained, and whether the runtime uses it.
  unsigned retained = 0;
  bool in_use = false;
};

// Each thread has a stack of contexts, whose top is the current context. If the stack is empty, the runtime uses the
// primary context.
context* current_context();  // or null
void push_context(context* c);
context* pop_context();              // or null if the stack was empty
void set_context(context* c);        // replaces the top; null removes it
void use_primary_context(state& s);  // only if no context is current

context* make_context(state& s, unsigned flags);
bool is_context(const state& s, const context* c);
// Releases everything that was made in the context.
void empty_context(state& s, const context* c);
bool destroy_context(state& s, context* c);  // false if make_context() did not create the context

}  // namespace bankwise::cuda
