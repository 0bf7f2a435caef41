package resolve

// Deprecation holds the catalogs' deprecation messages for a bundle.
type Deprecation struct {
	// Known is true if a readable catalog has the package. If it is false, there are no messages.
	Known bool
	// Package, Channel and Bundle are the deprecation messages; each is empty if its object is not deprecated.
	Package, Channel, Bundle string
	// PackageName, ChannelName and BundleName are the names of these objects.
	PackageName, ChannelName, BundleName string
}

// DeprecationOf returns the deprecations of a bundle that is installed from a channel. It uses the selected catalog of the highest priority
// that has the bundle; if none has it, the one of the highest priority that has the package. If bundle and channel are empty, it returns
// only the package's deprecation.
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
