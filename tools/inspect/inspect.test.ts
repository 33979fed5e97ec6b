// The output of the tools for files that the engine wrote, sound and damaged.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRAME_PAGE_BYTES, Frame } from '../../format/frame/index.ts'
import { asSegmentNo } from '../../format/ids.ts'
import { LOG_HEADER_BYTES } from '../../format/log/index.ts'
import { film, type MadeDatabase, makeDatabase } from '../test-support.ts'
import {
  findingText,
  fstDump,
  fstGraph,
  fstGrep,
  logPrint,
  logPrintText,
  manifestPrint,
  manifestPrintText,
  manifestState,
  manifestStateText,
  type SegmentChoice,
  segmentLayout,
  segmentLayoutText,
  segmentProperties,
  segmentPropertiesText,
  taskRecordSummary,
  termListText,
} from './index.ts'

let made: MadeDatabase
let folder: string
beforeAll(async () => {
  made = await makeDatabase()
  folder = mkdtempSync(join(tmpdir(), 'svc-inspect-'))
})
afterAll(() => {
  made.remove()
  rmSync(folder, { recursive: true })
})

const docs = (): string => join(made.path, 'segments/000001.docs')
const text = (): string => join(made.path, 'segments/000002.text')

/** Returns a copy of a file with one change. */
function changed(file: string, edit: (bytes: Buffer) => Uint8Array): string {
  const copy = join(folder, 'changed')
  writeFileSync(copy, edit(readFileSync(file)))
  return copy
}

describe('the layout of a segment', () => {
  it('gives every byte a place', () => {
    for (const file of [docs(), text()]) {
      const layout = segmentLayout({ file })
      const inside = layout.sections.reduce((sum, { bytes }) => sum + bytes, 0)
      expect(inside + layout.otherBytes).toBe(readFileSync(file).length)
      expect(layout.sections.every(({ isSound }) => isSound)).toBe(true)
      expect(layout.problems).toEqual([])
      expect(segmentLayoutText(layout)).toContain('sound')
    }
    const { kind, sections, pages } = segmentLayout({ file: docs() })
    expect([kind, pages]).toEqual(['DOCS', 3])
    expect(sections.map(({ tag }) => tag)).toEqual(['BLKS', 'BIDX', 'RUNS', 'XIDS', 'XEND', 'XHSH'])
  })

  it('shows the inner tables, with the names of known fields', () => {
    const [blocks] = segmentLayout({ file: docs() }).tables
    expect(blocks!.columns).toContain('documents')
    const documents = blocks!.rows.reduce((sum, row) => sum + Number(row.at(-1)), 0)
    expect(documents).toBe(300)
    const { tables, segment } = segmentLayout({ db: made.path, segment: asSegmentNo(3) })
    expect(segment).toBe('manifest-000001.log (segment 3, columns)')
    expect(tables[0]!.rows.map(([field]) => field)).toContain('_geo.lat')
    const [dictionary, lengths] = segmentLayout({ db: made.path, segment: asSegmentNo(2) }).tables
    expect(Object.fromEntries(dictionary!.rows)).toMatchObject({ keys: 817 })
    expect(lengths!.rows).toContainEqual(['title', 300, 900])
  })

  it('names the damaged pages and sections, and shows the rest', () => {
    const { sections } = Frame.open(readFileSync(docs()), 'DOCS')
    const [blocks] = [...sections]
    const at = FRAME_PAGE_BYTES + 10
    const file = changed(docs(), (bytes) => {
      bytes[at]! ^= 4
      return bytes
    })
    const layout = segmentLayout({ file })
    expect(layout.problems.map(findingText)).toEqual([
      `${file}: section BLKS, offset ${FRAME_PAGE_BYTES - blocks!.offset}: bad_checksum: ` +
        'bytes 16384 to 32768 of the file are not as written',
    ])
    expect(segmentLayoutText(layout)).toContain('DAMAGED')
    const cut = changed(docs(), (bytes) => bytes.subarray(0, 5000))
    const nothing = segmentLayout({ file: cut })
    expect(nothing).toMatchObject({ sections: [], tables: [], otherBytes: 5000 })
    expect(nothing.problems[0]).toMatchObject({ section: 'DOCS', code: 'bad_magic' })
    expect(segmentLayoutText(nothing)).toContain('bad_magic')
  })

  it('refuses a file that is not a segment', () => {
    const file = (name: string) => ({ file: join(made.path, name) })
    expect(() => segmentLayout(file('manifest-000001.log'))).toThrow('log print reads logs')
    expect(() => segmentLayout(file('VERSION'))).toThrow('not a segment')
    expect(() => segmentLayout(file('nothing'))).toThrow('there is no file')
    expect(() => segmentLayout(file('segments'))).toThrow('is not a file')
    expect(() => segmentLayout({ db: made.path, segment: asSegmentNo(77) })).toThrow(
      'has no segment 77',
    )
    const other = changed(docs(), (bytes) => {
      bytes.write('ABCD', 4)
      return bytes
    })
    expect(() => segmentLayout({ file: other })).toThrow('unknown kind "ABCD"')
  })
})

