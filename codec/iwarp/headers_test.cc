// Octets from siw's captures (testdata/captures) and from testdata/reference/iwarp_vectors.tsv.
#include "codec/iwarp/headers.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>
#include <string>

#include "codec/base/header_test.h"
#include "codec/iwarp/pdu.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using rdmawire::test::check_header;
using rdmawire::test::decoded;
using rdmawire::test::octets;
using rdmawire::test::texts;

}  // namespace

BOOST_AUTO_TEST_SUITE(iwarp_headers)

//= MPA-5044-7.1.1-01, MPA-5044-7.1.1-05, MPA-6581-6-01 test
BOOST_AUTO_TEST_CASE(mpa_request_of_revision_2) {
  check_header<MpaRequest>("4d504120494420526571204672616d6550020004", [](const MpaRequest& h) {
    BOOST_TEST((h.key == mpa_request_key));
    BOOST_TEST(!h.markers);
    BOOST_TEST(h.crc);
    BOOST_TEST(!h.rejected);
    BOOST_TEST(h.enhanced);
    BOOST_TEST(h.reserved4 == 0);
    BOOST_TEST(h.revision == 2);
    BOOST_TEST(h.private_data_len == 4);
    BOOST_TEST(h.is_enhanced());
  });
  check_header<MpaStartup>("4d504120494420526571204672616d6550020004",
                           [](const MpaStartup& h) { BOOST_TEST(h.private_data_len == 4); });
}

//= MPA-5044-7.1.1-02, MPA-5044-7.1.1-05 test
BOOST_AUTO_TEST_CASE(mpa_reply_that_rejects) {
  check_header<MpaReply>("4d504120494420526570204672616d65a0010002", [](const MpaReply& h) {
    BOOST_TEST((h.key == mpa_reply_key));
    BOOST_TEST(h.markers);
    BOOST_TEST(!h.crc);
    BOOST_TEST(h.rejected);
    BOOST_TEST(h.revision == 1);
    BOOST_TEST(h.private_data_len == 2);
  });
}

//= MPA-6581-6-11 test
BOOST_AUTO_TEST_CASE(the_s_bit_is_reserved_before_revision_2) {
  BOOST_TEST(!decoded<MpaRequest>("4d504120494420526571204672616d6550010004").is_enhanced());
  BOOST_TEST(!decoded<MpaRequest>("4d504120494420526571204672616d6540020004").is_enhanced());
}

BOOST_AUTO_TEST_CASE(startup_frames_begin_with_their_key) {
  BOOST_TEST(MpaRequest().key[9] == 'q');
  BOOST_TEST(MpaReply().key[9] == 'p');
}

//= MPA-6581-9-01, MPA-6581-9-02, MPA-6581-9-03 test
BOOST_AUTO_TEST_CASE(mpa_enhanced) {
  check_header<MpaEnhanced>("8010c020", [](const MpaEnhanced& h) {
    BOOST_TEST(h.peer_to_peer);
    BOOST_TEST(!h.rtr_send);
    BOOST_TEST(h.ird == 16);
    BOOST_TEST(h.rtr_write);
    BOOST_TEST(h.rtr_read);
    BOOST_TEST(h.ord == 32);
  });
}

BOOST_AUTO_TEST_CASE(fpdu_parts) {
  check_header<FpduHeader>("002a", [](const FpduHeader& h) { BOOST_TEST(h.ulpdu_len == 42); });
  check_header<Marker>("00000014", [](const Marker& h) {
    BOOST_TEST(h.reserved == 0);
    BOOST_TEST(h.fpdu_ptr == 20);
  });
  check_header<MpaCrc>("84925898", [](const MpaCrc& h) { BOOST_TEST(h.crc == 0x84925898U); });
}

//= DDP-5041-4.1-01, DDP-5041-4.2-01, RDMAP-5040-3.1-04 test
BOOST_AUTO_TEST_CASE(ddp_tagged) {
  check_header<DdpTagged>("c140a1b2c3d41122334455667788", [](const DdpTagged& h) {
    BOOST_TEST(h.tagged);
    BOOST_TEST(h.last);
    BOOST_TEST(h.reserved4 == 0);
    BOOST_TEST(h.version == 1);
    BOOST_TEST(h.rsvd_ulp[0] == 0x40);
    BOOST_TEST(h.stag.value == 0xA1B2C3D4U);
    BOOST_TEST(h.stag.index() == 0xA1B2C3U);
    BOOST_TEST(h.stag.key() == 0xD4);
    BOOST_TEST(h.tagged_offset.value == 0x1122334455667788U);
  });
}

