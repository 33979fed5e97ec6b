// A soak run as a picture: one panel per quantity over the hours of the day, with events as lines
// through all of them.

import { scaleLinear, scaleLog } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import { MiB } from '../../format/bytes/index.ts'
import type { ThreadMemory } from './heap.ts'
import { type EventKind, type Sample, type SoakReport, threadNames } from './soak-samples.ts'
import { percentile } from './summary.ts'

const [WIDTH, LEFT, RIGHT] = [1010, 128, 150]
const [TOP, PANEL, GAP, BOTTOM] = [92, 104, 34, 20]
const HOURS = 24
const TEXT = '#333a40'
const FAINT = '#69727a'
const EVENT_COLOURS: { readonly [kind in EventKind]: string } = {
  restart: '#4477aa',
  kill: '#cc3311',
  snapshot: '#8a8f94',
  dump: '#aa7700',
}

type Series = {
  readonly name: string
  readonly colour: string
  readonly isFilled?: boolean
  readonly value: (sample: Sample) => number
}
type Panel = {
  readonly title: string
  readonly unit: string
  readonly isLog?: boolean
  readonly series: readonly Series[]
}
/** Without a measurement the curve has no point. */
const shareOf = (values: readonly number[], share: number): number =>
  values.length === 0 ? Number.NaN : percentile(values, share)

type Scale = { (value: number): number; ticks(count?: number): number[] }

const PANELS: readonly Panel[] = [
  {
    title: 'Memory',
    unit: 'MiB',
    series: [
      { name: 'resident', colour: '#4477aa', isFilled: true, value: (s) => s.memoryBytes / MiB },
    ],
  },
  {
    title: 'Disk',
    unit: 'MiB',
    series: [
      { name: 'database', colour: '#228833', isFilled: true, value: (s) => s.diskBytes / MiB },
    ],
  },
  {
    title: 'Descriptors',
    unit: 'open',
    series: [{ name: 'open', colour: '#aa3377', isFilled: true, value: (s) => s.descriptors }],
  },
  {
    title: 'Latency',
    unit: 'ms',
    isLog: true,
    series: [
      { name: 'searches, median', colour: '#66aadd', value: (s) => shareOf(s.searches, 0.5) },
      { name: 'searches, p99', colour: '#225588', value: (s) => shareOf(s.searches, 0.99) },
      { name: 'health, p99', colour: '#cc6677', value: (s) => shareOf(s.health, 0.99) },
    ],
  },
  {
    title: 'Work',
    unit: 'a sample',
    series: [
      { name: 'requests', colour: '#225588', isFilled: true, value: (s) => s.searches.length },
      { name: 'tasks waiting', colour: '#aa7700', value: (s) => s.tasksWaiting },
    ],
  },
]

/** Colours of threads, in their order. */
const THREAD_COLOURS = ['#225588', '#cc6677', '#228833', '#aa7700', '#aa3377', '#66aadd', '#8a8f94']

/** A panel with a curve per thread. */
function threadPanel(
  title: string,
  part: Exclude<keyof ThreadMemory, 'name'>,
  samples: readonly Sample[],
): Panel {
  const series = threadNames(samples).map((name, i): Series => {
    const bytesOf = ({ threads }: Sample): number =>
      threads.find((one) => one.name === name)?.[part] ?? Number.NaN
    const colour = THREAD_COLOURS[i % THREAD_COLOURS.length]!
    return { name, colour, value: (sample) => bytesOf(sample) / MiB }
  })
  return { title, unit: 'MiB', series }
}

