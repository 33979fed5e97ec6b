// `svc-tools remote import`: sends a file of documents to a running server.
import type { TaskUid } from '../../format/ids.ts'
import { type RewriteReport, Rewriter, reportText, type SourceName } from '../foreign/index.ts'
import { countOf, openProgress, type Terminal, ToolError } from '../terminal/index.ts'
import { askInstance, type Instance, LONG_ANSWER_MS } from './ask.ts'
import { CONTENT_TYPES, type PieceOptions, piecesOf, sizeOf } from './pieces.ts'
import { RECEIPT, type RemoteTask } from './remote-task.ts'
import { failureText, finishedTasks } from './tasks.ts'

export type ImportOptions = PieceOptions & {
  readonly index: string
  readonly path: string
  /** null lets the server find it. */
  readonly primaryKey: string | null
  /** True if existing documents keep the members that the file lacks. */
  readonly isUpdate: boolean
  /** True to wait until the documents are searchable. */
  readonly waits: boolean
  /** The engine that exported the file, or null for documents of this one. */
  readonly from: SourceName | null
  /** The attribute with places of that engine, or null for its usual one. */
  readonly geo: string | null
}

export type ImportResult = {
  readonly index: string
  readonly bodies: number
  readonly bytes: number
  readonly tasks: readonly number[]
  /** null without waiting. */
  readonly indexedDocuments: number | null
  readonly failures: readonly string[]
  /** Changes to documents of another engine, or null. */
  readonly rewritten: (RewriteReport & { readonly geo: string | null }) | null
}

/**
 * Sends the pieces one after another: each is on the server's disk before the next is sent. Stops
 * at the first refusal; the pieces before it remain. @throws ToolError
 */
export async function importFile(
  instance: Instance,
  options: ImportOptions,
  terminal: Terminal,
): Promise<ImportResult> {
  const { index, path, waits, geo } = options
  const rewriter = rewriterOf(options)
  const bytes = sizeOf(path)
  const progress = openProgress(terminal, bytes)
  const tasks: number[] = []
  try {
    for (const { body: piece, done } of piecesOf(path, options)) {
      const body = rewriter === null ? piece : rewritten(rewriter, piece, options)
      if (body.length === 0) continue
      const { taskUid } = await send(instance, options, body, rewriter)
      tasks.push(taskUid)
      progress.at(done, `sent to ${index}`)
    }
  } finally {
    progress.end()
  }
  const finished = waits ? await waitForAll(instance, tasks, terminal) : []
  return {
    index,
    bodies: tasks.length,
    bytes,
    tasks,
    indexedDocuments: waits ? finished.reduce((sum, task) => sum + indexedBy(task), 0) : null,
    failures: finished.map(failureText).filter((failure) => failure !== null),
    rewritten: rewriter === null ? null : { ...rewriter.report, geo },
  }
}

/** @throws ToolError */
function rewriterOf({ from, format, primaryKey, geo }: ImportOptions): Rewriter | null {
  if (from === null) {
    if (geo !== null) throw new ToolError('--geo needs --from')
    return null
  }
  if (format === 'csv') throw new ToolError('--from needs JSON or NDJSON, not CSV')
  return new Rewriter(from, primaryKey, geo)
}

const rewritten = (rewriter: Rewriter, piece: Uint8Array, { format }: ImportOptions): Uint8Array =>
  format === 'json' ? rewriter.whole(piece) : rewriter.lines(piece)

function send(
  instance: Instance,
  options: ImportOptions,
  body: Uint8Array,
  rewriter: Rewriter | null,
): Promise<{ readonly taskUid: TaskUid }> {
  const { index, delimiter, isUpdate } = options
  const primaryKey = rewriter?.primaryKey ?? options.primaryKey
  const format = rewriter === null ? options.format : 'ndjson'
  const query = new URLSearchParams()
  if (primaryKey !== null) query.set('primaryKey', primaryKey)
  if (format === 'csv' && delimiter !== ',') query.set('csvDelimiter', delimiter)
  return askInstance(
    instance,
    {
      method: isUpdate ? 'PUT' : 'POST',
      path: `/indexes/${encodeURIComponent(index)}/documents?${query}`,
      body,
      contentType: CONTENT_TYPES[format],
      action: 'documents.add',
      answerMs: LONG_ANSWER_MS,
    },
    RECEIPT,
  )
}

async function waitForAll(
  instance: Instance,
  tasks: readonly number[],
  terminal: Terminal,
): Promise<readonly RemoteTask[]> {
  const progress = openProgress(terminal, tasks.length, 'count')
  try {
    return await finishedTasks(instance, tasks, (count) => progress.at(count, 'tasks are indexed'))
  } finally {
    progress.end()
  }
}

function indexedBy({ details }: RemoteTask): number {
  const counts = details as { readonly indexedDocuments?: number | null } | null
  return counts?.indexedDocuments ?? 0
}

export function importText({
  index,
  bodies,
  tasks,
  indexedDocuments,
  failures,
  rewritten: report,
}: ImportResult): string {
  if (bodies === 0) return 'The file is empty: nothing was sent.\n'
  if (failures.length > 0) return `${failures.join('\n')}\n`
  const last = tasks.at(-1)!
  const range = tasks.length === 1 ? `task ${last}` : `tasks ${tasks[0]} to ${last}`
  const changes = report === null ? '' : reportText(report, report.geo)
  if (indexedDocuments === null) return `On disk, indexed soon: ${range}.\n${changes}`
  const documents = countOf(indexedDocuments, 'document is', 'documents are')
  return `${documents} searchable in \`${index}\` (${range}).\n${changes}`
}
