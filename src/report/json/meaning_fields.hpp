// JSON fields about the evidence for the meaning of a kernel's instructions.
#pragma once

#include "report/json/field.hpp"

namespace bankwise {

inline constexpr const char* meaning_type =
    R"({"type": "object", "required": ["instructions", "measured", "unmeasured"], "properties": {"instructions": {"description": "number of instructions in the kernel's own code, without NOPs", "type": "integer", "minimum": 1}, "measured": {"description": "number of instructions whose results are equal to the results on a GPU. data/sm_90 contains the measurements", "type": "integer", "minimum": 0}, "unmeasured": {"description": "all other instructions, by name", "type": "array", "items": {"type": "object", "required": ["instruction", "evidence", "places", "counts_depend"], "properties": {"instruction": {"type": "string"}, "evidence": {"description": "documented: the PTX manual describes the PTX instruction that is compiled to this instruction", "enum": ["documented", "assumed"]}, "places": {"description": "number of times that the instruction occurs in the code", "type": "integer", "minimum": 1}, "counts_depend": {"description": "whether an address of shared memory, or the execution of an access, can depend on the instruction's result", "type": "boolean"}}}}}})";

nlohmann::ordered_json meaning_json(const code_meaning& m);
code_meaning read_meaning(report_reader& r, const node& parent);

}  // namespace bankwise
