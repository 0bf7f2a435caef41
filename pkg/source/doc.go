// Package source runs what fetching costs beside the controllers' syncs (Jobs): a sync asks and leaves, and is woken up when
// there is an answer. What is slow or broken holds up nobody but those who want it.
//
// It does not know what is fetched or from where; the packages below it do, one for each kind of source. The bundle and the
// bundledeployment controllers call it.
package source
