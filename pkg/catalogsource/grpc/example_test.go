package grpc_test

import (
	"context"
	"fmt"

	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/test/localcatalog"
)

func ExampleClient_Read() {
	ctx := context.Background()
	server, err := localcatalog.Start(ctx, localcatalog.Options{Catalogs: []string{testdata + "/first"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	packages, _, err := grpc.Client{}.Read(ctx, server.GRPCAddress(), func(pkg string) bool { return pkg == "example" }, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range packages {
		fmt.Println(p.Name, p.DefaultChannel, len(p.Bundles))
	}
	// Output: example stable 2
}
