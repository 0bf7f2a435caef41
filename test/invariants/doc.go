// Package invariants contains rules that hold in every story, whatever the story is about. docs/testing.md lists them with their sources.
//
// A Step checks each write by the manager against the objects before the write. A State checks the objects when the cluster is at rest, and
// one second after the last write. Only States cover writes by other clients.
//
// The rules read the stored objects. Of the manager's code, they import only the API types, because a rule that shared code with the
// manager would share the bugs in that code.
package invariants
