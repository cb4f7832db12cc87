// Each quirk of the MPA connection, by a program that shows it: what is seen without it, and what with it.
#include <fstream>
#include <set>

#include "protocol/iwarp/mpa_script_test.h"
#include "protocol/vectors/label.h"

namespace rdmawire::iwarp::test {
namespace {

struct Shown {
  Quirk quirk;
  const char* program;
  const char* right;
  const char* quirky;
};

const Shown shown[] = {
    {Quirk::reject_markers, "respond; < req d002000400040004; accept; terms",
     "request rev=2 ird=4 ord=4 | > rep 5002000400100004 | established rev=2 ird=4 ord=4 | accepted crc markers-r "
     "enhanced i=4/4 r=16/4 | FULL_OPERATION",
     "> rep 7002000400000000 | ended: request_rejected, leave TCP to the ULP rev=2 ird=4 ord=4 | refused: not in this "
     "state | rejected crc markers-r enhanced i=4/0 r=0/0 | LEFT"},
    {Quirk::reject_markers, "initiate; < rep d00200048010c010",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | FIRST_FPDU_DUE",
     "> req 500200048010c010 | ended: wrong_form, close TCP rev=2 ird=16 ord=16 | CLOSED"},
    {Quirk::never_ask_for_crc, "initiate", "> req 500200048010c010 | REQUEST_SENT",
     "> req 100200048010c010 | REQUEST_SENT"},
    {Quirk::echo_crc, "respond; < req 100200048010c010; accept",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 100200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::reply_decides_crc, "initiate; < rep 100200048010c010; terms",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | accepted crc enhanced p2p write read i=16/16 r=16/16 "
     "| FIRST_FPDU_DUE",
     "> req 500200048010c010 | ended: wrong_form, close TCP rev=2 ird=16 ord=16 | rejected | CLOSED"},
    {Quirk::private_data_256, "respond; < req 40010101", "REQUEST_AWAITED", "ended: bad_length, close TCP | CLOSED"},
    {Quirk::private_data_len_is_octet, "initiate 00*253", "> req 500201018010c010 00*253  | REQUEST_SENT",
     "> req 500200018010c010 00*253  | REQUEST_SENT"},
    {Quirk::always_enhanced, "conf enhanced=0; initiate", "> req 40010000 | REQUEST_SENT",
     "> req 5002000400100010 | REQUEST_SENT"},
    {Quirk::depth_3fff_is_a_number, "respond; < req 50020004bfffffff; accept; terms",
     "request rev=2 | > rep 50020004bfffffff | established rev=2 | accepted crc enhanced p2p write read i=-/- r=-/- | "
     "FULL_OPERATION",
     "request rev=2 ird=16382 ord=16382 | > rep 500200048040c010 | established rev=2 ird=16382 ord=16382 | accepted "
     "crc enhanced p2p write read i=16382/64 r=64/16 | FULL_OPERATION"},
    {Quirk::flag_gso, "initiate", "> req 500200048010c010 | REQUEST_SENT", "> req 580200048010c010 | REQUEST_SENT"},
    {Quirk::flag_gso, "respond; < req 580200048010c010; accept",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 580200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::answer_one_rtr, "respond; < req 500200048010c010; accept; terms",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | accepted crc enhanced "
     "p2p write read i=16/16 r=16/16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 5002000480108010 | established rev=2 ird=16 ord=16 | accepted crc enhanced "
     "p2p write i=16/16 r=16/16 | FULL_OPERATION"},
    {Quirk::take_early_fpdus, "initiate; < rep 500200048010c010 000e; first",
     "> req 500200048010c010 | took 24 | established rev=2 ird=16 ord=16 | ended: early_octets, close TCP rev=2 ird=16 "
     "ord=16 | CLOSED",
     "> req 500200048010c010 | took 24 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::terminate_bad_reply, "initiate; < 4d504121", "> req 500200048010c010 | ended: bad_key, close TCP | CLOSED",
     "> req 500200048010c010 | ended: bad_key, Terminate, then close TCP | TERMINATING"},
    {Quirk::take_revision_0, "respond; < req c0000000; accept",
     "ended: bad_revision, close TCP | refused: not in this state | CLOSED",
     "request | > rep 40000000 | established | FULL_OPERATION"},
    {Quirk::offer_one_rtr, "initiate", "> req 500200048010c010 | REQUEST_SENT",
     "> req 5002000480104010 | REQUEST_SENT"},
    {Quirk::demand_first_rtr, "initiate; < rep 5002000480108010",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | FIRST_FPDU_DUE",
     "> req 500200048010c010 | ended: no_matching_rtr, Terminate, then close TCP rev=2 ird=16 ord=16 | TERMINATING"},
    {Quirk::rtr_in_revision_1, "conf enhanced=0; initiate; < rep 40010000; terms",
     "> req 40010000 | established rev=1 | accepted crc | FIRST_FPDU_DUE",
     "> req 40010000 | established rev=1 | accepted crc p2p read | FIRST_FPDU_DUE"},
    {Quirk::private_data_256_is_lost, "respond; < req 40010100 00*256; data",
     "request rev=1 | data  00*256  | REQUEST_RECEIVED", "request rev=1 | data  | REQUEST_RECEIVED"},
    {Quirk::always_crc, "conf crc=0; initiate; < rep 100200048010c010; terms",
     "> req 100200048010c010 | established rev=2 ird=16 ord=16 | accepted enhanced p2p write read i=16/16 r=16/16 | "
     "FIRST_FPDU_DUE",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | accepted crc enhanced p2p write read i=16/16 r=16/16 "
     "| FIRST_FPDU_DUE"},
    {Quirk::ignore_enhanced_bit, "respond; < req 4002000480108010; data; accept",
     "request rev=2 | data 80108010 | > rep 40020000 | established rev=2 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | data  | > rep 5002000480108010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::demand_peer_to_peer, "respond; < req 5002000400100010; accept",
     "request rev=2 ird=16 ord=16 | > rep 5002000400100010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "ended: wrong_form, close TCP rev=2 ird=16 ord=16 | refused: not in this state | CLOSED"},
    {Quirk::always_peer_to_peer, "conf p2p=0; initiate", "> req 5002000400100010 | REQUEST_SENT",
     "> req 500200048010c010 | REQUEST_SENT"},
    {Quirk::answer_read_rtr, "respond; < req 500200048010c010; accept",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 5002000480104010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::depths_3fff_together, "respond; < req 50020004bfffc004; accept",
     "request rev=2 ord=4 | > rep 500200048010ffff | established rev=2 ord=4 | FULL_OPERATION",
     "request rev=2 | > rep 50020004bfffffff | established rev=2 | FULL_OPERATION"},
    {Quirk::insufficient_ird_closes, "initiate; < rep 500200048010c041",
     "> req 500200048010c010 | ended: insufficient_ird, Terminate, then close TCP rev=2 ird=16 ord=65 | TERMINATING",
     "> req 500200048010c010 | ended: insufficient_ird, close TCP rev=2 ird=16 ord=65 | CLOSED"},
    {Quirk::private_data_over_read, "respond; < req 500200068010c0106162; data",
     "request rev=2 ird=16 ord=16 | data 6162 | REQUEST_RECEIVED",
     "request rev=2 ird=16 ord=16 | data 616200000000 | REQUEST_RECEIVED"},
    {Quirk::frame_in_one_piece, "respond; < req 5002; < 00048010c010", "request rev=2 ird=16 ord=16 | REQUEST_RECEIVED",
     "ended: bad_length, close TCP | took 0 | CLOSED"},
    {Quirk::revision_1_only, "initiate", "> req 500200048010c010 | REQUEST_SENT", "> req 40010000 | REQUEST_SENT"},
    {Quirk::revision_1_only, "respond; < req 500200048010c010", "request rev=2 ird=16 ord=16 | REQUEST_RECEIVED",
     "ended: not_enhanced, close TCP rev=2 ird=16 ord=16 | CLOSED"},
    {Quirk::ignore_key, "respond; < 4d50412049442052657120467261006540010000", "ended: bad_key, close TCP | CLOSED",
     "request rev=1 | REQUEST_RECEIVED"},
    {Quirk::check_half_of_key, "respond; < 4d50412049442052657120467261006540010000",
     "ended: bad_key, close TCP | CLOSED", "request rev=1 | REQUEST_RECEIVED"},
    {Quirk::take_request_for_reply, "initiate; < req 500200048010c010",
     "> req 500200048010c010 | took 20 | ended: two_initiators, close TCP | CLOSED",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | FIRST_FPDU_DUE"},
    {Quirk::take_reply_for_request, "respond; < rep 500200048010c010",
     "took 20 | ended: reply_to_responder, close TCP | CLOSED", "request rev=2 ird=16 ord=16 | REQUEST_RECEIVED"},
    {Quirk::take_any_revision, "respond; < req 500300048010c010; accept",
     "took 20 | ended: bad_revision, close TCP | refused: not in this state | CLOSED",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::close_on_lower_revision, "respond; < req 40010000; accept",
     "request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION",
     "ended: bad_revision, close TCP rev=1 | refused: not in this state | CLOSED"},
    {Quirk::take_any_length, "respond; < req 40010201", "ended: bad_length, close TCP | CLOSED", "REQUEST_AWAITED"},
    {Quirk::take_short_enhanced, "respond; < req 50020003 616263; data",
     "took 20 | ended: bad_length, close TCP | data  | CLOSED", "request rev=2 | data 616263 | REQUEST_RECEIVED"},
    {Quirk::check_reserved, "respond; < req 5f0200048010c010; accept",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "ended: wrong_form, close TCP rev=2 ird=16 ord=16 | refused: not in this state | CLOSED"},
    {Quirk::check_request_rejected, "respond; < req 700200048010c010; accept",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "ended: wrong_form, close TCP rev=2 ird=16 ord=16 | refused: not in this state | CLOSED"},
    {Quirk::send_reserved, "initiate", "> req 500200048010c010 | REQUEST_SENT",
     "> req 510200048010c010 | REQUEST_SENT"},
    {Quirk::enhanced_in_revision_1, "respond; < req 500100048010c010; data",
     "request rev=1 | data 8010c010 | REQUEST_RECEIVED", "request rev=2 ird=16 ord=16 | data  | REQUEST_RECEIVED"},
    {Quirk::ignore_rejection, "initiate; < rep 700200048010c010",
     "> req 500200048010c010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=16 ord=16 | LEFT",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | FIRST_FPDU_DUE"},
    {Quirk::close_after_rejecting, "respond; < req 40010000; reject 6e6f",
     "request rev=1 | > rep 600100026e6f | ended: request_rejected, leave TCP to the ULP rev=1 | LEFT",
     "request rev=1 | > rep 600100026e6f | ended: request_rejected, close TCP rev=1 | CLOSED"},
    {Quirk::close_when_rejected, "initiate; < rep 700200048010c010",
     "> req 500200048010c010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=16 ord=16 | LEFT",
     "> req 500200048010c010 | ended: rejected_by_peer, close TCP rev=2 ird=16 ord=16 | CLOSED"},
    {Quirk::answer_before_private_data, "respond; < req 40010002; accept; < 6162; data",
     "refused: not in this state | request rev=1 | data 6162 | REQUEST_RECEIVED",
     "request rev=1 | > rep 40010000 | established rev=1 | took 0 | data  | FULL_OPERATION"},
    {Quirk::reject_malformed, "respond; < req 40010201", "ended: bad_length, close TCP | CLOSED",
     "> rep 60010000 | ended: request_rejected, leave TCP to the ULP | LEFT"},
    {Quirk::never_time_out, "initiate; wait 10", "> req 500200048010c010 | ended: timed_out, close TCP | CLOSED",
     "> req 500200048010c010 | REQUEST_SENT"},
    {Quirk::responder_never_times_out, "respond; wait 10", "ended: timed_out, close TCP | CLOSED", "REQUEST_AWAITED"},
    {Quirk::timeout_of_a_piece, "respond; < 4d; wait 9; < 50; wait 1", "ended: timed_out, close TCP | CLOSED",
     "REQUEST_AWAITED"},
    {Quirk::take_early_request_octets, "respond; < req 40010000 00; accept",
     "took 20 | request rev=1 | ended: early_octets, close TCP rev=1 | refused: not in this state | CLOSED",
     "took 20 | request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION"},
    {Quirk::take_cut_frame, "respond; < req 40010008 6162636465; fin; data",
     "ended: cut_frame, close TCP | data  | CLOSED", "request rev=1 | data 6162636465 | REQUEST_RECEIVED"},
    {Quirk::ignore_peer_close, "respond; fin", "ended: peer_closed, close TCP | CLOSED", "REQUEST_AWAITED"},
    {Quirk::markers_by_own_flag, "conf markers=1; initiate; < rep 500200048010c010; terms",
     "> req d00200048010c010 | established rev=2 ird=16 ord=16 | accepted crc markers-r enhanced p2p write read "
     "i=16/16 r=16/16 | FIRST_FPDU_DUE",
     "> req d00200048010c010 | established rev=2 ird=16 ord=16 | accepted crc markers-i enhanced p2p write read "
     "i=16/16 r=16/16 | FIRST_FPDU_DUE"},
    {Quirk::crc_if_both_ask, "initiate; < rep 100200048010c010; terms",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | accepted crc enhanced p2p write read i=16/16 r=16/16 "
     "| FIRST_FPDU_DUE",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | accepted enhanced p2p write read i=16/16 r=16/16 | "
     "FIRST_FPDU_DUE"},
    {Quirk::echo_markers, "respond; < req d00200048010c010; accept; terms",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | accepted crc markers-r "
     "enhanced p2p write read i=16/16 r=16/16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep d00200048010c010 | established rev=2 ird=16 ord=16 | accepted crc markers-i "
     "markers-r enhanced p2p write read i=16/16 r=16/16 | FULL_OPERATION"},
    {Quirk::reply_highest_revision, "respond; < req 40010000; accept",
     "request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION",
     "request rev=1 | > rep 40020000 | established rev=1 | FULL_OPERATION"},
    {Quirk::answer_enhanced_plainly, "respond; < req 500200048010c010; accept 6162",
     "request rev=2 ird=16 ord=16 | > rep 500200068010c0106162 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 400200026162 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::answer_plain_enhanced, "respond; < req 40020000; accept",
     "request rev=2 | > rep 40020000 | established rev=2 | FULL_OPERATION",
     "request rev=2 | > rep 5002000400100010 | established rev=2 | FULL_OPERATION"},
    {Quirk::take_plain_reply, "initiate; < rep 40010000; terms",
     "> req 500200048010c010 | ended: wrong_form, close TCP rev=1 | rejected | CLOSED",
     "> req 500200048010c010 | established rev=1 | accepted crc | FIRST_FPDU_DUE"},
    {Quirk::reject_plainly, "respond; < req 500200048010c010; reject 6e6f",
     "request rev=2 ird=16 ord=16 | > rep 700200068010c0106e6f | ended: request_rejected, leave TCP to the ULP rev=2 "
     "ird=16 ord=16 | LEFT",
     "request rev=2 ird=16 ord=16 | > rep 600200026e6f | ended: request_rejected, leave TCP to the ULP rev=2 ird=16 "
     "ord=16 | LEFT"},
    {Quirk::reply_with_request_key, "respond; < req 40010000; accept",
     "request rev=1 | > rep 40010000 | established rev=1 | FULL_OPERATION",
     "request rev=1 | > req 40010000 | established rev=1 | FULL_OPERATION"},
    {Quirk::pad_private_data, "initiate 61", "> req 500200058010c01061 | REQUEST_SENT",
     "> req 500200058010c01061000000 | REQUEST_SENT"},
    {Quirk::private_data_before_block, "initiate 6162", "> req 500200068010c0106162 | REQUEST_SENT",
     "> req 5002000661628010c010 | REQUEST_SENT"},
    {Quirk::length_without_block, "initiate 6162", "> req 500200068010c0106162 | REQUEST_SENT",
     "> req 500200028010c0106162 | REQUEST_SENT"},
    {Quirk::swap_depths, "conf ird=1 ord=2; initiate", "> req 500200048001c002 | REQUEST_SENT",
     "> req 500200048002c001 | REQUEST_SENT"},
    {Quirk::ord_above_peer_ird, "respond; < req 500200048002c010; accept",
     "request rev=2 ird=2 ord=16 | > rep 500200048010c002 | established rev=2 ird=2 ord=16 | FULL_OPERATION",
     "request rev=2 ird=2 ord=16 | > rep 500200048010c010 | established rev=2 ird=2 ord=16 | FULL_OPERATION"},
    {Quirk::ird_not_raised, "conf ird=0 max_ird=8; respond; < req 500200048002c000; accept",
     "request rev=2 ird=2 ord=0 | > rep 500200048001c002 | established rev=2 ird=2 ord=0 | FULL_OPERATION",
     "request rev=2 ird=2 ord=0 | > rep 500200048000c002 | established rev=2 ird=2 ord=0 | FULL_OPERATION"},
    {Quirk::ird_unbounded, "respond; < req 500200048010fffe; accept",
     "request rev=2 ird=16 ord=16382 | > rep 500200048040c010 | established rev=2 ird=16 ord=16382 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16382 | > rep 50020004bffec010 | established rev=2 ird=16 ord=16382 | FULL_OPERATION"},
    {Quirk::answer_ird_to_3fff, "respond; < req 500200048010ffff; accept",
     "request rev=2 ird=16 | > rep 50020004bfffc010 | established rev=2 ird=16 | FULL_OPERATION",
     "request rev=2 ird=16 | > rep 500200048010c010 | established rev=2 ird=16 | FULL_OPERATION"},
    {Quirk::answer_ord_to_3fff, "respond; < req 50020004bfffc010; accept",
     "request rev=2 ord=16 | > rep 500200048010ffff | established rev=2 ord=16 | FULL_OPERATION",
     "request rev=2 ord=16 | > rep 500200048010c010 | established rev=2 ord=16 | FULL_OPERATION"},
    {Quirk::keep_ord, "initiate; < rep 500200048002c010; terms",
     "> req 500200048010c010 | established rev=2 ird=2 ord=16 | accepted crc enhanced p2p write read i=16/2 r=2/16 | "
     "FIRST_FPDU_DUE",
     "> req 500200048010c010 | established rev=2 ird=2 ord=16 | accepted crc enhanced p2p write read i=16/16 r=2/16 | "
     "FIRST_FPDU_DUE"},
    {Quirk::keep_ird, "initiate; < rep 500200048010c020; terms",
     "> req 500200048010c010 | established rev=2 ird=16 ord=32 | accepted crc enhanced p2p write read i=32/16 r=16/32 "
     "| FIRST_FPDU_DUE",
     "> req 500200048010c010 | established rev=2 ird=16 ord=32 | accepted crc enhanced p2p write read i=16/16 r=16/32 "
     "| FIRST_FPDU_DUE"},
    {Quirk::take_3fff_for_ord, "initiate; < rep 500200048010ffff; terms",
     "> req 500200048010c010 | established rev=2 ird=16 | accepted crc enhanced p2p write read i=-/16 r=16/- | "
     "FIRST_FPDU_DUE",
     "> req 500200048010c010 | ended: insufficient_ird, Terminate, then close TCP rev=2 ird=16 ord=16382 | accepted "
     "crc enhanced p2p write read i=16382/16 r=16/16382 | TERMINATING"},
    {Quirk::take_insufficient_ird, "initiate; < rep 500200048010c041; terms",
     "> req 500200048010c010 | ended: insufficient_ird, Terminate, then close TCP rev=2 ird=16 ord=65 | accepted crc "
     "enhanced p2p write read i=65/16 r=16/65 | TERMINATING",
     "> req 500200048010c010 | established rev=2 ird=16 ord=65 | accepted crc enhanced p2p write read i=65/16 r=16/65 "
     "| FIRST_FPDU_DUE"},
    {Quirk::needed_ord_lowered, "respond; < req 500200048001c010; reject ord=8",
     "request rev=2 ird=1 ord=16 | > rep 700200048010c008 | ended: request_rejected, leave TCP to the ULP rev=2 ird=1 "
     "ord=16 | LEFT",
     "request rev=2 ird=1 ord=16 | > rep 700200048010c001 | ended: request_rejected, leave TCP to the ULP rev=2 ird=1 "
     "ord=16 | LEFT"},
    {Quirk::never_peer_to_peer, "respond; < req 500200048010c010; accept",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 5002000400100010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::force_peer_to_peer, "respond; < req 5002000400100010; accept",
     "request rev=2 ird=16 ord=16 | > rep 5002000400100010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::name_rtr_without_a, "conf p2p=0; initiate", "> req 5002000400100010 | REQUEST_SENT",
     "> req 500200040010c010 | REQUEST_SENT"},
    {Quirk::heed_rtr_without_a, "respond; < req 500200040010c010; accept",
     "request rev=2 ird=16 ord=16 | > rep 5002000400100010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::no_rtr_if_none_matches, "respond; < req 50020004c0100010; accept",
     "request rev=2 ird=16 ord=16 | > rep 500200048010c010 | established rev=2 ird=16 ord=16 | FULL_OPERATION",
     "request rev=2 ird=16 ord=16 | > rep 5002000480100010 | established rev=2 ird=16 ord=16 | FULL_OPERATION"},
    {Quirk::take_unmatched_rtr, "initiate; < rep 50020004c0100010; terms",
     "> req 500200048010c010 | ended: no_matching_rtr, Terminate, then close TCP rev=2 ird=16 ord=16 | accepted crc "
     "enhanced p2p i=16/16 r=16/16 | TERMINATING",
     "> req 500200048010c010 | established rev=2 ird=16 ord=16 | accepted crc enhanced p2p i=16/16 r=16/16 | "
     "FIRST_FPDU_DUE"},
    {Quirk::unmatched_rtr_closes, "initiate; < rep 50020004c0100010",
     "> req 500200048010c010 | ended: no_matching_rtr, Terminate, then close TCP rev=2 ird=16 ord=16 | TERMINATING",
     "> req 500200048010c010 | ended: no_matching_rtr, close TCP rev=2 ird=16 ord=16 | CLOSED"},
    {Quirk::hide_private_data, "initiate; < rep 700200068010c0106e6f; data",
     "> req 500200048010c010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=16 ord=16 | data 6e6f | LEFT",
     "> req 500200048010c010 | ended: rejected_by_peer, leave TCP to the ULP rev=2 ird=16 ord=16 | data  | LEFT"},
    {Quirk::cut_private_data, "conf max_pd=2; respond; < req 40010003616263; data",
     "took 20 | ended: too_much_private_data, close TCP | data  | CLOSED",
     "request rev=1 | data 6162 | REQUEST_RECEIVED"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(mpa_quirk_rows)

BOOST_AUTO_TEST_CASE(each_does_what_it_says) {
  for (const Shown& row : shown) {
    MpaConfig config;
    config.quirks.add(row.quirk);
    const vectors::Label label(info(row.quirk).name, info(row.quirk).requirement);
    BOOST_TEST_CONTEXT(info(row.quirk).name << ": " << row.program) {
      BOOST_TEST(run(row.program) == row.right);
      BOOST_TEST(run(row.program, config) == row.quirky);
      BOOST_TEST(std::string(row.right) != row.quirky);
    }
  }
}

BOOST_AUTO_TEST_CASE(none_is_left_out) {
  std::set<Quirk> seen;
  for (const Shown& row : shown) seen.insert(row.quirk);
  std::size_t num_invented = 0;
  for (const QuirkInfo& row : quirk_table) {
    if (row.machine != QuirkOf::mpa) continue;
    BOOST_CHECK_MESSAGE(seen.contains(row.quirk), "nothing shows the quirk " << row.name);
    if (row.origin == "invented") ++num_invented;
  }
  BOOST_TEST(num_invented >= 25U);
}

BOOST_AUTO_TEST_CASE(requirements_are_in_the_register) {
  std::set<std::string> ids;
  std::ifstream file("conformance/requirements/iwarp.tsv");
  for (std::string line; std::getline(file, line);) ids.insert(line.substr(0, line.find('\t')));
  BOOST_REQUIRE(ids.contains("MPA-5044-7.1.1-01"));
  for (const QuirkInfo& row : quirk_table) {
    if (row.machine != QuirkOf::mpa) continue;
    BOOST_CHECK_MESSAGE(ids.contains(std::string(row.requirement)), row.name << ": " << row.requirement);
  }
  for (const MpaEndInfo& row : mpa_ends) BOOST_TEST(ids.contains(std::string(row.requirement)), row.requirement);
  for (const MpaTransition& row : mpa_transitions) {
    BOOST_TEST(ids.contains(std::string(row.requirement)), row.requirement);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::iwarp::test
