// Command localcatalog serves directories of file-based catalogs, over the same protocols as a cluster does, until it is interrupted. See
// package localcatalog.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/test/localcatalog"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	if err := command(reload).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "localcatalog:", err)
		os.Exit(1)
	}
}

// command returns the localcatalog command. It serves until its context is done, and re-reads the directories when reload delivers a
// signal.
func command(reload <-chan os.Signal) *cobra.Command {
	var options localcatalog.Options
	c := &cobra.Command{
		Use:   "localcatalog --catalog DIRECTORY [--bundles DIRECTORY] [--package NAME]",
		Short: "Serve file-based catalogs and bundle directories in the same way as a cluster does",
		Long: `localcatalog serves a directory of file-based catalogs, with a folder for each package, in two ways:

  for a CatalogSource   operator-registry's gRPC API, without TLS
  for a ClusterCatalog  catalogd's HTTPS API, with a certificate authority for this run

It serves bundle directories (<package>/<version>/{manifests,metadata}) as OCI images from a plain HTTP registry. Every
image reference in the catalog is rewritten to that registry, which responds with 404 if there is no bundle directory.
localcatalog listens on loopback only and connects to no other host.

It prints its addresses when it is ready. SIGHUP reads the directories again and replaces the content on the same
addresses. If the new content is invalid, the old content stays. SIGINT or SIGTERM ends the program.`,
		Example: `  # one package of a real catalog, with its available bundles
  localcatalog --catalog catalogs/community-v4.20 --bundles bundles --package project-quay

  # the catalog over HTTPS
  curl --cacert $CA $HTTPS/api/v1/metas?package=project-quay`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), c.OutOrStdout(), options, reload)
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&options.Catalogs, "catalog", nil, "directory of file-based catalogs; may be given several times")
	flags.StringArrayVar(&options.Bundles, "bundles", nil, "directory of bundle directories; may be given several times, the first that has a bundle wins")
	flags.StringArrayVar(&options.Packages, "package", nil, "package to serve; may be given several times (default: all packages)")
	flags.StringVar(&options.ListenHost, "listen", "127.0.0.1", "loopback IP address to listen on")
	flags.IntVar(&options.GRPCPort, "grpc-port", 0, "port of the gRPC API; 0 selects a free port")
	flags.IntVar(&options.HTTPSPort, "https-port", 0, "port of the HTTPS API; 0 selects a free port")
	flags.IntVar(&options.RegistryPort, "registry-port", 0, "port of the registry; 0 selects a free port")
	flags.StringVar(&options.Dir, "dir", "", "directory for the CA file and the cache (default: a temporary directory)")
	if err := c.MarkFlagRequired("catalog"); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

func serve(ctx context.Context, out io.Writer, options localcatalog.Options, reload <-chan os.Signal) error {
	began := time.Now()
	server, err := localcatalog.Start(ctx, options)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintf(out, "GRPC=%s\nHTTPS=%s\nCA=%s\nREGISTRY=%s\nCONTENT=%s\n",
		server.GRPCAddress(), server.HTTPSBaseURL(), server.CAFile(), server.RegistryHost(), server.ContentDigest())
	fmt.Fprintf(out, "# serving after %s\n", time.Since(began).Round(time.Millisecond))
	for {
		select {
		case <-ctx.Done():
			return server.Close()
		case <-reload:
			if err := server.Update(ctx); err != nil {
				fmt.Fprintf(out, "# the new content is invalid, and the old content stays: %v\n", err)
				continue
			}
			fmt.Fprintf(out, "CONTENT=%s\n", server.ContentDigest())
		}
	}
}
