package alerts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// trial is a test case: what Prometheus scrapes over time, and when one alert fires.
type trial struct {
	alert string
	// series are input series with one value per minute, the first at minute 0. leads are the series of the pods that lead, in the same
	// format. If leads is empty, one pod leads all the time.
	series, leads string
	// fires and resolves are the minutes at which the alert begins and stops firing. Both are 0 if it never fires.
	fires, resolves int
	// beside is another alert that may fire meanwhile, or empty.
	beside string
	// severity is the alert's label severity. about is the label that identifies the alert's object, or empty if the alert has none.
	severity, about string
}

// answering is the series of a manager that Prometheus can scrape. Every trial has it, except those of PlatformOperatorsManagerAbsent.
const answering = `up{namespace="openshift-platform-operators",job="metrics",pod="a"} 1x1600`

// leading is the series of a pod that leads all the time and has evaluated all operators. Its value is the number of operators that declare
// nothing, here 0.
const leading = `platform_operators_undeclared{pod="a"} 0x1600`

// handedOver returns a series of pod a for the minutes of before, of no pod for the minutes of nobody, and of pod b after that. metric is
// the series' name, and labels are its labels without the pod. after are the values of pod b, in Prometheus' notation.
func handedOver(metric, labels string, before, nobody int, after string) string {
	return fmt.Sprintf("%[1]s{pod=\"a\",%[2]s} 1x%[3]d stale\n%[1]s{pod=\"b\",%[2]s} _x%[4]d %[5]s", metric, labels, before-1, before+nobody, after)
}

// takenOver returns the series of leaders. Pod a leads for the minutes of before, no pod leads for the minutes of nobody, and then pod b
// leads and has evaluated all operators.
func takenOver(before, nobody int) string {
	return handedOver("platform_operators_undeclared", "", before, nobody, "0x1600")
}

// takeover and lostNode are how long no pod leads, in minutes: until a lease expires (after 160 seconds at most), and after a node is lost.
const takeover, lostNode = 3, 8

const (
	unhealthy = `condition="Healthy",status="False",reason="Unhealthy",platformoperator="quay"`
	healthy   = `platform_operators_condition{pod="b",condition="Healthy",status="True",reason="AsExpected",platformoperator="quay"}`
	overdue   = `condition="Progressing",status="False",reason="DeadlineExceeded",platformoperator="quay"`
	blocked   = `condition="Progressing",status="False",reason="Blocked",platformoperator="quay"`
)

// conditions returns the series of operator quay, whose condition has a status and reason for so many minutes from minute 0. After that,
// the condition is True with reason AsExpected. Operator other has that condition all the time.
func conditions(condition, status, reason string, minutes int) string {
	return fmt.Sprintf(`platform_operators_condition{pod="a",platformoperator="quay",condition=%[1]q,status=%[2]q,reason=%[3]q} 1x%[4]d stale
		platform_operators_condition{pod="a",platformoperator="quay",condition=%[1]q,status="True",reason="AsExpected"} _x%[5]d 1x600
		platform_operators_condition{pod="a",platformoperator="other",condition=%[1]q,status="True",reason="AsExpected"} 1x600`,
		condition, status, reason, minutes-1, minutes)
}

const quay = `platformoperator="quay"`

// day is the number of minutes of a day.
const day = 24 * 60

const (
	blocking   = "platform_operators_upgrade_blocker"
	awaiting   = `awaits="approval",` + quay
	waiting    = `condition="Progressing",status="False",reason="AwaitingApproval",platformoperator="quay"`
	deprecated = `condition="Deprecated",status="True",reason="Deprecated",platformoperator="quay"`
)

// pending returns the series of an operator whose Progressing condition has reason AwaitingApproval for so many minutes, and whose installed
// version is deprecated. Operator other waits for an approval all the time, and operator old is deprecated.
func pending(minutes int) string {
	return fmt.Sprintf(`platform_operators_condition{pod="a",%[1]s} 1x%[3]d stale
		platform_operators_condition{pod="a",%[2]s} 1x1600
		platform_operators_condition{pod="a",condition="Progressing",status="False",reason="AwaitingApproval",platformoperator="other"} 1x1600
		platform_operators_condition{pod="a",condition="Deprecated",status="False",reason="NotDeprecated",platformoperator="other"} 1x1600
		platform_operators_condition{pod="a",condition="Deprecated",status="True",reason="Deprecated",platformoperator="old"} 1x1600`,
		waiting, deprecated, minutes-1)
}

