package main

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
)

// extractArgument is the argument that makes this program the baseline for part "unpack": a process that extracts one image.
const extractArgument = "extract-for-baseline"

var ballasts = []int64{20 << 20, 200 << 20}

// unpackings are the costs of unpacking images of one size.
type unpackings struct {
	ballast         int64
	ours, baseline  []float64 // peak in bytes above the memory before the run
	oursTook, other []float64 // seconds
}

// measureUnpack measures the manager's peak memory while it installs large images, and that of a process that extracts the same images with
// go-containerregistry's mutate.Extract.
func measureUnpack(ctx context.Context, dir string, rounds int, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{}, logf, func(ctx context.Context, l *live) (part, error) {
		var all []unpackings
		for _, ballast := range ballasts {
			measured := unpackings{ballast: ballast}
			for round := range rounds {
				if err := l.unpackRound(ctx, &measured, round); err != nil {
					return part{}, fmt.Errorf("unpacking %s: %w", size.format(float64(ballast)), err)
				}
				logf("unpacked %s, round %d: manager %s more, mutate.Extract %s more", size.format(float64(ballast)), round+1,
					size.format(measured.ours[round]), size.format(measured.baseline[round]))
			}
			all = append(all, measured)
		}
		return unpackPart(all), nil
	})
}

func (l *live) unpackRound(ctx context.Context, measured *unpackings, round int) error {
	bundle := bulk.Bundle{Name: fmt.Sprintf("large-%d-%d", measured.ballast>>20, round), Objects: 1, Ballast: measured.ballast}
	ref, err := l.publish(ctx, bundle)
	if err != nil {
		return err
	}
	var took time.Duration
	ours, err := watchPeak(ctx, l.Manager.PID(), func() error {
		var err error
		took, err = l.deploy(ctx, bundle.Name, ref)
		return err
	})
	if err != nil {
		return err
	}
	measured.ours = append(measured.ours, ours.extra())
	measured.oursTook = append(measured.oursTook, took.Seconds())

	baseline, took, err := extractInProcess(ctx, ref, filepath.Join(l.Dir, bundle.Name))
	if err != nil {
		return err
	}
	measured.baseline = append(measured.baseline, baseline.extra())
	measured.other = append(measured.other, took.Seconds())
	return nil
}

// extractInProcess runs the baseline in a separate process, which waits for a line of input before it extracts. It returns the process's
// memory and the time of the extraction.
func extractInProcess(ctx context.Context, ref, dir string) (peak, time.Duration, error) {
	child := exec.CommandContext(ctx, "/proc/self/exe", extractArgument, ref, dir)
	child.Stderr = os.Stderr
	begin, err := child.StdinPipe()
	if err != nil {
		return peak{}, 0, err
	}
	output, err := child.StdoutPipe()
	if err != nil {
		return peak{}, 0, err
	}
	if err := child.Start(); err != nil {
		return peak{}, 0, fmt.Errorf("starting the baseline: %w", err)
	}
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		return peak{}, 0, errors.Join(errors.New("starting the baseline: it printed nothing"), child.Wait())
	}
	var took time.Duration
	p, err := watchPeak(ctx, child.Process.Pid, func() error {
		start := time.Now()
		_, err := io.WriteString(begin, "begin\n")
		lines.Scan() // the process prints a line when the extraction is done, and keeps running
		took = time.Since(start)
		return err
	})
	return p, took, errors.Join(err, begin.Close(), child.Wait())
}

// extract is the main function of the baseline's process. It writes a line to standard output when it is ready, and another one when it is
// done. After each, it waits for a line on standard input, or for the end of the input.
func extract(arguments []string) error {
	if len(arguments) != 2 {
		return errors.New("extracting an image: want its reference and a folder as arguments")
	}
	in := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	in.Scan()
	if err := extractTo(arguments[0], arguments[1]); err != nil {
		return fmt.Errorf("extracting %q: %w", arguments[0], err)
	}
	fmt.Println("done")
	in.Scan() // waits until the parent has sampled this process's memory
	return nil
}

func extractTo(ref, dir string) error {
	parsed, err := name.NewDigest(ref)
	if err != nil {
		return err
	}
	image, err := remote.Image(parsed, remote.WithTransport(&http.Transport{}))
	if err != nil {
		return err
	}
	content := mutate.Extract(image)
	defer content.Close()
	reader := tar.NewReader(content)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(header.Name) || header.Typeflag != tar.TypeReg {
			continue
		}
		if err := writeFrom(filepath.Join(dir, header.Name), reader); err != nil {
			return err
		}
	}
}

func writeFrom(path string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

func unpackPart(all []unpackings) part {
	p := part{
		title: "Unpacking large images",
		text: "A BundleDeployment of an image with one object and as many bytes of files as the row says. Memory is the manager's peak anonymous RSS, read every 5 ms, minus its value before. Time is until the bundle is installed and healthy.\n\n" +
			"The baseline is a separate process that extracts the same image with go-containerregistry's `mutate.Extract` and writes its files. It checks no names, limits or disk space, and installs nothing.",
		ours: "manager", baseline: "`mutate.Extract`",
	}
	for _, m := range all {
		name := size.format(float64(m.ballast))
		p.figures = append(p.figures,
			figure{name: name + ": memory", unit: size, ours: median(m.ours), baseline: median(m.baseline), n: len(m.ours)},
			figure{name: name + ": time", unit: seconds, ours: median(m.oursTook), baseline: median(m.other), n: len(m.ours)})
	}
	p.details = growth("image", len(all), func(i int) (string, float64, float64) {
		return size.format(float64(all[i].ballast)), median(all[i].ours), median(all[i].baseline)
	})
	p.details.caption = "Growth of memory, each row relative to the previous size:"
	return p
}
