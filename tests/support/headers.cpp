// Compiled with the headers that most tests include; the tests of all folders then use the result
// (tests/CMakeLists.txt).