var trials = map[string]trial{
	"a manager that does not answer for a quarter of an hour": {
		alert: "PlatformOperatorsManagerAbsent", series: `up{namespace="openshift-platform-operators",job="metrics",pod="a"} 1x9 0x19 1x600`,
		fires: 25, resolves: 30, severity: "warning"},
	"a manager that is not there at all": {
		alert: "PlatformOperatorsManagerAbsent", series: `up{namespace="openshift-platform-operators",job="metrics",pod="a"} _x20 1x600`,
		fires: 15, resolves: 20, severity: "warning"},
	"another component that answers is not the manager": {
		alert: "PlatformOperatorsManagerAbsent", series: `up{namespace="openshift-dns",job="metrics",pod="a"} 1x60
			up{namespace="openshift-platform-operators",job="metrics",pod="a"} _x30 1x600`,
		fires: 15, resolves: 30, severity: "warning"},
	"a manager whose pod is replaced": {
		alert: "PlatformOperatorsManagerAbsent", series: `up{namespace="openshift-platform-operators",job="metrics",pod="a"} 1x9 stale
			up{namespace="openshift-platform-operators",job="metrics",pod="b"} _x20 1x600`},

	"an operator that is unhealthy for 70 minutes": {
		alert: "PlatformOperatorsUnhealthy", series: conditions("Healthy", "False", "Unhealthy", 70),
		fires: 60, resolves: 70, severity: "warning", about: quay},
	"an operator that is unhealthy for an hour less a minute": {
		alert: "PlatformOperatorsUnhealthy", series: conditions("Healthy", "False", "Unhealthy", 60)},
	"an operator that is unhealthy while the manager's pod is replaced": {
		alert: "PlatformOperatorsUnhealthy", series: `platform_operators_condition{pod="a",platformoperator="quay",condition="Healthy",status="False",reason="Unhealthy"} 1x29 stale
			platform_operators_condition{pod="b",platformoperator="quay",condition="Healthy",status="False",reason="Unhealthy"} _x30 1x39 stale`,
		fires: 60, resolves: 70, severity: "warning", about: quay},
	"an operator that is unhealthy while another pod comes to lead": {
		alert: "PlatformOperatorsUnhealthy", leads: takenOver(58, takeover),
		series: handedOver("platform_operators_condition", unhealthy, 58, takeover, "1x30 stale"),
		fires:  60, resolves: 58 + takeover + 31, severity: "warning", about: quay},
	"an operator that is unhealthy while the manager's node is lost": {
		alert: "PlatformOperatorsUnhealthy", leads: takenOver(30, lostNode),
		series: handedOver("platform_operators_condition", unhealthy, 30, lostNode, "1x40 stale"),
		fires:  60, resolves: 30 + lostNode + 41, severity: "warning", about: quay},
	"an operator of which the alert fires already when another pod comes to lead": {
		alert: "PlatformOperatorsUnhealthy", leads: takenOver(70, takeover),
		series: handedOver("platform_operators_condition", unhealthy, 70, takeover, "1x9 stale"),
		fires:  60, resolves: 70 + takeover + 10, severity: "warning", about: quay},
	"an operator that is well again when another pod leads": {
		alert: "PlatformOperatorsUnhealthy", leads: takenOver(55, takeover),
		series: handedOver("platform_operators_condition", unhealthy, 55, takeover, "_") + "\n" + healthy + " _x58 1x600"},
	"an operator that is well again when another pod leads which has judged nothing yet": {
		alert: "PlatformOperatorsUnhealthy", leads: takenOver(55, takeover+2),
		series: handedOver("platform_operators_condition", unhealthy, 55, takeover, "_") + "\n" + healthy + " _x58 1x600"},
	"an operator that is gone when another pod leads, and was the only one": {
		alert: "PlatformOperatorsUnhealthy", leads: takenOver(55, takeover),
		series: handedOver("platform_operators_condition", unhealthy, 55, takeover, "_")},
	"an operator that nobody has said anything of for long, because nobody leads": {
		alert: "PlatformOperatorsUnhealthy", leads: takenOver(70, 50),
		series: handedOver("platform_operators_condition", unhealthy, 70, 50, "1x600"),
		fires:  60, resolves: 69 + 10, severity: "warning", about: quay},
	"an operator of which nothing is installed": {
		alert: "PlatformOperatorsUnhealthy", series: conditions("Healthy", "Unknown", "Unknown", 500)},

	"a version that missed its deadline": {
		alert: "PlatformOperatorsDeadlineExceeded", series: conditions("Progressing", "False", "DeadlineExceeded", 45),
		fires: 30, resolves: 45, severity: "warning", about: quay},
	"a version that missed its deadline and came to be ready soon after": {
		alert: "PlatformOperatorsDeadlineExceeded", series: conditions("Progressing", "False", "DeadlineExceeded", 30)},
	"a version that missed its deadline before another pod comes to lead": {
		alert: "PlatformOperatorsDeadlineExceeded", leads: takenOver(29, takeover),
		series: handedOver("platform_operators_condition", overdue, 29, takeover, "1x20 stale"),
		fires:  30, resolves: 29 + takeover + 21, severity: "warning", about: quay},
	"a version that missed its deadline and is ready when another pod leads": {
		alert: "PlatformOperatorsDeadlineExceeded", leads: takenOver(25, takeover),
		series: handedOver("platform_operators_condition", overdue, 25, takeover, "_") + "\n" +
			`platform_operators_condition{pod="b",condition="Progressing",status="False",reason="AsExpected",platformoperator="quay"} _x28 1x600`},
	"a version that is being installed for long": {
		alert: "PlatformOperatorsDeadlineExceeded", series: conditions("Progressing", "True", "Installing", 500)},

	"an operator that is blocked for long": {
		alert: "PlatformOperatorsBlocked", series: conditions("Progressing", "False", "Blocked", 400),
		fires: 360, resolves: 400, severity: "info", about: quay},
	"an operator that is blocked for a morning": {
		alert: "PlatformOperatorsBlocked", series: conditions("Progressing", "False", "Blocked", 360)},
	"an operator that is blocked while other pods come to lead, twice": {
		alert: "PlatformOperatorsBlocked",
		leads: handedOver("platform_operators_undeclared", "", 100, takeover, "0x150 stale") + "\n" +
			`platform_operators_undeclared{pod="c"} _x257 0x600`,
		series: handedOver("platform_operators_condition", blocked, 100, takeover, "1x150 stale") + "\n" +
			`platform_operators_condition{pod="c",` + blocked + `} _x257 1x120 stale`,
		fires: 360, resolves: 257 + 121, severity: "info", about: quay},
	"an operator that is not blocked any more when another pod leads": {
		alert: "PlatformOperatorsBlocked", leads: takenOver(355, takeover),
		series: handedOver("platform_operators_condition", blocked, 355, takeover, "_")},
	"an operator that waits for approval": {
		alert: "PlatformOperatorsBlocked", series: conditions("Progressing", "False", "AwaitingApproval", 500)},

	"an operator that does not permit the next minor version": {
		alert: "PlatformOperatorsUpgradeBlocked", series: `platform_operators_upgrade_blocker{pod="a",platformoperator="quay"} 1x79 stale`,
		fires: 60, resolves: 80, severity: "info", about: quay},
	"a BundleDeployment without a PlatformOperator that does not permit it": {
		alert: "PlatformOperatorsUpgradeBlocked", series: `platform_operators_upgrade_blocker{pod="a",bundledeployment="quay"} 1x79 stale`,
		fires: 60, resolves: 80, severity: "info", about: `bundledeployment="quay"`},
	"an operator that is moved within the hour to a version that does": {
		alert: "PlatformOperatorsUpgradeBlocked", series: `platform_operators_upgrade_blocker{pod="a",platformoperator="quay"} 1x59 stale`},
	"an operator of which nobody says what it permits": {
		alert: "PlatformOperatorsUpgradeBlocked", leads: `platform_operators_undeclared{pod="a"} 1x500`},
	"an operator that does not permit it while another pod comes to lead, and waits for catalogs": {
		alert: "PlatformOperatorsUpgradeBlocked", leads: takenOver(57, takeover+2),
		series: handedOver("platform_operators_upgrade_blocker", quay, 57, takeover+2, "1x20 stale"),
		fires:  60, resolves: 57 + takeover + 2 + 21, severity: "info", about: quay},
	"an operator that permits it when another pod has judged": {
		alert: "PlatformOperatorsUpgradeBlocked", leads: takenOver(54, takeover+2),
		series: handedOver("platform_operators_upgrade_blocker", quay, 54, takeover+2, "_")},

	"an approval for which the upgrade of the cluster waits a day and half an hour": {
		alert: "PlatformOperatorsApprovalPending", series: fmt.Sprintf(`%s{pod="a",%s} 1x%d stale`, blocking, awaiting, day+29),
		fires: day, resolves: day + 30, severity: "warning", about: quay, beside: "PlatformOperatorsUpgradeBlocked"},
	"an approval of a BundleDeployment without a PlatformOperator, for which the upgrade waits": {
		alert: "PlatformOperatorsApprovalPending", series: fmt.Sprintf(`%s{pod="a",awaits="approval",bundledeployment="quay"} 1x%d stale`, blocking, day+29),
		fires: day, resolves: day + 30, severity: "warning", about: `bundledeployment="quay"`, beside: "PlatformOperatorsUpgradeBlocked"},
	"an approval that is given in the last minute of the day, after which the operator still blocks": {
		alert: "PlatformOperatorsApprovalPending", series: fmt.Sprintf(`%[1]s{pod="a",%[2]s} 1x%[3]d stale
			%[1]s{pod="a",%[4]s} _x%[5]d 1x1600`, blocking, awaiting, day-1, quay, day), beside: "PlatformOperatorsUpgradeBlocked"},
	"an approval that would not permit the upgrade of the cluster": {
		alert: "PlatformOperatorsApprovalPending", series: fmt.Sprintf(`%s{pod="a",%s} 1x1600
			platform_operators_condition{pod="a",%s} 1x1600`, blocking, quay, waiting), beside: "PlatformOperatorsUpgradeBlocked"},
	"an approval for which nothing waits": {
		alert: "PlatformOperatorsApprovalPending", series: conditions("Progressing", "False", "AwaitingApproval", day+90)},
	"an approval for which the upgrade waits while another pod comes to lead, and waits for catalogs": {
		alert: "PlatformOperatorsApprovalPending", leads: takenOver(day-5, takeover+2),
		series: handedOver(blocking, awaiting, day-5, takeover+2, "1x20 stale"),
		fires:  day, resolves: day - 5 + takeover + 2 + 21, severity: "warning", about: quay, beside: "PlatformOperatorsUpgradeBlocked"},
	"an approval that is given before another pod has judged": {
		alert: "PlatformOperatorsApprovalPending", leads: takenOver(day-6, takeover+2), series: handedOver(blocking, awaiting, day-6, takeover+2, "_"),
		beside: "PlatformOperatorsUpgradeBlocked"},
	"an approval that keeps a deprecated version installed": {
		alert: "PlatformOperatorsApprovalPending", series: pending(day + 30),
		fires: day, resolves: day + 30, severity: "warning", about: quay},
	"an approval that keeps a deprecated version installed for a day less a minute": {
		alert: "PlatformOperatorsApprovalPending", series: pending(day)},
	"an approval that keeps a deprecated version installed while the manager's node is lost": {
		alert: "PlatformOperatorsApprovalPending", leads: takenOver(day-9, lostNode),
		series: handedOver("platform_operators_condition", waiting, day-9, lostNode, "1x20 stale") + "\n" +
			handedOver("platform_operators_condition", deprecated, day-9, lostNode, "1x60"),
		fires: day, resolves: day - 9 + lostNode + 21, severity: "warning", about: quay},
	"an approval that waits for a deprecated version and then for the upgrade of the cluster": {
		alert: "PlatformOperatorsApprovalPending", series: pending(day-600) + "\n" + fmt.Sprintf(`%s{pod="a",%s} _x%d 1x629 stale`, blocking, awaiting, day-600),
		fires: day, resolves: day + 30, severity: "warning", about: quay, beside: "PlatformOperatorsUpgradeBlocked"},

	"a fight over an object, with a pause between two of its rounds": {
		alert: "PlatformOperatorsDriftContested", series: `platform_operators_drifted{pod="a",bundledeployment="quay",reason="DriftContested"} 1x14 stale _x3 1x24 stale`,
		fires: 30, resolves: 43 + 15, severity: "warning", about: `bundledeployment="quay"`},
	"a fight that goes on while another pod comes to lead, and is noticed anew after five rounds": {
		alert: "PlatformOperatorsDriftContested", leads: takenOver(20, takeover),
		series: handedOver("platform_operators_drifted", `reason="DriftContested",bundledeployment="quay"`, 20, takeover+5, "1x20 stale"),
		fires:  30, resolves: 48 + 15, severity: "warning", about: `bundledeployment="quay"`},
	"a fight that goes on while its node is lost": {
		alert: "PlatformOperatorsDriftContested", leads: takenOver(20, lostNode),
		series: handedOver("platform_operators_drifted", `reason="DriftContested",bundledeployment="quay"`, 20, lostNode+5, "1x20 stale"),
		fires:  30, resolves: 20 + lostNode + 5 + 20 + 15, severity: "warning", about: `bundledeployment="quay"`},
	"a fight that has ended when another pod leads": {
		alert: "PlatformOperatorsDriftContested", leads: takenOver(14, takeover),
		series: handedOver("platform_operators_drifted", `reason="DriftContested",bundledeployment="quay"`, 14, takeover, "_")},
	"a fight that somebody ends": {
		alert: "PlatformOperatorsDriftContested", series: `platform_operators_drifted{pod="a",bundledeployment="quay",reason="DriftContested"} 1x14 stale`},
	"drift that is left as the spec says": {
		alert: "PlatformOperatorsDriftContested", series: `platform_operators_drifted{pod="a",bundledeployment="quay",reason="DriftReported"} 1x500`},

	"a catalog that cannot be read for an hour": {
		alert: "PlatformOperatorsCatalogUnreadable", series: `platform_operators_catalog_unreadable_seconds{pod="a",catalog="CatalogSource/ns/one"} 0x9 10+60x69 0x100
			platform_operators_catalog_unreadable_seconds{pod="a",catalog="CatalogSource/ns/other"} 0x300`,
		fires: 70, resolves: 80, severity: "warning", about: `catalog="CatalogSource/ns/one"`},
	"a catalog that comes back within the hour": {
		alert: "PlatformOperatorsCatalogUnreadable", series: `platform_operators_catalog_unreadable_seconds{pod="a",catalog="CatalogSource/ns/one"} 10+60x59 0x100`},
	"a catalog that cannot be read while another pod comes to lead, and tries it after a minute": {
		alert: "PlatformOperatorsCatalogUnreadable", leads: takenOver(56, takeover),
		series: `platform_operators_catalog_unreadable_seconds{pod="a",catalog="CatalogSource/ns/one"} 10+60x55 stale
			platform_operators_catalog_unreadable_seconds{pod="b",catalog="CatalogSource/ns/one"} _x60 1+60x19 0x100`,
		fires: 60, resolves: 80, severity: "warning", about: `catalog="CatalogSource/ns/one"`},
	"a catalog that can be read when another pod has tried it": {
		alert: "PlatformOperatorsCatalogUnreadable", leads: takenOver(50, takeover),
		series: `platform_operators_catalog_unreadable_seconds{pod="a",catalog="CatalogSource/ns/one"} 10+60x49 stale
			platform_operators_catalog_unreadable_seconds{pod="b",catalog="CatalogSource/ns/one"} _x54 0x200`},
	"a catalog that is gone when another pod leads": {
		alert: "PlatformOperatorsCatalogUnreadable", leads: takenOver(50, takeover),
		series: `platform_operators_catalog_unreadable_seconds{pod="a",catalog="CatalogSource/ns/one"} 10+60x49 stale`},
	"a catalog that was read long ago, and of which nothing new is known": {
		alert: "PlatformOperatorsCatalogUnreadable", series: `platform_operators_catalog_age_seconds{pod="a",catalog="CatalogSource/ns/one"} 0+60x500
			platform_operators_catalog_unreadable_seconds{pod="a",catalog="CatalogSource/ns/one"} 0x500`},
}

