package mutants

import (
	"slices"
	"strings"
	"testing"
)

// maxSteps is the maximum number of steps of a story that shows a defect.
const maxSteps = 10

// TestOM_17_OM_18_EachDefectIsFound builds the stories once, with all defects in one program. For each defect, it runs a story that passes,
// and then the perturbation or the generated story that fails.
func TestOM_17_OM_18_EachDefectIsFound(t *testing.T) {
	built := buildStories(t, mutantsOf(Perturbed())...)
	for _, each := range Perturbed() {
		t.Run(each.Mistake, func(t *testing.T) {
			t.Parallel()
			if output, err := built.run(t, each.Mutants, each.Passes); err != nil {
				t.Fatalf("the story %s finds it without a perturbation: %v\n%s", each.Passes, err, output)
			}
			output, err := built.run(t, each.Mutants, each.Fails, each.Flags...)
			for _, failure := range each.Failures {
				if err == nil || !strings.Contains(output, failure) {
					t.Fatalf("%s %q does not report %q (error: %v):\n%s", each.Fails, each.Flags, failure, err, output)
				}
			}
			if steps := printedSteps(output); !strings.Contains(strings.Join(each.Flags, " "), "-replay=") && (steps == 0 || steps > maxSteps) {
				t.Errorf("a story of %d steps is printed, want 1 to %d:\n%s", steps, maxSteps, output)
			}
			if file := printedFile(output); file != "" {
				replayed, err := built.run(t, each.Mutants, each.Fails, "-replay="+file)
				if err == nil || !strings.Contains(replayed, each.Failures[0]) {
					t.Errorf("the replay of %s does not report %q (error: %v):\n%s", file, each.Failures[0], err, replayed)
				}
			}
		})
	}
}

// printedSteps returns the number of steps of the first story in an output; 0 if there is none.
func printedSteps(output string) (steps int) {
	lines := strings.Split(output, "\n")
	heading := slices.IndexFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "steps:" })
	if heading < 0 {
		return 0
	}
	item := strings.Repeat(" ", strings.Index(lines[heading], "steps:")+2) + "- "
	for _, line := range lines[heading+1:] {
		if strings.HasPrefix(line, item) {
			steps++
		}
	}
	return steps
}

// printedFile returns the name of the file with a failed generated story that an output names; empty if it names none.
func printedFile(output string) string {
	_, rest, _ := strings.Cut(output, " -replay=")
	file, _, _ := strings.Cut(rest, "\n")
	return file
}

func mutantsOf(defects []Defect) (all []Mutant) {
	for _, each := range defects {
		all = append(all, each.Mutants...)
	}
	return all
}
