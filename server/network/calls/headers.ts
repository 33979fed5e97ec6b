// Headers of requests between instances: the origin of a task, and the part of a topology change
// that documents belong to. Each header has a second name without its first two letters; the first
// one present counts.

import {
  type ImportSource,
  type Network,
  readUuid,
  type TaskNetwork,
  type TaskOrigin,
} from '../../../engine/index.ts'
import { decoder } from '../../../format/bytes/index.ts'
import { asTaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import type { RequestContext } from '../../http/messages/index.ts'

type Context = Pick<RequestContext, 'header'>

const PREFIX = 'X-Svc-Proxy-'
const ORIGIN_REMOTE = 'Origin-Remote'
const ORIGIN_TASK = 'Origin-TaskUid'
const ORIGIN_VERSION = 'Origin-Network-Version'
const IMPORT_REMOTE = 'Import-Remote'
const IMPORT_INDEX = 'Import-Index'
const IMPORT_DOCS = 'Import-Docs'
const IMPORT_COUNT = 'Import-Index-Count'
const IMPORT_KEY = 'Import-Task-Key'
const IMPORT_TOTAL = 'Import-Total-Index-Docs'
const NIL = '00000000-0000-0000-0000-000000000000'
const U32_MAX = 2 ** 32 - 1

/** Marks a request that was sent before and may have been accepted. */
export const REPEATED = 'svc-proxy-repeated'
/** The version of the protocol between instances. */
export const PROTOCOL = 'svc-proxy-protocol'
export const PROTOCOL_VERSION = 5
/** Marks searches by other instances. */
export const PROXY_SEARCH = 'svc-proxy-search'
/** The identity of the sender and the leadership term that it knows. */
export const SENDER = 'svc-proxy-sender'
/** A key for writes, sent beside the key for searches: it proves that a member searches. */
export const MEMBER_KEY = 'svc-proxy-member-key'
/** Headers with lists of names that the bodies of a topology change cannot hold. */
export const ABSENT = 'svc-proxy-absent'
export const RENEWED = 'svc-proxy-renewed'
export const BRINGING = 'svc-proxy-bringing'
/** By renewed remote: names of the only shards that it receives again; JSON, percent-encoded. */
export const RENEWED_SHARDS = 'svc-proxy-renewed-shards'
/** Tells the receiver of a change that it lacks writes before it, which are not sent any more. */
export const LACKING = 'svc-proxy-lacking'

/** Names of headers about tasks of other instances, without their prefix. */
const TASK_HEADERS = [
  ORIGIN_REMOTE,
  ORIGIN_TASK,
  ORIGIN_VERSION,
  IMPORT_REMOTE,
  IMPORT_INDEX,
  IMPORT_DOCS,
  IMPORT_COUNT,
  IMPORT_KEY,
  IMPORT_TOTAL,
].flatMap((name) => [`x-svc-proxy-${name.toLowerCase()}`, `svc-proxy-${name.toLowerCase()}`])
const MEMBER_HEADERS = [
  ...TASK_HEADERS,
  ...[REPEATED, ABSENT, BRINGING, RENEWED, RENEWED_SHARDS, LACKING],
]

/** Returns whether a request has headers that only members may send. */
export const hasTaskHeaders = (context: Context): boolean =>
  MEMBER_HEADERS.some((name) => context.header(name) !== undefined)

/** Returns the raw value of a header, or undefined if it is absent. */
function raw(context: Context, name: string): string | undefined {
  const low = name.toLowerCase()
  return context.header(`x-svc-proxy-${low}`) ?? context.header(`svc-proxy-${low}`)
}

/** @throws ApiError invalid_header_value */
function textOf(context: Context, name: string): string | null {
  const value = raw(context, name)
  if (value === undefined) return null
  const bytes = unescaped(value)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw bad(
      name,
      `while url-decoding: invalid utf-8 sequence of 1 bytes from index ${goodBytes(bytes)}`,
    )
  }
}

/** Returns the length of the valid UTF-8 prefix. */
function goodBytes(bytes: Uint8Array): number {
  const text = decoder.decode(bytes)
  const end = text.indexOf('\ufffd')
  return end < 0 ? bytes.length : Buffer.byteLength(text.slice(0, end))
}

/** Decodes `%` with two digits to a byte; other characters are kept. */
function unescaped(value: string): Uint8Array {
  const bytes: number[] = []
  const source = Buffer.from(value, 'latin1')
  for (let i = 0; i < source.length; i++) {
    const code = /^%[0-9a-fA-F]{2}/.exec(value.slice(i, i + 3))
    bytes.push(code === null ? source[i]! : Number.parseInt(code[0].slice(1), 16))
    if (code !== null) i += 2
  }
  return Uint8Array.from(bytes)
}

/** @throws ApiError invalid_header_value */
function countOf(context: Context, name: string, max = Number.MAX_SAFE_INTEGER): number | null {
  const value = textOf(context, name)
  if (value === null) return null
  const wrong = (why: string): ApiError => bad(name, `while parsing as an integer: ${why}`)
  if (value === '') throw wrong('cannot parse integer from empty string')
  if (!/^\+?\d+$/.test(value)) throw wrong('invalid digit found in string')
  if (Number(value) > max) throw wrong('number too large to fit in target type')
  return Number(value)
}

/** @throws ApiError invalid_header_value */
function versionOf(context: Context): string {
  const value = textOf(context, ORIGIN_VERSION)
  if (value === null) return NIL
  const read = readUuid(value)
  if (read.uid !== null) return value.toLowerCase()
  throw bad(ORIGIN_VERSION, `while parsing as a UUID: ${uuidProblem(read.problem)}`)
}

