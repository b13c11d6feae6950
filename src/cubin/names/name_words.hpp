// The codes of types, operators and abbreviations in mangled names, as defined by the Itanium C++ ABI.
#pragma once

#include <string_view>

namespace bankwise::cubin::names {

struct builtin {
  char code;
  // `suffix`: the text after literals of this type; null if literals are printed as (type)1
  const char *name, *suffix;
};
inline constexpr builtin builtins[] = {
    {'v', "void", nullptr},
    {'w', "wchar_t", nullptr},
    {'b', "bool", nullptr},
    {'c', "char", nullptr},
    {'a', "signed char", nullptr},
    {'h', "unsigned char", nullptr},
    {'s', "short", nullptr},
    {'t', "unsigned short", nullptr},
    {'i', "int", ""},
    {'j', "unsigned int", "u"},
    {'l', "long", "l"},
    {'m', "unsigned long", "ul"},
    {'x', "long long", "ll"},
    {'y', "unsigned long long", "ull"},
    {'n', "__int128", nullptr},
    {'o', "unsigned __int128", nullptr},
    {'f', "float", nullptr},
    {'d', "double", nullptr},
    {'e', "long double", nullptr},
    {'g', "__float128", nullptr},
    {'z', "...", nullptr},
};

// Types whose code consists of a D and this letter.
inline constexpr builtin more_builtins[] = {
    {'f', "decimal32", nullptr},      {'d', "decimal64", nullptr},
    {'e', "decimal128", nullptr},     {'h', "half", nullptr},
    {'s', "char16_t", nullptr},       {'u', "char8_t", nullptr},
    {'i', "char32_t", nullptr},       {'a', "auto", nullptr},
    {'c', "decltype(auto)", nullptr}, {'n', "decltype(nullptr)", nullptr},
};

struct operator_name {
  std::string_view code, text;
  int operands;
};
inline constexpr operator_name operators[] = {
    {"aN", "&=", 2}, {"aS", "=", 2},       {"aa", "&&", 2},  {"ad", "&", 1},     {"an", "&", 2},
    {"cl", "()", 2}, {"cm", ",", 2},       {"co", "~", 1},   {"dV", "/=", 2},    {"da", "delete[] ", 1},
    {"de", "*", 1},  {"dl", "delete ", 1}, {"dv", "/", 2},   {"eO", "^=", 2},    {"eo", "^", 2},
    {"eq", "==", 2}, {"ge", ">=", 2},      {"gt", ">", 2},   {"ix", "[]", 2},    {"lS", "<<=", 2},
    {"le", "<=", 2}, {"ls", "<<", 2},      {"lt", "<", 2},   {"mI", "-=", 2},    {"mL", "*=", 2},
    {"mi", "-", 2},  {"ml", "*", 2},       {"mm", "--", 1},  {"na", "new[]", 3}, {"ne", "!=", 2},
    {"ng", "-", 1},  {"nt", "!", 1},       {"nw", "new", 3}, {"oR", "|=", 2},    {"oo", "||", 2},
    {"or", "|", 2},  {"pL", "+=", 2},      {"pl", "+", 2},   {"pm", "->*", 2},   {"pp", "++", 1},
    {"ps", "+", 1},  {"pt", "->", 2},      {"qu", "?", 3},   {"rM", "%=", 2},    {"rS", ">>=", 2},
    {"rm", "%", 2},  {"rs", ">>", 2},      {"ss", "<=>", 2},
};

inline constexpr struct {
  char code;
  const char* text;
} abbreviations[] = {{'t', "std"},          {'a', "std::allocator"}, {'b', "std::basic_string"}, {'s', "std::string"},
                     {'i', "std::istream"}, {'o', "std::ostream"},   {'d', "std::iostream"}};

}  // namespace bankwise::cubin::names
