// `svc-tools segment properties`: counts the content of a segment. Each layer provides its counts;
// this file formats them.
import type { Amount, LayerDescription } from '../../engine/inspect.ts'
import { bytesText, countText, table } from '../terminal/index.ts'
import { frameOf, layerOf, openSegment, type SegmentChoice } from './segment-source.ts'

type SegmentProperties = {
  readonly segment: string
  readonly bytes: number
  readonly documents: number
  /** Dead documents in its database; null if the segment was named by its file. */
  readonly dead: number | null
  readonly idMin: number
  readonly idMax: number
  readonly bytesPerDocument: number
  /** The counts of the layer, for programs. */
  readonly content: LayerDescription['content']
}

/** Properties, and the parts of them that only people read. */
export type DescribedSegment = {
  readonly properties: SegmentProperties
  readonly description: LayerDescription
}

/** Reads the whole segment. @throws ToolError, StorageError, CorruptionError, VersionError */
export function segmentProperties(choice: SegmentChoice): DescribedSegment {
  const source = openSegment(choice)
  const layer = layerOf(source)
  const frame = frameOf(source)
  const ids = layer.ids(layer.open(frame, {}))
  const description = layer.describe(frame, source.fields)
  const { bytes, state } = source
  const properties = {
    segment: source.label,
    bytes: bytes.length,
    documents: ids.size,
    dead: state === null ? null : state.dead.size,
    idMin: ids.min,
    idMax: ids.max,
    bytesPerDocument: bytes.length / Math.max(1, ids.size),
    content: description.content,
  }
  return { properties, description }
}

export function segmentPropertiesText({ properties, description }: DescribedSegment): string {
  const { segment, bytes, documents, dead, idMin, idMax, bytesPerDocument, content } = properties
  const facts: (readonly [string, string])[] = [
    ['layer', content.layer],
    ['size', `${bytesText(bytes)}, ${bytesPerDocument.toFixed(1)} bytes per document`],
    ['documents', `${countText(documents)}${dead === null ? '' : `, ${countText(dead)} dead`}`],
    ['ids', `${countText(idMin)} to ${countText(idMax)}`],
    ...description.facts.map(
      ([label, ...words]) => [label, words.map(amountText).join('')] as const,
    ),
  ]
  const tables = description.tables.map(tableText)
  return `${segment}\n${table([{ title: '' }, { title: '' }], facts)}${tables.join('')}`
}

function amountText(amount: Amount): string {
  if (typeof amount === 'string') return amount
  return 'bytes' in amount ? bytesText(amount.bytes) : countText(amount.count)
}

function tableText({ columns, rows }: LayerDescription['tables'][number]): string {
  const titles = columns.map((title, i) =>
    i === 0 ? { title } : { title, align: 'right' as const },
  )
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? countText(cell) : cell)),
  )
  return `\n${table(titles, cells)}`
}
