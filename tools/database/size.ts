// `svc-tools db size`: accounts for every byte of a database folder: by index, layer and section,
// in the logs, in unknown files. The parts add up to the lengths of all files.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSystem } from '../../engine/index.ts'
import {
  BODIES,
  type DatabaseRead,
  type IndexState,
  LAYERS,
  readDatabase,
  SEGMENTS,
  type SegmentLayer,
  TASKS,
} from '../../engine/inspect.ts'
import { Frame } from '../../format/frame/index.ts'
import { besideServer, openDatabaseFolder, segmentBytes, segmentLabel } from '../inspect/index.ts'
import { bytesText, countOf, countText, shareText, table } from '../terminal/index.ts'

export type SizeNode = {
  readonly name: string
  readonly bytes: number
  /** The parts whose bytes add up to this node; empty for a leaf. */
  readonly parts: readonly SizeNode[]
}

export type DatabaseSize = {
  readonly database: string
  readonly bytes: number
  readonly files: number
  /** Bytes that the files occupy on the disk, in whole blocks. */
  readonly diskBytes: number
  /** The part of `bytes` that belongs to dead documents in segments, approximately. */
  readonly deadBytes: number
  readonly parts: readonly SizeNode[]
}

/** Reads the manifest and the ends of segments. @throws ToolError, StorageError */
export const databaseSize = (db: string): DatabaseSize => besideServer(() => sizeNow(db))

function sizeNow(db: string): DatabaseSize {
  const fs = openDatabaseFolder(db)
  const read = readDatabase(fs)
  const files = filesOf(db)
  const counted = new Set<string>()
  const indexes = [...read.state.indexes.values()].map((index) =>
    indexNode(fs, read, index, files, counted),
  )
  const rest = restNodes(read, files, counted)
  const sum = [...files.values()]
  return {
    database: db,
    bytes: sum.reduce((all, { bytes }) => all + bytes, 0),
    files: files.size,
    diskBytes: sum.reduce((all, { disk }) => all + disk, 0),
    deadBytes: deadBytesOf(read),
    parts: [node('indexes', indexes), ...rest].filter(({ bytes }) => bytes > 0),
  }
}

type Files = ReadonlyMap<string, { readonly bytes: number; readonly disk: number }>

/** Returns all files by their path in the folder. A file that disappears meanwhile is left out. */
function filesOf(db: string): Files {
  const files = new Map<string, { bytes: number; disk: number }>()
  for (const entry of readdirSync(db, { recursive: true, encoding: 'utf8' })) {
    const found = statSync(join(db, entry), { throwIfNoEntry: false })
    if (found === undefined || !found.isFile()) continue
    files.set(entry.replaceAll('\\', '/'), { bytes: found.size, disk: found.blocks * 512 })
  }
  return files
}

const node = (name: string, parts: readonly SizeNode[]): SizeNode => ({
  name,
  bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  parts: parts.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes),
})

const leaf = (name: string, bytes: number): SizeNode => ({ name, bytes, parts: [] })

function indexNode(
  fs: FileSystem,
  { path }: DatabaseRead,
  index: IndexState,
  files: Files,
  counted: Set<string>,
): SizeNode {
  const layers = LAYERS.map((layer) => {
    const sections = new Map<string, number>()
    for (const segment of index.segments.values()) {
      if (segment.layer !== layer.name) continue
      if (segment.location.kind === 'file') counted.add(segmentLabel(path, segment))
      const length = files.get(segmentLabel(path, segment))?.bytes ?? segment.bytes
      addSections(sections, layer, segmentBytes(fs, path, segment), length)
    }
    return node(
      layer.name,
      [...sections].map(([name, bytes]) => leaf(name, bytes)),
    )
  })
  return node(index.uid, layers)
}

/** Adds the sections of one segment, and the bytes between and after them. */
function addSections(
  sections: Map<string, number>,
  { kind, sections: names }: SegmentLayer,
  { label, bytes }: { readonly label: string; readonly bytes: Uint8Array },
  length: number,
): void {
  const add = (name: string, bytes: number): void =>
    void sections.set(name, (sections.get(name) ?? 0) + bytes)
  let rest = length
  for (const section of Frame.open(bytes, kind, label).sections) {
    add(names[section.tag] ?? section.tag, section.length)
    rest -= section.length
  }
  add('checksums and frame', rest)
}

function restNodes({ path, state, contents }: DatabaseRead, files: Files, counted: Set<string>) {
  let inline = 0
  for (const { segments } of state.indexes.values()) {
    for (const { location } of segments.values()) {
      if (location.kind === 'inline') inline += location.frame.length
    }
  }
  const manifest = files.get(path)?.bytes ?? 0
  const edits = Math.min(contents.validBytes, manifest)
  counted.add(path)
  const parts = {
    tasks: [] as SizeNode[],
    others: [] as SizeNode[],
    unnamed: [] as SizeNode[],
  }
  for (const [file, { bytes }] of files) {
    if (counted.has(file)) continue
    if (file.startsWith(`${BODIES}/`)) parts.tasks.push(leaf('waiting bodies', bytes))
    else if (file.startsWith(`${TASKS}/`)) parts.tasks.push(leaf('task log', bytes))
    else if (file.startsWith(`${SEGMENTS}/`)) parts.unnamed.push(leaf(file, bytes))
    else parts.others.push(leaf(file, bytes))
  }
  return [
    node('manifest', [
      leaf('edits', Math.max(0, edits - inline)),
      leaf('room for more', manifest - edits),
    ]),
    node('tasks', grouped(parts.tasks)),
    node('unused files', parts.unnamed),
    node('small files', parts.others),
  ]
}

function grouped(nodes: readonly SizeNode[]): SizeNode[] {
  const sums = new Map<string, number>()
  for (const { name, bytes } of nodes) sums.set(name, (sums.get(name) ?? 0) + bytes)
  return [...sums].map(([name, bytes]) => leaf(name, bytes))
}

function deadBytesOf({ state }: DatabaseRead): number {
  let dead = 0
  for (const { segments } of state.indexes.values()) {
    for (const segment of segments.values()) {
      dead += (segment.bytes * segment.dead.size) / segment.documents
    }
  }
  return Math.round(dead)
}

const COLUMNS = [
  { title: '' },
  { title: 'bytes', align: 'right' },
  { title: '', align: 'right' },
  { title: 'share', align: 'right' },
  { title: '' },
] as const

const BAR_CELLS = 20

export function databaseSizeText(size: DatabaseSize): string {
  const { database, bytes, files, diskBytes, deadBytes, parts } = size
  const rows: string[][] = []
  const visit = (nodes: readonly SizeNode[], depth: number): void => {
    for (const { name, bytes: own, parts: inner } of nodes) {
      const bar = '#'.repeat(Math.round((own / Math.max(1, bytes)) * BAR_CELLS))
      const name_ = `${'  '.repeat(depth)}${name}`
      rows.push([name_, countText(own), bytesText(own), shareText(own, bytes), bar])
      visit(inner, depth + 1)
    }
  }
  visit(parts, 0)
  const dead = deadBytes === 0 ? '' : `, about ${bytesText(deadBytes)} of dead documents`
  return [
    `${database} · ${bytesText(bytes)} in ${countOf(files, 'file')}`,
    ` (${bytesText(diskBytes)} on disk)${dead}\n\n`,
    table(COLUMNS, rows),
  ].join('')
}
