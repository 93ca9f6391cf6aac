#include "criterion/impurity_registry.hpp"

#include "run/control.hpp"

namespace thriftree {

#define THRIFTREE_IMPURITIES(X)                  \
  X("gini", make_gini)                           \
  X("entropy", make_entropy)                     \
  X("misclassification", make_misclassification) \
  X("squared_error", make_squared_error)

#define DECLARE(name, maker) std::unique_ptr<Impurity> maker();
THRIFTREE_IMPURITIES(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Impurity> (*make)();
};

#define LIST(name, maker) {name, maker},
constexpr Entry entries[] = {THRIFTREE_IMPURITIES(LIST)};
#undef LIST

}  // namespace

std::vector<std::string> impurity_names() {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Impurity> make_impurity(const std::string& name) {
  std::string known;
  for (const auto& entry : entries) {
    if (name == entry.name) return entry.make();
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw BadInput("unknown impurity '" + name + "'; choose one of: " + known);
}

}  // namespace thriftree
