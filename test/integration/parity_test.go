package integration

import (
	"context"
	"flag"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/test/parity"
)

var updateParity = flag.Bool("update-parity", false, "record what the API server answers, in test/parity/recordings")

var _ = Describe("The API server", func() {
	sequences, err := parity.Sequences()
	It("gets the requests of the table [OM-9]", func() { Expect(err).NotTo(HaveOccurred()) })
	for _, sequence := range sequences {
		It("answers as recorded for servers in memory ("+sequence.Title+") [OM-9]", func(ctx context.Context) {
			got, err := parity.Send(ctx, sequence, func(user string) *rest.Config {
				config := rest.CopyConfig(env.Admin)
				config.Impersonate.UserName = user
				return config
			})
			Expect(err).NotTo(HaveOccurred())
			if *updateParity {
				Expect(parity.Record(filepath.Join(env.Root, "test", "parity", "recordings"), sequence.Name, got)).To(Succeed())
				return
			}
			recorded, err := parity.Recorded(sequence.Name)
			Expect(err).NotTo(HaveOccurred())
			mismatches, err := parity.Compare(sequence.Name, recorded, got)
			Expect(err).NotTo(HaveOccurred())
			Expect(mismatches).To(BeEmpty())
		})
	}
})
