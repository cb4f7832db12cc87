#include "codec/mad/dispatch.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "codec/mad/headers.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::mad;

// A MAD with these numbers; octet n elsewhere is (37 n + 11) mod 256, as in tshark_values.py.
std::vector<std::uint8_t> made(unsigned management_class, unsigned attribute) {
  std::vector<std::uint8_t> mad(mad_size);
  for (std::size_t n = 0; n < mad.size(); ++n) mad[n] = static_cast<std::uint8_t>(37 * n + 11);
  mad[0] = 1;
  mad[1] = static_cast<std::uint8_t>(management_class);
  mad[2] = management_class == 0x03 || management_class == 0x07 ? 2 : 1;
  mad[3] = 0x81;
  store_be<2>(mad.data() + 16, attribute);
  if (management_class == 0x03) std::fill(mad.begin() + 24, mad.begin() + 36, std::uint8_t{0});
  return mad;
}

// "mad@0 cm.req@24"
std::string layers_of(Bytes mad) {
  std::string out;
  for (const MadLayer& layer : mad_layers(mad)) {
    BOOST_TEST((layer.layer == layer.header->layer));
    if (!out.empty()) out += ' ';
    out += info(layer.layer).name;
    out += '@' + std::to_string(layer.offset);
  }
  return out;
}

// A SIDR_REQ or REQ to an IP CM service (or not) with this IP version.
std::vector<std::uint8_t> request(CmAttribute attribute, std::uint64_t service_id, unsigned ip_version) {
  std::vector<std::uint8_t> mad = made(0x07, static_cast<unsigned>(attribute));
  store_be<8>(mad.data() + 32, service_id);
  const std::size_t ip_cm = attribute == CmAttribute::req ? 164 : 40;
  mad[ip_cm + 1] = static_cast<std::uint8_t>(ip_version << 4);
  return mad;
}

// A SubnAdmGetTableResp of PathRecords in an RMPP packet.
std::vector<std::uint8_t> rmpp(unsigned type, unsigned flags, unsigned segment) {
  std::vector<std::uint8_t> mad = made(0x03, 0x35);
  mad[24] = 1;
  mad[25] = static_cast<std::uint8_t>(type);
  mad[26] = static_cast<std::uint8_t>(flags);
  store_be<4>(mad.data() + 28, segment);
  return mad;
}

// All places of the table.
template <class Visit>
void for_each_place(Visit&& visit) {
  for (const MadClass& row : mad_classes()) {
    for (const PlacedHeader& at : row.before) visit(at);
    for (const MadAttribute& attribute : row.attributes) {
      for (const PlacedHeader& at : attribute.headers) visit(at);
    }
    visit(row.other);
    visit(row.after);
  }
}

template <class Visit>
void for_each_header(Visit&& visit) {
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    (visit(std::type_identity<T>{}), ...);
  }(std::type_identity<Headers>{});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layers_of_a_mad)

BOOST_AUTO_TEST_CASE(subnet_management) {
  BOOST_TEST(layers_of(made(0x01, 0x11)) == "mad@0 smp_lid@24 node_info@64");
  BOOST_TEST(layers_of(made(0x81, 0x15)) == "mad@0 smp_dr_status@4 smp_dr@24 port_info@64 smp_dr_paths@128");
  BOOST_TEST(layers_of(made(0x01, 0xFF00)) == "mad@0 smp_lid@24 smp_data@64");
  BOOST_TEST(layers_of(made(0x81, 0x31)) == "mad@0 smp_dr_status@4 smp_dr@24 smp_data@64 smp_dr_paths@128");
}

BOOST_AUTO_TEST_CASE(subnet_administration) {
  BOOST_TEST(layers_of(made(0x03, 0x35)) == "mad@0 rmpp@24 sa@36 path_record@56");
  BOOST_TEST(layers_of(made(0x03, 0x11)) == "mad@0 rmpp@24 sa@36 node_record@56 node_info@60 node_description@100");
  BOOST_TEST(layers_of(made(0x03, 0x02)) == "mad@0 rmpp@24 sa@36 notice@56 notice_issuer@120");
  BOOST_TEST(layers_of(made(0x03, 0xF3)) == "mad@0 rmpp@24 sa@36 inform_info_record@56 inform_info@80");
  BOOST_TEST(layers_of(made(0x03, 0x39)) == "mad@0 rmpp@24 sa@36 sa_data@56");
}

