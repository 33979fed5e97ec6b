// Messages between instances of a network. Faults give line and column, as clients of this route
// expect.
import { readUuid, type TaskOrigin } from '../../engine/index.ts'
import { asTaskUid, type TaskUid } from '../../format/ids.ts'
import { skipValue } from '../../format/json/index.ts'
import type { ApiError } from '../errors/index.ts'
import {
  exactBody,
  isJsonArray,
  isJsonObject,
  type Json,
  misread,
  readUpTo,
  shownKind,
  withSchema,
} from './schema/index.ts'

export type NetworkMessage = {
  readonly origin: TaskOrigin
  readonly message:
    | { readonly type: 'exportNoIndexForRemote'; readonly remote: string }
    | {
        readonly type: 'importFinishedForRemote'
        readonly remote: string
        readonly successful: boolean
        /**
         * True if the sender searches by the new network; null if it does not report this and
         * should not be waited for.
         */
        readonly routed: boolean | null
      }
    | {
        readonly type: 'statusChangeForRemote'
        readonly remote: string
        readonly status: 'available' | 'unavailable'
      }
    | { readonly type: 'changeCanceledForRemote'; readonly remote: string }
    | {
        readonly type: 'renewForRemote'
        readonly remote: string
        /** Whether documents follow; else definitions of indexes. */
        readonly documents: boolean
      }
    | { readonly type: 'definitionsSentForRemote'; readonly remote: string }
    | { readonly type: 'behindForRemote'; readonly remote: string }
    | {
        /** Tasks that the origin may cancel are held until it has canceled or released them. */
        readonly type: 'tasksHeldForRemote' | 'tasksCanceledForRemote' | 'tasksReleasedForRemote'
        readonly remote: string
        readonly tasks: readonly TaskUid[]
      }
    | {
        readonly type: 'networkForRemote'
        readonly remote: string
        /** The network in the form of the manifest. */
        readonly network: string
      }
}

const U32_MAX = 2 ** 32 - 1
/** Tasks named by one message. */
const TASKS_MAX = 10_000

const MESSAGE = {
  type: 'object',
  properties: {
    origin: {
      type: 'object',
      properties: {
        remoteName: { type: 'string' },
        taskUid: { type: 'integer', minimum: 0 },
        networkVersion: { type: 'string', format: 'uuid' },
      },
      required: ['remoteName', 'taskUid', 'networkVersion'],
    },
    message: {
      type: 'object',
      properties: {
        type: { type: 'string' },
        remote: { type: 'string' },
        successful: { type: 'boolean' },
        routed: { type: 'boolean' },
        status: { type: 'string', enum: ['available', 'unavailable'] },
        network: { type: 'string' },
        documents: { type: 'boolean' },
        tasks: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: TASKS_MAX },
      },
      required: ['type', 'remote'],
    },
  },
  required: ['origin', 'message'],
} as const

/** Reads a message; unknown members are ignored. @throws ApiError */
export function readNetworkMessage(body: Uint8Array): NetworkMessage {
  const reader = new MessageReader(body)
  const members = reader.object(exactBody(body), [], 'struct NetworkChange with 2 elements')
  const from = reader.object(reader.member(members, [], 'origin'), ['origin'], 'struct Origin')
  const origin = {
    remoteName: reader.text(from, ['origin'], 'remoteName'),
    taskUid: asTaskUid(reader.count(from, ['origin'], 'taskUid')),
    networkVersion: reader.uuid(from, ['origin'], 'networkVersion'),
  }
  const at = ['message']
  const message = reader.object(reader.member(members, [], 'message'), at, 'internally tagged enum')
  const type = reader.variant(message, at, 'type', TYPES)
  const remote = reader.text(message, at, 'remote')
  switch (type) {
    case 'importFinishedForRemote':
      return {
        origin,
        message: {
          type,
          remote,
          successful: reader.flag(message, at, 'successful'),
          routed: message['routed'] === undefined ? null : reader.flag(message, at, 'routed'),
        },
      }
    case 'statusChangeForRemote':
      return {
        origin,
        message: { type, remote, status: reader.variant(message, at, 'status', STATES) },
      }
    case 'tasksHeldForRemote':
    case 'tasksCanceledForRemote':
    case 'tasksReleasedForRemote':
      return {
        origin,
        message: { type, remote, tasks: reader.counts(message, at, 'tasks').map(asTaskUid) },
      }
    case 'renewForRemote': {
      const isGiven = message['documents'] !== undefined
      const documents = isGiven && reader.flag(message, at, 'documents')
      return { origin, message: { type, remote, documents } }
    }
    case 'networkForRemote':
      return { origin, message: { type, remote, network: reader.text(message, at, 'network') } }
    default:
      return { origin, message: { type, remote } }
  }
}

