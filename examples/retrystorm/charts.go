package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A view says how a scenario is drawn.
type view struct {
	span window
	step time.Duration // a point each, the mean of so long
	log  bool          // for what spans three powers of ten
}

// y returns where a rate is on the axis. A logarithm on a linear axis it is, because with plot.LogScale gonum/plot
// leaves room for the axis's label where the label is not. What is below 1 is drawn as 1.
func (v view) y(rate float64) float64 {
	if v.log {
		return math.Log10(max(rate, 1))
	}
	return rate
}

// A page of documentation is some 850 pixels wide; twice as many keep the letters sharp where pixels are small.
const (
	width  = 850 * vg.Inch / 96
	height = 360 * vg.Inch / 96
	key    = 235 * vg.Inch / 96 // the room for the legend
	dpi    = 2 * 96
)

// writeCharts draws the runs of a scenario, as PNG and as SVG, and returns the names of the files.
func writeCharts(dir string, runs []*run) ([]string, error) {
	bitmap, vector := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi)), vgsvg.New(width, height)
	for _, canvas := range []vg.CanvasSizer{bitmap, vector} {
		if err := drawChart(draw.New(canvas), runs); err != nil {
			return nil, err
		}
	}
	var encoded, written bytes.Buffer
	if err := encode(&encoded, bitmap.Image()); err != nil {
		return nil, err
	}
	if _, err := vector.WriteTo(&written); err != nil {
		return nil, err
	}
	base := filepath.Join(dir, "retries-"+runs[0].scenario.name)
	files := []string{base + ".png", base + ".svg"}
	return files, errors.Join(os.WriteFile(files[0], encoded.Bytes(), 0o644), os.WriteFile(files[1], written.Bytes(), 0o644))
}

// encode writes a PNG of few colours: a chart has no more, and it takes a fifth of the bytes.
func encode(w io.Writer, chart image.Image) error {
	palette := color.Palette{color.White}
	for _, back := range []uint8{0xFF, grey.Y} {
		fronts := []color.RGBA{{A: 0xFF}}
		for _, st := range strategies {
			fronts = append(fronts, st.colour)
		}
		for _, front := range fronts {
			for part := range 16 { // of the edge of a line or a letter
				mix := func(c uint8) uint8 { return uint8((int(c)*(15-part) + int(back)*part) / 15) }
				palette = append(palette, color.RGBA{mix(front.R), mix(front.G), mix(front.B), 0xFF})
			}
		}
	}
	few := image.NewPaletted(chart.Bounds(), palette)
	imagedraw.Draw(few, few.Bounds(), chart, image.Point{}, imagedraw.Src)
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(w, few)
}

var grey = color.Gray{0xEC}

// drawChart draws the requests per second over time, a line for each run, and the legend beside it.
func drawChart(canvas draw.Canvas, runs []*run) error {
	s, c := runs[0].scenario, runs[0].config
	v, ill := s.view(c), s.model(c).ill
	p, legend := emptyPlot(v)
	p.Title.Text = s.title(c)
	if v.span.from > 0 { // a chart of a part says of which, as its axis does
		p.Title.Text += fmt.Sprintf(" Seconds %v to %v.", v.span.from.Seconds(), v.span.to.Seconds())
	}

	p.Y.Max = v.y(1.2 * c.capacity)
	lines := make([]*plotter.Line, len(runs))
	for i, r := range runs {
		var err error
		if lines[i], err = plotter.NewLine(r.points(v)); err != nil {
			return err
		}
		lines[i].Color, lines[i].Width = r.strategy.colour, vg.Points(1.5)
		_, _, _, top := lines[i].DataRange()
		p.Y.Max = max(p.Y.Max, 1.05*top)
	}
	shade, err := shaded(window{max(ill.from, v.span.from), min(ill.to, v.span.to)}, p.Y.Max)
	if err != nil {
		return err
	}
	limit, err := level(v.span, v.y(c.capacity))
	if err != nil {
		return err
	}
	p.Add(shade, limit)
	for i, line := range lines {
		p.Add(line)
		legend.Add(runs[i].strategy.title(c), line)
	}
	legend.Add(fmt.Sprintf("capacity, %v per second", c.capacity), limit)
	legend.Add("the server is "+s.state, shade)

	canvas.SetColor(color.White) // a page may be dark
	canvas.Fill(canvas.Rectangle.Path())
	p.Draw(draw.Crop(canvas, 0, -key, 0, -vg.Points(4)))
	legend.Draw(draw.Crop(canvas, width-key+vg.Points(12), 0, 0, -vg.Points(24)))
	return nil
}

