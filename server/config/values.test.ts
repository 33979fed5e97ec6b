// Values of options one by one, defaults that depend on the machine, variables of other programs,
// and the folder of the database.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { GiB, KiB, MiB } from '../../format/bytes/index.ts'
import { readCommandLine } from './command-line.ts'
import { type Config, readConfig } from './config.ts'
import { databasePath } from './database-path.ts'
import { helpPage, shortHelpPage } from './help-page.ts'
import { parseIpNetworks } from './ip-networks.ts'
import { checkMasterKey, masterKeyNotices, masterKeyWarning } from './master-key.ts'
import * as types from './option-types.ts'
import { readPlainly } from './plain-line.ts'
import { programName } from './usage.ts'

const home = process.cwd()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-values-'))
  process.chdir(folder)
})
afterAll(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true })
})
afterEach(() => vi.restoreAllMocks())

async function configOf(
  words: readonly string[],
  environment: { readonly [variable: string]: string } = {},
): Promise<Config> {
  const line = await readCommandLine(words)
  if (line.kind !== 'run') throw new Error('it only prints')
  return readConfig(line.options, environment)
}

const REFUSED = 'is refused'
const TYPES = new Map(Object.entries(types))
const typeNamed = (name: string) => TYPES.get(name) as types.OptionType<unknown>

