package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
)

var update = flag.Bool("update", false, "write the golden files of this package")

// now is the time of all invocations.
var now = time.Date(2026, 11, 28, 6, 0, 0, 0, time.UTC)

// result is what a command printed, and its exit code.
type result struct {
	out, errOut string
	code        exit.Code
}

// run runs the plugin as "kubectl platform" on a terminal of width columns; 0 means a pipe.
func run(t *testing.T, width int, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := runWith(t.Context(), "/usr/bin/kubectl-platform", width, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out,
		ErrOut: &errOut}, args...)
	return result{out.String(), errOut.String(), code}
}

func runWith(ctx context.Context, path string, width int, streams genericiooptions.IOStreams, args ...string) exit.Code {
	i := invocation.New(path, streams)
	i.Width, i.Now = width, func() time.Time { return now }
	return Run(ctx, i, path, args)
}

// compareGolden compares a result with testdata/golden/<name>.txt, which -update writes.
func compareGolden(t *testing.T, name string, got result) {
	t.Helper()
	text := fmt.Sprintf("exit code %d\n--- standard output\n%s--- standard error\n%s", got.code, got.out, got.errOut)
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; go test ./pkg/cli -update writes it", err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("the output differs from %s (-want +got); go test ./pkg/cli -update accepts it:\n%s", file, diff)
	}
}

// Promise CLI-18: The plugin's commands search, list and status show what there is to install, what is installed, healthy, blocked, drifted
// and waiting, and the cluster's verdict first. They have the formats table, wide, json, yaml and name, and send a bounded number of
// requests.
//
// TestCLI_18_GoldenOutputOfEachCommandAndFormat compares what a command prints with a file.
func TestCLI_18_GoldenOutputOfEachCommandAndFormat(t *testing.T) {
	for name, test := range map[string]struct {
		cluster string
		width   int
		args    []string
	}{
		"list":                       {"mixed.yaml", 0, []string{"list"}},
		"list-wide":                  {"mixed.yaml", 0, []string{"list", "-o", "wide"}},
		"list-json":                  {"mixed.yaml", 0, []string{"list", "-o", "json"}},
		"list-yaml":                  {"mixed.yaml", 0, []string{"list", "-o", "yaml"}},
		"list-name":                  {"mixed.yaml", 0, []string{"list", "-o", "name"}},
		"list-no-headers":            {"mixed.yaml", 0, []string{"list", "--no-headers"}},
		"list-40-columns":            {"mixed.yaml", 40, []string{"list"}},
		"list-nothing-installed":     {"plain.yaml", 0, []string{"list"}},
		"list-older-manager":         {"older.yaml", 0, []string{"list", "-o", "wide"}},
		"status":                     {"mixed.yaml", 0, []string{"status"}},
		"status-wide":                {"mixed.yaml", 0, []string{"status", "-o", "wide"}},
		"status-json":                {"mixed.yaml", 0, []string{"status", "-o", "json"}},
		"status-yaml":                {"mixed.yaml", 0, []string{"status", "-o", "yaml"}},
		"status-name":                {"mixed.yaml", 0, []string{"status", "-o", "name"}},
		"status-40-columns":          {"mixed.yaml", 40, []string{"status"}},
		"status-80-columns":          {"mixed.yaml", 80, []string{"status"}},
		"status-older-manager":       {"older.yaml", 0, []string{"status"}},
		"status-plain-kubernetes":    {"plain.yaml", 0, []string{"status"}},
		"status-operator-blocks":     {"mixed.yaml", 80, []string{"status", "compass"}},
		"status-operator-drifted":    {"mixed.yaml", 80, []string{"status", "drifter"}},
		"status-operator-upgrading":  {"mixed.yaml", 80, []string{"status", "anchor"}},
		"status-operator-40-columns": {"mixed.yaml", 40, []string{"status", "drifter"}},
		"status-operator-unknown":    {"mixed.yaml", 0, []string{"status", "nothing"}},
		"status-deployments":         {"deployments.yaml", 0, []string{"status"}},
		"list-outdated":              {"outdated.yaml", 80, []string{"list"}},
		"list-outdated-json":         {"outdated.yaml", 0, []string{"list", "-o", "json"}},
		"status-outdated":            {"outdated.yaml", 80, []string{"status"}},
		"status-outdated-json":       {"outdated.yaml", 0, []string{"status", "-o", "json"}},
		"status-operator-outdated":   {"outdated.yaml", 80, []string{"status", "beacon"}},
		"status-awaits-plan":         {"approval.yaml", 0, []string{"status", "compass"}},
		"status-unknown":             {"unknown.yaml", 80, []string{"status"}},
		"status-operator-json":       {"mixed.yaml", 0, []string{"status", "drifter", "-o", "json"}},
	} {
		t.Run(name, func(t *testing.T) {
			compareGolden(t, name, run(t, test.width, append(newAPIServer(t, test.cluster).start(t), test.args...)...))
		})
	}
}

