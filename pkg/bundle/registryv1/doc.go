// Package registryv1 turns registry+v1 bundles, the format of every operator catalog, into the objects to apply: Load reads and
// validates a bundle from a file tree, Render writes its objects for one install namespace, watching all namespaces, as OLM v0
// would have created them. The result depends on the content alone, byte for byte. It does not know catalogs, images or a
// cluster, and creates nothing, the install namespace included. The bundle engine calls it, and so do offline tools.
package registryv1
