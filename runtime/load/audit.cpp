// libbankwise-audit.so makes programs use the stand-ins, however the programs load CUDA's libraries.
//
// The variable LD_AUDIT makes the loader use this library. The loader calls it before each search for a library. For a
// library of CUDA, it returns the path of the stand-in, even if an RPATH or a path in dlopen names another file.
//
// The loader also calls this library for every object that it maps, before code of the object runs. This includes
// objects that dlopen loads later. A library in LD_PRELOAD would be too late: its constructors may run after a
// constructor of the object has registered a fatbin. If a CUDA runtime is linked into the object, a jump replaces the
// beginning of each function of the runtime. The target of a jump is resolved on first use. Only then is the stand-in
// loaded, so programs without CUDA never load it.
//
// This library has its own libc, separate from the program's libc. Its libc does not know the program's threads. So
// code that runs at a jump only calls the loader, except after an error.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "runtime/load/jump_island.hpp"
#include "runtime/load/loaded_code.hpp"
#include "runtime/load/stand_in.hpp"
#include "runtime/load/static_runtime.hpp"

namespace bankwise::cuda {

namespace {

// An object whose runtime is redirected. This description is never destroyed, because functions of closed objects are
// still called while the process ends.
struct redirected {
  std::string file;
  int major = 0;
  std::vector<std::string> names;  // names of the runtime's functions, in the order of the jumps
  jump_island island;
  bool is_closed = false;
};

struct stand_in {
  const char* name = "";
  std::atomic<void*> library{nullptr};
  char path[PATH_MAX] = {};            // path of the stand-in; empty if it does not exist
  std::atomic<bool> is_missed{false};  // whether the message about the missing stand-in was printed
};
stand_in stand_ins[std::size(all_stand_ins)];
char stand_in_folder[PATH_MAX];  // folder that contains this library and the stand-ins

stand_in* find_stand_in(std::string_view name) {
  for (stand_in& s : stand_ins)
    if (s.name == name) return &s;
  return nullptr;
}
stand_in* find_runtime(int major) { return find_stand_in(formatted("libcudart.so.{}", major)); }

// Called for each loaded object. For the object that contains this function, stores the loader's name of the object.
int take_own_name(dl_phdr_info* object, std::size_t, void* to) {
  const auto here = reinterpret_cast<std::uintptr_t>(&take_own_name);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || here - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    *static_cast<const char**>(to) = object->dlpi_name;
    return 1;
  }
  return 0;
}

// Finds the stand-ins, which are in the folder of this library. The loader loads this library before all others. With
// glibc before 2.34, functions of libdl (such as dladdr) do not work so early.
void find_folder() {
  const char* name = nullptr;
  char whole[PATH_MAX];
  if (::dl_iterate_phdr(take_own_name, &name) == 0 || ::realpath(name, whole) == nullptr) return;
  std::string folder = whole;
  folder.erase(folder.rfind('/') + 1);
  folder.copy(stand_in_folder, sizeof stand_in_folder - 1);
  for (std::size_t i = 0; i < std::size(stand_ins); ++i) {
    stand_in& s = stand_ins[i];
    s.name = all_stand_ins[i];
    const std::string path = folder + s.name;
    if (path.size() < sizeof s.path && ::access(path.c_str(), R_OK) == 0) path.copy(s.path, path.size());
  }
}

void say(const std::string& text) {
  const std::string line = formatted("bankwise: {}\n", text);
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

int not_supported() { return 801; }  // returns cudaErrorNotSupported

void* open_stand_in(stand_in& s) {
  if (void* library = s.library.load(std::memory_order_acquire); library != nullptr) return library;
  void* const library = ::dlmopen(LM_ID_BASE, s.path, RTLD_NOW);
  if (library == nullptr) {
    const char* why = ::dlerror();
    say(formatted(
        "bankwise cannot load {}, which replaces the program's CUDA runtime: {}. CUDA calls of the program will fail. "
        "Reinstall bankwise",
        s.path, why != nullptr ? why : "the loader gives no reason"));
  }
  s.library.store(library, std::memory_order_release);
  return library;
}

// Returns the address of the stand-in's function for the jump with this number.
void* find_address(void* owner, std::size_t number) noexcept {
  const auto& object = *static_cast<const redirected*>(owner);
  const char* name = object.names[number].c_str();
  stand_in* const s = find_runtime(object.major);
  void* const library = s != nullptr ? open_stand_in(*s) : nullptr;
  if (library == nullptr) return reinterpret_cast<void*>(&not_supported);
  if (void* const function = ::dlsym(library, name); function != nullptr) {
    settle(object.island, number, function);
    return function;
  }
  say(formatted("bankwise's CUDA runtime does not have the function {} yet, so the call returns cudaErrorNotSupported",
                name));
  return reinterpret_cast<void*>(&not_supported);
}

// A file that is mapped while this object exists.
class mapped_file {
 public:
  explicit mapped_file(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      at_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) ::close(file);
  }
  ~mapped_file() {
    if (at_ != MAP_FAILED) ::munmap(at_, size_);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  byte_span bytes() const {
    return at_ == MAP_FAILED ? byte_span() : byte_span(static_cast<const std::byte*>(at_), size_);
  }

 private:
  void* at_ = MAP_FAILED;
  std::size_t size_ = 0;
};

// Returns the path of the library to load instead of `path`. `path` is a name, or a path that the loader tries.
const char* lead(const char* path) {
  std::string_view name = stand_in_of(path);
  if (name.empty() && is_without_version(path) && std::strchr(path, '/') != nullptr) {
    const mapped_file file(path);
    if (stand_in* const s = find_stand_in(stand_in_of(soname_of(file.bytes()))); s != nullptr) name = s->name;
  }
  stand_in* const s = find_stand_in(name);
  if (s == nullptr) return path;
  if (*s->path != '\0') return s->path;
  if (!s->is_missed.exchange(true))
    say(formatted("the program needs {}, but bankwise's stand-in for this library {}", s->name,
                  how_to_get(s->name, stand_in_folder)));
  return path;
}

// The path of a log file, from BANKWISE_LOADED, which `bankwise check` sets. The log has a line for each mapped object.
// A line that begins with "-" names a path that did not exist. If any of these files changes, `check` makes the report
// again.
char loaded_log[PATH_MAX];

void open_log() {
  const char* path = std::getenv("BANKWISE_LOADED");
  if (path != nullptr && std::strlen(path) < sizeof loaded_log) std::strcpy(loaded_log, path);
}

void log_object(const char* mark, const std::string& file) {
  if (*loaded_log == '\0' || file.find('/') == std::string::npos) return;
  std::string path = file;
  char folder[PATH_MAX];
  if (path[0] != '/' && ::getcwd(folder, sizeof folder) != nullptr) path = formatted("{}/{}", folder, file);
  const std::string line = formatted("{}{}\n", mark, path);
  const int log = ::open(loaded_log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (log < 0) return;
  if (::write(log, line.data(), line.size()) < 0) *loaded_log = '\0';
  ::close(log);
}

// Returns the file of an object. For the program itself, the name in a link_map is empty.
std::string file_of(const link_map& map) {
  if (map.l_name != nullptr && *map.l_name != '\0') return map.l_name;
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size <= 0 ? "/proc/self/exe" : std::string(path, static_cast<std::size_t>(size));
}

// All redirected objects, including closed ones. The loader passes one object at a time, so no lock is needed.
std::vector<std::unique_ptr<redirected>>& all_objects() {
  static auto* const all = new std::vector<std::unique_ptr<redirected>>;
  return *all;
}

// Makes a redirected object. Reuses a closed object, because some programs open and close libraries in loops.
redirected& make_object(std::size_t count, const mapping& code, const std::vector<mapping>& taken) {
  for (const auto& o : all_objects())
    if (o->is_closed && o->island.count >= count && reaches(o->island, code)) {
      forget_addresses(o->island);
      o->is_closed = false;
      return *o;
    }
  redirected& made = *all_objects().emplace_back(std::make_unique<redirected>());
  made.island = make_jump_island(code, taken, count, &made, &find_address);
  return made;
}

// Whether the code only returns 0. Such a function need not be redirected.
bool does_nothing(byte_span code) {
  static constexpr std::byte returns_0[] = {std::byte{0x31}, std::byte{0xc0}, std::byte{0xc3}};
  return code.size() >= sizeof returns_0 && std::equal(code.end() - sizeof returns_0, code.end(), returns_0) &&
         code.size() <= sizeof returns_0 + 4;  // an endbr64 has 4 bytes
}

// Redirects the functions of a runtime, and sets `made`. Returns an error, or an empty string.
std::string redirect(const static_runtime& runtime, const std::string& file, std::uint64_t base, redirected*& made) {
  if (!runtime.whole)
    return "the names of the runtime's functions are stripped. Link the program with nvcc -cudart shared, or do not "
           "strip the program";
  if (find_runtime(runtime.major) == nullptr)
    return formatted(
        "this is the runtime of CUDA {}, but bankwise replaces only the runtimes of CUDA 12 and 13. Build the file "
        "with CUDA 12 or 13",
        runtime.major);
  const runtime_function &first = runtime.functions.front(), &last = runtime.functions.back();
  const std::vector<mapping> taken = read_mappings();
  const auto code = find_code(taken, base + first.address, last.address + last.code.size() - first.address);
  if (!code) return "the code in memory is not at the address that the file gives";
  redirected& object = make_object(runtime.functions.size(), *code, taken);
  if (object.island.address == 0) return "there is no free memory near the code";
  object.file = file;
  object.major = runtime.major;
  object.names.clear();
  std::vector<std::vector<std::byte>> jumps;
  std::vector<code_change> changes;
  std::string short_ones;
  jumps.reserve(runtime.functions.size());
  for (std::size_t i = 0; i < runtime.functions.size(); ++i) {
    const runtime_function& f = runtime.functions[i];
    // The size in the symbol table may be wrong. So the code ends at the start of the next function at the latest.
    const std::uint64_t next = i + 1 < runtime.functions.size() ? runtime.functions[i + 1].address : ~std::uint64_t{0};
    const byte_span own = f.code.first(std::min<std::uint64_t>(f.code.size(), next - f.address));
    object.names.emplace_back(f.name);
    jumps.push_back(jump_to_island(object.island, i, base + f.address, own));
    if (!jumps.back().empty())
      changes.push_back({base + f.address, own.first(jumps.back().size()), jumps.back()});
    else if (!does_nothing(own))
      short_ones += (short_ones.empty() ? "" : ", ") + object.names.back();
  }
  if (!short_ones.empty())
    say(formatted("{}: bankwise did not replace these functions, because their code is too short: {}", file,
                  short_ones));
  std::string wrong = change_code(*code, changes);
  object.is_closed = !wrong.empty();
  if (wrong.empty()) made = &object;
  return wrong;
}

// Replaces the names of needed libraries in memory by the names of stand-ins. When the loader checks symbol versions,
// it searches for a loaded library with the name in the object. The loader knows a stand-in only by the stand-in's own
// name. If the object contains a different name (such as a name with a hash), the loader ends the program.
std::string rename_needed(byte_span file, std::uint64_t base) {
  std::vector<std::string> names;
  std::vector<code_change> changes;
  const std::vector<needed_name> needed = needed_names(file);
  names.reserve(needed.size());
  for (const needed_name& n : needed) {
    const stand_in* const s = find_stand_in(stand_in_of(n.name));
    if (s == nullptr || *s->path == '\0' || n.name == s->name || n.name.size() < std::strlen(s->name)) continue;
    names.emplace_back(s->name).resize(n.name.size(), '\0');
    changes.push_back({base + n.address, bytes_of(n.name), bytes_of(names.back())});
  }
  if (changes.empty()) return {};
  for (const mapping& m : read_mappings())
    if (changes[0].address >= m.first && changes[0].address < m.last) return change_code(m, changes);
  return "the symbol names in memory are not at the address that the file gives";
}

}  // namespace

}  // namespace bankwise::cuda

// The functions that the loader calls. See rtld-audit(7).
extern "C" {

__attribute__((visibility("default"))) unsigned la_version(unsigned version) {
  bankwise::cuda::find_folder();
  bankwise::cuda::open_log();
  return version;
}

// The loader first passes the name that the program requests. Then it passes each path that it tries.
__attribute__((visibility("default"))) char* la_objsearch(const char* name, std::uintptr_t*, unsigned) {
  try {
    const char* const path = bankwise::cuda::lead(name);
    if (path == name && std::strchr(name, '/') != nullptr && ::access(name, F_OK) != 0)
      bankwise::cuda::log_object("-", name);
    return const_cast<char*>(path);
  } catch (const std::exception& x) {
    bankwise::cuda::say(bankwise::formatted("internal error: {}. Please report this message to the project", x.what()));
  }
  return const_cast<char*>(name);
}

__attribute__((visibility("default"))) unsigned la_objopen(link_map* map, Lmid_t, std::uintptr_t* cookie) {
  using namespace bankwise::cuda;
  *cookie = 0;
  try {
    const std::string file = file_of(*map);
    log_object("", file);
    const mapped_file contents(file.c_str());
    if (const std::string wrong = rename_needed(contents.bytes(), map->l_addr); !wrong.empty())
      say(bankwise::formatted("{}: bankwise cannot replace the CUDA libraries that this file needs: {}", file, wrong));
    if (const auto runtime = find_static_runtime(contents.bytes())) {
      redirected* made = nullptr;
      if (const std::string wrong = redirect(*runtime, file, map->l_addr, made); !wrong.empty())
        say(bankwise::formatted("{}: bankwise cannot replace the CUDA runtime that is linked into this file: {}", file,
                                wrong));
      *cookie = reinterpret_cast<std::uintptr_t>(made);
    }
  } catch (const std::exception& x) {
    say(bankwise::formatted("internal error: {}. Please report this message to the project", x.what()));
  }
  return 0;
}

__attribute__((visibility("default"))) unsigned la_objclose(std::uintptr_t* cookie) {
  if (*cookie != 0) reinterpret_cast<bankwise::cuda::redirected*>(*cookie)->is_closed = true;
  return 0;
}
}