describe('a value', () => {
  test.each<[string, string, unknown]>([
    ['presence', '', true],
    ['presence', '0', false],
    ['headerTextOrNone', ' ', null],
    ['headerTextOrNone', ' a', ' a'],
    ['url', 'ftp://a', 'ftp://a'],
    ['httpUrl', 'https://a:8/b', 'https://a:8/b'],
    ['name', 'a.b-c_d', 'a.b-c_d'],
    ['name', 'x'.repeat(255), 'x'.repeat(255)],
    ['name', 'x'.repeat(256), REFUSED],
    ['name', '..', REFUSED],
    ['objectPath', '/a//b c/', 'a/b c'],
    ['objectPath', 'x'.repeat(512), 'x'.repeat(512)],
    ['objectPath', 'x'.repeat(513), REFUSED],
    ['objectPath', 'a/./b', REFUSED],
    ['objectPath', 'a\\b', REFUSED],
    ['objectPath', '/', ''],
    ['followed', 'objstore:', ''],
    ['followed', 'objstore:a', 'a'],
    ['followed', 'objstore:.', REFUSED],
    ['followed', 'objstore:..', REFUSED],
    ['followed', 'objstore:a/b', REFUSED],
    ['followed', 'store:a', REFUSED],
    ['threads', 'unlimited', null],
    ['threads', '', null],
    ['threads', '1', 1],
    ['threads', '0', REFUSED],
    ['schedule', '9999999999', 9_999_999_999],
    ['schedule', '10000000000', REFUSED],
    ['address', '[::1]:80', { host: '::1', port: 80 }],
    ['address', 'a:65535', { host: 'a', port: 65_535 }],
    ['address', 'a:65536', REFUSED],
    ['address', 'a b:80', REFUSED],
    ['origins', 'http://a:8,https://[::1]', ['http://a:8', 'https://[::1]']],
    ['origins', 'http://a/', REFUSED],
  ])('of the type %s: %j is read as %j', (type, text, value) => {
    const { fromText } = typeNamed(type)
    if (value === REFUSED) expect(() => fromText(text)).toThrow('expected')
    else expect(fromText(text)).toEqual(value)
  })

  test.each([
    ['threads', 2, 2],
    ['threads', 0, REFUSED],
    ['schedule', 5, 5],
    ['schedule', true, 86_400],
    ['anySize', 5, 5],
    ['anySize', '1KiB', 1024],
    ['anySize', 0, REFUSED],
    ['anySize', 1.5, REFUSED],
    ['flag', 'true', REFUSED],
    ['text', 5, REFUSED],
    ['origins', ['http://a'], ['http://a']],
    ['origins', 'http://a', REFUSED],
  ] as const)('of the type %s in a file: %j is read as %j', (type, given, value) => {
    const { fromToml } = typeNamed(type)
    if (value === REFUSED) expect(() => fromToml(given)).toThrow('expected')
    else expect(fromToml(given)).toEqual(value)
  })

  test('of words is one of them, in any case or exactly', () => {
    const words = ['OFF', 'INFO'] as const
    expect(types.word(words).fromText(' info ')).toBe('INFO')
    expect(types.exactWord(words).fromText('INFO')).toBe('INFO')
    for (const text of ['info', ' INFO']) {
      expect(() => types.exactWord(words).fromText(text)).toThrow('expected one of `OFF`, `INFO`')
    }
  })

  test('of a size or a count lies between its bounds', () => {
    const size = types.byteSize(10, 20, 'between')
    expect([11, 19].map((bytes) => size.fromText(`${bytes}`))).toEqual([11, 19])
    for (const bytes of [10, 20]) expect(() => size.fromText(`${bytes}`)).toThrow('between')
    const count = types.count(2, 4)
    expect([2, 4].map((number) => count.fromText(`${number}`))).toEqual([2, 4])
    for (const number of [1, 5]) expect(() => count.fromText(`${number}`)).toThrow('2 to 4')
  })

  test.each<[readonly string[], ReturnType<typeof parseIpNetworks> | RegExp]>([
    [[], null],
    [[' any ', '1.2.3.4'], 'any'],
    [['1.2.3.4'], [{ address: Uint8Array.of(1, 2, 3, 4), prefixBits: 32 }]],
    [['10.0.0.0/8'], [{ address: Uint8Array.of(10, 0, 0, 0), prefixBits: 8 }]],
    [['0.0.0.0/0'], [{ address: new Uint8Array(4), prefixBits: 0 }]],
    [['1.2.3.4/32'], [{ address: Uint8Array.of(1, 2, 3, 4), prefixBits: 32 }]],
    [['1.2.3.128/25'], [{ address: Uint8Array.of(1, 2, 3, 128), prefixBits: 25 }]],
    [['::/128'], [{ address: new Uint8Array(16), prefixBits: 128 }]],
    [['1.2.3.128/24'], /bits set after its prefix/],
    [['1.2.3.1/31'], /bits set after its prefix/],
    [['::/129'], /a prefix of 0 to 128 bits/],
    [['1.2.3.4/'], /a prefix of 0 to 32 bits/],
    [['/8'], /is not a network/],
  ])('of networks: %j', (items, networks) => {
    if (networks instanceof RegExp) expect(() => parseIpNetworks(items)).toThrow(networks)
    else expect(parseIpNetworks(items)).toEqual(networks)
  })
})

describe('a plain line', () => {
  test.each<[string, readonly (readonly [string, string])[] | null]>([
    ['--schedule-snapshot', [['scheduleSnapshot', '86400']]],
    ['--no-analytics', [['noAnalytics', 'true']]],
    [
      '--schedule-snapshot --db-path x',
      [
        ['scheduleSnapshot', '86400'],
        ['dbPath', 'x'],
      ],
    ],
    ['--db-path=', [['dbPath', '']]],
    ['--experimental-dumpless-upgrade', [['upgradeDb', 'true']]],
    // The rest is not plain.
    ['--db-path', null],
    ['--db-path -x', null],
    ['--no-analytics=true', null],
    ['--db-path x --db-path y', null],
    ['db-path x', null],
    ['--experimental-proxy-connect-timeout-seconds 5', null],
  ])('%s', (line, values) => {
    const read = readPlainly(line.split(' '))
    expect(read === null ? null : [...read]).toEqual(values)
  })
})