// faults runs the alerts on the series of a trial, and returns a description of each minute at which other alerts fire than expected.
func (want trial) faults(t *testing.T, alerts []rule) (faults []string) {
	t.Helper()
	leads := want.leads
	if leads == "" {
		leads = leading
	}
	series := leads + "\n" + want.series
	if want.alert != "PlatformOperatorsManagerAbsent" {
		series = answering + "\n" + series
	}
	labels := []string{`alertname="` + want.alert + `"`, `namespace="openshift-platform-operators"`, `severity="` + want.severity + `"`}
	if want.about != "" {
		labels = append(labels, want.about)
	}
	slices.Sort(labels)
	expected := "{" + strings.Join(labels, ", ") + "}"
	minutes := 130
	switch want.alert {
	case "PlatformOperatorsBlocked":
		minutes = 420 // it waits for six hours
	case "PlatformOperatorsApprovalPending":
		minutes = day + 60
	}
	for at, firing := range run(t, alerts, series, minutes) {
		firing = slices.DeleteFunc(firing, func(alert string) bool {
			return want.beside != "" && strings.Contains(alert, fmt.Sprintf("alertname=%q", want.beside))
		})
		var wanted []string
		if at >= want.fires && at < want.resolves {
			wanted = []string{expected}
		}
		if !slices.Equal(firing, wanted) {
			faults = append(faults, fmt.Sprintf("at minute %d %v fire, want %v", at, firing, wanted))
		}
	}
	return faults
}

