//go:build manifests

// This file is never compiled. It makes go.mod require the modules whose manifests the cluster uses, so that their versions and
// checksums are pinned. Package furniture names the files.

package main

import (
	_ "github.com/openshift/api/config/v1/zz_generated.crd-manifests"
	_ "github.com/operator-framework/api/crds"
	_ "github.com/operator-framework/operator-controller/api/v1"
)
