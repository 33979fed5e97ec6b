// Documents from declarations: names, owners, ids; and the documents of the packages installed
// here.
import { describe, expect, it } from 'vitest'
import { type ApiDocument, apiDocuments, type TypeFile } from './api-documents.ts'
import { readTypeFiles } from './type-files.ts'

const file = (over: Partial<TypeFile> & { text: string }): TypeFile => ({
  source: 'web',
  module: 'dom',
  since: '',
  supplement: false,
  ...over,
})

const brief = (documents: readonly ApiDocument[]): string[] =>
  documents.map(({ id, title, kind }) => `${id} | ${title} | ${kind}`)

describe('documents of declarations', () => {
  it('distinguish methods of a prototype from static ones, and number overloads', () => {
    const text = `interface Array<T> {
        /** a */ map(): T; /** b */ map(x: 1): T; /** b */ map(x: 2): T; }
      interface ArrayConstructor { /** c */ new(): T; /** d */ of(): T; /** e */ (n: number): T; }`
    const documents = apiDocuments([
      file({ source: 'javascript', module: 'es5', since: 'ES5', text }),
    ])
    expect(brief(documents)).toEqual([
      'Array-prototype-map | Array.map | method',
      'Array-prototype-map-2 | Array.map | method',
      'Array-constructor | Array.constructor | constructor',
      'Array-of | Array.of | method',
      'Array | Array | function',
    ])
    expect(documents[0]).toEqual({
      id: 'Array-prototype-map',
      title: 'Array.map',
      name: 'map',
      kind: 'method',
      owner: 'Array',
      module: 'es5',
      source: 'javascript',
      signature: 'map(): T',
      summary: 'a',
      deprecated: false,
      since: 'ES5',
      sinceOrder: 2009,
    })
  })

  it('leave out globals that repeat a member, and repetitions of a supplement', () => {
    const text = `interface WindowOrWorkerGlobalScope { /** f */ fetch(): void; }
      declare function fetch(): void;
      /** f */ declare function fetch(): void;
      /** own */ declare function alone(): void;`
    const worker = `interface WindowOrWorkerGlobalScope {
      /** otherwise */ fetch(): void; /** w */ w(): void; }`
    const files = [file({ text }), file({ module: 'webworker', supplement: true, text: worker })]
    expect(brief(apiDocuments(files))).toEqual([
      'Window-prototype-fetch | Window.fetch | method',
      'alone | alone | function',
      'Window-prototype-w | Window.w | method',
    ])
  })

  it('of Node.js name the module, events and the page', () => {
    const text = `/** fs */ declare module 'node:fs/promises' {
      /** @since v10.2.3 */ export function readFileSync(): void;
      namespace readFileSync { /** p */ function __promisify__(): void; }
      interface Stats {
        /** m */ on(event: "change", x: 1): this; /** m */ once(event: "change", x: 1): this; }
      global { namespace NodeJS { interface Process { /** x */ exit(): void; } } }
    }`
    const documents = apiDocuments([file({ source: 'node', module: 'globals', text })])
    expect(brief(documents)).toEqual([
      'fs-promises | fs/promises | module',
      'fs-promises-readFileSync | fs/promises.readFileSync | function',
      'fs-promises-Stats-event-change | Stats.change | event',
      'fs-promises-Process-prototype-exit | Process.exit | method',
    ])
    const read = documents[1]!
    expect(read).toMatchObject({ words: 'read file sync', since: 'v10.2.3', sinceOrder: 100203 })
    expect(read.url).toBe('https://nodejs.org/api/fs.html')
  })
})

describe('documents of the installed packages', () => {
  const documents = apiDocuments(readTypeFiles(import.meta.url))
  const byId = new Map(documents.map((document) => [document.id, document]))

  it('are many, from all three sources', () => {
    const count = (source: string): number => documents.filter((d) => d.source === source).length
    expect(documents.length).toBeGreaterThan(8_000)
    expect(count('web')).toBeGreaterThan(5_000)
    expect(count('node')).toBeGreaterThan(2_500)
    expect(count('javascript')).toBeGreaterThan(1_000)
  })

  it('have valid unique ids, the same each time', () => {
    expect(byId.size).toBe(documents.length)
    for (const { id } of documents) expect(id).toMatch(/^[A-Za-z0-9_-]{1,511}$/)
    const again = apiDocuments(readTypeFiles(import.meta.url))
    expect(again.map(({ id }) => id)).toEqual([...byId.keys()])
  })

  it('have the known content of some of them', () => {
    expect(byId.get('Array-prototype-map')).toMatchObject({ kind: 'method', source: 'javascript' })
    expect(byId.get('AbortSignal-timeout')?.url).toContain('AbortSignal/timeout_static')
    expect(byId.get('AbortSignal-event-abort')).toMatchObject({ name: 'abort', kind: 'event' })
    expect(byId.get('fs-readFile')).toMatchObject({ owner: 'fs', since: 'v0.1.29' })
    expect(byId.get('fs-readFile')?.summary).toMatch(/^Asynchronously reads the entire contents/)
    expect(byId.get('Promise-allSettled')).toMatchObject({ since: 'ES2020', sinceOrder: 2020 })
    expect(byId.get('stream')).toMatchObject({ kind: 'module', module: 'stream' })
    expect(byId.get('Document-prototype-execCommand')?.deprecated).toBe(true)
    expect(byId.get('Document-prototype-getElementById')?.words).toBe('get element by id')
  })
})