describe('the properties of a segment', () => {
  /** In the form for programs. */
  const propertiesOf = (choice: SegmentChoice) =>
    JSON.parse(JSON.stringify(segmentProperties(choice).properties))
  const isYear = ({ field }: { readonly field: string }): boolean => field === 'year'

  it('are counted', () => {
    const { content, ...rest } = propertiesOf({ db: made.path, segment: asSegmentNo(1) })
    expect(rest).toMatchObject({ documents: 300, dead: 4, idMin: 0, idMax: 299 })
    expect(content.layer).toBe('documents')
    const bytes = (of: (id: number) => unknown) =>
      Array.from({ length: 300 }, (_, id) => JSON.stringify(of(id)) ?? '').join('').length
    expect(content.fields[0]).toEqual({
      field: 'overview',
      documents: 300,
      bytes: Buffer.byteLength(
        Array.from({ length: 300 }, (_, id) => JSON.stringify(film(id).overview)).join(''),
      ),
    })
    expect(content.fields.find(isYear)).toEqual({
      field: 'year',
      documents: 300,
      bytes: bytes((id) => film(id).year),
    })
    expect(content.compression).toBeGreaterThan(2)
  })

  it('of text distinguish short and long lists', () => {
    const { content } = propertiesOf({ file: text() })
    expect(content.layer).toBe('text')
    expect(content.postings.small.terms + content.postings.large.terms).toBe(content.terms)
    const post = segmentLayout({ file: text() }).sections.find(({ tag }) => tag === 'POST')!
    expect(content.postings.small.bytes + content.postings.large.bytes).toBe(post.bytes)
    expect(content.longest).toHaveLength(10)
    expect(content.lengths.fields[0]).toEqual({ field: 'field 1', documents: 300, words: 900 })
  })

  it('of columns count values and their documents', () => {
    const { content, dead } = propertiesOf({ db: made.path, segment: asSegmentNo(3) })
    expect(content.layer).toBe('columns')
    expect([content.points, dead]).toEqual([75, 3])
    expect(content.fields.find(isYear)).toMatchObject({
      documents: 300,
      distinctNumbers: 70,
      documentsWithNumbers: 300,
      distinctStrings: 0,
    })
  })

  it('are shown as text', () => {
    for (const segment of [1, 2, 3]) {
      const shown = segmentPropertiesText(
        segmentProperties({ db: made.path, segment: asSegmentNo(segment) }),
      )
      expect(shown).toMatch(/layer +(documents|text|columns)/)
    }
  })
})

