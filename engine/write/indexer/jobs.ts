// The jobs of an index thread as plain functions: they read a view, write new segments, and return
// the changes for an edit. They commit nothing. Run inside a worker thread, or in place by tests.
import { documentsOfBody } from '../../../format/bodies/index.ts'
import { assert } from '../../../format/errors.ts'
import type { SegmentNo } from '../../../format/ids.ts'
import { IdSet, idSetData } from '../../../format/idset/index.ts'
import { jsonOf } from '../../../format/tasks/index.ts'
import { EngineFault } from '../../model/index.ts'
import { Holdings } from '../../network/records/index.ts'
import { evaluateFilter, parseRequiredFilter } from '../../read/filter/index.ts'
import {
  compileRules,
  filterWording,
  TASK_FILTER_MS_MAX,
  taskFilterTookTooLong,
} from '../../read/filter-syntax/index.ts'
import { geoAreas, geoCircles, geoShapes } from '../../read/geo/index.ts'
import {
  ColumnFilters,
  EmbedderFilters,
  expiredAt,
  inFile,
  OpenView,
  type SegmentCache,
  ShardDocuments,
  VectorIndex,
} from '../../read/segments/index.ts'
import { embedderSpecs } from '../../settings/embedders/index.ts'
import { cachedSettings, type IndexSettings } from '../../settings/index.ts'
import { BODIES, SEGMENTS } from '../../store/catalog/index.ts'
import { columnsLayer, FieldNames, layerNamed, vectorsLayer } from '../../store/layers/index.ts'
import type { DroppedFile, FileSystem } from '../../store/storage/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import type { StagedBody } from '../task-data/index.ts'
import type { MakerContext, VectorMaker } from '../vectors/index.ts'
import type { Builders } from './builders.ts'
import { Building } from './building.ts'
import { readDeletedIds } from './deleted-ids.ts'
import { runDocumentBatch } from './document-batch.ts'
import { DocumentEditor } from './edit-documents.ts'
import { failed, ResolvedOperations } from './operations.ts'
import type {
  DocumentOperation,
  DocumentsResult,
  FilterGates,
  IndexJob,
  MergeResult,
  OperationOutcome,
} from './protocol.ts'
import { SegmentSink } from './segment-sink.ts'
import { NO_OFFER, takeOver } from './take-over.ts'

export type JobEnvironment = {
  readonly fs: FileSystem
  readonly cache: SegmentCache
  /** Reserves that many numbers and returns the first. */
  readonly takeSegments: (count: number) => SegmentNo
  /** Reports work done and total work, in documents or terms. @throws Canceled */
  readonly progress: (done: number, total: number) => void
  /** Threads that build chunks in parallel with this one, or null. */
  readonly builders: Builders | null
  /** Returns the maker of vectors that documents do not contain. */
  readonly vectorMaker: (context: MakerContext) => VectorMaker
  /** Bytes that building chunks may use. */
  readonly memoryBytesMax: number
  /** Receives files that the job has mapped and needs no longer. */
  readonly dropped: (files: readonly DroppedFile[]) => void
  /** Milliseconds of any clock. */
  readonly now: () => number
}

type RequestOf<K extends IndexJob['kind']> = Extract<IndexJob, { kind: K }>

export const bodyPath = (file: number): string => `${BODIES}/${String(file).padStart(6, '0')}.body`

