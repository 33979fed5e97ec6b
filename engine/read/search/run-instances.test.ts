// Answers of other instances that cannot be merged are named, so that other owners are asked.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import {
  DEFAULT_FEDERATION,
  FEATURES,
  type Features,
  type InstancesMerge,
} from '../../model/index.ts'
import { encodePartial } from '../answers/index.ts'
import { type MergedIndex, runInstances } from './run-instances.ts'

const FILMS = asIndexUid('films')
const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
const INDEX = { settings: { distinctAttribute: null }, ref: { uid: FILMS, primaryKey: 'id' } }

/** The answer of an instance with these hits, by id and score. */
function answer(
  hits: readonly (readonly [id: string, score: number])[],
  written = '{"id":',
): Uint8Array {
  const list = {
    keyAt: (at: number) => {
      const score = hits[at]![1]
      return { parts: [{ kind: 'score' as const, score }], score, position: 0 }
    },
    pinAt: () => null,
    isSemanticAt: () => false,
    externalIdAt: (at: number) => hits[at]![0],
    indexUidAt: () => FILMS,
    valuesAt: () => null,
    documentAt: (at: number) => at,
    distinctAt: () => [],
    length: hits.length,
    write: (at: number, out: { ascii(text: string): void }) => {
      const begin = `${written}"${hits[at]![0]}","_federation":`
      out.ascii(`${begin}{}}`)
      return begin.length
    },
  }
  const page = { hits: list, from: 0, to: hits.length, total: hits.length }
  return encodePartial(
    page,
    [],
    () => undefined,
    () => ({ processingTimeMs: 1 }),
  )
}

function merged(
  limit: number,
  ...all: readonly Uint8Array[]
): { readonly hits: readonly object[] } {
  const merge: InstancesMerge = {
    federation: { ...DEFAULT_FEDERATION, limit },
    queries: [{ indexUid: FILMS, q: null, position: 0 }],
    kind: 'single',
    self: 'a',
    answers: all.map((bytes, at) => ({ remote: 'abc'[at]!, bytes, isOwn: at === 0 })),
    remoteErrors: {},
  }
  const job = { merge, features: NO_FEATURES, requestUid: 'r', queryUids: null, sentAt: 0 }
  const bytes = runInstances([INDEX as unknown as MergedIndex], job, () => false)
  return JSON.parse(Buffer.from(bytes).toString())
}

const OWN = answer([['1', 0.9]])
const GOOD = answer([
  ['2', 0.8],
  ['3', 0.2],
])
const BAD = answer([['4', 0.5]], '{"id"=')

it('merges hits by their keys', () => {
  expect(merged(3, OWN, GOOD).hits).toMatchObject([
    { id: '1', _federation: { remote: 'a' } },
    { id: '2', _federation: { remote: 'b' } },
    { id: '3' },
  ])
})

it('names the answer of a shown hit that is not JSON', () => {
  const detail = { kind: 'answer', at: 2, lacksScores: false }
  const fault = expect.objectContaining({ code: 'remote_bad_response', detail })
  expect(() => merged(3, OWN, GOOD, BAD)).toThrow(fault)
})

it('ignores the bytes of a hit that is not shown', () => {
  expect(merged(2, OWN, GOOD, BAD).hits).toMatchObject([{ id: '1' }, { id: '2' }])
})
