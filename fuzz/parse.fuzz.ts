// Fuzzes the readers of requests: the first byte selects one, the remaining bytes are a body or a
// query string. A value and an ApiError are allowed outcomes; a body that is classified as plain
// must have the value that `JSON.parse` returns.
import { SETTING_NAMES } from '../engine/settings/index.ts'
import { assert } from '../format/errors.ts'
import { asUuid } from '../format/ids.ts'
import { ApiError } from '../server/errors/index.ts'
import * as parse from '../server/parse/index.ts'
import type { FuzzTarget } from './target.ts'

type Reader = { readonly seed: string; readonly read: (input: Uint8Array) => unknown }

const ofBody = (seed: string, read: (body: Uint8Array) => unknown): Reader => ({ seed, read })
const ofQuery = (seed: string, read: (query: string) => unknown): Reader => ({
  seed,
  read: (input) => read(Buffer.from(input).toString('latin1')),
})

const READERS: readonly Reader[] = [
  ofBody('{"q":"glass","limit":1.0,"hybrid":{"embedder":"e"},"vector":[1e3,-0]}', parse.readSearch),
  ofBody('{"facetName":"kind","facetQuery":null,"locales":["fr"]}', parse.readFacetSearch),
  ofBody('{"q":"gla","limit":5,"attributes":["t"],"highlightPreTag":"<b>"}', parse.readSuggest),
  ofBody('{"queries":[{"indexUid":"a","federationOptions":{"weight":1.0}}]}', (body) =>
    parse.readMultiSearch(body).queries.map(parse.searchOf),
  ),
  ofBody(
    '{"federation":{"facetsByIndex":{"a":["b"]},"mergeFacets":{},"page":1},"queries":[]}',
    parse.readMultiSearch,
  ),
  ofBody('{"id":1,"embedder":"e","rankingScoreThreshold":0.5,"useNetwork":true}', (body) =>
    parse.readSimilar(body, true),
  ),
  ofBody('{"ids":[1,"a",18446744073709551616],"sort":["a:asc"]}', (body) =>
    parse.documentsRequest(parse.readDocumentsFetch(body)),
  ),
  ofBody('{"filter":["a = 1",["b"]]}', parse.readDeletion),
  ofBody('[1,"a",2.0,{"b":[null]}]', parse.readDeleteBatch),
  ofBody('{"uid":"movies","primaryKey":"id"}', parse.readIndexCreation),
  ofBody('{"primaryKey":null,"uid":"films"}', parse.readIndexUpdate),
  ofBody('[{"indexes":["a","b"],"rename":true}]', parse.readSwaps),
  ofBody('{"filter":{"attributePatterns":["a*"],"displayed":true}}', parse.readFields),
  ofBody('{"metrics":true,"network":null}', parse.readFeatures),
  ofBody('{"url":"http://a","payloadSize":"2 MiB","indexes":{"a*":{}}}', parse.readExport),
  ofBody('{"url":"http://a","headers":{"X-One":null}}', (body) => {
    const { url, headers } = parse.readWebhook(body)
    parse.checkWebhookHeaders(headers ?? {})
    return parse.checkWebhookUrl(url, asUuid('u'))
  }),
  ofBody('{"source":"vLlm","apiKey":null,"prompts":{"system":"a"}}', parse.readChatSettings),
  ofBody('{"stream":true,"n":1,"messages":[],"tools":[{"function":{"name":"f"}}]}', (body) =>
    parse.readCompletion(body),
  ),
  ofBody('{"remotes":{"a":{"url":"http://x"}},"shards":{"s":{"addRemotes":["a"]}}}', (body) =>
    parse.readNetworkPatch(body),
  ),
  ofBody('{"addRemotes":{"a":null},"removeRemotes":["b"],"leader":null}', parse.readNetworkPatch),
  ofBody(
    '{"origin":{"remoteName":"a","taskUid":1,"networkVersion":"x"},"message":{"type":"t"}}',
    (body) => parse.readNetworkMessage(body) ?? null,
  ),
  ofBody('{"filter":{"query":"a","active":true},"limit":1}', parse.readRuleListing),
  ofBody('{"conditions":{"time":{"start":"2024-01-01T00:00:00.5+02:00"}}}', parse.readRulePatch),
  ofBody('{"actions":[{"selector":{"id":"1"},"action":{"type":"pin","position":0}}]}', (body) =>
    parse.readRulePatch(body),
  ),
  ofBody('{"template":{"kind":"inlineFragment","inline":{}}}', parse.readRender),
  ofBody('{"target":"svc=info,trace","mode":"json"}', parse.readLogStream),
  ofBody('{"stopWords":["a"],"typoTolerance":{"enabled":null}}', parse.readSettings),
  ...SETTING_NAMES.map((name) => ofBody('null', (body) => parse.readSetting(name, body))),
  ofQuery('q=a+b&filter=%5B%22a%22%5D&vector=1,NaN&sort=_geoPoint(1,2):asc', parse.readSearchQuery),
  ofQuery(
    'id=1&embedder=e&filter=%5B%5D&useNetwork=true',
    parse.similarQueryReader(() => true),
  ),
  ofQuery('ids=1,2&fields=a,b&filter=null', (query) =>
    parse.documentsRequest(parse.readDocumentsQuery(query)),
  ),
  ofQuery('csvDelimiter=;&skipCreation=True', parse.readAdditionQuery),
  ofQuery('offset=1&limit=%2B2', parse.readIndexPage),
  ofQuery('uids=1,*&types=export&afterEnqueuedAt=2024-01-01T00:00:00.5Z', parse.readTaskList),
  ofQuery('target=svc%3Dinfo,trace&mode=profile&profileMemory=true', parse.readLogStreamQuery),
  ofQuery('target=warn,svc::http=off', parse.readLogTargetQuery),
  ofQuery('statuses=failed&beforeEnqueuedAt=2024-01-01', parse.readTasksToDelete),
]

const ascii = new TextEncoder()

export const target: FuzzTarget = {
  name: 'parse',
  seeds: () => READERS.map(({ seed }, which) => new Uint8Array([which, ...ascii.encode(seed)])),
  run: (input) => {
    const reader = READERS[(input[0] ?? 0) % READERS.length]!
    const value = reader.read(input.subarray(1))
    assert(value !== undefined, 'a reader answers')
  },
  allows: (error) => error instanceof ApiError,
  inputBytesMax: 4096,
}
