// Every reader refuses invalid input with the messages that clients expect; the cases are in
// refused.ndjson.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { SETTING_NAMES } from '../../engine/settings/index.ts'
import { ApiError } from '../errors/index.ts'
import * as parse from './index.ts'

const utf8 = new TextEncoder()

type Reader = (input: string) => unknown
const ofBody =
  (read: (body: Uint8Array) => unknown): Reader =>
  (input) =>
    read(utf8.encode(input))

const READERS: { readonly [name: string]: Reader } = {
  addition: parse.readAdditionQuery,
  deleteBatch: ofBody(parse.readDeleteBatch),
  deletion: ofBody(parse.readDeletion),
  document: (input) => parse.networkFlag(parse.readDocumentQuery(input).useNetwork, false),
  documentsFetch: ofBody((body) => parse.documentsRequest(parse.readDocumentsFetch(body))),
  documentsQuery: (input) => {
    const read = parse.readDocumentsQuery(input)
    parse.documentsRequest(read)
    parse.networkFlag(read.useNetworkText ?? null, false)
  },
  facetSearch: ofBody(parse.readFacetSearch),
  features: ofBody(parse.readFeatures),
  fields: ofBody(parse.readFields),
  indexCreation: ofBody(parse.readIndexCreation),
  indexPage: parse.readIndexPage,
  indexUpdate: ofBody(parse.readIndexUpdate),
  metadata: parse.readMetadataQuery,
  multiSearch: ofBody(parse.readMultiSearch),
  search: ofBody(parse.readSearch),
  searchQuery: parse.readSearchQuery,
  settings: ofBody(parse.readSettings),
  similar: ofBody((body) => parse.readSimilar(body, false)),
  similarQuery: parse.similarQueryReader(() => false),
  stats: parse.readStatsQuery,
  suggest: ofBody(parse.readSuggest),
  suggestQuery: parse.readSuggestQuery,
  swaps: ofBody(parse.readSwaps),
  taskCancelation: parse.readTasksToCancel,
  taskDeletion: parse.readTasksToDelete,
  taskList: parse.readTaskList,
  ...Object.fromEntries(
    SETTING_NAMES.map((name) => [
      `setting:${name}`,
      ofBody((body) => parse.readSetting(name, body)),
    ]),
  ),
}

type Case = readonly [reader: string, input: string, code: string, message: string]

const lists = new Map<string, string>()
const cases: Case[] = []
const file = new URL('./refused.ndjson', import.meta.url)
for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
  const row = JSON.parse(line) as Case | { readonly name: string; readonly text: string }
  if ('name' in row) lists.set(row.name, row.text)
  else cases.push(row)
}
const spelt = (message: string): string =>
  message.replace(/\{\{([a-zA-Z]+)\}\}$/, (all, name: string) => lists.get(name) ?? all)

const byReader = new Map<string, Case[]>()
for (const entry of cases) byReader.set(entry[0], [...(byReader.get(entry[0]) ?? []), entry])

describe.each([...byReader.keys()])('%s', (name) => {
  test.each(byReader.get(name)!.map(([, input, code, message]) => ({ input, code, message })))(
    '$input',
    ({ input, code, message }) => {
      const read = READERS[name]!
      let refused: unknown
      try {
        read(input)
      } catch (error) {
        refused = error
      }
      expect(refused).toBeInstanceOf(ApiError)
      const { code: gotCode, message: gotMessage } = refused as ApiError
      expect({ code: gotCode, message: gotMessage }).toEqual({ code, message: spelt(message) })
    },
  )
})