BOOST_AUTO_TEST_CASE(a_record_begins_only_in_the_first_rmpp_segment) {
  BOOST_TEST(layers_of(rmpp(1, 3, 1)) == "mad@0 rmpp_data@24 sa@36 path_record@56");
  BOOST_TEST(layers_of(rmpp(1, 1, 2)) == "mad@0 rmpp_data@24 sa@36 sa_data@56");
  BOOST_TEST(layers_of(rmpp(2, 1, 1)) == "mad@0 rmpp_ack@24 sa@36 sa_data@56");
  BOOST_TEST(layers_of(rmpp(4, 1, 0)) == "mad@0 rmpp@24 sa@36 sa_data@56");
  BOOST_TEST(layers_of(rmpp(1, 0, 2)) == "mad@0 rmpp@24 sa@36 path_record@56");
}

BOOST_AUTO_TEST_CASE(other_classes) {
  BOOST_TEST(layers_of(made(0x04, 0x12)) == "mad@0 perf@24 port_counters@64");
  BOOST_TEST(layers_of(made(0x04, 0x15)) == "mad@0 perf@24 perf_data@64");
  BOOST_TEST(layers_of(made(0x07, 0x01)) == "mad@0 class_port_info@24");
  BOOST_TEST(layers_of(made(0x07, 0x1B)) == "mad@0 mad_data@24");
  BOOST_TEST(layers_of(made(0x2F, 0x10)) == "mad@0 mad_data@24");
  BOOST_TEST(layers_of(made(0x30, 0x10)) == "mad@0 rmpp@24 vendor@36 vendor_data@40");
  BOOST_TEST(layers_of(made(0x50, 0x10)) == "mad@0 mad_data@24");
}

BOOST_AUTO_TEST_CASE(every_cm_message) {
  BOOST_TEST(layers_of(made(0x07, 0x10)) == "mad@0 cm.req@24");
  BOOST_TEST(layers_of(made(0x07, 0x11)) == "mad@0 cm.mra@24");
  BOOST_TEST(layers_of(made(0x07, 0x12)) == "mad@0 cm.rej@24");
  BOOST_TEST(layers_of(made(0x07, 0x13)) == "mad@0 cm.rep@24");
  BOOST_TEST(layers_of(made(0x07, 0x14)) == "mad@0 cm.rtu@24");
  BOOST_TEST(layers_of(made(0x07, 0x15)) == "mad@0 cm.dreq@24");
  BOOST_TEST(layers_of(made(0x07, 0x16)) == "mad@0 cm.drep@24");
  BOOST_TEST(layers_of(made(0x07, 0x17)) == "mad@0 cm.sidr_req@24");
  BOOST_TEST(layers_of(made(0x07, 0x18)) == "mad@0 cm.sidr_rep@24");
  BOOST_TEST(layers_of(made(0x07, 0x19)) == "mad@0 cm.lap@24");
  BOOST_TEST(layers_of(made(0x07, 0x1A)) == "mad@0 cm.apr@24");
}

BOOST_AUTO_TEST_CASE(ip_cm_private_data_is_there_when_the_service_id_says_so) {
  BOOST_TEST(layers_of(request(CmAttribute::req, 0x01064853, 4)) == "mad@0 cm.req@24 ip_cm4@164 ip_cm_req_data@200");
  BOOST_TEST(layers_of(request(CmAttribute::req, 0x01064853, 6)) == "mad@0 cm.req@24 ip_cm6@164 ip_cm_req_data@200");
  BOOST_TEST(layers_of(request(CmAttribute::req, 0x10050, 4)) == "mad@0 cm.req@24");
  BOOST_TEST(layers_of(request(CmAttribute::sidr_req, 0x01110001, 4)) ==
             "mad@0 cm.sidr_req@24 ip_cm4@40 ip_cm_sidr_req_data@76");
  BOOST_TEST(layers_of(request(CmAttribute::sidr_req, 0x01110001, 6)) ==
             "mad@0 cm.sidr_req@24 ip_cm6@40 ip_cm_sidr_req_data@76");
}

BOOST_AUTO_TEST_CASE(a_cut_mad_has_the_layers_that_begin_inside) {
  const auto mad = request(CmAttribute::req, 0x01064853, 4);
  BOOST_TEST(layers_of(Bytes(mad).first(0)) == "");
  BOOST_TEST(layers_of(Bytes(mad).first(1)) == "mad@0");
  BOOST_TEST(layers_of(Bytes(mad).first(24)) == "mad@0");
  BOOST_TEST(layers_of(Bytes(mad).first(25)) == "mad@0 cm.req@24");
  BOOST_TEST(layers_of(Bytes(mad).first(164)) == "mad@0 cm.req@24");
  BOOST_TEST(layers_of(Bytes(mad).first(256)) == "mad@0 cm.req@24 ip_cm4@164 ip_cm_req_data@200");
}

