// Turns a task of the leader into the request that creates the same task on another instance.
import type { SentTask, SettingName, TaskContent } from '../../../engine/index.ts'
import { SETTING_ROUTES } from '../../parse/index.ts'
import type { RemoteRequest } from '../calls/index.ts'

export type TaskRequestParts = Pick<RemoteRequest, 'method' | 'path' | 'body' | 'headers'> & {
  /** True if the request is a message that creates no task. */
  readonly isNews?: boolean
}

const JSON_TYPE = { 'content-type': 'application/json' }

const json = (method: RemoteRequest['method'], path: string, value: unknown): TaskRequestParts => ({
  method,
  path,
  body: Buffer.from(JSON.stringify(value)),
  headers: JSON_TYPE,
})

const bare = (method: RemoteRequest['method'], path: string): TaskRequestParts => ({
  method,
  path,
  body: null,
  headers: {},
})

type Content<K extends TaskContent['kind']> = Extract<TaskContent, { kind: K }>

/** Returns null for task kinds that are not replicated. */
export function requestOf(task: SentTask): TaskRequestParts | null {
  const content = task.content as TaskContent
  const index = `/indexes/${encodeURIComponent(task.indexUid ?? '')}`
  const query = queryOf({ customMetadata: task.customMetadata })
  switch (content.kind) {
    case 'documentAdditionOrUpdate':
      return addition(content, task, index)
    case 'documentDeletion':
      return deletion(content, index, query)
    case 'documentEdition': {
      return edition(content, `${index}/documents/edit${query}`)
    }
    case 'settingsUpdate':
      return settings(content, index)
    case 'indexCreation':
      return json('POST', '/indexes', { uid: task.indexUid, primaryKey: content.primaryKey })
    case 'indexUpdate': {
      const { primaryKey, newUid } = content
      const patch = { ...(primaryKey === null ? {} : { primaryKey }) }
      return json('PATCH', index, newUid === null ? patch : { ...patch, uid: newUid })
    }
    case 'indexDeletion':
      return bare('DELETE', index)
    case 'indexSwap':
      return json('POST', '/swap-indexes', content.swaps)
    case 'dsrUpdate': {
      const path = `/dynamic-search-rules/${encodeURIComponent(content.uid)}${query}`
      return content.rule === null ? bare('DELETE', path) : json('PATCH', path, content.rule)
    }
    case 'dsrClear':
      return bare('DELETE', `/dynamic-search-rules${query}`)
    default:
      return null
  }
}

function addition(
  { method, primaryKey, skipCreation }: Content<'documentAdditionOrUpdate'>,
  { documents, customMetadata }: SentTask,
  index: string,
): TaskRequestParts {
  const query = queryOf({ primaryKey, skipCreation: skipCreation ? 'true' : null, customMetadata })
  const isEmpty = documents === null || documents.length === 0
  return {
    method: method === 'replace' ? 'POST' : 'PUT',
    path: `${index}/documents${query}`,
    // An empty NDJSON body would be refused as a missing one.
    body: isEmpty ? Buffer.from('[]') : documents,
    headers: isEmpty ? JSON_TYPE : { 'content-type': 'application/x-ndjson' },
  }
}

function deletion(
  content: Content<'documentDeletion'>,
  index: string,
  query: string,
): TaskRequestParts {
  if (content.by === 'all') return bare('DELETE', `${index}/documents${query}`)
  if (content.by === 'ids') {
    return json('POST', `${index}/documents/delete-batch${query}`, content.ids)
  }
  return json('POST', `${index}/documents/delete${query}`, { filter: content.filter })
}

/** Keeps the text of the context: `1.0` is not an integer there. */
function edition(
  { function: script, context, contextText, filter }: Content<'documentEdition'>,
  path: string,
): TaskRequestParts {
  const written = contextText ?? JSON.stringify(context ?? null)
  const rest = JSON.stringify({ function: script, filter: filter ?? null })
  const body = Buffer.from(`${rest.slice(0, -1)},"context":${written}}`)
  return { method: 'POST', path, body, headers: JSON_TYPE }
}

/** Resets create no index, so they use the DELETE routes. */
function settings(
  { patch, isDeletion }: Content<'settingsUpdate'>,
  index: string,
): TaskRequestParts {
  const names = Object.keys(patch)
  if (!isDeletion) return json('PATCH', `${index}/settings`, patch)
  const [name] = names
  if (names.length !== 1 || name === undefined) return bare('DELETE', `${index}/settings`)
  return bare('DELETE', `${index}/settings/${SETTING_ROUTES[name as SettingName].path}`)
}

function queryOf(values: { readonly [name: string]: string | null }): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== null) parameters.set(name, value)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