/** Runs the document operations of a batch. @throws EngineFault, StorageError, Canceled */
export function runDocuments(
  request: RequestOf<'documents'>,
  env: JobEnvironment,
): DocumentsResult {
  const view = new OpenView(request.view, env.cache)
  const settings = cachedSettings(request.view.settings)
  const names = new FieldNames(request.view.fields)
  const holdings = request.shards === undefined ? null : new Holdings(request.shards)
  const resolved = new ResolvedOperations(request.view.primaryKey, holdings)
  const inputs: Inputs = { view, settings, gates: request.gates, env, mapped: [] }
  const outcomes = request.operations.map((operation) => {
    env.progress(0, 1)
    return resolve(operation, resolved, inputs)
  })
  const recordBytes = resolved.bodyBytes
  const chunkBytesMax = Math.min(request.chunkBytesMax, recordBytes)
  const total = resolved.documentCount
  const building = new Building({ job: request.job, settings, names, total, chunkBytesMax }, env)
  try {
    const editor = editorOf(request, names, env, () => building.progress(0))
    const changes = runDocumentBatch(resolved, {
      view,
      settings,
      names,
      ...(editor === null ? {} : { edit: (record, id) => editor.edit(record, id) }),
      chunkBytesMax: request.chunkBytesMax,
      recordBytes,
      vectorMaker: env.vectorMaker({ names, before: settings, after: settings }),
      build: (chunk) => building.build(chunk),
      progress: (documents) => building.progress(documents),
    })
    const built = building.finish()
    changes.requireVectors()
    const { segments, replaced } = takeOver(built, {
      ...env,
      view,
      tombstones: changes.tombstones,
      offer: request.offer ?? NO_OFFER,
      progress: () => env.progress(total, total),
    })
    return {
      segments,
      replaced,
      tombstones: [...changes.tombstones].map(([segment, ids]) => ({
        segment,
        ids: idSetData(ids),
      })),
      fieldsAdded: names.added,
      fieldCounts: [...changes.fieldCounts].sort((a, b) => a[0] - b[0]),
      vectorCounts: changes.vectorCounts,
      primaryKey: resolved.primaryKey,
      outcomes,
      added: changes.added,
      updated: changes.updated,
      unchanged: changes.unchanged,
      deleted: changes.deleted,
    }
  } catch (error) {
    throw building.abandon(error)
  } finally {
    env.dropped(inputs.mapped)
  }
}

/** Returns the editor of an edition, which is alone in its batch, else null. @throws EngineFault */
function editorOf(
  { view, operations }: RequestOf<'documents'>,
  names: FieldNames,
  { now }: JobEnvironment,
  pause: () => void,
): DocumentEditor | null {
  const operation = operations.find(({ kind }) => kind === 'documentEdition')
  if (operation?.kind !== 'documentEdition') return null
  const { function: script, context: value, contextText } = operation
  const context = contextText ?? (value === null ? null : JSON.stringify(value))
  const { uid, primaryKey } = view
  return new DocumentEditor({ uid, primaryKey, names, script, context, pause, now })
}

/** The inputs of operations. */
type Inputs = {
  readonly view: OpenView
  readonly settings: IndexSettings
  readonly gates: FilterGates | undefined
  readonly env: JobEnvironment
  /** Receives the mapped body files. */
  readonly mapped: DroppedFile[]
}

/** Reads an operation and adds it to the resolved ones. Returns how it ended. */
function resolve(
  operation: DocumentOperation,
  resolved: ResolvedOperations,
  inputs: Inputs,
): OperationOutcome {
  const { view } = inputs
  switch (operation.kind) {
    case 'documentAdditionOrUpdate':
      return resolved.import(operation, readBodyOf(operation.body, inputs))
    case 'documentDeletion': {
      const { by, json, count } = operation
      assert(by !== 'all', 'a clear is not batched with changes of documents')
      if (by === 'filter') {
        const find = (): IdSet => evaluateDocumentFilter('deletion', jsonOf(json), inputs)
        return forFound(view, find, (ids) => resolved.delete(ids))
      }
      const ids = readDeletedIds(json, count)
      resolved.delete(ids.map((id) => Buffer.from(id)))
      return { fault: null, documents: countExisting(view, ids) }
    }
    case 'deletionOfOthers': {
      const find = (): IdSet => idsOfOthers(view, new Holdings(operation.shards))
      return forFound(view, find, (ids) => resolved.delete(ids))
    }
    case 'deletionOfExpired': {
      const find = (): IdSet => expiredIn(view, inputs.settings, operation.at)
      return forFound(view, find, (ids) => resolved.delete(ids))
    }
    case 'documentEdition': {
      const { filter } = operation
      const find = (): IdSet =>
        filter === null ? view.live() : evaluateDocumentFilter('edition', filter, inputs)
      return forFound(view, find, (ids) => resolved.edit(ids))
    }
  }
}

/** Adds an operation on documents that are searched for. */
function forFound(
  view: OpenView,
  find: () => IdSet,
  add: (externalIds: Iterable<Uint8Array>) => void,
): OperationOutcome {
  let found = IdSet.empty
  let outcome: OperationOutcome | null = null
  try {
    found = find()
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    outcome = failed(error)
  }
  add(externalIds(view, found))
  return outcome ?? { fault: null, documents: found.size }
}

function readBodyOf({ file, inline }: StagedBody, { env: { fs }, mapped }: Inputs): Uint8Array {
  if (file === null) return inline ?? new Uint8Array(0)
  const path = bodyPath(file)
  const bytes = fs.map(path, fs.size(path))
  const documents = inFile(path, () => documentsOfBody(bytes))
  mapped.push({ memory: new WeakRef(documents.buffer), bytes: documents.length })
  return documents
}

