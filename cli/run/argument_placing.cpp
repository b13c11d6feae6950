// Places the arguments of a kernel in memory: fills buffers, and makes the bytes of the parameters.
#include <algorithm>
#include <cstring>
#include <span>

#include "base/format.hpp"
#include "base/npy.hpp"
#include "base/text.hpp"
#include "cli/run/buffer_contents.hpp"
#include "cli/run/kernel_arguments.hpp"

namespace bankwise {

namespace {

// Returns the types in the name of a kernel: float* and unsigned int for "void k<3>(float*, unsigned int)". Returns
// nothing if the name has no types, as for extern "C".
std::vector<std::string_view> parameter_types(std::string_view full_name) {
  if (!full_name.ends_with(')')) return {};
  std::vector<std::string_view> found;
  int depth = 0;
  std::size_t end = full_name.size() - 1;
  for (std::size_t i = full_name.size(); i-- > 0;) {
    const char c = full_name[i];
    if (c == ')' || c == '>' || c == ']') ++depth;
    if (c == '(' || c == '<' || c == '[') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    found.push_back(trim(full_name.substr(i + 1, end - i - 1)));
    end = i;
    if (depth == 0) break;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

// Whether a real number is passed for a parameter that is an integer or a pointer, or an integer for a parameter that
// is a real number. The caller has already compared the sizes.
bool mixes_up(const argument_type& number, std::string_view parameter) {
  constexpr std::string_view integers[] = {"bool",  "char",           "signed char", "unsigned char",
                                           "short", "unsigned short", "int",         "unsigned int",
                                           "long",  "unsigned long",  "long long",   "unsigned long long"};
  constexpr std::string_view reals[] = {"float", "double", "__half", "__nv_bfloat16"};
  const auto is_one_of = [&](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), parameter) != names.end();
  };
  const bool real = number.kind == number_kind::floating || number.kind == number_kind::bfloat;
  return real ? is_one_of(integers) || parameter.ends_with('*') : is_one_of(reals);
}

// If a number has no type, gives it the type of the parameter. `parameter_type` is empty if the kernel's name has no
// types.
result<kernel_argument> as_parameter(const kernel_argument& a, std::uint32_t bytes, std::string_view parameter_type,
                                     std::size_t number) {
  constexpr std::string_view reals[] = {"float", "double", "__half", "__nv_bfloat16"};
  const bool is_real = a.text.find_first_of(".en") != std::string::npos && !a.text.starts_with("0x");
  std::string type = is_real ? "f" : a.text.starts_with('-') ? "i" : "u";
  type += std::to_string(bytes * 8);
  if (std::find(std::begin(reals), std::end(reals), parameter_type) != std::end(reals)) type = parameter_type;
  if (find_argument_type(type) == nullptr)
    return diagnostic{formatted("argument {} ({}): the parameter has {} bytes, but {} has this size", number, a.text,
                                bytes, is_real ? "no type of real numbers" : "no type of integers"),
                      {},
                      "pass bytes=HEX with the bytes in the order of memory"};
  auto typed = parse_argument(formatted("{}={}", type, a.text), number);
  if (typed) typed->text = a.text;
  return typed;
}

std::string sizes_of(const cubin::kernel& k) {
  std::string s;
  for (const cubin::parameter& p : k.params) s += (s.empty() ? "" : ", ") + std::to_string(p.bytes);
  return s;
}

bool is_number(const kernel_argument& a) { return !a.is_buffer && a.bytes.empty() && a.fields.empty(); }

// Returns the size of a parameter or field in bytes. The size of a field is also its alignment.
std::uint64_t bytes_of(const kernel_argument& a) {
  if (!a.bytes.empty()) return a.bytes.size();
  if (a.fields.empty()) return a.is_buffer ? 8 : a.type.bytes;
  std::uint64_t end = 0, most = 1;
  for (const kernel_argument& field : a.fields) {
    const std::uint64_t n = bytes_of(field);
    end = (end + n - 1) / n * n + n;
    most = std::max(most, n);
  }
  return (end + most - 1) / most * most;
}

using file_reader = std::function<result<std::string>(const std::string& path)>;

// Copies arguments into the parameters, and the contents of their buffers into memory. The sizes must be checked
// before.
class argument_placer {
 public:
  argument_placer(placed_arguments& placed, emulate::device_memory& memory, const file_reader& read)
      : placed_(placed), memory_(memory), read_(read) {}

  // `name` names the argument in messages, such as "argument 2".
  result<done> put(kernel_argument a, const std::string& name, std::size_t offset, placed_argument& to) {
    if (!a.fields.empty()) {
      to.fields.resize(a.fields.size());
      std::size_t at = offset;
      for (std::size_t i = 0; i < a.fields.size(); ++i) {
        const std::size_t n = bytes_of(a.fields[i]);
        at = offset + (at - offset + n - 1) / n * n;
        if (auto wrong = put(a.fields[i], formatted("{}.{}", name, i + 1), at, to.fields[i]); !wrong) return wrong;
        at += n;
      }
      return done{};
    }
    if (!a.bytes.empty()) {
      std::memcpy(placed_.parameters.data() + offset, a.bytes.data(), a.bytes.size());
      return done{};
    }
    std::uint64_t bits = element_bits(a.type, a.real, a.integer);
    std::uint32_t bytes = a.type.bytes;
    if (a.within != 0) {
      const auto address = address_in_other(a, name);
      if (!address) return address.error();
      bits = *address;
    } else if (a.is_buffer) {
      if (auto wrong = make_buffer(a, name, to); !wrong) return wrong;
      bits = to.address;
      bytes = 8;
    }
    std::memcpy(placed_.parameters.data() + offset, &bits, bytes);
    return done{};
  }

