// Compiled with the headers that most tests include, which the tests of all folders then have (tests/CMakeLists.txt).
