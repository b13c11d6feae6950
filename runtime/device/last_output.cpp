#include "runtime/device/last_output.hpp"

#include <algorithm>
#include <cstdio>

// The variable stdout may point to a file that the program has closed. This object of glibc always exists.
extern "C" std::FILE _IO_2_1_stdout_;  // NOLINT(bugprone-reserved-identifier)

namespace bankwise::cuda {

std::string last_output() {
  std::FILE* const out = &_IO_2_1_stdout_;
  // If another thread holds the lock, it may change the buffer. The program's end must not wait for this thread.
  if (::ftrylockfile(out) != 0) return {};
  constexpr int user_buffer = 1;  // the flag of a buffer from setvbuf, which may no longer exist
  std::string text;
  if ((out->_flags & user_buffer) == 0 && out->_IO_buf_base != nullptr && out->_IO_buf_end > out->_IO_buf_base) {
    // If all output was written, the buffer still contains the last output. Its end is unknown, and the bytes after the end
    // may be the remains of longer output.
    const bool is_written = out->_IO_write_ptr == nullptr || out->_IO_write_ptr <= out->_IO_buf_base;
    text.assign(out->_IO_buf_base, is_written ? out->_IO_buf_end : out->_IO_write_ptr);
    if (is_written) text.resize(std::min(text.size(), text.find('\0')));
  }
  ::funlockfile(out);
  return text;
}

}  // namespace bankwise::cuda
