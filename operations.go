package memorystore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"
)

// A Result is what an operation ends with: the Instance it changed, or Empty after a delete.
type Result interface{ Instance | Empty }

// An Operation is a change that goes on at the service. It is not safe for concurrent use; any number of Operations may
// follow the same change. It goes on whether or not anyone waits for it.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.operations
type Operation[T Result] struct {
	client     *Client
	call       string // that began it, for errors
	target     string // the instance, as far as it is known
	op         operationJSON
	reconciled bool
	result     *T
	err        error

	// confirm is asked about the instance of an operation that was found, not answered. It returns the operation to
	// follow instead, if the one that was found did something else. Nil: nothing to confirm.
	confirm func(context.Context, *Instance) (*Operation[T], error)
	// fallback settles the operation from the instance when the service has forgotten it. It returns nil and nil
	// while the change still goes on. Nil: all that is known is the name.
	fallback func(context.Context) (*T, error)
}

// Resume returns a handle for an operation whose name was kept, by another process say. No request is sent: an
// operation that does not exist shows at the first Poll. T says how it ends: Empty for a delete, else Instance.
func Resume[T Result](c *Client, name string) *Operation[T] {
	return &Operation[T]{client: c, call: "GetOperation", target: name, op: operationJSON{Name: name}}
}

// operationOf returns the handle for an operation as a call was answered with it.
func operationOf[T Result](c *Client, k *call, op operationJSON) *Operation[T] {
	o := &Operation[T]{client: c, call: k.name, target: k.resource}
	o.take(op)
	return o
}

// Name returns the full name, projects/P/locations/L/operations/O, to Resume it by. It is empty when the change was
// found to be made but its operation was not.
func (o *Operation[T]) Name() string { return o.op.Name }

// Done reports whether the operation had ended when it was last asked for.
func (o *Operation[T]) Done() bool { return o.result != nil || o.err != nil }

// Metadata returns what the service last said of the operation.
func (o *Operation[T]) Metadata() OperationMetadata { return o.op.Metadata }

// Reconciled reports whether the operation was found again after the answer to the call was lost.
func (o *Operation[T]) Reconciled() bool { return o.reconciled }

// Result returns how the operation ended: its value, an *Error with its code and name, or ErrNotDone.
func (o *Operation[T]) Result() (*T, error) {
	if !o.Done() {
		return nil, ErrNotDone
	}
	return o.result, o.err
}

// Poll asks for the operation once. A poll that fails leaves the state as it was. It does nothing once Done.
//
// The service forgets operations after some hours. One that is forgotten is settled from its instance, where that can
// tell; otherwise the error has the code NotFound. An update that a look had found, and that ended with other values
// than were asked for, was another's: the Poll that sees it end sends the update again, and follows that; if it fails,
// its error is the Result.
func (o *Operation[T]) Poll(ctx context.Context) error { return o.poll(ctx, false) }

func (o *Operation[T]) poll(ctx context.Context, quiet bool) error {
	if o.Done() {
		return nil
	}
	if o.op.Name == "" && o.fallback != nil {
		return o.settle(ctx, nil)
	}
	k := reading("GetOperation", o.op.Name, checkOperation(o.op.Name))
	k.quiet = quiet
	op, err := get[operationJSON](ctx, o.client, k)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			e.Operation = o.op.Name
			if vanished(e) {
				return o.settle(ctx, e)
			}
		}
		return err
	}
	if op.Done && op.Error == nil && o.confirm != nil {
		found := operationOf[T](o.client, &call{name: o.call, resource: o.target}, *op)
		if instance, ok := any(found.result).(*Instance); ok && instance != nil {
			if other, err := o.confirm(ctx, instance); other != nil {
				*o = *other
				o.reconciled = true
				return nil
			} else if err != nil { // the change was sent again, once, and that is how it ended
				o.confirm, o.err = nil, err
				return nil
			}
		}
	}
	o.take(*op)
	return nil
}

// settle ends an operation that the service does not know any more.
func (o *Operation[T]) settle(ctx context.Context, gone *Error) error {
	if o.fallback == nil {
		gone.Message = "the service does not know this operation (it forgets operations after some hours); what became of the change is not known"
		return gone
	}
	result, err := o.fallback(ctx)
	if err != nil {
		return err
	}
	o.result = result
	return nil
}

// take brings the handle to what the service says.
func (o *Operation[T]) take(op operationJSON) {
	if o.op.Name != "" {
		op.Name = o.op.Name // the name that was asked for is the one to go on with
	}
	if o.target == op.Name && op.Metadata.Target != "" {
		o.target = op.Metadata.Target
	}
	o.op = op
	if !op.Done {
		return
	}
	if op.Error != nil {
		o.err = operationError(o.call, o.target, &op)
		return
	}
	result := new(T)
	err := json.Unmarshal(op.Response, result, wireOptions)
	if instance, ok := any(result).(*Instance); ok && (err != nil || instance.Name == "") {
		o.err = &Error{Call: o.call, Name: o.target, Operation: op.Name, Code: Internal, Message: "the operation succeeded, but its result cannot be read"}
		return
	}
	o.result = result
}

// operationError returns how an operation failed.
func operationError(call, target string, op *operationJSON) *Error {
	e := &Error{Call: call, Name: target, Operation: op.Name, Code: codeOfNumber(op.Error.Code)}
	e.fill(op.Error)
	return e
}