export function soakSvg(report: SoakReport, title: string): string {
  const panels = [
    ...PANELS,
    threadPanel('Heap', 'heap', report.samples),
    threadPanel('External', 'external', report.samples),
    threadPanel('Buffers', 'buffers', report.samples),
  ]
  const height = TOP + panels.length * (PANEL + GAP) + BOTTOM
  const x = scaleLinear([0, HOURS], [LEFT, WIDTH - RIGHT])
  const bottom = height - BOTTOM - GAP
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
      `height="${height}" font-family="system-ui, sans-serif" font-size="11" fill="${TEXT}">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(LEFT, 26, title, 'font-size="15" font-weight="600"'),
    troubleOf(report, x, bottom),
    ...panels.map((panel, i) => panelOf(panel, report.samples, x, TOP + i * (PANEL + GAP))),
    ...eventsOf(report, x, bottom),
    ...x
      .ticks(12)
      .map((hour) => text(x(hour), bottom + 18, `${hour}:00`, `${MIDDLE} fill="${FAINT}"`)),
    '</svg>\n',
  ].join('\n')
}

const MIDDLE = 'text-anchor="middle"'
const number = (value: number): string => value.toFixed(1)

function text(x: number, y: number, words: string, attributes = ''): string {
  const escaped = words.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return `<text x="${number(x)}" y="${number(y)}" ${attributes}>${escaped}</text>`
}

function troubleOf({ trouble: [from, to] }: SoakReport, x: Scale, bottom: number): string {
  if (from === to) return ''
  const width = number(x(to) - x(from))
  return (
    `<rect x="${number(x(from))}" y="${TOP - 8}" width="${width}" ` +
    `height="${number(bottom - TOP + 8)}" fill="#fbf1dd"/>` +
    text((x(from) + x(to)) / 2, TOP - 14, 'webhooks refused', `${MIDDLE} fill="#7a5500"`)
  )
}

function eventsOf({ events }: SoakReport, x: Scale, bottom: number): readonly string[] {
  return events.map(({ hour, kind }, i) => {
    const at = number(x(hour))
    const colour = EVENT_COLOURS[kind]
    return (
      `<line x1="${at}" x2="${at}" y1="${TOP - 8}" y2="${bottom}" stroke="${colour}" ` +
      `stroke-dasharray="${kind === 'kill' ? '' : '3 3'}"/>` +
      // Neighbouring labels are at different heights.
      text(x(hour), TOP - 28 - 14 * (i % 2), kind, `${MIDDLE} fill="${colour}"`)
    )
  })
}

function panelOf(panel: Panel, samples: readonly Sample[], x: Scale, top: number): string {
  const { title, unit, series, isLog = false } = panel
  const values = series.flatMap(({ value }) => samples.map(value)).filter(Number.isFinite)
  const most = Math.max(1, ...values)
  const span = [top + PANEL, top]
  const y = isLog
    ? scaleLog([0.3, most * 1.3], span).clamp(true)
    : scaleLinear([0, most * 1.1], span)
  const ticks = isLog ? [1, 10, 100, 1000].filter((tick) => tick <= most * 1.3) : y.ticks(4)
  const right = WIDTH - RIGHT
  return [
    text(12, top + 10, title, 'font-weight="600"'),
    text(12, top + 25, unit, `fill="${FAINT}"`),
    ...ticks.map(
      (tick) =>
        `<line x1="${LEFT}" x2="${right}" y1="${number(y(tick))}" y2="${number(y(tick))}" ` +
        `stroke="#e4e6e8"/>` +
        text(LEFT - 8, y(tick) + 4, String(tick), `text-anchor="end" fill="${FAINT}"`),
    ),
    ...series.map((one) => curveOf(one, samples, x, y, top + PANEL)),
    ...series.map(({ name, colour }, i) =>
      text(right + 12, top + 12 + i * 16, name, `fill="${colour}" font-weight="600"`),
    ),
  ].join('\n')
}

function curveOf(
  { value, colour, isFilled = false }: Series,
  samples: readonly Sample[],
  x: Scale,
  y: Scale,
  bottom: number,
): string {
  const shown = samples.filter((sample) => Number.isFinite(value(sample)))
  const at = (sample: Sample): number => x(sample.hour)
  const height = (sample: Sample): number => y(value(sample))
  const path = line<Sample>(at, height).curve(curveMonotoneX)(shown) ?? ''
  const below = area<Sample>(at, bottom, height).curve(curveMonotoneX)(shown) ?? ''
  return (
    (isFilled ? `<path d="${below}" fill="${colour}" fill-opacity="0.12"/>` : '') +
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
  )
}
