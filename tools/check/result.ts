// The result of a check: one report per file, findings about no single file, and leftover files.
// Plain data: `--json` prints it unchanged.
import type { IndexNo, IndexUid } from '../../format/ids.ts'
import type { Finding } from '../inspect/index.ts'

export type FileReport = {
  /** Its path in the database, or the position of an inline segment in the manifest. */
  readonly file: string
  /** `manifest`, `task log`, `body`, a layer, `text file`. */
  readonly what: string
  readonly bytes: number
  /** Description of its content. */
  readonly facts: string
  readonly problems: readonly Finding[]
}

export type IndexReport = {
  readonly index: IndexNo
  readonly uid: IndexUid
  /** Live documents; null if a damaged segment makes the number unknown. */
  readonly documents: number | null
  readonly segments: readonly FileReport[]
  /** Contradictions between segments, counts and settings. */
  readonly problems: readonly Finding[]
}

export type Leftover = { readonly file: string; readonly bytes: number }

export type CheckResult = {
  readonly database: string
  /** The release that last wrote the database, or null if VERSION cannot be read. */
  readonly version: string | null
  readonly isSound: boolean
  readonly problemCount: number
  readonly files: readonly FileReport[]
  readonly indexes: readonly IndexReport[]
  /** Files that nothing refers to; the next start removes those of the engine. */
  readonly leftovers: readonly Leftover[]
  /** Facts that are not problems. */
  readonly notes: readonly string[]
}

/**
 * Returns all findings: of files, then, index by index, of segments and of contradictions between
 * them.
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

/** Reports progress on one file: the number of its bytes that are done. */
export type Step = (bytesDone: number) => void
