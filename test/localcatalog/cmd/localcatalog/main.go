// Command localcatalog serves a directory of file-based catalogs as a cluster has them until it is interrupted. See
// package localcatalog; this is its command line.
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
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	if err := command(again).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "localcatalog:", err)
		os.Exit(1)
	}
}

// command is the command line; it serves until its context is done and reads the directories again at every signal of again.
func command(again <-chan os.Signal) *cobra.Command {
	var options localcatalog.Options
	c := &cobra.Command{
		Use:   "localcatalog --catalog DIRECTORY [--bundles DIRECTORY] [--package NAME]",
		Short: "Serve file-based catalogs and bundle directories as a cluster has them",
		Long: `localcatalog serves a directory of file-based catalogs (a folder a package, with catalog.yaml or catalog.json in it)

  as a CatalogSource has it   operator-registry's gRPC server, in plaintext
  as a ClusterCatalog has it  catalogd's HTTPS API, below a certificate authority made for this run

and bundle directories (<package>/<version>/{manifests,metadata}) as OCI images in a plain http registry. Every image
reference in the catalog is rewritten to that registry; what no bundle directory was given for answers 404 there. It
listens on loopback only and never dials anything.

The addresses are printed once they answer. SIGHUP reads the directories again and replaces the content on the same
addresses; when the new content is not valid the old one stays. SIGINT or SIGTERM ends it.`,
		Example: `  # one package of a real catalog, with those of its bundles that are there
  localcatalog --catalog catalogs/community-v4.20 --bundles bundles --package project-quay

  # the catalog over HTTPS
  curl --cacert $CA $HTTPS/api/v1/metas?package=project-quay`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), c.OutOrStdout(), options, again)
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&options.Catalogs, "catalog", nil, "directory of file-based catalogs; may be given several times")
	flags.StringArrayVar(&options.Bundles, "bundles", nil, "directory of bundle directories; may be given several times, the first that has a bundle wins")
	flags.StringArrayVar(&options.Packages, "package", nil, "package to serve; may be given several times; all when not given")
	flags.StringVar(&options.ListenHost, "listen", "127.0.0.1", "loopback IP address to listen on")
	flags.IntVar(&options.GRPCPort, "grpc-port", 0, "port of the gRPC side; 0 takes a free one")
	flags.IntVar(&options.HTTPSPort, "https-port", 0, "port of the HTTPS side; 0 takes a free one")
	flags.IntVar(&options.RegistryPort, "registry-port", 0, "port of the registry; 0 takes a free one")
	flags.StringVar(&options.Dir, "dir", "", "directory for the CA file and the cache; a temporary one when not given")
	if err := c.MarkFlagRequired("catalog"); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

func serve(ctx context.Context, out io.Writer, options localcatalog.Options, again <-chan os.Signal) error {
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
		case <-again:
			if err := server.Update(ctx); err != nil {
				fmt.Fprintf(out, "# the old content stays: %v\n", err)
				continue
			}
			fmt.Fprintf(out, "CONTENT=%s\n", server.ContentDigest())
		}
	}
}
