package bundle

// Bounds on what is read from a bundle. They are far above anything published and keep a hostile bundle from taking the
// manager's memory: the parser needs up to about sixty bytes for each byte of a document made of nothing but brackets, so the
// bound on one document is the one that counts.
const (
	// MaxDocumentBytes bounds one YAML document. The largest object seen in published bundles takes 2 MiB of YAML; etcd
	// refuses objects above 1.5 MiB of JSON.
	MaxDocumentBytes = 4 << 20
	// MaxFileBytes bounds one file, which may hold several documents.
	MaxFileBytes = 32 << 20
	// MaxBytes bounds all files of one directory together.
	MaxBytes = 128 << 20
	// MaxFiles bounds the number of files in one directory.
	MaxFiles = 10_000
	// MaxObjects bounds the number of objects in one bundle.
	MaxObjects = 20_000

	// maxValues bounds the values one document expands to, aliases included: it is what stops a YAML bomb.
	maxValues = 300_000
	// maxDepth bounds nesting. OpenAPI schemas in CRDs nest about sixty deep.
	maxDepth = 256
)
