// A fault with its position: an entry in the result of `check`, and of other commands for a damaged
// file.

import { StorageError } from '../../engine/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'

export type Finding = {
  /** A path in the database, or another subject. */
  readonly where: string
  /** A section of a frame, or another named part; null means the whole. */
  readonly section: string | null
  /** Bytes from the start of the section; null if no single byte is at fault. */
  readonly offset: number | null
  /**
   * For programs: `bad_checksum` and others for bytes, `contradiction` if parts disagree,
   * `missing`, `version`…
   */
  readonly code: string
  readonly message: string
}

/** Creates a finding without a position. */
export const findingAbout = (where: string, code: string, message: string): Finding => ({
  where,
  section: null,
  offset: null,
  code,
  message,
})

/**
 * Converts a failure of reading `subject` to a finding; if the error names a file, that file is the
 * subject. Damaged bytes with valid checksums can make a reader fail with any error, so every error
 * becomes a finding.
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

/** Formats a finding as one line: place, code, message. */
export function findingText({ where, section, offset, code, message }: Finding): string {
  const place = [
    ...(section === null ? [] : [`section ${section}`]),
    ...(offset === null ? [] : [`offset ${offset}`]),
  ]
  const words = code.startsWith('bad_') ? `${code}: ${message}` : message
  return [where, ...(place.length === 0 ? [] : [place.join(', ')]), words].join(': ')
}
