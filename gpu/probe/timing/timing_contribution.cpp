#include "gpu/probe/timing/timing_contribution.hpp"

#include <algorithm>
#include <cmath>

#include "bankwise/arch.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"
#include "timing/gpu.hpp"

namespace bankwise::probe {

namespace {

constexpr double least_clock = 0.1, most_clock = 10;  // GHz
constexpr double most_multiprocessors = 1024;
constexpr unsigned oldest_driver = 8000;

// The line of the file that describes this quantity.
diagnostic wrong_line(const std::string& text, const std::string& file, const std::string& name, std::string message,
                      std::string hint = {}) {
  location at{.file = file};
  std::uint32_t line = 0;
  for (const std::string_view one : split(text, '\n')) {
    ++line;
    if (one.starts_with(name + ",")) at.line = line;
  }
  return {std::move(message), at,
          hint.empty() ? "pass a file that bankwise probe wrote with --timing" : std::move(hint)};
}

std::string clock_range() {
  return formatted("the clock must be from {} to {} GHz", fixed(least_clock, 1), fixed(most_clock, 0));
}

double value_of(const timing::parameter_file& f, double timing::gpu_parameters::*parameter) {
  return f.parameters().*parameter;
}

std::optional<diagnostic> not_of_a_gpu(const timing::parameter_file& f, const std::string& text,
                                       const std::string& file) {
  const auto wrong = [&](const char* name, std::string message, std::string hint = {}) {
    return wrong_line(text, file, name, std::move(message), std::move(hint));
  };
  if (!is_gpu_name(f.gpu))
    return wrong("gpu", "this is not the name of a GPU", "write the name that the driver reports (nvidia-smi -L)");
  if (f.sm < oldest_timed_sm || find_arch(formatted("sm_{}", f.sm).c_str()) == nullptr)
    return wrong("sm", formatted("bankwise does not predict times for sm_{}", f.sm));
  if (const timing::gpu_description* const known = timing::find_gpu(f.gpu); known != nullptr && known->sm != f.sm)
    return wrong("sm", formatted("an {} is sm_{}, not sm_{}", known->title, known->sm, f.sm));
  if (!(f.running_clock >= least_clock && f.running_clock <= most_clock)) return wrong("running_clock", clock_range());
  if (f.driver != 0 && f.driver < oldest_driver)
    return wrong("driver",
                 formatted("driver is {}, which is not possible. As an example, 13000 is CUDA 13.0", f.driver));
  const double clock = value_of(f, &timing::gpu_parameters::sm_clock);
  if (!(clock >= least_clock && clock <= most_clock)) return wrong("sm_clock", clock_range());
  const double units = value_of(f, &timing::gpu_parameters::multiprocessors);
  if (units > most_multiprocessors || units != std::floor(units))
    return wrong("multiprocessors", formatted("a GPU does not have {} multiprocessors", fixed(units, 3)));
  return std::nullopt;
}

std::size_t measured_rows(const timing::parameter_file& f) {
  return static_cast<std::size_t>(std::count_if(f.rows.begin(), f.rows.end(), [](const timing::file_parameter& r) {
    return r.evidence == timing::parameter_evidence::measured;
  }));
}

}  // namespace

result<timing::parameter_file> pack_parameters(const std::string& text, const std::string& file) {
  auto f = timing::read_parameter_file(text, file);
  if (!f) return f.error();
  if (auto wrong = not_of_a_gpu(*f, text, file)) return *wrong;
  if (const std::size_t n = measured_rows(*f); n < least_parameters)
    return diagnostic{
        formatted("the file has {} measured parameters, but a contribution has at least {}", n, least_parameters),
        {.file = file},
        "pass a file that bankwise probe wrote with --timing"};
  // Users may edit the texts, and a source may contain a path.
  for (timing::file_parameter& r : f->rows) r.source.clear();
  std::stable_sort(f->rows.begin(), f->rows.end(),
                   [](const timing::file_parameter& a, const timing::file_parameter& b) { return a.row < b.row; });
  return f;
}

result<timing::parameter_file> read_packed_parameters(const std::string& text, const std::string& file) {
  auto f = pack_parameters(text, file);
  if (!f) return f.error();
  if (const std::string again = to_csv(*f); again != text)
    return first_difference(text, again, file, "bankwise contribute does not write this line");
  return f;
}

contribution contribution_of(const timing::parameter_file& f, const std::string& file) {
  contribution c;
  c.arch = formatted("sm_{}", f.sm);
  c.gpu = f.gpu;
  c.version = f.version;
  c.file = file;
  c.driver = f.driver;
  c.parameters = measured_rows(f);
  return c;
}

std::string packed_name(const timing::parameter_file& f) { return formatted("timing-{}.csv", slug_of(f.gpu)); }

}  // namespace bankwise::probe
