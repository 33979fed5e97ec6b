// The request that sends indexes to another server.
import { sizeText, type TaskContent } from '../../engine/index.ts'
import { finishedBody, type WholeBody } from './body.ts'
import { isIndexUid } from './index-uid.ts'
import { isJsonObject, type Json, membersOf } from './json-value.ts'
import {
  anything,
  count,
  flag,
  invalid,
  type Kind,
  mapOf,
  member,
  nullable,
  object,
  text,
} from './kinds.ts'
import { Misfit } from './misfit.ts'
import { shaped, shapeOf } from './shape.ts'

type ExportContent = Extract<TaskContent, { kind: 'export' }>
type Flat = Omit<ExportContent, 'kind'>

const UNITS = 'KMGTPE'
const LETTERS = "'B', 'K', 'M', 'G', 'T', 'P', 'E' or no character or no character"

/**
 * A size with its unit, `24MiB` or `2 MB`: powers of 1000, with an `i` of 1024. The words of its
 * faults are those of clients' tests.
 */
function bytesOf(spelling: string): number {
  const trimmed = spelling.trim()
  if (trimmed === '') throw invalid('no value can be found')
  const digits = /^\d+(?:\.\d+)?/.exec(trimmed)?.[0] ?? ''
  if (digits === '') throw invalid(`the character '${[...trimmed][0]}' is not a number`)
  const [unit = '', ...rest] = [...trimmed.slice(digits.length).trimStart()]
  const power =
    unit.toUpperCase() === 'B' || unit === '' ? 0 : UNITS.indexOf(unit.toUpperCase()) + 1
  if (unit !== '' && unit.toUpperCase() !== 'B' && power === 0) throw incorrect(unit, LETTERS)
  const isBinary = power > 0 && rest[0]?.toLowerCase() === 'i'
  const end = isBinary ? rest.slice(1) : rest
  const endsInB = end.length === 0 || (power > 0 && end.join('').toUpperCase() === 'B')
  if (!endsInB) throw incorrect(end[0]!, power > 0 ? "'B' or no character" : 'no character')
  return Math.floor(Number(digits) * (isBinary ? 1024 : 1000) ** power)
}

const incorrect = (character: string, expected: string): Misfit =>
  invalid(`the character '${character}' is incorrect (${expected} is expected)`)

/** As text, which is how tasks keep it. */
const payloadSize: Kind<string> = (value) => {
  if (typeof value === 'string') return sizeText(bytesOf(value))
  try {
    return sizeText(count(value))
  } catch (error) {
    if (!(error instanceof Misfit)) throw error
    const accepted = ['a positive integer', 'a string'] as const
    throw new Misfit({ kind: 'type', accepted, found: value })
  }
}

shaped(payloadSize, () => ({ anyOf: [shapeOf(count), { type: 'string' }] }))

type Pattern = Flat['indexes'][string]

const patterns: Kind<Flat['indexes']> = checkedNames(
  mapOf(
    object<Pattern>({
      filter: member(anything, 'invalid_export_index_filter', null),
      overrideSettings: member(flag, 'invalid_export_index_override_settings', false),
    }),
  ),
)

/** The names have to be patterns; that is seen before anything inside. */
function checkedNames<T>(kind: Kind<T>): Kind<T> {
  return (value: Json) => {
    for (const name of isJsonObject(value) ? membersOf(value) : []) {
      const stem = name.endsWith('*') ? name.slice(0, -1) : name
      if (name === '*' || isIndexUid(stem)) continue
      throw invalid(
        `the key ${JSON.stringify(name)} could not be deserialized into the key type ` +
          '`IndexUidPattern`',
      )
    }
    return kind(value)
  }
}

const request: Kind<Flat> = object<Flat>({
  url: member(text, 'invalid_export_url', ''),
  apiKey: member(nullable(text), 'invalid_export_api_key', null),
  payloadSize: member(nullable(payloadSize), 'invalid_export_payload_size', null),
  indexes: member(patterns, null, { '*': { filter: null, overrideSettings: false } }),
})

/** @throws ApiError */
export const readExport: WholeBody<ExportContent> = finishedBody(request, (flat) => ({
  kind: 'export',
  ...flat,
}))