 private:
  static diagnostic fail(const kernel_argument& a, const std::string& name, const std::string& message,
                         std::string hint = {}) {
    return {formatted("{} ({}): {}", name, a.text, message), {}, std::move(hint)};
  }

  result<std::uint64_t> address_in_other(const kernel_argument& a, const std::string& name) const {
    const placed_argument* other = &placed_.each[a.within - 1];
    std::string its_name = formatted("argument {}", a.within);
    if (a.field != 0) {
      its_name += formatted(".{}", a.field);
      if (a.field > other->fields.size()) return fail(a, name, formatted("{} does not exist", its_name));
      other = &other->fields[a.field - 1];
    }
    if (other->address == 0) return fail(a, name, formatted("{} is passed by value, so it has no address", its_name));
    if (a.integer >= other->bytes) return fail(a, name, formatted("{} has {} bytes", its_name, grouped(other->bytes)));
    return other->address + a.integer;
  }

  result<done> make_buffer(kernel_argument& a, const std::string& name, placed_argument& to) {
    std::string contents;
    byte_span data;
    if (a.fill == kernel_argument::fill_kind::file) {
      auto text = read_(a.file);
      if (!text) return fail(a, name, text.error().message);
      if (a.file.ends_with(".npz"))
        return fail(
            a, name, "a .npz file is an archive of arrays, not one array",
            formatted("numpy.save('a.npy', numpy.load('{}')['NAME']) writes one array of the archive as .npy", a.file));
      contents = std::move(*text);
      data = byte_span(reinterpret_cast<const std::byte*>(contents.data()), contents.size());
      if (is_npy(data)) {
        const auto array = read_npy(data, a.file);
        if (!array) return array.error();
        if (array->type != a.type.numpy)
          return fail(a, name,
                      formatted("the file contains elements of type {}, but the buffer needs {} ({})", array->type,
                                a.type.numpy, a.type.name));
        data = array->data;
      }
      if (a.count == 0) a.count = data.size() / a.type.bytes;
      if (a.count == 0 || data.size() != a.count * a.type.bytes)
        return fail(a, name,
                    formatted("the file contains {} bytes of numbers, but the buffer has {} bytes",
                              grouped(data.size()), grouped(a.count * a.type.bytes)));
    }
    if (a.count > emulate::most_device_bytes / a.type.bytes)
      return fail(
          a, name,
          formatted("the buffer is larger than the device memory of {} bytes", grouped(emulate::most_device_bytes)));
    to.bytes = a.count * a.type.bytes;
    const auto address = memory_.allocate(to.bytes, name);
    if (!address) return address.error();
    to.address = *address;
    std::byte* const at = memory_.bytes_at(to.address, to.bytes);
    if (a.fill == kernel_argument::fill_kind::file)
      std::memcpy(at, data.data(), to.bytes);
    else
      fill_buffer(a, at);
    return done{};
  }

  placed_arguments& placed_;
  emulate::device_memory& memory_;
  const file_reader& read_;
};

}  // namespace

result<placed_arguments> place_arguments(const cubin::kernel& k, const std::vector<kernel_argument>& arguments,
                                         emulate::device_memory& memory,
                                         const std::function<result<std::string>(const std::string& path)>& read) {
  if (arguments.size() != k.params.size())
    return diagnostic{
        formatted("kernel {} takes {}{}{}", k.name, k.params.size(),
                  k.params.size() == 1 ? " parameter, not " : " parameters, not ", arguments.size()),
        {},
        k.full_name +
            (k.params.empty()
                 ? ""
                 : formatted(" has parameters of {} bytes. Pass one --arg for each parameter, in order. For a pointer, "
                             "pass a buffer such as f32[1024]=iota",
                             sizes_of(k)))};
  const std::vector<std::string_view> parameter_type = parameter_types(k.full_name);
  placed_arguments placed;
  argument_placer places(placed, memory, read);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    kernel_argument a = arguments[i];
    const cubin::parameter& p = k.params[i];
    const std::string name = formatted("argument {}", i + 1);
    const auto wrong = [&](const std::string& message, std::string hint = {}) {
      return diagnostic{formatted("{} ({}): {}", name, a.text, message), {}, std::move(hint)};
    };
    if (!a.is_typed) {
      auto typed = as_parameter(a, p.bytes, parameter_type.size() == arguments.size() ? parameter_type[i] : "", i + 1);
      if (!typed) return typed.error();
      a = std::move(*typed);
    }
    const std::uint64_t size = bytes_of(a);
    if (size != p.bytes)
      return wrong(formatted("{}{} bytes, but the parameter has {} bytes",
                             a.is_buffer ? "a buffer's address has " : "the value has ", size, p.bytes),
                   formatted("{} has parameters of {} bytes", k.full_name, sizes_of(k)));
    if (is_number(a) && parameter_type.size() == arguments.size() && mixes_up(a.type, parameter_type[i]))
      return wrong(formatted("the parameter has the type {}, not {}", parameter_type[i], a.type.name),
                   formatted("the kernel is {}. To set the bits, pass bytes=HEX", k.full_name));
    if (placed.parameters.size() < std::size_t{p.offset} + p.bytes)
      placed.parameters.resize(std::size_t{p.offset} + p.bytes);
    placed_argument& to = placed.each.emplace_back();
    if (const auto put = places.put(std::move(a), name, p.offset, to); !put) return put.error();
  }
  return placed;
}

}  // namespace bankwise
