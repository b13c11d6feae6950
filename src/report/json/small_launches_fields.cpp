// JSON fields of the launches that end sooner than the host makes the next one.
#include "report/json/report_fields.hpp"

namespace bankwise {

const fields<small_launches>& small_launches_fields() {
  using small = small_launches;
  static const fields<small> all = [] {
    field<small> kernels = derived<small>("kernels", texts_type, "names of their kernels, the most launches first",
                                          [](const small& s) { return s.kernels; });
    kernels.set = [](report_reader& r, const node& n, small& s) {
      const node list = r.list(n, "kernels", small::most_kernels);
      for (std::size_t i = 0; i < r.size(list); ++i) s.kernels.push_back(r.text(r.item(list, i)));
    };
    return fields<small>{
        plain<small, &small::launches>("launches", "number of these launches", 1),
        std::move(kernels),
        plain<small, &small::nanoseconds>("nanoseconds", "the predicted time of the program's launches and copies", 1),
        plain<small, &small::as_graphs>("as_graphs",
                                        "the same time in nanoseconds, if the launches between two waits of the host "
                                        "were one graph"),
        plain<small, &small::waits>("waits", "waits of the host that follow launches alone").since(),
        plain<small, &small::with_one_wait>(
            "with_one_wait", "the time in nanoseconds with only the last of these waits; 0 without waits")
            .since()};
  }();
  return all;
}

}  // namespace bankwise
