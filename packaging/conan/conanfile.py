# conan create packaging/conan                    the headers
# conan create packaging/conan -o '&:library=True'   and the library behind the program
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class Bankwise(ConanFile):
    name = "bankwise"
    description = "What every shared-memory access of a CUDA kernel costs, and why"
    license = "Apache-2.0"
    topics = ("cuda", "shared-memory", "bank-conflicts", "performance")
    settings = "os", "compiler", "build_type", "arch"
    options = {"library": [True, False], "shared": [True, False], "fPIC": [True, False]}
    default_options = {"library": False, "shared": False, "fPIC": True}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        config = load(self, os.path.join(self._root, "include", "bankwise", "config.hpp"))
        self.version = ".".join(
            re.search(rf"BANKWISE_VERSION_{part} (\d+)", config).group(1) for part in ("MAJOR", "MINOR", "PATCH")
        )

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "packaging/cpack.cmake", "src/*",
                        "web/dist/*"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def configure(self):
        if not self.options.library:
            self.options.rm_safe("shared")
        if not self.options.library or self.options.shared:
            self.options.rm_safe("fPIC")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.library:
            self.requires("nlohmann_json/3.11.3", transitive_headers=True)
            self.requires("elfutils/0.190")
            self.requires("lz4/1.9.4")
            self.requires("tomlplusplus/3.4.0")
            self.requires("zstd/1.5.5")

    def package_id(self):
        if not self.info.options.library:
            self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20 if self.options.library else 17)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BANKWISE_DEVELOPER"] = False
        toolchain.cache_variables["BANKWISE_TOOL"] = False
        toolchain.cache_variables["BANKWISE_LIBRARY"] = bool(self.options.library)
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes these for whoever requires it.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.components["rule"].set_property("cmake_target_name", "bankwise::rule")
        self.cpp_info.components["rule"].set_property("pkg_config_name", "bankwise")
        self.cpp_info.components["rule"].bindirs = []
        self.cpp_info.components["rule"].libdirs = []
        if self.options.library:
            library = self.cpp_info.components["library"]
            library.set_property("cmake_target_name", "bankwise::bankwise")
            library.set_property("pkg_config_name", "bankwise-library")
            library.libs = ["bankwise"]
            library.includedirs.append(os.path.join("include", "bankwise", "library"))
            library.requires = ["rule", "nlohmann_json::nlohmann_json", "elfutils::libelf", "lz4::lz4", "zstd::zstd"]
            library.system_libs = ["pthread", "m"]
