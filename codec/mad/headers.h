// All headers of management datagrams. dispatch.h finds one by its layer.
#pragma once

#include <tuple>

#include "codec/mad/class_port_info.h"
#include "codec/mad/cm_apr.h"
#include "codec/mad/cm_drep.h"
#include "codec/mad/cm_dreq.h"
#include "codec/mad/cm_lap.h"
#include "codec/mad/cm_mra.h"
#include "codec/mad/cm_rej.h"
#include "codec/mad/cm_rep.h"
#include "codec/mad/cm_req.h"
#include "codec/mad/cm_rtu.h"
#include "codec/mad/cm_sidr_rep.h"
#include "codec/mad/cm_sidr_req.h"
#include "codec/mad/cm_types.h"
#include "codec/mad/forwarding_tables.h"
#include "codec/mad/guid_info.h"
#include "codec/mad/inform_info.h"
#include "codec/mad/ip_cm.h"
#include "codec/mad/mad.h"
#include "codec/mad/mad_data.h"
#include "codec/mad/mc_member_record.h"
#include "codec/mad/node_description.h"
#include "codec/mad/node_info.h"
#include "codec/mad/notice.h"
#include "codec/mad/path_record.h"
#include "codec/mad/perf.h"
#include "codec/mad/pkey_table.h"
#include "codec/mad/port_info.h"
#include "codec/mad/rate.h"
#include "codec/mad/rmpp.h"
#include "codec/mad/sa.h"
#include "codec/mad/sa_records.h"
#include "codec/mad/selector.h"
#include "codec/mad/service_id.h"
#include "codec/mad/service_record.h"
#include "codec/mad/sl_to_vl.h"
#include "codec/mad/sm_info.h"
#include "codec/mad/smp.h"
#include "codec/mad/switch_info.h"
#include "codec/mad/vendor.h"
#include "codec/mad/vl_arbitration.h"

namespace rdmawire::mad {

using Headers =
    std::tuple<ClassPortInfo, CmApr, CmDrep, CmDreq, CmLap, CmMra, CmRej, CmRep, CmReq, CmRtu, CmSidrRep, CmSidrReq,
               LinearForwarding, MulticastForwarding, GuidInfo, InformInfo, IpCm4, IpCm6, IpCmReqData, IpCmSidrReqData,
               Mad, MadData, SmpData, SaData, PerfData, VendorData, McMemberRecord, NodeDescription, NodeInfo, Notice,
               NoticeIssuer, PathRecord, Perf, PortSamplesControl, PortCounters, PortCountersExtended, PKeyTable,
               PortInfo, Rmpp, RmppData, RmppAck, Sa, NodeRecord, PortInfoRecord, SlToVlRecord, SwitchInfoRecord,
               LinearForwardingRecord, MulticastForwardingRecord, SmInfoRecord, LinkRecord, GuidInfoRecord,
               PKeyTableRecord, VlArbitrationRecord, InformInfoRecord, ServiceRecord, SlToVl, SmInfo, SmpLid,
               SmpDrStatus, SmpDr, SmpDrPaths, SwitchInfo, Vendor, VlArbitration>;

}  // namespace rdmawire::mad