// emptyPlot returns a plot with its axes, and its legend.
func emptyPlot(v view) (*plot.Plot, plot.Legend) {
	p, legend := plot.New(), plot.NewLegend()
	p.X.Label.Text = "time, seconds"
	p.Y.Label.Text = "requests per second, mean of " + brief(v.step)
	p.X.Min, p.X.Max = v.span.from.Seconds(), v.span.to.Seconds()
	p.X.Tick.Marker = every(10, 20, 30, 60, 120, 300, 600)
	p.Y.Min, p.Y.Tick.Marker = 0, every(10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
	if v.log {
		p.Y.Tick.Marker = plot.TickerFunc(powers)
	}
	p.Title.Padding = vg.Points(8)
	legend.Top, legend.Left, legend.Padding = true, true, vg.Points(4)
	for _, font := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &legend.TextStyle.Font} {
		font.Variant, font.Size = "Sans", vg.Points(10)
	}
	return p, legend
}

// points returns what a line runs through.
func (r *run) points(v view) plotter.XYs {
	rates := r.rates(v.span, v.step)
	points := make(plotter.XYs, len(rates))
	for i, rate := range rates {
		points[i] = plotter.XY{X: (v.span.from + time.Duration(i)*v.step + v.step/2).Seconds(), Y: v.y(rate)}
	}
	return points
}

func shaded(w window, top float64) (*plotter.Polygon, error) {
	from, to := w.from.Seconds(), w.to.Seconds()
	area, err := plotter.NewPolygon(plotter.XYs{{X: from}, {X: to}, {X: to, Y: top}, {X: from, Y: top}})
	if err != nil {
		return nil, err
	}
	area.Color = grey
	area.LineStyle.Width = 0
	return area, nil
}

func level(w window, y float64) (*plotter.Line, error) {
	line, err := plotter.NewLine(plotter.XYs{{X: w.from.Seconds(), Y: y}, {X: w.to.Seconds(), Y: y}})
	if err != nil {
		return nil, err
	}
	line.Width, line.Dashes = vg.Points(1), []vg.Length{vg.Points(4), vg.Points(3)}
	return line, nil
}

// every marks the multiples of the first step that gives no more than ten.
func every(steps ...float64) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		step := steps[len(steps)-1]
		for _, s := range slices.Backward(steps) {
			if (high-low)/s <= 10 {
				step = s
			}
		}
		var ticks []plot.Tick
		for x := math.Ceil(low/step) * step; x <= high; x += step {
			ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprintf("%.0f", x)})
		}
		return ticks
	})
}

// powers marks the powers of ten, and what lies between, on an axis of logarithms.
func powers(_, high float64) []plot.Tick {
	var ticks []plot.Tick
	for exponent := 0.0; exponent <= high; exponent++ {
		ticks = append(ticks, plot.Tick{Value: exponent, Label: fmt.Sprintf("%.0f", math.Pow10(int(exponent)))})
		for i := 2.0; i < 10 && exponent+math.Log10(i) <= high; i++ {
			ticks = append(ticks, plot.Tick{Value: exponent + math.Log10(i)})
		}
	}
	ticks[0].Label = "≤ 1"
	return ticks
}

// brief writes 3 min for 3m0s, and 2 s for 2s.
func brief(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%v s", d.Seconds())
}
