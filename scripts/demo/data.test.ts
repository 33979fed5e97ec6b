// Documents of the user: reading them, analysing their fields, choosing searches.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { DemoError, type Hit } from './client.ts'
import { rolesOf, surveyFields } from './data-fields.ts'
import { formatOf, readLines } from './data-file.ts'
import { dataPlan, misspelt, searchesFor } from './data-plan.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-demo-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function stored(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function all(lines: AsyncIterable<string>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const line of lines) found.push(JSON.parse(line))
  return found
}

const GENRES = ['crime', 'comedy', 'war']
const PLACES = ['harbour', 'mountain', 'village', 'railway', 'lighthouse', 'forest', 'desert']
const BOOKS: readonly Hit[] = Array.from({ length: 60 }, (_, i) => ({
  isbn_id: `b-${i}`,
  title: `The ${PLACES[i % 7]} keeper of ${PLACES[(i * 3 + 1) % 7]} number ${i}`,
  text: `A quiet ${PLACES[(i * 5) % 7]} keeper finds a letter and leaves for the ${PLACES[i % 7]}.`,
  genre: [GENRES[i % 3]],
  year: 1950 + i,
  lent: i % 4 === 0,
  cover: `https://example.org/${i}.jpg`,
  nothing: null,
}))

describe('a file of documents', () => {
  const documents = [
    { id: 1, a: 'x, "y"' },
    { id: 2, a: 'é\u2028' },
  ]
  const ndjson = documents.map((document) => JSON.stringify(document)).join('\r\n\n')

  it('is read in any format, compressed or not', async () => {
    expect(await all(readLines(stored('a.ndjson', `\ufeff${ndjson}`)))).toEqual(documents)
    expect(await all(readLines(stored('a.ndjson.gz', gzipSync(ndjson))))).toEqual(documents)
    expect(await all(readLines(stored('a.json', JSON.stringify(documents, null, 1))))).toEqual(
      documents,
    )
    expect(await all(readLines(stored('b.json', '{\n"id": 1}')))).toEqual([{ id: 1 }])
    const csv = '\ufeffid:number,name,sold:boolean\n1,"a ""b"",\nc",true\n,d,\n'
    const rows = [
      { id: 1, name: 'a "b",\nc', sold: true },
      { id: null, name: 'd', sold: null },
    ]
    expect(await all(readLines(stored('a.csv', csv)))).toEqual(rows)
    expect(await all(readLines(stored('a.csv.gz', gzipSync(csv))))).toEqual(rows)
  })

  it('has a format by name, else by its beginning', () => {
    expect(formatOf('x.jsonl.gz', '')).toBe('ndjson')
    expect(formatOf('x.tsv', '')).toBe('csv')
    expect(formatOf('x.json', ' [1')).toBe('json')
    expect(formatOf('x.json', '{"a":1}\n{"a":2}')).toBe('ndjson')
    expect(formatOf('x.json', '{\n"a":1}')).toBe('json')
    expect(formatOf('x', '{"a":1}')).toBe('ndjson')
    expect(formatOf('x', 'a,b\n')).toBe('csv')
  })

  it('that is not of its format is refused with its name', async () => {
    await expect(all(readLines(stored('c.json', '[1,')))).rejects.toThrow(/c\.json/)
    await expect(dataPlan(stored('c.ndjson', '{"a":1}\n[]\n'))).rejects.toThrow(/JSON object/)
    await expect(dataPlan(stored('d.ndjson', ''))).rejects.toThrow(/no documents/)
    await expect(all(readLines(stored('e.csv.gz', 'a,b\n')))).rejects.toThrow(DemoError)
    await expect(all(readLines(stored('f.csv', 'a,b\n1,2,3\n')))).rejects.toThrow(DemoError)
    await expect(all(readLines(join(folder, 'none.csv')))).rejects.toThrow(DemoError)
  })
})

describe('fields', () => {
  it('find their roles', () => {
    const roles = rolesOf(surveyFields(BOOKS), BOOKS)
    expect(roles.primaryKey).toBe('isbn_id')
    expect(roles.title).toBe('title')
    expect(roles.searchable).toEqual(['title', 'genre', 'text'])
    expect(roles.facets.map(({ name }) => name)).toEqual(['genre', 'lent'])
    expect(roles.numbers.map(({ name }) => name)).toEqual(['year'])
  })

  it('identify only if they are valid and differ', () => {
    const key = (documents: readonly Hit[]) =>
      rolesOf(surveyFields(documents), documents).primaryKey
    expect(key([{ docId: 'a' }, { docId: 'b' }])).toBe('docId')
    expect(key([{ docId: 'a' }, { docId: 'a' }])).toBeNull()
    expect(key([{ docId: 'a b' }])).toBeNull()
    expect(key([{ docId: 1.5 }])).toBeNull()
    expect(key([{ aid: 1, id: 2 }])).toBe('id')
    expect(key([{ id: 1 }, {}])).toBeNull()
  })
})

describe('a plan for unknown documents', () => {
  it('searches for words that are in them, in every way', async () => {
    const searches = searchesFor(BOOKS, rolesOf(surveyFields(BOOKS), BOOKS))
    expect(searches.map(({ about }) => about)).toEqual([
      'a word',
      'a prefix',
      'a typo',
      'several words',
      'a phrase',
      'filter, facets',
      'sort',
      'everything',
    ])
    const text = JSON.stringify(BOOKS).toLowerCase()
    const q = (about: string): string =>
      searches.find((search) => search.about === about)!.request.q!
    for (const about of ['a word', 'a prefix', 'several words']) {
      expect(text.includes(q(about))).toBe(true)
    }
    expect(text.includes(q('a phrase').replaceAll('"', ''))).toBe(true)
    expect(text.includes(q('a typo'))).toBe(false)
    expect(searches.find(({ about }) => about === 'sort')!.request.sort).toEqual(['year:desc'])
  })

  it('numbers documents without an identifying field', async () => {
    const plan = await dataPlan(stored('my books (2).csv', 'name\nanna\nbert\n'))
    expect(plan.uid).toBe('my-books-2-')
    expect(plan.primaryKey).toBe('documentId')
    expect(await all(plan.lines)).toEqual([
      { documentId: 1, name: 'anna' },
      { documentId: 2, name: 'bert' },
    ])
    expect(plan.nameOf({ documentId: 1, name: 'anna' })).toBe('anna')
  })

  it('misspells without changing the first letter', () => {
    expect(misspelt('search')).toBe('seacrh')
    expect(misspelt('village')).toBe('vilalge')
    expect(misspelt('abccc')).toBe('abcc')
  })
})
