// Package late holds one test, of a program that installs its OpenTelemetry SDK after it has made its clients.
package late
