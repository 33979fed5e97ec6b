// Writes a dump: its parts one after another, in the layout of ./DUMPS.md. Large parts are read in
// pieces and go through the spool.
import type { BatchUid, IndexUid, TaskUid } from '../../../format/ids.ts'
import type { Webhook } from '../../admin/webhooks/index.ts'
import { type ChatWorkspace, promptsOf } from '../../ai/chats/index.ts'
import type { Features } from '../../model/index.ts'
import type { Network } from '../../network/records/index.ts'
import type { SearchRule } from '../../read/search-rules/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import {
  type Batch,
  type BatchProgressStep,
  formatMicros,
  type TaskKinds,
} from '../../write/task-data/index.ts'
import type { EveryTask } from '../../write/task-lists/index.ts'
import { batchLine, type Enqueued } from './batch-lines.ts'
import { documentLines } from './document-lines.ts'
import type { Members } from './dump-error.ts'
import type { DumpedKind } from './dump-form.ts'
import {
  BATCH_QUEUE,
  BATCHES_FOLDER,
  CHATS,
  DOCUMENTS_FILE,
  DUMP_VERSION,
  FEATURES_FILE,
  INDEX_METADATA,
  INDEXES,
  INSTANCE_UID,
  KEYS,
  METADATA,
  NETWORK,
  RULES_INDEX,
  SETTINGS_FILE,
  TASK_QUEUE,
  TASKS_FOLDER,
  UPDATE_FILES,
  updateFile,
  WEBHOOKS,
} from './layout.ts'
import { ruleDocument, rulesIndexSettings } from './rules-index.ts'
import { dumpedSettings } from './settings-file.ts'
import { jsonLines, type Spool } from './spool.ts'
import { type DescribeError, taskLine } from './task-lines.ts'

export type DumpedIndex = {
  readonly uid: IndexUid
  readonly primaryKey: string | null
  /** Microseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly settings: IndexSettings
  readonly documentCount: number
  /** Newline-delimited JSON in chunks, each with its number of documents. */
  readonly documents: () => AsyncIterable<{
    readonly ndjson: Uint8Array
    readonly documents: number
  }>
}

/** The whole content of a dump, as of the moment of the dump. */
export type DumpSource = {
  readonly kinds: TaskKinds<DumpedKind>
  /** The task of the dump itself. */
  readonly taskUid: TaskUid
  /** Lines of keys, from the moment at which the dump was requested. */
  readonly keys: readonly unknown[]
  readonly instanceUid: string | null
  readonly version: string
  /** Microseconds since 1970. */
  readonly now: number
  readonly chats: readonly (readonly [uid: string, workspace: ChatWorkspace])[]
  readonly tasks: AsyncIterable<EveryTask>
  readonly batches: AsyncIterable<Batch>
  /** The body of a waiting import as stored, by the uid of its task. */
  readonly body: (taskUid: TaskUid) => AsyncIterable<Uint8Array>
  readonly indexes: readonly DumpedIndex[]
  readonly features: Features
  readonly network: Network
  readonly webhooks: readonly Webhook[]
  readonly rules: readonly SearchRule[]
  readonly describe: DescribeError
}

/** The steps of a dump as batches show them, in their order. */
const STEPS = [
  'start the dump creation',
  'dump the api keys',
  'dump the chat completion settings',
  'dump the tasks',
  'dump the batches',
  'dump the indexes',
  'dump the experimental features',
  'dump the webhooks',
  'dump dynamic search rules',
  'compress the dump',
] as const
export type DumpStep = (typeof STEPS)[number]

/** Reports a step, and the progress inside it. */
export type ReportStep = (step: DumpStep, inside?: BatchProgressStep) => void

export const stepOf = (step: DumpStep): BatchProgressStep => ({
  currentStep: step,
  finished: STEPS.indexOf(step),
  total: STEPS.length,
})

/** Fills the spool. `report` throws if the dump was canceled. @throws StorageError */
export async function spoolDump(
  source: DumpSource,
  spool: Spool,
  report: ReportStep,
): Promise<void> {
  report('start the dump creation')
  spool.folder('./')
  spool.small(
    METADATA,
    JSON.stringify({
      dumpVersion: DUMP_VERSION,
      dbVersion: source.version,
      dumpDate: formatMicros(source.now),
    }),
  )
  if (source.instanceUid !== null) spool.small(INSTANCE_UID, source.instanceUid)
  report('dump the api keys')
  await spool.large(KEYS, jsonLines(source.keys))
  report('dump the chat completion settings')
  spool.folder(CHATS)
  for (const [uid, workspace] of source.chats) {
    spool.small(
      `${CHATS}/${uid}.json`,
      JSON.stringify({ ...workspace, prompts: promptsOf(workspace) }),
    )
  }
  const enqueued = await spoolTasks(source, spool, report)
  await spoolBatches(source, spool, report, enqueued)
  await spoolIndexes(source, spool, report)
  report('dump the experimental features')
  spool.small(FEATURES_FILE, JSON.stringify(source.features))
  spool.small(NETWORK, JSON.stringify(networkFile(source.network)))
  report('dump the webhooks')
  spool.small(WEBHOOKS, JSON.stringify({ webhooks: webhooksFile(source.webhooks) }))
  report('dump dynamic search rules')
  await spoolRules(source, spool)
}