//= DDP-5041-4.1-01, DDP-5041-4.3-01, RDMAP-5040-3.1-04 test
BOOST_AUTO_TEST_CASE(ddp_untagged) {
  check_header<DdpUntagged>("414411223344000000000000000500000100", [](const DdpUntagged& h) {
    BOOST_TEST(!h.tagged);
    BOOST_TEST(h.last);
    BOOST_TEST(h.version == 1);
    BOOST_TEST(h.rsvd_ulp[0] == 0x44);
    BOOST_TEST(h.rsvd_ulp[4] == 0x44);
    BOOST_TEST((h.queue == send_queue));
    BOOST_TEST((h.msn == DdpMsn{5}));
    BOOST_TEST(h.message_offset == 256U);
  });
}

//= DDP-5041-4.3-07 test
BOOST_AUTO_TEST_CASE(ddp_msn_wraps_at_32_bits) {
  static_assert(DdpMsn{0xFFFFFFFF} + 1 == DdpMsn{0});
  static_assert(DdpMsn{0xFFFFFFFF}.precedes(DdpMsn{0}) && !DdpMsn{0}.precedes(DdpMsn{0xFFFFFFFF}));
  static_assert(DdpMsn{0}.distance_to(DdpMsn{0x80000000}) == -0x7FFFFFFF - 1);
  static_assert(DdpMsn{5}.forward_to(DdpMsn{4}) == 0xFFFFFFFF);
  static_assert(DdpMsn{1}.in_window(DdpMsn{0xFFFFFFFF}, 3) && !DdpMsn{2}.in_window(DdpMsn{0xFFFFFFFF}, 3));
  BOOST_TEST((DdpMsn{0} - 1).value == 0xFFFFFFFFU);
}

//= RDMAP-5040-4.1-01, RDMAP-5040-4.1-02 test
BOOST_AUTO_TEST_CASE(rdmap) {
  check_header<RdmapControl>("46", [](const RdmapControl& h) {
    BOOST_TEST(h.version == 1);
    BOOST_TEST(h.reserved2 == 0);
    BOOST_TEST((h.opcode == Opcode::SEND_WITH_SE_AND_INVALIDATE));
  });
  check_header<InvalidateStag>("11223344", [](const InvalidateStag& h) { BOOST_TEST(h.stag.value == 0x11223344U); });
  check_header<RdmapReserved>("00000001", [](const RdmapReserved& h) { BOOST_TEST(h.reserved[3] == 1); });
}

//= RDMAP-5040-4.4-01 test
BOOST_AUTO_TEST_CASE(read_request) {
  check_header<ReadRequest>("010203040000000000000010000010000a0b0c0d0000000000002000", [](const ReadRequest& h) {
    BOOST_TEST(h.sink_stag.value == 0x01020304U);
    BOOST_TEST(h.sink_offset.value == 0x10U);
    BOOST_TEST(h.read_len == 4096U);
    BOOST_TEST(h.source_stag.value == 0x0A0B0C0DU);
    BOOST_TEST(h.source_offset.value == 0x2000U);
  });
}

//= RDMAP-7306-4-01, RDMAP-7306-5.2.1-01 test
BOOST_AUTO_TEST_CASE(atomic_request) {
  const auto exact = [](const AtomicRequest& h) {
    BOOST_TEST(h.reserved28 == 0U);
    BOOST_TEST((h.opcode == AtomicOpcode::cmp_swap));
    BOOST_TEST(h.request_id == 0x56U);
    BOOST_TEST(h.remote_stag.value == 0x10U);
    BOOST_TEST(h.remote_offset.value == 8U);
    BOOST_TEST(h.add_or_swap_data == 2U);
    BOOST_TEST(h.add_or_swap_mask == 0xFFFFFFFFFFFFFFFFU);
    BOOST_TEST(h.compare_data == 1U);
    BOOST_TEST(h.compare_mask == 0xFFFFFFFFFFFFFFFFU);
  };
  constexpr std::string_view hex =
      "0000000200000056000000100000000000000008"
      "0000000000000002ffffffffffffffff0000000000000001ffffffffffffffff";
  check_header<AtomicRequest>(hex, exact);
  check_header<CmpSwap>(hex, exact);
  check_header<FetchAdd>(hex, exact);
}

