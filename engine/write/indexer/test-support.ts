// One index on a disk in memory, changed batch by batch like in the engine: the result of a batch
// is applied as an edit, and the next batch sees the new view. For tests.

import { deepEqual } from 'node:assert'
import { KiB } from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import type { Change, Layer } from '../../../format/manifest/index.ts'
import { OpenView, SegmentCache } from '../../read/segments/index.ts'
import { encodeSettings, type IndexSettings } from '../../settings/index.ts'
import { apply } from '../../store/catalog/apply.ts'
import type { IndexState, State } from '../../store/catalog/index.ts'
import { EMPTY_STATE } from '../../store/catalog/state.ts'
import { derivedLayers, LAYERS } from '../../store/layers/index.ts'
import type { FakeFileSystem } from '../../store/storage/fake-file-system.ts'
import { FakeDisk, type FileSystem } from '../../store/storage/index.ts'
import { type ViewRef, viewRef } from '../../store/views/index.ts'
import { documentChanges, layersRemoved, rebuiltChanges } from '../batches/batch-changes.ts'
import type { DeletionWork, ImportContent, StagedBody } from '../task-data/index.ts'
import { liveDocuments } from '../vectors/stored-records.ts'
import type { Builders } from './builders.ts'
import { IndexInPlace } from './in-place.ts'
import type { DocumentOperation, DocumentsResult } from './protocol.ts'

export const NO_HOOKS = { signal: null, progress: () => undefined }
const INDEX = asIndexNo(1)
const AT = 1_700_000_000_000_000

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }
export type Document = { readonly [field: string]: Json }

/** Returns a file system with the folders of a database. */
export function newFileSystem(disk = new FakeDisk()): FakeFileSystem {
  const fs = disk.mount()
  for (const folder of ['segments', 'tasks', 'tasks/bodies']) fs.makeDirectory(folder)
  return fs
}

export function importOf(
  documents: readonly Document[],
  options: Partial<ImportContent> = {},
): ImportContent {
  const bytes = new TextEncoder().encode(documents.map((one) => JSON.stringify(one)).join('\n'))
  return {
    kind: 'documentAdditionOrUpdate',
    method: 'replace',
    body: inlineBody(bytes, documents.length),
    primaryKey: null,
    skipCreation: false,
    allowIndexCreation: true,
    ...options,
  }
}

export const inlineBody = (inline: Uint8Array, documents: number): StagedBody => ({
  file: null,
  inline,
  bytes: inline.length,
  documents,
})

/** Returns a deletion of the ids in a JSON list of texts, or by a filter in JSON. */
export function deletionOf(by: 'ids' | 'filter', value: string | readonly string[]): DeletionWork {
  const json = new TextEncoder().encode(JSON.stringify(value))
  return { kind: 'documentDeletion', by, json, count: by === 'ids' ? value.length : 0 }
}

const GATES = { contains: false, vectors: false, shards: null }

export class SmallIndex {
  readonly fs: FileSystem
  readonly indexing: IndexInPlace
  /** Bytes of segments that batches may merge into one; 0: they take over none. */
  takeOverBytesMax = 0
  #state: State = EMPTY_STATE
  readonly #cache: SegmentCache

  /** `builders`: threads that build in the folder of `fs`. */
  constructor(
    settings: IndexSettings,
    fs: FileSystem = newFileSystem(),
    builders: Builders | null = null,
  ) {
    this.fs = fs
    this.indexing = new IndexInPlace(fs, asSegmentNo(1), builders)
    this.#cache = new SegmentCache(fs, 64 * KiB)
    const created = { index: INDEX, uid: asIndexUid('movies'), primaryKey: null, at: AT }
    this.#commit([{ kind: 'index-created', ...created, settings: encodeSettings(settings) }])
  }

  /** The state that the manifest would hold. */
  get database(): State {
    return this.#state
  }

  get state(): IndexState {
    return this.#state.indexes.get(INDEX)!
  }

  get ref(): ViewRef {
    return viewRef(this.state, this.#state.sequence)
  }

  get view(): OpenView {
    return new OpenView(this.ref, this.#cache)
  }

  async run(
    operations: readonly DocumentOperation[],
    chunkBytesMax = 1 << 20,
  ): Promise<DocumentsResult> {
    const offer = { segments: [...this.state.segments.keys()], bytesMax: this.takeOverBytesMax }
    const job = { kind: 'documents', view: this.ref, operations, gates: GATES } as const
    const request = { ...job, chunkBytesMax, offer }
    const result = await this.indexing.run(request, NO_HOOKS)
    this.#commit(documentChanges(this.state, INDEX, result, (segment) => segment))
    return result
  }

  /** Rebuilds text and columns, or the layers passed, under other settings. */
  async rebuild(
    settings: IndexSettings,
    chunkBytesMax = 1 << 20,
    layers: readonly Layer[] = derivedLayers(),
  ): Promise<void> {
    const encoded = encodeSettings(settings)
    const rest = { view: this.ref, settings: encoded, chunkBytesMax, layers }
    const rebuilt = await this.indexing.run({ kind: 'rebuild', ...rest }, NO_HOOKS)
    this.#commit([
      { kind: 'settings-set', index: INDEX, settings: encoded },
      ...layersRemoved(this.state, layers),
      ...rebuiltChanges(this.state, rebuilt),
    ])
  }

  /** Merges each layer with live documents into one segment. */
  async merge(): Promise<void> {
    for (const { name: layer } of LAYERS) {
      const all = [...this.state.segments.values()].filter((one) => one.layer === layer)
      if (all.length === 0) continue
      const segments = all.map(({ segment }) => segment)
      const view = this.ref
      const request = { kind: 'merge', view, layer, segments } as const
      const merged = await this.indexing.run(request, NO_HOOKS)
      this.#commit([
        ...segments.map((segment) => ({ kind: 'segment-removed', index: INDEX, segment }) as const),
        ...(merged === null || merged === 'apart'
          ? []
          : [{ kind: 'segment-added', index: INDEX, ...merged } as const]),
      ])
    }
  }

  /** Returns all live documents by id, as JSON. */
  documents(): Map<number, Document> {
    const { fields } = this.state
    const found = new Map<number, Document>()
    for (const { id, externalId, record } of liveDocuments(this.view)) {
      const document = documentOf(record, fields)
      deepEqual(Buffer.from(externalId).toString(), String(document[this.state.primaryKey!]))
      found.set(id, document)
    }
    return found
  }

  #commit(changes: readonly Change[]): void {
    const sequence = this.#state.sequence + 1
    const edit = { sequence, checkpoint: false, changes }
    this.#state = apply(this.#state, edit, (claim) => {
      throw new Error(`the edit does not fit: ${claim}`)
    })
  }
}

/** Returns a stored record as its original object, members in the order of their ids. */
function documentOf(record: Uint8Array, names: readonly string[]): Document {
  const fields = new RecordFields()
  fields.read(record)
  const members = Array.from({ length: fields.count }, (_, i) => {
    const value: Json = JSON.parse(Buffer.from(fields.value(i)).toString())
    return [names[fields.ids[i]!]!, value] as const
  })
  return Object.fromEntries(members)
}
