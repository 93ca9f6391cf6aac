// What the CPU can do is found out when the program runs, so that one build serves every machine.
#pragma once

#include <array>

// Code for x86-64 that asks the `cpu_level` before it uses an instruction. THRIFTREE_PORTABLE leaves it out,
// so that the plain code beside it can be tested on any machine.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(THRIFTREE_PORTABLE)
#define THRIFTREE_X86 1
#endif

namespace thriftree {

// The instructions that may be used: those of every x86-64 (or of another CPU), those of AVX2 and its time,
// those of AVX-512.
enum class CpuLevel : int { plain = 0, avx2 = 1, avx512 = 2 };
inline constexpr std::array<const char*, 3> cpu_level_names{"plain", "avx2", "avx512"};

// What the CPU has, or less, where the environment variable THRIFTREE_CPU (plain, avx2 or avx512) says so
// when the library is loaded. No result depends on it.
extern const CpuLevel cpu_level;
// What it says, where that is no name of a level; else null.
extern const char* const unknown_cpu_level;

inline bool cpu_has(CpuLevel level) { return cpu_level >= level; }

}  // namespace thriftree

// For what is to be compiled with the function that calls it, for its CPU.
#define THRIFTREE_INLINE inline __attribute__((always_inline))

// Before the body of a function: it is compiled for every level, and the best that may be used is called.
//   THRIFTREE_BY_CPU(void, twice, (double* x, int n), (x, n)) { for (int i = 0; i < n; ++i) x[i] *= 2; }
// The same with a `template <...>` before it, whose parameters must follow from the arguments.
#define THRIFTREE_BY_CPU(result, name, parameters, arguments) \
  THRIFTREE_BY_CPU_OF(, result, name, parameters, arguments)
#if defined(THRIFTREE_X86) && !defined(__SANITIZE_ADDRESS__)  // one text, so sanitizers see it once
#define THRIFTREE_BY_CPU_OF(prefix, result, name, parameters, arguments)                        \
  prefix THRIFTREE_INLINE result name##_on_any parameters;                                      \
  prefix __attribute__((target("arch=x86-64-v4"))) result name##_by_avx512 parameters {         \
    return name##_on_any arguments;                                                             \
  }                                                                                             \
  prefix __attribute__((target("arch=x86-64-v3"))) result name##_by_avx2 parameters {           \
    return name##_on_any arguments;                                                             \
  }                                                                                             \
  prefix result name parameters {                                                               \
    if (::thriftree::cpu_has(::thriftree::CpuLevel::avx512)) return name##_by_avx512 arguments; \
    if (::thriftree::cpu_has(::thriftree::CpuLevel::avx2)) return name##_by_avx2 arguments;     \
    return name##_on_any arguments;                                                             \
  }                                                                                             \
  prefix THRIFTREE_INLINE result name##_on_any parameters
#else
#define THRIFTREE_BY_CPU_OF(prefix, result, name, parameters, arguments) prefix result name parameters
#endif
