//go:build manifests

// This file is never compiled. It keeps the modules whose manifests (not code) the cluster is furnished with in go.mod,
// so that their versions and checksums are pinned like everything else's; package furniture names the files.

package main

import (
	_ "github.com/openshift/api/config/v1/zz_generated.crd-manifests"
	_ "github.com/operator-framework/api/crds"
	_ "github.com/operator-framework/operator-controller/api/v1"
)
