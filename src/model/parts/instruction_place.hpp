// The instruction of a site and its place in the source. All kinds of sites have these members.
#pragma once

#include <cstdint>
#include <string>

namespace bankwise {

struct instruction_place {
#define FACT(type, name, initial, when, tells, adds, meaning) type name{initial};
#define KEYED(type, name, initial, key, when, tells, adds, meaning) type name{initial};
#define DERIVED(key, when, meaning)
#include "model/parts/instruction_code.def"
#include "model/parts/instruction_place.def"
#undef FACT
#undef KEYED
#undef DERIVED
};

}  // namespace bankwise
