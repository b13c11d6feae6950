// Translates synonyms of operations. The first part of a name selects the operation. The other parts are translated one
// by one.
#include "expr/names/operation_synonyms.hpp"

#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

struct synonym_row {
  std::string_view name, ptx;
};

// Synonyms for the first part of a name.
constexpr synonym_row heads[] = {
    {"load", "ld"},           {"read", "ld"},     {"lds", "ld"},       {"ds_read", "ld"},
    {"ds_load", "ld"},        {"loads", "ld"},    {"reads", "ld"},     {"ldsm", "ldmatrix"},
    {"store", "st"},          {"write", "st"},    {"sts", "st"},       {"ds_write", "st"},
    {"ds_store", "st"},       {"stores", "st"},   {"writes", "st"},    {"stsm", "stmatrix"},
    {"atoms", "atom"},        {"atomic", "atom"}, {"atomics", "atom"}, {"ldgsts", "cp.async"},
    {"atom_cas", "atom.cas"}, {"popc", "popc"},
};

// Synonyms for a whole name.
constexpr synonym_row synonyms[] = {
    {"atomicadd", "atom.add"},       {"atomicsub", "atom.add"},
    {"atomicmax", "atom.max"},       {"atomicmin", "atom.min"},
    {"atomicand", "atom.and"},       {"atomicor", "atom.or"},
    {"atomicxor", "atom.xor"},       {"atomicexch", "atom.exch"},
    {"atomiccas", "atom.cas"},       {"atomicinc", "atom.inc"},
    {"atomicdec", "atom.dec"},       {"atomic_add", "atom.add"},
    {"atomic_max", "atom.max"},      {"atomic_min", "atom.min"},
    {"atomic_cas", "atom.cas"},      {"atomic_exch", "atom.exch"},
    {"ds_add_u32", "atom.add"},      {"ds_add_f32", "atom.add"},
    {"ds_add_rtn_u32", "atom.add"},  {"ds_add_u64", "atom.add.b64"},
    {"ds_max_i32", "atom.max"},      {"ds_min_i32", "atom.min"},
    {"ds_or_b32", "atom.or"},        {"ds_cmpst_b32", "atom.cas"},
    {"memcpy_async", "cp.async.ca"}, {"__pipeline_memcpy_async", "cp.async.ca"},
    {"cp_async", "cp.async.ca"},
};

}  // namespace

std::string ptx_name(std::string_view given) {
  std::string name;
  for (const char c : trim(given)) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  while (name.ends_with(';')) name.pop_back();
  // Removes qualifiers, as in shared::cta and L2::128B.
  for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::")) {
    std::size_t end = at + 2;
    while (end < name.size() && name[end] != '.') ++end;
    name.erase(at, end - at);
  }
  for (const synonym_row& r : synonyms)
    if (r.name == name) return std::string(r.ptx);
  // Splits AMD's names, such as ds_read_b128 and ds_write_b64.
  for (const std::string_view head : {"ds_read_", "ds_load_", "ds_write_", "ds_store_"})
    if (name.starts_with(head)) name[head.size() - 1] = '.';
  const std::vector<std::string_view> parts = split(name, '.');
  std::string head(parts[0]);
  for (const synonym_row& r : heads)
    if (r.name == head) head = std::string(r.ptx);
  const bool sass_matrix = parts[0] == "ldsm" || parts[0] == "stsm";
  const bool sass_atomic = parts[0] == "atoms";
  const bool sass_copy = parts[0] == "ldgsts";
  std::string rest, matrices = sass_matrix ? ".x1" : "", width;
  bool bypass = false, spins = false, increments = false, transposed = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view p = parts[i];
    if (sass_matrix && p.size() == 1 && p[0] >= '0' && p[0] <= '9') {
      matrices = formatted(".x{}", p);
    } else if (sass_matrix && (p == "16" || p == "m88" || p == "mt88" || p == "m" || p == "t")) {
      transposed = transposed || p == "mt88" || p == "t";
    } else if (sass_atomic && p == "popc") {
      increments = true;
    } else if (sass_atomic && (p == "inc" || p == "32") && increments) {
      continue;
    } else if (sass_atomic && (p == "cast" || p == "spin")) {
      spins = true;
    } else if (sass_copy && p == "bypass") {
      bypass = true;
    } else if (sass_copy && (p == "e" || p == "ltc128b" || p == "ltc64b" || p == "access" || p == "zfill")) {
      continue;
    } else {
      rest += formatted(".{}", p);
    }
  }
  if (increments) return "popc.inc";
  if (spins)
    return formatted("atom.cas.spin{}", rest == ".cas" ? "" : rest.starts_with(".cas.") ? rest.substr(4) : rest);
  if (sass_copy) return head + (bypass ? ".cg" : ".ca") + rest;
  return head + matrices + (transposed ? ".trans" : "") + rest;
}

}  // namespace bankwise
