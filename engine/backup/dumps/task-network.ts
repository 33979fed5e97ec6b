// The network part of a finished task in a dump, in the form in which clients see it. Waiting tasks
// lose it: the database that reads the dump sends no copies of old tasks.
import type { TaskUid } from '../../../format/ids.ts'
import {
  identifying,
  isValid,
  nothing,
  number,
  object,
  open,
  text,
} from '../../../format/schema/index.ts'
import type {
  RemoteError,
  RemoteResult,
  RemoteResults,
  TaskNetwork,
  TaskOrigin,
} from '../../network/records/index.ts'
import type { Task } from '../../write/task-data/index.ts'
import { corrupted, type Members, membersOf, textOf } from './dump-error.ts'

const ORIGIN = open(
  object<TaskOrigin>({
    remoteName: text,
    taskUid: identifying<TaskUid>(number),
    networkVersion: text,
  }),
)
const ERROR = open(object<RemoteError>({ message: text, code: text, type: text, link: text }))
const SENT = open(
  object<{ readonly taskUid: TaskUid; readonly error: null }>({
    taskUid: identifying<TaskUid>(number),
    error: nothing,
  }),
)

/** Returns the member `network` of a line, or no members for a task outside of a network. */
export function networkMembers({ network, remoteResults }: Task): Members {
  if (network === undefined) return {}
  if (network.kind === 'origin') return { network: { origin: network.origin } }
  if (network.kind === 'import') {
    const { remoteName, indexName, documentCount } = network.source
    const source = { remoteName, indexName, documentCount }
    return { network: { import_from: source, network_change: network.change } }
  }
  const tasks = Object.entries(remoteResults ?? {}).map(([remote, result]) => [
    remote,
    result.error === null ? result : { error: result.error },
  ])
  return {
    network: { remote_tasks: Object.fromEntries(tasks), network_version: network.version },
  }
}

type TaskParts = Partial<Pick<Task, 'network' | 'remoteResults'>>

/** @throws DumpError */
export function readNetworkMembers(value: unknown, place: string): TaskParts {
  if (value === undefined || value === null) return {}
  const members = membersOf(value, place)
  const network = readNetwork(members, place)
  if (network.kind !== 'leader') return { network }
  return { network, remoteResults: readSent(membersOf(members['remote_tasks'], place), place) }
}

function readNetwork(members: Members, place: string): TaskNetwork {
  const { origin, import_from: from, network_change: change } = members
  if (origin !== undefined) return { kind: 'origin', origin: readOrigin(origin, place) }
  if (from === undefined) {
    const version = textOf(members['network_version'], place)
    const remotes = Object.keys(membersOf(members['remote_tasks'], place))
    return { kind: 'leader', version, remotes }
  }
  const { remoteName, indexName, documentCount } = membersOf(from, place)
  const source = {
    remoteName: textOf(remoteName, place),
    indexName: indexName === null ? null : textOf(indexName, place),
    documentCount: Number.isSafeInteger(documentCount) ? (documentCount as number) : 0,
    // The change has ended: its parts are no longer counted.
    indexCount: 0,
    totalDocuments: 0,
    key: null,
  }
  return { kind: 'import', source, change: readOrigin(change, place) }
}

const readOrigin = (value: unknown, place: string): TaskOrigin =>
  isValid(ORIGIN, value) ? value : corrupted(place, 'its origin cannot be read')

function readSent(tasks: Members, place: string): RemoteResults {
  const read = Object.entries(tasks).map(([remote, value]): [string, RemoteResult] => {
    if (isValid(SENT, value)) return [remote, { taskUid: value.taskUid, error: null }]
    const { error } = membersOf(value, place)
    if (isValid(ERROR, error)) return [remote, { error, isFinal: true }]
    return corrupted(place, 'an answer of a remote cannot be read')
  })
  return Object.fromEntries(read)
}
