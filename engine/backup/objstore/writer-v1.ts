// The writer record of a place: the process that may publish there, and the newest published state.
// Page: WRITER.md
import { encoder } from '../../../format/bytes/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import type { TaskUid } from '../../../format/ids.ts'
import {
  countBetween,
  countFrom,
  decodedJson,
  flag,
  identifying,
  listUpTo,
  nullable,
  object,
  open,
  type Schema,
  safeCount,
  textLike,
} from '../../../format/schema/index.ts'
import { ArchiveError } from '../archive/index.ts'
import { TERM_MAX } from './keys.ts'
import { ENDS_MAX, WRITER_LEASE_MS_MAX } from './limits.ts'

const FORMAT = 1

/** Where a term ended: what its process published after that was never valid. */
export type TermEnd = {
  readonly term: number
  readonly instance: string
  /** The name of its last state, or null if it published none. */
  readonly head: string | null
  /** The smallest uid of a task that this state does not hold. */
  readonly nextTask: TaskUid
}

/** Its last four members say where the present term is: see `TermEnd`. */
export type WriterRecord = TermEnd & {
  /** Drawn at each start of the process that holds the lease. */
  readonly process: string
  /** The record is unchanged for this long before another process may take the lease. */
  readonly leaseMs: number
  /** Counts the attempts of the process to write a record: no two of its records are equal. */
  readonly beat: number
  /** Whether the process has given the lease back. */
  readonly isReleased: boolean
  /** The ends of the terms before, the latest last. */
  readonly ends: readonly TermEnd[]
}

/** Returns the end of the last term of an instance, unless it is the writer. */
export const endOf = ({ ends }: WriterRecord, instance: string): TermEnd | undefined =>
  ends.findLast((end) => end.instance === instance)

/**
 * Returns the ends with one more. Beyond the limit the earliest goes of an instance that has a
 * later one, so that every former writer is known for as long as possible.
 */
export function endsWith(ends: readonly TermEnd[], end: TermEnd): readonly TermEnd[] {
  const all = [...ends, end]
  if (all.length <= ENDS_MAX) return all
  const isOld = ({ instance, term }: TermEnd): boolean =>
    all.some((other) => other.instance === instance && other.term > term)
  const dropped = all.find(isOld) ?? all[0]
  return all.filter((one) => one !== dropped)
}

const ID = textLike(/^[\w-]{1,100}$/)
const END = {
  term: countBetween(1, TERM_MAX),
  instance: ID,
  head: nullable(textLike(/^[0-9a-f-]{1,100}$/)),
  nextTask: identifying<TaskUid>(safeCount),
}

type Formatted = { readonly format: number }
const FORMATTED: Schema<Formatted> = open(object<Formatted>({ format: countFrom(FORMAT) }))
const SCHEMA: Schema<Formatted & WriterRecord> = open(
  object<Formatted & WriterRecord>({
    format: countFrom(FORMAT),
    ...END,
    process: ID,
    leaseMs: countBetween(1, WRITER_LEASE_MS_MAX),
    beat: safeCount,
    isReleased: flag,
    ends: listUpTo(ENDS_MAX, open(object<TermEnd>(END))),
  }),
)

export const encodeWriter = (record: WriterRecord): Uint8Array =>
  encoder.encode(`${JSON.stringify({ format: FORMAT, ...record })}\n`)

/** @throws ArchiveError `damaged`, `newer` */
export function decodeWriter(bytes: Uint8Array): WriterRecord {
  try {
    if (decodedJson(FORMATTED, bytes, 'writer').format > FORMAT) {
      throw new ArchiveError('newer', 'the writer record is of a newer release')
    }
    const { format: _, ...record } = decodedJson(SCHEMA, bytes, 'writer')
    return record
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    throw new ArchiveError('damaged', `the writer record is damaged: ${error.message}`)
  }
}
