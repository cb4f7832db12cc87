#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <random>

#include "pcap/file_builder.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::pcap;

constexpr std::array compressions{Compression::gzip, Compression::zstd, Compression::lz4};
constexpr std::array<std::size_t, 4> block_sizes{1, 50, 4096, 256 << 10};

// first, then a flush, then second, in one member with a checksum as the command-line tools write it. What comes of
// second begins with a block's header at boundary.
struct Flushed {
  Octets file;
  std::size_t boundary = 0;
};

Flushed gzip(const Octets& first, const Octets& second) {
  z_stream stream{};
  BOOST_TEST_REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  Flushed out;
  out.file.resize(first.size() + second.size() + 100'000);
  stream.next_out = out.file.data();
  stream.avail_out = static_cast<uInt>(out.file.size());
  const auto add = [&](const Octets& in, int flush) {
    stream.next_in = const_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    deflate(&stream, flush);
    return stream.total_out;
  };
  out.boundary = add(first, Z_FULL_FLUSH);
  out.file.resize(add(second, Z_FINISH));
  deflateEnd(&stream);
  return out;
}

Flushed zstd(const Octets& first, const Octets& second) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  Flushed out;
  out.file.resize(first.size() + second.size() + 100'000);
  ZSTD_outBuffer to{out.file.data(), out.file.size(), 0};
  const auto add = [&](const Octets& in, ZSTD_EndDirective end) {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    BOOST_TEST_REQUIRE(ZSTD_compressStream2(context, &to, &from, end) == 0U);
    return to.pos;
  };
  out.boundary = add(first, ZSTD_e_flush);
  out.file.resize(add(second, ZSTD_e_end));
  ZSTD_freeCCtx(context);
  return out;
}

Flushed lz4(const Octets& first, const Octets& second) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  LZ4F_cctx* context = nullptr;
  BOOST_TEST_REQUIRE(LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION)) == 0U);
  Flushed out;
  out.file.resize(first.size() + second.size() + 200'000);
  std::size_t size = 0;
  const auto add = [&](std::size_t octets) {
    BOOST_TEST_REQUIRE(LZ4F_isError(octets) == 0U);
    size += octets;
  };
  const auto to = [&] { return out.file.data() + size; };
  const auto room = [&] { return out.file.size() - size; };
  add(LZ4F_compressBegin(context, to(), room(), &preferences));
  add(LZ4F_compressUpdate(context, to(), room(), first.data(), first.size(), nullptr));
  add(LZ4F_flush(context, to(), room(), nullptr));
  out.boundary = size;
  add(LZ4F_compressUpdate(context, to(), room(), second.data(), second.size(), nullptr));
  add(LZ4F_compressEnd(context, to(), room(), nullptr));
  out.file.resize(size);
  LZ4F_freeCompressionContext(context);
  return out;
}

Flushed compress(Compression compression, const Octets& first, const Octets& second) {
  switch (compression) {
    case Compression::gzip:
      return gzip(first, second);
    case Compression::zstd:
      return zstd(first, second);
    case Compression::lz4:
      return lz4(first, second);
    case Compression::none:
      break;
  }
  return {};
}

Octets compress(Compression compression, const Octets& in) { return compress(compression, in, {}).file; }

Octets part(const Octets& in, std::size_t from, std::size_t to) {
  return {in.begin() + static_cast<std::ptrdiff_t>(from), in.begin() + static_cast<std::ptrdiff_t>(to)};
}

