#include "codec/mad/dispatch.h"

#include <tuple>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/headers.h"

namespace rdmawire::mad {
namespace {

// Where the class's data begins, in octets from the MAD's first.
constexpr std::uint16_t after_mad = header_size<Mad>;
constexpr std::uint16_t after_smp = after_mad + header_size<SmpLid>;
constexpr std::uint16_t after_rmpp = after_mad + header_size<Rmpp>;
constexpr std::uint16_t after_sa = after_rmpp + header_size<Sa>;
constexpr std::uint16_t after_vendor = after_rmpp + header_size<Vendor>;
constexpr std::uint16_t after_perf = after_mad + header_size<Perf>;
static_assert(header_size<SmpLid> == header_size<SmpDr>);

// Reads a header that the captured octets may not hold; there is then no layer that the answer matters to.
template <class T>
constexpr T decode_or_zero(Bytes mad, std::uint16_t offset) {
  return mad.size() < offset + header_size<T> ? T{} : decode<T>(mad.subspan(offset).template first<header_size<T>>());
}

bool rmpp_is_data(Bytes mad) {
  const Rmpp rmpp = decode_or_zero<Rmpp>(mad, after_mad);
  return rmpp.flags.active() && rmpp.type == RmppType::data;
}
bool rmpp_is_ack(Bytes mad) {
  const Rmpp rmpp = decode_or_zero<Rmpp>(mad, after_mad);
  return rmpp.flags.active() && rmpp.type == RmppType::ack;
}
bool rmpp_is_other(Bytes mad) { return !rmpp_is_data(mad) && !rmpp_is_ack(mad); }

// A record begins at the data's first octet only in the first segment.
bool rmpp_begins_attribute(Bytes mad) {
  const Rmpp rmpp = decode_or_zero<Rmpp>(mad, after_mad);
  return !rmpp.flags.active() || (rmpp.type == RmppType::data && rmpp.data1 == 1);
}

// REQ and SIDR_REQ have the service ID at the same place, the private data not.
bool is_ip_cm_service(Bytes mad) { return is_ip_cm(decode_or_zero<CmReq>(mad, after_mad).service_id); }
constexpr std::uint16_t req_ip_cm = after_mad + header_size<CmReq> - sizeof(CmReq::private_data);
constexpr std::uint16_t sidr_req_ip_cm = after_mad + header_size<CmSidrReq> - sizeof(CmSidrReq::private_data);

template <std::uint16_t Offset>
bool is_ip_cm_4(Bytes mad) {
  return is_ip_cm_service(mad) && decode_or_zero<IpCm4>(mad, Offset).ip_version == 4;
}
template <std::uint16_t Offset>
bool is_ip_cm_6(Bytes mad) {
  return is_ip_cm_service(mad) && decode_or_zero<IpCm4>(mad, Offset).ip_version != 4;
}

template <class T>
constexpr PlacedHeader place(std::uint16_t offset, bool (*present)(Bytes) = nullptr) {
  return {&header_info<T>, offset, present};
}

// An attribute that consists of these headers, one after the other.
template <class... Parts, class Id>
constexpr MadAttribute attribute(Id id, std::uint16_t offset) {
  MadAttribute out{static_cast<std::uint16_t>(id), {}};
  std::size_t n = 0;
  ((out.headers[n++] = place<Parts>(offset), offset = static_cast<std::uint16_t>(offset + header_size<Parts>)), ...);
  return out;
}

constexpr std::array smp_attributes{
    attribute<Notice>(SmpAttribute::notice, after_smp),
    attribute<NodeDescription>(SmpAttribute::node_description, after_smp),
    attribute<NodeInfo>(SmpAttribute::node_info, after_smp),
    attribute<SwitchInfo>(SmpAttribute::switch_info, after_smp),
    attribute<GuidInfo>(SmpAttribute::guid_info, after_smp),
    attribute<PortInfo>(SmpAttribute::port_info, after_smp),
    attribute<PKeyTable>(SmpAttribute::pkey_table, after_smp),
    attribute<SlToVl>(SmpAttribute::sl_to_vl, after_smp),
    attribute<VlArbitration>(SmpAttribute::vl_arbitration, after_smp),
    attribute<LinearForwarding>(SmpAttribute::linear_forwarding, after_smp),
    attribute<MulticastForwarding>(SmpAttribute::multicast_forwarding, after_smp),
    attribute<SmInfo>(SmpAttribute::sm_info, after_smp),
};

constexpr std::array sa_attributes{
    attribute<ClassPortInfo>(SaAttribute::class_port_info, after_sa),
    attribute<Notice, NoticeIssuer>(SaAttribute::notice, after_sa),
    attribute<InformInfo>(SaAttribute::inform_info, after_sa),
    attribute<NodeRecord, NodeInfo, NodeDescription>(SaAttribute::node_record, after_sa),
    attribute<PortInfoRecord, PortInfo>(SaAttribute::port_info_record, after_sa),
    attribute<SlToVlRecord, SlToVl>(SaAttribute::sl_to_vl_record, after_sa),
    attribute<SwitchInfoRecord, SwitchInfo>(SaAttribute::switch_info_record, after_sa),
    attribute<LinearForwardingRecord, LinearForwarding>(SaAttribute::linear_forwarding_record, after_sa),
    attribute<MulticastForwardingRecord, MulticastForwarding>(SaAttribute::multicast_forwarding_record, after_sa),
    attribute<SmInfoRecord, SmInfo>(SaAttribute::sm_info_record, after_sa),
    attribute<LinkRecord>(SaAttribute::link_record, after_sa),
    attribute<GuidInfoRecord, GuidInfo>(SaAttribute::guid_info_record, after_sa),
    attribute<ServiceRecord>(SaAttribute::service_record, after_sa),
    attribute<PKeyTableRecord, PKeyTable>(SaAttribute::pkey_table_record, after_sa),
    attribute<PathRecord>(SaAttribute::path_record, after_sa),
    attribute<VlArbitrationRecord, VlArbitration>(SaAttribute::vl_arbitration_record, after_sa),
    attribute<McMemberRecord>(SaAttribute::mc_member_record, after_sa),
    attribute<InformInfoRecord, InformInfo>(SaAttribute::inform_info_record, after_sa),
};

constexpr std::array perf_attributes{
    attribute<ClassPortInfo>(PerfAttribute::class_port_info, after_perf),
    attribute<PortSamplesControl>(PerfAttribute::port_samples_control, after_perf),
    attribute<PortCounters>(PerfAttribute::port_counters, after_perf),
    attribute<PortCountersExtended>(PerfAttribute::port_counters_extended, after_perf),
};

constexpr std::array cm_attributes{
    attribute<ClassPortInfo>(CmAttribute::class_port_info, after_mad),
    MadAttribute{static_cast<std::uint16_t>(CmAttribute::req),
                 {place<CmReq>(after_mad), place<IpCm4>(req_ip_cm, is_ip_cm_4<req_ip_cm>),
                  place<IpCm6>(req_ip_cm, is_ip_cm_6<req_ip_cm>),
                  place<IpCmReqData>(req_ip_cm + header_size<IpCm4>, is_ip_cm_service)}},
    attribute<CmMra>(CmAttribute::mra, after_mad),
    attribute<CmRej>(CmAttribute::rej, after_mad),
    attribute<CmRep>(CmAttribute::rep, after_mad),
    attribute<CmRtu>(CmAttribute::rtu, after_mad),
    attribute<CmDreq>(CmAttribute::dreq, after_mad),
    attribute<CmDrep>(CmAttribute::drep, after_mad),
    MadAttribute{static_cast<std::uint16_t>(CmAttribute::sidr_req),
                 {place<CmSidrReq>(after_mad), place<IpCm4>(sidr_req_ip_cm, is_ip_cm_4<sidr_req_ip_cm>),
                  place<IpCm6>(sidr_req_ip_cm, is_ip_cm_6<sidr_req_ip_cm>),
                  place<IpCmSidrReqData>(sidr_req_ip_cm + header_size<IpCm4>, is_ip_cm_service)}},
    attribute<CmSidrRep>(CmAttribute::sidr_rep, after_mad),
    attribute<CmLap>(CmAttribute::lap, after_mad),
    attribute<CmApr>(CmAttribute::apr, after_mad),
};

constexpr PlacedHeader rmpp_data = place<RmppData>(after_mad, rmpp_is_data);
constexpr PlacedHeader rmpp_ack = place<RmppAck>(after_mad, rmpp_is_ack);
constexpr PlacedHeader rmpp_other = place<Rmpp>(after_mad, rmpp_is_other);

constexpr std::uint8_t number(ManagementClass c) { return static_cast<std::uint8_t>(c); }

constexpr std::array classes{
    MadClass{number(ManagementClass::subnet_lid),
             number(ManagementClass::subnet_lid),
             {place<SmpLid>(after_mad)},
             smp_attributes,
             nullptr,
             place<SmpData>(after_smp),
             {}},
    MadClass{number(ManagementClass::subnet_directed),
             number(ManagementClass::subnet_directed),
             {place<SmpDrStatus>(4), place<SmpDr>(after_mad)},
             smp_attributes,
             nullptr,
             place<SmpData>(after_smp),
             place<SmpDrPaths>(128)},
    MadClass{number(ManagementClass::subnet_admin),
             number(ManagementClass::subnet_admin),
             {rmpp_data, rmpp_ack, rmpp_other, place<Sa>(after_rmpp)},
             sa_attributes,
             rmpp_begins_attribute,
             place<SaData>(after_sa),
             {}},
    MadClass{number(ManagementClass::performance),
             number(ManagementClass::performance),
             {place<Perf>(after_mad)},
             perf_attributes,
             nullptr,
             place<PerfData>(after_perf),
             {}},
    MadClass{number(ManagementClass::communication),
             number(ManagementClass::communication),
             {},
             cm_attributes,
             nullptr,
             place<MadData>(after_mad),
             {}},
    // Vendor classes with an OUI: 16.5.
    MadClass{0x30,
             0x4F,
             {rmpp_data, rmpp_ack, rmpp_other, place<Vendor>(after_rmpp)},
             {},
             nullptr,
             place<VendorData>(after_vendor),
             {}},
    MadClass{0x00, 0xFF, {}, {}, nullptr, place<MadData>(after_mad), {}},
};

constexpr auto header_infos = []<class... T>(std::type_identity<std::tuple<T...>>) {
  std::array<const HeaderInfo*, static_cast<std::size_t>(Layer::count_)> infos{};
  ((infos[static_cast<std::size_t>(header_info<T>.layer)] = &header_info<T>), ...);
  return infos;
}(std::type_identity<Headers>{});

// The layers that one look at the table gives.
class Walk {
 public:
  explicit Walk(Bytes mad) : mad_(mad) {}

