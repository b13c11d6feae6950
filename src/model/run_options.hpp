// Struct run_options: the options for the execution of launches. The members are the rows of run_options.def.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/parts/hazard.hpp"

namespace bankwise {

struct run_options {
#define SWITCH(name, flag, variable, meaning) bool name = false;
#define NUMBER(type, name, least, most, word, flag, variable, meaning) type name = 0;
#define SECONDS(name, flag, variable, meaning) std::chrono::milliseconds name{};
#define TEXT(name, flag, variable, meaning) std::string name;
#include "model/run_options.def"

  checks wanted() const { return {checks_uninitialised, checks_races, checks_memory, checks_synchronisation}; }
};

// The environment variables that pass the options to a program.
namespace run_variable {
#define SWITCH(name, flag, variable, meaning) inline constexpr const char* name = variable;
#define NUMBER(type, name, least, most, word, flag, variable, meaning) inline constexpr const char* name = variable;
#define SECONDS(name, flag, variable, meaning) inline constexpr const char* name = variable;
#define TEXT(name, flag, variable, meaning) inline constexpr const char* name = variable;
#include "model/run_options.def"
}  // namespace run_variable

// Returns the environment variables for a program that bankwise starts.
std::vector<std::pair<std::string, std::string>> environment_of(const run_options& o);
// Reads the options in the started program. `variable` returns the value of a variable, or null. If a value should be a
// number but is not, `ignored` is called.
run_options options_of_environment(const std::function<const char*(const char* name)>& variable,
                                   const std::function<void(const char* name, const char* value)>& ignored);

}  // namespace bankwise
