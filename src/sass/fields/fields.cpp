// Finds the reader for the family of an opcode.
#include "sass/fields/fields.hpp"

#include "sass/fields/field_reader.hpp"

namespace bankwise::sass {

fields field_reader::run() const {
  const opcode twin = traits_of(op_).twin;
  const opcode family = twin == opcode::count ? op_ : twin;
  for (const auto group :
       {&field_reader::integers, &field_reader::textures, &field_reader::floats, &field_reader::control,
        &field_reader::asynchronous, &field_reader::tensor, &field_reader::tensor_memory, &field_reader::memory})
    if (std::optional<fields> f = (this->*group)(family)) return *std::move(f);
  if (op_ == op::ATOMS_POPC) return count_lanes();
  if (traits_of(op_).action == action::update) return atomic();
  if (traits_of(op_).unit == unit::memory || traits_of(op_).action == action::load) return access();
  return plain{};
}

fields fields_of(const instruction& i) { return field_reader(i).run(); }

}  // namespace bankwise::sass
