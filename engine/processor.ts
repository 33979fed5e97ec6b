// What each kind of batch does to the database. Every batch ends in one edit of the manifest that
// holds all it changed together with how its tasks ended; until then nothing of it is visible.
// Kinds share the commit and little else: they stay in one file, beside it.

import type { Change, ChangeOf, Layer } from '../format/manifest/index.ts'
import {
  bytesOf,
  clearChanges,
  documentChanges,
  documentCount,
  handedOver,
  layersRemoved,
  type Rebuilt,
  rebuiltChanges,
  sizeChanges,
} from './batch-changes.ts'
import { documentsOutcome, inIndex, operationOf, patchedSettings } from './batch-tasks.ts'
import { indexOfUid, type Manifest, type State } from './catalog/index.ts'
import { StorageError } from './errors.ts'
import { type Indexing, JobCanceled, type NewSegment, removeSegment } from './indexer/index.ts'
import { layersAffected } from './layers/index.ts'
import type { Merger } from './merging.ts'
import { rulesEdit, rulesResult } from './rule-tasks.ts'
import { type ViewRef, viewRef } from './segments/index.ts'
import {
  decodeSettings,
  defaultSettings,
  encodeSettings,
  type IndexSettings,
} from './settings/index.ts'
import type { FileSystem } from './storage/index.ts'
import { swapChanges } from './swaps.ts'
import {
  allFailed,
  allSucceeded,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
  type BatchResult,
  clearSucceeded,
  formatBytes,
  indexDeletionSucceeded,
  type Micros,
  type Processor,
} from './tasks/index.ts'
import type { Templates } from './template/index.ts'
import type { Views } from './views.ts'

export type ProcessorOptions = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly views: Views
  readonly indexing: Indexing
  readonly merger: Merger
  readonly now: () => Micros
  readonly templates: Templates
  readonly containsFilter: () => boolean
  readonly exportIndexes: Processor['run']
  readonly upgradeDatabase: Processor['run']
  readonly makeSnapshot: Processor['run']
  readonly dump: Processor['run']
  /** Records a chunk holds, in bytes, before segments are built from it. */
  readonly chunkBytesMax: number
  /** Called when an edit was committed. */
  readonly onCommitted: () => void
}

/** Makes the changes of an edit from the state it is applied to. */
type Making = (state: State) => Change[]

export class BatchProcessor implements Processor {
  readonly #options: ProcessorOptions

  constructor(options: ProcessorOptions) {
    this.#options = options
  }

  async run(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    try {
      return await this.#run(plan, control)
    } catch (error) {
      if (error instanceof JobCanceled) return { kind: 'aborted' }
      throw error
    }
  }