// TestCLI_18_TheNumberOfRequestsDoesNotDependOnTheNumberOfOperators counts the requests of each command, for no operators and for 100.
func TestCLI_18_TheNumberOfRequestsDoesNotDependOnTheNumberOfOperators(t *testing.T) {
	for _, verb := range []struct {
		args []string
		want int
	}{{[]string{"list"}, 1}, {[]string{"status"}, 6}} {
		for _, operators := range []int{0, 100} {
			server := newAPIServer(t, "plain.yaml")
			addOperators(server, operators)
			if got := run(t, 0, append(server.start(t), verb.args...)...); got.code != exit.OK {
				t.Errorf("%v with %d operators: exit code %d, %s", verb.args, operators, got.code, got.errOut)
			}
			if len(server.requests) != verb.want {
				t.Errorf("%v with %d operators: got %d requests, want %d: %q", verb.args, operators, len(server.requests), verb.want, server.requests)
			}
		}
	}
}

// TestCLI_18_ALongListIsReadInPages checks that each command reports every operator of a list that has several pages.
func TestCLI_18_ALongListIsReadInPages(t *testing.T) {
	server := newAPIServer(t, "plain.yaml")
	addOperators(server, 350)
	arguments := server.start(t)
	for _, verb := range []string{"list", "status"} {
		if got := run(t, 0, append(arguments, verb, "-o", "name")...); strings.Count(got.out, "\n") != 350 {
			t.Errorf("%s: got %d names, want 350; %s", verb, strings.Count(got.out, "\n"), got.errOut)
		}
	}
}

func addOperators(server *apiServer, number int) {
	conditions := []any{
		map[string]any{"type": "Installed", "status": "True", "reason": "InstallSuccessful"},
		map[string]any{"type": "Progressing", "status": "False", "reason": "AsExpected"},
		map[string]any{"type": "Healthy", "status": "True", "reason": "AsExpected"},
	}
	for i := range number {
		name := fmt.Sprintf("operator-%03d", i)
		server.add(map[string]any{
			"apiVersion": "platform.openshift.io/v1alpha1", "kind": "PlatformOperator", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"package": map[string]any{"name": name}}, "status": map[string]any{"conditions": conditions},
		})
		server.add(map[string]any{"apiVersion": "core.rukpak.io/v1alpha2", "kind": "BundleDeployment", "metadata": map[string]any{"name": name}})
	}
}

