// Errors of reading and writing bytes: two of the three families of failure. CorruptionError and
// VersionError report bytes that this build cannot read; `assert` reports a mistake in our own
// code. The third family, the client's mistakes, is in the server's catalogue.

export type CorruptionCode = 'bad_magic' | 'bad_length' | 'bad_checksum' | 'bad_value' | 'bad_order'

/** A position in a structure: a section's name and a byte offset inside it. */
export type Place = { readonly section: string; readonly offset: number }

/**
 * The bytes are not what a writer of this format writes. Callers report the error, set the file
 * aside and continue.
 */
export class CorruptionError extends Error {
  override readonly name = 'CorruptionError'
  constructor(
    readonly code: CorruptionCode,
    readonly at: Place,
    readonly expected: number | string,
    readonly got: number | string,
  ) {
    super(`${at.section} @${at.offset}: ${code}, expected ${expected}, got ${got}`)
  }
}

/**
 * Sound bytes of a version that this build does not read. Remedy: upgrade, re-index, or run the
 * other build.
 */
export class VersionError extends Error {
  override readonly name = 'VersionError'
  constructor(
    readonly section: string,
    readonly got: number,
    readonly oldest: number,
    readonly newest: number,
  ) {
    super(`${section}: version ${got}, this build reads ${oldest}..${newest}`)
  }
}

/** A mistake in our own code. No caller catches it to continue; the process or worker ends. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws if `claim`, a readable sentence about our own code, does not hold. */
export function assert(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new InvariantError(claim)
}

/** Throws a CorruptionError for one finding. It never returns, so a check fits on one line. */
export function refuse(
  section: string,
  offset: number,
  code: CorruptionCode,
  expected: number | string,
  got: number | string,
): never {
  throw new CorruptionError(code, { section, offset }, expected, got)
}

/** Returns names as messages list them: in backquotes, with commas between. */
export const quotedNames = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(', ')
