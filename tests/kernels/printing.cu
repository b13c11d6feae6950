// Kernels that call functions of the CUDA driver: printf, assert, malloc and free.
#include <cassert>
#include <cstdio>

__constant__ char greeting[] = "from constant memory";

// Prints a line for each thread of two blocks.
__global__ void prints_threads() { printf("block %d thread %d\n", blockIdx.x, threadIdx.x); }

// Uses every conversion once.
__global__ void prints_everything(int n, float f, double d, const char* null) {
  printf("%d|%5d|%-5d|%05d|%+d|%u|%o|%x|%#X|%hhd|%hd\n", n, n, n, n, n, n, n, n, n, n + 256, n + 65536);
  printf("%lld|%llx|%ld|%zu\n", n * 10000000000LL, 0xffffffffffffLL, -5L, size_t{7});
  printf("%f|%8.3f|%-9.2e|%g|%G|%.0f|%a\n", f, d, d, d, d * 1e20, d, d);
  printf("%c|%s|%10s|%.2s|%s|%%\n", 'c', "text", greeting + 5, "cut off", null);
  printf("%*d|%-*d|%.*f\n", 6, n, 6, n, 1, d);
  printf("%p\n", static_cast<void*>(nullptr));
  printf("no arguments, %d conversions that C does not have: %y\n", 1);
  printf("%s|%d\n", "a very long line: ----------------------------------------------------------------------"
         "----------------------------------------------------------------", printf(""));
}

__global__ void counts_arguments(int* out) { out[threadIdx.x] = printf("%d %s %f\n", 1, "two", 3.0); }

// Only the lanes in the branch print, and their lines are contiguous.
__global__ void prints_in_branches() {
  if (threadIdx.x % 2 == 0)
    printf("even %d\n", threadIdx.x);
  else
    printf("odd %d\n", threadIdx.x);
}

// The assertion fails in threads with an index of at least n.
__global__ void asserts(int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  printf("thread %d\n", i);
  assert(i < n);
}

// The threads of a block extend a list, one thread after another. Then the block writes the sum of the list.
struct node {
  node* next;
  int value;
};
__device__ node* head;
__global__ void makes_list() {
  for (unsigned t = 0; t < blockDim.x; ++t) {
    if (t == threadIdx.x) {
      node* n = new node{head, static_cast<int>(t)};
      head = n;
    }
    __syncthreads();
  }
}
__global__ void frees_list(int* out) {
  while (head != nullptr) {
    node* n = head;
    head = n->next;
    *out += n->value;
    delete n;
  }
}

// Counts how many pieces of this size fit into the heap.
__global__ void fills_heap(int bytes, int* out) {
  char* last = nullptr;
  while (char* p = static_cast<char*>(malloc(bytes))) {
    *reinterpret_cast<char**>(p) = last;
    last = p;
    ++*out;
  }
  while (last != nullptr) {
    char* before = *reinterpret_cast<char**>(last);
    free(last);
    last = before;
  }
}

__global__ void frees_twice() {
  void* p = malloc(16);
  free(p);
  free(p);
}

// Virtual functions: the tables with the addresses of their code are in device memory.
struct shape {
  __device__ virtual int sides() const = 0;
  __device__ virtual ~shape() {}
};
struct triangle : shape {
  __device__ int sides() const override { return 3; }
};
struct square : shape {
  __device__ int sides() const override { return 4; }
};
__global__ void calls_virtual(int* out) {
  shape* s = nullptr;
  if (threadIdx.x % 2 == 0)
    s = new square;
  else
    s = new triangle;
  out[threadIdx.x] = s->sides();
  delete s;
}
