# Makes packages from the files of `cmake --install`. packaging/build-deb and scripts/build-release use it.
option(BANKWISE_DEBIAN "Arrange files as Debian requires" OFF)
if(BANKWISE_DEBIAN)
  set(doc ${CMAKE_INSTALL_DATADIR}/doc)
  install(FILES LICENSE DESTINATION ${doc}/bankwise RENAME copyright COMPONENT program)
  install(FILES LICENSE DESTINATION ${doc}/libbankwise-dev RENAME copyright COMPONENT development)
  if(BANKWISE_MATH)
    install(FILES LICENSE DESTINATION ${doc}/bankwise-cuda-math RENAME copyright COMPONENT math)
  endif()
endif()

set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program development)
if(BANKWISE_MATH)
  list(APPEND CPACK_COMPONENTS_ALL math)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "bankwise maintainers <maintainers@bankwise.invalid>")
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bankwise)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "bankwise-cuda-math, nvidia-cuda-toolkit")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Counts the wavefronts of shared-memory accesses as the hardware counts them,
names the lanes and banks that collide, and finds the padding or swizzle that
removes the conflicts. No GPU is needed.")
# The math stand-ins call functions of the stand-in driver of the same version. They also need glibc, and nothing else.
# dpkg-shlibdeps would search for the package of libcuda.so.1.
set(CPACK_DEBIAN_MATH_PACKAGE_NAME bankwise-cuda-math)
set(CPACK_DEBIAN_MATH_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_MATH_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_MATH_PACKAGE_DEPENDS "bankwise (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libc6 (>= 2.28)")
set(CPACK_DEBIAN_MATH_PACKAGE_RECOMMENDS "libopenblas0")  # opened at run time for cuBLAS and cuSOLVER
# Older versions of the package `bankwise` contained these files.
set(CPACK_DEBIAN_MATH_PACKAGE_BREAKS "bankwise (<< ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_MATH_PACKAGE_REPLACES "bankwise (<< ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_COMPONENT_MATH_DESCRIPTION
    "Stand-ins for cuBLAS, cuBLASLt, cuDNN, cuFFT, cuRAND, cuSOLVER and cuSPARSE that
compute on the host, for programs that call these libraries under bankwise run.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbankwise-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# Only the library needs these packages. The rule consists of headers without dependencies.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "nlohmann-json3-dev, liblz4-dev, libzstd-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "The rule of shared-memory banks as C++17 headers, for hosts, kernels and
constant expressions, and the library behind the program bankwise.")
include(CPack)