const uuidProblem = (problem: string): string =>
  problem
    .replace(/ expected .*$/, '')
    .replace(/^invalid character: .*found/, 'invalid character: found')

const bad = (name: string, why: string): ApiError =>
  new ApiError('invalid_header_value', `Invalid value for header \`${PREFIX}${name}\`: ${why}`)

/** Returns null for the request of a client. @throws ApiError */
export function readTaskNetwork(context: Context): TaskNetwork | null {
  const origin = readOrigin(context)
  const source = readImport(context)
  const metadata = readMetadata(context)
  if (origin === null && source === null && metadata === null) return null
  if (origin !== null && source === null && metadata === null) return { kind: 'origin', origin }
  if (origin !== null && source !== null && metadata !== null) {
    return { kind: 'import', source: { ...source, ...metadata }, change: origin }
  }
  const presence = (value: unknown): string => (value === null ? 'missing' : 'present')
  throw new ApiError(
    'inconsistent_document_change_headers',
    `Inconsistent task network headers: origin headers: ${presence(origin)}, ` +
      `import headers: ${presence(source)}, import metadata: ${presence(metadata)}`,
  )
}

function readOrigin(context: Context): TaskOrigin | null {
  const remoteName = textOf(context, ORIGIN_REMOTE)
  const taskUid = countOf(context, ORIGIN_TASK, U32_MAX)
  if (remoteName === null && taskUid === null) return null
  if (remoteName !== null && taskUid !== null) {
    return { remoteName, taskUid: asTaskUid(taskUid), networkVersion: versionOf(context) }
  }
  const [given, missing] =
    taskUid === null ? [ORIGIN_REMOTE, ORIGIN_TASK] : [ORIGIN_TASK, ORIGIN_REMOTE]
  throw new ApiError(
    'inconsistent_document_change_headers',
    `Inconsistent \`Origin\` headers: ${PREFIX}${given} was provided but ${PREFIX}${missing} is ` +
      'missing.\n  - Hint: Either both headers should be provided, or none of them',
  )
}

type Source = Pick<ImportSource, 'remoteName' | 'indexName' | 'documentCount'>
type Metadata = Pick<ImportSource, 'indexCount' | 'key' | 'totalDocuments'>

function readImport(context: Context): Source | null {
  const remoteName = textOf(context, IMPORT_REMOTE)
  const indexName = textOf(context, IMPORT_INDEX)
  const documentCount = countOf(context, IMPORT_DOCS)
  if (remoteName !== null && documentCount !== null) return { remoteName, indexName, documentCount }
  if (remoteName === null && indexName === null && documentCount === null) return null
  throw inconsistent('Import', [
    [IMPORT_REMOTE, remoteName],
    [IMPORT_INDEX, indexName],
    [IMPORT_DOCS, documentCount],
  ])
}

function readMetadata(context: Context): Metadata | null {
  const indexCount = countOf(context, IMPORT_COUNT)
  const taskKey = countOf(context, IMPORT_KEY)
  const totalDocuments = countOf(context, IMPORT_TOTAL)
  if (indexCount !== null && totalDocuments !== null) {
    return { indexCount, key: taskKey === null ? null : String(taskKey), totalDocuments }
  }
  if (indexCount === null && taskKey === null && totalDocuments === null) return null
  throw inconsistent('Import-Metadata', [
    [IMPORT_COUNT, indexCount],
    [IMPORT_KEY, taskKey],
    [IMPORT_TOTAL, totalDocuments],
  ])
}

const inconsistent = (
  family: string,
  headers: readonly (readonly [name: string, value: unknown])[],
): ApiError => {
  const listed = headers.map(
    ([name, value]) => `${PREFIX}${name}: ${value === null ? 'missing' : 'provided'}`,
  )
  return new ApiError(
    'inconsistent_document_change_headers',
    `Inconsistent \`${family}\` headers: ${listed.join(', ')}.\n` +
      ' - Hint: either all three headers should be provided, or none of them',
  )
}

/**
 * Checks that the origin is a remote of a known network. Called only if API keys are required.
 * @throws ApiError invalid_api_key
 */
export function checkOrigin(name: string, known: readonly Pick<Network, 'remotes'>[]): void {
  if (known.some(({ remotes }) => remotes.has(name))) return
  throw new ApiError(
    'invalid_api_key',
    `The origin \`${name}\` is not a remote of the network of this instance.`,
  )
}

/** Returns the headers for a copy of a task. */
export const originHeaders = ({ remoteName, taskUid, networkVersion }: TaskOrigin): Headers =>
  doubled({
    [ORIGIN_REMOTE]: remoteName,
    [ORIGIN_TASK]: String(taskUid),
    [ORIGIN_VERSION]: networkVersion,
  })

/** Returns the headers for documents of a topology change. */
export const importHeaders = (source: ImportSource, origin: TaskOrigin): Headers => ({
  ...originHeaders(origin),
  ...doubled({
    [IMPORT_REMOTE]: source.remoteName,
    ...(source.indexName === null ? {} : { [IMPORT_INDEX]: source.indexName }),
    [IMPORT_DOCS]: String(source.documentCount),
    [IMPORT_COUNT]: String(source.indexCount),
    ...(source.key === null ? {} : { [IMPORT_KEY]: source.key }),
    [IMPORT_TOTAL]: String(source.totalDocuments),
  }),
})

type Headers = { readonly [name: string]: string }

const doubled = (values: Headers): Headers =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const encoded = encodeURIComponent(value)
      return [
        [`${PREFIX}${name}`, encoded],
        [`${PREFIX.slice(2)}${name}`, encoded],
      ]
    }),
  )