//= RDMAP-7306-4-01, RDMAP-7306-5.2.2-01 test
BOOST_AUTO_TEST_CASE(atomic_response) {
  check_header<AtomicResponse>("000000550000000000000029", [](const AtomicResponse& h) {
    BOOST_TEST(h.request_id == 0x55U);
    BOOST_TEST(h.original_data == 41U);
  });
}

BOOST_AUTO_TEST_CASE(immediate_data_keeps_the_order_of_the_wire) {
  check_header<ImmediateData>("0102030405060708", [](const ImmediateData& h) {
    BOOST_TEST(h.data[0] == 1);
    BOOST_TEST(h.data[7] == 8);
  });
}

//= RDMAP-5040-4.8-02 test
BOOST_AUTO_TEST_CASE(terminate) {
  check_header<Terminate>("1203c000", [](const Terminate& h) {
    BOOST_TEST((h.error.layer() == TerminateLayer::ddp));
    BOOST_TEST(h.error.type() == 2);
    BOOST_TEST(h.error.code() == 3);
    BOOST_TEST(h.has_length);
    BOOST_TEST(h.has_ddp_header);
    BOOST_TEST(!h.has_rdma_header);
    BOOST_TEST(h.reserved == 0);
  });
  check_header<TerminatedLength>("0590", [](const TerminatedLength& h) { BOOST_TEST(h.segment_len == 1424); });
}

// Of siw-term-send-norecv.pcap.
BOOST_AUTO_TEST_CASE(terminate_of_siw) {
  check_header<SiwTerminate>("21020300", [](const SiwTerminate& h) {
    BOOST_TEST(h.has_length);
    BOOST_TEST(h.has_ddp_header);
    BOOST_TEST(!h.has_rdma_header);
    const Terminate meant = h.standard();
    BOOST_TEST((meant.error == info(TerminateReason::ddp_untagged_no_buffer).error));
    BOOST_TEST(meant.has_length);
    BOOST_TEST(meant.has_ddp_header);
    BOOST_TEST(!meant.has_rdma_header);
    BOOST_TEST(meant.reserved == 0);
  });
  BOOST_TEST(texts<SiwTerminate>("21020300") ==
             "rdma.terminate.siw_control=0x21020300 rdma.terminate.error=0x2102 iwarp_rdma.term_layer=0x01 "
             "iwarp_rdma.term_etype_ddp=0x02 iwarp_rdma.term_errcode_ddp_untagged=0x02 rdma.terminate.reserved5=0x00 "
             "iwarp_rdma.hdrct_r=0 iwarp_rdma.hdrct_d=1 iwarp_rdma.term_hdrct_m=1 rdma.terminate.reserved8=0x00");
}

BOOST_AUTO_TEST_CASE(values_have_names) {
  const auto name = [](const HeaderInfo& header, std::string_view key, std::uint64_t value) {
    for (const FieldInfo& field : header.fields) {
      if (field.key == key) return std::string(field.value_name(value));
    }
    return std::string("no such field");
  };
  BOOST_TEST(name(header_info<RdmapControl>, "iwarp_rdma.opcode", 6) == "SEND_WITH_SE_AND_INVALIDATE");
  BOOST_TEST(name(header_info<RdmapControl>, "iwarp_rdma.opcode", 12) == "");
  BOOST_TEST(name(header_info<CmpSwap>, "iwarp_rdma.atomic.opcode", 2) == "CmpSwap");
  BOOST_TEST(name(header_info<CmpSwap>, "iwarp_rdma.atomic.opcode", 1) == "");
  BOOST_TEST(name(header_info<Terminate>, "iwarp_rdma.term_layer", 2) == "LLP");
  BOOST_TEST(name(header_info<Terminate>, "iwarp_rdma.term_layer", 3) == "");
  BOOST_TEST(name(header_info<Terminate>, "iwarp_rdma.term_etype_rdma", 2) == "Remote operation error");
  BOOST_TEST(name(header_info<Terminate>, "iwarp_rdma.term_etype_ddp", 1) == "Tagged buffer error");
  BOOST_TEST(name(header_info<Terminate>, "iwarp_rdma.term_etype_llp", 0) == "MPA error");
  BOOST_TEST(name(header_info<Terminate>, "rdma.terminate.error", 0x1103) == "Tagged buffer error: tagged offset wrap");
  // The same error, its nibbles the other way round.
  BOOST_TEST(name(header_info<SiwTerminate>, "rdma.terminate.error", 0x2103) ==
             "Untagged buffer error: invalid MSN, MSN range is not valid");
}

