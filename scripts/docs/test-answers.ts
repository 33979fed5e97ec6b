// Compares an answer on a page with the server's answer: every member on the page must exist with
// the same value; values that differ from run to run must have the same type.

const VARYING = new Set([
  'avgDocumentSize',
  'batchUid',
  'commitDate',
  'commitSha',
  'createdAt',
  'databaseSize',
  'duration',
  'dumpUid',
  'enqueuedAt',
  'finishedAt',
  'key',
  'lastUpdate',
  'link',
  'processingTimeMs',
  'rawDocumentDbSize',
  'requestUid',
  'startedAt',
  'taskUid',
  'uid',
  'updatedAt',
  'usedDatabaseSize',
])
const TOLERANCE = 0.01

/** Returns the first difference with its place, or null if the answers agree. */
export function differenceOf(shown: unknown, given: unknown, place = 'answer'): string | null {
  if (Array.isArray(shown)) {
    if (!Array.isArray(given)) return `${place} is ${JSON.stringify(given)}, not a list`
    if (shown.length !== given.length) return `${place} has ${given.length} elements`
    return firstOf(shown.map((one, i) => differenceOf(one, given[i], `${place}[${i}]`)))
  }
  if (shown !== null && typeof shown === 'object') {
    if (given === null || typeof given !== 'object') return `${place} is ${JSON.stringify(given)}`
    const members = given as Readonly<Record<string, unknown>>
    return firstOf(
      Object.entries(shown).map(([name, value]) => {
        const at = `${place}.${name}`
        if (!(name in members)) return `${at} is not in the answer`
        if (!VARYING.has(name)) return differenceOf(value, members[name], at)
        return typeof value === typeof members[name] ? null : `${at} has another type`
      }),
    )
  }
  if (typeof shown === 'number' && typeof given === 'number' && !Number.isInteger(given)) {
    return Math.abs(shown - given) < TOLERANCE ? null : `${place} is ${given}`
  }
  return shown === given ? null : `${place} is ${JSON.stringify(given)}`
}

const firstOf = (found: readonly (string | null)[]): string | null =>
  found.find((one) => one !== null) ?? null
