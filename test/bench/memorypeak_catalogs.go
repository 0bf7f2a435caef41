package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/localcatalog"
)

// servedCatalog is a catalog that is served in addition to the samples' catalog.
type servedCatalog struct {
	name, folder string
	server       *localcatalog.Server
}

// addCatalogs writes the streams to folders below dir and serves them. It creates no CatalogSource or ClusterCatalog; announceAll does.
func (l *live) addCatalogs(ctx context.Context, dir string, streams [][]byte) ([]*servedCatalog, error) {
	var all []*servedCatalog
	for i, stream := range streams {
		c := &servedCatalog{name: fmt.Sprintf("large-%d", i), folder: filepath.Join(dir, fmt.Sprintf("large-%d", i))}
		if err := os.MkdirAll(c.folder, 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(c.folder, "catalog.json"), stream, 0o644); err != nil {
			return nil, err
		}
		var err error
		if c.server, err = l.AddCatalog(ctx, c.name, c.folder); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// changeAll changes the content of all catalogs: it adds a blob with the number of the round, or replaces the previous round's blob. The
// cluster's objects do not change until announceAll.
func changeAll(ctx context.Context, catalogs []*servedCatalog, round int) error {
	for _, c := range catalogs {
		blob := fmt.Sprintf("{\"schema\":\"bench.round\",\"package\":\"%s-0\",\"name\":\"round-%d\"}\n", memoryPrefix, round)
		if err := os.WriteFile(filepath.Join(c.folder, "round.json"), []byte(blob), 0o644); err != nil {
			return err
		}
		if err := c.server.Update(ctx); err != nil {
			return err
		}
	}
	return nil
}

// announceAll updates the cluster's objects for all catalogs at once, and waits until the manager has read the catalogs.
func (l *live) announceAll(ctx context.Context, catalogs []*servedCatalog) error {
	began := time.Now()
	group, groupCtx := errgroup.WithContext(ctx)
	for _, c := range catalogs {
		group.Go(func() error { return l.Announce(groupCtx, c.name, c.server) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return l.catalogsRead(ctx, catalogs, began)
}

// catalogsRead waits until the manager has read each catalog over both protocols since began. It returns an error after waitLimit.
func (l *live) catalogsRead(ctx context.Context, catalogs []*servedCatalog, began time.Time) error {
	scraper, err := l.newScraper()
	if err != nil {
		return err
	}
	var expected []string
	for _, c := range catalogs {
		for _, id := range []catalog.ID{
			{Kind: catalog.KindCatalogSource, Namespace: environment.CatalogNamespace, Name: c.name},
			{Kind: catalog.KindClusterCatalog, Name: c.name},
		} {
			expected = append(expected, fmt.Sprintf("%s{%s=%q}", platformv1alpha1.MetricCatalogAge, platformv1alpha1.MetricLabelCatalog, id))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	for {
		series, err := scraper.scrape(ctx)
		missing := unreadSeries(expected, series, time.Since(began))
		if err == nil && len(missing) == 0 {
			return nil
		}
		if waited := sleep(ctx, scrapeEvery); waited != nil {
			return fmt.Errorf("waiting until the manager has read %s: %w", firstNames(missing), errors.Join(waited, err))
		}
	}
}

// unreadSeries returns the expected metrics of catalog ages that are missing from series or exceed since. The manager has not read the
// catalogs of these metrics within that time.
func unreadSeries(expected []string, series map[string]float64, since time.Duration) (missing []string) {
	for _, name := range expected {
		if age, found := series[name]; !found || age > since.Seconds() {
			missing = append(missing, name)
		}
	}
	return missing
}
