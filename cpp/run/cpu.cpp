#include "run/cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace thriftree {

namespace {

CpuLevel level_of_cpu() {
#if defined(THRIFTREE_X86)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return CpuLevel::avx512;
  if (__builtin_cpu_supports("x86-64-v3")) return CpuLevel::avx2;
#endif
  return CpuLevel::plain;
}

CpuLevel level_allowed() {
  const char* const name = std::getenv("THRIFTREE_CPU");
  if (!name) return CpuLevel::avx512;
  if (std::string_view(name) == "plain") return CpuLevel::plain;
  return std::string_view(name) == "avx2" ? CpuLevel::avx2 : CpuLevel::avx512;
}

}  // namespace

const CpuLevel cpu_level = std::min(level_of_cpu(), level_allowed());

}  // namespace thriftree
