// Templates in a thread: requests of clients cannot block it, fill it or keep other clients out.
// The thread runs the shipped program; small programs replace it to misbehave.
import { setMaxListeners } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runTemplateJob, type TemplateJob, type TemplateOutcome, TemplateThread } from './index.ts'
import { THREAD_MS_MAX, WAITING_LENGTH_MAX, WAITING_MAX } from './limits.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-template-'))
const file = pathToFileURL(join(folder, 'worker.mjs'))
const root = fileURLToPath(new URL('../../../', import.meta.url))

beforeAll(() =>
  build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    outExtension: { '.js': '.mjs' },
    outdir: folder,
    banner: {
      js:
        "import { createRequire as svcCreateRequire } from 'node:module';" +
        'const require = svcCreateRequire(import.meta.url);',
    },
    entryPoints: ['engine/ai/template/worker.ts'],
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

let templates = new TemplateThread(file)
afterEach(async () => {
  await templates.close()
  templates = new TemplateThread(file)
})

const jobOf = (source: unknown, doc: { [name: string]: unknown } = {}): TemplateJob => ({
  source,
  input: { kind: 'document', doc },
})

const wordsOf = (outcome: TemplateOutcome): string =>
  outcome.kind === 'fault' ? `${outcome.during}: ${outcome.words}` : textOf(outcome)
const textOf = (outcome: TemplateOutcome): string => {
  if (outcome.kind === 'fault') throw new Error(outcome.words)
  return Buffer.from(outcome.json).toString()
}

let programs = 0

/** Starts a thread whose program answers every job with `code`. */
function threadOf(code: string, times: { threadMsMax: number; idleMs: number }): TemplateThread {
  const path = join(folder, `program-${programs++}.mjs`)
  writeFileSync(
    path,
    `import { parentPort } from 'node:worker_threads'
     let jobs = 0
     const answer = (text) => parentPort.postMessage({ kind: 'outcome', outcome: {
       kind: 'rendered', json: new TextEncoder().encode(text) } })
     parentPort.on('message', (job) => { jobs++; ${code} })
     parentPort.postMessage({ kind: 'ready' })`,
  )
  templates = new TemplateThread(pathToFileURL(path), times)
  return templates
}

describe('a job', () => {
  test.each([
    ['a text', jobOf('T: {{doc.t}}', { t: 'x' }), { template: 'T: {{doc.t}}', rendered: 'T: x' }],
    ['texts', jobOf({ a: ['{{doc.t}}', 1, null], b: { c: '!' } }, { t: 'x' }), undefined],
    ['no input', { source: '{{doc.t}}', input: null }, undefined],
    [
      'a stored document',
      {
        source: '{% for f in fields %}{{f.name}}{{f.is_searchable}} {% endfor %}',
        input: { kind: 'stored', json: Buffer.from('{"a":{"b":1},"c":2}'), searchable: ['a.b'] },
      },
      undefined,
    ],
    [
      'a search',
      { source: '{{q}}', input: { kind: 'search', scope: { q: 'words' } } },
      { template: '{{q}}', rendered: 'words' },
    ],
  ] satisfies readonly [string, TemplateJob, unknown][])(
    '%s has the outcome that it has in place',
    async (_, job, expected) => {
      const text = textOf(await templates.run(job))
      expect(text).toBe(textOf(await runTemplateJob(job)))
      if (expected !== undefined) expect(JSON.parse(text)).toEqual(expected)
    },
  )

  test('of a stored document reads which fields are searchable', async () => {
    const source = '{% for f in fields %}{{f.name}}{{f.is_searchable}} {% endfor %}'
    const json = Buffer.from('{"a":{"b":1},"c":2}')
    const outcome = await templates.run({
      source,
      input: { kind: 'stored', json, searchable: ['a.b', 'c'] },
    })
    // Only a nested field of `a` is searchable.
    expect(JSON.parse(textOf(outcome)).rendered).toBe('afalse ctrue ')
  })

  test('reports which text cannot be parsed', async () => {
    const job = { source: ['a', '{{ a }}', '{% nope %}'], input: null }
    expect(await templates.run(job)).toMatchObject({ kind: 'fault', during: 'parsing', at: 2 })
  })
})

const RANGE = '{% assign l = (1..200000) %}'
const doubled = (step: string): string => step.repeat(40)

describe('a template of a client', () => {
  test.each([
    [
      '4.3 MB of texts',
      jobOf(Array.from({ length: 43 }, (_, n) => `${'{{doc.a}}'.repeat(11_000)}${n}`)),
      'parsing: a template has at most 400000 characters',
    ],
    [
      '430,000 texts',
      jobOf(Array.from({ length: 430_000 }, (_, n) => `${n}`)),
      'parsing: a template has at most 10000 values',
    ],
    [
      'texts nested deeply',
      jobOf(JSON.parse(`${'['.repeat(5000)}"a"${']'.repeat(5000)}`)),
      'parsing: a template has at most 127 levels',
    ],
    [
      'a list of 200,000 elements',
      jobOf('{{ doc.l | sort | size }}', { l: Array.from({ length: 200_000 }, (_, n) => n) }),
      'rendering: an inline input has at most 20000 values',
    ],
    [
      'a text of 5 MB',
      jobOf('{{ doc.s }}', { s: 'x'.repeat(5_000_000) }),
      'rendering: an inline input has at most 4000000 characters',
    ],
    [
      'loops in loops',
      jobOf(
        '{% for a in (1..9000) %}{% for b in (1..9000) %}{% assign z = a %}{% endfor %}{% endfor %}',
      ),
      'rendering: the templates of a request take at most 500 ms',
    ],
    [
      'sorting 200,000 elements again and again',
      jobOf(`${RANGE}${'{% assign l = l | reverse | sort | uniq %}'.repeat(100)}`),
      'rendering: ',
    ],
    [
      'texts that double',
      jobOf(`{% assign a = "xxxxxxxx" %}${doubled('{% assign a = a | append: a %}')}`),
      'rendering: a request puts at most 10000000 characters',
    ],
    [
      'captured texts that double',
      jobOf(
        `{% capture a %}xxxxxxxx{% endcapture %}${doubled('{% capture a %}{{a}}{{a}}{% endcapture %}')}`,
      ),
      'rendering: a request puts at most 10000000 characters',
    ],
    [
      'a page printed without end',
      jobOf(`{% for a in (1..9000000) %}${'y'.repeat(90_000)}{% endfor %}`),
      'rendering: ',
    ],
    [
      'a document printed a thousand times',
      jobOf('{% for a in (1..1000) %}{{doc}}{% endfor %}', { s: 'x'.repeat(1_000_000) }),
      'rendering: a request puts at most 10000000 characters',
    ],
    [
      'many texts that take long together',
      jobOf(
        Array.from(
          { length: 1000 },
          (_, n) => `${n}{% for a in (1..99) %}{% for b in (1..99) %}{{a}}{% endfor %}{% endfor %}`,
        ),
      ),
      'the templates of a request take at most 500 ms',
    ],
    ['a fault that quotes it all', jobOf(`{{ ${'x'.repeat(90_000)} }}`), 'rendering: '],
  ])('%s is refused, and the next request is answered', async (_, job, words) => {
    const outcome = await templates.run(job)
    expect(wordsOf(outcome)).toContain(words)
    expect(wordsOf(outcome).length).toBeLessThan(11_000)
    expect(textOf(await templates.run(jobOf('{{doc.t}}', { t: 'fine' })))).toContain('fine')
  })
})

describe('a thread', () => {
  const times = { threadMsMax: 300, idleMs: 60_000 }

  test.each([
    ['spins', 'for (;;) {}', `at most ${300} ms`],
    [
      'spins inside the runtime',
      '/^(([a-z])+)+$/.test("a".repeat(60) + "!"); answer("1")',
      'at most 300 ms',
    ],
    ['fills its heap', 'const l = []; for (;;) l.push(new Array(10000).fill(jobs))', 'at most'],
  ])('that %s is ended, and another one takes its place', async (_, code, words) => {
    const thread = threadOf(
      `if (job.source !== 'fine') { ${code} } else answer('"' + jobs + '"')`,
      {
        ...times,
        threadMsMax: code.includes('fill') ? 60_000 : 300,
      },
    )
    const outcomes = await Promise.all([
      thread.run({ source: 'wild', input: null }),
      thread.run({ source: 'fine', input: null }),
    ])
    expect(wordsOf(outcomes[0])).toContain(words)
    // The first job of its thread.
    expect(wordsOf(outcomes[1])).toBe('"1"')
  })

  test('that crashes fails the request it worked on, and no other one', async () => {
    const thread = threadOf("if (job.source === 'fine') answer('1'); else process.exit(3)", times)
    const died = thread.run({ source: 'wild', input: null })
    const fine = thread.run({ source: 'fine', input: null })
    await expect(died).rejects.toThrow('ended with code 3')
    expect(wordsOf(await fine)).toBe('1')
  })

  test('that reports a mistake fails that request alone', async () => {
    const mistake = "parentPort.postMessage({ kind: 'failed', message: 'a mistake' })"
    const thread = threadOf(`if (job.source === 'fine') answer('' + jobs); else ${mistake}`, times)
    await expect(thread.run({ source: 'wild', input: null })).rejects.toThrow(/^a mistake$/)
    expect(wordsOf(await thread.run({ source: 'fine', input: null }))).toBe('2')
  })

  test('that does not start fails the waiting requests', async () => {
    templates = new TemplateThread(new URL('nothing.mjs', file))
    await expect(templates.run({ source: 'a', input: null })).rejects.toThrow('nothing.mjs')
    await expect(templates.run({ source: 'a', input: null })).rejects.toThrow('nothing.mjs')
  })

  test('ends when it is idle, and is started again', async () => {
    const thread = threadOf("answer('' + jobs)", { threadMsMax: THREAD_MS_MAX * 10, idleMs: 1 })
    const job = { source: 'a', input: null }
    let last = ''
    // The second answer of a thread is 2; a new thread begins with 1 again.
    for (let i = 0; i < 100 && last !== '1'; i++) {
      await thread.run(job)
      await new Promise((resolve) => setTimeout(resolve, 10 + i))
      last = wordsOf(await thread.run(job))
    }
    expect(last).toBe('1')
  })

  test('holds a bounded length, which aborted requests give back', async () => {
    const thread = threadOf('', { threadMsMax: 60_000, idleMs: 60_000 })
    const controller = new AbortController()
    const json = new Uint8Array(WAITING_LENGTH_MAX / 2 - 100)
    const job = { source: 'a', input: { kind: 'stored', json, searchable: [] } } as const
    const gone = Array.from({ length: 2 }, () => thread.run(job, { signal: controller.signal }))
    const ended = Promise.allSettled(gone)
    const small = { source: 'x'.repeat(200), input: null }
    await expect(thread.run(small)).rejects.toMatchObject({ code: 'too_many_search_requests' })
    controller.abort()
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const late = [job, small, job].map((one) => thread.run(one))
    await expect(late[2]).rejects.toMatchObject({ code: 'too_many_search_requests' })
    const closed = Promise.allSettled(late.slice(0, 2))
    await thread.close()
    for (const one of await closed) {
      expect(String(one.status === 'rejected' && one.reason)).toContain('the engine is closing')
    }
  })

  test.each([
    [0, 'the engine is closing'],
    [1, 'Too many requests wait'],
  ])('holds its whole length, and not %i more', async (more, words) => {
    const thread = threadOf('', { threadMsMax: 60_000, idleMs: 60_000 })
    const small = { source: 'x'.repeat(100 + more), input: null }
    const json = new Uint8Array(WAITING_LENGTH_MAX - 200)
    const stored = { kind: 'stored', json, searchable: [] } as const
    const first = thread.run({ source: 'x'.repeat(100), input: stored })
    const both = Promise.allSettled([first, thread.run(small)])
    await thread.close()
    expect((await both).map((one) => String(one.status === 'rejected' && one.reason))).toEqual([
      expect.stringContaining('the engine is closing'),
      expect.stringContaining(words),
    ])
  })

  test('has a bounded queue; aborted requests free their place, and requests of the engine always enter', async () => {
    const thread = threadOf('', { threadMsMax: 60_000, idleMs: 60_000 })
    const controller = new AbortController()
    const { signal } = controller
    setMaxListeners(WAITING_MAX, signal)
    const job = { source: 'a', input: null }
    const all = Array.from({ length: WAITING_MAX }, () => thread.run(job, { signal }))
    const ended = Promise.allSettled([...all, thread.run(job, { isOurs: true })])
    await expect(thread.run(job)).rejects.toMatchObject({ code: 'too_many_search_requests' })
    controller.abort()
    const late = expect(thread.run(job)).rejects.toThrow('the engine is closing')
    await thread.close()
    await late
    const reasons = (await ended).map((one) => String(one.status === 'rejected' && one.reason))
    expect(reasons.slice(0, -1).every((reason) => reason.includes('client has gone'))).toBe(true)
    expect(reasons.at(-1)).toContain('the engine is closing')
  })
})
