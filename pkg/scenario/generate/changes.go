package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// gitOpsInterval is the interval at which GitOps applies its objects.
const gitOpsInterval = "1m"

// objectState is the state of an object after the steps that a generator has made so far.
type objectState struct {
	kind *Kind
	// gitOps is Generator.GitOps.
	gitOps string
	// isCreated is true if a step created the object and no later step deleted it. isCertain is true if the object certainly exists: a step
	// created the base object, and no step ever deleted it. wasDeleted is true if a step deleted the object, which may then still exist
	// until the end of the story.
	isCreated, isCertain, wasDeleted bool
	// desired is the object that GitOps applies, or nil if GitOps does not apply it.
	desired map[string]any
	// reported lists the fields with Reported values that no step has corrected, in the order of the steps that set the values.
	reported []reportedField
	// corrected are the corrections so far.
	corrected []correction
}

// reportedField is a field that a step set to a Reported value, and the index of that step.
type reportedField struct {
	path Path
	step int
}

// correction holds the index of a step that set a field to a Reported value, and the index of the step that corrected it.
type correction struct{ reported, by int }

// correct moves a field, and the fields below it, from reported to corrected. step is the index of the step that corrects them.
func (o *objectState) correct(path Path, step int) {
	o.reported = slices.DeleteFunc(o.reported, func(each reportedField) bool {
		if !path.contains(each.path) {
			return false
		}
		o.corrected = append(o.corrected, correction{each.step, step})
		return true
	})
}

// name returns the object's name in arguments of steps, such as "Widget.example.com/a".
func (o *objectState) name() string {
	kind := o.kind.GroupVersionKind.Kind + "." + o.kind.GroupVersionKind.Group
	if namespace := o.kind.Namespace(); namespace != "" {
		return kind + "/" + namespace + "/" + o.kind.Name()
	}
	return kind + "/" + o.kind.Name()
}

// title returns the object's name in titles of steps, such as "Widget/a".
func (o *objectState) title() string { return o.kind.GroupVersionKind.Kind + "/" + o.kind.Name() }

// refusal returns whether the API server must or may refuse a step that sets a field of the object to a value.
func (o *objectState) refusal(value Value) story.Refusal {
	_, isObject := value.Value.(map[string]any) // a merge with the live value could be valid
	if value.Class == Refused && o.isCertain && !isObject {
		return story.MustBeRefused
	}
	return story.MayBeRefused
}

// createStep returns a step that creates the base object, with a value for one field unless assignment is nil. If the API server must
// refuse the value, the object does not exist after the step.
func (o *objectState) createStep(random *rand.Rand, assignment *Assignment) (story.Step, error) {
	content := o.kind.Base()
	step := story.Step{Title: "An admin creates " + o.title(), Verb: "create", Refused: story.MayBeRefused}
	if assignment != nil {
		if err := o.kind.Set(content, assignment.Path, assignment.Value.Value); err != nil {
			return step, err
		}
		step.Title += fmt.Sprintf(" with a %s %s", assignment.Value.Class, assignment.Path)
	}
	var argument any = content
	isRefused := assignment != nil && assignment.Value.Class == Refused
	switch {
	case isRefused:
		step.Refused = story.MustBeRefused
	case random.IntN(3) == 0:
		o.desired = content
		step.Verb, argument = "apply", gitOpsArguments(content)
		step.As, step.Title = o.gitOps, "GitOps"+step.Title[len("An admin"):]
	}
	o.isCreated, o.isCertain = !isRefused, assignment == nil && !o.wasDeleted
	var err error
	step.Arguments, err = story.NewArguments(argument)
	return step, err
}

// gitOpsArguments returns the arguments for verb "apply" with which GitOps applies an object.
func gitOpsArguments(content map[string]any) map[string]any {
	return map[string]any{"object": runtime.DeepCopyJSON(content), "every": gitOpsInterval}
}

