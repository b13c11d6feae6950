#include "model/time/delay.hpp"

#include <algorithm>
#include <tuple>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

auto place_key(const delay& d) { return std::tie(d.is, d.place.file, d.place.line, d.place.function, d.place.pc); }

std::string limit_words(const delay& d) {
  return formatted("{} {}", d.limit, d.limit == "registers" ? "limit" : "limits");
}

std::string unit_of_limit(const delay& d) { return d.limit == "registers" ? "register" : "byte"; }

// Returns an amount of what limits the blocks: "64 registers a thread".
std::string limited_amount(const delay& d, std::uint64_t amount) {
  return d.limit == "registers" ? formatted("{} a thread", count_of(amount, "register"))
                                : formatted("{} of shared memory a block", count_of(amount, "byte"));
}

// Returns the smallest change that allows more blocks: "one register less allows 2 blocks more". Returns an empty string
// if it is the remedy itself.
std::string next_blocks_words(const delay& d) {
  if (d.next_blocks == 0 || d.used <= d.next_allowed) return {};
  const std::uint64_t less = d.used - d.next_allowed, more = d.next_blocks - d.now;
  return formatted("; {} less {} {} more", less == 1 ? "one " + unit_of_limit(d) : count_of(less, unit_of_limit(d)),
                   less == 1 ? "allows" : "allow", more == 1 ? "one block" : count_of(more, "block"));
}

std::string occupancy_remedy(const delay& d) {
  if (!d.about.empty())
    return formatted(
        "use smaller blocks, such as 256 threads, of which more are resident. With {} a thread, the kernel "
        "would spill",
        count_of(d.allowed, "register"));
  return formatted("use at most {}{}{}, so that {} are resident{}", limited_amount(d, d.allowed),
                   d.limit == "registers" ? " (__launch_bounds__)" : "",
                   d.used == 0 ? "" : formatted(", instead of {}", grouped(d.used)), count_of(d.then, "block"),
                   next_blocks_words(d));
}

}  // namespace

bool operator==(const delay& a, const delay& b) {
  const auto all = [](const delay& d) {
    return std::tie(d.saved_cycles, d.estimated_cycles, d.now, d.then, d.about, d.barrier_line, d.limit, d.used,
                    d.allowed, d.next_allowed, d.next_blocks, d.cause);
  };
  return is_same_place(a, b) && all(a) == all(b);
}

bool is_same_place(const delay& a, const delay& b) { return place_key(a) == place_key(b); }

void sort_delays(std::vector<delay>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const delay& a, const delay& b) { return a.order_cycles() > b.order_cycles(); });
}

std::string_view name_of(delay_kind k) {
  constexpr std::string_view names[] = {
#define DELAY(name, id) #name,
#include "model/time/delays.def"
  };
  return names[static_cast<std::size_t>(k)];
}

std::string why_of(const delay& d) {
  switch (d.is) {
    case delay_kind::few_blocks:
      if (!d.about.empty())
        return formatted("the grid has {} for {}, which is too few to hide latencies", count_of(d.now, "warp"),
                         count_of(d.then, "multiprocessor"));
      return formatted("the grid has {} for {}, so most of the GPU is idle", count_of(d.now, "block"),
                       count_of(d.then, "multiprocessor"));
    case delay_kind::uneven_blocks:
      return formatted("the busiest multiprocessors execute {}, and the others {}", count_of(d.now, "block"),
                       grouped(d.now - 1));
    case delay_kind::low_occupancy:
      return formatted("{} a multiprocessor to {}, which is too few to hide latencies", limit_words(d),
                       count_of(d.now, "resident block"));
    case delay_kind::late_loads:
      if (!d.about.empty()) return "each of these loads waits for the instructions that use the one before";
      return d.now == 0 ? "each round of the loop waits for the data that it loads itself"
                        : "each round of the loop waits for data that the round before loads";
    case delay_kind::double_arithmetic: return "floats are converted to double and back, for arithmetic with a double";
    case delay_kind::integer_division: return "an integer division or remainder by a value that is not a constant";
    case delay_kind::few_lanes:
      return formatted("only {} of 32 lanes execute these instructions on average", grouped(d.now));
    case delay_kind::needless_barriers:
      if (d.now != 0)
        return formatted("only groups of {} exchange values, but all warps of the block wait for each other",
                         count_of(d.now, "thread"));
      return formatted("the {} of the traced blocks exchange no values, so their barriers order nothing",
                       d.about.empty() ? "warps" : "threads");
    case delay_kind::repeated_updates:
      return formatted("the threads of {} make {}, but update only {}", d.about.empty() ? "a block" : "the launch",
                       count_of(d.now, "atomic update"), count_of(d.then, "word"));
    case delay_kind::small_blocks:
      return formatted("a block has only {}, and blocks start one after another", count_of(d.now, "thread"));
    case delay_kind::chained_loads: return "each round of the loop needs the value that the round before loads";
    case delay_kind::narrow_loads: return "several loads of a thread read neighbouring values, one after another";
    case delay_kind::precise_functions:
      return "a division or function of floats with full precision takes many instructions";
    case delay_kind::long_code:
      return formatted("each warp executes {} only once, and waits until they come from memory",
                       count_of(d.now, "instruction"));
    case delay_kind::uneven_warps:
      return formatted("the other warps of the block wait{} for {}, which executes {} before the barrier, and they {}",
                       d.barrier_line != 0 ? formatted(" in line {}", d.barrier_line) : "", d.about,
                       count_of(d.now, "instruction"), grouped(d.then));
    case delay_kind::host_reads:
      return formatted("the kernel reads each sector of the host's memory {} times on average, over PCIe",
                       grouped(d.now));
    case delay_kind::separate_sums: return "a product is rounded, and a second instruction adds it";
    case delay_kind::products_of_halves: return "a product of matrices of 16-bit numbers does not use the tensor cores";
    case delay_kind::products_of_bytes: return "the bytes of products are loaded one by one";
    case delay_kind::spilled_registers:
      return formatted("{} of each thread {} spilled to local memory, in {}", count_of(d.now, "register"),
                       d.now == 1 ? "is" : "are", count_of(d.then, "line"));
    case delay_kind::stack_arrays:
      return formatted("{} access arrays in local memory, because an index is not a constant",
                       count_of(d.then, "line"));
    case delay_kind::little_reuse:
      return "threads load the same values from shared memory or L1 again, each for one result";
    case delay_kind::reads_again:
      return formatted(
          "{}% of the bytes from DRAM were there before, but more data than L2 can hold are read in between", d.now);
    case delay_kind::few_stages:
      return formatted("the warp that copies waits until {} is free, so the copies arrive late",
                       d.now == 1 ? "the only stage" : formatted("one of {}", count_of(d.now, "stage")));
    case delay_kind::small_tiles:
      return formatted("each block copies {} for the products of a stage, which is much for so few products",
                       count_of(d.now, "byte"));
    case delay_kind::chained_sums: return "each addition of floats needs the sum before it, which takes several clocks";
    case delay_kind::awaited_products:
      return "each round waits for its own products before the next ones are issued, so the tensor cores pause";
    case delay_kind::count: break;
  }
  return {};
}

