// `svc-tools manifest state`: shows the parts of the database: indexes, segments, dead documents.

import { StorageError } from '../../engine/index.ts'
import {
  type IndexState,
  LAYERS,
  readDatabase,
  readVersion,
  type SegmentState,
} from '../../engine/inspect.ts'
import type { IndexNo, IndexUid, SegmentNo } from '../../format/ids.ts'
import type { Layer } from '../../format/manifest/index.ts'
import { bytesText, countOf, countText, microsText, table } from '../terminal/index.ts'
import { openDatabaseFolder } from './open-database.ts'

type SegmentSummary = {
  readonly segment: SegmentNo
  readonly layer: Layer
  readonly place: 'file' | 'inline'
  readonly bytes: number
  readonly documents: number
  readonly dead: number
  readonly idMin: number
  readonly idMax: number
  readonly generation: number
}

export type LayerSummary = {
  readonly layer: Layer
  readonly segments: number
  readonly bytes: number
  readonly documents: number
  readonly dead: number
}

export type IndexSummary = {
  readonly index: IndexNo
  readonly uid: IndexUid
  readonly primaryKey: string | null
  /** Microseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly fields: readonly { readonly name: string; readonly documents: number }[]
  readonly settings: unknown
  readonly layers: readonly LayerSummary[]
  readonly segments: readonly SegmentSummary[]
}

export type DatabaseSummary = {
  /** The release that last wrote the database, or null if VERSION cannot be read. */
  readonly version: string | null
  readonly manifest: { readonly path: string; readonly bytes: number; readonly tail: string }
  readonly sequence: number
  readonly nextIndex: number
  readonly nextSegment: number
  readonly indexes: readonly IndexSummary[]
  readonly values: readonly {
    readonly space: string
    readonly keys: number
    readonly bytes: number
  }[]
  /** Batches that finished and are possibly not in the task log yet. */
  readonly outcomes: readonly number[]
}

/** @throws ToolError, StorageError */
export function manifestState(db: string): DatabaseSummary {
  const fs = openDatabaseFolder(db)
  const { path, bytes, contents, state } = readDatabase(fs)
  const values = [...state.values].map(([space, keys]) => ({
    space,
    keys: keys.size,
    bytes: [...keys.values()].reduce((sum, value) => sum + value.length, 0),
  }))
  return {
    version: versionOf(() => readVersion(fs)),
    manifest: { path, bytes, tail: contents.tail },
    sequence: state.sequence,
    nextIndex: state.nextIndex,
    nextSegment: state.nextSegment,
    indexes: [...state.indexes.values()].map(indexSummary),
    values,
    outcomes: [...state.outcomes.keys()],
  }
}

function versionOf(read: () => string): string | null {
  try {
    return read()
  } catch (error) {
    // `check` reports its fault; the state can be shown without it.
    if (!(error instanceof StorageError)) throw error
    return null
  }
}

function indexSummary(index: IndexState): IndexSummary {
  const segments = [...index.segments.values()]
    .map(segmentSummary)
    .sort((a, b) => a.segment - b.segment)
  return {
    index: index.index,
    uid: index.uid,
    primaryKey: index.primaryKey,
    createdAt: index.createdAt,
    updatedAt: index.updatedAt,
    fields: index.fields.map((name, id) => ({ name, documents: index.fieldCounts[id]! })),
    settings: parsed(index.settings),
    layers: LAYERS.map(({ name }) => layerSummary(name, segments)),
    segments,
  }
}

function parsed(settings: string): unknown {
  try {
    return JSON.parse(settings)
  } catch (error) {
    // `check` reports invalid settings.
    if (!(error instanceof SyntaxError)) throw error
    return settings
  }
}

const segmentSummary = (state: SegmentState): SegmentSummary => ({
  segment: state.segment,
  layer: state.layer,
  place: state.location.kind,
  bytes: state.bytes,
  documents: state.documents,
  dead: state.dead.size,
  idMin: state.idMin,
  idMax: state.idMax,
  generation: state.generation,
})

function layerSummary(layer: Layer, all: readonly SegmentSummary[]): LayerSummary {
  const own = all.filter((segment) => segment.layer === layer)
  const sum = (of: (segment: SegmentSummary) => number) => own.reduce((n, s) => n + of(s), 0)
  return {
    layer,
    segments: own.length,
    bytes: sum((s) => s.bytes),
    documents: sum((s) => s.documents),
    dead: sum((s) => s.dead),
  }
}

const right = (title: string) => ({ title, align: 'right' as const })

export function manifestStateText(summary: DatabaseSummary): string {
  const { version, manifest, sequence, nextIndex, nextSegment } = summary
  const facts = [
    ['release', version ?? 'unknown: VERSION cannot be read'],
    ['manifest', `${manifest.path}, ${bytesText(manifest.bytes)}, ends ${manifest.tail}`],
    ['edits', `${countText(sequence)} since the database was created`],
    ['next numbers', `index ${nextIndex}, segment ${nextSegment}`],
    ...summary.values.map(({ space, keys, bytes }) => [
      `values ${space}`,
      `${countText(keys)}, ${bytesText(bytes)}`,
    ]),
    ...(summary.outcomes.length === 0
      ? []
      : [['outcomes of batches', summary.outcomes.join(', ')]]),
  ]
  const indexes = summary.indexes.map(indexText)
  return `${table([{ title: '' }, { title: '' }], facts, '')}${indexes.join('')}`
}

function indexText(index: IndexSummary): string {
  const { uid, primaryKey, fields, layers, segments } = index
  const key = primaryKey === null ? 'no primary key' : `primary key ${primaryKey}`
  const times = `made ${microsText(index.createdAt)}, changed ${microsText(index.updatedAt)}`
  const head = `\n${uid} (index ${index.index}) · ${key} · ${countOf(fields.length, 'field')} · ${times}\n`
  const layerRows = layers.map((l) => [
    l.layer,
    countText(l.segments),
    bytesText(l.bytes),
    countText(l.documents - l.dead),
    countText(l.dead),
  ])
  const columns = [{ title: 'layer' }, ...['segments', 'size', 'live', 'dead'].map(right)]
  const segmentRows = segments.map((s) => [
    `${s.segment} ${s.layer}`,
    s.place,
    bytesText(s.bytes),
    countText(s.documents - s.dead),
    countText(s.dead),
    `${countText(s.idMin)}–${countText(s.idMax)}`,
  ])
  const titles = [
    { title: 'segment' },
    { title: 'in' },
    ...['size', 'live', 'dead', 'ids'].map(right),
  ]
  return `${head}${table(columns, layerRows)}${table(titles, segmentRows)}`
}
