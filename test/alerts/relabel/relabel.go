package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	"github.com/prometheus/prometheus/model/textparse"
	"sigs.k8s.io/yaml"
)

// monitor holds the fields of a ServiceMonitor that this command reads.
type monitor struct {
	Spec struct {
		Endpoints []struct {
			MetricRelabelings []rule `json:"metricRelabelings"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// rule is one of a ServiceMonitor's metricRelabelings, with the fields that the project uses.
type rule struct {
	Action       relabel.Action `json:"action"`
	SourceLabels []string       `json:"sourceLabels"`
	Regex        string         `json:"regex"`
}

// relabelings returns the metricRelabelings of a ServiceMonitor as Prometheus rules, as the Prometheus operator converts them. It returns
// an error unless the ServiceMonitor has exactly one endpoint and each rule has the action keep or drop, sourceLabels and a regex.
func relabelings(manifest []byte) ([]*relabel.Config, error) {
	var read monitor
	if err := yaml.Unmarshal(manifest, &read); err != nil {
		return nil, err
	}
	if len(read.Spec.Endpoints) != 1 {
		return nil, fmt.Errorf("expected one endpoint, found %d", len(read.Spec.Endpoints))
	}
	var rules []*relabel.Config
	for _, each := range read.Spec.Endpoints[0].MetricRelabelings {
		if each.Action != relabel.Keep && each.Action != relabel.Drop || len(each.SourceLabels) == 0 || each.Regex == "" {
			return nil, fmt.Errorf("expected keep or drop with sourceLabels and regex, found %+v", each)
		}
		regex, err := relabel.NewRegexp(each.Regex)
		if err != nil {
			return nil, err
		}
		config := relabel.DefaultRelabelConfig
		config.Action, config.Regex = each.Action, regex
		for _, label := range each.SourceLabels {
			config.SourceLabels = append(config.SourceLabels, model.LabelName(label))
		}
		if err := config.Validate(model.UTF8Validation); err != nil {
			return nil, err
		}
		rules = append(rules, &config)
	}
	return rules, nil
}

// keep returns the series of a scrape, in Prometheus' text format, that remain after the rules are applied.
func keep(rules []*relabel.Config, scrape []byte) ([]string, error) {
	parser := textparse.NewPromParser(scrape, labels.NewSymbolTable(), false)
	var kept []string
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return kept, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the scrape: %w", err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		parser.Labels(&series)
		if series, stays := relabel.Process(series, rules...); stays {
			kept = append(kept, series.String())
		}
	}
}
