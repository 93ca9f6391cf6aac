// A team of threads that lives no longer than one call (so a later fork is safe).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "run/control.hpp"

namespace thriftree {

class Team {
 public:
  explicit Team(Control& control);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Runs task(i, worker) once for each i in [0, n), 0 <= worker < size(). Tasks are handed out in order;
  // which worker gets one is not defined, so tasks must not share state. Returns when all are done. Throws
  // Interrupted if the caller asked to stop, OutOfTime if the limit has passed, or the first exception a task
  // threw. A task should take well under 100 ms.
  void run(std::size_t n, const std::function<void(std::size_t, int)>& task);

 private:
  void close();
  void work(int worker);
  void take_tasks(int worker);

  Control& control_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::size_t, int)>* task_ = nullptr;  // set while a run is under way
  std::atomic<std::size_t> next_{0};                             // the next task to hand out
  std::size_t n_tasks_ = 0;
  std::size_t generation_ = 0;  // counts runs, so that a worker joins each run once
  int busy_ = 0;                // workers (not the caller) still inside the current run
  bool closing_ = false;
  std::exception_ptr error_;
};

}  // namespace thriftree
