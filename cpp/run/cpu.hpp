// What the CPU can do is found out when the program runs, so that one build serves every machine.
#pragma once

// Code for x86-64 that asks __builtin_cpu_supports before it uses an instruction. THRIFTREE_PORTABLE leaves
// it out, so that the plain code beside it can be tested on any machine.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(THRIFTREE_PORTABLE)
#define THRIFTREE_X86 1
#endif

// Marks a function to be compiled for several kinds of CPU; the right one is chosen when the library is
// loaded, which is a service of the GNU loader.
#if defined(THRIFTREE_X86) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    __has_include(<gnu/libc-version.h>)
#define THRIFTREE_CPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define THRIFTREE_CPU_CLONES
#endif

// For what such a function calls, so that it is compiled with it.
#define THRIFTREE_INLINE inline __attribute__((always_inline))
