// Draws the sizes of a database as a treemap in SVG. Areas are proportional to bytes; each layer
// has one colour in every index.
import { type HierarchyRectangularNode, hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import { bytesText, countOf, shareText } from '../terminal/index.ts'
import type { DatabaseSize, SizeNode } from './size.ts'

const WIDTH = 1200
const HEIGHT = 760
const MARGIN = 20
const HEAD = 64
const GROUP_HEAD = 20
/** Smaller boxes have no label. */
const LABEL_WIDTH_MIN = 46
const LABEL_HEIGHT_MIN = 16
const CHARACTER_WIDTH = 6.6

/** Colours on which black text is readable, and which colour-blind people can distinguish. */
const COLOURS: { readonly [group: string]: string } = {
  documents: '#9ec9e8',
  text: '#f3c77c',
  columns: '#a8d5a2',
  manifest: '#c9b6e4',
  tasks: '#f2a9a0',
}
const OTHER_COLOUR = '#d5d2cb'

type Box = HierarchyRectangularNode<SizeNode>

/** Returns a self-contained SVG without scripts; the exact numbers are in its titles. */
export function sizePicture(size: DatabaseSize): string {
  const { database, bytes, files, parts } = size
  const root = treemap<SizeNode>()
    .tile(treemapSquarify)
    .size([WIDTH - 2 * MARGIN, HEIGHT - HEAD - MARGIN])
    .paddingOuter(3)
    .paddingTop(({ depth, children }) => (depth > 0 && children !== undefined ? GROUP_HEAD : 3))
    .paddingInner(2)
    .round(true)(
    hierarchy<SizeNode>({ name: database, bytes, parts }, (node) => [...node.parts])
      .sum((node) => (node.parts.length === 0 ? node.bytes : 0))
      .sort((a, b) => (b.value ?? 0) - (a.value ?? 0)),
  )
  const boxes = root.descendants().filter(({ depth }) => depth > 0)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}"`,
    ` height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">\n`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fbfaf7"/>\n`,
    `<text x="${MARGIN}" y="30" font-size="18" font-weight="600">${escaped(database)}</text>\n`,
    `<text x="${MARGIN}" y="50" fill="#555">${bytesText(bytes)} in ${countOf(files, 'file')}</text>\n`,
    legend(boxes),
    `<g transform="translate(${MARGIN} ${HEAD})">\n`,
    ...boxes.map((box) => boxText(box, bytes)),
    '</g>\n</svg>\n',
  ].join('')
}

function legend(boxes: readonly Box[]): string {
  const used = new Set(boxes.map(groupOf))
  const groups = Object.keys(COLOURS).filter((group) => used.has(group))
  return groups
    .map((group, i) => {
      const x = WIDTH - MARGIN - (groups.length - i) * 110
      const swatch = `<rect x="${x}" y="36" width="14" height="14" rx="3" fill="${COLOURS[group]}"/>`
      return `${swatch}<text x="${x + 20}" y="48">${group}</text>\n`
    })
    .join('')
}

/** Returns the layer or part that a box belongs to. */
function groupOf(box: Box): string {
  // From the top: the database, `indexes` or a part, an index, a layer.
  const [, part, , layer] = box.ancestors().reverse()
  const name = part?.data.name === 'indexes' ? layer?.data.name : part?.data.name
  return name !== undefined && Object.hasOwn(COLOURS, name) ? name : ''
}

function boxText(box: Box, total: number): string {
  const { x0, y0, x1, y1, data, children } = box
  const width = x1 - x0
  const height = y1 - y0
  if (width <= 0 || height <= 0) return ''
  const isGroup = children !== undefined
  const colour = COLOURS[groupOf(box)] ?? OTHER_COLOUR
  const look = isGroup
    ? `fill="${colour}" fill-opacity="0.25" stroke="#8a867d" stroke-width="0.6"`
    : `fill="${colour}" stroke="#ffffff" stroke-width="0.6"`
  const names = box.ancestors().slice(0, -1).reverse()
  const path = names.map((inner) => inner.data.name).join(' › ')
  const title = `${path}: ${bytesText(data.bytes)} (${shareText(data.bytes, total)})`
  return [
    `<g><title>${escaped(title)}</title>`,
    `<rect x="${x0}" y="${y0}" width="${width}" height="${height}" rx="2" ${look}/>`,
    labels(box, isGroup, total),
    '</g>\n',
  ].join('')
}

function labels({ x0, y0, x1, y1, data }: Box, isGroup: boolean, total: number): string {
  const width = x1 - x0
  const height = y1 - y0
  if (width < LABEL_WIDTH_MIN || height < LABEL_HEIGHT_MIN) return ''
  const room = Math.floor((width - 10) / CHARACTER_WIDTH)
  const size = `${bytesText(data.bytes)} · ${shareText(data.bytes, total)}`
  const line = (y: number, text: string, look: string): string =>
    `<text x="${x0 + 5}" y="${y}" ${look}>${escaped(cut(text, room))}</text>`
  if (isGroup) {
    const both = `${data.name} · ${size}`
    const text = fitting(room, both, `${data.name} · ${bytesText(data.bytes)}`, data.name)
    return line(y0 + 14, text, 'font-weight="600"')
  }
  const name = line(y0 + 14, data.name, 'fill="#222"')
  return height < 2 * LABEL_HEIGHT_MIN
    ? name
    : name + line(y0 + 29, fitting(room, size, bytesText(data.bytes)), 'fill="#555"')
}

/** Returns the first text that fits, or the last one. */
const fitting = (room: number, ...texts: readonly string[]): string =>
  texts.find((text) => text.length <= room) ?? texts.at(-1)!

const cut = (text: string, room: number): string =>
  text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