  void add(const PlacedHeader& at) {
    if (at.header == nullptr || at.offset >= mad_.size()) return;
    if (at.present != nullptr && !at.present(mad_)) return;
    layers_.add({at.header->layer, at.header, at.offset});
  }
  const MadLayers& layers() const { return layers_; }

 private:
  Bytes mad_;
  MadLayers layers_;
};

}  // namespace

std::span<const MadClass> mad_classes() { return classes; }

const HeaderInfo* header_info_of(Layer layer) { return header_infos[static_cast<std::size_t>(layer)]; }

MadLayers mad_layers(Bytes mad) {
  Walk walk(mad);
  walk.add(place<Mad>(0));
  if (mad.size() < header_size<Mad>) return walk.layers();
  const Mad header = decode<Mad>(mad.first<header_size<Mad>>());
  if (header.base_version != 1) return walk.layers();

  const MadClass* row = classes.data();
  while (number(header.management_class) < row->first || number(header.management_class) > row->last) ++row;
  for (const PlacedHeader& at : row->before) walk.add(at);
  const MadAttribute* found = nullptr;
  if (row->begins_attribute == nullptr || row->begins_attribute(mad)) {
    for (const MadAttribute& candidate : row->attributes) {
      if (candidate.id == header.attribute_id) found = &candidate;
    }
  }
  if (found != nullptr) {
    for (const PlacedHeader& at : found->headers) walk.add(at);
  } else {
    walk.add(row->other);
  }
  walk.add(row->after);
  return walk.layers();
}

}  // namespace rdmawire::mad
