package furniture_test

import (
	"fmt"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/furniture"
)

func ExampleMoveVersion() {
	clusterVersion := furniture.Object{"status": map[string]any{
		"desired": map[string]any{"version": "4.21.0"},
		"history": []any{map[string]any{"version": "4.21.0", "state": "Completed"}},
	}}
	changed, err := furniture.MoveVersion(clusterVersion, "4.22.0", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	fmt.Println(changed, err)
	for _, entry := range clusterVersion["status"].(map[string]any)["history"].([]any) {
		fmt.Println(entry.(map[string]any)["version"], entry.(map[string]any)["state"])
	}
	// Output:
	// true <nil>
	// 4.22.0 Completed
	// 4.21.0 Completed
}
