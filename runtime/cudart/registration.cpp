// The fatbins, kernels and variables that a program registers before main().
#include "runtime/cudart/define_entries.hpp"
#include "runtime/launch/module.hpp"

using namespace bankwise::cuda;

namespace {

// Returns the module whose address is the handle, or null if there is no such module.
module* module_of(state& s, void** handle) {
  for (const auto& m : s.modules)
    if (static_cast<void*>(m.get()) == static_cast<void*>(handle)) return m.get();
  return nullptr;
}

void load_managed(state& s, module& m) {
  for (const auto& v : m.variables)
    if (v->managed != nullptr) {
      load(s, m);
      return;
    }
}

void** register_fatbin(const void* wrapper) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  return reinterpret_cast<void**>(&add_module(s, image_at(wrapper)));
}

void end_registration(void** handle) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (module* m = module_of(s, handle)) load_managed(s, *m);
}

void register_function(void** handle, const char* stub, const char* name) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  module* m = module_of(s, handle);
  if (m != nullptr && name != nullptr) add_function(s, *m, stub, name);
}

// Registers a variable. The program names the variable by the address `host`. For a managed variable, `host` is the
// address of the program's pointer to the variable.
void register_variable(void** handle, void* host, const char* name, std::size_t bytes, bool is_managed) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  module* m = module_of(s, handle);
  if (m == nullptr || name == nullptr) return;
  variable& v = add_variable(s, *m, host, name, bytes);
  if (is_managed) v.managed = static_cast<void**>(host);
}

}  // namespace

#include "runtime/cudart/entries/registration.def"
