// Tests which operands an instruction reads and writes, according to its row in opcodes.def. For executed instructions,
// emulate_probe_test and the tests operands_of_... check that the emulator accesses no other operands.
#include "sass/operand/operands.hpp"

#include <gtest/gtest.h>

#include "sass/print/print.hpp"

namespace bankwise {
namespace {

// An encoding, its text, and its operands. "R4-5" is a pair of registers.
struct example {
  std::uint64_t low, high;
  const char *text, *reads, *writes;
};
constexpr example examples[] = {
    {0x0000000006088984, 0x0000000000000a00, "@!P0 LDS.64 R8, [R6]", "P0 R6", "R8-9"},
    {0x000000040d007388, 0x0000000000000a00, "STS.64 [R13], R4", "R13 R4-5", ""},
    {0x000000040c007388, 0x0000000000000c00, "STS.128 [R12], R4", "R12 R4-7", ""},
    {0x000000040b06738d, 0x0000000000000406, "ATOMS.CAS.64 R6, [R11], R4, R6", "R11 R4-5 R6-7", "R6-7"},
    {0x0000000607ff738c, 0x0000000000000000, "ATOMS.ADD RZ, [R7], R6", "R7 R6", ""},
    {0x00000000ffff7f8c, 0x000000000d800004, "ATOMS.POPC.INC.32 RZ, [UR4]", "UR4", ""},
    {0x000000020903738d, 0x0000000001800003, "ATOMS.CAST.SPIN R3, [R9], R2, R3", "R9 R2 R3", "R3"},
    {0x000000000808783b, 0x0000000000004200, "LDSM.16.MT88.4 R8, [R8]", "R8", "R8-11"},
    {0x000000080c007844, 0x0000000000000100, "STSM.16.M88.2 [R12], R8", "R12 R8-9", ""},
    {0x00000400080b7fae, 0x0000000008141c46, "LDGSTS.E.BYPASS.128.ZFILL [R11], desc[UR6][R8.64+0x400], P0",
     "R11 R8-9 UR6-7 P0", ""},
    {0x0114000402087981, 0x000000000c1e1d00, "LDG.E.128 R8, desc[UR4][R2.64+0x11400]", "R2-3 UR4-5", "R8-11"},
    {0x0024002402067981, 0x000000000c1e1900, "LDG.E R6, desc[UR36][R2.64+0x2400]", "R2-3 UR36-37", "R6"},
    {0x0000000604007986, 0x000000000c101b04, "STG.E.64 desc[UR4][R4.64], R6", "R4-5 UR4-5 R6-7", ""},
    {0x0000000410007986, 0x000000000c101924, "STG.E desc[UR36][R16.64], R4", "R16-17 UR36-37 R4", ""},
    {0x00000004080673a9, 0x00000000001ee506, "ATOMG.E.CAS.64.STRONG.GPU PT, R6, [R8], R4, R6", "R8-9 R4-5 R6-7",
     "R6-7"},
    {0x0000000206ff798a, 0x000000000810e5c8, "ATOM.E.ADD.64.STRONG.GPU P0, RZ, desc[UR8][R6.64], R2", "R6-7 UR8-9 R2-3",
     "P0"},
    {0x000000080400798e, 0x000000000e90e584, "REDG.E.AND.64.STRONG.GPU desc[UR4][R4.64], R8", "R4-5 UR4-5 R8-9", ""},
    {0x0000000000147983, 0x0000000000100a00, "LDL.64 R20, [R0]", "R0", "R20-21"},
    {0x0080000006067b82, 0x0000000000000a00, "LDC.64 R6, c[0x2][R6]", "R6", "R6-7"},
    {0x0000840000047ab9, 0x0000000000000a00, "ULDC.64 UR4, c[0x0][0x210]", "", "UR4-5"},
    {0x00000007050f7210, 0x000000000071e4ff, "IADD3.X R15, P0, R5, R7, RZ, P0, !PT", "R5 R7 P0", "R15 P0"},
    {0x0000000410027c10, 0x000000000ff1e0ff, "IADD3 R2, P0, R16, UR4, RZ", "R16 UR4", "R2 P0"},
    {0x0000000504047225, 0x00000000078e02ff, "IMAD.WIDE R4, R4, R5, RZ", "R4 R5", "R4-5"},
    {0x0000000d06087225, 0x0000000007800008, "IMAD.WIDE.U32 R8, P0, R6, R13, R8", "R6 R13 R8-9", "R8-9 P0"},
    {0xffffffff06087811, 0x00000000078f58ff, "LEA.HI R8, R6, 0xffffffff, RZ, 0xb", "R6", "R8"},
    {0x0000000805087211, 0x00000000000f0eff, "LEA.HI.X.SX32 R8, R5, R8, 0x1, P0", "R5 R8 P0", "R8"},
    {0x000000070400720c, 0x0000000003f06300, "ISETP.GE.AND.EX P0, PT, R4, R7, PT, P0", "R4 R7 P0", "P0"},
    {0x0000003f0500728c, 0x000000000bf05070, "UISETP.NE.U32.AND UP0, UPT, UR5, URZ, UPT", "UR5", "UP0"},
    {0x000000093f047290, 0x00000000087fe43f, "UIADD3.X UR4, URZ, UR9, URZ, UP0, !UPT", "UR9 UP0", "UR4"},
    {0x8000000009057812, 0x000000000780c0ff, "LOP3.LUT P0, R5, R9, 0x80000000, RZ, 0xc0, !PT", "R9", "P0 R5"},
    {0x0000000200107819, 0x00000000000006ff, "SHF.L.U32 R16, R0, 0x2, RZ", "R0", "R16"},
    {0x000000080606722b, 0x000000000000000a, "DFMA R6, R6, R8, R10", "R6-7 R8-9 R10-11", "R6-7"},
    {0x000000060400722a, 0x0000000003f24000, "DSETP.GT.AND P1, PT, R4, R6, PT", "R4-5 R6-7", "P1"},
    {0x0000000200047310, 0x0000000000201800, "F2F.F64.F32 R4, R2", "R2", "R4-5"},
    {0x0000000400127310, 0x0000000000301000, "F2F.F32.F64 R18, R4", "R4-5", "R18"},
    {0x0000000400047311, 0x0000000000201900, "F2I.S64 R4, R4", "R4", "R4-5"},
    {0x0000000400047312, 0x0000000000101c00, "I2F.F64.S16 R4, R4", "R4", "R4-5"},
    {0x000000000000781c, 0x000000000070e170, "PLOP3.LUT P0, PT, P0, PT, PT, 0x8, 0x0", "P0", "P0"},
    {0x00000002ff167803, 0x0000000000000000, "P2R R22, PR, RZ, 0x2", "P1", "R22"},
    {0x0000000700077389, 0x0000000000000006, "SHFL.IDX P0, R7, R0, R7, R6", "R0 R7 R6", "P0 R7"},
    {0x0000000000ff7806, 0x0000000004000000, "VOTE.ALL P0, !P0", "P0", "P0"},
    {0x0000000000047886, 0x00000000038e0100, "VOTEU.ANY UR4, UPT, PT", "", "UR4"},
    {0x00000000ff0573a1, 0x00000000000e0200, "MATCH.ALL.U64 PT, R5, RZ", "", "R5"},
    {0x00000000040773c4, 0x000000000000c000, "REDUX.SUM UR7, R4", "R4", "UR7"},
    {0x0000000000027805, 0x000000000001ff00, "CS2R R2, SRZ", "", "R2-3"},
    {0x000000080404723c, 0x00000000000018ff, "HMMA.16816.F32 R4, R4, R8, RZ", "R4-7 R8-9", "R4-7"},
    {0x000000000406723c, 0x0000000000000006, "HMMA.1688.F16 R6, R4, R0, R6", "R4-5 R0 R6-7", "R6-7"},
    {0x00000008040c7237, 0x0000000000400c0c, "IMMA.16832.U8.U8 R12, R4.ROW, R8.COL, R12", "R4-7 R8-9 R12-15", "R12-15"},
    {0x000000040808723f, 0x0000000000002010, "DMMA.16x8x8 R8, R8, R4, R16", "R8-15 R4-7 R16-23", "R8-15"},
    {0x0420000420187df0, 0x0000000008002818, "HGMMA.64x16x8.F32.TF32 R24, R32, gdesc[UR4], R24, gsb0",
     "R32-35 UR4-7 R24-31", "R24-31"},
    {0x0000005000067945, 0x0000000003800000, "BSSY B6, 0x60", "", "B6"},
    {0x0000000000067941, 0x0000000003800000, "BSYNC B6", "B6", ""},
    {0x0000000006027355, 0x0000000000100000, "BMOV.32.CLEAR R2, B6", "B6", "R2 B6"},
    {0x0000000000007b1d, 0x0000000004014800, "BAR.RED.OR.DEFER_BLOCKING 0x0, !P0", "P0", ""},
    {0x000000020000731d, 0x0000000000010000, "BAR.SYNC.DEFER_BLOCKING R2, R2", "R2", ""},
    {0xfffffff814f47950, 0x0000000003c3ffff, "RET.REL.NODEC R20 -0x420", "R20-21", ""},
    {0x0000000002007343, 0x0000000003c00000, "CALL.ABS.NOINC R2", "R2-3", ""},
    {0x0000000580007352, 0x0000000000000000, "RPCMOV.32 Rpc.HI, R5", "R5", "Rpc1"},
    {0x0000000302ff79a7, 0x000000000850043f, "SYNCS.ARRIVE.TRANS64.RED.ART0 RZ, [R2+URZ], R3", "R2 R3", ""},
    {0x00000006053f75b2, 0x0000000008000100, "SYNCS.EXCH.64 URZ, [UR5], UR6", "UR5 UR6-7", ""},
    {0x00000004ff0075a7, 0x000000000800014b, "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR11], R4", "UR11 R4", "P0"},
    {0x00000008060073ba, 0x0000000008000404, "UBLKCP.G.S [UR8], [UR6], UR4", "UR8-9 UR6-7 UR4", ""},
    {0x000000040c0075b4, 0x0000000008008000, "UTMALDG.2D [UR4], [UR12]", "UR4-11 UR12-13", ""},
    {0x0000000608007dbe, 0x000000000b80013f, "REDAS.XOR [R8.64], R6", "R8-9 R6", ""},
    {0x000000000000794d, 0x0000000003800000, "EXIT", "", ""},
};

std::string name_of(const sass::operand& o) {
  static constexpr const char* files[] = {"", "R", "UR", "P", "UP", "B", "Rpc"};
  std::string s = files[static_cast<unsigned>(o.file)] + std::to_string(o.first);
  if (o.count > 1) s += "-" + std::to_string(o.first + o.count - 1);
  return s;
}
std::string names_of(const sass::instruction& i, sass::role role) {
  std::string s;
  for (const sass::operand& o : sass::operands_of(i))
    if (o.role == role) s += (s.empty() ? "" : " ") + name_of(o);
  return s;
}

TEST(Operands, AreWhatTheRowNames) {
  for (const example& e : examples) {
    const sass::instruction i{e.low, e.high, sass::isa::hopper};
    ASSERT_EQ(sass::to_text(i, 0), e.text);
    EXPECT_EQ(names_of(i, sass::role::read), e.reads) << e.text;
    EXPECT_EQ(names_of(i, sass::role::write), e.writes) << e.text;
  }
}

TEST(Operands, OfAnUnknownInstructionAreNone) { EXPECT_TRUE(sass::operands_of({0xfff, 0, sass::isa::hopper}).empty()); }

TEST(Operands, FallIntoSets) {
  const sass::reads_and_writes sets =
      sass::reads_and_writes_of({0x0000000006088984, 0x0000000000000a00});  // @!P0 LDS.64
  EXPECT_EQ(sets.reads.vector.count(), 1u);
  EXPECT_TRUE(sets.reads.vector[6] && sets.reads.predicates[0]);
  EXPECT_EQ(sets.writes.vector.count(), 2u);
  EXPECT_TRUE(sets.writes.vector[8] && sets.writes.vector[9]);
  EXPECT_TRUE(sets.reads.uniform.none() && sets.writes.predicates.none() && sets.writes.barriers.none());
}

}  // namespace
}  // namespace bankwise
