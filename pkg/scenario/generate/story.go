package generate

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

const (
	// DefaultSteps is the default of Generator.Steps.
	DefaultSteps = 12
	// maxSteps is the maximum of Generator.Steps. Longer stories take too long to minimize.
	maxSteps = 100
)

// Proposer returns steps that change something other than the objects of the Kinds, such as the content of a catalog, the version of the
// cluster, or injected faults. Its choices must depend on random only, and it must return at least one step.
type Proposer func(random *rand.Rand) ([]story.Step, error)

// Generator makes stories.
type Generator struct {
	// Kinds are the kinds whose objects the stories change. Required.
	Kinds []*Kind
	// Verbs are the verbs that the steps may use. Required.
	Verbs map[string]story.Verb
	// First lists the steps with which each story begins. They do not count toward Steps.
	First []story.Step
	// Main is one of Kinds, or nil. Three quarters of the stories first create the base object of Main, and steps change Main's object
	// more often than the others.
	Main *Kind
	// GitOps is the user that applies and deletes the objects that a GitOps tool declares. It needs the verbs get, create, patch and
	// delete. The default is the user of steps without Step.As, who may do everything.
	GitOps string
	// Proposers add the steps of other actors. Nil adds no such steps.
	Proposers []Proposer
	// Before returns steps to insert right before a step, such as faults in the requests that the step causes. It may return none. Its
	// choices must depend on its arguments only. It is called for half of the steps, but not for waits. If it is nil, no steps are
	// inserted.
	Before func(random *rand.Rand, next story.Step) ([]story.Step, error)
	// Steps is the number of steps that follow First. 0 means DefaultSteps.
	Steps int
}

// Generated is a generated story, with its corrections and the values that it sets.
type Generated struct {
	// Seed is the seed with a fingerprint of the story, such as "4-4711-ab12"; see Generator.ParseSeed.
	Seed string
	// Story is the story. The positions in it refer to its YAML.
	Story *story.Story
	// Corrections are steps that correct those Reported values that Story leaves uncorrected. The API server may refuse these steps.
	Corrections []story.Step
	// Assignments are the values that the steps of Story set, in order.
	Assignments []Assignment

	// Corrected maps the position of each step that sets Reported values to the positions of the steps of Story that correct them.
	Corrected map[story.Position][]story.Position
}

// IsCorrected reports whether a shorter story, which contains some of the steps of Story, keeps the corrections of the Reported values that
// the shorter story sets. IsCorrected ignores values that Story itself does not correct. A story without a correction can fail for a
// different reason than Story.
func (g Generated) IsCorrected(shorter *story.Story) bool {
	positions := map[story.Position]bool{}
	for _, step := range shorter.Steps {
		positions[step.Position] = true
	}
	for _, step := range shorter.Steps {
		for _, by := range g.Corrected[step.Position] {
			if !positions[by] {
				return false
			}
		}
	}
	return true
}

// Assignment records the value to which a step sets a field.
type Assignment struct {
	Kind  *Kind
	Path  Path
	Value Value
	// Step is the position of the step in Generated.Story.
	Step story.Position

	// index is the index of the step.
	index int
}

// Leaves returns the leaves of the kind's spec that the value contains.
func (e Assignment) Leaves() []Path { return e.Kind.LeavesIn(e.Path, e.Value.Value) }

// Story makes the story for a seed. It returns the story that story.Parse reads from its YAML, so that the same story can be replayed from
// a file. Story may be called concurrently.
func (g Generator) Story(seed Seed) (Generated, error) {
	steps := g.Steps
	if steps == 0 {
		steps = DefaultSteps
	}
	switch {
	case len(g.Kinds) == 0:
		return Generated{}, errors.New("the generator has no kinds; set Generator.Kinds")
	case steps < 1 || steps > maxSteps:
		return Generated{}, fmt.Errorf("a generated story cannot have %d steps; choose 1 to %d", steps, maxSteps)
	}
	b := &builder{generator: g, random: seed.random(), limit: len(g.First) + steps}
	b.steps = append(b.steps, g.First...)
	for _, kind := range g.Kinds {
		b.objects = append(b.objects, &objectState{kind: kind, gitOps: g.GitOps})
	}
	if err := b.begin(); err != nil {
		return Generated{}, fmt.Errorf("seed %s: %w", seed, err)
	}
	for len(b.steps) < b.limit {
		if err := b.next(); err != nil {
			return Generated{}, fmt.Errorf("seed %s, step %d: %w", seed, len(b.steps)+1, err)
		}
	}
	b.steps = b.steps[:b.limit]
	if err := b.correctAll(); err != nil {
		return Generated{}, fmt.Errorf("seed %s: %w", seed, err)
	}
	made := &story.Story{Title: "Generated from seed " + seed.String(), Steps: b.steps}
	content, err := made.YAML()
	if err != nil {
		return Generated{}, fmt.Errorf("seed %s: %w", seed, err)
	}
	read, err := story.Parse("seed-"+seed.String()+".yaml", content, g.Verbs)
	if err != nil {
		return Generated{}, fmt.Errorf("seed %s: %w", seed, err)
	}
	corrections := read.Steps[b.limit:]
	read.Steps = read.Steps[:b.limit:b.limit]
	for i := range b.assignments {
		b.assignments[i].Step = read.Steps[b.assignments[i].index].Position
	}
	return Generated{
		Seed: seed.fingerprinted(content), Story: read, Corrections: corrections, Assignments: b.assignments, Corrected: b.corrected(read.Steps),
	}, nil
}

