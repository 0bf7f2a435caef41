// Package registryv1 turns registry+v1 bundles, the format of every operator catalog, into the objects to apply: Load reads and
// validates a bundle from a file tree, ParseConfig reads what a user says about its installation, and Render writes the objects
// for one install namespace as OLM v0 would have created them: webhooks and their certificates, the watched namespaces and the
// user's settings included. The result depends on its inputs alone, byte for byte. It does not know catalogs, images or a
// cluster, and creates nothing, the install namespace included. pkg/bundle/formats lists it.
package registryv1
