// User objects: pointers of the program with a count of references.
#include <algorithm>
#include <set>

#include "runtime/stream/graph.hpp"

namespace bankwise::cuda {

namespace {

// This set is never destroyed, because it must outlive all other objects.
std::set<const user_object*>& live_objects() {
  static auto* const all = new std::set<const user_object*>;
  return *all;
}

}  // namespace

void let_go(user_object* object, unsigned count) {
  if (!live_objects().contains(object)) return;
  object->held -= std::min<unsigned long>(count, object->held);
  if (object->held != 0) return;
  live_objects().erase(object);
  object->destroy(object->pointer);
  delete object;
}

error make_user_object(user_object** made, void* pointer, host_function destroy, unsigned count, unsigned flags) {
  if (made == nullptr || destroy == nullptr || count == 0 || flags != 1) return cudaErrorInvalidValue;
  *made = new user_object{pointer, destroy, count};
  live_objects().insert(*made);
  return cudaSuccess;
}

error retain(user_object* object, unsigned count) {
  if (!live_objects().contains(object) || count == 0) return cudaErrorInvalidValue;
  object->held += count;
  return cudaSuccess;
}

error release(user_object* object, unsigned count) {
  if (!live_objects().contains(object) || count == 0 || count > object->held) return cudaErrorInvalidValue;
  let_go(object, count);
  return cudaSuccess;
}

error retain_in(graph* handle, user_object* object, unsigned count, unsigned flags) {
  constexpr unsigned moves = 1;  // flag: the caller's references become references of the graph
  graph* g = find_graph(handle);
  if (g == nullptr || !live_objects().contains(object) || count == 0 || flags > moves) return cudaErrorInvalidValue;
  if (flags != moves) object->held += count;
  g->objects[object] += count;
  return cudaSuccess;
}

error release_in(graph* handle, user_object* object, unsigned count) {
  graph* g = find_graph(handle);
  if (g == nullptr || count == 0) return cudaErrorInvalidValue;
  const auto it = g->objects.find(object);
  if (it == g->objects.end() || it->second < count) return cudaErrorInvalidValue;
  it->second -= count;
  if (it->second == 0) g->objects.erase(it);
  let_go(object, count);
  return cudaSuccess;
}

}  // namespace bankwise::cuda