Octets joined(std::initializer_list<Octets> parts) {
  Octets out;
  for (const Octets& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}

// num_packets packets of 84 octets that do not compress: 100 octets a record, behind 24.
Octets noise_capture(unsigned num_packets) {
  std::mt19937 random(1);
  FileBuilder file;
  file.pcap_header();
  for (unsigned i = 0; i < num_packets; ++i) {
    Octets data(84);
    for (auto& octet : data) octet = static_cast<std::uint8_t>(random());
    file.record(i, 0, data);
  }
  return file.octets();
}

void check_all(const Octets& compressed, const Octets& plain, Compression expected) {
  const Reading want = read_memory(plain);
  for (const std::size_t block_size : block_sizes) {
    auto reader = Reader::from_memory(compressed, {block_size});
    BOOST_TEST_REQUIRE(reader.has_value());
    BOOST_TEST((reader->compression() == expected));
    const Reading got = read_all(*reader);
    BOOST_TEST(got.code() == ErrorCode::none);
    BOOST_TEST(reader->input_offset() == compressed.size());
    BOOST_TEST_REQUIRE(got.packets.size() == want.packets.size());
    for (std::size_t i = 0; i < got.packets.size(); ++i) {
      BOOST_TEST(got.packets[i].data == want.packets[i].data);
      BOOST_TEST(got.packets[i].packet.file_offset == want.packets[i].packet.file_offset);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compression)

BOOST_AUTO_TEST_CASE(each_compression_is_known_by_its_content) {
  const Octets plain = noise_capture(200);
  for (const Compression c : compressions) check_all(compress(c, plain), plain, c);
}

BOOST_AUTO_TEST_CASE(members_follow_one_another_cut_anywhere_and_of_any_kind) {
  const Octets plain = noise_capture(30);
  for (const Compression first : compressions) {
    for (const Compression second : compressions) {
      const Octets file =
          joined({compress(first, part(plain, 0, 2)), compress(second, {}), compress(second, part(plain, 2, 250)),
                  compress(first, part(plain, 250, plain.size()))});
      check_all(file, plain, first);
    }
  }
}

BOOST_AUTO_TEST_CASE(skippable_frames_are_skipped) {
  const Octets plain = noise_capture(3);
  const Octets skippable = FileBuilder().u32(0x184D2A5F).u32(3).bytes({1, 2, 3}).octets();
  const Octets large = FileBuilder().u32(0x184D2A50).u32(200'000).bytes(Octets(200'000)).octets();
  for (const Compression c : compressions) {
    check_all(joined({skippable, large, compress(c, part(plain, 0, 50)), skippable,
                      compress(c, part(plain, 50, plain.size())), large}),
              plain, c);
  }
  BOOST_TEST(read_memory(skippable).error == file_error(ErrorCode::cut_file, Layer::compression, 0));
  BOOST_TEST(read_memory(part(large, 0, 7)).error == file_error(ErrorCode::cut_file, Layer::compression, 0));
  BOOST_TEST(read_memory(part(large, 0, 150'000)).error == file_error(ErrorCode::cut_file, Layer::compression, 0));
}

BOOST_AUTO_TEST_CASE(every_cut_gives_packets_and_then_one_error) {
  const Octets plain = noise_capture(5);
  for (const Compression c : compressions) {
    const Octets whole = compress(c, plain);
    std::size_t packets = 0;
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
      BOOST_TEST_CONTEXT("compression " << static_cast<unsigned>(c) << " cut at " << cut) {
        const Reading got = read_memory(part(whole, 0, cut), 64);
        BOOST_TEST(got.code() ==
                   (cut < (c == Compression::gzip ? 2 : 4) ? ErrorCode::not_a_capture : ErrorCode::cut_file));
        BOOST_TEST(got.packets.size() >= packets);
        packets = got.packets.size();
      }
    }
    BOOST_TEST(packets == 5U);  // what is missing last is a checksum or an end mark
  }
}

BOOST_AUTO_TEST_CASE(every_packet_before_damage_is_given) {
  const Octets plain = noise_capture(4000);
  constexpr std::size_t flushed_at = 250'025;  // one octet into a record, in the third block or so
  for (const Compression c : compressions) {
    const Flushed whole = compress(c, part(plain, 0, flushed_at), part(plain, flushed_at, plain.size()));
    check_all(whole.file, plain, c);
    Octets damaged = whole.file;
    // Block headers that there are not: type 3 of deflate and zstd, a block of 0x7FFFFFFF octets of lz4.
    const Octets header = c == Compression::gzip ? Octets{7} : Octets{0xFF, 0xFF, 0xFF, 0x7F};
    std::copy(header.begin(), header.end(), damaged.begin() + static_cast<std::ptrdiff_t>(whole.boundary));
    for (const std::size_t block_size : block_sizes) {
      BOOST_TEST_CONTEXT("compression " << static_cast<unsigned>(c) << " blocks of " << block_size) {
        const Reading got = read_memory(damaged, block_size);
        BOOST_TEST(got.packets.size() == 2500U);
        BOOST_TEST(got.error == file_error(ErrorCode::bad_compression, Layer::compression, flushed_at));
        const Reading cut = read_memory(part(whole.file, 0, whole.boundary), block_size);
        BOOST_TEST(cut.packets.size() == 2500U);
        BOOST_TEST(cut.error == file_error(ErrorCode::cut_file, Layer::compression, flushed_at));
      }
    }
    BOOST_TEST(to_string(read_memory(damaged).error) == "Compressed file at offset 250025: damaged compressed data");
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_checksum_is_told_behind_the_packets) {
  const Octets plain = noise_capture(4000);
  for (const Compression c : compressions) {
    Octets file = compress(c, plain);
    // gzip's CRC-32 is followed by a length; the others end with the checksum.
    file[file.size() - (c == Compression::gzip ? 8 : 4)] ^= 1U;
    for (const std::size_t block_size : block_sizes) {
      const Reading got = read_memory(file, block_size);
      BOOST_TEST(got.packets.size() == 4000U);
      BOOST_TEST(got.error == file_error(ErrorCode::bad_compression, Layer::compression, plain.size()));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_follows_a_member_must_be_one) {
  const Octets plain = noise_capture(3);
  for (const Compression c : compressions) {
    const Reading got = read_memory(joined({compress(c, plain), {0, 0, 0, 0, 0}}));
    BOOST_TEST(got.packets.size() == 3U);
    BOOST_TEST(got.error == file_error(ErrorCode::bad_compression, Layer::compression, plain.size()));
  }
}

BOOST_AUTO_TEST_CASE(damage_of_a_compressed_capture_has_its_offset_in_the_content) {
  const Octets plain = FileBuilder().bytes(noise_capture(3)).u64(0).u32(0xFFFFFFFF).u32(0).octets();
  for (const Compression c : compressions) {
    const Reading got = read_memory(compress(c, plain));
    BOOST_TEST(got.packets.size() == 3U);
    BOOST_TEST(got.error == file_error(ErrorCode::record_too_big, Layer::pcap, 324, Limit::none, 0xFFFFFFFF, 262'144));
  }
}

BOOST_AUTO_TEST_CASE(compressed_text_is_no_capture) {
  for (const Compression c : compressions) {
    BOOST_TEST(read_memory(compress(c, {'h', 'e', 'l', 'l', 'o'})).code() == ErrorCode::not_a_capture);
    BOOST_TEST(read_memory(compress(c, {})).code() == ErrorCode::not_a_capture);
  }
}

BOOST_AUTO_TEST_SUITE_END()
