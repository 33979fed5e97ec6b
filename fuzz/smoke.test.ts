// Runs every target for a moment with a fixed seed, tries all earlier findings again, and tests the
// harness: it must find planted faults. A failure prints the command that repeats it.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bundleFuzzer } from './bundle.mjs'
import { canaries } from './canary.ts'
import { targets } from './registry.ts'
import { main } from './run.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('..', import.meta.url))
const SECONDS = 0.2
/** An input that never ends runs for this time, and for three times as long once more. */
const INPUT_MS_MAX = 500

type Summary = {
  readonly target: string
  readonly executions: number
  readonly covered: number
  readonly findings: readonly { kind: string; message: string; name: string }[]
}

let worker: URL
beforeAll(async () => {
  worker = (await bundleFuzzer()).worker
})

/** Runs the command in this process. */
async function runFuzz(...args: string[]): Promise<{ code: number; text: string }> {
  let text = ''
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    text += String(part)
    return true
  })
  try {
    return { code: await main(args, root, worker), text }
  } finally {
    output.mockRestore()
  }
}

const summariesOf = (text: string): Map<string, Summary> => {
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  return new Map(lines.map((line) => JSON.parse(line) as Summary).map((one) => [one.target, one]))
}

describe('every target', () => {
  let code = -1
  let summaries = new Map<string, Summary>()
  beforeAll(async () => {
    const done = await runFuzz('--json', '--seed', '1', '--seconds', String(SECONDS))
    code = done.code
    summaries = summariesOf(done.text)
  })

  it.each(targets.map(({ name }) => name))('%s', (name) => {
    const summary = summaries.get(name)
    expect(summary).toBeDefined()
    const found = summary!.findings.map(
      (finding) =>
        `${finding.message}\n  node fuzz/run.mjs --replay fixtures/found/${finding.name}`,
    )
    expect(found).toEqual([])
    expect(summary!.executions).toBeGreaterThan(0)
    expect(summary!.covered).toBeGreaterThan(0)
  })

  it('the exit code is 0 if nothing was found', () => {
    expect(code).toBe(0)
  })

  it('every target file is in the registry, under its name', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.fuzz.ts'))
    expect(targets.map(({ name }) => `${name}.fuzz.ts`).sort()).toEqual(files.sort())
  })

  it('every earlier finding belongs to a target', () => {
    const known = [...targets, ...canaries].map(({ name }) => name)
    const found = readdirSync(fileURLToPath(new URL('../fixtures/found', import.meta.url)))
    const owner = (name: string) => name.slice(0, name.lastIndexOf('-'))
    const strangers = found.filter((name) => !known.includes(owner(name)))
    expect(strangers).toEqual(['README.md'])
  })
})

describe('the harness', () => {
  const hunt = async (inputMs: number, ...names: string[]) => {
    const run = ['--json', '--seed', '1', '--first', '--seconds', '240']
    const chosen = names.flatMap((name) => ['--target', name])
    const { code, text } = await runFuzz(...run, '--input-ms', String(inputMs), ...chosen)
    expect(code).toBe(1)
    const summaries = summariesOf(text)
    return names.map((name) => summaries.get(name)!.findings)
  }

  it('finds a fault behind four conditions, an input that never ends, a greedy one', async () => {
    const [deep, long, greedy] = await hunt(
      INPUT_MS_MAX,
      'canary-deep',
      'canary-long',
      'canary-greedy',
    )
    expect(deep, 'guided by new code').toMatchObject([{ kind: 'error' }])
    expect(deep![0]!.message).toContain('the canary sings')
    expect(deep![0]!.message, 'stacks name the sources').toContain('fuzz/canary.ts')
    expect(long).toMatchObject([{ kind: 'hang' }])
    expect(greedy).toMatchObject([{ kind: 'memory' }])
  })

  it('finds an input that ends the whole thread', async () => {
    const [fatal] = await hunt(20_000, 'canary-fatal')
    expect(fatal).toMatchObject([{ kind: 'death' }])
    expect(fatal![0]!.message).toContain('memory')
  })

  it.each(['--target nothing', '--seconds many', '--nothing'])(
    'refuses wrong usage with exit code 2: %s',
    async (words) => {
      const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
      onTestFinished(() => complaints.mockRestore())
      expect(await main(words.split(' '), folder, new URL('file:///none'))).toBe(2)
      expect(complaints.mock.calls.join()).toContain('--input-ms N')
    },
  )
})
