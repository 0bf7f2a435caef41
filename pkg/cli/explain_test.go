package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// Promise CLI-8: The plugin's command explain follows a chain from the cluster's verdict, through the operator and the property that causes
// it, to the command that fixes it. Every reason of a condition has an explanation. No decision depends on the text of a message.
//
// TestCLI_8_GoldenOutputOfExplain compares what the command prints with a file.
func TestCLI_8_GoldenOutputOfExplain(t *testing.T) {
	for name, test := range map[string]struct {
		cluster string
		width   int
		args    []string
	}{
		"explain-upgrade":            {"mixed.yaml", 0, []string{"upgrade"}},
		"explain-upgrade-json":       {"mixed.yaml", 0, []string{"upgrade", "-o", "json"}},
		"explain-upgrade-yaml":       {"mixed.yaml", 0, []string{"upgrade", "-o", "yaml"}},
		"explain-upgrade-stuck":      {"stuck.yaml", 0, []string{"upgrade"}},
		"explain-upgrade-40-columns": {"stuck.yaml", 40, []string{"upgrade"}},
		"explain-upgrade-plain":      {"plain.yaml", 0, []string{"upgrade"}},
		"explain-upgrade-older":      {"older.yaml", 0, []string{"upgrade"}},
		"explain-blocks":             {"mixed.yaml", 80, []string{"compass"}},
		"explain-upgrading":          {"mixed.yaml", 80, []string{"anchor"}},
		"explain-healthy":            {"mixed.yaml", 80, []string{"beacon"}},
		"explain-drifted":            {"mixed.yaml", 80, []string{"drifter"}},
		"explain-not-installed":      {"mixed.yaml", 80, []string{"platformoperator/typo"}},
		"explain-upgrade-deployment": {"deployments.yaml", 0, []string{"upgrade"}},
		"explain-deployment":         {"deployments.yaml", 80, []string{"BundleDeployment/byhand"}},
		"explain-deployment-json":    {"deployments.yaml", 0, []string{"bd/byhand", "-o", "json"}},
		"explain-namesake":           {"deployments.yaml", 80, []string{"beacon"}},
		"explain-outdated":           {"outdated.yaml", 80, []string{"beacon"}},
		"explain-outdated-bundle":    {"outdated.yaml", 80, []string{"compass"}},
		"explain-outdated-json":      {"outdated.yaml", 0, []string{"compass", "-o", "json"}},
		"explain-unknown":            {"unknown.yaml", 80, []string{"upgrade"}},
		"explain-unknown-json":       {"unknown.yaml", 0, []string{"upgrade", "-o", "json"}},
		"explain-awaits-plan":        {"approval.yaml", 0, []string{"compass"}},
		"explain-deployment-plan":    {"approval.yaml", 0, []string{"bundledeployment/byhand"}},
		"explain-newer-manager":      {"stuck.yaml", 0, []string{"newer-manager", "-o", "json"}},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := newAPIServer(t, test.cluster).start(t)
			compareGolden(t, name, run(t, test.width, append(append(arguments, "explain"), test.args...)...))
		})
	}
}

func TestCLI_8_TheNumberOfRequestsOfExplainIsFixed(t *testing.T) {
	for _, operators := range []int{0, 100} {
		server := newAPIServer(t, "plain.yaml")
		addOperators(server, operators)
		if got := run(t, 0, append(server.start(t), "explain", "upgrade")...); got.code != exit.OK || len(server.requests) != 6 {
			t.Errorf("%d operators: got exit code %d and requests %q, want six", operators, got.code, server.requests)
		}
	}
}

func TestCLI_8_ExplainOfBadInput(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		change func(*apiServer)
		code   exit.Code
		out    string // a part of standard output; empty for none
		errOut string
	}{
		"Nothing":           {nil, nil, exit.Usage, "", "see: kubectl platform explain --help"},
		"UnknownFormat":     {[]string{"upgrade", "-o", "table"}, nil, exit.Usage, "", "use one of text, json, yaml"},
		"UnknownOperator":   {[]string{"nothing"}, nil, exit.Failure, "", "list them with: kubectl platform list"},
		"NamedUpgrade":      {[]string{"platformoperator/upgrade"}, nil, exit.Failure, "", `there is no PlatformOperator "upgrade"`},
		"UnknownDeployment": {[]string{"bundledeployment/nothing"}, nil, exit.Failure, "", `reading BundleDeployment "nothing"`},
		"NameOfDeployment": {[]string{"byhand"}, func(s *apiServer) { addDeployment(s, "byhand") }, exit.Failure, "",
			"but a BundleDeployment of this name; explain it with: kubectl platform explain bundledeployment/byhand"},
		"OwnedDeployment": {[]string{"bd/drifter"}, nil, exit.Usage, "", "kubectl platform explain drifter"},
		"NoNameOfOne":     {[]string{"bd/"}, nil, exit.Usage, "", `"" is not the name of a BundleDeployment`},
		"NoAPI":           {[]string{"upgrade"}, func(s *apiServer) { s.objects = nil }, exit.Failure, "", "see docs/install.md"},
		"NoRightToOperators": {[]string{"upgrade"}, func(s *apiServer) { s.forbidden = []string{paths["PlatformOperator"]} }, exit.Failure, "",
			"auth can-i list platformoperators.platform.openshift.io"},
		"NoRightToTheVerdict": {[]string{"upgrade"}, func(s *apiServer) {
			s.forbidden = []string{paths["ClusterOperator"], paths["PlatformOperatorManager"]}
		}, exit.Blocked, "compass 1.1.0 blocks the upgrade of the cluster", "warning: reading ClusterOperator"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t, "mixed.yaml")
			if test.change != nil {
				test.change(server)
			}
			got := run(t, 0, append(append(server.start(t), "explain"), test.args...)...)
			if got.code != test.code || !strings.Contains(got.errOut, test.errOut) || !strings.Contains(got.out, test.out) ||
				test.out == "" && got.out != "" {
				t.Errorf("got exit code %d, standard error %q and output\n%s\nwant %d and "+
					"%q", got.code, got.errOut, got.out, test.code, test.errOut)
			}
		})
	}
}

// TestCLI_8_NoChainDependsOnAMessage replaces every message, and expects the same report but for the messages.
func TestCLI_8_NoChainDependsOnAMessage(t *testing.T) {
	var outputs []string
	for _, message := range []string{"FIRST MESSAGE", "approve version 1.2.0"} {
		server := newAPIServer(t, "stuck.yaml")
		for _, objects := range server.objects {
			for _, object := range objects {
				status, _ := object["status"].(map[string]any)
				conditions, _ := status["conditions"].([]any)
				for _, condition := range conditions {
					condition.(map[string]any)["message"] = message
				}
			}
		}
		got := run(t, 0, append(server.start(t), "explain", "upgrade", "-o", "json")...)
		if !strings.Contains(got.out, message) {
			t.Fatalf("the report does not show the message %q:\n%s", message, got.out)
		}
		outputs = append(outputs, strings.ReplaceAll(got.out, message, "MESSAGE"))
	}
	if diff := cmp.Diff(outputs[0], outputs[1]); diff != "" {
		t.Errorf("the reports differ: %s", diff)
	}
}

// addDeployment adds a BundleDeployment without PlatformOperator.
func addDeployment(server *apiServer, name string) {
	server.add(map[string]any{"apiVersion": "core.rukpak.io/v1alpha2", "kind": "BundleDeployment", "metadata": map[string]any{"name": name}})
}
