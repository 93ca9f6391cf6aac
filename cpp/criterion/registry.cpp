#include "criterion/registry.hpp"

#include "run/control.hpp"

namespace thriftree {

#define THRIFTREE_CRITERIA(X)                    \
  X("gini", make_gini)                           \
  X("entropy", make_entropy)                     \
  X("misclassification", make_misclassification) \
  X("gain_ratio", make_gain_ratio)               \
  X("squared_error", make_squared_error)

#define DECLARE(name, maker) std::unique_ptr<Criterion> maker();
THRIFTREE_CRITERIA(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Criterion> (*make)();
};

#define LIST(name, maker) {name, maker},
constexpr Entry entries[] = {THRIFTREE_CRITERIA(LIST)};
#undef LIST

}  // namespace

std::vector<std::string> criterion_names() {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Criterion> make_criterion(const std::string& name) {
  std::string known;
  for (const auto& entry : entries) {
    if (name == entry.name) return entry.make();
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw BadInput("unknown criterion '" + name + "'; choose one of: " + known);
}

}  // namespace thriftree