std::string remedy_of(const delay& d) {
  switch (d.is) {
    case delay_kind::few_blocks:
      if (!d.about.empty()) return "divide the work of a thread among several, for example among the lanes of a warp";
      return "divide the work among more threads, in at least one block for each multiprocessor";
    case delay_kind::uneven_blocks:
      return formatted("divide the work evenly: choose a multiple of {} blocks, or let the blocks loop over the work",
                       grouped(d.then));
    case delay_kind::low_occupancy: return occupancy_remedy(d);
    case delay_kind::late_loads:
      if (!d.about.empty())
        return "request all of them before the first is used: load them into registers, or declare the pointers __restrict__";
      if (d.then == 0 && d.now != 0)
        return "request the data two rounds before they are needed, for example with cp.async in several stages";
      if (d.then == 0) return "request the data of the next round before this round uses its own";
      return formatted("unroll the loop by {}, and request the data of {} rounds before the first of them is used",
                       d.then, d.then);
    case delay_kind::double_arithmetic: return "write float constants (2.0f) and call float functions (sqrtf)";
    case delay_kind::integer_division:
      return "divide by a constant or a power of two, or compute the quotient once and update it in the loop";
    case delay_kind::few_lanes:
      return "let all lanes of a warp take the same path: divide this work among them, or sort it by path";
    case delay_kind::needless_barriers:
      if (d.now != 0)
        return formatted(
            "give each group its own barrier: asm volatile(\"bar.sync %0, {};\" :: \"r\"(threadIdx.x / {} + 1) : \"memory\")",
            d.now, d.now);
      if (!d.about.empty())
        return "remove __syncthreads(): each thread reads only what it wrote, which the compiler can keep in registers";
      return "replace __syncthreads() with __syncwarp()";
    case delay_kind::repeated_updates:
      if (!d.about.empty())
        return "let fewer blocks loop over the data: each adds up in shared memory, then updates each word once";
      return "add up in registers or shared memory first, then update each word once for each block";
    case delay_kind::small_blocks: return formatted("use blocks of about {} threads", grouped(d.then));
    case delay_kind::chained_loads:
      return "store the addresses in an array that can be read in advance, or let each thread follow several chains";
    case delay_kind::narrow_loads:
      return "read them with one wider load (float2, float4, uchar4), which needs alignment";
    case delay_kind::precise_functions:
      return "if the precision suffices: __fdividef, __powf, __sinf, one reciprocal for many divisions, or x * x";
    case delay_kind::long_code:
      return "shorten the code (#pragma unroll 4 or less), or let each block do more work in a loop around it";
    case delay_kind::uneven_warps: return "divide the work before the barrier among all warps of the block";
    case delay_kind::host_reads: return "copy the data to memory of the device once, and read the copy";
    case delay_kind::separate_sums:
      return "compile without -fmad=false, or write fmaf(a, b, c) instead of a rounded product and a sum";
    case delay_kind::products_of_halves:
      return "use nvcuda::wmma, mma.sync, or a library such as cuBLAS or CUTLASS for this product";
    case delay_kind::products_of_bytes: return "load four bytes as an int, and add four products with __dp4a";
    case delay_kind::spilled_registers:
      return "allow more registers (-maxrregcount, __launch_bounds__), or let each thread keep fewer values";
    case delay_kind::stack_arrays:
      return "unroll the loops over these arrays, so that every index is a constant, or keep them in shared memory";
    case delay_kind::little_reuse:
      return "let each thread compute several results, such as 4 x 4, so that a value in a register serves all of them";
    case delay_kind::reads_again:
      return "use the data again while L2 still has them: do all passes over one part of the data before the next part, "
             "or join the passes";
    case delay_kind::few_stages:
      return formatted("use {}, each of which takes {} of shared memory", count_of(d.then, "stage"),
                       count_of(d.used, "byte"));
    case delay_kind::small_tiles:
      return "let a block compute a larger tile, with another warp group that multiplies, or share copies in a cluster (multicast)";
    case delay_kind::chained_sums:
      return "add to four sums that do not depend on each other, such as sum[k % 4] in an unrolled loop, and join them at the end";
    case delay_kind::awaited_products:
      return "keep one group in flight: wait with wgmma.wait_group 1, then free the stage of the round before";
    case delay_kind::count: break;
  }
  return {};
}

}  // namespace bankwise