describe('defaults of the machine', () => {
  const memoryOf = async (bytes: number): Promise<readonly number[]> => {
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(bytes)
    const config = await configOf([])
    return [
      config.maxIndexingMemory,
      config.maxSearchMemory,
      config.experimentalLimitBatchedTasksTotalSize,
    ]
  }

  test('are parts of the memory that the container has', async () => {
    expect(await memoryOf(3 * MiB + 2)).toEqual([2 * MiB + 1, 128 * MiB, 1.5 * MiB + 1])
    expect(await memoryOf(2 * GiB)).toEqual([Math.floor((2 * GiB) / 3) * 2 + 1, 256 * MiB, GiB])
  })

  test('are parts of the memory of the machine without a smaller limit', async () => {
    const all = await memoryOf(0)
    expect(all[0]).toBeGreaterThan(256 * KiB)
    expect(await memoryOf(2 ** 60)).toEqual(all)
    expect(all[2]).toBeLessThanOrEqual(10 * GiB)
  })

  test('give way to values that were chosen', async () => {
    const [memory, search] = ['--max-indexing-memory', '--max-search-memory']
    const config = await configOf([memory, '7KiB', search, '9KiB'])
    expect([config.maxIndexingMemory, config.maxSearchMemory]).toEqual([7 * KiB, 9 * KiB])
    expect([...config.explicitOptions].sort()).toEqual(['maxIndexingMemory', 'maxSearchMemory'])
  })
})

describe('variables of other programs', () => {
  test.each([
    [{ HF_HOME: '/hub', HOME: '/srv/me' }, '/hub'],
    [{ HF_HOME: '', HOME: '/srv/me' }, '/srv/me/.cache/huggingface'],
    [{ HOME: '' }, null],
    [{}, null],
  ])('%j: models are in %s', async (environment, modelsHome) => {
    expect((await configOf([], environment as { [name: string]: string })).modelsHome).toBe(
      modelsHome,
    )
  })

  test.each([
    [{ SVC_OPENAI_API_KEY: 'ours', OPENAI_API_KEY: 'common' }, 'ours'],
    [{ SVC_OPENAI_API_KEY: '', OPENAI_API_KEY: 'common' }, 'common'],
    [{}, null],
  ])('%j: the key is %s', async (environment, key) => {
    expect((await configOf([], environment as { [name: string]: string })).openAiKey).toBe(key)
  })

  test.each([
    ['', false, false],
    ['ignore_embedder_failures', true, false],
    ['ignore_document_template_failures', false, true],
  ])('the failure modes %j', async (modes, ignoresEmbedders, ignoresTemplates) => {
    const variable = 'SVC_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES'
    const { embedderFailures } = await configOf([], { [variable]: modes })
    expect(embedderFailures).toEqual({ ignoresEmbedders, ignoresTemplates })
  })
})

test('an option that a platform lacks is refused there alone', async () => {
  const words = ['--experimental-reduce-indexing-memory-usage']
  const here = vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  expect((await configOf(words)).experimentalReduceIndexingMemoryUsage).toBe(true)
  here.mockReturnValue('win32')
  await expect(configOf(words)).rejects.toThrow('is not supported on Windows')
  expect((await configOf([])).experimentalReduceIndexingMemoryUsage).toBe(false)
})

test('options that exclude each other may both be named by a standby', async () => {
  const both = ['--follow', 'objstore:a', '--follow-standby']
  await expect(configOf(both)).rejects.not.toThrow('cannot be used')
})

