// Package perturb repeats the steps of a story with one perturbation at a time, such as a restart of the operator or a delayed watch event,
// and compares the resulting cluster with the cluster after an unperturbed run. It finds operators that depend on the order of events, on
// seeing every event, or on not being restarted between two writes.
//
// Record plays the story once. It keeps a snapshot of the cluster after each write of the operator, and the events that the operator's
// watches deliver. Recording.Perturbations derives perturbations from this trace, and Recording.Run plays one step of the story with one of
// them. A run starts from a snapshot, so it does not repeat the earlier steps.
//
// The patterns are those of Sieve (Sun et al., OSDI 2022): intermediate, unobserved and stale states. RestoredSnapshot adds restoring a
// backup.
package perturb
