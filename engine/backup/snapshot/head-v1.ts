// The head of a snapshot: the list of its files. Page: SNAPSHOT.md
import { encoder } from '../../../format/bytes/index.ts'
import {
  anyObject,
  countBetween,
  countFrom,
  faultOf,
  isValid,
  listUpTo,
  nullable,
  object,
  objectWith,
  open,
  type Schema,
  safeCount,
  text,
  textLike,
} from '../../../format/schema/index.ts'
import { isSegmentPath } from '../../store/catalog/index.ts'
import { ArchiveError, type ArchiveErrorCode } from '../archive/index.ts'
import { FILE_BYTES_MAX, FILES_MAX, PIECES_MAX } from './limits.ts'

export const HEAD = 'snapshot.json'
const FORMAT = 1

/** A part of a file that is a separate object in a store. */
export type SnapshotPiece = { readonly bytes: number; readonly sha256: string }

export type SnapshotFile = {
  /** Relative to the database folder. */
  readonly path: string
  readonly bytes: number
  /** Hexadecimal, or null if unknown. */
  readonly sha256: string | null
  /** A log that only grows is stored in pieces, front to back; absent if the file is one object. */
  readonly pieces?: readonly SnapshotPiece[]
}

export type SnapshotHead = {
  /** The release that created it. */
  readonly version: string
  /** RFC 3339. */
  readonly createdAt: string
  readonly sequence: number
  /** The address or name of the instance that accepts writes; absent if unknown. */
  readonly writer?: string
  /** Its place in a store; absent in archives, and in heads of releases before terms. */
  readonly placed?: PlacedHead
  readonly files: readonly SnapshotFile[]
}

export type PlacedHead = {
  readonly term: number
  readonly number: number
  /** The identity of the database folder that wrote it. */
  readonly instance: string
}

export function encodeHead(given: SnapshotHead): Uint8Array {
  const { version, createdAt, sequence, writer, placed, files } = given
  const list = files.map(({ path, bytes, sha256, pieces }) => ({
    path,
    bytes,
    ...(sha256 === null ? {} : { sha256 }),
    ...(pieces === undefined ? {} : { pieces }),
  }))
  const more = { ...(writer === undefined ? {} : { writer }), ...placed }
  const head = { format: FORMAT, version, createdAt, sequence, ...more, files: list }
  return encoder.encode(`${JSON.stringify(head)}\n`)
}

type SentFile = Pick<SnapshotFile, 'path' | 'bytes' | 'pieces'> & {
  readonly sha256?: string | null
}
type SentHead = Omit<SnapshotHead, 'files' | 'placed'> &
  Partial<PlacedHead> & { readonly files: readonly SentFile[] }

const SHA256 = textLike(/^[0-9a-f]{64}$/)
const PIECE = open(
  object<SnapshotPiece>({ bytes: countBetween(1, FILE_BYTES_MAX), sha256: SHA256 }),
)

/** Shown to clients: printable, one line. */
const WRITER = textLike(/^[\x21-\x7e]{1,300}$/)
const INSTANCE = textLike(/^[\w-]{1,100}$/)

const SENT = open(
  objectWith<SentHead>(
    {
      version: textLike(/^\d{1,9}(\.\d{1,9}){2}$/),
      createdAt: textLike(/^\d{4}-\d\d-\d\dT[0-9:.]{8,20}Z$/),
      sequence: safeCount,
      files: listUpTo(
        FILES_MAX,
        open(
          objectWith<SentFile>(
            { path: text, bytes: countBetween(0, FILE_BYTES_MAX) },
            { sha256: nullable(SHA256), pieces: listUpTo(PIECES_MAX, PIECE) },
          ),
        ),
      ),
    },
    { writer: WRITER, term: countFrom(1), number: countFrom(1), instance: INSTANCE },
  ),
)

/** @throws ArchiveError `damaged` */
export function decodeHead(bytes: Uint8Array): SnapshotHead {
  const value = parsed(bytes)
  const { format } = checked(anyObject, value)
  if (format !== FORMAT) {
    const words = `its format is ${JSON.stringify(format)}, this release knows ${FORMAT}`
    throw typeof format === 'number' && format > FORMAT ? faulty('newer', words) : damaged(words)
  }
  const { version, createdAt, sequence, writer, files, ...place } = checked(SENT, value)
  const names = new Set<string>()
  const list = files.map(({ path, bytes: length, sha256 = null, pieces }): SnapshotFile => {
    if (!isDatabasePath(path)) throw damaged(`${JSON.stringify(path)} is not a file of a database`)
    if (names.has(path)) throw damaged(`\`${path}\` occurs twice`)
    names.add(path)
    if (pieces === undefined) return { path, bytes: length, sha256 }
    if (pieces.reduce((sum, piece) => sum + piece.bytes, 0) !== length) {
      throw damaged(`the pieces of \`${path}\` are not as long as it is`)
    }
    return { path, bytes: length, sha256, pieces }
  })
  const more = { ...(writer === undefined ? {} : { writer }), ...placedPart(place) }
  return { version, createdAt, sequence, ...more, files: list }
}

function placedPart({ term, number, instance }: Partial<PlacedHead>): Pick<SnapshotHead, 'placed'> {
  if (term === undefined || number === undefined || instance === undefined) return {}
  return { placed: { term, number, instance } }
}

const PATHS = [
  /^(?:VERSION|CURRENT)$/,
  /^manifest-\d{6,16}\.log$/,
  /^tasks\/tasks-\d{6,15}\.log$/,
  /^tasks\/bodies\/\d{6,15}\.body$/,
]

/** Returns true if a snapshot may hold a file of that name. */
export const isDatabasePath = (path: string): boolean =>
  path.length < 64 && (isSegmentPath(path) || PATHS.some((pattern) => pattern.test(path)))

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    // Invalid UTF-8 (TypeError) or invalid JSON (SyntaxError).
    throw new ArchiveError('damaged', 'the head of the snapshot is not JSON', { cause: error })
  }
}

function checked<T>(schema: Schema<T>, value: unknown): T {
  if (isValid(schema, value)) return value
  const { path = '', expected = 'another value' } = faultOf(schema, value) ?? {}
  throw damaged(`${expected} is expected${path === '' ? '' : ` at ${path}`}`)
}

const faulty = (code: ArchiveErrorCode, finding: string): ArchiveError =>
  new ArchiveError(code, `the head of the snapshot is damaged: ${finding}`)

const damaged = (finding: string): ArchiveError => faulty('damaged', finding)
