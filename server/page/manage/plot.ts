// A small plot of values over the last hour.
import { h } from '../parts/index.ts'
import { type Point, peakOf } from './history.ts'

const WIDTH = 240
const HEIGHT = 40
const SVG = 'http://www.w3.org/2000/svg'

/** `label`: what it shows; `text`: the values in words, for all readers. */
export function plot(points: readonly Point[], label: string, text: string): HTMLElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`)
  svg.setAttribute('preserveAspectRatio', 'none')
  svg.setAttribute('class', 'plot')
  svg.setAttribute('aria-hidden', 'true')
  const peak = Math.max(peakOf(points), Number.MIN_VALUE)
  const places = points.map(
    ({ at, value }) =>
      `${(at * WIDTH).toFixed(1)},${(HEIGHT - 1 - (value / peak) * (HEIGHT - 2)).toFixed(1)}`,
  )
  // A line needs two points.
  if (places.length === 1) places.push(`${WIDTH},${places[0]!.split(',')[1]}`)
  const line = document.createElementNS(SVG, 'polyline')
  line.setAttribute('points', places.join(' '))
  svg.append(line)
  return h(
    'figure',
    { class: 'plotted' },
    h('figcaption', {}, h('span', { class: 'muted' }, label), ' ', text),
    svg,
  )
}
