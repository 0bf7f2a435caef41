package bundle

// Limits on what is read from a bundle. They are far above the sizes of any published bundle, and prevent a hostile bundle from exhausting
// the manager's memory. The most important limit is maxIndicators, because the parser allocates up to two hundred bytes per value before
// the document can be checked.
const (
	// MaxDocumentBytes is the maximum size of one YAML document, in bytes. The largest object in published bundles takes 2 MiB of YAML;
	// etcd rejects objects above 1.5 MiB of JSON.
	MaxDocumentBytes = 4 << 20
	// MaxFileBytes is the maximum size of one file, in bytes. A file may hold several documents.
	MaxFileBytes = 32 << 20
	// MaxBytes is the maximum total size of all files of one directory, in bytes.
	MaxBytes = 128 << 20
	// MaxFiles is the maximum number of files in one directory.
	MaxFiles = 10_000
	// MaxObjects is the maximum number of objects in one bundle.
	MaxObjects = 20_000

	// maxIndicators is the maximum number of characters in one document that may begin or end a value, including those inside texts. The
	// largest object in published bundles has 60,000.
	maxIndicators = 300_000
	// maxValues is the maximum number of values of one document after its aliases are expanded. maxText is the maximum size of its keys and
	// scalars, in bytes. They stop YAML bombs. A bomb that repeats a long text is small in memory and huge as JSON.
	maxValues = 300_000
	maxText   = 2 * MaxDocumentBytes
	// maxAllValues and maxAllText are the same maximums for all documents of a bundle together. A bomb may consist of many documents that
	// are each below the limit. The largest published bundle has 73,000 values.
	maxAllValues = 2_000_000
	maxAllText   = MaxBytes + maxText
	// maxDepth is the maximum depth of nested values. OpenAPI schemas in CRDs nest about sixty deep.
	maxDepth = 256
)
