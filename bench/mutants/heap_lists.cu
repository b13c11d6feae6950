// Threads build short lists in memory from malloc() in device code, add them up, and free them.
#include "../naive/host.cuh"

struct node {
  int value;
  node* next;
};

__global__ void heap_lists(const int* lengths, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  node* head = nullptr;
  for (int k = 0; k < lengths[i]; ++k) {
    node* one = static_cast<node*>(malloc(sizeof(node)));
    one->value = k + i;
    one->next = head;
    head = one;
  }
  int sum = 0;
  while (head != nullptr) {
    sum += head->value;
    node* next = head->next;
    free(head);
    head = next;
  }
  sums[i] = sum;
}

int main() {
  const int n = 128;
  int* lengths = filled<int>(n, [](int i) { return i % 4; });
  int* sums;
  cudaMalloc(&sums, n * sizeof(int));
  heap_lists<<<2, 64>>>(lengths, sums);
  const int status = print_checksum(sums, n);
  cudaFree(lengths);
  cudaFree(sums);
  return status;
}
