// How far a scan has come. Files are read in batches; while one is worked on, which may be a single file of many gigabytes, the bytes that
// are read and expanded move the figure on from where the batch begins to where it ends: first those of files, which are opened and
// searched, then those of images.
#pragma once

#include "coverage/scan.hpp"
#include "input/walk.hpp"

#include <atomic>
#include <mutex>

namespace cag {

class ProgressOfScan {
  public:
    ProgressOfScan(const ScanOptions& options, const InputWalk& walk)
        : report_(options.progress), walk_(walk), payloads_(options.depth == ScanDepth::payload) {}

    // The walk has given these, and they are opened next.
    void begin(std::vector<InputItem>& batch);
    // All are open; images of so many bytes are expanded next.
    void begin_images(std::uint64_t bytes);
    void end(std::size_t files, std::size_t inputs);
    // Bytes of files that were read, or of large members that were expanded. Called by any thread; before a batch begins, by the one that
    // walks.
    void opened(std::uint64_t bytes);
    // Bytes of an image that was expanded. Called by any thread.
    void expanded(std::uint64_t bytes) { work(bytes); }

  private:
    void work(std::uint64_t bytes);
    void tell();

    const std::function<void(const ScanProgress&)>& report_;
    const InputWalk& walk_;
    bool payloads_; // are read
    ScanProgress done_;
    // What is worked on: on disk from `begin_` to `end_`, as the first `worked_` of `to_do_` bytes are done. Nothing while the walk goes
    // on.
    bool in_batch_ = false;
    bool in_images_ = false;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t batch_end_ = 0; // of this batch, or of the last one
    std::uint64_t to_do_ = 0;
    std::atomic<std::uint64_t> worked_{0};
    std::mutex mutex_; // of what is told
};

} // namespace cag
