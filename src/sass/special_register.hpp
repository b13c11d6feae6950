// The numbers of special registers for S2R, S2UR and CS2R. words.cpp contains their names.
#pragma once

namespace bankwise::sass {

namespace special_number {
enum special_register : unsigned {
  sr_laneid = 0,
  sr_clock = 1,
  sr_virtcfg = 2,
  sr_virtid = 3,
  sr_tid = 32,
  sr_tid_x = 33,
  sr_tid_y = 34,
  sr_tid_z = 35,
  sr_ctaid_x = 37,
  sr_ctaid_y = 38,
  sr_ctaid_z = 39,
  sr_lwinhi = 46,
  sr_swinhi = 47,
  sr_swinlo = 48,
  sr_swinsz = 49,
  sr_smemsz = 50,
  sr_lwinlo = 52,
  sr_lwinsz = 53,
  sr_lmemhioff = 55,
  sr_eqmask = 56,
  sr_ltmask = 57,
  sr_lemask = 58,
  sr_gtmask = 59,
  sr_gemask = 60,
  sr_virtualsmid = 67,
  sr_clocklo = 80,
  sr_clockhi = 81,
  sr_globaltimerlo = 82,
  sr_globaltimerhi = 83,
  sr_first_pm = 100,  // performance counters; reads always return 0 in bankwise
  sr_last_pm = 131,
  sr_cgactaid = 136,
  sr_constants = 138,  // from sm_100 on: selects the part of constant bank 0 that contains the constants of this launch
  sr_zero = 255,
};
}  // namespace special_number

// Returns the axis of blockIdx that the register contains, or -1.
constexpr int block_axis(unsigned number) {
  using namespace special_number;
  return number >= sr_ctaid_x && number <= sr_ctaid_z ? static_cast<int>(number - sr_ctaid_x) : -1;
}
// Whether the register may have different values in the lanes of a warp.
constexpr bool tells_lane(unsigned number) {
  using namespace special_number;
  return number == sr_laneid || (number >= sr_tid && number <= sr_tid_z) ||
         (number >= sr_eqmask && number <= sr_gemask);
}
// Whether the register tells on which part of the GPU the block runs.
constexpr bool tells_place(unsigned number) {
  return number == special_number::sr_virtid || number == special_number::sr_virtualsmid;
}
// Whether the register contains a time.
constexpr bool tells_clock(unsigned number) {
  using namespace special_number;
  return number == sr_clock || (number >= sr_clocklo && number <= sr_globaltimerhi);
}
// Whether the register tells when or on which part of the GPU the block runs.
constexpr bool tells_time(unsigned number) {
  using namespace special_number;
  return tells_clock(number) || tells_place(number) || (number >= sr_first_pm && number <= sr_last_pm);
}

}  // namespace bankwise::sass
