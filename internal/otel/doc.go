// Package otel has no code of its own. Its tests hold what the SDK tells OpenTelemetry against an OpenTelemetry SDK
// that keeps everything in memory, and against Client.Stats.
package otel
