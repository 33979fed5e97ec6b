// What is wrong with a dump that somebody gave us, in finished words; and the small checks by which
// its JSON is read. A failure of the world's, like a damaged file.

export class DumpError extends Error {
  override readonly name = 'DumpError'
}

export type Members = { readonly [member: string]: unknown }

/** `place`: the file and the line of what is wrong. */
export const corrupted = (place: string, what: string): never => {
  throw new DumpError(`Corrupted dump: ${place}: ${what}.`)
}

export function membersOf(value: unknown, place: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  return corrupted(place, 'an object is expected')
}

export function listOf(value: unknown, place: string): readonly unknown[] {
  return Array.isArray(value) ? value : corrupted(place, 'a list is expected')
}

export function textOf(value: unknown, place: string): string {
  return typeof value === 'string' ? value : corrupted(place, 'a text is expected')
}

/** Absence is null. */
export const textOrNull = (value: unknown, place: string): string | null =>
  value === undefined || value === null ? null : textOf(value, place)

export const textsOf = (value: unknown, place: string): readonly string[] =>
  listOf(value, place).map((one) => textOf(one, place))

const U32_MAX = 0xffffffff

/** A whole number below 2^32 − 1. */
export function uidOf(value: unknown, place: string): number {
  const isUid = Number.isInteger(value) && (value as number) >= 0 && (value as number) < U32_MAX
  return isUid ? (value as number) : corrupted(place, 'a number of a task or a batch is expected')
}

export const uidOrNull = (value: unknown, place: string): number | null =>
  value === undefined || value === null ? null : uidOf(value, place)

/** A whole number, 0 or more; what is none counts as 0. */
export const countOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? Math.min(value as number, U32_MAX) : 0

/** The value of a text. @throws DumpError */
export function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // No JSON; its own words may quote what stands there.
    if (!(error instanceof SyntaxError)) throw error
    return corrupted(place, 'it is no JSON')
  }
}
