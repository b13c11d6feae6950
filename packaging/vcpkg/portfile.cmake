# An overlay port of the checkout that it lies in: vcpkg install bankwise --overlay-ports=bankwise/packaging/vcpkg
# A port for the registry gets its sources with vcpkg_from_github instead of this line.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)

if(NOT "library" IN_LIST FEATURES)
  set(VCPKG_BUILD_TYPE release)  # headers, the same for every build
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES
  library BANKWISE_LIBRARY
  tools BANKWISE_TOOL
)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DBANKWISE_DEVELOPER=OFF -DBANKWISE_INSTALL=ON
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/bankwise)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES bankwise AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
