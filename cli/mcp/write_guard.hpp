// Forbids this process, and all processes that it starts, to write files outside of some folders. Linux does this with
// Landlock (https://docs.kernel.org/userspace-api/landlock.html), from Linux 6.2 on.
#pragma once

#include <span>
#include <string>

namespace bankwise::cli {

// Returns an empty text, or why writes are not forbidden. Reading stays allowed, and so do writes to devices such as
// /dev/null and to shared memory.
std::string forbid_writes_outside(std::span<const std::string> folders);

}  // namespace bankwise::cli
