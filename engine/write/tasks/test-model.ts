// Test support: a processor over plain maps that behaves like the engine as far as tasks can
// observe.
import { InvariantError } from '../../../format/errors.ts'
import { EngineFault } from '../../model/index.ts'
import type { TaskContent } from '../../task-kinds/index.ts'
import type { IndexFacts } from '../batching/autobatch.ts'
import {
  allFailed,
  allSucceeded,
  clearSucceeded,
  indexDeletionSucceeded,
} from '../batching/outcomes.ts'
import type {
  BatchControl,
  BatchEnd,
  BatchPlan,
  BatchResult,
  PlannedTask,
  Processor,
  TaskOutcome,
} from '../batching/plan.ts'
import { taskErrorOf } from './scheduler.ts'

type Document = { [field: string]: unknown }
type ModelIndex = {
  primaryKey: string | null
  documents: Map<string, Document>
  settings: { [setting: string]: unknown }
}

/** Indexes as maps. An export blocks until it is aborted. Commits are stored as in a manifest. */
export class ModelEngine implements Processor {
  readonly indexes = new Map<string, ModelIndex>()
  readonly plans: BatchPlan[] = []
  readonly commits: Uint8Array[] = []
  /** Thrown by the next batch. */
  failure: unknown = null
  /** Thrown by every batch while it is not null. */
  lastingFailure: unknown = null
  /** Returns an error that the batch throws, or null. */
  refuses: (plan: BatchPlan) => unknown = () => null
  /** Returns the end of an export that was aborted. */
  endOfBlock: (plan: BatchPlan) => BatchEnd = () => ({ kind: 'aborted' })

  lookup(uid: string): IndexFacts {
    const index = this.indexes.get(uid)
    return index === undefined ? null : { primaryKey: index.primaryKey }
  }

  async run(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    this.plans.push(plan)
    if (this.failure !== null) {
      const { failure } = this
      this.failure = null
      throw failure
    }
    if (this.lastingFailure !== null) throw this.lastingFailure
    const refusal = this.refuses(plan)
    if (refusal !== null) throw refusal
    if (plan.work.kind === 'export') return this.#block(plan, control)
    const result = this.#work(plan)
    if (result.outcomes.every(({ error }) => error !== null)) return { kind: 'uncommitted', result }
    const sealed = await control.seal(result)
    this.commits.push(sealed.payload)
    return { kind: 'committed', sealed }
  }

