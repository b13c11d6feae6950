// The predicted time of a launch in the JSON of a report.
#pragma once

#include "report/json/field.hpp"

namespace bankwise {

inline constexpr const char* stall_cycles_type =
    R"({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}})";
inline constexpr const char* time_type =
    R"({"type": "object", "required": ["gpu", "cycles", "cycles_low", "cycles_high", "microseconds", "bound", "shares", "caches"], "properties": {"gpu": {"type": "string"}, "cycles": {"description": "elapsed cycles", "type": "integer", "minimum": 0}, "cycles_low": {"type": "integer", "minimum": 0}, "cycles_high": {"type": "integer", "minimum": 0}, "microseconds": {"description": "microseconds at the base clock, as Nsight Compute measures", "type": "number"}, "bound": {"description": "the resource that is used most. If no resource is used for at least half of the time, this is the first resource of shares", "type": "string"}, "shares": {"description": "for each resource, the percentage of the cycles that the launch would save if the resource took no time. The largest percentage is first", "type": "array", "items": {"type": "object", "required": ["resource", "percent"], "properties": {"resource": {"type": "string"}, "percent": {"type": "integer", "minimum": 0}}}}, "caches": {"enum": ["cold", "warm"]}, "use": {"description": "the use of each resource as a percentage of its maximum in the elapsed cycles, as on Nsight Compute's speed-of-light page. sm: the higher of issue and pipes (the busiest pipe); memory: the highest of l1, l2 and dram", "type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 100}}, "traced_blocks": {"description": "number of blocks that the prediction simulates. bankwise assumes that the other blocks behave like these blocks", "type": "integer", "minimum": 0}, "traced_in_part": {"description": "whether the prediction simulates only the first instructions of blocks", "type": "boolean"}, "evidence": {"description": "assumed: the times are computed from measurements of an H100 and published numbers of this GPU", "enum": ["measured", "assumed"]}, "parameters": {"description": "if the numbers are from a file that bankwise probe wrote: the parameters in this file that differ from the parameters of an H100", "type": "object", "additionalProperties": {"type": "number"}}, "cycles_without_conflicts": {"description": "if a layout can remove wavefronts: elapsed cycles without these wavefronts", "type": "integer", "minimum": 0}, "stall_cycles": {"description": "the cycles for which warps wait, for each of Nsight Compute's stall reasons. Each number is a sum over all warps of the launch. The largest number is first. The reason selected means that the warp issues an instruction", "type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}, "lines": {"description": "source lines with at least 1% of these cycles. The line with the most cycles is first. The cycles include all instructions, also instructions that do not access memory", "type": "array", "items": {"type": "object", "required": ["path", "line", "stall_cycles"], "properties": {"path": {"type": "string"}, "line": {"type": "integer", "minimum": 0}, "stall_cycles": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}}}}}})";

nlohmann::ordered_json stalls_json(const stall_cycles& s);
stall_cycles read_stalls(report_reader& r, const node& parent, const char* key);

// Returns a time in the unit of JSON.
inline double microseconds_of(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }
nlohmann::ordered_json time_json(const predicted_time& t);
predicted_time read_time(report_reader& r, const node& parent);

// Reads a launch's trace, which is one long text in the report.
std::string read_letters(report_reader& r, const node& parent, const char* key);

}  // namespace bankwise
