# Tests every way for a user to get bankwise, from an empty folder to a program that runs. The user builds from the
# source folder, or from an installation that `cmake --install` made.
set(consumers ${CMAKE_CURRENT_LIST_DIR})
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/consumers/prefix)

add_test(NAME consumer_install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
set_tests_properties(consumer_install PROPERTIES FIXTURES_SETUP installed)

# consumer_test(name program options...): configures, builds and runs the project in this folder.
function(consumer_test name program)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/consumers/${name})
  add_test(NAME ${name}
           COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${consumers} ${folder} --build-generator ${CMAKE_GENERATOR}
                   --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
                   -DCMAKE_BUILD_TYPE=Release ${ARGN} --test-command ${folder}/${program})
endfunction()
function(installed_test)
  set_tests_properties(${ARGN} PROPERTIES FIXTURES_REQUIRED installed)
endfunction()

foreach(year 17 20)
  consumer_test(consumer_find_package_${year} consumer -DBANKWISE_BY=find_package -DCMAKE_PREFIX_PATH=${prefix}
                -DCMAKE_CXX_STANDARD=${year})
  installed_test(consumer_find_package_${year})
  foreach(way add_subdirectory fetch_content)
    consumer_test(consumer_${way}_${year} consumer -DBANKWISE_BY=${way} -DBANKWISE_SOURCE=${PROJECT_SOURCE_DIR}
                  -DCMAKE_CXX_STANDARD=${year})
  endforeach()
endforeach()
if(NOT BANKWISE_FUZZ)  # with BANKWISE_FUZZ, objects of the library call functions of the fuzzer
  consumer_test(consumer_library library_consumer -DBANKWISE_BY=find_package -DCMAKE_PREFIX_PATH=${prefix}
                -DUSE_LIBRARY=ON)
  installed_test(consumer_library)
endif()

find_program(PKG_CONFIG NAMES pkg-config pkgconf)
set(pc_path PKG_CONFIG_PATH=${prefix}/${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(flags "$(${PKG_CONFIG} --cflags --libs bankwise)")
compile_test(consumer_pkg_config NEEDS GXX PKG_CONFIG
             COMMAND ${CMAKE_COMMAND} -E env ${pc_path} sh -c
                     "${GXX} -std=c++17 ${consumers}/main.cpp ${consumers}/other.cpp ${flags} -o pkg_config && ./pkg_config")
compile_test(consumer_nvcc NEEDS NVCC PKG_CONFIG
             COMMAND ${CMAKE_COMMAND} -E env ${pc_path} sh -c
                     "${NVCC} -std=c++17 -arch=sm_90 -cubin ${consumers}/kernel.cu ${flags} -o kernel.cubin")
compile_test(consumer_nvrtc NEEDS NVRTC_INCLUDE NVRTC_LIBRARY
             COMMAND ${nvrtc} ${prefix}/include ${consumers}/kernel.cu)
set(installed consumer_pkg_config consumer_nvcc consumer_nvrtc)
if(NOT BANKWISE_FUZZ)
  string(REPLACE " bankwise)" " bankwise-library)" flags ${flags})
  compile_test(consumer_pkg_config_library NEEDS PKG_CONFIG
               COMMAND ${CMAKE_COMMAND} -E env ${pc_path} sh -c
                       "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_FLAGS} -std=c++20 ${consumers}/library.cpp ${flags} -o pkg_config_library && ./pkg_config_library")
  list(APPEND installed consumer_pkg_config_library)
endif()
installed_test(${installed})
set_tests_properties(${installed} PROPERTIES WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
