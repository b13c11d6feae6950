// Events that several processes use. A handle of an event contains only the process that made it.
#pragma once

#include "runtime/device/state.hpp"
#include "runtime/memory/sharing.hpp"

namespace bankwise::cuda {

error export_event(state& s, shared_handle* handle, event* e);
error import_event(state& s, event** e, const shared_handle& handle);

}  // namespace bankwise::cuda
