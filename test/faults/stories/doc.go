// Package stories holds the engine to its promises while everything fails: each write of a BundleDeployment's life is one at
// which the manager is killed, before and after; each answer of the API server is refused, lost, late or sent twice; specs
// are bad, or change while they are carried out. It has nothing but tests, which need a cluster: -stories=quick runs a few
// kill points and a refused write in a minute, -stories=long a sample of all within -budget, and -full all of them.
//
// How requests are made to fail, and how it is told that nothing was left behind, is in test/faults.
package stories
