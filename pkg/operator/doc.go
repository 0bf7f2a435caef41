// Package operator wires the manager: one input struct, one list of controllers, one starter.
//
// LiveInput fills the Input from a kubeconfig, HTTPInput from an HTTP client, which may answer from anything. Build makes every controller
// from the Input, and runs none. An Operator then either runs until its context ends (Run), or is driven by its caller: start the informers,
// sync a controller once for one key, wait for what that started in the background. This is the only package below cmd that reads flags,
// and the only one that knows which controllers there are; it decides nothing else.
package operator
