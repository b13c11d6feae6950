// The instruction that a site is about, and where it is in the source: what all kinds of sites have.
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
