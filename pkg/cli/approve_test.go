package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
)

// runAnswering runs the plugin on a terminal, whose user answers questions by what in returns.
func runAnswering(t *testing.T, width int, in io.Reader, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	i := invocation.New("/usr/bin/kubectl-platform", genericiooptions.IOStreams{In: in, Out: &out, ErrOut: &errOut})
	i.Width, i.CanAsk = width, true
	code := Run(t.Context(), i, "kubectl-platform", args)
	return result{out.String(), errOut.String(), code}
}

// answers are the answers of a user. before is called before the answer with this number, from 0.
type answers struct {
	lines  []string
	before func(number int)
	given  int
}

// Read implements io.Reader.
func (a *answers) Read(into []byte) (int, error) {
	if a.given == len(a.lines) {
		return 0, io.EOF
	}
	if a.before != nil {
		a.before(a.given)
	}
	n := copy(into, a.lines[a.given]+"\n")
	a.given++
	return n, nil
}

// Promise CLI-16: The plugin's command approve shows the version, the upgrade path and the whole plan, asks, and approves the version and
// then the plan in the name of the user. Without the verb, it says which verb is missing and who has it. If the plan changes meanwhile, it
// shows the difference and asks again.
//
// TestCLI_16_GoldenOutputOfApprove compares what the command prints with a file.
func TestCLI_16_GoldenOutputOfApprove(t *testing.T) {
	greetsOtherwise := func(text string) string { return strings.Replace(text, "hello", "goodbye", 1) }
	changes := func(s *approvalServer, name string) {
		if s.beforePatch = nil; name == "byhand" {
			s.planAgain("byhand", "sha256:3333", greetsOtherwise)
		}
	}
	plansAfterwards := func(s *approvalServer) { s.afterPatch = (*approvalServer).awaitPlan }
	forbid := func(kinds ...string) func(*approvalServer) {
		return func(s *approvalServer) {
			for _, kind := range kinds {
				s.forbidden = append(s.forbidden, paths[kind])
			}
		}
	}
	deny := func(permissions ...string) func(*approvalServer) {
		return func(s *approvalServer) { s.denied = permissions }
	}
	for name, test := range map[string]struct {
		width   int
		args    []string
		answers []string
		prepare func(*approvalServer)
	}{
		"plan":                     {0, []string{"compass"}, []string{"y"}, nil},
		"deployment":               {0, []string{"byhand"}, []string{"yes"}, nil},
		"declined":                 {0, []string{"bundledeployment/compass"}, []string{""}, nil},
		"plan-80-columns":          {80, []string{"bd/byhand", "--dry-run"}, nil, nil},
		"plan-json":                {0, []string{"byhand", "--dry-run=client", "-o", "json"}, nil, nil},
		"plan-yaml":                {0, []string{"compass", "--yes", "-o", "yaml"}, nil, nil},
		"version-and-plan":         {0, []string{"quay"}, []string{"y", "y"}, plansAfterwards},
		"version-dry-run":          {0, []string{"platformoperator/quay", "--dry-run"}, nil, nil},
		"version-chosen":           {0, []string{"quay", "--version", "1.1.0", "--yes", "-o", "json"}, nil, plansAfterwards},
		"version-without-verb":     {0, []string{"quay"}, []string{"y"}, deny("approve quay")},
		"nothing":                  {0, []string{"calm"}, nil, nil},
		"nothing-json":             {0, []string{"calm", "--dry-run", "-o", "json"}, nil, nil},
		"changed":                  {0, []string{"byhand"}, []string{"y", "y"}, func(s *approvalServer) { s.beforePatch = changes }},
		"changed-without-question": {0, []string{"byhand", "--yes"}, nil, func(s *approvalServer) { s.beforePatch = changes }},
		"digest":                   {0, []string{"compass", "--yes", "--digest", "sha256:2000"}, nil, nil},
		"other-digest":             {0, []string{"compass", "--yes", "--digest", "sha256:1999"}, nil, nil},
		"other-digest-json":        {0, []string{"compass", "--yes", "--digest", "sha256:1999", "-o", "json"}, nil, nil},
		"without-verb":             {0, []string{"byhand"}, nil, deny("approve byhand")},
		"without-verb-or-roles": {0, []string{"byhand"}, nil, func(s *approvalServer) {
			deny("approve byhand")(s)
			forbid("ClusterRole")(s)
		}},
		"unreadable":        {0, []string{"byhand"}, []string{"y"}, forbid("ConfigMap")},
		"unreadable-digest": {0, []string{"byhand", "--digest", "sha256:3000", "--yes"}, nil, forbid("ConfigMap")},
		"withdraw":          {0, []string{"quay", "--withdraw"}, []string{"y"}, nil},
		"withdraw-nothing":  {0, []string{"compass", "--withdraw"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := newApprovalServer(t)
			if test.prepare != nil {
				test.prepare(server)
			}
			arguments := append(append(server.start(t), "approve"), test.args...)
			compareGolden(t, "approve-"+name, runAnswering(t, test.width, &answers{lines: test.answers}, arguments...))
		})
	}
}

