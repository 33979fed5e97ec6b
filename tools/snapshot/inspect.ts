// `svc-tools snapshot inspect`: shows the content of a snapshot.

import { decodeSettings } from '../../engine/index.ts'
import { documentsLayer, LAYERS } from '../../engine/inspect.ts'
import type { IndexUid } from '../../format/ids.ts'
import { bytesText, countOf, countText, table } from '../terminal/index.ts'
import { readCatalog } from './catalog.ts'
import { openSource } from './source.ts'

export type SnapshotSummary = {
  readonly snapshot: string
  readonly version: string
  readonly createdAt: string
  readonly sequence: number
  /** Sum over all files. */
  readonly bytes: number
  /** Size of the archive, or null without an archive. */
  readonly archiveBytes: number | null
  readonly files: { readonly [kind: string]: { readonly count: number; readonly bytes: number } }
  readonly indexes: readonly {
    readonly uid: IndexUid
    readonly primaryKey: string | null
    readonly documents: number
    readonly segments: number
    readonly bytes: number
    readonly searchableAttributes: readonly string[] | null
  }[]
}

const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ...LAYERS.map(({ name, extension }) => [name, new RegExp(`\\.${extension}$`)] as const),
  ['tasks', /^tasks\/tasks-/],
  ['bodies', /\.body$/],
  ['catalog', /./],
]

export async function inspectSnapshot(what: string): Promise<SnapshotSummary> {
  const { name, head, state, archiveBytes } = await readCatalog(await openSource(what))
  const files: { [kind: string]: { count: number; bytes: number } } = {}
  for (const { path, bytes } of head.files) {
    const [kind] = KINDS.find(([, pattern]) => pattern.test(path))!
    const sum = (files[kind] ??= { count: 0, bytes: 0 })
    sum.count++
    sum.bytes += bytes
  }
  const indexes = [...state.indexes.values()].map(({ uid, primaryKey, settings, segments }) => {
    const all = [...segments.values()]
    const stored = all.filter(({ layer }) => layer === documentsLayer.name)
    return {
      uid,
      primaryKey,
      documents: stored.reduce((sum, { documents, dead }) => sum + documents - dead.size, 0),
      segments: all.length,
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      searchableAttributes: searchableOf(settings),
    }
  })
  const { version, createdAt, sequence } = head
  const bytes = head.files.reduce((sum, file) => sum + file.bytes, 0)
  return { snapshot: name, version, createdAt, sequence, bytes, archiveBytes, files, indexes }
}

const searchableOf = (settings: string): readonly string[] | null => {
  const value: unknown = decodeSettings(settings).searchableAttributes
  return Array.isArray(value) ? value.flat().map(String) : null
}

export function snapshotText(summary: SnapshotSummary): string {
  const { snapshot, version, createdAt, sequence, bytes, archiveBytes, files, indexes } = summary
  const packed = archiveBytes === null ? 'file by file' : `${bytesText(archiveBytes)} as an archive`
  const kinds = Object.entries(files).map(([kind, { count, bytes: size }]) => [
    kind,
    countOf(count, 'file'),
    bytesText(size),
  ])
  const rows = indexes.map((index) => [
    index.uid,
    countText(index.documents),
    countText(index.segments),
    bytesText(index.bytes),
    index.primaryKey ?? '–',
  ])
  return [
    `${snapshot}\n`,
    `created ${createdAt} by release ${version}, after edit ${countText(sequence)}\n`,
    `${bytesText(bytes)} of files, ${packed}\n\n`,
    table([{ title: '' }, { title: '', align: 'right' }, { title: '', align: 'right' }], kinds),
    indexes.length === 0 ? '\nIt holds no index.\n' : '\n',
    table(
      [
        { title: 'index' },
        { title: 'documents', align: 'right' },
        { title: 'segments', align: 'right' },
        { title: 'bytes', align: 'right' },
        { title: 'primary key' },
      ],
      rows,
    ),
  ].join('')
}
