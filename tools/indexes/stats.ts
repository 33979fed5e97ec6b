// `svc-tools index stats`: documents, layers, fields and words of indexes, counted from the
// manifest and the heads of segments.

import {
  decodeSettings,
  defaultSettings,
  type FileSystem,
  renderSetting,
  SETTING_NAMES,
} from '../../engine/index.ts'
import {
  documentsLayer,
  layerNamed,
  readDatabase,
  type SegmentState,
  textLayer,
} from '../../engine/inspect.ts'
import { Frame } from '../../format/frame/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import {
  besideServer,
  type IndexSummary,
  type LayerSummary,
  manifestState,
  openDatabaseFolder,
  segmentBytes,
} from '../inspect/index.ts'
import {
  bytesText,
  countOf,
  countText,
  microsText,
  shareText,
  ToolError,
  table,
} from '../terminal/index.ts'

export type IndexStats = {
  readonly uid: IndexUid
  readonly primaryKey: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly documents: number
  readonly bytes: number
  readonly bytesPerDocument: number
  readonly layers: readonly LayerSummary[]
  readonly words: {
    /** Sum over all segments: a term in several segments counts several times. */
    readonly terms: number
    readonly occurrences: number
  }
  /** The oldest analysis version of a segment; 0 if a segment is older than such versions. */
  readonly analysis: number | null
  readonly fields: readonly { readonly name: string; readonly documents: number }[]
  /** The settings that differ from the defaults. */
  readonly settings: { readonly [name: string]: unknown }
}

/**
 * Returns the statistics of one index, or of all if `uid` is null. @throws ToolError,
 * StorageError, CorruptionError
 */
export const indexStats = (db: string, uid: IndexUid | null): readonly IndexStats[] =>
  besideServer(() => statsNow(db, uid))

function statsNow(db: string, uid: IndexUid | null): readonly IndexStats[] {
  const fs = openDatabaseFolder(db)
  const { path, state } = readDatabase(fs)
  const { indexes } = manifestState(db)
  const chosen = uid === null ? indexes : indexes.filter((index) => index.uid === uid)
  if (chosen.length === 0 && uid !== null) {
    const names = indexes.map((index) => index.uid).join(', ')
    throw new ToolError(`there is no index \`${uid}\`: the database has ${names || 'none'}`)
  }
  return chosen.map((index) => {
    const stored = state.indexes.get(index.index)
    const segments = [...(stored?.segments.values() ?? [])]
    return statsOf(fs, path, index, segments, stored?.fields ?? [])
  })
}

function statsOf(
  fs: FileSystem,
  manifest: string,
  index: IndexSummary,
  segments: readonly SegmentState[],
  names: readonly string[],
): IndexStats {
  const stored = index.layers.find(({ layer }) => layer === documentsLayer.name)
  const documents = stored === undefined ? 0 : stored.documents - stored.dead
  const bytes = index.layers.reduce((sum, layer) => sum + layer.bytes, 0)
  const words = { terms: 0, occurrences: 0 }
  const analyses: number[] = []
  for (const segment of segments) {
    const layer = layerNamed(segment.layer)
    if (layer.analysis === null) continue
    const found = segmentBytes(fs, manifest, segment)
    const frame = Frame.open(found.bytes, layer.kind, found.label)
    analyses.push(layer.analysis.of(frame, names))
    if (layer !== textLayer) continue
    const reader = textLayer.open(frame, {})
    words.terms += reader.termCount
    words.occurrences += reader.occurrenceCount
  }
  return {
    uid: index.uid,
    primaryKey: index.primaryKey,
    createdAt: microsText(index.createdAt),
    updatedAt: microsText(index.updatedAt),
    documents,
    bytes,
    bytesPerDocument: documents === 0 ? 0 : Math.round(bytes / documents),
    layers: index.layers,
    words,
    analysis: analyses.length === 0 ? null : Math.min(...analyses),
    fields: index.fields.filter((field) => field.documents > 0),
    settings: changedSettings(index.settings),
  }
}

function changedSettings(stored: unknown): { readonly [name: string]: unknown } {
  const own = decodeSettings(JSON.stringify(stored))
  const usual = defaultSettings()
  const changed = SETTING_NAMES.map((name) => [name, renderSetting(own, name)] as const).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(renderSetting(usual, name)),
  )
  return Object.fromEntries(changed)
}

const LAYER_COLUMNS = [
  { title: 'layer' },
  { title: 'segments', align: 'right' },
  { title: 'documents', align: 'right' },
  { title: 'dead', align: 'right' },
  { title: 'bytes', align: 'right' },
  { title: 'share', align: 'right' },
] as const

const FIELD_COLUMNS = [{ title: 'field' }, { title: 'documents', align: 'right' }] as const

export const indexStatsText = (all: readonly IndexStats[]): string =>
  all.length === 0 ? 'The database has no index.\n' : all.map(oneText).join('\n')

function oneText(stats: IndexStats): string {
  const { uid, primaryKey, documents, bytes, words, analysis } = stats
  const key = primaryKey === null ? 'no primary key' : `primary key ${primaryKey}`
  const settings = Object.entries(stats.settings).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`,
  )
  const counts = [
    `${countOf(words.terms, 'term')}, ${countOf(words.occurrences, 'occurrence')}`,
    `${bytesText(stats.bytesPerDocument)} per document`,
    ...(analysis === null
      ? []
      : [analysis === 0 ? 'analysis version unknown' : `analysis ${analysis}`]),
  ]
  return [
    `${uid} · ${countOf(documents, 'document')} · ${bytesText(bytes)} · ${key}\n`,
    `created ${stats.createdAt}, updated ${stats.updatedAt}\n`,
    `${counts.join(' · ')}\n\n`,
    table(
      LAYER_COLUMNS,
      stats.layers.map((layer) => [
        layer.layer,
        countText(layer.segments),
        countText(layer.documents),
        countText(layer.dead),
        bytesText(layer.bytes),
        shareText(layer.bytes, bytes),
      ]),
    ),
    '\n',
    table(
      FIELD_COLUMNS,
      stats.fields.map((field) => [field.name, countText(field.documents)]),
    ),
    ...(settings.length === 0 ? [] : ['\nChanged settings:\n', ...settings]),
  ].join('')
}
