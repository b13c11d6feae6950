#include "counters.hpp"
#include "base/format.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "cupti_abi.hpp"
#include "kernels.hpp"

namespace bankwise::probe {

namespace {

constexpr std::size_t ranges_at_a_time = 512;

struct cupti_functions {
  using call = cupti::status (*)(void*);
  call initialize = nullptr, chip_name = nullptr, availability = nullptr;
  call host_initialize = nullptr, host_deinitialize = nullptr, add_metrics = nullptr, config_size = nullptr,
       config_image = nullptr, evaluate = nullptr;
  call enable = nullptr, disable = nullptr, start = nullptr, stop = nullptr, decode = nullptr, set_config = nullptr,
       data_size = nullptr, data_initialize = nullptr, data_info = nullptr;
  cupti::status (*result_text)(cupti::status, const char**) = nullptr;
};

void* open_library() {
  if (const char* named = std::getenv("BANKWISE_LIBCUPTI"); named != nullptr && *named != '\0')
    return dlopen(named, RTLD_NOW | RTLD_LOCAL);
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0') folders.emplace_back(home);
  folders.emplace_back("/usr/local/cuda");
  for (const std::string& folder : folders)
    for (const char* inside : {"/lib64/", "/extras/CUPTI/lib64/"})
      for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
        if (void* library = dlopen((folder.empty() ? name : folder + inside + name).c_str(), RTLD_NOW | RTLD_LOCAL))
          return library;
  return nullptr;
}

result<cupti_functions> load_cupti() {
  void* library = open_library();
  if (library == nullptr)
    return diagnostic{"CUPTI, which reads the hardware counters, was not found",
                      {},
                      "install the CUDA toolkit, which contains CUPTI, or set BANKWISE_LIBCUPTI to the path of "
                      "libcupti.so"};
  cupti_functions f;
  bool complete = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    complete = complete && function != nullptr;
  };
  find(f.initialize, "cuptiProfilerInitialize");
  find(f.chip_name, "cuptiDeviceGetChipName");
  find(f.availability, "cuptiProfilerGetCounterAvailability");
  find(f.host_initialize, "cuptiProfilerHostInitialize");
  find(f.host_deinitialize, "cuptiProfilerHostDeinitialize");
  find(f.add_metrics, "cuptiProfilerHostConfigAddMetrics");
  find(f.config_size, "cuptiProfilerHostGetConfigImageSize");
  find(f.config_image, "cuptiProfilerHostGetConfigImage");
  find(f.evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  find(f.enable, "cuptiRangeProfilerEnable");
  find(f.disable, "cuptiRangeProfilerDisable");
  find(f.start, "cuptiRangeProfilerStart");
  find(f.stop, "cuptiRangeProfilerStop");
  find(f.decode, "cuptiRangeProfilerDecodeData");
  find(f.set_config, "cuptiRangeProfilerSetConfig");
  find(f.data_size, "cuptiRangeProfilerGetCounterDataSize");
  find(f.data_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  find(f.data_info, "cuptiRangeProfilerGetCounterDataInfo");
  find(f.result_text, "cuptiGetResultString");
  if (!complete) return diagnostic{"this CUPTI has no range profiler", {}, "install CUPTI of CUDA 12.6 or later"};
  return f;
}

class counter {
 public:
  counter(gpu& on, const cupti_functions& f) : on_(on), f_(f) {}
  ~counter() {
    if (host_ != nullptr) {
      cupti::host_deinitialize end;
      end.host = host_;
      f_.host_deinitialize(sized(end, &cupti::host_deinitialize::host));
    }
  }
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;

  result<done> begin() {
    cupti::initialize init;
    init.size = sizeof init;
    if (auto ok = check(f_.initialize(&init)); !ok) return ok;
    cupti::chip_name chip;
    chip.device = on_.facts().index;
    if (auto ok = check(f_.chip_name(sized(chip, &cupti::chip_name::name))); !ok) return ok;
    chip_ = chip.name;
    cupti::availability a;
    a.context = on_.context();
    if (auto ok = check(f_.availability(sized(a, &cupti::availability::image))); !ok) return ok;
    availability_.resize(a.image_bytes);
    a.image = availability_.data();
    if (auto ok = check(f_.availability(&a)); !ok) return ok;
    const auto patterns = on_.allocate(ranges_at_a_time * pattern_words * 4);
    if (!patterns) return patterns.error();
    const auto results = on_.allocate(256);
    if (!results) return results.error();
    patterns_ = *patterns;
    results_ = *results;
    return done{};
  }

  result<std::vector<double>> wavefronts(const probed_operation& p, std::span<const access> accesses) {
    std::vector<double> all;
    const auto index = static_cast<std::size_t>(&p - probed_operations().data());
    for (std::size_t first = 0; first < accesses.size(); first += ranges_at_a_time) {
      const auto part = accesses.subspan(first, std::min(ranges_at_a_time, accesses.size() - first));
      std::vector<std::uint32_t> words;
      for (const access& a : part) {
        words.push_back(a.mask);
        for (const u32 address : a.address) words.push_back(address % address_limit);
      }
      if (const auto ok = on_.write(patterns_, words.data(), words.size() * 4); !ok) return ok.error();
      const auto counted = of_launches(metric_of(p.op.kind), part.size(), [&](std::size_t i) {
        return on_.launch(kernel_name(kernel_kind::count, index), 1, 32, shared_bytes,
                          {patterns_ + i * pattern_words * 4, results_, 0});
      });
      if (!counted) return counted.error();
      all.insert(all.end(), counted->begin(), counted->end());
    }
    return all;
  }

  // Returns the value of the metric for each of several launches. `launch` starts a launch.
  result<std::vector<double>> of_launches(const char* metric, std::size_t launches,
                                          const std::function<result<done>(std::size_t)>& launch) {
    if (const auto ok = choose(metric); !ok) return ok.error();
    // The profiler is enabled only while it counts, so that all other kernels run as usual.
    cupti::enable on;
    on.context = on_.context();
    if (auto ok = check(f_.enable(sized(on, &cupti::enable::profiler))); !ok) return ok.error();
    std::vector<double> all;
    const auto counted = count(launches, launch, on.profiler, all);
    cupti::one_profiler off;
    off.profiler = on.profiler;
    f_.disable(sized(off, &cupti::one_profiler::profiler));
    if (!counted) return counted.error();
    return all;
  }

 private:
  // CUPTI requires that the size field of a structure covers exactly the members up to the last member of this version.
  template <class Struct, class Member>
  static Struct* sized(Struct& s, Member Struct::*last) {
    s.size = static_cast<std::size_t>(reinterpret_cast<const char*>(&(s.*last)) - reinterpret_cast<const char*>(&s)) +
             sizeof(s.*last);
    return &s;
  }

  result<done> check(cupti::status s) const {
    if (s == 0) return done{};
    if (s == cupti::not_permitted)
      return diagnostic{
          "this user has no permission to read the GPU's counters",
          {},
          "run bankwise as root, or ask an administrator to set NVreg_RestrictProfilingToAdminUsers=0. Timing needs "
          "no permission"};
    const char* text = nullptr;
    f_.result_text(s, &text);
    return diagnostic{formatted("CUPTI: {}", text != nullptr ? text : formatted("error {}", s)),
                      {},
                      "the counters cannot be read while another profiler uses the GPU"};
  }

  // Returns the metric for wavefronts of this operation. All other metrics also count the wavefront at the end of each
  // warp.
  static const char* metric_of(op_kind k) {
    switch (k) {
      case op_kind::load:
      case op_kind::ldmatrix: return "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
      case op_kind::store:
      case op_kind::stmatrix: return "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
      default: return "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";
    }
  }

  result<done> choose(const char* metric) {
    if (metric_ == metric) return done{};
    metric_ = nullptr;
    if (host_ != nullptr) {
      cupti::host_deinitialize end;
      end.host = host_;
      f_.host_deinitialize(sized(end, &cupti::host_deinitialize::host));
      host_ = nullptr;
    }
    cupti::host_initialize host;
    host.chip = chip_.c_str();
    host.availability_image = availability_.data();
    if (auto ok = check(f_.host_initialize(sized(host, &cupti::host_initialize::host))); !ok) return ok;
    host_ = host.host;
    cupti::add_metrics add;
    add.host = host_;
    add.names = &metric;
    add.count = 1;
    if (auto ok = check(f_.add_metrics(sized(add, &cupti::add_metrics::count))); !ok) return ok;
    cupti::config_size size;
    size.host = host_;
    if (auto ok = check(f_.config_size(sized(size, &cupti::config_size::bytes))); !ok) return ok;
    config_.assign(size.bytes, 0);
    cupti::config_image image;
    image.host = host_;
    image.bytes = config_.size();
    image.image = config_.data();
    if (auto ok = check(f_.config_image(sized(image, &cupti::config_image::image))); !ok) return ok;
    metric_ = metric;
    return done{};
  }

  result<done> count(std::size_t launches, const std::function<result<done>(std::size_t)>& launch, void* profiler,
                     std::vector<double>& all) {
    cupti::data_size size;
    size.profiler = profiler;
    size.names = &metric_;
    size.count = 1;
    size.most_ranges = launches;
    size.most_nodes = static_cast<std::uint32_t>(launches);
    if (auto ok = check(f_.data_size(sized(size, &cupti::data_size::bytes))); !ok) return ok;
    std::vector<std::uint8_t> image(size.bytes);
    cupti::data_initialize clear;
    clear.profiler = profiler;
    clear.bytes = image.size();
    clear.image = image.data();
    if (auto ok = check(f_.data_initialize(sized(clear, &cupti::data_initialize::image))); !ok) return ok;
    cupti::set_config config;
    config.profiler = profiler;
    config.config_bytes = config_.size();
    config.config = config_.data();
    config.image_bytes = image.size();
    config.image = image.data();
    config.ranges_a_pass = launches;
    if (auto ok = check(f_.set_config(sized(config, &cupti::set_config::target_nesting_level))); !ok) return ok;
    cupti::one_profiler start;
    start.profiler = profiler;
    if (auto ok = check(f_.start(sized(start, &cupti::one_profiler::profiler))); !ok) return ok;
    result<done> launched = done{};
    for (std::size_t i = 0; i < launches && launched; ++i) launched = launch(i);
    if (launched) launched = on_.wait();
    cupti::stop stop;
    stop.profiler = profiler;
    auto stopped = check(f_.stop(sized(stop, &cupti::stop::all_passes)));
    if (!launched) return launched.error();
    if (!stopped) return stopped;
    cupti::decode decode;
    decode.profiler = profiler;
    if (auto ok = check(f_.decode(sized(decode, &cupti::decode::dropped))); !ok) return ok;
    cupti::data_info info;
    info.image = image.data();
    info.image_bytes = image.size();
    if (auto ok = check(f_.data_info(sized(info, &cupti::data_info::ranges))); !ok) return ok;
    if (info.ranges != launches || stop.all_passes == 0)
      return diagnostic{formatted("CUPTI counted only {} of {} launches", info.ranges, launches)};
    for (std::size_t i = 0; i < launches; ++i) {
      double value = 0;
      cupti::evaluate ask;
      ask.host = host_;
      ask.image = image.data();
      ask.image_bytes = image.size();
      ask.range = i;
      ask.names = &metric_;
      ask.count = 1;
      ask.values = &value;
      if (auto ok = check(f_.evaluate(sized(ask, &cupti::evaluate::values))); !ok) return ok;
      all.push_back(value);
    }
    return done{};
  }

  gpu& on_;
  cupti_functions f_;
  std::string chip_;
  std::vector<std::uint8_t> availability_, config_;
  void* host_ = nullptr;
  const char* metric_ = nullptr;  // the metric that config_ selects
  cuda::pointer patterns_ = 0, results_ = 0;
};

}  // namespace

result<meter> wavefront_meter(gpu& on) {
  const auto functions = load_cupti();
  if (!functions) return functions.error();
  const auto c = std::make_shared<counter>(on, *functions);
  if (const auto ok = c->begin(); !ok) return ok.error();
  return meter([c](const probed_operation& p, std::span<const access> accesses) { return c->wavefronts(p, accesses); });
}

result<double> launch_overhead(gpu& on, const std::function<result<done>()>& launch) {
  const auto functions = load_cupti();
  if (!functions) return functions.error();
  counter c(on, *functions);
  if (const auto ok = c.begin(); !ok) return ok.error();
  constexpr std::size_t launches = 9;
  double clocks[2] = {};
  constexpr const char* metrics[] = {"gpc__cycles_elapsed.max", "sm__cycles_active.max"};
  for (std::size_t i = 0; i < 2; ++i) {
    auto all = c.of_launches(metrics[i], launches, [&](std::size_t) { return launch(); });
    if (!all) return all.error();
    std::nth_element(all->begin(), all->begin() + launches / 2, all->end());
    clocks[i] = (*all)[launches / 2];
  }
  return clocks[0] - clocks[1];
}

}  // namespace bankwise::probe
