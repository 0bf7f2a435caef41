package resolve

// Deprecation has the deprecation messages of catalogs for a bundle.
type Deprecation struct {
	// Known is false if no readable catalog has the package. Then there are no messages.
	Known bool
	// The messages for the package, the channel and the bundle; empty if it is not deprecated.
	Package, Channel, Bundle string
	// The names of what the messages are about.
	PackageName, ChannelName, BundleName string
}

// DeprecationOf returns the deprecations of a bundle that is installed from a channel. It asks the selected catalogs, highest priority
// first. If bundle and channel are empty, it returns the package's deprecation only.
func DeprecationOf(req Request, catalogs []Catalog, bundle, channel string) Deprecation {
	deprecation := Deprecation{PackageName: req.Package, ChannelName: channel, BundleName: bundle}
	for _, offer := range selectCatalogs(req, catalogs).offering {
		known, has := offer.Package.Bundle(bundle)
		if deprecation.Known && !has {
			continue
		}
		deprecation.Known = true
		deprecation.Package, deprecation.Channel, deprecation.Bundle = offer.Package.Deprecated, "", known.Deprecated
		if in, ok := offer.Package.Channel(channel); ok {
			deprecation.Channel = in.Deprecated
		}
		if has {
			break
		}
	}
	return deprecation
}