BOOST_AUTO_TEST_CASE(a_layer_finds_its_header) {
  BOOST_TEST(header_of(Layer::read_request) == &header_info<ReadRequest>);
  BOOST_TEST(header_of(Layer::rdmap) == &header_info<RdmapControl>);
  BOOST_TEST(header_of(Layer::terminate) == &header_info<Terminate>);
  BOOST_TEST(header_of(Layer::bth) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(values_of_tshark)

// tshark_values.tsv holds what tshark 4.0.17 shows for a PDU of each kind.
BOOST_AUTO_TEST_CASE(every_field_has_the_text_that_tshark_shows) {
  std::ifstream rows("codec/iwarp/tshark_values.tsv");
  BOOST_REQUIRE(rows.is_open());
  std::set<std::string> keys;
  std::string row;
  while (std::getline(rows, row)) {
    const std::size_t a = row.find('\t');
    const std::size_t b = row.find('\t', a + 1);
    BOOST_REQUIRE(b != std::string::npos);
    const std::string key = row.substr(a + 1, b - a - 1);
    const std::vector<std::uint8_t> data = octets(row.substr(0, a));
    const bool startup = data[0] == 'M';
    const Pdu pdu = startup ? parse_startup(data) : parse_ulpdu(data, static_cast<std::uint32_t>(data.size()));
    std::string shown;
    bool terminated = false;  // tshark does not look into the terminated segment
    for (const LayerRef& ref : pdu.layers()) {
      const Bytes header = pdu.octets(ref);
      for (const FieldInfo& field : ref.header->fields) {
        if (field.key != key || !is_present(field, header) || terminated) continue;
        std::array<char, 128> text;
        BOOST_REQUIRE(max_text(field) <= text.size());
        shown += std::string(text.data(), format_value(field, header, text));
      }
      terminated = terminated || ref.layer == Layer::terminated_length;
    }
    BOOST_TEST(shown == row.substr(b + 1), row);
    keys.insert(key);
  }
  BOOST_TEST(keys.size() == 54U);
}

// The other way: names that begin as Wireshark's are Wireshark's. Those of 4.6 are from its display filter reference.
BOOST_AUTO_TEST_CASE(no_name_is_invented) {
  std::ifstream rows("codec/iwarp/tshark_values.tsv");
  std::set<std::string, std::less<>> known{
      "iwarp_mpa.enhanced_flag", "iwarp_mpa.enhanced.a",   "iwarp_mpa.enhanced.b",     "iwarp_mpa.enhanced.c",
      "iwarp_mpa.enhanced.D",    "iwarp_mpa.enhanced.ird", "iwarp_mpa.enhanced.ord",   "iwarp_mpa.ulpdulength",
      "iwarp_mpa.crc",           "iwarp_mpa.marker_res",   "iwarp_mpa.marker_fpduptr", "iwarp_rdma.atomic.reserved",
      "iwarp_rdma.term_etype"};
  std::string row;
  while (std::getline(rows, row)) {
    const std::size_t a = row.find('\t') + 1;
    known.insert(row.substr(a, row.find('\t', a) - a));
  }
  const auto check = [&](const HeaderInfo& header) {
    for (const FieldInfo& field : header.fields) {
      if (field.key.starts_with("sctp.")) continue;
      if (field.key.starts_with("iwarp_")) BOOST_TEST(known.contains(field.key), field.key);
      if (!field.key.starts_with("iwarp_")) BOOST_TEST(field.key.starts_with("rdma."), field.key);
    }
  };
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    (check(header_info<T>), ...);
  }(std::type_identity<Headers>{});
}

BOOST_AUTO_TEST_SUITE_END()
