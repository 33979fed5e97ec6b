// Foreign keys over a network: conditions are resolved on all owners, and hits get their documents.
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_SEARCH,
  type Engine,
  EngineFault,
  type ForeignRequest,
  type SearchContext,
} from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import {
  documentsIn,
  hydrated,
  reachesForeign,
  resolvedFilter,
  resolvedSearches,
} from './foreign.ts'
import { CONTEXT, jsonBytes, type Reply, type Sent, searchesWith } from './test-searches.ts'

type Hydration = Parameters<Engine['queries']['hydrate']>[1]

const FILMS = asIndexUid('films')
const FEATURES = { foreignKeys: true } as SearchContext['features']
const ON: SearchContext = { ...CONTEXT, features: FEATURES }
const FILTER = '_foreign(actor, name = x)'
const FAILED: Reply = { status: 500, code: 'internal' }

const idsOf = ({ to }: Sent): Reply => ({ json: { ids: [to] } })

/** This instance has actor `own`. */
function world(answer: (sent: Sent) => Reply, foreign: readonly string[] = ['actors']) {
  const asked: ForeignRequest[] = []
  const hydrations: Hydration[] = []
  const queries = {
    foreignUids: () => foreign.map(asIndexUid),
    foreign: async (_uid: string, request: ForeignRequest) => {
      asked.push(request)
      if (request.step === 'conditions') {
        return jsonBytes({ conditions: [{ condition: 'name = x', uids: foreign }] })
      }
      if (request.step === 'filter') return jsonBytes({ filter: request.ids })
      if (request.step === 'match') return jsonBytes({ ids: ['own'] })
      return jsonBytes({ documents: [['own', { name: 'x' }]] })
    },
    hydrate: async (_uids: unknown, hydration: Hydration) => {
      hydrations.push(hydration)
      return jsonBytes(hydration.found === null ? { actors: ['own', 'c'] } : 'hits')
    },
  }
  return { ...searchesWith({ answer, queries }), asked, hydrations }
}

describe('conditions on foreign documents', () => {
  it.each([FILTER, [FILTER], Buffer.from(JSON.stringify(FILTER))])(
    'of %j become the ids that all owners find',
    async (filter) => {
      const { searches, sent, asked } = world(idsOf)
      const resolved = await resolvedFilter(searches, FILMS, filter, 'search', ON)
      expect(resolved).toEqual({ filter: [['own', sent[0]!.to]], errors: {} })
      const step = { step: 'match', condition: 'name = x', within: null }
      expect(asked[1]).toEqual({ ...step, shards: ['s1'] })
      const body = { indexUid: 'actors', ...step, shards: ['s2'] }
      expect(sent).toMatchObject([{ path: '/network/foreign', body }])
    },
  )

  it.each<[string, unknown, SearchContext, readonly string[]]>([
    ['there is no filter', null, ON, ['actors']],
    ['the filter is absent', undefined, ON, ['actors']],
    ['the filter has none', 'a = 1', ON, ['actors']],
    ['the bytes have none', Buffer.from('"a = 1"'), ON, ['actors']],
    ['no index has foreign keys', FILTER, ON, []],
    ['the feature is off', FILTER, CONTEXT, ['actors']],
  ])('are not looked for if %s', async (_, filter, context, foreign) => {
    const { searches, sent, asked } = world(idsOf, foreign)
    const resolved = await resolvedFilter(searches, FILMS, filter, 'search', context)
    expect(resolved).toEqual({ filter, errors: {} })
    expect([sent, asked]).toEqual([[], []])
    expect(reachesForeign(searches.parts.engine, [FILMS], context)).toBe(
      context === ON && foreign.length > 0,
    )
  })

  it('name instances that fail, after the others were asked', async () => {
    const { searches } = world(() => FAILED)
    const { filter, errors } = await resolvedFilter(searches, FILMS, FILTER, 'search', ON)
    expect([filter, Object.keys(errors).sort()]).toEqual([[['own']], ['b', 'c']])
    const bad = world(({ to }) => (to === 'b' ? { json: { ids: [1] } } : idsOf({ to } as Sent)))
    const found = await resolvedFilter(bad.searches, FILMS, FILTER, 'search', ON)
    expect(found.filter).toEqual([['own', 'c']])
    expect(found.errors).toMatchObject({ b: { code: 'remote_bad_response' } })
  })

  it('see what the client may see', async () => {
    const seen = (access: SearchContext['access']) => {
      const { searches, asked } = world(idsOf)
      const context = { ...ON, access: access! }
      return resolvedFilter(searches, FILMS, FILTER, 'search', context).then(() => asked[1])
    }
    expect(await seen(() => ({ filter: 'tenant = 1' }))).toMatchObject({ within: 'tenant = 1' })
    await expect(seen(() => null)).rejects.toMatchObject({ code: 'index_not_found' })
  })

  it('are resolved in each of several searches', async () => {
    const { searches } = world(() => FAILED)
    const plain = { indexUid: FILMS, request: { ...DEFAULT_SEARCH, q: 'a' } }
    const foreign = { indexUid: FILMS, request: { ...DEFAULT_SEARCH, q: 'b', filter: FILTER } }
    const { searches: found, errors } = await resolvedSearches(searches, [plain, foreign], ON)
    expect(found[0]).toBe(plain)
    expect(found[1]).toEqual({ ...foreign, request: { ...foreign.request, filter: [['own']] } })
    expect(Object.keys(errors).sort()).toEqual(['b', 'c'])
  })
})

