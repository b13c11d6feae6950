// The kernels of a batch: each file is compiled and loaded once, and each kernel is analysed and decoded once, for all
// lines that use it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"
#include "cubin/program.hpp"
#include "emulate/counting/counting.hpp"
#include "emulate/decode/kept_code.hpp"

namespace bankwise::cli {

class kept_program {
 public:
  // Compiles the file if it is a source, and loads it. `args` has the file, --arch and --nvcc.
  static result<std::shared_ptr<kept_program>> load(const arguments& args);

  const cubin::program& program() const { return program_; }
  // The SHA-256 of the machine code's file: of the cubin that nvcc made, if the file is a source.
  const std::string& hash() const { return hash_; }
  // Returns the code of a kernel on which counts depend.
  std::shared_ptr<const emulate::counting_code> counting_of(const cubin::kernel& k);
  // Keeps decoded code for launches that run one after another.
  const std::shared_ptr<emulate::kept_code>& code() const { return code_; }

 private:
  cubin::program program_;
  std::string hash_;
  std::shared_ptr<emulate::kept_code> code_ = std::make_shared<emulate::kept_code>();
  std::mutex guard_;
  std::map<const cubin::kernel*, std::shared_ptr<const emulate::counting_code>> counting_;
};

// The programs of all lines that are not yet answered.
class kept_programs {
 public:
  // Tells that a line will use the file of these arguments. Call it for all lines before get().
  void expect(const arguments& args);
  // Returns the program of a line. Other threads that need it wait until it is loaded.
  result<std::shared_ptr<kept_program>> get(const arguments& args);
  // Tells that a line is answered. After the last line, the program is freed.
  void release(const arguments& args);

 private:
  struct entry {
    std::mutex loading;
    std::optional<result<std::shared_ptr<kept_program>>> loaded;
    std::size_t lines = 0;
  };
  std::mutex guard_;
  std::map<std::vector<std::string>, std::shared_ptr<entry>> all_;
};

}  // namespace bankwise::cli