test('a file may not set what only a variable sets, and says which one', async () => {
  const path = join(folder, 'other.toml')
  const refusalOf = (toml: string): Promise<unknown> => {
    writeFileSync(path, toml)
    return configOf(['--config-file-path', path]).then(
      () => null,
      (error: Error) => error.message,
    )
  }
  const name = 'experimental_proxy_connect_timeout_seconds'
  expect(await refusalOf(`${name} = 5`)).toContain(
    `(line 1): it can only be set as a variable, SVC_${name.toUpperCase()}`,
  )
  expect(await refusalOf('db_pathh = "x"')).toMatch(/: did you mean `db_path`\?$/)
  expect(await refusalOf('quite_another_thing = 1')).toMatch(/other.toml" \(line 1\)$/)
  expect(await refusalOf('experimental_dumpless_upgrade = true')).toBeNull()
  rmSync(path)
})

test('the folder of the database is that of the environment, the file, or the default', async () => {
  const path = join(folder, 'database.toml')
  writeFileSync(path, 'db_path = "of-the-file"')
  const file = { SVC_CONFIG_FILE_PATH: path }
  expect(await databasePath({ ...file, SVC_DB_PATH: 'given' })).toBe('given')
  expect(await databasePath({ ...file, SVC_DB_PATH: '' })).toBe('of-the-file')
  expect(await databasePath({ SVC_CONFIG_FILE_PATH: '' })).toBe('data.ms/')
  writeFileSync(path, 'env = "production"')
  expect(await databasePath(file)).toBe('data.ms/')
  await expect(databasePath({ SVC_CONFIG_FILE_PATH: '/nowhere/x' })).rejects.toThrow('ENOENT')
  rmSync(path)
})

describe('a master key', () => {
  const [LONG, SHORT] = ['x'.repeat(16), 'x'.repeat(15)]

  test('has at least 16 bytes in production', () => {
    expect(() => checkMasterKey(LONG, 'production')).not.toThrow()
    expect(() => checkMasterKey(SHORT, 'production')).toThrow('is only 15 bytes.')
    const shown = (suggests: boolean): string => {
      try {
        checkMasterKey(null, 'production', suggests)
        return ''
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(shown(true)).toContain('export SVC_MASTER_KEY=')
    expect(shown(false)).toMatch(/--master-key launch option\.$/)
  })

  test('that is not safe is warned of', () => {
    expect([null, SHORT, LONG].map(masterKeyWarning)).toEqual([
      'no master key is set: all requests are accepted; set SVC_MASTER_KEY to 16 bytes or more',
      'the master key is too short for production; set SVC_MASTER_KEY to 16 bytes or more',
      null,
    ])
    const warnings = [null, SHORT, LONG].map((key) =>
      masterKeyNotices(key).map(({ isWarning }) => isWarning),
    )
    expect(warnings).toEqual([[true, false], [true, false, false], [false]])
    expect(masterKeyNotices(SHORT)[0]!.text).toContain('considered unsafe')
  })
})

describe('the help', () => {
  test('is 40 to 100 columns wide', () => {
    for (const page of [helpPage, shortHelpPage]) {
      expect(page(10)).toBe(page(40))
      expect(page(500)).toBe(page(100))
      expect(page(80)).not.toBe(page(100))
      expect(page(50)).not.toBe(page(40))
    }
  })

  test('breaks a text where the next word does not fit', () => {
    const lines = shortHelpPage(60).split('\n')
    const texts = lines.flatMap((line, at) =>
      line.startsWith('          ') && lines[at + 1]?.startsWith('          ') === true
        ? [[line, lines[at + 1]!.trim()]]
        : [],
    )
    expect(texts.length).toBeGreaterThan(5)
    for (const [line, next] of texts) {
      // A default stays on one line.
      const word = next!.startsWith('[default') ? next!.split(']', 1)[0]! : next!.split(' ', 1)[0]!
      expect(line!.length).toBeLessThanOrEqual(60)
      expect(line!.length + 1 + word.length, line).toBeGreaterThanOrEqual(60)
    }
  })

  test.each([
    ['/usr/bin/svc-search', 'svc-search'],
    ['/usr/bin/svc-search.cmd', 'svc-search'],
    ['/srv/dist/main.mjs', 'svc-server'],
  ])('of %s is that of %s', (path, name) => {
    const [, program = ''] = process.argv
    process.argv[1] = path
    expect(programName()).toBe(name)
    process.argv[1] = program
  })
})
