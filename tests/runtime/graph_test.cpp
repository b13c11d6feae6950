// Tests graphs of the driver: conditions that kernels set, edges, parameters, attributes, refused calls. The expected
// answers are the answers of a CUDA 13.0 driver on an H100. This file also tests memory words that streams write and
// wait for.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "runtime/driver/entries/entries.hpp"
#include "support/files.hpp"

namespace bankwise::cuda {
namespace {

using handle = unsigned long long;

class Graph : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::byte> image = test::read_bytes(test::source_path("tests/kernels/conditions.cubin"));
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&made, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&code, image.data()), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&count_down, code, "count_down"), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&choose, code, "choose"), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&add, code, "add"), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&memory, 64), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(memory, 0, 16), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&on, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy_v2(made), CUDA_SUCCESS); }

  device_pointer word(unsigned i) const { return memory + 4 * i; }
  int at(unsigned i) const {
    int value = -1;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, word(i), 4), CUDA_SUCCESS);
    return value;
  }
  void set(unsigned i, int value) { EXPECT_EQ(cuMemcpyHtoD_v2(word(i), &value, 4), CUDA_SUCCESS); }

  // Adds a kernel with two parameters to a graph, after the given nodes.
  node* kernel(graph* in, function* f, device_pointer first, std::uint64_t second, std::vector<node*> after = {}) {
    void* arguments[] = {&first, &second};
    const driver_kernel_parameters p{f, {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr, nullptr, nullptr};
    node* added = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&added, in, after.data(), after.size(), &p), CUDA_SUCCESS);
    return added;
  }
  node* adds(graph* in, unsigned to, int by, std::vector<node*> after = {}) {
    return kernel(in, add, word(to), static_cast<std::uint64_t>(by), std::move(after));
  }
  driver_status conditional(node** added, graph* in, handle h, conditional_type type, unsigned size, graph*** inside,
                            std::vector<node*> after = {}) {
    driver_node_parameters p{};
    p.type = conditional_node;
    p.conditional = {h, type, size, nullptr};
    const driver_status status = cuGraphAddNode_v2(added, in, after.data(), nullptr, after.size(), &p);
    *inside = p.conditional.bodies;
    return status;
  }
  handle condition(graph* in, unsigned initial, unsigned flags = 1) {
    handle h = 0;
    EXPECT_EQ(cuGraphConditionalHandleCreate(&h, in, nullptr, initial, flags), CUDA_SUCCESS);
    return h;
  }
  graph_exec* instantiated(graph* from) {
    graph_exec* e = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&e, from, 0), CUDA_SUCCESS);
    return e;
  }

  context* made = nullptr;
  module* code = nullptr;
  function *count_down = nullptr, *choose = nullptr, *add = nullptr;
  device_pointer memory = 0;
  stream* on = nullptr;
  graph* g = nullptr;
  node* n = nullptr;
  graph** bodies = nullptr;
};

TEST_F(Graph, RepeatsABodyWhileItsConditionHolds) {
  const handle h = condition(g, 1);
  ASSERT_EQ(conditional(&n, g, h, condition_while, 1, &bodies), CUDA_SUCCESS);
  // The body of the condition is captured from a stream.
  ASSERT_EQ(cuStreamBeginCaptureToGraph(on, bodies[0], nullptr, nullptr, 0, 0), CUDA_SUCCESS);
  device_pointer left = word(0), rounds = word(1);
  handle condition_of_body = h;
  int one = 1;
  void *down[] = {&left, &condition_of_body}, *count[] = {&rounds, &one};
  ASSERT_EQ(cuLaunchKernel(count_down, 1, 1, 1, 1, 1, 1, 0, on, down, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, on, count, nullptr), CUDA_SUCCESS);
  graph* same = nullptr;
  ASSERT_EQ(cuStreamEndCapture(on, &same), CUDA_SUCCESS);
  EXPECT_EQ(same, bodies[0]);
  graph_exec* e = instantiated(g);
  set(0, 5);
  ASSERT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(1), 5);
  set(0, 3);  // each launch of the graph sets the condition to its initial value
  ASSERT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);
  EXPECT_EQ(at(1), 8);
}

