# bankwise_embed(TARGET FILE FUNCTION) adds a source to TARGET that defines `std::string_view bankwise::FUNCTION()`,
# which returns the bytes of FILE. On Linux, the assembler reads FILE, which takes no time. Elsewhere, the source
# contains an array of numbers, because compilers limit string literals and warn about long ones. If this file runs as a
# script (cmake -D input= -D output= -D function= -P), the script writes the array's source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${input} bytes HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  get_filename_component(name ${input} NAME)
  file(WRITE ${output} "// Made from ${name} by cmake/EmbedFile.cmake.
#include <string_view>

namespace bankwise {

static constexpr unsigned char bytes[] = {
${bytes}};

std::string_view ${function}() { return {reinterpret_cast<const char*>(bytes), sizeof bytes}; }

}  // namespace bankwise
")
  return()
endif()

function(bankwise_embed target file function)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    get_filename_component(name ${file} NAME)
    file(CONFIGURE OUTPUT ${output} @ONLY CONTENT "// Made for ${name} by cmake/EmbedFile.cmake.
#include <cstddef>
#include <string_view>

asm(R\"(.pushsection .rodata
.balign 8
bankwise_${function}_first:
.incbin \"${file}\"
bankwise_${function}_end:
.popsection)\");
extern const char first[] __asm__(\"bankwise_${function}_first\") __attribute__((visibility(\"hidden\")));
extern const char end[] __asm__(\"bankwise_${function}_end\") __attribute__((visibility(\"hidden\")));

namespace bankwise {

std::string_view ${function}() { return {first, static_cast<std::size_t>(end - first)}; }

}  // namespace bankwise
")
    set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS ${file} SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    add_custom_command(OUTPUT ${output}
                       COMMAND ${CMAKE_COMMAND} -D input=${file} -D output=${output} -D function=${function} -P ${script}
                       DEPENDS ${file} ${script} VERBATIM)
  endif()
  target_sources(${target} PRIVATE ${output})
endfunction()
