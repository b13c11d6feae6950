// Writes graphs in the DOT language of Graphviz.
#include <cstdio>
#include <map>
#include <string>

#include "base/format.hpp"
#include "runtime/stream/graph.hpp"

namespace bankwise::cuda {

namespace {

constexpr const char* type_names[] = {"KERNEL",    "MEMCPY",     "MEMSET",       "HOST",       "GRAPH",
                                      "EMPTY",     "EVENT_WAIT", "EVENT_RECORD", "",           "",
                                      "MEM_ALLOC", "MEM_FREE",   "MEM_OP",       "CONDITIONAL"};

// The name of a node is its index in the graph, so that every run writes the same text.
void print(std::FILE* out, const graph& g, const std::string& name, bool with_parameters) {
  std::map<const node*, std::string> names;
  std::fprintf(out, "subgraph cluster_%s {\nlabel=\"graph_%s\"\n", name.c_str(), name.c_str());
  for (const auto& n : g.nodes) {
    std::string& own = names[n.get()] = formatted("{}_node_{}", name, names.size());
    std::string label = type_names[type_of(n->what)];
    if (const auto* c = std::get_if<call>(&n->what)) {
      label += formatted("\\n{}", c->what->kernel->full_name);
      if (with_parameters)
        label +=
            formatted("\\ngrid {{{},{},{}}} block {{{},{},{}}} shared {}", c->how.grid[0], c->how.grid[1],
                      c->how.grid[2], c->how.block[0], c->how.block[1], c->how.block[2], c->how.dynamic_shared_bytes);
    }
    for (char& letter : label)
      if (letter == '"') letter = '\'';
    std::fprintf(out, "\"graph_%s\" [shape=\"record\" label=\"%s\"];\n", own.c_str(), label.c_str());
  }
  for (const auto& n : g.nodes)
    for (const dependency& d : n->after)
      std::fprintf(out, "\"graph_%s\" -> \"graph_%s\";\n", names[d.on].c_str(), names[n.get()].c_str());
  for (const auto& n : g.nodes) {
    std::size_t i = 0;
    for (const graph* part : parts_of(*n)) print(out, *part, formatted("{}_{}", names[n.get()], i++), with_parameters);
  }
  std::fprintf(out, "}\n");
}

}  // namespace

error print_graph(graph* handle, const char* path, unsigned flags) {
  const graph* g = find_graph(handle);
  if (g == nullptr || path == nullptr) return cudaErrorInvalidValue;
  std::FILE* out = std::fopen(path, "wb");
  if (out == nullptr) return cudaErrorOperatingSystem;
  std::fprintf(out, "digraph dot {\n");
  print(out, *g, "1", flags != 0);
  std::fprintf(out, "}\n");
  return std::fclose(out) == 0 ? cudaSuccess : cudaErrorOperatingSystem;
}

}  // namespace bankwise::cuda
