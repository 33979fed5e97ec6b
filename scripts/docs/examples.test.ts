// Runs the examples of README.md and docs/: shell blocks run in bash against a server of this
// process, JSON is sent or compared with answers, command lines and configuration files are read by
// the programs' own parsers. `blocks.ts` describes the directives behind a block's language.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPatch, SETTING_NAMES } from '../../engine/settings/index.ts'
import { readSetting } from '../../server/parse/index.ts'
import { PlayedProvider } from '../../server/testing/test-provider.ts'
import { type Block, blocksOf } from './blocks.ts'
import { PAGES, START_PAGE } from './pages.table.ts'
import { expectedAnswer } from './test-answers.ts'
import { problemOfCall, problemOfConfigFile, ROOT } from './test-calls.ts'
import { type ExampleServer, startExampleServer } from './test-server.ts'
import { ownCommands, Shell, type ShellRun } from './test-shell.ts'

/** Number of blocks on all pages that do not run. Lower it when one of them becomes runnable. */
const NOT_RUN_MAX = 16
/** Addresses of models on pages, which the address of this test's provider replaces. */
const MODELS = /127\.0\.0\.1:(?:11434|8000)/g
const LANGUAGES = [
  '',
  'sh',
  'json',
  'js',
  'jsx',
  'html',
  'toml',
  'yaml',
  'mermaid',
  'text',
  'csv',
  'sql',
  'nginx',
  'caddy',
  'go',
  'ruby',
]
/** Languages of programs that run only where their interpreter is installed. */
const INTERPRETERS: { readonly [language: string]: string } = { python: 'python3', php: 'php' }

const FILES = [
  'README.md',
  `docs/${START_PAGE}`,
  ...PAGES.filter(({ isGenerated }) => isGenerated !== true).map(({ file }) => `docs/${file}`),
]
const GENERATED = PAGES.filter(({ isGenerated }) => isGenerated === true)

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
/** `npm run near` runs the examples of the changed pages alone. */
const { SVC_TEST_PAGES } = process.env
const RUN = FILES.filter((file) => SVC_TEST_PAGES?.split(',').includes(file) !== false)
const pages = new Map(FILES.map((file) => [file, blocksOf(read(file))]))

let provider: PlayedProvider
beforeAll(async () => {
  provider = await PlayedProvider.start()
  provider.set({
    '/multimodal': {
      request: { inputs: ['{{fragment}}', '{{..}}'] },
      response: { vectors: ['{{embedding}}', '{{..}}'] },
      dims: 512,
    },
  })
})
afterAll(() => provider.stop())

/** Runs the blocks of one page in order. */
class PageRun {
  readonly #server: ExampleServer
  readonly #shell: Shell
  /** Output of the last commands, or null if they could not run. */
  #output: string | null = ''

  constructor(server: ExampleServer, shell: Shell) {
    this.#server = server
    this.#shell = shell
  }