// corrected returns the value of Generated.Corrected for the steps of the story.
func (b *builder) corrected(steps []story.Step) map[story.Position][]story.Position {
	positions := map[story.Position][]story.Position{}
	for _, object := range b.objects {
		for _, each := range object.corrected {
			if each.by < len(steps) {
				reported := steps[each.reported].Position
				positions[reported] = append(positions[reported], steps[each.by].Position)
			}
		}
	}
	return positions
}

// builder makes one story.
type builder struct {
	generator   Generator
	random      *rand.Rand
	limit       int
	objects     []*objectState
	steps       []story.Step
	assignments []Assignment
}

// begin creates the base object of Generator.Main in most stories.
func (b *builder) begin() error {
	main := b.main()
	if main == nil || b.random.IntN(4) == 0 {
		return nil
	}
	step, err := main.createStep(b.random, nil)
	if err != nil {
		return err
	}
	return b.add(step)
}

// main returns the object of Generator.Main, or nil if there is none.
func (b *builder) main() *objectState {
	for _, each := range b.objects {
		if each.kind == b.generator.Main {
			return each
		}
	}
	return nil
}

// add adds steps to the story, in some cases after steps of Generator.Before.
func (b *builder) add(steps ...story.Step) error {
	if b.generator.Before != nil && len(b.steps)+1 < b.limit && b.random.IntN(2) == 0 {
		before, err := b.generator.Before(b.random, steps[0])
		if err != nil {
			return err
		}
		b.steps = append(b.steps, before[:min(len(before), b.limit-1-len(b.steps))]...)
	}
	b.steps = append(b.steps, steps...)
	return nil
}

// next adds one step, or the steps of a Proposer.
func (b *builder) next() error {
	switch choice := b.random.IntN(10); {
	case choice < 3 && len(b.generator.Proposers) > 0:
		proposed, err := b.generator.Proposers[b.random.IntN(len(b.generator.Proposers))](b.random)
		if err == nil && len(proposed) == 0 {
			err = errors.New("a proposer returned no steps")
		}
		if err != nil {
			return err
		}
		return b.add(proposed...)
	case choice == 9:
		return b.wait()
	}
	if main := b.main(); main != nil && b.random.IntN(3) == 0 {
		return b.change(main)
	}
	return b.change(b.objects[b.random.IntN(len(b.objects))])
}

// wait adds a step in which time passes: between 10 seconds, which is shorter than gitOpsInterval, and 3 hours, which exceeds the deadlines
// of most operators.
func (b *builder) wait() error {
	durations := []string{"10s", "1m", "5m", "1h", "3h"}
	arguments, err := story.NewArguments(durations[b.random.IntN(len(durations))])
	b.steps = append(b.steps, story.Step{Verb: "wait", Arguments: arguments})
	return err
}

// change adds a step that changes an object.
func (b *builder) change(o *objectState) error {
	if !o.isCreated {
		return b.create(o)
	}
	choice := b.random.IntN(10)
	if len(o.reported) > 0 && choice < 5 {
		return b.correct(o)
	}
	field, value, found := o.pick(b.random, func(f Field) bool { return !o.kind.IsImmutable(f.Path) })
	if choice == 9 || !found { // if all fields are immutable, only a deletion is possible
		return b.remove(o)
	}
	if choice == 8 {
		value = Value{Class: Valid} // removes the field
	}
	return b.set(o, field.Path, value)
}

// create adds a step that creates the object, with or without a value for one field.
func (b *builder) create(o *objectState) error {
	var assignment *Assignment
	if field, value, found := o.pick(b.random, func(Field) bool { return true }); found && b.random.IntN(2) == 0 {
		assignment = &Assignment{Kind: o.kind, Path: field.Path, Value: value}
	}
	step, err := o.createStep(b.random, assignment)
	if err != nil {
		return err
	}
	if err := b.add(step); err != nil || assignment == nil {
		return err
	}
	b.recordAssignment(o, *assignment)
	return nil
}

func (b *builder) remove(o *objectState) error {
	step, err := o.deleteStep()
	if err != nil {
		return err
	}
	if err := b.add(step); err != nil {
		return err
	}
	o.correct("spec", len(b.steps)-1)
	*o = objectState{kind: o.kind, gitOps: o.gitOps, wasDeleted: true, corrected: o.corrected}
	return nil
}

// correct adds a step that restores the field that last got a Reported value and is not corrected yet. If the field is immutable, it
// deletes the object instead.
func (b *builder) correct(o *objectState) error {
	path := o.reported[len(o.reported)-1].path
	if o.kind.IsImmutable(path) {
		return b.remove(o)
	}
	step, err := o.restoreStep(path)
	if err != nil {
		return err
	}
	if err := b.add(step); err != nil {
		return err
	}
	o.correct(path, len(b.steps)-1)
	return nil
}

// correctAll adds the steps that correct each reported value.
func (b *builder) correctAll() error {
	for _, each := range b.objects {
		for len(each.reported) > 0 {
			if err := b.correct(each); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) set(o *objectState, path Path, value Value) error {
	step, err := o.setStep(path, value)
	if err != nil {
		return err
	}
	if err := b.add(step); err != nil {
		return err
	}
	if value.Value != nil {
		b.recordAssignment(o, Assignment{Kind: o.kind, Path: path, Value: value})
	} else {
		o.correct(path, len(b.steps)-1)
	}
	return nil
}

// recordAssignment records the value that the last step sets, and updates the Reported values of the object that must be corrected.
func (b *builder) recordAssignment(o *objectState, done Assignment) {
	last := len(b.steps) - 1
	done.index = last
	b.assignments = append(b.assignments, done)
	if done.Value.Class != Refused {
		o.correct(done.Path, last)
	}
	if done.Value.Class == Reported {
		o.reported = append(o.reported, reportedField{done.Path, last})
	}
}
