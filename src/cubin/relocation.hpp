// Relocations of a cubin. A relocation stores the address of a symbol in code or data. The type of the relocation
// determines the form of the address.
//
//     type 2    R_CUDA_64               data: eight bytes
//     type 56   R_CUDA_ABS32_LO_32      MOV R2, 32@lo(table): bits 32 to 63 of the instruction
//     type 58   R_CUDA_ABS47_34         CALL.ABS of sm_75 to sm_89: in units of 4 bytes, 47 bits at bit 34
//     type 75   R_CUDA_ABS55_16_34      CALL.ABS since sm_90: in units of 4 bytes, 8 bits at bit 16 and 47 at bit 34
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace bankwise::cubin {

enum class relocation_form : std::uint8_t { data_32, data_64, low_at_32, high_at_32, whole_call, parted_call };

// R_CUDA_QUERY_DESC21_37 is the number of bytes in the driver's description of a texture. Instructions such as
// txq.channel_order use this number. No CUDA driver supports this relocation.
inline constexpr std::uint32_t texture_query = 55;

// Returns the form of a relocation type. Returns nothing if the type is unknown.
std::optional<relocation_form> form_of(std::uint32_t type);
// Returns the number of bytes from `at` on that put_address() reads and writes.
std::size_t bytes_of(relocation_form form);
void put_address(std::byte* at, relocation_form form, std::uint64_t address);

}  // namespace bankwise::cubin
