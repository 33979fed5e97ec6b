// `svc-tools segment layout`: the meaning of each byte range in a segment, and whether each is as
// written. Layout: format/frame/FRAME.md and the pages of the layers.

import type { LayerTable } from '../../engine/inspect.ts'
import { FRAME_PAGE_BYTES, type Frame } from '../../format/frame/index.ts'
import { bytesText, countOf, countText, shareText, table } from '../terminal/index.ts'
import { type Finding, findingOf, findingText } from './finding.ts'
import { footerChecksum, frameDamage, tableOffsetOf } from './frame-damage.ts'
import {
  frameOf,
  layerOf,
  openSegment,
  type SegmentChoice,
  type SegmentSource,
} from './segment-source.ts'

type SectionLayout = {
  readonly tag: string
  readonly version: number
  /** From the start of the frame. */
  readonly offset: number
  readonly bytes: number
  readonly checksum: number
  readonly isSound: boolean
}

export type SegmentLayout = {
  readonly segment: string
  readonly kind: string
  readonly bytes: number
  /** The checksum in the footer, by which the manifest identifies the file. */
  readonly checksum: number
  readonly pages: number
  readonly sections: readonly SectionLayout[]
  /** Bytes outside of sections: header, padding, tables and footer. */
  readonly otherBytes: number
  readonly tables: readonly LayerTable[]
  readonly problems: readonly Finding[]
}

/** @throws ToolError, or StorageError if the segment does not exist */
export function segmentLayout(choice: SegmentChoice): SegmentLayout {
  const source = openSegment(choice)
  layerOf(source)
  const { label, kind, bytes } = source
  let frame: Frame
  try {
    frame = frameOf(source)
  } catch (error) {
    const problems = [findingOf(label, error)]
    const nothing = { checksum: 0, pages: 0, sections: [], otherBytes: bytes.length, tables: [] }
    return { segment: label, kind, bytes: bytes.length, ...nothing, problems }
  }
  const problems = [...frameDamage(frame, label)]
  const damaged = new Set(problems.map(({ section }) => section))
  const sections = [...frame.sections].map((section) => ({
    tag: section.tag,
    version: section.version,
    offset: section.offset,
    bytes: section.length,
    checksum: section.checksum,
    isSound: !damaged.has(section.tag),
  }))
  const inside = sections.reduce((sum, section) => sum + section.bytes, 0)
  return {
    segment: label,
    kind,
    bytes: bytes.length,
    checksum: footerChecksum(bytes),
    pages: Math.ceil(tableOffsetOf(frame) / FRAME_PAGE_BYTES),
    sections,
    otherBytes: bytes.length - inside,
    tables: problems.length > 0 ? [] : nestedTables(source, frame, problems),
    problems,
  }
}

/** Adds the faults found in the inner tables to `problems`. */
function nestedTables(
  source: SegmentSource,
  frame: Frame,
  problems: Finding[],
): readonly LayerTable[] {
  try {
    return layerOf(source).tables(frame, source.fields)
  } catch (error) {
    problems.push(findingOf(source.label, error))
    return []
  }
}

const TABLE_ROWS_MAX = 40

export function segmentLayoutText(layout: SegmentLayout): string {
  const { segment, kind, bytes, pages, checksum, sections, otherBytes } = layout
  const facts = `${kind}, ${bytesText(bytes)} (${countText(bytes)} bytes), ${countOf(pages, 'page')}`
  const rows = sections.map((s) => [
    s.tag,
    String(s.version),
    countText(s.offset),
    countText(s.bytes),
    shareText(s.bytes, bytes),
    s.checksum.toString(16).padStart(8, '0'),
    s.isSound ? 'sound' : 'DAMAGED',
  ])
  rows.push(['other', '', '', countText(otherBytes), shareText(otherBytes, bytes), '', ''])
  const titles = ['section', 'version', 'offset', 'bytes', 'share', 'checksum', 'state']
  const columns = titles.map((title, i) =>
    i > 0 && i < 5 ? { title, align: 'right' as const } : { title },
  )
  const parts = [
    `${segment}: ${facts}, checksum ${checksum.toString(16).padStart(8, '0')}\n\n`,
    table(columns, rows),
    ...layout.tables.map(nestedText),
    ...layout.problems.map((finding) => `\n${findingText(finding)}\n`),
  ]
  return parts.join('')
}

function nestedText({ title, columns, rows }: LayerTable): string {
  const shown = rows
    .slice(0, TABLE_ROWS_MAX)
    .map((row) => row.map((cell) => (typeof cell === 'number' ? countText(cell) : cell)))
  const left = rows.length - shown.length
  const aligned = columns.map((title, i) =>
    i === 0 ? { title } : { title, align: 'right' as const },
  )
  const rest = left > 0 ? `  … ${countText(left)} more; --json shows all\n` : ''
  return `\n${title}\n${table(aligned, shown)}${rest}`
}
