// Package operator builds and runs the manager: it contains the manager's input, the list of its controllers, and the code that starts
// them.
//
// LiveInput fills the Input from a kubeconfig, and HTTPInput from an HTTP client. Build creates every controller from the Input and starts
// none. Then Run runs the Operator until its context ends. Alternatively, the caller starts the informers, syncs a controller once for one
// key, and waits for the background tasks of that sync.
//
// Below cmd, only this package reads flags and contains the list of controllers. It makes no decisions about operators.
package operator
