// JSON fields about the evidence for the meaning of a kernel's instructions.
#pragma once

#include "report/json/field.hpp"

namespace bankwise {

inline constexpr const char* meaning_type =
    R"({"type": "object", "required": ["instructions", "measured", "unmeasured"], "properties": {"instructions": {"description": "of the kernel's own code, without NOPs", "type": "integer", "minimum": 1}, "measured": {"description": "instructions that a GPU executed with the same results, in data/sm_90", "type": "integer", "minimum": 0}, "unmeasured": {"description": "all other instructions, by name", "type": "array", "items": {"type": "object", "required": ["instruction", "evidence", "places", "counts_depend"], "properties": {"instruction": {"type": "string"}, "evidence": {"description": "documented: the PTX manual describes the instruction from which it is compiled", "enum": ["documented", "assumed"]}, "places": {"description": "how often the instruction is in the code", "type": "integer", "minimum": 1}, "counts_depend": {"description": "an address of shared memory, or whether an access is executed, may depend on the instruction's result", "type": "boolean"}}}}}})";

nlohmann::ordered_json meaning_json(const code_meaning& m);
code_meaning read_meaning(report_reader& r, const node& parent);

}  // namespace bankwise