withSchema(readNetworkMessage, () => MESSAGE)

/** Messages of errors list the first three; only instances of this engine send the others. */
const TYPES = [
  'exportNoIndexForRemote',
  'importFinishedForRemote',
  'statusChangeForRemote',
  'changeCanceledForRemote',
  'renewForRemote',
  'definitionsSentForRemote',
  'behindForRemote',
  'networkForRemote',
  'tasksHeldForRemote',
  'tasksCanceledForRemote',
  'tasksReleasedForRemote',
] as const
const STATES = ['available', 'unavailable'] as const

type Members = { readonly [name: string]: Json }
type Path = readonly string[]

class MessageReader {
  readonly #body: Uint8Array

  constructor(body: Uint8Array) {
    this.#body = body
  }

  object(value: Json, path: Path, what: string): Members {
    if (isJsonObject(value)) return value as Members
    const end = readUpTo(this.#body, path)
    if (isJsonArray(value) && path.length === 0) {
      const problem = `invalid length ${value.length}, expected ${what}`
      throw misread(this.#body, problem, this.#body.length)
    }
    const expected = what.replace(/ with .*$/, '')
    throw misread(this.#body, `invalid type: ${shownKind(value)}, expected ${expected}`, end)
  }

  member(members: Members, path: Path, name: string): Json {
    const value = members[name]
    if (value === undefined) throw this.#missing(path, name)
    return value
  }

  text(members: Members, path: Path, name: string): string {
    const value = this.member(members, path, name)
    if (typeof value === 'string') return value
    throw this.#wrong(value, path, name, 'a string')
  }

  flag(members: Members, path: Path, name: string): boolean {
    const value = this.member(members, path, name)
    if (typeof value === 'boolean') return value
    throw this.#wrong(value, path, name, 'a boolean')
  }

  count(members: Members, path: Path, name: string): number {
    const value = this.member(members, path, name)
    const isWhole = typeof value === 'number' && Number.isInteger(value)
    if (isWhole && value >= 0 && value <= U32_MAX) return value
    if (!isWhole) throw this.#wrong(value, path, name, 'u32')
    const problem = `invalid value: ${shownKind(value)}, expected u32`
    throw misread(this.#body, problem, readUpTo(this.#body, [...path, name]))
  }

  counts(members: Members, path: Path, name: string): readonly number[] {
    const value = this.member(members, path, name)
    const isCount = (one: Json): boolean =>
      typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= U32_MAX
    if (isJsonArray(value) && value.length <= TASKS_MAX && value.every(isCount)) {
      return value as readonly number[]
    }
    throw this.#wrong(value, path, name, `a sequence of up to ${TASKS_MAX} u32`)
  }

  uuid(members: Members, path: Path, name: string): string {
    const value = this.member(members, path, name)
    if (typeof value !== 'string') throw this.#wrong(value, path, name, 'a UUID string')
    const read = readUuid(value)
    if (read.uid !== null) return value.toLowerCase()
    const end = readUpTo(this.#body, [...path, name])
    throw misread(this.#body, `UUID parsing failed: ${read.problem}`, end)
  }

  variant<T extends string>(members: Members, path: Path, name: string, variants: readonly T[]): T {
    const value = this.text(members, path, name)
    const found = variants.find((one) => one === value)
    if (found !== undefined) return found
    const names = variants.slice(0, 3).map((one) => `\`${one}\``)
    const listed = names.length === 2 ? names.join(' or ') : `one of ${names.join(', ')}`
    const problem = `unknown variant \`${value}\`, expected ${listed}`
    // The whole message is parsed before its members are checked.
    throw misread(this.#body, problem, this.#endOf(path, name === 'type' ? name : ''))
  }

  #missing(path: Path, name: string): ApiError {
    return misread(this.#body, `missing field \`${name}\``, this.#endOf(path, ''))
  }

  #wrong(value: Json, path: Path, name: string, expected: string): ApiError {
    const end = readUpTo(this.#body, [...path, name])
    return misread(this.#body, `invalid type: ${shownKind(value)}, expected ${expected}`, end)
  }

  /** Returns the reader's position after an object or one of its members. */
  #endOf(path: Path, name: string): number {
    if (path.length === 0) return this.#body.length
    if (name !== '') return readUpTo(this.#body, [...path, name])
    const begin = readUpTo(this.#body, path)
    return path[0] === 'message' ? this.#body.length : skipValue(this.#body, begin)
  }
}