// TestCLI_16_WhatIsWritten checks the patches: their order, their preconditions, and that nothing else is written.
func TestCLI_16_WhatIsWritten(t *testing.T) {
	for name, test := range map[string]struct {
		args    []string
		answers []string
		want    []string
	}{
		"Plan": {[]string{"compass"}, []string{"y"}, []string{
			`{"metadata":{"resourceVersion":"201","uid":"compass-deployment-uid"},"spec":{"approval":{"approvedBy":"ada","planDigest":"sha256:2000"}}}`,
		}},
		"VersionAndPlan": {[]string{"quay"}, []string{"y", "y"}, []string{
			`{"metadata":{"resourceVersion":"100","uid":"quay-uid"},"spec":{"upgrades":{"approvedVersion":"1.2.0"}}}`,
			`{"metadata":{"resourceVersion":"1200","uid":"quay-deployment-uid"},"spec":{"approval":{"approvedBy":"ada","planDigest":"sha256:1100"}}}`,
		}},
		"Withdrawal": {[]string{"quay", "--withdraw", "--yes"}, nil, []string{
			`{"metadata":{"resourceVersion":"200","uid":"quay-deployment-uid"},"spec":{"approval":{"approvedBy":null,"planDigest":null}}}`,
		}},
		"DryRun":             {[]string{"compass", "--dry-run"}, nil, nil},
		"DryRunOfAVersion":   {[]string{"quay", "--dry-run"}, nil, nil},
		"DryRunOfWithdrawal": {[]string{"quay", "--withdraw", "--dry-run"}, nil, nil},
		"AnotherDigest":      {[]string{"compass", "--yes", "--digest", "sha256:0"}, nil, nil},
		"NoAnswer":           {[]string{"compass"}, nil, nil},
	} {
		server := newApprovalServer(t)
		server.afterPatch = (*approvalServer).awaitPlan
		got := runAnswering(t, 0, &answers{lines: test.answers}, append(append(server.start(t), "approve"), test.args...)...)
		if !slices.Equal(server.patches, test.want) {
			t.Errorf("%s: got exit code %d and patches %q, want %q; %s", name, got.code, server.patches, test.want, got.errOut)
		}
		for _, request := range server.requests {
			if method, _, _ := strings.Cut(request, " "); method != http.MethodGet && method != http.MethodPatch && !strings.Contains(request, "/selfsubject") {
				t.Errorf("%s: got request %s", name, request)
			}
		}
	}
}

// TestCLI_16_AChangeOfTheStatusAloneNeedsNoQuestion checks that a conflict is retried if the same plan still waits.
func TestCLI_16_AChangeOfTheStatusAloneNeedsNoQuestion(t *testing.T) {
	server, conflicts := newApprovalServer(t), 3
	server.beforePatch = func(s *approvalServer, name string) {
		if conflicts--; conflicts >= 0 {
			s.touch("BundleDeployment", name)
		}
	}
	got := runAnswering(t, 0, &answers{lines: []string{"y"}}, append(server.start(t), "approve", "compass")...)
	if got.code != exit.OK || len(server.patches) != 1 || strings.Count(got.errOut, "[y/N]") != 1 {
		t.Errorf("got exit code %d, patches %q and %s", got.code, server.patches, got.errOut)
	}
}

