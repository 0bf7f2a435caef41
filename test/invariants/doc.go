// Package invariants has rules that hold in every story, whatever the story is about. docs/testing.md lists them with their sources.
//
// Steps judge each write of the manager by the objects before it: a step that is never right. States judge the objects when the cluster is
// at rest, and one second after the last write. Writes of other clients are judged by the states only.
//
// The rules compute what they need from the stored objects. They use nothing of the manager but its API types, because a bug of the manager
// would otherwise be in its rule, too.
package invariants
