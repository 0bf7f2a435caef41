package resolve

// Deprecation holds the catalogs' deprecation messages for a bundle.
type Deprecation struct {
	// Known reports whether a readable catalog has the package. If it is false, all messages are empty.
	Known bool
	// Package, Channel and Bundle are the deprecation messages; each is empty if that package, channel or bundle is not deprecated.
	Package, Channel, Bundle string
	// PackageName, ChannelName and BundleName are the names of the package, channel and bundle.
	PackageName, ChannelName, BundleName string
}

// DeprecationOf returns the deprecation messages for a bundle that is installed from a channel. They come from the selected catalog with
// the highest priority that has the bundle. If no catalog has the bundle, they come from the one with the highest priority that has the
// package. If bundle and channel are empty, it returns only the package's deprecation.
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
