// The commit shared by all batches: one edit of the manifest holds everything that a batch changed
// and the outcomes of its tasks; until then none of it is visible.
import type { IndexUid } from '../../../format/ids.ts'
import type { Change, ChangeOf } from '../../../format/manifest/index.ts'
import type { EmbeddingSession } from '../../ai/embedding/index.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import type { State } from '../../store/catalog/index.ts'
import { sizeChanges } from '../../write/batches/index.ts'
import type { BatchControl, BatchEnd, BatchResult } from '../../write/batching/index.ts'
import { discardSegment, type NewSegment } from '../../write/indexer/index.ts'
import type { BatchTarget } from './target.ts'
import type { TaskEnvironment } from './task-kind.ts'

/** Computes the changes of an edit from the state that it is applied to. */
type MakeChanges = (state: State) => readonly Change[]

/** Segments that a batch has built, and their index. */
export type Built = {
  readonly segments: readonly NewSegment[]
  readonly target: BatchTarget
}

/** Commits a batch. If the commit fails, the built segments are removed. */
export async function commitBatch(
  { fs, manifest, merger, onCommitted }: TaskEnvironment,
  control: BatchControl,
  result: BatchResult,
  built: Built | null,
  make: MakeChanges,
): Promise<BatchEnd> {
  try {
    const drafted = manifest.state
    const draft = make(drafted)
    const known = built === null ? undefined : drafted.indexes.get(built.target.index)
    const sizes = built === null ? null : sizeChanges(known, draft)
    const sealed = await control.seal({ ...result, internalDatabaseSizes: sizes })
    if (control.signal.aborted) throw new Canceled()
    const finished: ChangeOf<'tasks-finished'> = {
      kind: 'tasks-finished',
      batch: sealed.view.uid,
      record: sealed.payload,
    }
    await manifest.commit((state) => [...(state === drafted ? draft : make(state)), finished])
    onCommitted()
    if (built !== null) merger.touch(built.target.index)
    return { kind: 'committed', sealed }
  } catch (error) {
    for (const segment of built?.segments ?? []) discardSegment(fs, segment)
    throw error
  }
}

export const uncommitted = (result: BatchResult): BatchEnd => ({ kind: 'uncommitted', result })

export const indexNotFound = (uid: IndexUid) =>
  ({ code: 'index_not_found', message: `Index \`${uid}\` not found.` }) as const

export const indexExists = (uid: IndexUid) =>
  ({ code: 'index_already_exists', message: `Index \`${uid}\` already exists.` }) as const

/** Codes of document errors whose message names the index. */
const WITH_INDEX: ReadonlySet<string> = new Set([
  'invalid_document_geo_field',
  'invalid_document_geojson_field',
  'invalid_document_fields',
  'internal',
  'invalid_vector_dimensions',
  'invalid_vectors_type',
  'vector_embedding_error',
  'max_fields_limit_exceeded',
])

/**
 * Adds the name of the index to an error of building segments, if clients see the name for its
 * code.
 */
export function withIndexName(uid: IndexUid, error: unknown): unknown {
  if (!(error instanceof EngineFault) || !WITH_INDEX.has(error.code)) return error
  return new EngineFault(error.code, `Index \`${uid}\`: ${error.message}`)
}

/** Returns hooks that report the progress of an index job as one step. */
export const hooksOf = (
  control: BatchControl,
  currentStep: string,
  embedding?: EmbeddingSession,
) => ({
  signal: control.signal,
  isBeside: control.isBeside,
  ...(embedding === undefined ? {} : { embedding }),
  progress: (finished: number, total: number) => {
    control.progress([{ currentStep, finished, total }])
  },
})
