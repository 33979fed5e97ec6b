// Documents of a network: the requests to other instances, and the pages and documents of both.
import { describe, expect, it } from 'vitest'
import { type DocumentsMerge, type DocumentsRequest, EngineFault } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { networkDocument, networkDocuments } from './documents.ts'
import {
  CONTEXT,
  jsonBytes,
  NETWORK,
  type Reply,
  type Sent,
  searchesWith,
  UNDIVIDED,
} from './test-searches.ts'

const FILMS = asIndexUid('films/é')
const FETCH = '/indexes/films%2F%C3%A9/documents/fetch'
const PAGE: DocumentsRequest = {
  offset: 3,
  limit: 2,
  fields: null,
  retrieveVectors: false,
  ids: null,
  filter: null,
  sort: null,
}
const absentHere = (): never => {
  throw new EngineFault('index_not_found', 'Index `films/é` not found.')
}
const ABSENT: Reply = { status: 404, code: 'index_not_found' }
const FAILED: Reply = { status: 500, code: 'internal' }

/** `merge` returns the JSON of all pages; it refuses those that are `'bad'`. */
function pagesOf(given: Parameters<typeof searchesWith>[0]) {
  const merges: DocumentsMerge[] = []
  const mergeDocuments = async (_uid: string, merge: DocumentsMerge) => {
    merges.push(merge)
    const pages = merge.answers.map((bytes) => JSON.parse(Buffer.from(bytes).toString()))
    const at = pages.indexOf('bad')
    const detail = { kind: 'answer', at, lacksScores: false } as const
    if (at >= 0) throw new EngineFault('remote_bad_response', 'a bad page', detail)
    return jsonBytes(pages)
  }
  const made = searchesWith({ ...given, queries: { mergeDocuments } })
  const listed = async (request: Partial<DocumentsRequest> = {}, signal = CONTEXT.signal) => {
    const context = { ...CONTEXT, signal }
    const bytes = await networkDocuments(made.searches, FILMS, { ...PAGE, ...request }, context)
    return JSON.parse(Buffer.from(bytes).toString())
  }
  return { ...made, merges, listed }
}

describe('a page of documents', () => {
  it.each<[Partial<DocumentsRequest>, object]>([
    [{}, { filter: '_shard IN ["s2"]' }],
    [{ filter: 'a = 1' }, { filter: ['_shard IN ["s2"]', 'a = 1'] }],
    [{ filter: ['a = 1', ['b = 2']] }, { filter: ['_shard IN ["s2"]', 'a = 1', ['b = 2']] }],
    [{ fields: ['a'] }, { fields: ['a'], filter: '_shard IN ["s2"]' }],
    [{ retrieveVectors: true }, { retrieveVectors: true, filter: '_shard IN ["s2"]' }],
    [{ ids: ['7'] }, { ids: ['7'], filter: '_shard IN ["s2"]' }],
    [{ sort: ['a:asc'] }, { sort: ['a:asc'], filter: '_shard IN ["s2"]' }],
  ])('%j is asked for from its beginning, shard by shard', async (request, members) => {
    let own: unknown
    const { listed, sent, merges } = pagesOf({
      list: (asked) => {
        own = asked
        return 'own'
      },
      answer: () => ({ json: 'other' }),
    })
    expect(await listed(request)).toEqual(['own', 'other'])
    const from = { offset: 0, limit: 5 }
    expect(own).toEqual({ ...PAGE, ...request, ...from, merger: 'self', shards: ['s1'] })
    expect(sent).toMatchObject([{ method: 'POST', path: FETCH }])
    expect(sent[0]!.body).toEqual({ ...from, ...members, useNetwork: false })
    expect(sent[0]!.signal).toBe(CONTEXT.signal)
    expect(merges[0]!.page).toEqual({ offset: 3, limit: 2 })
  })

  it('names no shards if documents are not divided', async () => {
    const owns: object[] = []
    const list = (own: object): string => {
      owns.push(own)
      return 'own'
    }
    const answer = ({ to }: Sent): Reply => ({ json: to })
    const member = pagesOf({ network: UNDIVIDED, list, answer })
    expect(await member.listed()).toEqual(['own', 'b', 'c'])
    expect(member.sent.map(({ body }) => body)).toEqual(Array(2).fill({ offset: 0, limit: 5 }))
    await pagesOf({ network: { ...UNDIVIDED, self: null }, list, answer }).listed()
    // It has no part in the network, so it only checks the request.
    expect(owns.map((own) => 'shards' in own)).toEqual([false, true])
    expect(owns[1]).toMatchObject({ shards: [] })
  })

  it('comes from another owner if one fails or its page is bad', async () => {
    for (const reply of [FAILED, { json: 'bad' }]) {
      const answers = ({ to }: Sent): Reply => (to === 'b' ? reply : { json: 'c' })
      const { listed, merges, availability } = pagesOf({ list: () => 'own', answer: answers })
      expect(await listed()).toEqual(['own', 'c'])
      expect(Object.keys(merges.at(-1)!.remoteErrors)).toEqual(['b'])
      // Only searches decide who is called.
      expect(availability.status('b')).toBe('available')
    }
    await expect(pagesOf({ list: () => 'bad' }).listed()).rejects.toThrow('a bad page')
  })

  it('of an index that is absent here comes from all its other owners', async () => {
    const slow = async ({ to }: Sent): Promise<Reply> => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return { json: to }
    }
    const { listed, sent, searches } = pagesOf({ list: absentHere, answer: slow })
    await listed()
    expect(sent.map(({ body }) => (body as { filter: string }).filter).sort()).toEqual([
      '_shard IN ["s1"]',
      '_shard IN ["s2"]',
    ])
    expect(searches.room().held()).toBe(0)
    const nowhere = pagesOf({ list: absentHere, answer: () => ABSENT })
    await expect(nowhere.listed()).rejects.toMatchObject({ code: 'index_not_found' })
    const undivided = pagesOf({ network: UNDIVIDED, list: absentHere, answer: slow })
    await expect(undivided.listed()).rejects.toMatchObject({ code: 'index_not_found' })
  })

  it('fails by itself here, also if others answer, and if its client is gone', async () => {
    const failing = pagesOf({
      list: () => {
        throw new EngineFault('invalid_document_filter', 'bad filter')
      },
      answer: () => ({ json: 'c' }),
    })
    await expect(failing.listed()).rejects.toThrow('bad filter')
    const gone = AbortSignal.abort(new Error('gone'))
    const left = pagesOf({ list: () => 'own', answer: () => Promise.reject(gone.reason) })
    await expect(left.listed({}, gone)).rejects.toThrow('gone')
    const both = pagesOf({
      list: absentHere,
      network: UNDIVIDED,
      answer: () => Promise.reject(gone.reason),
    })
    await expect(both.listed({}, gone)).rejects.toMatchObject({ code: 'index_not_found' })
  })
})