// Promise CLI-12: The plugin works as plugins of kubectl and oc do: names, completion, flags and streams. Its exit codes are documented. It
// needs a terminal of 40 columns. A closed pipe or Ctrl-C ends it quietly.
//
// TestCLI_12_BadInput checks exit codes and errors of commands that cannot work.
func TestCLI_12_BadInput(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent := "http://" + listener.Addr().String() // accepts connections and never answers
	defer listener.Close()
	for name, test := range map[string]struct {
		args   []string
		code   exit.Code
		errOut string // a part of standard error
	}{
		"NoKubeconfig":     {[]string{"status"}, exit.Usage, `none" of KUBECONFIG does not exist; set KUBECONFIG to`},
		"UnknownContext":   {[]string{"list", "--context", "nowhere"}, exit.Usage, `context "nowhere" does not exist`},
		"NoServer":         {[]string{"list", "--server", "http://127.0.0.1:1"}, exit.Failure, "check --kubeconfig, --context and the network"},
		"SilentServer":     {[]string{"list", "--server", silent, "--timeout", "50ms"}, exit.Timeout, "raise --timeout"},
		"RequestTimeout":   {[]string{"list", "--server", silent, "--request-timeout", "50ms"}, exit.Timeout, "raise --timeout"},
		"UnknownCommand":   {[]string{"stats"}, exit.Usage, `unknown command "stats"; did you mean status?`},
		"UnknownFlag":      {[]string{"list", "--nothing"}, exit.Usage, "see: kubectl platform list --help"},
		"UnknownFormat":    {[]string{"list", "-o", "table2"}, exit.Usage, "use one of table, wide, json, yaml, name"},
		"TooManyArguments": {[]string{"status", "a", "b"}, exit.Usage, "see: kubectl platform status --help"},
		"UnneededArguments": {[]string{"list", "compass"}, exit.Usage,
			"list takes no argument; for one operator, use: kubectl platform status compass; see: "},
		"EmptyOfList": {[]string{"list", ""}, exit.Usage, "an argument is empty; see: kubectl platform list --help"},
		"UnknownShell": {[]string{"completion", "bahs"}, exit.Usage,
			`unknown command "bahs"; did you mean bash?; see: kubectl platform completion --help`},
		"ArgumentOfShell": {[]string{"completion", "bash", "a"}, exit.Usage,
			"bash takes no argument; see: kubectl platform completion bash --help"},
		"UnknownTopic": {[]string{"help", "stats"}, exit.Usage,
			`unknown command "stats"; did you mean status?; see: kubectl platform --help`},
		"UnknownTopicBelow": {[]string{"help", "catalog", "lin"}, exit.Usage,
			`unknown command "lin"; did you mean lint?; see: kubectl platform catalog --help`},
		"TopicOfAVerb":    {[]string{"help", "status", "a"}, exit.Usage, `unknown command "a"; see: kubectl platform status --help`},
		"EmptyOperator":   {[]string{"status", ""}, exit.Usage, "an argument is empty; see: kubectl platform status --help"},
		"EmptyOfUpdates":  {[]string{"updates", " "}, exit.Usage, "an argument is empty; see: kubectl platform updates --help"},
		"EmptyOfExplain":  {[]string{"explain", ""}, exit.Usage, "an argument is empty; see: kubectl platform explain --help"},
		"NoNameOfExplain": {[]string{"explain", "platformoperator/"}, exit.Usage, `"" is not the name of a PlatformOperator`},
		"NoNameOfStatus":  {[]string{"status", "plop/"}, exit.Usage, `"" is not the name of a PlatformOperator`},
		"NoNameOfGraph":   {[]string{"graph", "plop/"}, exit.Usage, `"" is not the name of a PlatformOperator`},
		"NoArgument":      {[]string{"updates"}, exit.Usage, "an argument is missing: kubectl platform updates OPERATOR; see: "},
		"EmptyOfGraph":    {[]string{"graph", ""}, exit.Usage, "an argument is empty; see: kubectl platform graph --help"},
		"EmptyDirectory": {[]string{"catalog", "lint", ""}, exit.Usage,
			"an argument is empty; see: kubectl platform catalog lint --help"},
		"NegativeTimeout": {[]string{"list", "--timeout", "-1s"}, exit.Usage, "--timeout -1s is negative: 0 means no maximum"},
		"AuthorityOfADirectory": {[]string{"search", "--catalog-dir", harbor, "--catalog-ca-file", "ca.pem"}, exit.Usage,
			"omit --catalog-ca-file, or --catalog-dir"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
			got := run(t, 0, test.args...)
			if got.code != test.code || !strings.Contains(got.errOut, test.errOut) || got.out != "" {
				t.Errorf("got exit code %d, standard error %q and output %q, want %d and %q", got.code, got.errOut, got.out, test.code, test.errOut)
			}
			if strings.Count(got.errOut, "\n") != 1 || !strings.HasPrefix(got.errOut, "error: ") {
				t.Errorf("got standard error %q, want one line", got.errOut)
			}
		})
	}
}

// TestCLI_7_AMisspelledOperator checks that the error suggests similar names, for one more request.
func TestCLI_7_AMisspelledOperator(t *testing.T) {
	const suggestion = `there is no PlatformOperator "compas"; did you mean compass?; list them with: kubectl platform list`
	for _, test := range []struct {
		args      []string
		forbidden string // the kind whose list is forbidden
		want      string
	}{
		{[]string{"status", "compas"}, "", suggestion},
		{[]string{"explain", "compas"}, "", suggestion},
		{[]string{"updates", "compas"}, "", suggestion},
		{[]string{"graph", "compas"}, "", suggestion},
		{[]string{"updates", "submarine"}, "", `there is no PlatformOperator "submarine"; list them with: kubectl platform list`},
		{[]string{"updates", "compas"}, "PlatformOperator", `there is no PlatformOperator "compas"; list them with: kubectl platform list`},
	} {
		server := newAPIServer(t, "mixed.yaml")
		if test.forbidden != "" {
			list := paths[test.forbidden]
			server.handlers = map[string]http.HandlerFunc{list: func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == list {
					writeStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden, "forbidden")
					return
				}
				writeStatus(w, http.StatusNotFound, metav1.StatusReasonNotFound, "not found")
			}}
		}
		got := run(t, 0, append(server.start(t), test.args...)...)
		if got.code != exit.Failure || got.errOut != "error: "+test.want+"\n" {
			t.Errorf("%q: got exit code %d and %q, want %q", test.args, got.code, got.errOut, test.want)
		}
		most := 2
		if test.args[0] == "explain" {
			most++ // for a BundleDeployment of this name
		}
		if len(server.requests) != most {
			t.Errorf("%q: got requests %q, want %d", test.args, server.requests, most)
		}
	}
}