/** By batch: the times at which its tasks were enqueued. */
type Times = Map<BatchUid, Enqueued>

async function spoolTasks(source: DumpSource, spool: Spool, report: ReportStep): Promise<Times> {
  const times: Times = new Map()
  const bodies: TaskUid[] = []
  let finished = 0
  async function* lines(): AsyncGenerator<Members> {
    for await (const { task, content } of source.tasks) {
      report('dump the tasks', { currentStep: 'task', finished: finished++, total: task.uid + 1 })
      const kind = source.kinds.named(task.kind)
      if (task.uid === source.taskUid) {
        yield taskLine(kind, asIfDone(task, source.now), content, source.describe)
        continue
      }
      const isWaiting = task.status === 'enqueued' || task.status === 'processing'
      const { batchUid, enqueuedAt } = task
      const body = isWaiting && content !== null ? (kind.bodyOf?.(content) ?? null) : null
      if (body !== null && body.documents > 0) bodies.push(task.uid)
      if (batchUid !== null) noteTime(times, batchUid, enqueuedAt)
      const shown = isWaiting ? { ...task, status: 'enqueued' as const, batchUid: null } : task
      yield taskLine(kind, shown, content, source.describe)
    }
  }
  spool.folder(TASKS_FOLDER)
  await spool.large(TASK_QUEUE, jsonLines(lines()))
  spool.folder(UPDATE_FILES)
  for (const [i, uid] of bodies.entries()) {
    const inside = { currentStep: 'update file', finished: i, total: bodies.length }
    report('dump the tasks', inside)
    await spool.large(updateFile(uid), documentLines(source.body(uid)))
  }
  return times
}

/** As a waiting task, the task of the dump would run again in the imported database. */
const asIfDone = (task: EveryTask['task'], now: number): EveryTask['task'] => ({
  ...task,
  status: 'succeeded',
  batchUid: null,
  details: { dumpUid: null },
  startedAt: now,
  finishedAt: now,
})

function noteTime(times: Times, batch: BatchUid, at: number): void {
  const { first, last } = times.get(batch) ?? { first: at, last: at }
  times.set(batch, { first: Math.min(first, at), last: Math.max(last, at) })
}

async function spoolBatches(
  source: DumpSource,
  spool: Spool,
  report: ReportStep,
  times: Times,
): Promise<void> {
  async function* lines(): AsyncGenerator<Members> {
    let finished = 0
    for await (const batch of source.batches) {
      const inside = { currentStep: 'batch', finished: finished++, total: batch.uid + 1 }
      report('dump the batches', inside)
      const { startedAt } = batch
      yield batchLine(batch, times.get(batch.uid) ?? { first: startedAt, last: startedAt })
    }
  }
  report('dump the batches')
  spool.folder(BATCHES_FOLDER)
  await spool.large(BATCH_QUEUE, jsonLines(lines()))
}

async function spoolIndexes(source: DumpSource, spool: Spool, report: ReportStep): Promise<void> {
  const total = source.indexes.length
  report('dump the indexes')
  spool.folder(INDEXES)
  for (const [finished, index] of source.indexes.entries()) {
    const { uid, documentCount } = index
    spoolIndex(index, spool)
    let done = 0
    async function* documents(): AsyncGenerator<Uint8Array> {
      for await (const chunk of index.documents()) {
        yield chunk.ndjson
        done += chunk.documents
        report('dump the indexes', { currentStep: uid, finished: done, total: documentCount })
      }
    }
    report('dump the indexes', { currentStep: uid, finished, total })
    await spool.large(`${INDEXES}/${uid}/${DOCUMENTS_FILE}`, documents())
  }
}

function spoolIndex(index: Omit<DumpedIndex, 'documents' | 'documentCount'>, spool: Spool): void {
  const { uid, primaryKey, createdAt, updatedAt } = index
  const folder = `${INDEXES}/${uid}`
  spool.folder(folder)
  const dates = { createdAt: formatMicros(createdAt), updatedAt: formatMicros(updatedAt) }
  spool.small(`${folder}/${INDEX_METADATA}`, JSON.stringify({ uid, primaryKey, ...dates }))
  spool.small(`${folder}/${SETTINGS_FILE}`, JSON.stringify(dumpedSettings(index.settings)))
}

async function spoolRules({ rules }: DumpSource, spool: Spool): Promise<void> {
  if (rules.length === 0) return
  const times = rules.map(({ lastUpdatedAt }) => lastUpdatedAt)
  spoolIndex(
    {
      uid: RULES_INDEX,
      primaryKey: 'uid',
      createdAt: times.reduce((a, b) => Math.min(a, b)),
      updatedAt: times.reduce((a, b) => Math.max(a, b)),
      settings: rulesIndexSettings(),
    },
    spool,
  )
  const documents = jsonLines(rules.map(ruleDocument))
  await spool.large(`${INDEXES}/${RULES_INDEX}/${DOCUMENTS_FILE}`, documents)
}

const networkFile = ({ self, remotes, shards, leader, version }: Network): Members => ({
  self,
  remotes: Object.fromEntries(remotes),
  shards: Object.fromEntries(shards),
  leader,
  version,
})

const webhooksFile = (webhooks: readonly Webhook[]): Members =>
  Object.fromEntries(webhooks.map(({ uuid, url, headers }) => [uuid, { url, headers }]))
