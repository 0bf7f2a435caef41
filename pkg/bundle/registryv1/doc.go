// Package registryv1 renders registry+v1 bundles, the format of operator catalogs, into the objects to apply. Load reads and validates a
// bundle in a file tree, ParseConfig decodes the user's configuration, and Render returns the objects for one install namespace as OLM v0
// would create them, including webhooks, their certificates, watched namespaces and the configuration. The result is a function of the
// inputs, byte for byte. The package does not depend on catalogs, images or clusters, and creates nothing, not even the install namespace.
// pkg/bundle/formats lists it.
package registryv1
