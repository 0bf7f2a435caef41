package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
)

func bundle(name, version string) catalog.Bundle { return catalog.Bundle{Name: name, Version: version} }

func entries(names ...string) (list []catalog.Entry) {
	for _, name := range names {
		list = append(list, catalog.Entry{Name: name})
	}
	return list
}

func TestCLI_18_VersionsAreSortedByPrecedence(t *testing.T) {
	p := catalog.Package{
		Name: "anchor", DefaultChannel: "stable",
		Channels: []catalog.Channel{
			{Name: "stable", Entries: entries("a.v1.10.0", "a.v1.9.0", "a.v1.10.0-rc.1", "a.nightly", "a.pruned", "a.build2", "a.build10")},
			{Name: "empty", Entries: entries("a.pruned")},
			{Name: "fast", Entries: entries("a.v2.0.0")},
		},
		Bundles: []catalog.Bundle{
			bundle("a.v1.10.0", "1.10.0"), bundle("a.v1.9.0", "1.9.0"), bundle("a.v1.10.0-rc.1", "1.10.0-rc.1"), bundle("a.v2.0.0", "2.0.0"),
			bundle("a.nightly", "nightly"), bundle("a.build2", "1.0.0+2"), bundle("a.build10", "1.0.0+10"),
		},
	}
	found := Query{}.Find("catalog", []catalog.Package{p})
	if len(found) != 1 || found[0].Version != "1.10.0" {
		t.Fatalf("got %+v, want version 1.10.0 of the default channel", found)
	}
	var got [][]string
	for _, channel := range found[0].Channels {
		versions := []string{channel.Name}
		for _, version := range channel.Versions {
			versions = append(versions, version.Version)
		}
		got = append(got, versions)
	}
	want := [][]string{{"stable", "1.10.0", "1.10.0-rc.1", "1.9.0", "1.0.0+10", "1.0.0+2", "nightly"}, {"empty"}, {"fast", "2.0.0"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.DefaultChannel = ""
	if found := (Query{}).Find("catalog", []catalog.Package{p}); found[0].Version != "2.0.0" {
		t.Errorf("without a default channel, got version %q, want the newest, 2.0.0", found[0].Version)
	}
	if found := (Query{}).Find("catalog", []catalog.Package{{Name: "bare"}}); found[0].Version != "" || len(found[0].Channels) != 0 {
		t.Errorf("a package without channels: got %+v", found[0])
	}
}

func TestCLI_18_TextMatchesNamesAndKinds(t *testing.T) {
	kafka := catalog.Package{Name: "amq-streams", Bundles: []catalog.Bundle{
		{Name: "a.v2", ProvidedGVKs: []catalog.GVK{
			{Group: "kafka.strimzi.io", Version: "v1", Kind: "Kafka"}, {Group: "kafka.strimzi.io", Version: "v1", Kind: "KafkaTopic"},
		}},
		{Name: "a.v1", ProvidedGVKs: []catalog.GVK{{Group: "kafka.strimzi.io", Version: "v1beta2", Kind: "Kafka"}}},
	}}
	for text, want := range map[string][]string{
		"":         {"amq-streams"},
		"AMQ":      {"amq-streams"},
		"topic":    {"amq-streams", "KafkaTopic.kafka.strimzi.io"},
		"kafka.ka": {"amq-streams", "Kafka.kafka.strimzi.io"},
		"redis":    nil,
	} {
		var got []string
		for _, p := range (Query{Text: text}).Find("catalog", []catalog.Package{kafka}) {
			got = append(append(got, p.Name), p.Kinds...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestCLI_18_PackagesThatTheManagerAllows(t *testing.T) {
	for _, test := range []struct {
		allowed []string
		want    bool
	}{{nil, true}, {[]string{"anchor"}, true}, {[]string{"a*"}, true}, {[]string{"b*", "[a-c]nchor"}, true},
		{[]string{"beacon"}, false}, {[]string{"[a"}, false}} {
		found := Query{Allowed: test.allowed}.Find("catalog", []catalog.Package{{Name: "anchor"}})
		if found[0].Allowed != test.want {
			t.Errorf("%q: got %v, want %v", test.allowed, found[0].Allowed, test.want)
		}
	}
}