func TestCLU_P6_EachAlertFiresWhenItShouldAndNoOtherDoes(t *testing.T) {
	alerts := shipped(t)
	fires, silent := map[string]bool{}, map[string]bool{}
	for name, want := range trials {
		if want.resolves > 0 {
			fires[want.alert] = true
		} else {
			silent[want.alert] = true
		}
		t.Run(name, func(t *testing.T) {
			if faults := want.faults(t, alerts); len(faults) > 0 {
				t.Errorf("%d faults, the first: %s", len(faults), faults[0])
			}
		})
	}
	for _, each := range alerts {
		if !fires[each.Alert] {
			t.Errorf("%s has no test case in which it fires", each.Alert)
		}
		if !silent[each.Alert] {
			t.Errorf("%s has no test case in which it nearly fires", each.Alert)
		}
		delete(fires, each.Alert)
	}
	if len(fires) > 0 {
		t.Errorf("there are test cases of alerts that are not shipped: %v", slices.Sorted(maps.Keys(fires)))
	}
}

// breakages are mistakes that an edit of an alert may introduce, by description. Each function changes the rule in place.
var breakages = map[string]func(*rule){
	"waits for half as long": func(r *rule) {
		r.For = map[string]string{"15m": "7m", "30m": "15m", "1h": "30m", "6h": "3h", "24h": "12h"}[r.For]
	},
	"waits for a minute more": func(r *rule) {
		r.For = map[string]string{"15m": "16m", "30m": "31m", "1h": "61m", "6h": "361m", "24h": "1441m"}[r.For]
	},
	"never fires":          func(r *rule) { r.Expr = "(" + r.Expr + ") and on() (vector(1) == 2)" },
	"always fires":         func(r *rule) { r.Expr = "vector(1)" },
	"fires the other way":  func(r *rule) { r.Expr = strings.NewReplacer("== 1", "== 0", "> 0", "< 1").Replace(r.Expr) },
	"has another severity": func(r *rule) { r.Labels["severity"] = "critical" },
	"loses what it is about": func(r *rule) {
		before := r.Expr
		for _, by := range []string{"by (platformoperator, bundledeployment)", "by (platformoperator)", "by (bundledeployment)", "by (catalog)"} {
			r.Expr = strings.ReplaceAll(r.Expr, by, "")
		}
		if r.Expr == before {
			r.Expr = strings.ReplaceAll(r.Expr, `namespace="openshift-platform-operators",`, "")
		}
	},
}