function expiredIn(view: OpenView, { expiresAtAttribute }: IndexSettings, at: number): IdSet {
  const field = expiresAtAttribute === null ? -1 : view.ref.fields.indexOf(expiresAtAttribute)
  return field < 0 ? IdSet.empty : expiredAt(view.layer(columnsLayer), field, at).ids
}

/** Returns the documents of shards that this instance does not hold. */
function idsOfOthers(view: OpenView, holdings: Holdings): IdSet {
  const ids = view.live().toArray()
  return IdSet.ofSorted(ids.filter((id) => !holdings.holds(view.externalId(id)!)))
}

/** Counts the documents that the ids name; each counts once. */
function countExisting(view: OpenView, ids: readonly string[]): number {
  let found = 0
  for (const id of new Set(ids)) if (view.idOf(Buffer.from(id)) >= 0) found++
  return found
}

/** Yields views; each is valid until the next. */
function* externalIds(view: OpenView, ids: IdSet): Iterable<Uint8Array> {
  for (const id of ids.toArray()) yield view.externalId(id)!
}

/**
 * Returns the live documents that match the filter of a deletion or an edition. @throws EngineFault
 * invalid_document_filter
 */
function evaluateDocumentFilter(
  change: 'edition' | 'deletion',
  filter: unknown,
  { view, settings, gates, env: { now } }: Inputs,
): IdSet {
  assert(gates !== undefined, 'a job with filters says which features they may use')
  const { uid, fields } = view.ref
  const wording = filterWording(change, 'running', uid)
  const features = {
    containsFilter: gates.contains,
    multimodal: gates.vectors,
    network: gates.shards !== null,
    foreignKeys: false,
  }
  const tree = parseRequiredFilter(filter, {
    wording,
    features,
    takesForeign: false,
  })
  const columns = view.layer(columnsLayer)
  const end = now() + TASK_FILTER_MS_MAX
  const checkpoint = (): void => {
    if (now() >= end) throw taskFilterTookTooLong(wording)
  }
  return evaluateFilter(tree, {
    universe: view.live(),
    fieldId: (name) => {
      const id = fields.indexOf(name)
      return id < 0 ? null : id
    },
    names: fields,
    rules: compileRules(settings.filterableAttributes),
    normalise: normalizeFacet,
    columns: new ColumnFilters(columns, (circles, checkpoint) =>
      geoCircles(columns, circles, checkpoint),
    ),
    wording,
    vectors: new EmbedderFilters(embedderSpecs(settings.embedders), (name) => {
      return new VectorIndex(view.layer(vectorsLayer), name)
    }),
    shards: gates.shards === null ? null : new ShardDocuments(view, gates.shards, checkpoint),
    foreign: null,
    geojson: geoShapes(columns, checkpoint),
    areas: geoAreas,
    known: null,
    checkpoint,
  })
}

/**
 * Milliseconds after which a merge releases the pages of its inputs: it reads each of them from
 * start to end, and they can have a gigabyte.
 */
const PAGES_MS = 100

/** Merges segments of one layer into one. @throws StorageError, Canceled */
export function runMerge(request: RequestOf<'merge'>, env: JobEnvironment): MergeResult {
  const view = new OpenView(request.view, env.cache)
  const layer = layerNamed(request.layer)
  const segments = new Set(request.segments)
  const inputs = view.layer(layer).filter(({ ref }) => segments.has(ref.segment))
  if (layer.fits?.(inputs.map(({ reader }) => reader)) === false) return 'apart'
  const sink = new SegmentSink(env.fs, env.takeSegments(1), layer.name)
  let releasedAt = env.now()
  const releasePages = (): void => {
    if (env.now() - releasedAt < PAGES_MS) return
    releasedAt = env.now()
    env.cache.releasePages()
  }
  const progress = (done: number, total: number): void => {
    env.progress(done, total)
    releasePages()
  }
  // Not every layer reports progress, but each writes as it proceeds.
  const write = (bytes: Uint8Array): void => {
    sink.write(bytes)
    progress(0, 1)
  }
  try {
    const written = layer.merge(inputs, write, {
      progress,
      names: request.view.fields,
      openScratch: sink.openScratch,
    })
    if (written === null) {
      sink.abandon()
      return null
    }
    const merged = sink.finish(written)
    if (merged.location.kind === 'file') env.fs.syncDirectory(SEGMENTS)
    return merged
  } catch (error) {
    sink.abandon()
    throw error
  }
}
