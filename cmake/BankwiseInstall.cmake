# Determines the files that `cmake --install` installs, and their folders. Other projects find them with:
#
#     find_package(bankwise)        defines bankwise::rule, and bankwise::bankwise if the library was built
#     pkg-config bankwise           the rule; the name of the library is bankwise-library
#
# Components: `program` and `development`.
include(CMakePackageConfigHelpers)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bankwise)
install(DIRECTORY include/bankwise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(TARGETS bankwise_rule EXPORT bankwiseRule)
install(EXPORT bankwiseRule NAMESPACE bankwise:: DESTINATION ${config_folder} COMPONENT development)
# A .pc file derives its prefix from its own path, so that the whole tree can be moved.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(pc_names bankwise)
if(BANKWISE_LIBRARY)
  get_target_property(kind bankwise_lib TYPE)
  # A program that links the static library must also link the libraries that the static library needs. A shared library
  # names these libraries itself.
  set(pc_private "")
  set(library_needs nlohmann_json::nlohmann_json Threads::Threads PkgConfig::LZ4 PkgConfig::ZSTD)
  if(kind STREQUAL "SHARED_LIBRARY")
    set(pc_private ".private")
    set(library_needs nlohmann_json::nlohmann_json)
  endif()
  list(JOIN library_needs " " library_needs)
  list(APPEND pc_names bankwise-library)
  install(TARGETS bankwise_lib EXPORT bankwiseLibrary
          LIBRARY COMPONENT program NAMELINK_COMPONENT development
          ARCHIVE COMPONENT development)
  install(EXPORT bankwiseLibrary NAMESPACE bankwise:: DESTINATION ${config_folder} COMPONENT development)
endif()
foreach(name ${pc_names})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

configure_package_config_file(cmake/bankwiseConfig.cmake.in bankwiseConfig.cmake INSTALL_DESTINATION ${config_folder}
                              NO_SET_AND_CHECK_MACRO)
# Before version 1.0, minor versions may be incompatible with each other.
write_basic_package_version_file(bankwiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bankwiseConfig.cmake ${PROJECT_BINARY_DIR}/bankwiseConfigVersion.cmake
        DESTINATION ${config_folder} COMPONENT development)