describe('one document', () => {
  const HERE = new EngineFault('document_not_found', 'Document `1` not found.')
  const OTHER: Reply = { status: 404, code: 'document_not_found' }
  const NONE = { fields: null, retrieveVectors: false }

  const fetched = (
    answer: (sent: Sent) => Reply,
    {
      reason = HERE,
      options = NONE as Parameters<typeof networkDocument>[3],
      network = NETWORK,
    } = {},
  ) => {
    const { searches, sent } = searchesWith({ answer, network })
    const found = networkDocument(searches, FILMS, 'ä/1', options, reason, CONTEXT)
    return found.then((bytes) => ({ found: JSON.parse(Buffer.from(bytes).toString()), sent }))
  }
  const PATH = '/indexes/films%2F%C3%A9/documents/%C3%A4%2F1'

  it.each([
    [NONE, '?useNetwork=false'],
    [{ ...NONE, fields: ['a', 'b'] }, '?fields=a%2Cb&useNetwork=false'],
    [{ ...NONE, retrieveVectors: true }, '?retrieveVectors=true&useNetwork=false'],
  ])('is requested by %j', async (options, query) => {
    const { found, sent } = await fetched(() => ({ json: 7 }), { options })
    expect(found).toBe(7)
    expect(sent).toMatchObject([{ method: 'GET', path: PATH + query, body: null }])
    expect(sent[0]!.headers).not.toHaveProperty('content-type')
  })

  it('is searched on all other instances if documents are not divided', async () => {
    const onC = ({ to }: Sent): Reply => (to === 'c' ? { json: 7 } : OTHER)
    const { sent } = await fetched(onC, { network: UNDIVIDED })
    expect(sent.map(({ to, path }) => [to, path])).toEqual([
      ['b', PATH],
      ['c', PATH],
    ])
  })

  const INDEX = new EngineFault('index_not_found', 'Index `films` not found.')
  it.each<[string, Reply, Reply, EngineFault, string]>([
    ['no instance has it', OTHER, OTHER, HERE, 'document_not_found'],
    ['the index is absent here', OTHER, ABSENT, INDEX, 'document_not_found'],
    ['the index is absent everywhere', ABSENT, ABSENT, INDEX, 'index_not_found'],
    ['the index is absent elsewhere', ABSENT, ABSENT, HERE, 'document_not_found'],
    ['an instance fails', FAILED, OTHER, HERE, 'remote_remote_error'],
  ])('fails if %s', async (_, ofB, ofC, reason, code) => {
    const answer = ({ to }: Sent): Reply => (to === 'b' ? ofB : ofC)
    const found = fetched(answer, { reason, network: UNDIVIDED })
    await expect(found).rejects.toMatchObject({ code })
  })
})