// TestCLU_P6_ABrokenAlertIsNoticed tests the trials: at least one trial of each alert must fail for each breakage of that alert.
func TestCLU_P6_ABrokenAlertIsNoticed(t *testing.T) {
	for i, each := range shipped(t) {
		for how, breakIt := range breakages {
			t.Run(each.Alert+" "+how, func(t *testing.T) {
				alerts := shipped(t)[i : i+1] // alone, because evaluating the others takes most of the time
				breakIt(&alerts[0])
				for _, want := range trials {
					if want.alert == each.Alert && len(want.faults(t, alerts)) > 0 {
						return
					}
				}
				t.Errorf("no trial fails with %s for %s", alerts[0].Expr, alerts[0].For)
			})
		}
	}
}

func TestAnAlertThatForgetsWhileAnotherPodComesToLeadIsNoticed(t *testing.T) {
	for i, each := range shipped(t) {
		if each.Alert == "PlatformOperatorsManagerAbsent" {
			continue // it has nothing to remember: that a manager answers ends it
		}
		t.Run(each.Alert, func(t *testing.T) {
			alerts := shipped(t)[i : i+1]
			alerts[0].Expr = strings.NewReplacer("[10m]", "[2m]", "[15m]", "[10m]").Replace(each.Expr)
			if alerts[0].Expr == each.Expr {
				t.Fatalf("it bridges nothing: %s", each.Expr)
			}
			for _, want := range trials {
				if want.alert == each.Alert && want.leads != "" && len(want.faults(t, alerts)) > 0 {
					return
				}
			}
			t.Errorf("no trial in which another pod comes to lead fails with %s", alerts[0].Expr)
		})
	}
}