BOOST_AUTO_TEST_CASE(of_another_base_version_only_the_header_is_read) {
  auto mad = made(0x07, 0x10);
  mad[0] = 0x80;
  BOOST_TEST(layers_of(mad) == "mad@0");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(table_of_layouts)

BOOST_AUTO_TEST_CASE(every_place_lies_inside_a_mad) {
  int places = 0;
  for_each_place([&](const PlacedHeader& at) {
    if (at.header == nullptr) return;
    ++places;
    BOOST_TEST(at.offset + at.header->size <= 256, info(at.header->layer).name);
  });
  BOOST_TEST(places == 97);
}

BOOST_AUTO_TEST_CASE(every_header_has_a_place_and_a_layer_of_its_own) {
  std::set<const HeaderInfo*> placed;
  for_each_place([&](const PlacedHeader& at) { placed.insert(at.header); });
  placed.insert(&header_info<Mad>);
  placed.erase(nullptr);
  std::set<Layer> layers;
  for_each_header([&]<class T>(std::type_identity<T>) {
    BOOST_TEST(placed.count(&header_info<T>) == 1U, info(header_info<T>.layer).name);
    BOOST_TEST(layers.insert(header_info<T>.layer).second, info(header_info<T>.layer).name);
    BOOST_TEST(header_info_of(header_info<T>.layer) == &header_info<T>);
  });
  BOOST_TEST(placed.size() == std::tuple_size_v<Headers>);
  BOOST_TEST(header_info_of(Layer::bth) == nullptr);
}

BOOST_AUTO_TEST_CASE(every_attribute_stands_once_and_the_last_row_takes_all) {
  for (const MadClass& row : mad_classes()) {
    std::set<std::uint16_t> ids;
    for (const MadAttribute& attribute : row.attributes) BOOST_TEST(ids.insert(attribute.id).second, attribute.id);
  }
  BOOST_TEST(mad_classes().back().first == 0x00);
  BOOST_TEST(mad_classes().back().last == 0xFF);
}

BOOST_AUTO_TEST_CASE(no_mad_has_more_layers_than_there_is_room_for) {
  std::size_t most = 0;
  for (unsigned management_class = 0; management_class < 256; ++management_class) {
    for (unsigned attribute = 0; attribute < 0x100; ++attribute) {
      for (const std::uint64_t service_id : {0U, 0x01060001U}) {
        auto mad = made(management_class, attribute);
        store_be<8>(mad.data() + 32, service_id);
        most = std::max(most, mad_layers(mad).size());
      }
    }
  }
  BOOST_TEST(most == 6U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(values_of_tshark)

// tshark_values.tsv holds what tshark 4.0.17 shows for MADs of this pattern.
BOOST_AUTO_TEST_CASE(every_field_has_the_text_that_tshark_shows) {
  std::ifstream rows("codec/mad/tshark_values.tsv");
  BOOST_REQUIRE(rows.is_open());
  std::set<std::string> keys;
  std::string row;
  while (std::getline(rows, row)) {
    const std::size_t a = row.find('\t');
    const std::size_t b = row.find('\t', a + 1);
    const std::size_t c = row.find('\t', b + 1);
    BOOST_REQUIRE(c != std::string::npos);
    const std::string key = row.substr(b + 1, c - b - 1);
    const std::vector<std::uint8_t> mad =
        made(static_cast<unsigned>(std::stoul(row.substr(0, a), nullptr, 16)),
             static_cast<unsigned>(std::stoul(row.substr(a + 1, b - a - 1), nullptr, 16)));
    std::string shown;
    for (const MadLayer& layer : mad_layers(mad)) {
      const Bytes header = Bytes(mad).subspan(layer.offset, layer.header->size);
      for (const FieldInfo& field : layer.header->fields) {
        if (field.key != key || !is_present(field, header)) continue;
        std::array<char, 512> text;
        BOOST_REQUIRE(max_text(field) <= text.size());
        shown += std::string(text.data(), format_value(field, header, text));
      }
    }
    BOOST_TEST(shown == row.substr(c + 1), row);
    keys.insert(key);
  }
  BOOST_TEST(keys.size() == 331U);
}

BOOST_AUTO_TEST_SUITE_END()