TEST_F(Graph, TakesOneOfTwoBodiesOrOfMany) {
  const handle either = condition(g, 0), one_of = condition(g, 0);
  node* chosen = kernel(g, choose, word(0), either);
  ASSERT_EQ(conditional(&n, g, either, condition_if, 2, &bodies, {chosen}), CUDA_SUCCESS);
  adds(bodies[0], 1, 1);
  adds(bodies[1], 1, 10);
  chosen = kernel(g, choose, word(0), one_of, {chosen});
  ASSERT_EQ(conditional(&n, g, one_of, condition_switch, 3, &bodies, {chosen}), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) adds(bodies[i], 2, 1 << 4 * i);
  node_type type{};
  EXPECT_EQ(cuGraphNodeGetType(n, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, conditional_node);
  graph_exec* e = instantiated(g);
  for (const int which : {0, 1, 2, 3}) {
    set(0, which);
    ASSERT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);
  }
  EXPECT_EQ(at(1), 10 + 1 + 1 + 1);
  EXPECT_EQ(at(2), 0x111);  // the value 3 selects no case, because there are three cases
}

TEST_F(Graph, NestsConditions) {
  const handle outer = condition(g, 1);
  ASSERT_EQ(conditional(&n, g, outer, condition_while, 1, &bodies), CUDA_SUCCESS);
  graph* const body = bodies[0];
  const handle inner = condition(body, 1);  // only the launch sets the initial value; the body does not set it
  node* const refill = adds(body, 1, 2);
  ASSERT_EQ(conditional(&n, body, inner, condition_while, 1, &bodies, {refill}), CUDA_SUCCESS);
  kernel(bodies[0], count_down, word(1), inner, {adds(bodies[0], 2, 1)});
  kernel(body, count_down, word(0), outer, {n});
  set(0, 3);
  ASSERT_EQ(cuGraphLaunch(instantiated(g), on), CUDA_SUCCESS);
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(2), 2);  // only the first of three rounds changes this word, as on an H100
}

