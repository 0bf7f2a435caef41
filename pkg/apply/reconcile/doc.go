// Package reconcile makes one object what its owner declares: it creates, applies, adopts or repairs it, or leaves it alone and says why.
//
// An object is created by POST and changed by server-side apply. Live objects come from pkg/apply/livecache, and are compared with the
// declared ones by managedFields; while they agree, no request is sent. Objects of other owners are not touched unless the
// adoption policy permits it. Changes by others are repaired, reported or ignored by the drift policy. A field that another writer
// changes back each time is repaired less and less often.
package reconcile
