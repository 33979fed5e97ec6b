// The failures that reading and writing bytes can have. Two of the three families live here: what
// the world did to our bytes (corruption, an unknown version), and what we did wrong ourselves
// (assert). The third, the client's mistakes, belongs to the server's catalogue.

export type CorruptionCode = 'bad_magic' | 'bad_length' | 'bad_checksum' | 'bad_value' | 'bad_order'

/** Where in a structure something was found: a section's name and a byte offset inside it. */
export type Place = { readonly section: string; readonly offset: number }

/** The bytes are not what a writer of this format makes. Report, set the file aside, go on. */
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
 * Sound bytes of a version this build does not read. Remedy: upgrade, re-index, or run the other
 * build.
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

/** A mistake of ours. Nobody catches it to go on; the process or the worker ends. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Ends the work at hand when `claim`, a readable sentence about our own code, does not hold. */
export function assert(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new InvariantError(claim)
}

/** Throws the CorruptionError for one finding; returns never, so checks read as single lines. */
export function refuse(
  section: string,
  offset: number,
  code: CorruptionCode,
  expected: number | string,
  got: number | string,
): never {
  throw new CorruptionError(code, { section, offset }, expected, got)
}