describe('the terms of a segment', () => {
  it('are listed in order, with their documents', () => {
    const list = fstDump({ file: text() }, { prefix: 'star', limit: 0 })
    const terms = list.shown.map(({ term }) => term)
    expect(terms).toEqual([...terms].sort())
    expect(terms.every((term) => term.startsWith('star'))).toBe(true)
    expect(list).toMatchObject({ terms: 817, isCut: false })
    const stars = Array.from({ length: 300 }, (_, id) => film(id)).filter(({ title }) =>
      title.split(' ').includes('star'),
    )
    const star = list.shown.find(({ term }) => term === 'star')!
    expect(star.documents).toBe(stars.length)
    const cut = fstDump({ file: text() }, { prefix: '', limit: 5 })
    expect(cut.shown.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2, 3, 4])
    expect(termListText(cut)).toContain('there are more')
    expect(fstDump({ file: text() }, { prefix: 'zz', limit: 5 }).shown).toEqual([])
  })

  it('are found by a pattern or near a word', () => {
    const grep = (pattern: string, limit = 0) =>
      fstGrep({ file: text() }, pattern, { limit }).shown.map(({ term }) => term)
    expect(grep('^star(s|ling)$')).toEqual(['starling', 'stars'])
    expect(grep('~starlng')).toEqual(['starling'])
    expect(grep('~harbuor')).toEqual(['harbour'])
    expect(grep('~~mounten')).toContain('mountain')
    expect(grep('~starlng*')).toContain('starling7')
    expect(grep('größ')).toEqual([])
    expect(grep('.', 3)).toHaveLength(3)
    expect(termListText(fstGrep({ file: text() }, '~starlng', { limit: 0 }))).toContain('distance')
    expect(() => grep('(')).toThrow('Invalid regular expression')
    expect(() => grep('~')).toThrow('a word of 1 to')
    expect(() => fstDump({ file: docs() }, { prefix: '', limit: 1 })).toThrow('has no dictionary')
  })

  it('form a graph', () => {
    const whole = fstGraph({ file: text() }, { prefix: '', limit: 3 })
    expect(whole).toMatch(/^digraph fst \{/)
    expect(whole.match(/^ {2}\d+ \[label/gm)).toHaveLength(3)
    const part = fstGraph({ file: text() }, { prefix: 'starl', limit: 50 })
    expect(
      [...part.matchAll(/-> \d+ \[label="(.)/g)]
        .slice(0, 8)
        .map(([, l]) => l)
        .join(''),
    ).toBe('starling')
  })
})

describe('the manifest', () => {
  it('is printed edit by edit', () => {
    const printed = manifestPrint(made.path)
    expect(printed.edits.map(({ sequence, checkpoint }) => [sequence, checkpoint])).toEqual([
      [0, true],
      ...[1, 2, 3, 4, 5, 6, 7].map((sequence) => [sequence, false]),
    ])
    const shown = manifestPrintText(printed)
    expect(shown).toContain('segment-added: index 1, segment 1, layer "documents"')
    expect(shown).toContain('tasks-finished: batch 6: 1 task, 1 failed, of books')
    expect(JSON.parse(JSON.stringify(printed)).edits[2].changes.length).toBeGreaterThan(5)
  })

  it('is printed up to the damage', () => {
    const path = join(folder, 'damaged.ms')
    cpSync(made.path, path, { recursive: true })
    const { edits } = manifestPrint(path)
    const file = join(path, 'manifest-000001.log')
    const bytes = readFileSync(file)
    bytes[edits[3]!.offset + 50]! ^= 1
    writeFileSync(file, bytes)
    const printed = manifestPrint(path)
    expect(printed.edits.map(({ sequence }) => sequence)).toEqual([0, 1, 2])
    expect(printed.problems.map(findingText)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^manifest-000001.log: section MANI log, offset ${edits[3]!.offset}: bad_checksum`,
        ),
      ),
    ])
    expect(manifestPrintText(printed)).toContain('bad_checksum')
    expect(logPrint(file).records).toHaveLength(3)
    expect(() => manifestState(path)).toThrow('is damaged')
  })

  it('adds up to a state', () => {
    const state = manifestState(made.path)
    expect(state).toMatchObject({ version: '1.50.0', sequence: 7, nextIndex: 3, nextSegment: 11 })
    const [films, books] = state.indexes
    expect(films).toMatchObject({ uid: 'films', primaryKey: 'id' })
    const layers = films!.layers.map(({ layer, segments, documents, dead }) => [
      layer,
      segments,
      documents - dead,
    ])
    expect(layers).toEqual([
      ['documents', 3, made.films],
      ['text', 2, made.films],
      ['columns', 3, made.films],
      ['vectors', 0, 0],
    ])
    expect(books!.fields).toEqual([
      { name: 'isbn', documents: 2 },
      { name: 'name', documents: 1 },
    ])
    expect(manifestStateText(state)).toMatch(/films \(index 1\) · primary key id · 11 fields/)
    writeFileSync(join(made.path, 'VERSION'), 'x')
    expect(manifestState(made.path).version).toBeNull()
    writeFileSync(join(made.path, 'VERSION'), '1.50.0')
  })
})

describe('a log', () => {
  const tasks = (): string => join(made.path, 'tasks/tasks-000001.log')

  it('is printed record by record', () => {
    const log = logPrint(tasks())
    expect(log).toMatchObject({ kind: 'TASK', number: 1, tail: 'clean', problems: [] })
    expect(log.records[0]!.text).toMatch(/^task 0: settingsUpdate, of films, enqueued 20/)
    expect(log.records.map(({ text }) => text?.split(':')[0])).toContain('batch 3')
    expect(log.records[1]!.value).toMatchObject({
      kind: 'documentAdditionOrUpdate',
      index: 'films',
      count: 300,
    })
    expect(logPrintText(log)).toContain('task 7: documentAdditionOrUpdate, of films, count 400')
    const manifest = logPrint(join(made.path, 'manifest-000001.log'))
    expect(manifest.kind).toBe('MANI')
    expect(logPrintText(manifest)).toContain('fields-added: index 1')
  })

  it('of any kind shows its records, sound or not', () => {
    const other = changed(tasks(), (bytes) => {
      bytes.write('ABCD', 4)
      return bytes
    })
    expect(logPrint(other)).toMatchObject({ kind: 'ABCD', records: [], number: null })
    expect(logPrint(other).problems[0]).toMatchObject({ section: 'ABCD log', code: 'bad_checksum' })
    const torn = changed(tasks(), (bytes) => Buffer.concat([bytes, Buffer.from('torn')]))
    expect(logPrint(torn)).toMatchObject({ tail: 'torn', problems: [] })
    expect(logPrintText(logPrint(torn))).toContain('an unfinished write')
    const cut = changed(tasks(), (bytes) => bytes.subarray(0, LOG_HEADER_BYTES))
    expect(logPrintText(logPrint(cut))).toContain(`ends at ${LOG_HEADER_BYTES}\n`)
    expect(() => logPrint(docs())).toThrow('segment layout reads segments')
    expect(() => logPrint(join(made.path, 'VERSION'))).toThrow('not a log')
  })

  it('has records of known types only', () => {
    expect(() => taskRecordSummary(9, new Uint8Array(0))).toThrow('a type of record')
  })
})
