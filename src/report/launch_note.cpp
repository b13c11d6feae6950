#include "report/launch_note.hpp"

#include "base/text.hpp"

namespace bankwise {

std::string place_text(const code_place& p) {
  return (p.file.empty() ? std::string("?") : base_name(p.file) + ":" + std::to_string(p.line)) + "  pc 0x" +
         hex(p.pc) + "  " + p.sass + (p.function.empty() ? "" : "  in " + p.function);
}

}  // namespace bankwise
