package health

import (
	"strings"
	"testing"
	"time"
)

func TestWatchErrorsAreReportedAfterADelayAndExpire(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	refused := func(resource string, seconds ...int) WatchError {
		r := WatchError{Resource: resource}
		for _, second := range seconds {
			r = r.Next("forbidden at "+at(second).Format("04:05"), at(second))
		}
		return r
	}
	during := func(resource, message string) WatchError {
		return WatchError{Resource: resource, Message: message, First: at(0), Last: at(60)}
	}
	long := strings.Repeat("x", 1000)
	for name, test := range map[string]struct {
		watchErrors []WatchError
		now         time.Time
		status      string
		words       []string
		next        time.Duration
	}{
		"nothing was refused":              {nil, at(0), "False", nil, 0},
		"once":                             {[]WatchError{refused("a", 0)}, at(10), "False", nil, 81 * time.Second},
		"for a moment":                     {[]WatchError{refused("a", 0, 5, 29)}, at(30), "False", nil, 90 * time.Second},
		"for half a minute":                {[]WatchError{refused("a", 0, 5, 30)}, at(30), "True", []string{"\na: forbidden at 00:00"}, 91 * time.Second},
		"as long as it may not be over":    {[]WatchError{refused("a", 0, 30)}, at(120), "True", []string{"\na: "}, time.Second},
		"and no longer":                    {[]WatchError{refused("a", 0, 30)}, at(121), "False", nil, 0},
		"twice, with a long pause between": {[]WatchError{refused("a", 0, 91)}, at(92), "False", nil, 90 * time.Second},
		"two, in the order of their names": {[]WatchError{refused("b", 0, 60), refused("a", 0, 70)}, at(70), "True", []string{"\nRefused: a, b\n", "a: ", "\nb: "}, 81 * time.Second},
		"one of two":                       {[]WatchError{refused("b", 0, 60), refused("a", 60)}, at(60), "True", []string{"\nb: "}, 91 * time.Second},
		"with a long message":              {[]WatchError{during("a", strings.Repeat("é", 5000))}, at(60), "True", []string{"é"}, 91 * time.Second},
		"with more than there is room for": {[]WatchError{
			during("d", "d"), during("c", long), during("b", long), during("a", long),
		}, at(60), "True", []string{"\nRefused: a, b, c, d\n", "a: ", "\nb: ", "\nd: d"}, 91 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			condition, next := WatchCondition(test.watchErrors, test.now)
			reason := ReasonAsExpected
			if test.status == "True" {
				reason = ReasonObjectsNotListed
			}
			if condition.Type != TypeDegraded || condition.Status != test.status || condition.Reason != reason || next != test.next {
				t.Errorf("got %+v, next in %s", condition, next)
			}
			rest := condition.Message
			for _, word := range test.words {
				_, after, found := strings.Cut(rest, word)
				if !found {
					t.Fatalf("%q does not go on with %q", rest, word)
				}
				rest = after
			}
			if len(test.words) == 0 && rest != "" || len(condition.Message) > maxAggregate {
				t.Errorf("message of %d bytes: %q", len(condition.Message), condition.Message)
			}
		})
	}
}

func TestReasonForUnlistedInstalledOperators(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	since := func(age time.Duration, resources ...string) (watchErrors []WatchError) {
		for _, resource := range resources {
			watchErrors = append(watchErrors, WatchError{Resource: resource, Message: "\nRefused: platformoperators\n", First: now.Add(-age), Last: now})
		}
		return watchErrors
	}
	for name, test := range map[string]struct {
		watchErrors []WatchError
		want        string
	}{
		"nothing":                        {nil, ReasonAsExpected},
		"other kinds":                    {since(time.Hour, "bundles", "catalogsources", "platformoperatormanagers"), ReasonObjectsNotListed},
		"PlatformOperators":              {since(time.Hour, "platformoperators"), ReasonInstalledNotListed},
		"BundleDeployments":              {since(time.Hour, "bundles", "bundledeployments"), ReasonInstalledNotListed},
		"ClusterVersions":                {since(time.Hour, "clusterversions", "configmaps"), ReasonInstalledNotListed},
		"PlatformOperators for a moment": {append(since(time.Hour, "bundles"), since(time.Second, "platformoperators")...), ReasonObjectsNotListed},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := WatchCondition(test.watchErrors, now); got.Reason != test.want {
				t.Errorf("reason %s, want %s", got.Reason, test.want)
			}
		})
	}
}

func TestHRD_U9_MissingDefinitionIsRestoredByTheCVO(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	failed := func(resource string, notServed bool) WatchError {
		return WatchError{Resource: resource, Message: "refused", NotServed: notServed, First: now.Add(-time.Minute), Last: now}
	}
	const missing, denied = "CustomResourceDefinitions are missing, so that the API server does not serve bundles. The cluster-version operator (CVO) restores them;", "check the roles of its ServiceAccount"
	for name, test := range map[string]struct {
		watchErrors  []WatchError
		has, hasNone []string
	}{
		"missing":            {[]WatchError{failed("bundles", true)}, []string{missing, "\nRefused: bundles\n"}, []string{denied}},
		"denied":             {[]WatchError{failed("bundles", false)}, []string{denied}, []string{"CVO"}},
		"missing and denied": {[]WatchError{failed("bundles", true), failed("configmaps", false)}, []string{missing, denied, "\nRefused: bundles, configmaps\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			condition, _ := WatchCondition(test.watchErrors, now)
			for _, text := range test.has {
				if !strings.Contains(condition.Message, text) {
					t.Errorf("%q is not in %q", text, condition.Message)
				}
			}
			for _, text := range test.hasNone {
				if strings.Contains(condition.Message, text) {
					t.Errorf("%q is in %q", text, condition.Message)
				}
			}
		})
	}
}
