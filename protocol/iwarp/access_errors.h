// What a Terminate says of memory that the peer must not reach, by the kind of message: RFC 5040, 4.8 and 7.2; RFC
// 5041, 7.1; where they leave a choice, what most devices send.
#pragma once

#include "codec/iwarp/errors.h"
#include "protocol/verbs/memory.h"

namespace rdmawire::iwarp {

// The target of a tagged segment. DDP has no code for rights: a buffer that does not permit placement is no valid STag.
//= DDP-5041-7.1-09, DDP-5041-7.1-10, DDP-5041-7.1-11, DDP-5041-7.1-12, DDP-5041-8.2-01, DDP-5041-8.2-02
constexpr TerminateReason tagged_buffer_error(verbs::AccessVerdict verdict) {
  using enum TerminateReason;
  switch (verdict) {
    case verbs::AccessVerdict::other_pd:
    case verbs::AccessVerdict::other_qp:
      return ddp_tagged_stag_not_associated;
    case verbs::AccessVerdict::address_wraps:
      return ddp_tagged_offset_wrap;
    case verbs::AccessVerdict::out_of_bounds:
      return ddp_tagged_out_of_bounds;
    default:
      return ddp_tagged_invalid_stag;
  }
}

// The source of a Read, or the target of an atomic.
//= RDMAP-5040-7.2-08, RDMAP-5040-7.2-09, RDMAP-5040-7.2-10, RDMAP-5040-7.2-11, RDMAP-5040-7.2-12, RDMAP-5040-7.2-13
//= RDMAP-7306-8.2-05
constexpr TerminateReason remote_protection_error(verbs::AccessVerdict verdict) {
  using enum TerminateReason;
  switch (verdict) {
    case verbs::AccessVerdict::other_pd:
    case verbs::AccessVerdict::other_qp:
      return rdmap_stag_not_associated;
    case verbs::AccessVerdict::no_right:
      return rdmap_access_rights;
    case verbs::AccessVerdict::address_wraps:
      return rdmap_offset_wrap;
    case verbs::AccessVerdict::out_of_bounds:
      return rdmap_out_of_bounds;
    default:
      return rdmap_invalid_stag;
  }
}

// The STag of a Send with Invalidate.
//= RDMAP-5040-7.2-04, RDMAP-5040-7.2-05
constexpr TerminateReason invalidation_error(verbs::AccessVerdict verdict) {
  const bool elsewhere = verdict == verbs::AccessVerdict::other_pd || verdict == verbs::AccessVerdict::other_qp;
  return elsewhere ? TerminateReason::rdmap_protection_cannot_invalidate
                   : TerminateReason::rdmap_operation_cannot_invalidate;
}

}  // namespace rdmawire::iwarp
