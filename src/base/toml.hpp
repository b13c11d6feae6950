// toml++ without exceptions, because errors are values here. Assertions of toml++ fail for some files ("[#",
// "a = [}"), although the code after the assertions handles these files correctly. Assertions are therefore disabled,
// because a failed assertion stops a debug build. NDEBUG is also disabled. With NDEBUG, assertions become assumptions
// in a release build of clang.
#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ASSERT(expr) static_assert(true)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
