// Compiles the headers that most tests include. The tests of all folders use the precompiled header
// (tests/CMakeLists.txt).
