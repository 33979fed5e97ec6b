// What a check comes to: one report a file, findings about what no file is to blame for, and what
// lies about. Plain data: `--json` prints it as it is.
import type { Finding } from '../inspect/index.ts'

export type FileReport = {
  /** Its path in the database, or where in the manifest an inline segment lies. */
  readonly file: string
  /** `manifest`, `task log`, `body`, a layer, `text file`. */
  readonly what: string
  readonly bytes: number
  /** In words: what is in it. */
  readonly facts: string
  readonly problems: readonly Finding[]
}

export type IndexReport = {
  readonly index: number
  readonly uid: string
  /** Live ones; null when a damaged segment keeps it from being known. */
  readonly documents: number | null
  readonly segments: readonly FileReport[]
  /** Where segments, counts and settings contradict each other. */
  readonly problems: readonly Finding[]
}

export type Leftover = { readonly file: string; readonly bytes: number }

export type CheckResult = {
  readonly database: string
  /** Of the release that wrote it last; null when VERSION cannot be read. */
  readonly version: string | null
  readonly isSound: boolean
  readonly problemCount: number
  readonly files: readonly FileReport[]
  readonly indexes: readonly IndexReport[]
  /** Files that nobody names; the next start removes ours. */
  readonly leftovers: readonly Leftover[]
  /** Worth knowing, and no problem. */
  readonly notes: readonly string[]
}

/**
 * All that was found: about files, then, index by index, about segments and what they say together.
 */
export const findingsOf = ({
  files,
  indexes,
}: Pick<CheckResult, 'files' | 'indexes'>): readonly Finding[] => [
  ...files.flatMap(({ problems }) => problems),
  ...indexes.flatMap(({ segments, problems }) => [
    ...segments.flatMap((segment) => segment.problems),
    ...problems,
  ]),
]

/** A step of the work on one file: how many of its bytes are done. */
export type Step = (bytesDone: number) => void
