// Requests with the values that they are read as, or with their refusal; the rows are in
// read.ndjson, which UPDATE_GOLDEN=1 regenerates.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors/index.ts'
import * as parse from './index.ts'

const utf8 = new TextEncoder()

type Reader = (input: string) => unknown
const ofBody =
  (read: (body: Uint8Array) => unknown): Reader =>
  (input) =>
    read(utf8.encode(input))

/** Readers whose input is more than a body or a query string. */
const OTHERS: { readonly [name: string]: Reader } = {
  documentOfNetwork: (text) => parse.networkFlag(parse.readDocumentQuery(text).useNetwork, true),
  documentAlone: (text) => parse.networkFlag(parse.readDocumentQuery(text).useNetwork, false),
  minTaskHeaders: (text) => {
    const [uid, timeout] = JSON.parse(text) as readonly (string | null)[]
    return parse.minTaskHeaders(uid ?? undefined, timeout ?? undefined)
  },
  searchesOf: ofBody((body) => parse.readMultiSearch(body).queries.map(parse.searchOf)),
  context: ofBody((body) => parse.checkContext(parse.readEdition(body))),
  delimiter: parse.checkCsvDelimiter,
  similarOfNetwork: ofBody((body) => parse.readSimilar(body, true)),
  similarAlone: ofBody((body) => parse.readSimilar(body, false)),
  similarQueryOfNetwork: parse.similarQueryReader(() => true),
  similarQueryAlone: parse.similarQueryReader(() => false),
  webhookUrl: (text) => parse.checkWebhookUrl(text, '0' as never),
}

const READERS = new Map<string, unknown>(Object.entries(parse))

function readerNamed(name: string): Reader {
  const other = OTHERS[name]
  if (other !== undefined) return other
  const read = READERS.get(name) as Reader
  return 'parameters' in read ? read : ofBody(read as never)
}

/** Returns binary values and symbols as JSON. */
function shown(this: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = this[name]
  if (typeof value === 'symbol') return `<${value.description}>`
  if (value instanceof Uint8Array) return `<${Buffer.from(value).toString()}>`
  if (value instanceof Float32Array || value instanceof Float64Array) return [...value]
  return value
}

function resultOf(reader: string, input: string): unknown {
  try {
    const value = readerNamed(reader)(input)
    return JSON.parse(JSON.stringify({ value: value ?? null }, shown)) as unknown
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, message: error.message }
  }
}

type Row = readonly [reader: string, input: string, result: unknown]

const file = new URL('./read.ndjson', import.meta.url)
const rows = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

if (process.env['UPDATE_GOLDEN'] === '1') {
  const lines = rows.map(([reader, input]) => [reader, input, resultOf(reader, input)])
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
}

describe.each([...new Set(rows.map(([reader]) => reader))])('%s', (name) => {
  test.each(rows.filter(([reader]) => reader === name))('%s of %s', (_, input, result) => {
    expect(resultOf(name, input)).toEqual(result)
  })
})