// TestCLI_12_HelpAndCompletion checks that the commands that cobra adds work.
func TestCLI_12_HelpAndCompletion(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"help"}, "Look at installed operators:"},
		{[]string{"help", "catalog", "lint"}, "kubectl platform catalog lint DIR|IMAGE [flags]"},
		{[]string{"help", "completion"}, "kubectl platform completion [command]"},
		{[]string{"completion"}, "kubectl platform completion [command]"},
		{[]string{"completion", "bash"}, "bash completion V2 for kubectl-platform"},
	} {
		if got := run(t, 0, test.args...); got.code != exit.OK || !strings.Contains(got.out, test.want) || got.errOut != "" {
			t.Errorf("%q: got exit code %d, standard error %q and output\n%s", test.args, got.code, got.errOut, got.out)
		}
	}
}

// TestCLI_12_WithoutRightsOrWithoutTheAPI checks what the commands say about objects that the user may not read, or that the server does not
// serve.
func TestCLI_12_WithoutRightsOrWithoutTheAPI(t *testing.T) {
	for name, change := range map[string]func(*apiServer){
		"no-right-to-operators": func(s *apiServer) { s.forbidden = []string{paths["PlatformOperator"]} },
		"no-right-to-others": func(s *apiServer) {
			s.forbidden = []string{paths["BundleDeployment"], paths["ClusterOperator"], paths["ClusterVersion"], paths["PlatformOperatorManager"]}
		},
		"no-api": func(s *apiServer) { s.objects = nil },
	} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t, "mixed.yaml")
			change(server)
			compareGolden(t, "status-"+name, run(t, 0, append(server.start(t), "status")...))
		})
	}
}

// TestCLI_12_AnUnknownVerdictIsAFailure checks that a verdict which may not be read does not look like a permission to upgrade.
func TestCLI_12_AnUnknownVerdictIsAFailure(t *testing.T) {
	for _, test := range []struct {
		forbidden []string
		args      []string
		code      exit.Code
	}{
		{nil, []string{"status"}, exit.OK},
		{[]string{"PlatformOperatorManager", "ClusterOperator"}, []string{"status"}, exit.Failure},
		{[]string{"PlatformOperatorManager", "ClusterOperator"}, []string{"status", "-o", "json"}, exit.Failure},
		{[]string{"PlatformOperatorManager", "ClusterOperator"}, []string{"explain", "upgrade"}, exit.Failure},
		{[]string{"PlatformOperatorManager", "ClusterOperator"}, []string{"status", "operator-000"}, exit.OK},
		{[]string{"PlatformOperatorManager", "ClusterOperator"}, []string{"explain", "operator-000"}, exit.OK},
		{[]string{"BundleDeployment"}, []string{"status"}, exit.OK},
		{[]string{"BundleDeployment"}, []string{"status", "operator-000"}, exit.Failure},
		{[]string{"BundleDeployment"}, []string{"explain", "operator-000"}, exit.Failure},
	} {
		server := newAPIServer(t, "plain.yaml")
		addOperators(server, 1)
		server.objects[paths["ClusterOperator"]] = []map[string]any{} // served, and empty
		for _, kind := range test.forbidden {
			server.forbidden = append(server.forbidden, paths[kind])
		}
		got := run(t, 0, append(server.start(t), test.args...)...)
		if saysSo := strings.Contains(got.errOut, "error: it is not known whether"); got.code != test.code || saysSo != (got.code == exit.Failure) {
			t.Errorf("%v without the right to read %v: got exit code %d, want %d: %s", test.args, test.forbidden, got.code, test.code, got.errOut)
		}
	}
}

