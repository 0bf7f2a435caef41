package catalog

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestHRD_B4_RetainedContentIsReserved adds megabytes of each kind of content with a budget of one megabyte, and checks that Builder
// reports it.
func TestHRD_B4_RetainedContentIsReserved(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for what, add := range map[string]func(b *Builder, n int){
		"packages":         func(b *Builder, n int) { b.AddPackage(fmt.Sprint(n), "") },
		"default channels": func(b *Builder, n int) { b.AddPackage("p", fmt.Sprint(n, long)) },
		"channels":         func(b *Builder, n int) { b.AddChannel(fmt.Sprint("p", n%10), fmt.Sprint(n, long)) },
		"entries":          func(b *Builder, n int) { b.AddChannel("p", "c", Entry{Name: fmt.Sprint(n, long)}) },
		"entries that take another's place": func(b *Builder, n int) {
			entry := Entry{Name: fmt.Sprint(n / 2), Replaces: "b"}
			if n%2 == 1 {
				entry.Replaces, entry.SkipRange = "a", long
			}
			b.AddChannel("p", "c", entry)
		},
		"bundles":      func(b *Builder, n int) { b.AddBundle("p", Bundle{Name: fmt.Sprint(n, long)}) },
		"faults":       func(b *Builder, n int) { b.AddFault(fmt.Sprint("p", n/50), fmt.Errorf("%d %.300s", n, long)) },
		"deprecations": func(b *Builder, n int) { b.AddDeprecations(fmt.Sprint("p", n), []Deprecation{{Message: long}}) },
		"upgrade rules": func(b *Builder, n int) {
			b.AddUpgradeRules(fmt.Sprint("p", n), rulesV1, "", []byte(`{"x":"`+long+`"}`))
		},
		"what is reserved": func(b *Builder, n int) { b.Reserve("p", 1000) },
		"kinds that differ": func(b *Builder, n int) {
			b.AddBundle("p", Bundle{Name: fmt.Sprint(n), ProvidedGVKs: []GVK{{Kind: fmt.Sprint(n, long)}}})
		},
	} {
		builder := Builder{Memory: &boundedMemory{remaining: 1 << 20}}
		for n := range 5000 {
			add(&builder, n)
		}
		if err := builder.Err(); !errors.Is(err, errNoMemory) {
			t.Errorf("%s: five megabytes were kept in one: %v", what, err)
		}
	}
	var providers ProvidersBuilder
	providers.Memory = &boundedMemory{remaining: 1 << 20}
	for n := range 20_000 {
		providers.Add("p", GVK{Version: "v1", Kind: fmt.Sprint(n, long[:100])})
	}
	if !errors.Is(providers.Err(), errNoMemory) {
		t.Errorf("kinds of packages that nobody wants: %v", providers.Err())
	}
}

// TestHRD_B4_DroppedContentIsReleased repeatedly adds content that is dropped, with a small budget, and checks that the budget suffices.
func TestHRD_B4_DroppedContentIsReleased(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for what, add := range map[string]func(b *Builder, n int){
		"the same bundle":                 func(b *Builder, _ int) { b.AddBundle("p", Bundle{Name: long}) },
		"bundles of one name that differ": func(b *Builder, n int) { b.AddBundle("p", Bundle{Name: "b", Image: fmt.Sprint(n, long)}) },
		"the same entry":                  func(b *Builder, _ int) { b.AddChannel("p", "c", Entry{Name: long}) },
		"entries of one name that differ": func(b *Builder, n int) { b.AddChannel("p", "c", Entry{Name: "e", Replaces: fmt.Sprint(n, long)}) },
		"deprecations beyond those kept":  func(b *Builder, n int) { b.AddDeprecations("p", []Deprecation{{Message: fmt.Sprint(n, long)}}) },
		"upgrade rules beyond those kept": func(b *Builder, n int) {
			b.AddUpgradeRules("p", rulesV1, "", fmt.Appendf(nil, `{"n":%d,"x":%q}`, n, long))
		},
		"upgrade rules that cannot be read":  func(b *Builder, n int) { b.AddUpgradeRules("p", rulesV1, "", fmt.Appendf(nil, `[%d,%q`, n, long)) },
		"faults beyond those kept":           func(b *Builder, n int) { b.AddFault("p", fmt.Errorf("%d %.300s", n, long)) },
		"what is reserved for a short while": func(b *Builder, _ int) { b.Reserve("p", 2000); b.Release("p", 2000) },
	} {
		memory := &boundedMemory{remaining: 1 << 17}
		builder := Builder{Memory: memory}
		for n := range 5000 {
			add(&builder, n)
		}
		if err := builder.Err(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if taken := 1<<17 - memory.remaining; taken != builder.packages["p"].size {
			t.Errorf("%s: %d bytes are taken, and the package has %d", what, taken, builder.packages["p"].size)
		}
	}
}

// TestHRD_B4_RealHeapOfPackagesThatAreTooLarge checks that dropped packages leave nothing on the heap.
func TestHRD_B4_RealHeapOfPackagesThatAreTooLarge(t *testing.T) {
	const packages, bundles, atMost = 6, 7000, 4 << 20
	before, memory := liveHeap(), &boundedMemory{remaining: 16 << 20}
	builder := Builder{Memory: memory}
	for n := range packages * bundles {
		pkg := fmt.Sprint("p", n/bundles)
		builder.AddBundle(pkg, Bundle{Name: fmt.Sprint(n), MinKubeVersion: fmt.Sprint(n, strings.Repeat("x", 2000))})
	}
	if kept := liveHeap() - before; builder.Err() != nil || kept > atMost {
		t.Errorf("%d KiB are kept of packages that are too large, %v", kept>>10, builder.Err())
	}
	got := builder.Build()
	if len(got) != packages || len(got[0].Bundles) != 0 || len(got[0].Faults) != 1 || !strings.Contains(got[0].Faults[0], "nothing of the package is used") {
		t.Errorf("%d packages, the first: %.500v", len(got), got[:min(1, len(got))])
	}
	if taken := 16<<20 - memory.remaining; taken > packages*1024 {
		t.Errorf("%d bytes are still taken", taken)
	}
	runtime.KeepAlive(&builder)
}
