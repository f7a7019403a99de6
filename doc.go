// Package memorystore is a client of the Memorystore for Redis API, redis.googleapis.com v1.
package memorystore
