//go:build tools

// Package openshiftmanager names the program that its tests run.
package openshiftmanager

import _ "github.com/openshift/multi-operator-manager/cmd/multi-operator-manager"