// TestCLI_16_ATextOfAnotherPlanIsNotShown checks that the command waits while the ConfigMaps have another plan than the status.
func TestCLI_16_ATextOfAnotherPlanIsNotShown(t *testing.T) {
	server := newApprovalServer(t)
	data := server.object("ConfigMap", "plan-compass-1")["data"].(map[string]any)
	right := maps.Clone(data)
	data["digest"], data["plan"] = "sha256:9999", "digest sha256:9999\ncreate ConfigMap compass/other\n"
	reads := 0
	server.handlers[paths["ConfigMap"]] = func(w http.ResponseWriter, r *http.Request) {
		if reads++; reads == 2 {
			maps.Copy(data, right)
		}
		writeObject(w, server.objects[paths["ConfigMap"]], strings.TrimPrefix(r.URL.Path, paths["ConfigMap"]+"/"))
	}
	got := runAnswering(t, 0, nil, append(server.start(t), "approve", "compass", "--dry-run")...)
	if strings.Contains(got.out, "9999") || !strings.Contains(got.out, "delete Service compass/old") || !strings.Contains(got.errOut, "Waiting: the manager has to write the plan") {
		t.Errorf("got exit code %d, %s and\n%s", got.code, got.errOut, got.out)
	}
}

// TestCLI_16_HiddenCharactersOfAPlanAreVisible checks that a plan cannot hide text from its reader.
func TestCLI_16_HiddenCharactersOfAPlanAreVisible(t *testing.T) {
	server := newApprovalServer(t)
	server.planAgain("compass", "sha256:2001", func(text string) string { return text + "delete Role \x1b[2Jcompass/\u202eold\n" })
	arguments := server.start(t)
	for _, format := range []string{"text", "json", "yaml"} {
		got := runAnswering(t, 0, nil, append(arguments, "approve", "compass", "--dry-run", "-o", format)...)
		if strings.ContainsAny(got.out, "\x1b\u202e") || !strings.Contains(strings.ToLower(got.out), "202eold") {
			t.Errorf("%s: got exit code %d and %q", format, got.code, got.out)
		}
	}
}

// TestCLI_16_BadInput checks exit codes and errors of commands that cannot work.
func TestCLI_16_BadInput(t *testing.T) {
	for name, test := range map[string]struct {
		args     []string
		canAsk   bool
		code     exit.Code
		errOut   string // a part of standard error
		mayPrint bool
	}{
		"NoTerminal":           {[]string{"compass"}, false, exit.Usage, "show what waits for an approval with --dry-run, and approve it with --yes and --digest", false},
		"QuestionInJSON":       {[]string{"compass", "-o", "json"}, true, exit.Usage, "-o json asks nothing: add --dry-run", false},
		"UnknownDryRun":        {[]string{"compass", "--dry-run=server"}, true, exit.Usage, "use one of none, client", false},
		"WithdrawalNoTerminal": {[]string{"quay", "--withdraw"}, false, exit.Usage, "withdraw it with --withdraw --yes", false},
		"WithdrawADigest":      {[]string{"quay", "--withdraw", "--digest", "sha256:1"}, true, exit.Usage, "omit --digest and --version", false},
		"VersionOfDeployment":  {[]string{"bd/byhand", "--version", "1.0.0"}, true, exit.Usage, "omit --version", false},
		"NoName":               {[]string{"bd/"}, true, exit.Usage, `"" is not the name of a BundleDeployment`, false},
		"UnknownOperator":      {[]string{"quey"}, true, exit.Failure, `there is no PlatformOperator "quey"; did you mean quay?`, false},
		"UnknownDeployment":    {[]string{"bd/quey"}, true, exit.Failure, `reading BundleDeployment "quey"`, false},
		"OperatorNotDeployment": {[]string{"platformoperator/byhand"}, true, exit.Failure,
			`there is no PlatformOperator "byhand"`, false},
		"UnknownVersion":    {[]string{"quay", "--version", "9.0.0"}, true, exit.Usage, "correct --version; see: kubectl platform updates quay", false},
		"BlockedVersion":    {[]string{"quay", "--version", "2.0.0"}, true, exit.Blocked, "does not wait for an approval (NoEdge)", false},
		"ApprovedVersion":   {[]string{"compass", "--version", "1.1.0"}, true, exit.Usage, "waits for the approval of a plan, not of the version: omit --version", false},
		"OtherPlanOfNone":   {[]string{"calm", "--digest", "sha256:1", "--yes"}, true, exit.Blocked, "there is no plan, and --digest is sha256:1", true},
		"MayNotPatch":       {[]string{"calm", "--version", "1.1.0", "--yes"}, true, exit.Usage, "is not among the updates", false},
		"PlanNeverComputed": {[]string{"quay", "--yes", "--timeout", "2s"}, true, exit.Timeout, "the version is approved, and its plan is not: waiting for the manager", true},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			arguments := append(append(newApprovalServer(t).start(t), "approve"), test.args...)
			i := invocation.New("kubectl-platform", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut})
			i.CanAsk = test.canAsk
			code := Run(t.Context(), i, "kubectl-platform", arguments)
			if code != test.code || !strings.Contains(errOut.String(), test.errOut) || out.Len() > 0 != test.mayPrint {
				t.Errorf("got exit code %d, standard error %q and output %q, want %d and %q", code, errOut.String(), out.String(), test.code, test.errOut)
			}
		})
	}
}

