package http_test

import (
	"context"
	"fmt"

	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/test/localcatalog"
)

func ExampleClient_ReadPackages() {
	ctx := context.Background()
	server, err := localcatalog.Start(ctx, localcatalog.Options{Catalogs: []string{testdata + "/first"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := http.New(http.Options{CAFile: server.CAFile()})
	defer client.Close()

	since := ""
	for range 2 {
		reading, err := client.ReadPackages(ctx, server.HTTPSBaseURL(), []string{"example"}, since, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(len(reading.Packages), reading.NotModified)
		since = reading.LastModified
	}
	// Output:
	// 1 false
	// 0 true
}