describe('documents in hits', () => {
  const documents = ({ to }: Sent): Reply => ({ json: { documents: [[to, { name: to }]] } })
  const answer = jsonBytes('answer')

  it('come from all owners, with errors that were known before', async () => {
    const { searches, hydrations, sent } = world(documents)
    const bytes = await hydrated(searches, answer, [FILMS], { z: 1 }, ON)
    expect(JSON.parse(Buffer.from(bytes).toString())).toBe('hits')
    const { to, body } = sent[0]!
    expect(body).toMatchObject({ step: 'documents', ids: ['own', 'c'], shards: ['s2'] })
    const { documents: found, errors } = hydrations[1]!.found!
    const names = [...found.get(asIndexUid('actors'))!].map(([id, json]) => `${id} ${json}`)
    expect(names).toEqual(['own {"name":"x"}', `${to} {"name":"${to}"}`])
    expect(errors).toEqual({ z: 1 })
    expect(hydrations[0]).toMatchObject({ indexUid: FILMS, hidden: [] })
  })

  it('name instances that fail', async () => {
    const { searches, hydrations } = world(() => FAILED)
    await hydrated(searches, answer, [FILMS], { z: 1 }, ON)
    expect(Object.keys(hydrations[1]!.found!.errors).sort()).toEqual(['b', 'c', 'z'])
  })

  it('of an index that the client may not see are hidden', async () => {
    const { searches, hydrations } = world(documents)
    const context = { ...ON, access: () => null }
    await expect(hydrated(searches, answer, [FILMS], {}, context)).rejects.toThrow(EngineFault)
    expect(hydrations[0]!.hidden).toEqual(['actors'])
  })
})

it('documents of other instances keep their bytes', () => {
  const document = '{ "id" : 712345678901234561, "a": [1.0, "]"] }'
  const sent = ` { "documents" : [ ["x\\"y" , ${document} ] ,["z",{}]] , "more": [] } `
  const found = documentsIn(Buffer.from(sent)).map(([id, bytes]) => [
    id,
    Buffer.from(bytes).toString(),
  ])
  expect(found).toEqual([
    ['x"y', document],
    ['z', '{}'],
  ])
  expect(documentsIn(Buffer.from('{"documents":[]}'))).toEqual([])
})