  #block(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    control.progress([{ currentStep: 'Exporting index `pens`', finished: 0, total: 1 }])
    return new Promise((resolve) => {
      const abort = (): void => resolve(this.endOfBlock(plan))
      if (control.signal.aborted) abort()
      else control.signal.addEventListener('abort', abort)
    })
  }

  #work(plan: BatchPlan): BatchResult {
    try {
      return this.#dispatch(plan)
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      return allFailed(plan, taskErrorOf(error))
    }
  }

  #dispatch(plan: BatchPlan): BatchResult {
    const { work } = plan
    const uid = work.indexUid ?? ''
    switch (work.kind) {
      case 'documents': {
        const index = this.#existing(uid, work.mayCreate)
        return { outcomes: plan.tasks.map((task) => this.#operation(index, uid, task)) }
      }
      case 'clear':
      case 'clearAndSettings': {
        const index = this.#existing(uid, work.mayCreate)
        const count = index.documents.size
        index.documents.clear()
        applySettings(index, plan)
        return clearSucceeded(plan, count)
      }
      case 'settings':
        applySettings(this.#existing(uid, work.mayCreate), plan)
        return allSucceeded(plan)
      case 'indexDeletion': {
        const count = this.#existing(uid, work.mayCreate).documents.size
        this.indexes.delete(uid)
        return indexDeletionSucceeded(plan, count)
      }
      case 'indexCreation':
        return this.#create(plan, uid)
      case 'indexUpdate':
        return this.#update(plan, uid)
      case 'indexSwap':
        return this.#swap(plan)
      case 'dumpCreation':
        return allSucceeded(plan, { dumpUid: '20240808-090113348' })
      case 'indexCompaction':
        this.#existing(uid, false)
        return allSucceeded(plan, { preCompactionSize: '2 KiB', postCompactionSize: '1 KiB' })
      case 'snapshotCreation':
      case 'upgradeDatabase':
        return allSucceeded(plan)
      default:
        throw new InvariantError(`the model has no ${work.kind}`)
    }
  }

  #existing(uid: string, mayCreate: boolean): ModelIndex {
    const index = this.indexes.get(uid)
    if (index !== undefined) return index
    if (!mayCreate) throw notFound([uid])
    const created = { primaryKey: null, documents: new Map(), settings: {} }
    this.indexes.set(uid, created)
    return created
  }

  #operation(index: ModelIndex, uid: string, task: PlannedTask): TaskOutcome {
    const content = contentOf(task)
    try {
      if (content.kind === 'documentAdditionOrUpdate') {
        return { uid: task.uid, error: null, result: { indexedDocuments: add(index, content) } }
      }
      if (content.kind !== 'documentDeletion' || content.by === 'all') {
        throw new InvariantError('only imports and deletions are document operations')
      }
      const ids = content.by === 'ids' ? content.ids : matching(index, uid, String(content.filter))
      let deletedDocuments = 0
      for (const id of ids) if (index.documents.delete(id)) deletedDocuments++
      return { uid: task.uid, error: null, result: { deletedDocuments } }
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      return { uid: task.uid, error: taskErrorOf(error), result: null }
    }
  }

  #create(plan: BatchPlan, uid: string): BatchResult {
    if (this.indexes.has(uid)) {
      throw new EngineFault('index_already_exists', `Index \`${uid}\` already exists.`)
    }
    const content = contentOf(plan.tasks[0]!)
    const primaryKey = content.kind === 'indexCreation' ? content.primaryKey : null
    this.indexes.set(uid, { primaryKey, documents: new Map(), settings: {} })
    return allSucceeded(plan)
  }

  #update(plan: BatchPlan, uid: string): BatchResult {
    const content = contentOf(plan.tasks[0]!)
    if (content.kind !== 'indexUpdate') throw new InvariantError('an update updates')
    const index = this.#existing(uid, false)
    const { newUid, primaryKey } = content
    if (newUid !== null && newUid !== uid && this.indexes.has(newUid)) {
      throw new EngineFault('index_already_exists', `Index \`${newUid}\` already exists.`)
    }
    if (primaryKey !== null && index.documents.size > 0 && index.primaryKey !== primaryKey) {
      const message = `Index \`${uid}\`: Index already has a primary key: \`${index.primaryKey}\`.`
      throw new EngineFault('index_primary_key_already_exists', message)
    }
    if (primaryKey !== null) index.primaryKey = primaryKey
    if (newUid === null || newUid === uid) return allSucceeded(plan)
    this.indexes.delete(uid)
    this.indexes.set(newUid, index)
    return { ...allSucceeded(plan), swapped: [[uid, newUid]] }
  }

  #swap(plan: BatchPlan): BatchResult {
    const content = contentOf(plan.tasks[0]!)
    if (content.kind !== 'indexSwap') throw new InvariantError('a swap swaps')
    const missing = content.swaps.flatMap(({ indexes: [a, b], rename }) =>
      [a, ...(rename ? [] : [b])].filter((uid) => !this.indexes.has(uid)),
    )
    if (missing.length > 0) throw notFound(missing.sort())
    for (const { indexes, rename } of content.swaps) {
      const [a, b] = indexes
      if (!rename || !this.indexes.has(b)) continue
      const message = `Cannot rename \`${a}\` to \`${b}\` as the index already exists.`
      throw new EngineFault('index_already_exists', message)
    }
    for (const { indexes, rename } of content.swaps) this.#exchange(indexes[0], indexes[1], rename)
    return { ...allSucceeded(plan), swapped: content.swaps.map(({ indexes }) => indexes) }
  }

  #exchange(a: string, b: string, rename: boolean): void {
    const left = this.indexes.get(a)!
    const right = this.indexes.get(b)
    this.indexes.set(b, left)
    if (rename) this.indexes.delete(a)
    else this.indexes.set(a, right!)
  }
}