  async run(block: Block): Promise<void> {
    const { directive, language, text } = block
    const place = `line ${block.line}`
    expect([...LANGUAGES, ...Object.keys(INTERPRETERS)], place).toContain(language)
    switch (directive.kind) {
      case 'notRun':
      case 'runBy':
        return this.#runAll(ownCommands(text).join('\n'), place, 'parse')
      case 'output':
        if (this.#output === null) return
        return expect(this.#output.trim(), place).toBe(text.trim())
      case 'file':
        return writeFileSync(join(this.#shell.folder, directive.name), `${text}\n`)
      case 'send':
        return this.#send(directive.method, directive.path, text, place)
      case 'setting':
        return readAsSetting(directive.name, text)
      case 'answer':
        return this.#compare(text, place)
      case 'fails':
        return this.#runAll(text, place, 'fail')
    }
    if (language === 'sh') return this.#runAll(text, place)
    if (language === 'json') return void JSON.parse(text)
    if (language === 'toml') return this.#readConfig(text, place)
    if (language === 'js') return this.#runProgram(this.#shell.runModule(text, ROOT), place)
    const interpreter = INTERPRETERS[language]
    if (interpreter === undefined) return
    return this.#runProgram(this.#shell.runProgram(interpreter, text), place)
  }

  async #runProgram(running: Promise<ShellRun | null>, place: string): Promise<void> {
    const ran = await running
    this.#output = ran?.output ?? null
    if (ran !== null) expect(ran.code, `${place}: ${ran.output}`).toBe(0)
  }

  /** `how`: whether requests may fail, or the commands of the tools are only parsed. */
  async #runAll(script: string, place: string, how?: 'fail' | 'parse'): Promise<void> {
    if (script === '') return
    const before = this.#server.exchanges.length
    const { code, output, calls } = await this.#shell.run(this.#inPlace(script), how === 'parse')
    this.#output = output
    const made = this.#server.exchanges.slice(before)
    const failed = made.filter(({ status, taskError }) => status >= 400 || taskError !== null)
    if (how === 'fail') expect(failed.length, place).toBeGreaterThan(0)
    else {
      expect(failed, place).toEqual([])
      expect(code, `${place}: ${output}`).toBe(0)
    }
    for (const call of calls) expect(await problemOfCall(call), place).toBeNull()
  }

  async #send(method: string, path: string, text: string, place: string): Promise<void> {
    const body = this.#inPlace(text)
    JSON.parse(body)
    writeFileSync(join(this.#shell.folder, 'body.json'), body)
    const headers = `-H 'content-type: application/json' --data-binary @body.json`
    await this.#runAll(`curl -X ${method} 'localhost:7700${path}' ${headers}`, place)
  }

  #compare(text: string, place: string): void {
    const last = this.#server.exchanges.at(-1)
    expect(last, `${place}: no request before it`).toBeDefined()
    const answer = JSON.parse(last!.body)
    expect(answer, `${place}, after ${last!.request}`).toMatchObject(expectedAnswer(text))
  }

  async #readConfig(text: string, place: string): Promise<void> {
    const file = join(this.#shell.folder, 'page.toml')
    writeFileSync(file, text)
    expect(await problemOfConfigFile(file), place).toBeNull()
  }

  #inPlace(text: string): string {
    return text.replaceAll(MODELS, provider.url.slice('http://'.length))
  }
}

/** @throws ApiError, EngineFault */
function readAsSetting(name: string, text: string): void {
  const setting = SETTING_NAMES.find((one) => one === name)
  expect(setting, name).toBeDefined()
  checkPatch(readSetting(setting!, Buffer.from(text)))
}

describe('the examples of', () => {
  test.concurrent.each(RUN)('%s', async (file) => {
    const blocks = pages.get(file)!
    if (blocks.length === 0) return
    const server = await startExampleServer()
    const shell = new Shell(server.port)
    try {
      const run = new PageRun(server, shell)
      for (const block of blocks) await run.run(block)
    } finally {
      await server.stop()
      shell.remove()
    }
  })

  test.each(GENERATED.map(({ file }) => file))('%s are read by the parsers', async (file) => {
    const blocks = blocksOf(read(`docs/${file}`)).filter(({ language }) => language === 'sh')
    const shell = new Shell('1')
    const commands = blocks.flatMap(({ text }) => ownCommands(text))
    const { code, output, calls } = await shell.run(commands.join('\n'), true)
    shell.remove()
    expect(code, output).toBe(0)
    expect(calls.length).toBe(commands.length)
    for (const call of calls) expect(await problemOfCall(call)).toBeNull()
  })
})

test('finds each block that another test runs on a page that the test names', () => {
  for (const [page, blocks] of pages) {
    for (const { directive } of blocks) {
      if (directive.kind !== 'runBy') continue
      expect(existsSync(join(ROOT, directive.file)), directive.file).toBe(true)
      expect(read(directive.file), directive.file).toContain(page)
    }
  }
})

test('skips no more blocks than allowed', () => {
  const all = [...pages.values()].flat()
  const skipped = all.filter(({ directive }) => directive.kind === 'notRun')
  expect(skipped.length).toBeLessThanOrEqual(NOT_RUN_MAX)
  expect(skipped.length, 'lower the ceiling').toBeGreaterThan(NOT_RUN_MAX - 3)
})

const problem = (line: string): Promise<string | null> => {
  const [program = '', ...words] = line.split(' ')
  return problemOfCall({ program, words, variables: {} })
}

describe('the parsers of command lines', () => {
  test('accept correct commands', async () => {
    for (const line of [
      'svc-tools db check data.ms',
      'svc-tools index export films --format csv',
      'svc-server --http-addr localhost:7700 --db-path x',
      'npx svc-search --db-path x',
      'npm run fire -- kill',
      'node dist/server/main.js --env development',
    ]) {
      expect(await problem(line), line).toBeNull()
    }
  })

  test('refuse wrong commands, also after a correct line', async () => {
    for (const line of [
      'svc-tools db chek data.ms',
      'svc-tools db check --nothing data.ms',
      'svc-tools index export',
      'svc-tools index export films --format xml',
      'svc-tools db check data.ms --yes',
      'svc-server --nothing',
      'svc-server --http-addr nowhere',
      'npx svc-search --db-pth x',
      'npm run nothing',
      'node scripts/nothing.mjs',
    ]) {
      expect(await problem(line), line).not.toBeNull()
    }
    expect(await problem('svc-tools db check data.ms')).toBeNull()
  })
})
