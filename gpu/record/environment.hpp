// The environment variables that `bankwise record` sets for the library in the recorded program, and the names of
// processes.
#pragma once

#include <string>

namespace bankwise::record {

inline constexpr const char* spool_variable = "BANKWISE_RECORD_SPOOL";        // a folder
inline constexpr const char* library_variable = "BANKWISE_RECORD_SANITIZER";  // has the path of libsanitizer-public.so
inline constexpr const char* schedule_variable = "BANKWISE_RECORD_SCHEDULE";  // has the schedule in one line

std::string program_name();
std::string host_name();
// Returns the rank that mpirun, srun or torchrun gave to this process. Returns an empty string if none of these
// programs started the process.
std::string rank();

// Replaces %p, %h, %r and %% in a name. %p is the process id, %h is the host, %r is the rank. An unknown rank becomes
// 0.
std::string expand_name(const std::string& name, const std::string& pid, const std::string& host,
                        const std::string& rank);

}  // namespace bankwise::record
