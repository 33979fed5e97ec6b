// Compares answers with recorded ones. Parts that may differ between two correct servers are
// replaced by a word for their form: dates, durations, sizes, generated ids, links.
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const DURATION = /^P(T[\d.]+[SMH])+$|^PT[\d.HMS]+$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const LINK = /\bSee https?:\/\/[^\s"'`]+/g

/** Members that may have any value of the same form. */
const VOLATILE: ReadonlySet<string> = new Set([
  'enqueuedAt',
  'startedAt',
  'finishedAt',
  'createdAt',
  'updatedAt',
  'lastUpdate',
  'duration',
  'processingTimeMs',
  'link',
  'queryUid',
  'requestUid',
  'dumpUid',
  'databaseSize',
  'usedDatabaseSize',
  'indexSize',
  'usedIndexSize',
  'rawDocumentDbSize',
  'avgDocumentSize',
  'progressTrace',
  'writeChannelCongestion',
  'internalDatabaseSizes',
  'batchStrategy',
  'performanceDetails',
  'commitSha',
  'commitDate',
  'pkgVersion',
])
/** Members of chat settings: built-in texts, which differ and are longer than those of tests. */
const PROMPTS: ReadonlySet<string> = new Set([
  'system',
  'searchDescription',
  'searchQParam',
  'searchFilterParam',
  'searchIndexUidParam',
])
const TEST_PROMPT_CHARACTERS = 60
/** Members that the recorded release does not have → the release that added them. */
const ADDED: { readonly [member: string]: string } = {
  indexSize: '1.53',
  usedIndexSize: '1.53',
  tasksStreamingRoute: '1.52',
  mcpRoute: '1.54',
}
const SIGNIFICANT_DIGITS = 6
const DIFFERENCES_MAX = 8

/** Returns the answer with a word for each part that may differ; `ignored` names more members. */
export function shapeOf(value: Json, ignored: ReadonlySet<string>, member = ''): Json {
  if (ignored.has(member)) return '<ignored>'
  if (VOLATILE.has(member) && value !== null) return `<${kindOfVolatile(value)}>`
  if (isBuiltInPrompt(value, member)) return '<prompt>'
  if (typeof value === 'string') return value.replace(LINK, 'See <link>')
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return Number(value.toPrecision(SIGNIFICANT_DIGITS))
  }
  if (isList(value)) return value.map((item) => shapeOf(item, ignored))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, shapeOf(item, ignored, name)]),
  )
}

const isBuiltInPrompt = (value: Json, member: string): boolean =>
  PROMPTS.has(member) && typeof value === 'string' && value.length > TEST_PROMPT_CHARACTERS

function kindOfVolatile(value: Json): string {
  if (isList(value)) return 'array'
  if (typeof value !== 'string') return typeof value
  if (DATE.test(value)) return 'date'
  if (DURATION.test(value)) return 'duration'
  return UUID.test(value) ? 'uuid' : 'string'
}

/** Describes the differences of two answers; empty if they are the same. */
export function differencesOf(recorded: Json, ours: Json, path = '$'): string[] {
  const found: string[] = []
  compare(recorded, ours, path, found)
  return found
}

function compare(recorded: Json, ours: Json, path: string, found: string[]): void {
  if (found.length >= DIFFERENCES_MAX || Object.is(recorded, ours)) return
  if (isList(recorded) && isList(ours)) {
    if (recorded.length !== ours.length) {
      found.push(`${path}: ${recorded.length} elements recorded, ${ours.length} here`)
    }
    const count = Math.min(recorded.length, ours.length)
    for (let i = 0; i < count; i++) compare(recorded[i]!, ours[i]!, `${path}[${i}]`, found)
  } else if (isObject(recorded) && isObject(ours)) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(ours)])
    const order = Object.keys(ours)
    const isMoved = Object.keys(recorded).some((name, at) => order[at] !== name)
    if (isMoved && names.size === order.length && order.every((name) => name in recorded)) {
      found.push(`${path}: members in the order ${order}`)
    }
    for (const name of names) {
      const [left, right] = [recorded[name], ours[name]]
      if (left === undefined && Object.hasOwn(ADDED, name)) continue
      if (left === undefined) found.push(`${path}.${name}: only here: ${shown(right)}`)
      else if (right === undefined) found.push(`${path}.${name}: only recorded: ${shown(left)}`)
      else compare(left, right, `${path}.${name}`, found)
    }
  } else if (!isAlike(recorded, ours)) {
    found.push(`${path}: ${shown(recorded)} recorded, ${shown(ours)} here`)
  }
}

/** Stands for the reason that a template library gives in its own words. */
const LIBRARY_WORDS = 'liquid: <reason>'
/** Relative tolerance for numbers with six digits: single against double precision. */
const PART_MAX = 2e-6

function isAlike(recorded: Json, ours: Json): boolean {
  if (typeof recorded === 'string' && typeof ours === 'string') {
    if (!recorded.endsWith(LIBRARY_WORDS)) return false
    return ours.startsWith(recorded.slice(0, -'<reason>'.length))
  }
  if (typeof recorded !== 'number' || typeof ours !== 'number') return false
  if (Number.isInteger(recorded) && Number.isInteger(ours)) return false
  return Math.abs(recorded - ours) <= PART_MAX * Math.max(Math.abs(recorded), Math.abs(ours))
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !isList(value)

const shown = (value: Json | undefined): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}
