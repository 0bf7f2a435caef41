// Package perturb plays a story again and again with one perturbation at a time, and compares each run with the run without a perturbation.
// It finds operators that depend on the order or on the completeness of what they see, and on the time at which they end.
//
// Record plays the story once. It keeps a copy of the cluster at each write of the operator, and lists the events that the operator's watches
// deliver. Recording.Perturbations derives perturbations from this trace, and Recording.Run plays a part of the story with one of them. A run
// starts from a copy, so that it does not repeat what came before.
//
// The patterns are those of Sieve (Sun et al., OSDI 2022): intermediate, unobserved and stale states. RestoredSnapshot adds a cluster that is
// restored from a backup.
package perturb
