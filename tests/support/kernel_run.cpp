#include "support/kernel_run.hpp"

#include <cstdlib>

#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "cubin/program.hpp"
#include "emulate/counting/counting.hpp"
#include "profile/code/code.hpp"
#include "profile/code/meanings.hpp"
#include "profile/profile_launch.hpp"
#include "support/counting_check.hpp"
#include "support/files.hpp"

namespace bankwise::test {

void set_instruction_use(emulate::launch& l) {
  l.checks_operands = std::getenv("BANKWISE_CHECK_OPERANDS") != nullptr;
  const char* const named = std::getenv("BANKWISE_TEST_USE");
  if (named == nullptr) return;
  const std::string_view use = named;
  l.use = use == "interpret" ? emulate::instruction_use::interpret
          : use == "plain"   ? emulate::instruction_use::plain
          : use == "avx2"    ? emulate::instruction_use::avx2
                             : emulate::instruction_use::best;
  l.compile_after = 0;
}

namespace {

struct analysed_code {
  sass::code_flow flow;
  emulate::counting_code counting;
};

// `code` belongs to the kernel and is filled before `use` is called.
result<done> prepare(const kernel_launch& what, analysed_code& code, const kernel_use& use) {
  const auto contents = read_bytes(what.cubin.starts_with("/") ? what.cubin : source_path(what.cubin));
  const auto program = cubin::load(contents, what.cubin, 0);
  if (!program) return program.error();
  const auto kernel = cubin::find_kernel(*program, what.kernel);
  if (!kernel) return kernel.error();

  emulate::launch l;
  l.program = &*program;
  l.kernel = *kernel;
  l.grid = what.grid;
  l.block = what.block;
  l.dynamic_shared_bytes = what.shared;
  l.threads = what.threads;
  l.use = what.use;
  l.cooperative = what.cooperative;
  l.cluster = what.cluster;
  l.large_clusters = true;
  l.most_blocks = what.ctas;
  l.time = what.time;
  l.seed = what.seed;
  l.budget = what.budget;
  l.fault = what.fault;
  set_instruction_use(l);
  std::vector<kernel_argument> list;
  for (const std::string& text : what.arguments) {
    auto a = parse_argument(text, list.size() + 1);
    if (!a) return a.error();
    list.push_back(std::move(*a));
  }
  emulate::device_memory memory;
  if (const auto loaded = emulate::load_variables(*program, memory); !loaded) return loaded.error();
  const auto placed = place_arguments(**kernel, list, memory, [&](const std::string& name) {
    const auto it = what.files.find(name);
    return it == what.files.end() ? result<std::string>(diagnostic{"no file " + name}) : it->second;
  });
  if (!placed) return placed.error();
  l.parameters = placed->parameters;
  code.flow = emulate::flow_of(*program, *l.kernel);
  code.counting = emulate::code_to_count(code.flow, emulate::told_global::yes);
  l.racing = code.counting.racing;
  return use(l, memory, *placed);
}

}  // namespace

result<done> prepare_kernel(const kernel_launch& what, const kernel_use& use) {
  analysed_code code;
  return prepare(what, code, use);
}

result<kernel_run> run_kernel(const kernel_launch& what) {
  kernel_run run;
  analysed_code analysed;
  const auto ran = prepare(
      what, analysed,
      [&](const emulate::launch& l, emulate::device_memory& memory, const placed_arguments& placed) -> result<done> {
        const std::string arch = "sm_" + std::to_string(l.program->sm);
        const auto on = parse_machine(arch);
        if (!on) return on.error();
        emulate::launch_hooks hooks;
        hooks.print = hooks.print_error = [&](std::string_view text) { run.printed += text; };
        auto launched = profile_launch(l, memory, *on, hooks, {what.keep_accesses, traced_blocks::all, what.wanted});
        if (what.printed != nullptr) *what.printed = run.printed;
        if (!launched) return launched.error();
        add_meaning(*launched, *l.program, *l.kernel, analysed.counting.needed);
        std::vector<kernel_code> code;
        if (what.with_code) code.push_back(describe_code(*l.program, *l.kernel, *launched));
        run.whole = {arch, "emulated", *on, {std::move(*launched)}, std::move(code), {}};
        for (const placed_argument& a : placed.each)
          run.buffers.push_back(
              a.address == 0
                  ? ""
                  : std::string(reinterpret_cast<const char*>(memory.bytes_at(a.address, a.bytes)), a.bytes));
        return done{};
      });
  if (!ran) return ran.error();
  if (!checks_counting() || what.seed != 0 || what.ctas != 0) return run;
  const auto prepare = [&](const launch_use& use) {
    (void)prepare_kernel(what,
                         [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) -> result<done> {
                           use(l, memory);
                           return done{};
                         });
  };
  if (const counting_outcome o = count_without_results(prepare); !o.difference.empty())
    return diagnostic{"counted otherwise without results: " + o.difference};
  return run;
}

}  // namespace bankwise::test
