package resolve

// Deprecation is what catalogs say to users of a bundle.
type Deprecation struct {
	// Known is false where no catalog that can be read has the package: then there are no messages.
	Known bool
	// The messages, each empty where its object is not deprecated.
	Package, Channel, Bundle string
	// What the messages are about.
	PackageName, ChannelName, BundleName string
}

// DeprecationOf says what the selected catalogs, those of the highest priority first, tell of a bundle that is installed from a
// channel. Both may be empty: then only the package is looked at.
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
