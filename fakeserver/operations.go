package fakeserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var (
	textCancel = define(text{key: "cancel", code: codeFailedPrecondition,
		message: "Operation '%s' cannot be cancelled.", basis: guessed("gcloud's help says only import and export can be; how the service refuses is not known")})
	textDeleteRunning = define(text{key: "delete-running-operation", code: codeFailedPrecondition,
		message: "Operation '%s' is still running and cannot be deleted.", basis: guessed(noSource)})
)

// cancelled is how a cancelled operation ends.
const cancelledSentence = "The operation was cancelled."

func getOperation(w *world, c *call) (*message, *problem) {
	o := w.operation(c.name, c.now)
	if o == nil {
		return nil, w.noOperation(c)
	}
	if !o.done {
		o.polls++
		w.settle(c.now)
	}
	return o.view(), nil
}

func (w *world) noOperation(c *call) *problem {
	if _, bad := w.region(c); bad != nil {
		return bad
	}
	return textNotFound.because(c.name).about(c.name)
}

// operationPaths are what a filter may ask of an operation.
var operationPaths = map[string]func(o *operation) string{
	"name":                     func(o *operation) string { return o.name },
	"done":                     func(o *operation) string { return strconv.FormatBool(o.done) },
	"metadata.target":          func(o *operation) string { return o.target },
	"metadata.verb":            func(o *operation) string { return o.verb },
	"metadata.apiVersion":      func(o *operation) string { return o.version },
	"metadata.cancelRequested": func(o *operation) string { return strconv.FormatBool(o.cancelRequested) },
}

func listOperations(w *world, c *call) (*message, *problem) {
	size, bad := c.pageSize(w.pageSize)
	if bad != nil {
		return nil, bad
	}
	after, bad := c.after()
	if bad != nil {
		return nil, bad
	}
	f, bad := parseFilter(c.query.get("filter"), func(path string) bool { return operationPaths[path] != nil })
	if bad != nil {
		return nil, bad
	}
	if bad := w.guessing(guessFilter); bad != nil && len(f) > 0 {
		return nil, bad
	}
	if b, _ := strconv.ParseBool(c.query.get("returnPartialSuccess")); b {
		return nil, textPartialSuccess.because()
	}
	shelves, missing, bad := w.listed(c)
	if bad != nil {
		return nil, bad
	}
	var all []*operation
	for _, s := range shelves {
		for _, o := range s.operations {
			if !o.expired(c.now) && f.matches(func(path string) string { return operationPaths[path](o) }) {
				all = append(all, o)
			}
		}
	}
	if len(shelves) > 1 { // by the key of the pages: the names of locations sort otherwise when one begins another
		slices.SortFunc(all, func(a, b *operation) int { return strings.Compare(operationKey(a), operationKey(b)) })
	}
	page, more := paginate(all, operationKey, after, size)
	views := make([]*message, len(page))
	for i, o := range page {
		views[i] = o.view()
	}
	answer := build(listOperationsType, fOpsPage, views, fOpsMissing, missing)
	if more != "" {
		answer.set(fOpsNext, c.token(more))
	}
	return answer, nil
}

// operationKey orders operations by location, then by when they began.
func operationKey(o *operation) string { return o.parent + fmt.Sprintf("/%012d", o.number) }

// listed are the locations a list is over, and those of them that do not answer.
func (w *world) listed(c *call) (shelves []*shelf, missing []string, bad *problem) {
	if c.location != "-" {
		if _, bad := w.region(c); bad != nil {
			return nil, nil, bad
		}
		if s := w.shelves[c.name]; s != nil {
			shelves = append(shelves, s)
		}
		return shelves, nil, nil
	}
	for _, s := range w.shelvesOf(c.project) {
		if !w.isUnreachable(s.location) {
			shelves = append(shelves, s)
		}
	}
	for _, l := range w.unreachable {
		missing = append(missing, locationName(c.project, l))
	}
	return shelves, missing, nil
}

func deleteOperation(w *world, c *call) (*message, *problem) {
	o := w.operation(c.name, c.now)
	switch {
	case o == nil:
		return nil, w.noOperation(c)
	case !o.done:
		return nil, textDeleteRunning.because(c.name)
	}
	w.forget(o)
	c.acted = true
	return newValue(emptyType), nil
}

func cancelOperation(w *world, c *call) (*message, *problem) {
	if _, bad := c.read(); bad != nil {
		return nil, bad
	}
	o := w.operation(c.name, c.now)
	switch {
	case o == nil:
		return nil, w.noOperation(c)
	case o.done:
		return newValue(emptyType), nil // too late: the documentation promises no more than an attempt
	case o.verb != "import" && o.verb != "export":
		return nil, textCancel.because(c.name)
	}
	o.cancelRequested = true
	o.failing = status(codeCancelled.number, cancelledSentence)
	c.acted = true
	if !o.held {
		w.end(o, c.now)
	}
	return newValue(emptyType), nil
}
