// One thing that is wrong, and where: what `check` lists, and what a damaged file gives elsewhere.

import { StorageError } from '../../engine/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'

export type Finding = {
  /** A path in the database, or what the finding is about. */
  readonly where: string
  /** A section of a frame, or another part with a name; null: the whole. */
  readonly section: string | null
  /** Bytes from the start of the section; null where no byte is to blame. */
  readonly offset: number | null
  /**
   * For programs: `bad_checksum` and the like for bytes, `contradiction` where parts do not agree,
   * `missing`, `version`…
   */
  readonly code: string
  readonly message: string
}

/** A finding that no byte is to blame for. */
export const findingAbout = (where: string, code: string, message: string): Finding => ({
  where,
  section: null,
  offset: null,
  code,
  message,
})

/**
 * What reading `subject` failed with; an error that names a file is about that. Damaged bytes under
 * checksums that hold may lead a reader that trusts them anywhere, so an error of any kind is a
 * finding.
 */
export function findingOf(subject: string, error: unknown): Finding {
  const where = error instanceof StorageError && error.path !== '' ? error.path : subject
  const cause = error instanceof StorageError ? error.cause : error
  if (cause instanceof CorruptionError) {
    const { section, offset } = cause.at
    const message = `expected ${cause.expected}, found ${cause.got}`
    return { where, section, offset, code: cause.code, message }
  }
  if (cause instanceof VersionError) return findingAbout(where, 'version', cause.message)
  if (error instanceof StorageError) return findingAbout(where, error.code, error.message)
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return findingAbout(where, 'unreadable', message)
}

/** One line: place, code, message. */
export function findingText({ where, section, offset, code, message }: Finding): string {
  const place = [
    ...(section === null ? [] : [`section ${section}`]),
    ...(offset === null ? [] : [`offset ${offset}`]),
  ]
  const words = code.startsWith('bad_') ? `${code}: ${message}` : message
  return [where, ...(place.length === 0 ? [] : [place.join(', ')]), words].join(': ')
}
