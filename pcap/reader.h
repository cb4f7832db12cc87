// Capture files, read packet by packet: pcap and pcapng, plain or compressed with gzip, zstd or lz4, each recognised
// by its content. Memory stays the same however large the file is, and pipes do as well as files.
//
//   auto reader = Reader::open("x.pcap");
//   if (!reader) return complain(reader.error());
//   for (;;) {
//     auto packets = reader->next_batch();
//     if (!packets) return complain(packets.error());
//     if (packets->empty()) break;
//     for (const Packet& packet : *packets) use(packet);
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "codec/base/bytes.h"
#include "pcap/file_error.h"
#include "pcap/packet.h"

namespace rdmawire::pcap {

enum class Format : std::uint8_t { pcap, pcapng };
enum class Compression : std::uint8_t { none, gzip, zstd, lz4 };

struct ReaderOptions {
  // Octets asked of the operating system at a time, and the size of the one buffer. It grows only for a record that
  // is larger. 256 KiB was fastest; tests take small ones so that records cross the ends of blocks.
  std::size_t block_size = std::size_t{256} << 10;
};

// Not thread safe. Moving it leaves the packets given out valid.
class Reader {
 public:
  // Opens the file, or standard input for "-", and reads its header. Fails with
  //   open_failed      it can't be opened, or not a single octet be read (a directory): tell the user os_error;
  //   not_a_capture    the content is neither pcap nor pcapng (an empty file, too);
  //   cut_file         it begins like a capture or a compressed file and ends within the header;
  //   bad_compression, damaged_file, bad_version   the header is damaged: give up the file;
  //   read_failed      as for next_batch.
  static FileResult<Reader> open(const std::string& path, ReaderOptions options = {});
  // The same for a file that the caller has open at its start, and closes after the Reader's end.
  static FileResult<Reader> from_fd(int fd, ReaderOptions options = {});
  // The same for a file in memory, which must outlive the Reader.
  static FileResult<Reader> from_memory(Bytes file, ReaderOptions options = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  // The next packets of the file, at least one; none at the file's end. They and their data are valid until the next
  // call of next or next_batch. It waits for input (a pipe) only if it has no whole packet. All packets before a
  // damaged spot are given first, then its error once, then nothing more. Fails with
  //   cut_file             the file ends within a record;
  //   damaged_file         a length is impossible, or two that must agree don't;
  //   record_too_big       a record is larger than any capture tool writes: a damaged length;
  //   bad_version          a pcapng section of a major version other than 1;
  //   undefined_interface, too_many_interfaces   pcapng only;
  //   bad_compression      the compressed data is damaged, or is followed by something else;
  //   read_failed          os_error says why.
  // Nothing after the error's offset can be read; what came before is good.
  FileResult<std::span<const Packet>> next_batch() {
    if (next_ == end_) {
      if (auto more = refill(); !more) return tl::unexpected(more.error());
    }
    const std::span<const Packet> out(next_, end_);
    next_ = end_;
    return out;
  }

  // The same, one packet at a time; nullptr at the file's end.
  FileResult<const Packet*> next() {
    if (next_ == end_) {
      if (auto more = refill(); !more) return tl::unexpected(more.error());
      if (next_ == end_) return nullptr;
    }
    return next_++;
  }

  Format format() const;
  Compression compression() const;
  // Octets taken from the file so far, before decompression: for a progress display.
  std::uint64_t input_offset() const;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  FileResult<void> refill();

  std::unique_ptr<State> state_;
  const Packet* next_ = nullptr;  // what the state's batch still holds
  const Packet* end_ = nullptr;
};

}  // namespace rdmawire::pcap
