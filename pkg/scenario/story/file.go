package story

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"
)

// maxSteps is the maximum number of steps in a story.
const maxSteps = 200

// Story is a test of an operator: a sequence of steps, with expectations after each step.
type Story struct {
	// File is the path of the story's file.
	File string
	// Title is a sentence that states what the story tests.
	Title string
	// From is the path of the story that this story continues, relative to this story's folder, or empty. The caller of Run must run that
	// story first, and start the cluster from a snapshot of its result.
	From string
	// FromPosition is the position of From in the file, or zero if From is empty.
	FromPosition Position
	// Steps are the story's steps, in order.
	Steps []Step
}

// Step is one action of a story, and the expectations that must hold when the cluster has settled after the action.
type Step struct {
	// Position is the first line of the step.
	Position Position
	// Title describes the action. If it is empty, the report shows the verb.
	Title string
	// As is the user who sends the step's requests. The default is scenario.AdminUser.
	As string
	// Refused says whether the API server must accept the step's request, may refuse it, or must refuse it.
	Refused Refusal
	// Verb is the name of the action, such as "create". Arguments are its arguments.
	Verb      string
	Arguments Arguments
	// Then lists the expectations that must hold after the step.
	Then []Expectation
}

// Position is a line of a story.
type Position struct {
	File string
	Line int
}

// String returns file:line.
func (p Position) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Arguments are the YAML arguments of a step's verb.
type Arguments struct {
	// Position is the first line of the arguments.
	Position Position
	node     *yaml.Node
}

// Into decodes the arguments into the value that the pointer into points to, using the JSON names of the value's fields. It returns an
// error for an unknown field.
func (a Arguments) Into(into any) error {
	content, err := yaml.Marshal(a.node)
	if err != nil {
		return err
	}
	return explainDecodeError(kyaml.UnmarshalStrict(content, into), into)
}

// Expectation is a set of requirements on one object after a step.
type Expectation struct {
	// Position is the first line of the expectation.
	Position Position `json:"-"`
	// Object is Kind/name, or Kind/namespace/name. Write Kind.group if several groups have the kind.
	Object string `json:"object"`
	// Absent requires that the object does not exist.
	Absent bool `json:"absent,omitempty"`
	// Conditions maps types of status.conditions to the expected status, or to status and reason as in "False/Broken".
	Conditions map[string]string `json:"conditions,omitempty"`
	// Fields maps dotted paths to expected values. null requires that the field does not exist; the object that contains it must exist.
	Fields map[string]any `json:"fields,omitempty"`
}

// Read reads a story from a file. Steps may only use the given verbs.
func Read(file string, verbs map[string]Verb) (*Story, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, content, verbs)
}

// Parse parses a story. Steps may only use the given verbs. file is the path for Story.File and for errors.
func Parse(file string, content []byte, verbs map[string]Verb) (*Story, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file has no story", file)
	} else if err != nil {
		return nil, syntaxError(file, err)
	}
	p := parser{file: file, verbs: verbs}
	story, err := p.story(document.Content[0])
	if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something follows the story; a file holds one YAML document", file)
	}
	return story, nil
}

type parser struct {
	file  string
	verbs map[string]Verb
}

// errorf returns an error that begins with the file and line of a node.
func (p parser) errorf(node *yaml.Node, format string, arguments ...any) error {
	return fmt.Errorf("%s: %w", p.position(node), fmt.Errorf(format, arguments...))
}

// wrap adds the file and line of a node to an error. It returns nil if err is nil.
func (p parser) wrap(node *yaml.Node, err error) error {
	if err == nil {
		return nil
	}
	return p.errorf(node, "%w", err)
}

func (p parser) position(node *yaml.Node) Position { return Position{File: p.file, Line: node.Line} }

func (p parser) story(node *yaml.Node) (*Story, error) {
	story := &Story{File: p.file}
	err := p.fields(node, func(name string, value *yaml.Node) error {
		switch name {
		case "title":
			return p.decode(value, &story.Title)
		case "from":
			story.FromPosition = p.position(value)
			return p.decode(value, &story.From)
		case "steps":
			return p.list(value, func(item *yaml.Node) error {
				step, err := p.step(item)
				story.Steps = append(story.Steps, step)
				return err
			})
		}
		return p.errorf(value, "unknown field %q; a story has title, from and steps", name)
	})
	if err != nil {
		return nil, err
	}
	return story, p.wrap(node, story.validate())
}

// validate returns an error if the story has no title, no steps or too many steps. It does not validate the steps.
func (s *Story) validate() error {
	switch {
	case s.Title == "":
		return errors.New("the story has no title")
	case len(s.Steps) == 0:
		return errors.New("the story has no steps")
	case len(s.Steps) > maxSteps:
		return fmt.Errorf("the story has %d steps, more than %d", len(s.Steps), maxSteps)
	}
	return nil
}

func (p parser) step(node *yaml.Node) (Step, error) {
	step := Step{Position: p.position(node)}
	err := p.fields(node, func(name string, value *yaml.Node) error {
		switch name {
		case "title":
			return p.decode(value, &step.Title)
		case "as":
			return p.decode(value, &step.As)
		case "refused":
			if err := p.decode(value, &step.Refused); err != nil {
				return err
			}
			if step.Refused == NeverRefused {
				return p.errorf(value, "refused is empty; write must or may, or remove it")
			}
			return p.wrap(value, step.Refused.validate())
		case "then":
			return p.list(value, func(item *yaml.Node) error {
				expectation, err := p.expectation(item)
				step.Then = append(step.Then, expectation)
				return err
			})
		}
		if p.verbs[name] == nil {
			return p.errorf(value, "unknown field or verb %q; the verbs are %s", name, names(p.verbs))
		}
		if step.Verb != "" {
			return p.errorf(value, "the step has two verbs, %q and %q; make it two steps", step.Verb, name)
		}
		step.Verb, step.Arguments = name, Arguments{Position: p.position(value), node: value}
		return nil
	})
	if err == nil && step.Verb == "" {
		err = p.errorf(node, "the step has no verb; the verbs are %s", names(p.verbs))
	}
	return step, err
}

func (p parser) expectation(node *yaml.Node) (Expectation, error) {
	expectation := Expectation{Position: p.position(node)}
	if err := p.decode(node, &expectation); err != nil {
		return expectation, err
	}
	return expectation, p.wrap(node, expectation.validate())
}

// fields calls visit with each field of a mapping until visit returns an error. It returns an error if the node is not a mapping, or if a
// field is repeated.
func (p parser) fields(node *yaml.Node, visit func(name string, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return p.errorf(node, "this must be a mapping")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i].Value
		if seen[name] {
			return p.errorf(node.Content[i], "field %q occurs twice", name)
		}
		seen[name] = true
		if err := visit(name, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// list calls visit with each item of a list until visit returns an error. It returns an error if the node is not a list.
func (p parser) list(node *yaml.Node, visit func(item *yaml.Node) error) error {
	if node.Kind != yaml.SequenceNode {
		return p.errorf(node, "this must be a list")
	}
	for _, item := range node.Content {
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

func (p parser) decode(node *yaml.Node, into any) error {
	return p.wrap(node, (Arguments{node: node}).Into(into))
}
