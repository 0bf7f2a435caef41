// Package stories tests that the manager keeps its promises about BundleDeployments while requests fail. It kills the manager
// before and after each write of an install, upgrade, repair, rollback and removal. It refuses, loses, delays or repeats
// responses of the API server and the registry. It sets invalid specs, and changes specs during a rollout.
//
// The package has tests only, and they need a cluster. -stories=quick runs a few kill points and a refused write in a minute.
// -stories=sample runs a few cases of each kind, chosen by a seed. -stories=long runs all cases, and kill points for as long as
// -budget; -full runs all kill points.
//
// Package test/faults injects the faults and checks the objects.
package stories