  #run(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    const { work } = plan
    switch (work.kind) {
      case 'documents':
        return this.#documents(plan, control, work.indexUid, work.mayCreate)
      case 'documentEdition':
        return this.#documents(plan, control, work.indexUid, false)
      case 'clear':
      case 'clearAndSettings':
      case 'settings':
        return this.#settings(plan, control, work.indexUid, work.mayCreate)
      case 'indexCreation':
        return this.#createIndex(plan, control, work.indexUid)
      case 'indexUpdate':
        return this.#updateIndex(plan, control, work.indexUid)
      case 'indexDeletion':
        return this.#deleteIndex(plan, control, work.indexUid, work.mayCreate)
      case 'indexSwap':
        return this.#swap(plan, control)
      case 'indexCompaction':
        return this.#compactIndex(plan, control, work.indexUid)
      case 'upgradeDatabase':
        return this.#options.upgradeDatabase(plan, control)
      case 'export':
        return this.#options.exportIndexes(plan, control)
      case 'snapshotCreation':
        return this.#options.makeSnapshot(plan, control)
      case 'dumpCreation':
        return this.#options.dump(plan, control)
      case 'dsrUpdates':
      case 'dsrClear':
        return this.#changeRules(plan, control)
      default: {
        const message = `Tasks of the kind \`${plan.tasks[0]?.content.kind}\` are not supported.`
        return Promise.resolve(uncommitted(allFailed(plan, { code: 'internal', message })))
      }
    }
  }

  async #documents(
    plan: BatchPlan,
    control: BatchControl,
    uid: string,
    mayCreate: boolean,
  ): Promise<BatchEnd> {
    const { views, indexing, merger, chunkBytesMax, containsFilter } = this.#options
    const target = this.#target(uid, mayCreate)
    if (target === null) return uncommitted(allFailed(plan, indexNotFound(uid)))
    merger.beginFollowing()
    const lease = views.lease(target.index)
    try {
      const view = lease?.ref ?? target.view
      const operations = plan.tasks.map((task) => operationOf(task, containsFilter()))
      const request = { kind: 'documents', view, operations, chunkBytesMax } as const
      const result = await indexing.run(request, hooksOf(control, 'indexing'))
      const outcomes = plan.tasks.map((task, i) => documentsOutcome(task, result, i))
      const parts = result.segments.length + result.tombstones.length
      const met = result.added + result.updated + result.unchanged + result.deleted
      const done = met === 0 ? {} : { writeChannelCongestion: handedOver(parts) }
      return await this.#commit(
        control,
        { outcomes, ...done },
        result.segments,
        target,
        (state) => {
          const { index, created } = target
          const at = this.#options.now()
          const follow = (segment: number): number => merger.follow(segment)
          const changes = documentChanges(state.indexes.get(index), index, result, follow)
          return [...created(at), ...changes, { kind: 'index-touched', index, at }]
        },
      )
    } catch (error) {
      throw inIndex(uid, error)
    } finally {
      lease?.release()
    }
  }

  /**
   * Settings, clears, and both together: the documents that stay are indexed anew where that is
   * needed.
   */
  async #settings(
    plan: BatchPlan,
    control: BatchControl,
    uid: string,
    mayCreate: boolean,
  ): Promise<BatchEnd> {
    const target = this.#target(uid, mayCreate)
    if (target === null) return uncommitted(allFailed(plan, indexNotFound(uid)))
    const { views, manifest, templates } = this.#options
    const clears = plan.work.kind !== 'settings'
    const before = target.settings
    const after = await patchedSettings(plan, uid, before, templates)
    const lease = views.lease(target.index)
    try {
      const known = manifest.state.indexes.get(target.index)
      const documents = known === undefined ? 0 : documentCount(known)
      const result = clears ? clearSucceeded(plan, documents) : allSucceeded(plan)
      const layers = layersAffected(before, after, known?.fields ?? [])
      const rebuilds = !clears && lease !== null && documents > 0 && layers.length > 0
      const settings = encodeSettings(after)
      const rebuilt = rebuilds
        ? await this.#rebuild(lease.ref, settings, layers, control)
        : { segments: [], fieldsAdded: [] }
      const isChanged = settings !== encodeSettings(before)
      const parts = rebuilt.segments.length
      const done = clears || documents === 0 ? {} : { writeChannelCongestion: handedOver(parts) }
      return await this.#commit(
        control,
        { ...result, ...done },
        rebuilt.segments,
        target,
        (state) => {
          const { index } = target
          const at = this.#options.now()
          const changes = target.created(at)
          if (isChanged) changes.push({ kind: 'settings-set', index, settings })
          const current = state.indexes.get(index)
          if (clears && current !== undefined) changes.push(...clearChanges(current))
          if (rebuilds && current !== undefined) {
            changes.push(...layersRemoved(current, layers), ...rebuiltChanges(index, rebuilt))
          }
          changes.push({ kind: 'index-touched', index, at })
          return changes
        },
      )
    } catch (error) {
      throw inIndex(uid, error)
    } finally {
      lease?.release()
    }
  }

  #rebuild(
    view: ViewRef,
    settings: string,
    layers: readonly Layer[],
    control: BatchControl,
  ): Promise<Rebuilt> {
    const { indexing, chunkBytesMax } = this.#options
    const request = { kind: 'rebuild', view, settings, layers, chunkBytesMax } as const
    return indexing.run(request, hooksOf(control, 'processing settings changes'))
  }

  async #createIndex(plan: BatchPlan, control: BatchControl, uid: string): Promise<BatchEnd> {
    const content = plan.tasks[0]!.content
    const primaryKey = content.kind === 'indexCreation' ? content.primaryKey : null
    if (indexOfUid(this.#options.manifest.state, uid) !== undefined) {
      return uncommitted(allFailed(plan, indexExists(uid)))
    }
    const target = this.#target(uid, true)!
    return this.#commit(control, allSucceeded(plan), [], target, () => {
      const changes = target.created(this.#options.now())
      const { index } = target
      if (primaryKey !== null) changes.push({ kind: 'primary-key-set', index, primaryKey })
      return changes
    })
  }

  /** A rename counts even when the key that comes with it is refused. */
  async #updateIndex(plan: BatchPlan, control: BatchControl, uid: string): Promise<BatchEnd> {
    const { content } = plan.tasks[0]!
    if (content.kind !== 'indexUpdate') throw new RangeError('an update updates')
    const { state } = this.#options.manifest
    const target = this.#target(uid, false)
    if (target === null) return uncommitted(allFailed(plan, indexNotFound(uid)))
    const name = content.newUid ?? uid
    if (name !== uid && indexOfUid(state, name) !== undefined) {
      return uncommitted(allFailed(plan, indexExists(name)))
    }
    const known = state.indexes.get(target.index)!
    const { primaryKey } = content
    const isRefused =
      primaryKey !== null && primaryKey !== known.primaryKey && documentCount(known) > 0
    const message = `Index \`${name}\`: Index already has a primary key: \`${known.primaryKey}\`.`
    const result = isRefused
      ? allFailed(plan, { code: 'index_primary_key_already_exists', message })
      : allSucceeded(plan)
    const swapped = name === uid ? {} : { swapped: [[uid, name]] as const }
    return this.#commit(control, { ...result, ...swapped }, [], target, () => {
      const { index } = target
      const changes: Change[] = []
      if (name !== uid) changes.push({ kind: 'index-renamed', index, uid: name })
      if (primaryKey !== null && !isRefused) {
        changes.push({ kind: 'primary-key-set', index, primaryKey })
      }
      if (!isRefused) changes.push({ kind: 'index-touched', index, at: this.#options.now() })
      return changes
    })
  }

  async #deleteIndex(
    plan: BatchPlan,
    control: BatchControl,
    uid: string,
    mayCreate: boolean,
  ): Promise<BatchEnd> {
    const known = indexOfUid(this.#options.manifest.state, uid)
    if (known === undefined) {
      const result = mayCreate
        ? indexDeletionSucceeded(plan, 0)
        : allFailed(plan, indexNotFound(uid))
      return uncommitted(result)
    }
    const { index } = known
    const result = indexDeletionSucceeded(plan, documentCount(known))
    return this.#commit(control, result, [], null, () => [{ kind: 'index-removed', index }])
  }

  /** Merging changes nothing that anybody could see: the queue notes the outcome by itself. */
  async #compactIndex(plan: BatchPlan, control: BatchControl, uid: string): Promise<BatchEnd> {
    const { manifest, merger } = this.#options
    const before = indexOfUid(manifest.state, uid)
    if (before === undefined) return uncommitted(allFailed(plan, indexNotFound(uid)))
    await merger.compact(before.index, control.signal)
    const after = manifest.state.indexes.get(before.index)
    const sizes = {
      preCompactionSize: formatBytes(bytesOf(before)),
      postCompactionSize: formatBytes(bytesOf(after)),
    }
    return uncommitted(allSucceeded(plan, sizes))
  }

  async #swap(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    const { content } = plan.tasks[0]!
    if (content.kind !== 'indexSwap') throw new RangeError('a swap swaps')
    const { changes, swapped } = swapChanges(this.#options.manifest.state, content.swaps)
    return this.#commit(control, { ...allSucceeded(plan), swapped }, [], null, () => [...changes])
  }

  #changeRules(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    const { manifest, now } = this.#options
    const result = rulesResult(plan, manifest.state)
    return this.#commit(control, result, [], null, (state) => rulesEdit(plan, state, now()))
  }

  /** One edit for everything. What was built for a batch that does not come through is removed. */
  async #commit(
    control: BatchControl,
    result: BatchResult,
    segments: readonly NewSegment[],
    target: Target | null,
    make: Making,
  ): Promise<BatchEnd> {
    const { fs, manifest, merger, onCommitted } = this.#options
    try {
      const drafted = manifest.state
      const draft = make(drafted)
      const known = target === null ? undefined : drafted.indexes.get(target.index)
      const sizes = target === null ? null : sizeChanges(known, draft)
      const sealed = await control.seal({ ...result, internalDatabaseSizes: sizes })
      if (control.signal.aborted) throw new JobCanceled()
      const finished: ChangeOf<'tasks-finished'> = {
        kind: 'tasks-finished',
        batch: sealed.uid,
        record: sealed.payload,
      }
      await manifest.commit((state) => [...(state === drafted ? draft : make(state)), finished])
      onCommitted()
      if (target !== null) merger.touch(target.index)
      return { kind: 'committed', sealed }
    } catch (error) {
      for (const segment of segments) discard(fs, segment)
      throw error
    }
  }

  /**
   * The index a batch is about, or the one it makes; null when there is none and none may be made.
   */
  #target(uid: string, mayCreate: boolean): Target | null {
    const { manifest } = this.#options
    const known = indexOfUid(manifest.state, uid)
    if (known !== undefined) {
      return {
        index: known.index,
        view: viewRef(known, manifest.state.sequence),
        settings: decodeSettings(known.settings),
        created: () => [],
      }
    }
    if (!mayCreate) return null
    const index = manifest.takeIndex()
    const settings = encodeSettings(defaultSettings())
    const view = {
      index,
      uid,
      sequence: 0,
      primaryKey: null,
      fields: [],
      settings,
      segments: [],
    }
    const created = (at: Micros): Change[] => [
      { kind: 'index-created', index, uid, primaryKey: null, at, settings },
    ]
    return { index, view, settings: defaultSettings(), created }
  }
}

type Target = {
  readonly index: number
  readonly view: ViewRef
  readonly settings: IndexSettings
  /** The change that makes the index, where it does not exist yet. */
  readonly created: (at: Micros) => Change[]
}

const uncommitted = (result: BatchResult): BatchEnd => ({ kind: 'uncommitted', result })

const indexNotFound = (uid: string) =>
  ({ code: 'index_not_found', message: `Index \`${uid}\` not found.` }) as const

const indexExists = (uid: string) =>
  ({ code: 'index_already_exists', message: `Index \`${uid}\` already exists.` }) as const

const hooksOf = (control: BatchControl, currentStep: string) => ({
  signal: control.signal,
  progress: (finished: number, total: number) => {
    control.progress([{ currentStep, finished, total }])
  },
})

function discard(fs: FileSystem, segment: NewSegment): void {
  try {
    removeSegment(fs, segment)
  } catch (error) {
    // It stays behind; the next start removes it.
    if (!(error instanceof StorageError)) throw error
  }
}
