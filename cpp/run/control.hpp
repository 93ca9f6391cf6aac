// What a long call owes its caller: it can be interrupted, it keeps to its limits, and it says why it
// stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace thriftree {

// Thrown when the caller asked to stop (Ctrl-C). The binding lets the pending Python error through.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Thrown by work under watch_time when the time limit has passed; what was finished before stays valid.
struct OutOfTime : std::exception {
  const char* what() const noexcept override { return "the time limit has passed"; }
};

// Thrown when an allocation would pass the caller's memory limit. The message names the need and the limit.
struct MemoryLimitReached : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown for input that breaks a documented rule; the message names the place and the remedy.
struct BadInput : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

class Control {
 public:
  using Clock = std::chrono::steady_clock;

  int n_threads = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();
  std::size_t memory_limit_bytes = std::numeric_limits<std::size_t>::max();
  // Asked from the calling thread only, at most every few milliseconds. True means: stop now.
  std::function<bool()> interrupted;
  // Whether a growth that is interrupted ends as at the time limit, with the tree so far.
  bool keeps_interrupted = false;
  // Whether an error of a part that the caller brought is an interrupt, too. Empty: none is.
  std::function<bool(const std::exception_ptr&)> is_interrupt;

  // Calling thread only. Remembers a "stop" for the other threads; cheap enough for an inner loop over
  // blocks.
  void poll() {
    const auto now = Clock::now();
    if (now < next_poll_) return;
    next_poll_ = now + std::chrono::milliseconds(20);
    if (interrupted && interrupted()) cancelled_.store(true, std::memory_order_relaxed);
    if (watching_time_ && out_of_time()) expired_.store(true, std::memory_order_relaxed);
  }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // For long tasks: ends the task when the caller asked to stop or the watched time is over.
  void throw_if_stopped() const {
    if (cancelled()) throw Interrupted();
    if (expired()) throw OutOfTime();
  }

  // For long work in the calling thread: a poll that ends it.
  void poll_or_throw() {
    poll();
    throw_if_stopped();
  }

  // For long tasks of a Team's worker: the caller's thread asks for interrupts, and every thread heeds them.
  std::function<void()> poll_on(int worker) {
    return [this, worker] {
      if (worker == 0) poll();
      throw_if_stopped();
    };
  }

  // From now on a Team stops with OutOfTime when the limit passes. Only for work that can be left half done.
  void watch_time() { watching_time_ = true; }
  // Calling thread only, outside a Team's run: what comes next is to be finished, limit or not.
  void leave_time() {
    watching_time_ = false;
    expired_.store(false, std::memory_order_relaxed);
  }
  bool expired() const { return expired_.load(std::memory_order_relaxed); }

  // Calling thread only, outside a Team's run. Whether this error means that the caller asked to stop and
  // wants what there is: then no time is left for what comes next, and the error is dealt with.
  bool keeps_after(const std::exception_ptr& error) {
    if (!keeps_interrupted) return false;
    try {
      std::rethrow_exception(error);
    } catch (const Interrupted&) {
    } catch (...) {
      if (!is_interrupt || !is_interrupt(error)) return false;
    }
    cancelled_.store(false, std::memory_order_relaxed);
    was_interrupted_ = true;
    return true;
  }
  // Whether an interrupt has ended a growth whose tree was kept.
  bool was_interrupted() const { return was_interrupted_; }

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }
  bool out_of_time() const { return was_interrupted_ || elapsed_s() >= time_limit_s; }

  // Books `bytes` against the limit before they are allocated. `what` completes "… needs N MB", rounded up,
  // so that N as the limit would do.
  void reserve(std::size_t bytes, const char* what) {
    if (bytes > memory_limit_bytes || used_bytes_ > memory_limit_bytes - bytes) {
      throw MemoryLimitReached(
          std::string(what) + " needs " + std::to_string(((used_bytes_ + bytes - 1) >> 20) + 1) +
          " MB in all, but memory_limit_mb allows " + std::to_string(memory_limit_bytes >> 20) +
          " MB: raise the limit, set max_bins=255, or give fewer rows or columns");
    }
    used_bytes_ += bytes;
  }
  void release(std::size_t bytes) { used_bytes_ -= bytes < used_bytes_ ? bytes : used_bytes_; }
  std::size_t used_bytes() const { return used_bytes_; }

 private:
  Clock::time_point started_ = Clock::now();
  Clock::time_point next_poll_ = started_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> expired_{false};
  bool watching_time_ = false;
  bool was_interrupted_ = false;
  std::size_t used_bytes_ = 0;  // booked and not yet released; calling thread only
};

}  // namespace thriftree