/** Returns the content of a task as it was requested. */
function contentOf({ content }: PlannedTask): TaskContent {
  if (content.kind !== 'documentDeletion') return content as TaskContent
  const { by, json } = content as unknown as {
    readonly by: 'ids' | 'filter' | 'all'
    readonly json: Uint8Array
  }
  const kind = 'documentDeletion'
  if (by === 'all') return { kind, by }
  const value: unknown = JSON.parse(Buffer.from(json).toString())
  return by === 'ids' ? { kind, by, ids: value as string[] } : { kind, by, filter: value }
}

function notFound(uids: readonly string[]): EngineFault {
  const names = uids.map((uid) => `\`${uid}\``).join(', ')
  return new EngineFault(
    'index_not_found',
    `Index${uids.length > 1 ? 'es' : ''} ${names} not found.`,
  )
}

function applySettings(index: ModelIndex, plan: BatchPlan): void {
  for (const task of plan.tasks) {
    const content = contentOf(task)
    if (task.hasEffect && content.kind === 'settingsUpdate')
      Object.assign(index.settings, content.patch)
  }
}

/** Returns the number of distinct ids. */
function add(
  index: ModelIndex,
  content: Extract<TaskContent, { kind: 'documentAdditionOrUpdate' }>,
): number {
  const { body, primaryKey, method, skipCreation } = content
  const documents = JSON.parse(new TextDecoder().decode(body.inline!)) as Document[]
  if (index.primaryKey !== null && primaryKey !== null && primaryKey !== index.primaryKey) {
    const message = `Index already has a primary key: \`${index.primaryKey}\`.`
    throw new EngineFault('index_primary_key_already_exists', message)
  }
  const first = documents[0]
  const key = index.primaryKey ?? primaryKey ?? (first === undefined ? null : inferredKey(first))
  const ids = new Map<string, Document>()
  for (const document of documents) {
    const id = document[key!]
    if (id === undefined) {
      const shown = JSON.stringify(document)
      const message = `Document doesn't have a \`${key}\` attribute: \`${shown}\`.`
      throw new EngineFault('missing_document_id', message)
    }
    if (!/^[A-Za-z0-9_-]+$/.test(String(id))) {
      throw new EngineFault('invalid_document_id', `Document identifier \`"${id}"\` is invalid.`)
    }
    ids.set(String(id), document)
  }
  index.primaryKey = key
  for (const [id, document] of ids) {
    const before = index.documents.get(id)
    if (before === undefined && skipCreation) continue
    index.documents.set(id, method === 'update' ? { ...before, ...document } : document)
  }
  return ids.size
}

function inferredKey(document: Document): string {
  const [key] = Object.keys(document).filter((name) => name.toLowerCase().endsWith('id'))
  if (key !== undefined) return key
  const message = 'The primary key inference failed.'
  throw new EngineFault('index_primary_key_no_candidate_found', message)
}

/** Returns the ids that a filter `field = value` or `field > value` selects. */
function matching(index: ModelIndex, uid: string, filter: string): readonly string[] {
  const [field, operator, value] = filter.split(' ')
  const allowed = (index.settings['filterableAttributes'] ?? []) as readonly string[]
  if (!allowed.includes(field!)) {
    const message = `Index \`${uid}\`: Attribute \`${field}\` is not filterable.`
    throw new EngineFault('invalid_document_filter', message)
  }
  const matches = [...index.documents].filter(([, document]) =>
    operator === '>'
      ? Number(document[field!]) > Number(value)
      : String(document[field!]) === value,
  )
  return matches.map(([id]) => id)
}