// Watch polls at once, and then as Polling says, until the operation is done or the context ends. Each poll that
// succeeds is an item. How the operation ended is Result's to say. An error ends the sequence: the context's, or a poll
// that failed for good or four times in a row, each time after all its retries. It names the operation, which goes on.
func (o *Operation[T]) Watch(ctx context.Context) iter.Seq2[OperationMetadata, error] {
	return func(yield func(OperationMetadata, error) bool) {
		start := time.Now()
		for failed := 0; !o.Done(); {
			err := o.poll(ctx, true)
			switch {
			case err == nil:
				failed = 0
				if !yield(o.op.Metadata, nil) || o.Done() {
					return
				}
			case ctx.Err() != nil || !transient(err) || failed == maxFailedPolls:
				yield(o.op.Metadata, o.abandon(ctx, err))
				return
			default:
				failed++
				o.client.engine.log.LogAttrs(ctx, slog.LevelWarn, "memorystore: poll failed, waiting on", slog.String("operation", o.op.Name), slog.Any("error", err))
			}
			if sleep(ctx, o.client.polling.wait(time.Since(start))) != nil {
				yield(o.op.Metadata, o.abandon(ctx, err))
				return
			}
		}
	}
}

// maxFailedPolls is how many polls in a row may fail before the next failure ends a Watch.
const maxFailedPolls = 3

// abandon returns the error of a Watch that ends before the operation does.
func (o *Operation[T]) abandon(ctx context.Context, poll error) error {
	name := oneLine(o.op.Name, 500)
	if name == "" {
		name = "without a name"
	}
	if ctx.Err() != nil {
		e := &Error{Call: o.call, Name: o.target, Operation: o.op.Name, causes: contextErrors(ctx)}
		e.Message = fmt.Sprintf("%s; operation %s goes on", oneLine(ctx.Err().Error(), 200), name)
		if poll != nil {
			e.causes = append(e.causes, poll)
		}
		return e
	}
	e, ok := errors.AsType[*Error](poll)
	if !ok {
		return poll
	}
	if transient(e) {
		e.because(fmt.Sprintf("waiting is given up, operation %s goes on", name))
		giveUp(ctx, o.client.engine.log, e)
	}
	return e
}

// Wait watches the operation until it is done, and returns its Result. The context ends the waiting, not the change.
func (o *Operation[T]) Wait(ctx context.Context) (*T, error) {
	for _, err := range o.Watch(ctx) {
		if err != nil {
			return nil, err
		}
	}
	return o.Result()
}

// OperationInfo is an operation as the service lists it, whatever it ends with.
type OperationInfo struct {
	Name     string
	Done     bool
	Metadata OperationMetadata
	Err      error // an *Error, if it failed
}

func infoOf(call string, op *operationJSON) *OperationInfo {
	info := &OperationInfo{Name: op.Name, Done: op.Done, Metadata: op.Metadata}
	if op.Error != nil {
		info.Err = operationError(call, op.Metadata.Target, op)
	}
	return info
}

// GetOperation returns an operation by its full name, without a handle to follow it.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.operations/get
func (c *Client) GetOperation(ctx context.Context, name string) (*OperationInfo, error) {
	op, err := get[operationJSON](ctx, c, reading("GetOperation", name, checkOperation(name)))
	if err != nil {
		return nil, err
	}
	return infoOf("GetOperation", op), nil
}

type operationsPage struct {
	Operations    []operationJSON `json:"operations"`
	NextPageToken string          `json:"nextPageToken"`
	Unreachable   []string        `json:"unreachable"`
}

func (p *operationsPage) items() []operationJSON { return p.Operations }
func (p *operationsPage) next() string           { return p.NextPageToken }
func (p *operationsPage) unreachable() []string  { return p.Unreachable }
func (p *operationsPage) unnamed() string        { return firstUnnamed(p.Operations) }

func listOperations(parent string) *call {
	return &call{name: "ListOperations", method: "GET", path: parent + "/operations", resource: parent, params: "name", invalid: checkParent(parent)}
}

// ListOperations returns the operations of parent, projects/PROJECT/locations/REGION. Those whose APIVersion is
// v1internal1 were begun by the service itself.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.operations/list
func (c *Client) ListOperations(ctx context.Context, parent string, opts ...ListOption) iter.Seq2[*OperationInfo, error] {
	return func(yield func(*OperationInfo, error) bool) {
		for op, err := range list[operationJSON, operationsPage](ctx, c, listOperations(parent), opts, keep) {
			var info *OperationInfo
			if err == nil {
				info = infoOf("ListOperations", op)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// CancelOperation asks the service to cancel an operation; only imports and exports can be. It returns before the
// operation has ended, with the code Cancelled if the service obeys.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.operations/cancel
func (c *Client) CancelOperation(ctx context.Context, name string) error {
	_, err := c.do(ctx, &call{name: "CancelOperation", method: "POST", path: name + ":cancel", resource: name, params: "name",
		change: repeats, invalid: checkOperation(name)}, nil)
	return err
}

// DeleteOperation makes the service forget an operation. It does not cancel it.
//
// https://cloud.google.com/memorystore/docs/redis/reference/rest/v1/projects.locations.operations/delete
func (c *Client) DeleteOperation(ctx context.Context, name string) error {
	_, err := c.do(ctx, &call{name: "DeleteOperation", method: "DELETE", path: name, resource: name, params: "name",
		change: repeats, settle: forgotten{}, invalid: checkOperation(name)}, nil)
	return err
}

// forgotten settles DeleteOperation: what does not exist any more was deleted.
type forgotten struct{}

func (forgotten) explains(status int, google bool) bool            { return status == 404 && google }
func (forgotten) look(context.Context, time.Time) (finding, error) { return ours, nil }
