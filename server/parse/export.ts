// The request that exports indexes to another server.

import { sizeText } from '../../engine/backup.ts'
import type { TaskContent } from '../../engine/index.ts'
import * as json from '../../format/schema/index.ts'
import {
  anything,
  count,
  finishedBody,
  flag,
  headerText,
  invalid,
  isIndexUid,
  isJsonObject,
  mapOf,
  member,
  membersOf,
  nullable,
  object,
  readable,
  readerOf,
  type Schema,
  text,
  ValidationError,
  type WholeBody,
} from './schema/index.ts'

type ExportContent = Extract<TaskContent, { kind: 'export' }>
type Flat = Omit<ExportContent, 'kind'>

const UNITS = 'KMGTPE'
const LETTERS = "'B', 'K', 'M', 'G', 'T', 'P', 'E' or no character or no character"

/**
 * Parses a size with its unit, `24MiB` or `2 MB`: powers of 1000, with an `i` of 1024. The messages
 * are fixed by clients' tests.
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
  const hasB = power > 0 && end[0]?.toUpperCase() === 'B'
  const [extra] = hasB ? end.slice(1) : end
  if (extra !== undefined) {
    throw incorrect(extra, power > 0 && !hasB ? "'B' or no character" : 'no character')
  }
  return Math.floor(Number(digits) * (isBinary ? 1024 : 1000) ** power)
}

const incorrect = (character: string, expected: string): ValidationError =>
  invalid(`the character '${character}' is incorrect (${expected} is expected)`)

const readCount = readerOf(count)

/** As text, which is the form in tasks. */
const payloadSize: Schema<string> = readable(json.either(count, text), (value) => {
  if (typeof value === 'string') return sizeText(bytesOf(value))
  try {
    return sizeText(readCount(value))
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const accepted = ['a positive integer', 'a string'] as const
    throw new ValidationError({ kind: 'type', accepted, found: value })
  }
})

type Pattern = Flat['indexes'][string]

const patterns: Schema<Flat['indexes']> = checkedNames(
  mapOf(
    object<Pattern>({
      filter: member(anything, 'invalid_export_index_filter', null),
      overrideSettings: member(flag, 'invalid_export_index_override_settings', false),
    }),
  ),
)

/** Checks that the names are patterns, before the values are read. */
function checkedNames<T>(schema: Schema<T>): Schema<T> {
  const read = readerOf(schema)
  return readable(schema, (value) => {
    for (const name of isJsonObject(value) ? membersOf(value) : []) {
      const stem = name.endsWith('*') ? name.slice(0, -1) : name
      if (name === '*' || isIndexUid(stem)) continue
      throw invalid(
        `the key ${JSON.stringify(name)} could not be deserialized into the key type ` +
          '`IndexUidPattern`',
      )
    }
    return read(value)
  })
}

const request: Schema<Flat> = object<Flat>({
  url: member(text, 'invalid_export_url', ''),
  apiKey: member(nullable(headerText), 'invalid_export_api_key', null),
  payloadSize: member(nullable(payloadSize), 'invalid_export_payload_size', null),
  indexes: member(patterns, null, { '*': { filter: null, overrideSettings: false } }),
})

/** @throws ApiError */
export const readExport: WholeBody<ExportContent> = finishedBody(request, (flat) => ({
  kind: 'export',
  ...flat,
}))
