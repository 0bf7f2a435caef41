package bundle

// Limits of what is read from a bundle. They are far above any published bundle, and prevent a hostile one from exhausting the manager's
// memory. The most important one is maxIndicators: the parser allocates up to two hundred bytes per value before the document can be
// checked.
const (
	// MaxDocumentBytes bounds one YAML document. The largest object in published bundles takes 2 MiB of YAML; etcd
	// rejects objects above 1.5 MiB of JSON.
	MaxDocumentBytes = 4 << 20
	// MaxFileBytes bounds one file, which may hold several documents.
	MaxFileBytes = 32 << 20
	// MaxBytes bounds all files of one directory together.
	MaxBytes = 128 << 20
	// MaxFiles bounds the number of files in one directory.
	MaxFiles = 10_000
	// MaxObjects bounds the number of objects in one bundle.
	MaxObjects = 20_000

	// maxIndicators bounds the characters of one document that may begin or end a value, including those inside texts. The largest object
	// in published bundles has 60,000.
	maxIndicators = 300_000
	// maxValues and maxText bound what one document expands to, aliases included: its values, and the bytes of its keys and
	// scalars. They stop a YAML bomb; one that repeats a long text is small in memory and huge as JSON.
	maxValues = 300_000
	maxText   = 2 * MaxDocumentBytes
	// maxAllValues and maxAllText bound what all documents of a bundle expand to together: a bomb may consist of many documents that are
	// each below the bound. The largest published bundle has 73,000 values.
	maxAllValues = 2_000_000
	maxAllText   = MaxBytes + maxText
	// maxDepth bounds nesting. OpenAPI schemas in CRDs nest about sixty deep.
	maxDepth = 256
)