// setStep returns a step that sets a field to a value, or removes the field if the value is nil. Only an admin sets refused values. GitOps
// does not, because the API server answers a server-side apply of some of them with an internal error.
func (o *objectState) setStep(path Path, value Value) (story.Step, error) {
	action := fmt.Sprintf("sets %s of %s to a %s value", path, o.title(), value.Class)
	if value.Value == nil {
		action = fmt.Sprintf("removes %s of %s", path, o.title())
	}
	values := o.kind.change(path, value.Value)
	if value.Class == Refused || o.desired == nil {
		return o.patchStep(action, values, o.refusal(value))
	}
	return o.applyStep(action, values)
}

// restoreStep returns a step that sets a field, and the fields that Kind sets with it, to their values in the base object.
func (o *objectState) restoreStep(path Path) (story.Step, error) {
	action := fmt.Sprintf("restores %s of %s", path, o.title())
	if o.desired == nil {
		return o.patchStep(action, o.kind.restore(path), story.MayBeRefused)
	}
	return o.applyStep(action, o.kind.restore(path))
}

// patchStep returns a step in which an admin sets fields.
func (o *objectState) patchStep(action string, values fieldValues, refusal story.Refusal) (story.Step, error) {
	step := story.Step{Title: "An admin " + action, Verb: "patch", Refused: refusal}
	argument, err := patchOf(values)
	if err != nil {
		return step, err
	}
	argument["object"] = o.name()
	step.Arguments, err = story.NewArguments(argument)
	return step, err
}

// applyStep returns a step in which GitOps applies the object with changed fields.
func (o *objectState) applyStep(action string, values fieldValues) (story.Step, error) {
	step := story.Step{Title: "GitOps " + action, As: o.gitOps, Verb: "apply", Refused: story.MayBeRefused}
	if err := values.apply(o.desired); err != nil {
		return step, err
	}
	var err error
	step.Arguments, err = story.NewArguments(gitOpsArguments(o.desired))
	return step, err
}

// deleteStep returns a step that deletes the object. GitOps deletes its objects itself, because it would create them again.
func (o *objectState) deleteStep() (story.Step, error) {
	arguments, err := story.NewArguments(o.name())
	step := story.Step{Title: "An admin deletes " + o.title(), Verb: "delete", Refused: story.MayBeRefused, Arguments: arguments}
	if o.desired != nil {
		step.As, step.Title = o.gitOps, "GitOps deletes "+o.title()
	}
	return step, err
}

// pick returns a random field among those that isWanted selects, and one of the field's values. One in five values is a Reported one, if
// there is any: few fields have such values. The last result is false if there is no such field or value.
func (o *objectState) pick(random *rand.Rand, isWanted func(Field) bool) (Field, Value, bool) {
	var fields, reportable []Field
	for _, field := range o.kind.Fields {
		if !isWanted(field) {
			continue
		}
		fields = append(fields, field)
		if len(field.playable(o.kind.schemas[field.Path])[Reported]) > 0 {
			reportable = append(reportable, field)
		}
	}
	if len(reportable) > 0 && random.IntN(5) == 0 {
		field := reportable[random.IntN(len(reportable))]
		values := field.playable(o.kind.schemas[field.Path])[Reported]
		return field, values[random.IntN(len(values))], true
	}
	if len(fields) == 0 {
		return Field{}, Value{}, false
	}
	field := fields[random.IntN(len(fields))]
	value, found := field.pick(random, o.kind.schemas[field.Path])
	return field, value, found
}

// playable returns the values that stories set, by class. It omits values of a wrong type: the API server refuses them before validation
// and admission, answers a server-side apply of them with an internal error, and logs an error for each.
func (f Field) playable(of *fieldSchema) map[Class][]Value {
	values := map[Class][]Value{}
	for _, value := range f.Values {
		if hasTypes(of, value.Value) {
			values[value.Class] = append(values[value.Class], value)
		}
	}
	return values
}

// pick returns a random value, or false if there is none. It first chooses the class, so that a class with many values does not displace
// the other classes.
func (f Field) pick(random *rand.Rand, of *fieldSchema) (Value, bool) {
	values := f.playable(of)
	var classes []Class
	for _, class := range []Class{Valid, Valid, Valid, Reported, Refused} {
		if len(values[class]) > 0 {
			classes = append(classes, class)
		}
	}
	if len(classes) == 0 {
		return Value{}, false
	}
	chosen := values[classes[random.IntN(len(classes))]]
	return chosen[random.IntN(len(chosen))], true
}