// TestCLI_16_NothingIsApprovedThatCannotBeWritten checks that a closed pipe is a failure if something was to be approved.
func TestCLI_16_NothingIsApprovedThatCannotBeWritten(t *testing.T) {
	for _, test := range []struct {
		args []string
		code exit.Code
	}{
		{[]string{"compass", "--yes"}, exit.Failure}, {[]string{"quay", "--yes"}, exit.Failure}, {[]string{"quay", "--withdraw", "--yes"}, exit.Failure},
		{[]string{"compass", "--dry-run"}, exit.OK}, {[]string{"calm", "--yes"}, exit.OK}, {[]string{"compass", "--dry-run", "-o", "json"}, exit.OK},
	} {
		server := newApprovalServer(t)
		var errOut bytes.Buffer
		i := invocation.New("kubectl-platform", genericiooptions.IOStreams{In: strings.NewReader(""), Out: closedPipe{}, ErrOut: &errOut})
		code := Run(t.Context(), i, "kubectl-platform", append(append(server.start(t), "approve"), test.args...))
		if code != test.code || len(server.patches) > 0 || (errOut.Len() > 0) != (code == exit.Failure) {
			t.Errorf("%q: got exit code %d, want %d; patches %q and %s", test.args, code, test.code, server.patches, errOut.String())
		}
	}
}

// TestCLI_16_CtrlCEndsAQuestion interrupts the command while a user reads the plan.
func TestCLI_16_CtrlCEndsAQuestion(t *testing.T) {
	server := newApprovalServer(t)
	ctx, interrupt := context.WithCancel(t.Context())
	in, answer := io.Pipe() // nobody answers
	defer answer.Close()
	var out, errOut bytes.Buffer
	i := invocation.New("kubectl-platform", genericiooptions.IOStreams{In: in, Out: &out, ErrOut: interruptAt{&errOut, "[y/N]", interrupt}})
	i.CanAsk = true
	code := Run(ctx, i, "kubectl-platform", append(server.start(t), "approve", "compass"))
	if code != exit.Interrupted || len(server.patches) > 0 || !strings.HasSuffix(errOut.String(), "error: interrupted\n") {
		t.Errorf("got exit code %d, patches %q and %q", code, server.patches, errOut.String())
	}
}

// interruptAt is a stream that interrupts a command when it writes a text.
type interruptAt struct {
	io.Writer
	text      string
	interrupt func()
}

// Write implements io.Writer.
func (i interruptAt) Write(content []byte) (int, error) {
	if strings.Contains(string(content), i.text) {
		defer i.interrupt()
	}
	return i.Writer.Write(content)
}

// TestCLI_16_TheTimeoutDoesNotLimitTheAnswer checks that a user may read a plan for longer than --timeout.
func TestCLI_16_TheTimeoutDoesNotLimitTheAnswer(t *testing.T) {
	const timeout = time.Second
	in := &answers{lines: []string{"y"}, before: func(int) {
		reading, cancel := context.WithTimeout(t.Context(), timeout+timeout/10)
		defer cancel()
		<-reading.Done()
	}}
	got := runAnswering(t, 0, in, append(newApprovalServer(t).start(t), "approve", "compass", "--timeout", timeout.String())...)
	if got.code != exit.OK {
		t.Errorf("got exit code %d: %s", got.code, got.errOut)
	}
}

// TestCLI_16_TheReportHasTheWholePlan checks the fields that a pipeline reads.
func TestCLI_16_TheReportHasTheWholePlan(t *testing.T) {
	got := runAnswering(t, 0, nil, append(newApprovalServer(t).start(t), "approve", "byhand", "--dry-run", "-o", "json")...)
	var report struct {
		Kind, Outcome string
		Plan          struct{ Digest, Text, Permissions string }
	}
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatalf("%v: %s", err, got.errOut)
	}
	if report.Kind != "Approval" || report.Outcome != "DryRun" || report.Plan.Digest != "sha256:3000" || !strings.Contains(report.Plan.Text, "create ConfigMap byhand/settings") ||
		!strings.HasPrefix(report.Plan.Permissions, "kind: Role\n") {
		t.Errorf("got %+v", report)
	}
}
