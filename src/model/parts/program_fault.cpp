#include "model/parts/program_fault.hpp"

#include <algorithm>
#include <iterator>

namespace bankwise {

namespace {

using kind = program_fault_kind;

constexpr program_fault_words fault_words_table[] = {
    {kind::freed_twice, "freed_twice", "memory was freed twice", "remove one of the calls, or set the pointer to null"},
    {kind::bad_free, "bad_free", "the address is not the beginning of an allocation of this kind",
     "free the pointer that the allocation returned, with the function that belongs to it"},
    {kind::leak, "leak", "memory was not freed", "free the memory before the program ends", true},
    {kind::unwritten_copy, "unwritten_copy", "a copy to the host contains bytes that nothing wrote",
     "copy only what was written, or write the memory first. On a GPU, these bytes are old values", true},
    {kind::stream_race, "stream_race", "operations of two streams access the same bytes, and nothing orders them",
     "record an event after the first operation, and let the other stream wait for it: cudaEventRecord, "
     "cudaStreamWaitEvent"},
    {kind::host_race, "host_race", "the program changed bytes while an operation in flight may use them",
     "wait for the operation before the program writes the bytes: cudaStreamSynchronize, cudaEventSynchronize"},
    {kind::bad_copy, "bad_copy", "a copy goes outside of the memory",
     "copy fewer bytes, or allocate more. A GPU copies nothing"},
    {kind::unawaited, "unawaited", "memory of the host is freed, but the program has not waited for what writes it",
     "wait before the program reads the bytes: cudaStreamSynchronize, cudaEventSynchronize", true},
};

}  // namespace

const program_fault_words& words_of(program_fault_kind k) { return fault_words_table[static_cast<std::size_t>(k)]; }

bool parse_program_fault(std::string_view name, program_fault_kind& k) {
  const auto* const it = std::find_if(std::begin(fault_words_table), std::end(fault_words_table),
                                      [&](const program_fault_words& w) { return w.name == name; });
  if (it == std::end(fault_words_table)) return false;
  k = it->kind;
  return true;
}

}  // namespace bankwise
