// Package invariants contains rules that hold in every story, whatever the story tests. docs/testing.md lists the rules with their sources.
//
// A WriteRule checks each write by the manager against the objects before the write. A StateRule checks the objects when the cluster is at
// rest, and one second after the last write. A StateRule also detects the effects of other clients' writes; a WriteRule does not.
//
// The rules read the stored objects. They import only the API types of the manager, because a rule that shared code with the manager would
// share the bugs in that code.
package invariants
