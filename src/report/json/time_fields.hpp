// The predicted time of a launch in the JSON of a report.
#pragma once

#include "report/json/field.hpp"

namespace bankwise {

inline constexpr const char* stall_cycles_type =
    R"({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}})";
inline constexpr const char* time_type =
    R"({"type": "object", "required": ["gpu", "cycles", "cycles_low", "cycles_high", "microseconds", "bound", "shares", "caches"], "properties": {"gpu": {"type": "string"}, "cycles": {"description": "elapsed", "type": "integer", "minimum": 0}, "cycles_low": {"type": "integer", "minimum": 0}, "cycles_high": {"type": "integer", "minimum": 0}, "microseconds": {"description": "at the base clock, as Nsight Compute measures", "type": "number"}, "bound": {"description": "the resource that limits the launch most", "type": "string"}, "shares": {"description": "by how many percent the cycles would fall without a resource, the largest first", "type": "array", "items": {"type": "object", "required": ["resource", "percent"], "properties": {"resource": {"type": "string"}, "percent": {"type": "integer", "minimum": 0}}}}, "caches": {"enum": ["cold", "warm"]}, "evidence": {"description": "assumed: scaled from an H100 by what is published of the GPU", "enum": ["measured", "assumed"]}, "parameters": {"description": "if the numbers are from a file that bankwise probe wrote: its parameters that differ from those of an H100", "type": "object", "additionalProperties": {"type": "number"}}, "cycles_without_conflicts": {"description": "if a layout can remove wavefronts: elapsed cycles without them", "type": "integer", "minimum": 0}, "stall_cycles": {"description": "cycles of all warps of the launch, by Nsight Compute's names of the reasons, the most first; selected: they issue", "type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}, "lines": {"description": "lines of the source with at least 1% of these cycles, the most first; with all instructions, not only those on memory", "type": "array", "items": {"type": "object", "required": ["path", "line", "stall_cycles"], "properties": {"path": {"type": "string"}, "line": {"type": "integer", "minimum": 0}, "stall_cycles": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}}}}}})";

nlohmann::ordered_json stalls_json(const stall_cycles& s);
stall_cycles read_stalls(report_reader& r, const node& parent, const char* key);

nlohmann::ordered_json time_json(const predicted_time& t);
predicted_time read_time(report_reader& r, const node& parent);

// Reads a trace, which is one long text in a report.
std::string read_letters(report_reader& r, const node& parent, const char* key);

}  // namespace bankwise
