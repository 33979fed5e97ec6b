// The tasks of a batch as those who do the work are told them, and how each of them ended.
import { EngineFault } from './errors.ts'
import type { DocumentsResult, WireOperation } from './indexer/index.ts'
import { applyPatch, type IndexSettings, type SettingsPatch } from './settings/index.ts'
import type {
  BatchPlan,
  PlannedTask,
  StagedBody,
  TaskDetails,
  TaskKind,
  TaskOutcome,
} from './tasks/index.ts'
import type { Templates } from './template/index.ts'

/** A task on documents as the index thread is told it. `contains`: filters may say CONTAINS. */
export function operationOf({ content }: PlannedTask, contains: boolean): WireOperation {
  switch (content.kind) {
    case 'documentAdditionOrUpdate': {
      const { method, primaryKey, skipCreation } = content
      return { kind: 'import', method, body: wireBody(content.body), primaryKey, skipCreation }
    }
    case 'documentDeletion':
      if (content.by === 'ids') return { kind: 'delete-ids', ids: content.ids }
      if (content.by === 'filter') {
        return { kind: 'delete-filter', filter: content.filter, contains }
      }
      break
    case 'documentEdition': {
      const { filter, context, contextText, function: script } = content
      const text = contextText ?? (context === null ? null : JSON.stringify(context))
      return { kind: 'edit', filter, contains, script, context: text }
    }
  }
  throw new RangeError(`a ${content.kind} is no operation on documents`)
}

const wireBody = ({ file, inline }: StagedBody) =>
  file === null
    ? ({ kind: 'inline', bytes: inline ?? new Uint8Array(0) } as const)
    : ({ kind: 'file', file } as const)

/** Faults of single documents and of settings name the index they were found in. */
export function inIndex(uid: string, error: unknown): unknown {
  if (!(error instanceof EngineFault) || !NAMED.has(error.code)) return error
  if (error.message.startsWith('Index `')) return error
  return new EngineFault(error.code, `Index \`${uid}\`: ${error.message}`)
}

const NAMED: ReadonlySet<string> = new Set([
  'invalid_document_geo_field',
  'invalid_document_geojson_field',
])

/** How the task at position `at` of its batch ended. */
export function documentsOutcome(
  task: PlannedTask,
  result: DocumentsResult,
  at: number,
): TaskOutcome {
  const { fault, documents } = result.outcomes[at]!
  if (fault !== null) return { uid: task.uid, error: fault, result: null }
  return { uid: task.uid, error: null, result: countsOf(task.content.kind, documents) }
}

function countsOf(kind: TaskKind, documents: number): TaskDetails {
  if (kind === 'documentAdditionOrUpdate') return { indexedDocuments: documents }
  const deletedDocuments = documents
  // Documents that were looked at, whatever became of them.
  return kind === 'documentEdition'
    ? { editedDocuments: documents, deletedDocuments }
    : { deletedDocuments }
}

/** The settings after all changes of a batch, one after the other. @throws EngineFault */
export async function patchedSettings(
  plan: BatchPlan,
  uid: string,
  before: IndexSettings,
  templates: Templates,
): Promise<IndexSettings> {
  let settings = before
  for (const { content, runs } of plan.tasks) {
    if (content.kind !== 'settingsUpdate' || !runs) continue
    try {
      const patch = content.patch as SettingsPatch
      await checkTemplate(patch.chat?.documentTemplate ?? null, templates)
      settings = applyPatch(settings, patch).settings
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      throw new EngineFault(error.code, `Index \`${uid}\`: ${error.message}`)
    }
  }
  return settings
}

/** @throws EngineFault invalid_chat_setting_document_template */
async function checkTemplate(text: string | null, templates: Templates): Promise<void> {
  if (text === null) return
  const outcome = await templates.run({ source: text, input: null }, { isOurs: true })
  if (outcome.kind !== 'fault') return
  throw new EngineFault(
    'invalid_chat_setting_document_template',
    '`.chat.documentTemplate`: Invalid document template: user error: cannot parse template: ' +
      `liquid: ${outcome.words}.`,
  )
}
