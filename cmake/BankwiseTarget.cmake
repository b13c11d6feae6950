# Language level and warnings for our own targets; never for those who use us.
# -Wno-restrict, -Wno-maybe-uninitialized: g++ 12 warns of std::string and std::optional code that is right (GCC bugs
# 105651 and 105562); clang checks the same lines.
function(bankwise_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                         -Wno-missing-field-initializers
                                         $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>
                                         $<$<BOOL:${BANKWISE_WERROR}>:-Werror>)
endfunction()

# Code that also goes into the shared libraries of runtime/: position independent, and known to nobody outside of them.
function(bankwise_shareable name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                           VISIBILITY_INLINES_HIDDEN ON)
endfunction()
