// Runs every target for a moment with a fixed seed, tries all earlier findings again, and tests the
// harness: it must find planted faults. A failure prints the command that repeats it.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { canaries } from './canary.ts'
import { targets } from './registry.ts'
import { main } from './run.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const SECONDS = 0.3

type Summary = {
  readonly target: string
  readonly executions: number
  readonly covered: number
  readonly findings: readonly { kind: string; message: string; name: string }[]
}

function runFuzz(...args: string[]): Promise<{ code: number; text: string; errors: string }> {
  return new Promise((resolve) => {
    const command = [`${folder}run.mjs`, ...args]
    execFile(process.execPath, command, { maxBuffer: 1 << 26 }, (error, text, errors) => {
      resolve({ code: Number(error?.code ?? 0), text, errors })
    })
  })
}

const summariesOf = (text: string): Map<string, Summary> => {
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  return new Map(lines.map((line) => JSON.parse(line) as Summary).map((one) => [one.target, one]))
}

describe('every target', () => {
  let code = -1
  let errors = ''
  let summaries = new Map<string, Summary>()
  beforeAll(async () => {
    const done = await runFuzz('--json', '--seed', '1', '--seconds', String(SECONDS))
    code = done.code
    errors = done.errors
    summaries = summariesOf(done.text)
  })

  it.each(targets.map(({ name }) => name))('%s', (name) => {
    const summary = summaries.get(name)
    expect(summary, errors).toBeDefined()
    const found = summary!.findings.map(
      (finding) =>
        `${finding.message}\n  node fuzz/run.mjs --replay fixtures/found/${finding.name}`,
    )
    expect(found).toEqual([])
    expect(summary!.executions).toBeGreaterThan(0)
    expect(summary!.covered).toBeGreaterThan(0)
  })

  it('the exit code is 0 if nothing was found', () => {
    expect(code, errors).toBe(0)
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
  /** Bundling the fuzzer takes longer than most hunts, so one run has several targets. */
  const hunt = async (inputMs: number, ...names: string[]) => {
    const run = ['--json', '--seed', '1', '--first', '--seconds', '240']
    const chosen = names.flatMap((name) => ['--target', name])
    const { code, text, errors } = await runFuzz(...run, '--input-ms', String(inputMs), ...chosen)
    expect(code, errors).toBe(1)
    const summaries = summariesOf(text)
    return names.map((name) => summaries.get(name)!.findings)
  }

  it('finds a fault behind four conditions, an input that never ends, a greedy one', async () => {
    const [deep, long, greedy] = await hunt(1000, 'canary-deep', 'canary-long', 'canary-greedy')
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
