package resolve

// Deprecation is what catalogs tell those who run a bundle.
type Deprecation struct {
	// Known is false where no catalog that can be read has the package: then nothing is told.
	Known bool
	// The messages, each empty where its object is not deprecated.
	Package, Channel, Bundle string
	// What the messages are about.
	PackageName, ChannelName, BundleName string
}

// DeprecationOf says what the selected catalogs, those of the highest priority first, tell of a bundle that is installed from a
// channel. Both may be empty: then only the package is looked at.
func DeprecationOf(req Request, catalogs []Catalog, bundle, channel string) Deprecation {
	told := Deprecation{PackageName: req.Package, ChannelName: channel, BundleName: bundle}
	for _, holder := range look(req, catalogs).holders {
		known, has := holder.Package.Bundle(bundle)
		if told.Known && !has {
			continue
		}
		told.Known = true
		told.Package, told.Channel, told.Bundle = holder.Package.Deprecated, "", known.Deprecated
		if in, ok := holder.Package.Channel(channel); ok {
			told.Channel = in.Deprecated
		}
		if has {
			break
		}
	}
	return told
}
