// Bodies of writes: what is stored of them, and which of several faults is reported.
import { describe, expect, it } from 'vitest'
import { FEATURES, type Features } from '../../engine/model/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import { bulkJsonBody, jsonBody } from './json-body.ts'
import {
  readDeletedIds,
  readDeletionFilter,
  readEdition,
  readSettingsChange,
  type WriteTarget,
} from './writes.ts'

const features = Object.fromEntries(FEATURES.map((name) => [name, true])) as Features
const target: WriteTarget = { indexUid: asIndexUid('a'), features }
const nowhere: WriteTarget = { ...target, indexUid: asIndexUid('a b') }
const lacking: WriteTarget = {
  ...nowhere,
  features: { ...features, editDocumentsByFunction: false, chatCompletions: false },
}

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const storedIn = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString())
const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return (error as { readonly code?: string }).code
  }
}

it('ids of documents are stored as texts', () => {
  const { count, json } = readDeletedIds(bytesOf(['a', 1, 'c-d']))
  expect([count, storedIn(json)]).toEqual([3, ['a', '1', 'c-d']])
})

describe('a deletion by filter', () => {
  const read = (body: unknown, at = target) => readDeletionFilter(bytesOf(body), at)

  it('is stored as it was sent', () => {
    const filter = [['a = 1', 'b = 2'], 'c = 3']
    expect(storedIn(read({ filter }))).toEqual(filter)
  })

  it.each([
    ['a shape', { filter: 'a =', more: 1 }, nowhere, 'bad_request'],
    ['an index', { filter: 'a =' }, nowhere, 'invalid_index_uid'],
    ['a filter', { filter: 'a =' }, target, 'invalid_document_filter'],
    [
      'a filter of other indexes',
      { filter: '_foreign(a, b = 1)' },
      target,
      'invalid_document_filter',
    ],
  ])('with the fault of %s is refused before later faults', (_, body, at, code) => {
    expect(codeOf(() => read(body, at))).toBe(code)
  })
})

describe('an edit by a function', () => {
  const read = (body: unknown, at = target) => readEdition(bytesOf(body), at)
  const faulty = { function: 'doc.', context: 1, filter: 'a =' }

  it('is stored with its members', () => {
    const edition = { function: 'doc.a = context.b', context: { b: 1 }, filter: 'a = 1' }
    expect(storedIn(read(edition))).toEqual(edition)
    const bare = { function: 'doc.a = 1' }
    expect(storedIn(read(bare))).toEqual({ ...bare, context: null, filter: null })
  })

  it.each([
    ['a shape', { ...faulty, function: 1 }, lacking, 'invalid_document_edition_function_filter'],
    ['a feature', faulty, lacking, 'feature_not_enabled'],
    ['an index', faulty, nowhere, 'invalid_index_uid'],
    ['a function', faulty, target, 'bad_request'],
    ['a context', { ...faulty, function: 'doc.a = 1' }, target, 'invalid_document_edition_context'],
    ['a filter', { function: 'doc.a = 1', filter: 'a =' }, target, 'invalid_document_filter'],
  ])('with the fault of %s is refused before later faults', (_, body, at, code) => {
    expect(codeOf(() => read(body, at))).toBe(code)
  })
})

describe('a change of settings', () => {
  const read = (body: unknown, at = target, setting: 'stopWords' | null = null) =>
    readSettingsChange(bytesOf(body), { ...at, setting })

  it('of one setting is stored under its name', () => {
    const { json, templates } = read(['the'], target, 'stopWords')
    expect([storedIn(json), templates]).toEqual([{ stopWords: ['the'] }, []])
  })

  it('names the templates of its embedders, with their places', () => {
    const embedder = (documentTemplate?: string) => ({
      source: 'openAi',
      ...(documentTemplate === undefined ? {} : { documentTemplate }),
    })
    const embedders = {
      one: embedder('first'),
      two: embedder(),
      three: null,
      four: {
        source: 'composite',
        searchEmbedder: embedder(),
        indexingEmbedder: embedder('second'),
      },
    }
    expect(read({ embedders }).templates).toEqual([
      { place: '.embedders.four.indexingEmbedder.documentTemplate', text: 'second' },
      { place: '.embedders.one.documentTemplate', text: 'first' },
    ])
    expect(read({ stopWords: ['a'] }).templates).toEqual([])
  })

  const chat = { description: 'x' }
  it.each([
    ['a shape', { stopWords: 1, chat }, lacking, 'invalid_settings_stop_words'],
    ['an index', { chat }, lacking, 'invalid_index_uid'],
    ['a feature', { chat }, { ...lacking, indexUid: target.indexUid }, 'feature_not_enabled'],
    [
      'a value',
      { embedders: { a: { source: 'userProvided' } } },
      target,
      'invalid_settings_embedders',
    ],
  ])('with the fault of %s is refused before later faults', (_, body, at, code) => {
    expect(codeOf(() => read(body, at))).toBe(code)
  })
})

it('a body is declared with its reader and its details', () => {
  const plain = jsonBody('search')
  expect([plain.kind, plain.reader, plain.details({})]).toEqual(['json', 'search', []])
  const large = bulkJsonBody('deletionFilter', () => [target])
  expect([large.kind, large.reader, large.details({})]).toEqual([
    'bulkJson',
    'deletionFilter',
    [target],
  ])
  expect(plain.schema()).not.toEqual(large.schema())
  const own = jsonBody('search', undefined, large.schema)
  expect(own.schema()).toEqual(large.schema())
})
