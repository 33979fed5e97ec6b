// Results as a picture: a self-contained SVG with a bar for each benchmark, on a logarithmic scale,
// because a set operation takes microseconds and a sync milliseconds. Earlier results are ticks on
// the bars.
import { duration, type Report, type Result } from './report.ts'

const LABEL_WIDTH = 190
const BARS_WIDTH = 520
const VALUE_WIDTH = 90
const ROW_HEIGHT = 20
const TOP = 48
const COLOURS = ['#4477aa', '#66ccee', '#228833', '#ccbb44', '#ee6677', '#aa3377', '#777777']

/** `then`: earlier results to compare with, or null. */
export function plotSvg(report: Report, then: Report | null): string {
  const { results } = report
  const earlier = new Map((then?.results ?? []).map((result) => [result.name, result]))
  const times = [...results, ...(then?.results ?? [])].map(({ p50 }) => Math.log10(p50))
  const low = Math.floor(Math.min(0, ...times))
  const high = Math.ceil(Math.max(3, ...times))
  const x = (ns: number): number =>
    LABEL_WIDTH + ((Math.log10(ns) - low) / (high - low)) * BARS_WIDTH
  const groups = [...new Set(results.map(groupOf))]
  const bottom = TOP + results.length * ROW_HEIGHT
  const grid = Array.from({ length: high - low + 1 }, (_, i) => low + i).map((power) => {
    const at = x(10 ** power).toFixed(1)
    const label = duration(10 ** power).replace('.00', '')
    return (
      `<line x1="${at}" y1="${TOP - 6}" x2="${at}" y2="${bottom}" stroke="#ddd"/>` +
      `<text x="${at}" y="${TOP - 10}" text-anchor="middle" fill="#666">${label}</text>`
    )
  })
  const bars = results.map((result, i) => {
    const colour = COLOURS[groups.indexOf(groupOf(result)) % COLOURS.length]!
    return barOf(result, earlier.get(result.name) ?? null, x, TOP + i * ROW_HEIGHT, colour)
  })
  const width = LABEL_WIDTH + BARS_WIDTH + VALUE_WIDTH
  const title = `Time for one operation · ${report.cpu} · Node.js ${report.node}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 12}" ` +
      `width="${width}" font-family="system-ui, sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="8" y="18" font-size="13">${escaped(title)}</text>`,
    ...grid,
    ...bars,
    '</svg>\n',
  ].join('\n')
}

const groupOf = ({ name }: Result): string => name.split('/')[0]!

function barOf(
  now: Result,
  then: Result | null,
  x: (ns: number) => number,
  top: number,
  colour: string,
): string {
  const middle = top + ROW_HEIGHT / 2
  const end = x(now.p50)
  const parts = [
    `<text x="${LABEL_WIDTH - 8}" y="${middle + 4}" text-anchor="end">${escaped(now.name)}</text>`,
    `<rect x="${LABEL_WIDTH}" y="${top + 3}" width="${(end - LABEL_WIDTH).toFixed(1)}" ` +
      `height="${ROW_HEIGHT - 6}" fill="${colour}"/>`,
    `<line x1="${x(now.p25).toFixed(1)}" y1="${middle}" x2="${x(now.p75).toFixed(1)}" ` +
      `y2="${middle}" stroke="#000"/>`,
    `<text x="${(end + 6).toFixed(1)}" y="${middle + 4}">${duration(now.p50)}</text>`,
  ]
  if (then !== null) {
    const at = x(then.p50).toFixed(1)
    const y = [top + 1, top + ROW_HEIGHT - 1]
    parts.push(
      `<line x1="${at}" y1="${y[0]}" x2="${at}" y2="${y[1]}" stroke="#c00" stroke-width="2"/>`,
    )
  }
  return parts.join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark]!)
