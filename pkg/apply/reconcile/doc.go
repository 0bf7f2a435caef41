// Package reconcile brings one object to the state that its owner declares. It creates, applies, adopts or repairs the object, or returns
// why it does not.
//
// An object is created by POST and changed by server-side apply. Live objects come from pkg/apply/livecache, and are compared with the
// declared ones by managedFields. While they are equal, no request is sent. Objects of other owners are not changed unless the adoption
// policy permits it. Changes by other clients are repaired, reported or ignored, as the drift policy requires. If another writer reverts
// every repair of a field, the field is repaired less and less often.
package reconcile
