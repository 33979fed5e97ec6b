// The head of a snapshot: what it consists of. Page: SNAPSHOT.md
import { ArchiveError } from '../archive/index.ts'
import { FILE_BYTES_MAX, FILES_MAX } from './limits.ts'

export const HEAD = 'snapshot.json'
const FORMAT = 1

export type SnapshotFile = {
  /** In the database folder. */
  readonly path: string
  readonly bytes: number
  /** Hexadecimal; null: not told. */
  readonly sha256: string | null
}

export type SnapshotHead = {
  /** Of the release that made it. */
  readonly version: string
  /** RFC 3339. */
  readonly createdAt: string
  readonly sequence: number
  readonly files: readonly SnapshotFile[]
}

export function encodeHead({ version, createdAt, sequence, files }: SnapshotHead): Uint8Array {
  const list = files.map(({ path, bytes, sha256 }) => ({
    path,
    bytes,
    ...(sha256 === null ? {} : { sha256 }),
  }))
  const head = { format: FORMAT, version, createdAt, sequence, files: list }
  return new TextEncoder().encode(`${JSON.stringify(head)}\n`)
}

/** @throws ArchiveError `damaged` */
export function decodeHead(bytes: Uint8Array): SnapshotHead {
  const value = objectOf(parsed(bytes), 'the head')
  const { format, version, createdAt, sequence, files } = value
  if (format !== FORMAT) {
    throw damaged(`its format is ${JSON.stringify(format)}, this release knows ${FORMAT}`)
  }
  if (typeof version !== 'string' || !/^\d{1,9}(\.\d{1,9}){2}$/.test(version)) {
    throw damaged('its version is none')
  }
  if (typeof createdAt !== 'string' || !/^\d{4}-\d\d-\d\dT[0-9:.]{8,20}Z$/.test(createdAt)) {
    throw damaged('its time is none')
  }
  if (!isCount(sequence, Number.MAX_SAFE_INTEGER)) throw damaged('its sequence is none')
  if (!Array.isArray(files) || files.length > FILES_MAX) throw damaged('it lists no files')
  const names = new Set<string>()
  const list = files.map((file) => fileOf(file, names))
  return { version, createdAt, sequence, files: list }
}

function fileOf(value: unknown, names: Set<string>): SnapshotFile {
  const { path, bytes, sha256 = null } = objectOf(value, 'a file')
  if (typeof path !== 'string' || !isDatabasePath(path)) {
    throw damaged(`${JSON.stringify(path)} is no file of a database`)
  }
  if (names.has(path)) throw damaged(`\`${path}\` is there twice`)
  names.add(path)
  if (!isCount(bytes, FILE_BYTES_MAX)) throw damaged(`the length of \`${path}\` is none`)
  if (sha256 === null) return { path, bytes, sha256 }
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    throw damaged(`the checksum of \`${path}\` is none`)
  }
  return { path, bytes, sha256 }
}

const PATHS = [
  /^(?:VERSION|CURRENT)$/,
  /^manifest-\d{6,16}\.log$/,
  /^tasks\/tasks-\d{6,15}\.log$/,
  /^tasks\/bodies\/\d{6,15}\.body$/,
  /^segments\/\d{6,16}\.(?:docs|text|cols)$/,
]

/** Whether a snapshot may hold a file of that name. */
export const isDatabasePath = (path: string): boolean =>
  path.length < 64 && PATHS.some((pattern) => pattern.test(path))

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    // No UTF-8 (TypeError) or no JSON (SyntaxError).
    throw new ArchiveError('damaged', 'the head of the snapshot is no JSON', { cause: error })
  }
}

function objectOf(value: unknown, what: string): { readonly [member: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as { readonly [member: string]: unknown }
  }
  throw damaged(`${what} is no object`)
}

const isCount = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max

const damaged = (finding: string): ArchiveError =>
  new ArchiveError('damaged', `the head of the snapshot is damaged: ${finding}`)
