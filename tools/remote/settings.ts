// `svc-tools remote settings`: reads and changes the settings of an index on a running server.
import { readFileSync } from 'node:fs'
import { anything } from '../../format/schema/index.ts'
import { ToolError } from '../terminal/index.ts'
import { askInstance, type Instance } from './ask.ts'
import { RECEIPT, type RemoteTask } from './remote-task.ts'
import { finishedTasks } from './tasks.ts'

const pathOf = (index: string): string => `/indexes/${encodeURIComponent(index)}/settings`

/** Returns all settings, or the named one. @throws ToolError */
export async function readSettings(
  instance: Instance,
  index: string,
  name: string | null,
): Promise<unknown> {
  const request = { method: 'GET', path: pathOf(index), action: 'settings.get' } as const
  const settings = (await askInstance(instance, request, anything)) as {
    readonly [name: string]: unknown
  }
  if (name === null) return settings
  if (Object.hasOwn(settings, name)) return settings[name]
  throw new ToolError(`there is no setting \`${name}\`: ${Object.keys(settings).join(', ')}`)
}

/** `change`: JSON, or `@FILE` with JSON. Returns the finished task. @throws ToolError */
export async function changeSettings(
  instance: Instance,
  index: string,
  change: string,
): Promise<RemoteTask> {
  const body = change.startsWith('@') ? fileText(change.slice(1)) : change
  checkObject(body)
  const request = { method: 'PATCH', path: pathOf(index), body, action: 'settings.update' } as const
  const { taskUid } = await askInstance(instance, request, RECEIPT)
  const [task] = await finishedTasks(instance, [taskUid])
  return task!
}

/** @throws ToolError */
export function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // System errors: the file is missing, not readable, or a folder.
    throw new ToolError(`\`${path}\` cannot be read: ${(error as Error).message}`)
  }
}

function checkObject(body: string): void {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ToolError(`the change is not JSON: ${error.message}`)
  }
  throw new ToolError(
    'the change must be an object of settings, for example {"stopWords": ["the"]}',
  )
}
