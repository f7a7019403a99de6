// Package subject is there to be mutated.
package subject

func double(n int) int {
	return 2 * n
}
