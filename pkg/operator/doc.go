// Package operator wires the manager: one input struct, one list of controllers, one start.
//
// LiveInput fills the input from a running cluster; Start builds every controller from it, starts the informers and runs the
// controllers until the context ends. This is the only room below cmd that reads flags, and the only one
// that knows which controllers there are; it decides nothing else.
package operator
