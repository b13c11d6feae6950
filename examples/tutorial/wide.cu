// Eleven wide accesses (docs/book/wide-accesses.md), with a kernel for each: one warp loads 8 or 16 bytes a lane.
//
//     bankwise run examples/tutorial/wide.cubin -k b64_merged --grid 1 --block 32 --arg out:u32[128] --all
#include "../check.cuh"

// A case defines which lanes are active, and which element each lane reads.
struct half_a_warp {
  static __host__ __device__ bool takes_part(unsigned t) { return t < 16; }
  static __host__ __device__ unsigned element(unsigned t) { return t; }
};
struct lanes_of_both_halves {
  static __host__ __device__ bool takes_part(unsigned t) { return t < 15 || t == 16; }
  static __host__ __device__ unsigned element(unsigned t) { return t == 16 ? 15 : t; }
};
struct every_lane {
  static __host__ __device__ bool takes_part(unsigned) { return true; }
};
struct pairs_agree : every_lane {
  static __host__ __device__ unsigned element(unsigned t) { return t / 2; }
};
struct halves_differ : every_lane {
  static __host__ __device__ unsigned element(unsigned t) { return t < 16 ? t / 2 : t / 4 * 4 + t % 2; }
};
struct same_in_both_halves : every_lane {
  static __host__ __device__ unsigned element(unsigned t) { return t % 16; }
};
struct two_halves_one_address {
  static __host__ __device__ bool takes_part(unsigned t) { return t == 15 || t == 16; }
  static __host__ __device__ unsigned element(unsigned) { return 4; }
};
struct one_half_one_address {
  static __host__ __device__ bool takes_part(unsigned t) { return t == 0 || t == 15; }
  static __host__ __device__ unsigned element(unsigned) { return 4; }
};
struct quarters_agree : every_lane {
  static __host__ __device__ unsigned element(unsigned t) { return t / 8 * 2 + t % 8 / 2 % 2; }
};
struct quarters_differ : every_lane {
  static __host__ __device__ unsigned element(unsigned t) { return t / 8 * 2 + (t < 16 ? t % 8 / 2 % 2 : t % 2); }
};
struct merged_and_in_conflict : every_lane {
  static __host__ __device__ unsigned element(unsigned t) { return t / 16 * 4 + t % 16 / 8 + t % 8 / 4 * 8; }
};
struct neither_merged_nor_in_conflict : every_lane {
  static __host__ __device__ unsigned element(unsigned t) {
    return t / 16 * 4 + t % 16 / 8 * 8 + (t < 16 ? t % 4 / 2 * 2 : t % 2 * 2);
  }
};

template <class Vector, class Case>
__device__ void load_case(unsigned* out) {
  __shared__ __align__(16) unsigned words[128];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 128; i += 32) words[i] = i;
  __syncwarp();
  if (Case::takes_part(t)) reinterpret_cast<Vector*>(out)[t] = reinterpret_cast<const Vector*>(words)[Case::element(t)];
}

__global__ void b64_half(unsigned* out) { load_case<uint2, half_a_warp>(out); }
__global__ void b64_both_halves(unsigned* out) { load_case<uint2, lanes_of_both_halves>(out); }
__global__ void b64_merged(unsigned* out) { load_case<uint2, pairs_agree>(out); }
__global__ void b64_not_merged(unsigned* out) { load_case<uint2, halves_differ>(out); }
__global__ void b64_same_words(unsigned* out) { load_case<uint2, same_in_both_halves>(out); }
__global__ void b128_two_halves(unsigned* out) { load_case<uint4, two_halves_one_address>(out); }
__global__ void b128_one_half(unsigned* out) { load_case<uint4, one_half_one_address>(out); }
__global__ void b128_merged(unsigned* out) { load_case<uint4, quarters_agree>(out); }
__global__ void b128_not_merged(unsigned* out) { load_case<uint4, quarters_differ>(out); }
__global__ void b128_conflict(unsigned* out) { load_case<uint4, merged_and_in_conflict>(out); }
__global__ void b128_no_conflict(unsigned* out) { load_case<uint4, neither_merged_nor_in_conflict>(out); }

// Returns whether every lane got its element.
template <class Vector, class Case>
bool check(const char* name, void (*kernel)(unsigned*)) {
  constexpr unsigned words = sizeof(Vector) / 4;
  const gpu_buffer<unsigned> to(128);
  kernel<<<1, 32>>>(to.get());
  CUDA_CHECK(cudaGetLastError());
  const std::vector<unsigned> out = to.host();
  bool right = true;
  for (unsigned i = 0; i < 32 * words; ++i)
    right &= out[i] == (Case::takes_part(i / words) ? Case::element(i / words) * words + i % words : 0);
  return report_result(name, right);
}

int main() {
  bool right = true;
  right &= check<uint2, half_a_warp>("b64_half", b64_half);
  right &= check<uint2, lanes_of_both_halves>("b64_both_halves", b64_both_halves);
  right &= check<uint2, pairs_agree>("b64_merged", b64_merged);
  right &= check<uint2, halves_differ>("b64_not_merged", b64_not_merged);
  right &= check<uint2, same_in_both_halves>("b64_same_words", b64_same_words);
  right &= check<uint4, two_halves_one_address>("b128_two_halves", b128_two_halves);
  right &= check<uint4, one_half_one_address>("b128_one_half", b128_one_half);
  right &= check<uint4, quarters_agree>("b128_merged", b128_merged);
  right &= check<uint4, quarters_differ>("b128_not_merged", b128_not_merged);
  right &= check<uint4, merged_and_in_conflict>("b128_conflict", b128_conflict);
  right &= check<uint4, neither_merged_nor_in_conflict>("b128_no_conflict", b128_no_conflict);
  return right ? 0 : 1;
}
