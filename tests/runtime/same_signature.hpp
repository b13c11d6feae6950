// Compares our declarations with NVIDIA's, as far as a caller can notice a difference.
#pragma once

#include <cstddef>
#include <type_traits>

namespace bankwise::test {

// Whether our structure represents NVIDIA's structure. HANDLE: programs only have a pointer to the structure. PAIR:
// programs have the bytes of the structure.
template <class Ours, class Theirs>
inline constexpr bool is_pair = false;
#define HANDLE(ours, theirs) \
  template <>                \
  inline constexpr bool bankwise::test::is_pair<ours, theirs> = true;
#define PAIR(ours, theirs)                                                                  \
  static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) <= alignof(theirs), #ours); \
  HANDLE(ours, theirs)

// Numbers must have the same width and kind. An enum counts as an int.
template <class T>
struct underlying_number : std::type_identity<T> {};
template <class T>
  requires std::is_enum_v<T>
struct underlying_number<T> : std::conditional<sizeof(T) == sizeof(int), int, void> {};
template <class Ours, class Theirs>
constexpr bool is_same_number() {
  using A = typename underlying_number<Ours>::type;
  using B = typename underlying_number<Theirs>::type;
  const bool has_enum = std::is_enum_v<Ours> || std::is_enum_v<Theirs>;
  return sizeof(A) == sizeof(B) && std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
         (has_enum || std::is_signed_v<A> == std::is_signed_v<B>);
}

template <class Ours, class Theirs>
struct same : std::false_type {};
template <class Ours, class Theirs>
struct same<Ours*, Theirs*> : std::bool_constant<std::is_const_v<Ours> == std::is_const_v<Theirs> &&
                                                 same<std::remove_const_t<Ours>, std::remove_const_t<Theirs>>::value> {
};
template <class Ours, class Theirs>
  requires(std::is_arithmetic_v<Ours> || std::is_enum_v<Ours>) &&
          (std::is_arithmetic_v<Theirs> || std::is_enum_v<Theirs>)
struct same<Ours, Theirs> : std::bool_constant<is_same_number<Ours, Theirs>()> {};
template <class Ours, class Theirs>
  requires(std::is_class_v<Ours> || std::is_union_v<Ours>)
struct same<Ours, Theirs> : std::bool_constant<is_pair<Ours, Theirs>> {};
template <>
struct same<void, void> : std::true_type {};
// Types that are not compared.
template <class Theirs>
  requires std::is_class_v<Theirs>
struct same<void, Theirs> : std::bool_constant<is_pair<void, Theirs>> {};
template <class R, class... A, class Q, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct same<R(A...), Q(B...)> : std::bool_constant<same<R, Q>::value && (same<A, B>::value && ...)> {};

}  // namespace bankwise::test
