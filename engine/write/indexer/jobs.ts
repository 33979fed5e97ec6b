// The jobs of an index thread as plain functions: they read a view, write new segments, and return
// the changes for an edit. They commit nothing. Run inside a worker thread, or in place by tests.
import { documentsOfBody } from '../../../format/bodies/index.ts'
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
import { geoCircles, geoShapes } from '../../read/geo/index.ts'
import {
  ColumnFilters,
  EmbedderFilters,
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
import type { MakerContext, VectorMaker } from '../vectors/index.ts'
import type { Builders } from './builders.ts'
import { Building } from './building.ts'
import { readDeletedIds } from './deleted-ids.ts'
import { runDocumentBatch } from './document-batch.ts'
import { DocumentEditor } from './edit-documents.ts'
import { type Operation, ResolvedOperations } from './operations.ts'
import type {
  DocumentsResult,
  FilterGates,
  IndexJob,
  OperationOutcome,
  WireBody,
  WireOperation,
} from './protocol.ts'
import { type NewSegment, SegmentSink } from './segment-sink.ts'
import { NO_OFFER, takeOver } from './take-over.ts'

export type JobEnvironment = {
  readonly fs: FileSystem
  readonly cache: SegmentCache
  /** Reserves that many numbers and returns the first. */
  readonly takeSegments: (count: number) => number
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
  const operations = readOperations(request, view, settings, env)
  const resolved = new ResolvedOperations(
    request.view.primaryKey,
    operations.map(({ operation }) => operation),
    request.shards === undefined ? null : new Holdings(request.shards),
  )
  operations.forEach((_, index) => {
    env.progress(0, 1)
    resolved.resolve(index)
  })
  const recordBytes = bytesOf(operations)
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
      outcomes: outcomesOf(operations, resolved),
      added: changes.added,
      updated: changes.updated,
      unchanged: changes.unchanged,
      deleted: changes.deleted,
    }
  } catch (error) {
    throw building.abandon(error)
  } finally {
    env.dropped(bodyFilesOf(request, operations))
  }
}

/** Returns the mapped body files. */
const bodyFilesOf = (
  request: RequestOf<'documents'>,
  operations: readonly ReadOperation[],
): DroppedFile[] =>
  operations.flatMap(({ operation }, i) => {
    const sent = request.operations[i]!
    if (operation.kind !== 'import' || sent.kind !== 'import') return []
    if (sent.body.kind === 'inline') return []
    const { buffer, length } = operation.body
    return [{ memory: new WeakRef(buffer), bytes: length }]
  })

/** Returns the editor of an edition, which is alone in its batch, else null. @throws EngineFault */
function editorOf(
  { view, operations }: RequestOf<'documents'>,
  names: FieldNames,
  { now }: JobEnvironment,
  pause: () => void,
): DocumentEditor | null {
  const [operation] = operations
  if (operation?.kind !== 'edit') return null
  const { script, context } = operation
  const { uid, primaryKey } = view
  return new DocumentEditor({ uid, primaryKey, names, script, context, pause, now })
}

/** An operation, and the fault of reading it. */
type ReadOperation = {
  readonly operation: Operation
  readonly fault: EngineFault | null
  readonly found: number
}

const readOperations = (
  request: RequestOf<'documents'>,
  view: OpenView,
  settings: IndexSettings,
  env: JobEnvironment,
): ReadOperation[] =>
  request.operations.map((operation) => readOperation(operation, view, settings, env))

/** Returns the bytes of the bodies, which approximate those of the records. */
const bytesOf = (operations: readonly ReadOperation[]): number =>
  operations.reduce(
    (sum, { operation }) => sum + (operation.kind === 'import' ? operation.body.length : 0),
    0,
  )

function readOperation(
  operation: WireOperation,
  view: OpenView,
  settings: IndexSettings,
  env: JobEnvironment,
): ReadOperation {
  switch (operation.kind) {
    case 'import': {
      const body = readBodyOf(operation.body, env.fs)
      return { operation: { ...operation, body }, fault: null, found: 0 }
    }
    case 'delete-ids': {
      const ids = readDeletedIds(operation.json, operation.count)
      return {
        operation: { kind: 'delete-ids', ids },
        fault: null,
        found: countExisting(view, ids),
      }
    }
    case 'delete-filter': {
      const { kind, gates } = operation
      const filter = jsonOf(operation.json)
      return findByFilter(view, settings, { kind, filter, gates }, env.now)
    }
    case 'delete-others': {
      const others = idsOfOthers(view, new Holdings(operation.shards))
      const found = others.size
      const ids = externalIds(view, others)
      return { operation: { kind: 'delete-found', ids }, fault: null, found }
    }
    case 'edit':
      return findByFilter(view, settings, operation, env.now)
  }
}

function readBodyOf(body: WireBody, fs: FileSystem): Uint8Array {
  if (body.kind === 'inline') return body.bytes
  const path = bodyPath(body.file)
  const bytes = fs.map(path, fs.size(path))
  return inFile(path, () => documentsOfBody(bytes))
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

type FilteredOperation =
  | Extract<WireOperation, { kind: 'edit' }>
  | { readonly kind: 'delete-filter'; readonly filter: unknown; readonly gates: FilterGates }

function findByFilter(
  view: OpenView,
  settings: IndexSettings,
  operation: FilteredOperation,
  now: () => number,
): ReadOperation {
  const kind = operation.kind === 'edit' ? 'edit' : 'delete-found'
  try {
    const found =
      operation.kind === 'edit' && operation.filter === null
        ? view.live()
        : evaluateDocumentFilter(view, settings, operation, now)
    return { operation: { kind, ids: externalIds(view, found) }, fault: null, found: found.size }
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    return { operation: { kind, ids: [] }, fault: error, found: 0 }
  }
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
  view: OpenView,
  settings: IndexSettings,
  { kind, filter, gates }: Pick<FilteredOperation, 'kind' | 'filter' | 'gates'>,
  now: () => number,
): IdSet {
  const { uid, fields } = view.ref
  const wording = filterWording(kind === 'edit' ? 'edition' : 'deletion', 'running', uid)
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
    checkpoint,
  })
}

function outcomesOf(
  operations: readonly ReadOperation[],
  resolved: ResolvedOperations,
): OperationOutcome[] {
  return operations.map(({ operation, fault, found }, index) => {
    const result = resolved.results[index]!
    const failure = fault ?? result.fault
    return {
      fault: failure === null ? null : { code: failure.code, message: failure.message },
      documents: operation.kind === 'import' ? result.documents : found,
    }
  })
}

/** Merges segments of one layer into one. @throws StorageError, Canceled */
export function runMerge(request: RequestOf<'merge'>, env: JobEnvironment): NewSegment | null {
  const view = new OpenView(request.view, env.cache)
  const layer = layerNamed(request.layer)
  const segments = new Set(request.segments)
  const inputs = view.layer(layer).filter(({ ref }) => segments.has(ref.segment))
  const sink = new SegmentSink(env.fs, env.takeSegments(1), layer.name)
  const { progress } = env
  const { memoryBytesMax } = request
  try {
    const written = layer.merge(inputs, sink.write, { progress, memoryBytesMax })
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