// closedPipe is a stream whose reader has gone.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestCLI_12_AClosedPipeEndsQuietly(t *testing.T) {
	arguments := newAPIServer(t, "mixed.yaml").start(t)
	for _, args := range [][]string{
		{"list"}, {"list", "-o", "json"}, {"status"}, {"status", "-o", "yaml"}, {"status", "-o", "name"},
		{"updates", "compass"}, {"explain", "upgrade"}, {"explain", "upgrade", "-o", "json"},
		{"graph", "--package", "anchor", "--catalog-dir", harbor}, {"graph", "--package", "anchor", "--catalog-dir", harbor, "-o", "dot"},
	} {
		var errOut bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: closedPipe{}, ErrOut: &errOut}
		if code := runWith(t.Context(), "kubectl-platform", 0, streams, append(arguments, args...)...); code != exit.OK || errOut.Len() > 0 {
			t.Errorf("%v: got exit code %d and standard error %q, want 0 and nothing", args, code, errOut.String())
		}
	}
}

func TestCLI_12_CtrlCEndsACommand(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		if connection, err := listener.Accept(); err == nil {
			defer connection.Close()
		}
		interrupt()
	}()
	var errOut bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &bytes.Buffer{}, ErrOut: &errOut}
	code := runWith(ctx, "kubectl-platform", 0, streams, "list", "--server", "http://"+listener.Addr().String())
	if code != exit.Interrupted || errOut.String() != "error: interrupted\n" {
		t.Errorf("got exit code %d and standard error %q", code, errOut.String())
	}
}

func TestCLI_12_UsageShowsTheNameOfTheCall(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/local/bin/kubectl-platform": "kubectl platform status [OPERATOR] [flags]",
		"/usr/local/bin/oc-platform":      "oc platform status [OPERATOR] [flags]",
		"./platform":                      "platform status [OPERATOR] [flags]",
		"platform.exe":                    "platform status [OPERATOR] [flags]",
	} {
		var out bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}}
		runWith(t.Context(), path, 0, streams, "status", "--help")
		if !strings.Contains(out.String(), "\n  "+want+"\n") {
			t.Errorf("%s: the help has no line %q:\n%s", path, want, out.String())
		}
	}
}

func TestCLI_12_NamesAndFormatsAreCompleted(t *testing.T) {
	arguments := newAPIServer(t, "mixed.yaml").start(t)
	for _, test := range []struct {
		path string
		args []string
		want string
	}{
		{"kubectl-platform", []string{"__complete", "status", "c"}, "compass\tcompass\n:4\n"},
		{"kubectl_complete-platform", []string{"status", "c"}, "compass\tcompass\n:4\n"},
		{"oc_complete-platform", []string{"status", "-o", "j"}, "json\n:4\n"},
		{"kubectl_complete-platform", []string{"stat"}, "status\t"},
		{"oc_complete-platform", []string{"graph", "-o", "m"}, "mermaid\n:4\n"},
		{"oc_complete-platform", []string{"updates", "comp"}, "compass\tcompass\n:4\n"},
		{"oc_complete-platform", []string{"explain", "up"}, "upgrade\tthe upgrade of the cluster\n:4\n"},
	} {
		var out bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}}
		at := len(test.args) - 1
		args := append(append(append([]string{}, test.args[:at]...), arguments...), test.args[at])
		if len(test.args) == 3 && test.args[1] == "-o" { // the value follows its flag
			args = append(append([]string{test.args[0]}, arguments...), test.args[1:]...)
		}
		if runWith(t.Context(), test.path, 0, streams, args...); !strings.HasPrefix(out.String(), test.want) {
			t.Errorf("%s %q: got %q, want %q", test.path, args, out.String(), test.want)
		}
	}
}

// brokenTransport is a connection to an API server that breaks.
type brokenTransport struct{}

func (brokenTransport) RoundTrip(*http.Request) (*http.Response, error) { return nil, syscall.EPIPE }

// TestCLI_12_ABrokenConnectionIsAFailure checks that only a closed pipe of standard output ends quietly.
func TestCLI_12_ABrokenConnectionIsAFailure(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	for _, verb := range []string{"list", "status", "search"} {
		var out, errOut bytes.Buffer
		i := invocation.New("kubectl-platform", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut})
		i.Connection.WrapConfigFn = func(config *rest.Config) *rest.Config {
			config.Wrap(func(http.RoundTripper) http.RoundTripper { return brokenTransport{} })
			return config
		}
		code := Run(t.Context(), i, "kubectl-platform", []string{verb, "--server", "http://127.0.0.1:1"})
		if code != exit.Failure || !strings.Contains(errOut.String(), "broken pipe") {
			t.Errorf("%s: got exit code %d, output %q and standard error %q", verb, code, out.String(), errOut.String())
		}
	}
}
