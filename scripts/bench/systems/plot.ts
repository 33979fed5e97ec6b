// Draws the figures of one set of data as SVG: a panel for each metric, a bar for each system, with
// the range of the rounds as a line.
import {
  type DataResult,
  METRICS,
  type MetricName,
  type Range,
  type SystemResult,
} from './results.ts'

const PANELS: readonly MetricName[] = [
  'bulkSeconds',
  'bulkCpu',
  'bulkMemory',
  'disk',
  'searchMs',
  'searchP99Ms',
  'searchCpuMs',
  'memory',
  'updateSeconds',
  'singleMs',
  'restartMs',
  'restartCpu',
]
const COLUMNS = 4
const PANEL_WIDTH = 280
const BAR_HEIGHT = 20
const BAR_WIDTH_MAX = 110
const NAME_WIDTH = 110
const PANEL_HEAD = 34
const HEAD = 48
/** Colours that colour-blind people can distinguish, in the order of the systems. */
const COLOURS = ['#2f7fb8', '#9ec9e8', '#f3c77c', '#a8d5a2', '#c9b6e4', '#f2a9a0']

export function plotOf({ name, documents, systems }: DataResult): string {
  const panelHeight = PANEL_HEAD + systems.length * BAR_HEIGHT + 12
  const width = COLUMNS * PANEL_WIDTH
  const height = HEAD + Math.ceil(PANELS.length / COLUMNS) * panelHeight
  const panels = PANELS.map((metric, i) => {
    const x = (i % COLUMNS) * PANEL_WIDTH + 12
    const y = HEAD + Math.floor(i / COLUMNS) * panelHeight
    return `<g transform="translate(${x} ${y})">\n${panelOf(metric, systems)}</g>\n`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"`,
    ` height="${height}" font-family="system-ui, sans-serif" font-size="12">\n`,
    `<rect width="${width}" height="${height}" fill="#fbfaf7"/>\n`,
    `<text x="12" y="28" font-size="16" font-weight="600">${escaped(name)}, `,
    `${documents.toLocaleString('en')} documents: shorter bars are better</text>\n`,
    ...panels,
    '</svg>\n',
  ].join('')
}

function panelOf(metric: MetricName, systems: readonly SystemResult[]): string {
  const { title, unit } = METRICS[metric]
  const most = Math.max(...systems.map(({ figures }) => figures[metric]?.max ?? 0))
  const bars = systems.map(({ name, figures }, i) => {
    const y = 10 + i * BAR_HEIGHT
    const label = `<text x="0" y="${y + 11}">${escaped(name.slice(0, 17))}</text>`
    return `${label}${barOf(figures[metric], y, most, COLOURS[i % COLOURS.length]!)}\n`
  })
  return `<text y="0" font-weight="600">${title}, ${unit}</text>\n${bars.join('')}`
}

function barOf(range: Range | undefined, y: number, most: number, colour: string): string {
  if (range === undefined) return `<text x="${NAME_WIDTH}" y="${y + 11}" fill="#777">–</text>`
  const at = (value: number): string => ((value / most) * BAR_WIDTH_MAX).toFixed(1)
  const [left, right] = [NAME_WIDTH + Number(at(range.min)), NAME_WIDTH + Number(at(range.max))]
  return (
    `<rect x="${NAME_WIDTH}" y="${y}" width="${at(range.median)}" height="14" fill="${colour}"/>` +
    `<path d="M${left} ${y + 7}H${right}" stroke="#333"/>` +
    `<text x="${Math.max(right, NAME_WIDTH) + 5}" y="${y + 11}">${figureText(range.median)}</text>`
  )
}

/** Three significant digits, without an exponent. */
export const figureText = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(2 + Number(value >= 1))))

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