TEST_F(Graph, RefusesConditionsAsTheDriver) {
  handle h = condition(g, 7), other = condition(g, 1, 0);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&h, g, nullptr, 1, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(nullptr, g, nullptr, 1, 0), CUDA_ERROR_INVALID_VALUE);
  graph_exec* e = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_ERROR_INVALID_VALUE);  // the condition has no node
  EXPECT_EQ(conditional(&n, g, h, condition_if, 3, &bodies), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(conditional(&n, g, h, condition_if, 0, &bodies), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(conditional(&n, g, h, condition_while, 2, &bodies), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(conditional(&n, g, 123456, condition_while, 1, &bodies), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(conditional(&n, g, h, condition_if, 2, &bodies), CUDA_SUCCESS);
  EXPECT_EQ(conditional(&n, g, h, condition_if, 2, &bodies), CUDA_ERROR_INVALID_VALUE);  // h already belongs to a node
  graph *strange = nullptr, *copied = nullptr;
  ASSERT_EQ(cuGraphCreate(&strange, 0), CUDA_SUCCESS);
  EXPECT_EQ(conditional(&n, strange, other, condition_if, 1, &bodies), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphClone(&copied, g), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphAddChildGraphNode(&n, strange, nullptr, 0, g), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Graph, TellsWhatItsNodesDo) {
  node* const first = adds(g, 3, 42);
  driver_kernel_parameters k{};
  ASSERT_EQ(cuGraphKernelNodeGetParams_v2(first, &k), CUDA_SUCCESS);
  EXPECT_EQ(k.what, add);
  EXPECT_EQ(*static_cast<device_pointer*>(k.arguments[0]), word(3));
  EXPECT_EQ(*static_cast<int*>(k.arguments[1]), 42);
  fill_node_parameters f{reinterpret_cast<void*>(word(4)), 0, 7, 4, 2, 1}, fill_back{};
  ASSERT_EQ(cuGraphAddMemsetNode(&n, g, &first, 1, &f, made), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphMemsetNodeGetParams(n, &fill_back), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&f, &fill_back, sizeof f), 0);
  EXPECT_EQ(cuGraphMemsetNodeGetParams(first, &fill_back), CUDA_ERROR_INVALID_VALUE);
  driver_copy_3d c{}, copy_back{};
  c.from_type = c.to_type = on_device;
  c.from_device = word(4);
  c.to_device = word(8);
  c.width = 8;
  c.height = c.depth = 1;
  node* copied = nullptr;
  ASSERT_EQ(cuGraphAddMemcpyNode(&copied, g, &n, 1, &c, made), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphMemcpyNodeGetParams(copied, &copy_back), CUDA_SUCCESS);
  EXPECT_EQ(copy_back.to_device, word(8));
  EXPECT_EQ(copy_back.width, 8u);
  event *e = nullptr, *event_back = nullptr;
  ASSERT_EQ(cuEventCreate(&e, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddEventRecordNode(&n, g, &copied, 1, e), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphEventRecordNodeGetEvent(n, &event_back), CUDA_SUCCESS);
  EXPECT_EQ(event_back, e);
  // A child graph is a copy of the given graph.
  graph *parent = nullptr, *child = nullptr;
  ASSERT_EQ(cuGraphCreate(&parent, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddChildGraphNode(&n, parent, nullptr, 0, g), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphChildGraphNodeGetGraph(n, &child), CUDA_SUCCESS);
  EXPECT_NE(child, g);
  ASSERT_EQ(cuGraphLaunch(instantiated(parent), on), CUDA_SUCCESS);
  EXPECT_EQ(at(3), 42);
  EXPECT_EQ(at(9), 7);
}

TEST_F(Graph, ChangesWhatIsInstantiated) {
  n = adds(g, 0, 1);
  graph_exec* e = instantiated(g);
  device_pointer to = word(1);
  int by = 5;
  void* arguments[] = {&to, &by};
  const driver_kernel_parameters p{add, {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr, nullptr, nullptr};
  ASSERT_EQ(cuGraphExecKernelNodeSetParams_v2(e, n, &p), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(1), 5);
  update_result result{};
  EXPECT_EQ(cuGraphExecUpdate_v2(e, g, &result), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);  // uses the arguments of `g` again, which did not change
  EXPECT_EQ(at(0), 1);
  unsigned enabled = 5;
  EXPECT_EQ(cuGraphNodeSetEnabled(e, n, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphNodeGetEnabled(e, n, &enabled), CUDA_SUCCESS);
  EXPECT_EQ(enabled, 0u);
  ASSERT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);
  EXPECT_EQ(at(0), 1);
  node* more = nullptr;
  ASSERT_EQ(cuGraphAddEmptyNode(&more, g, &n, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecUpdate_v2(e, g, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result.result, 2);  // the topology
  EXPECT_EQ(cuGraphExecDestroy(e), CUDA_SUCCESS);
}

TEST_F(Graph, KeepsAttributesOfKernels) {
  n = adds(g, 0, 1);
  attribute_value v{};
  for (const int which : {0, 3, 6, 7, 11, 15})
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(n, which, &v), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphKernelNodeGetAttribute(n, 9, &v), CUDA_SUCCESS);
  EXPECT_EQ(v.bytes[1], 1);  // the two bytes are memory domains 0 and 1
  v = {};
  const int priority = -3;
  std::memcpy(v.bytes, &priority, sizeof priority);
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(n, 8, &v), CUDA_SUCCESS);
  v = {};
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(n, 8, &v), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(v.bytes, &priority, sizeof priority), 0);
  const unsigned cluster[3] = {3, 1, 1};
  std::memcpy(v.bytes, cluster, sizeof cluster);
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(n, 4, &v), CUDA_ERROR_INVALID_CLUSTER_SIZE);  // the grid has one block
}

TEST_F(Graph, HasEdgesWithData) {
  node *const a = adds(g, 0, 1), *b = nullptr, *c = nullptr;
  edge_data programmatic{1, 0, 1, {}};
  driver_node_parameters p{};
  p.type = empty_node;
  ASSERT_EQ(cuGraphAddNode_v2(&b, g, &a, &programmatic, 1, &p), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddNode_v2(&c, g, &b, nullptr, 1, &p), CUDA_SUCCESS);
  node *from[4], *to[4];
  edge_data how[4];
  std::size_t count = 4;
  ASSERT_EQ(cuGraphGetEdges_v2(g, from, to, how, &count), CUDA_SUCCESS);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(how[0].type, 1);
  EXPECT_EQ(how[1].type, 0);
  count = 4;
  EXPECT_EQ(cuGraphGetEdges_v2(g, from, to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
  count = 4;
  EXPECT_EQ(cuGraphNodeGetDependencies_v2(b, from, how, &count), CUDA_SUCCESS);
  EXPECT_EQ(how[0].from_port, 1);
  EXPECT_EQ(cuGraphAddDependencies_v2(g, &a, &b, nullptr, 1), CUDA_ERROR_INVALID_VALUE);  // the edge already exists
  EXPECT_EQ(cuGraphRemoveDependencies_v2(g, &c, &a, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddDependencies_v2(g, &c, &a, nullptr, 1), CUDA_SUCCESS);
  graph_exec* e = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_ERROR_INVALID_VALUE);  // a circle
  EXPECT_EQ(cuGraphRemoveDependencies_v2(g, &c, &a, nullptr, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_SUCCESS);
}

TEST_F(Graph, AllocatesAndFreesInOrder) {
  allocation_node_parameters a{}, back{};
  a.pool.allocation_type = 1;
  a.pool.location = {1, 0};
  a.bytes = 100;
  node *got = nullptr, *freed = nullptr;
  ASSERT_EQ(cuGraphAddMemAllocNode(&got, g, nullptr, 0, &a), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphMemAllocNodeGetParams(got, &back), CUDA_SUCCESS);
  EXPECT_EQ(back.pointer, a.pointer);
  EXPECT_EQ(back.bytes, 100u);
  const auto address = reinterpret_cast<device_pointer>(a.pointer);
  n = kernel(g, add, address, 3, {got});
  ASSERT_EQ(cuGraphAddMemFreeNode(&freed, g, &n, 1, address), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddMemFreeNode(&n, g, &n, 1, address), CUDA_ERROR_INVALID_VALUE);  // twice
  EXPECT_EQ(cuGraphAddMemFreeNode(&n, g, nullptr, 0, 64), CUDA_ERROR_INVALID_VALUE);
  device_pointer told = 0;
  EXPECT_EQ(cuGraphMemFreeNodeGetParams(freed, &told), CUDA_SUCCESS);
  EXPECT_EQ(told, address);
  EXPECT_EQ(cuGraphDestroyNode(freed), CUDA_ERROR_NOT_SUPPORTED);
  graph* copied = nullptr;
  EXPECT_EQ(cuGraphClone(&copied, g), CUDA_ERROR_NOT_SUPPORTED);
  graph_exec* e = instantiated(g);
  EXPECT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(e, on), CUDA_SUCCESS);
}

TEST_F(Graph, HoldsObjectsUntilNobodyDoes) {
  static int freed;
  freed = 0;
  const host_function destroy = [](void* p) { ++*static_cast<int*>(p); };
  user_object* object = nullptr;
  EXPECT_EQ(cuUserObjectCreate(&object, &freed, destroy, 1, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuUserObjectCreate(&object, &freed, destroy, 1, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphRetainUserObject(g, object, 1, 1), CUDA_SUCCESS);  // now the graph owns the object
  adds(g, 0, 1);
  graph_exec* e = instantiated(g);
  EXPECT_EQ(cuGraphDestroy(g), CUDA_SUCCESS);
  EXPECT_EQ(freed, 0);
  EXPECT_EQ(cuGraphExecDestroy(e), CUDA_SUCCESS);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graph, IsPrintedForGraphviz) {
  const std::string path = testing::TempDir() + "/graph.dot";
  node* const first = adds(g, 0, 1);
  adds(g, 0, 2, {first});
  ASSERT_EQ(cuGraphDebugDotPrint(g, path.c_str(), 0), CUDA_SUCCESS);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("digraph dot"), std::string::npos);
  EXPECT_NE(text.str().find("\"graph_1_node_0\" -> \"graph_1_node_1\""), std::string::npos);
  EXPECT_EQ(cuGraphDebugDotPrint(g, "/nowhere/x", 0), CUDA_ERROR_OPERATING_SYSTEM);
}

TEST_F(Graph, StreamsWriteWordsAndWaitForThem) {
  constexpr unsigned no_barrier = 1;
  EXPECT_EQ(cuStreamWriteValue32_v2(on, word(0), 5, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWriteValue64_v2(on, word(2), 6, no_barrier), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(on, word(0), 5, equal), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue64_v2(on, word(2), 4, at_least), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(on, word(0), 4, any_bit), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(on, word(0), 4, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32_v2(on, word(0) + 2, 4, equal), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32_v2(on, word(0), 4, 7), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32_v2(on, 64, 4, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(at(0), 5);
  EXPECT_EQ(at(2), 6);
  memory_operation both[2]{};
  both[0].word = {write_32, word(0), 9, 0, 0};
  both[1].kind = memory_barrier;
  EXPECT_EQ(cuStreamBatchMemOp_v2(on, 2, both, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamBatchMemOp_v2(on, 2, both, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(at(0), 9);
}

}  // namespace
}  // namespace bankwise::cuda
