// The shipped package, made of the built files of this checkout: it holds exactly the files it needs
// and runs from an empty folder; the systemd unit is checked. `reproduce.drill.test.ts` builds again.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { Meilisearch } from 'meilisearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../server/openapi/index.ts'
import { startServer } from '../server-process.ts'
import { commitOf } from './commit.mjs'
import { sumsOf } from './reproduce.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-package-'))
const one = join(folder, 'one')
const TIMEOUT_MS = 900_000
/**
 * Size of the packed file, which users download. Tokens of models and natives are its largest
 * parts.
 */
const PACKED_BYTES_MAX = 10 << 20

/** Matches the name of a package where a built file imports or requires it. */
const IMPORTED =
  /\b(?:from ?|require\w*\(|Require\)\(\w+\)\()["']((?:@[\w-]+\/)?[\w-][\w./:-]*)["']/g

const SHIPPED = [
  'dist',
  'docs',
  'packaging',
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'LICENSE',
]
/** The built documentation is another command's; servers of other tests write compiled forms. */
const isShipped = (path: string): boolean =>
  path !== join(root, 'dist/docs') && !/\.(?:compiled|tmp)$/.test(path)

beforeAll(() => {
  for (const name of SHIPPED) {
    cpSync(join(root, name), join(one, name), { recursive: true, filter: isShipped })
  }
}, TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true }), TIMEOUT_MS)

describe('a build', () => {
  it('names no folder of the machine that built it', () => {
    for (const path of sumsOf(one).keys()) {
      if (!/\.(?:js|map|css|html)$/.test(path)) continue
      const text = readFileSync(join(one, 'dist', path), 'utf8')
      expect(text.includes(folder) || text.includes(root.slice(0, -1)), path).toBe(false)
    }
  })

  it('depends only on packages with native parts: the others are in its bundles', () => {
    const declared = JSON.parse(readFileSync(join(one, 'package.json'), 'utf8'))
    expect(declared.dependencies).toBeUndefined()
    // Package managers that block install scripts fail if there is one.
    const optional = Object.keys(declared.optionalDependencies)
    expect(optional.filter((name) => !name.startsWith('@koromix/koffi-'))).toEqual([])
    const native = [...Object.keys(declared.peerDependencies), 'mmap-io']
    expect(native).toEqual(['@riaskov/mmap-io', 'fs-ext', 'zstd-napi', 'mmap-io'])
    for (const name of Object.keys(declared.peerDependencies)) {
      expect(declared.peerDependenciesMeta[name]).toEqual({ optional: true })
    }
    const builtIn = new Set(builtinModules)
    const imported = new Set<string>()
    for (const path of sumsOf(one).keys()) {
      if (!path.endsWith('.js')) continue
      const text = readFileSync(join(one, 'dist', path), 'utf8')
      for (const [, name = ''] of text.matchAll(IMPORTED)) imported.add(name)
    }
    const packages = [...imported].filter((name) => !name.startsWith('node:') && !builtIn.has(name))
    const isNative = (name: string): boolean => native.some((one) => name.startsWith(`${one}/`))
    expect(packages.filter((name) => !isNative(name))).toEqual([])
    expect(packages).toContain('zstd-napi/binding.js')
  })

  it('imports no file that is not in it', () => {
    const files = new Set(sumsOf(one).keys())
    // Comments have single quotes.
    const relative = /\b(?:from ?|import ?\(?|require\w*\()"(\.{1,2}\/[^"]+)"/g
    let imports = 0
    for (const path of files) {
      // Scripts of the page are imported by the server's addresses.
      if (!/^(?:embed|server|tools|workers)\/.*\.c?js$/.test(path)) continue
      const text = readFileSync(join(one, 'dist', path), 'utf8')
      for (const [, name = ''] of text.matchAll(relative)) {
        if (name.includes('without-threads') && !path.startsWith('embed/')) continue
        imports++
        expect(files, `${path} imports ${name}`).toContain(join(dirname(path), name))
      }
    }
    expect(imports).toBeGreaterThan(10)
  })

  it('has tools that say which release of Node they need, where one lacks a function', () => {
    const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
    const hooks = `export const resolve = (name, context, next) => name === 'node:zlib'
      ? { url: 'data:text/javascript,export default {}', shortCircuit: true }
      : next(name, context)`
    const older = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))})`
    const words = ['--import', dataUrl(older), join(one, 'dist/tools/main.js'), '--version']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Svc Search needs Node 20\.19, 22\.12 or a later .* is v[\d.]+\n$/)
  })

  it('names the commit in its programs and in its library', () => {
    const sha = commitOf(root)?.sha
    if (sha === undefined) return
    for (const program of ['server/program.script.js', 'embed/index.js']) {
      const files = [...sumsOf(one).keys()].filter((path) => path.startsWith(dirname(program)))
      const texts = files.map((path) => readFileSync(join(one, 'dist', path), 'utf8'))
      expect(
        texts.some((text) => text.includes(sha)),
        program,
      ).toBe(true)
    }
  })

  it('ships the licences of the packages that are in it', () => {
    const text = readFileSync(join(one, 'dist/THIRD-PARTY-LICENSES'), 'utf8')
    for (const name of [
      'yargs ',
      'jose ',
      '@msgpack/msgpack ',
      '@bokuweb/zstd-wasm ',
      'd3-hierarchy ',
      'marked ',
    ]) {
      expect(text.split(name).length, name).toBeGreaterThan(2)
    }
    expect(text).toContain('Permission is hereby granted')
    expect(text).not.toMatch(/\b(?:A?GPL|LGPL|SSPL|BUSL)-\d/)
  })
})

describe('the package', () => {
  it(
    'holds what it needs, and runs from an empty folder',
    () => {
      const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts'], {
        cwd: one,
        encoding: 'utf8',
      })
      const [{ filename, size, files }] = JSON.parse(packed.stdout)
      const paths: string[] = files.map(({ path }: { path: string }) => path)
      expect(size).toBeLessThan(PACKED_BYTES_MAX)
      const wanted =
        /^(?:dist\/|docs\/|packaging\/|package\.json$|(?:README|CHANGELOG|SECURITY)\.md$|LICENSE$)/
      expect(paths.filter((path) => !wanted.test(path))).toEqual([])
      expect(paths.filter((path) => /(?<!\.d)\.ts$|\.(?:test\.\w+|compiled)$/.test(path))).toEqual(
        [],
      )
      expect(paths).toContain('dist/THIRD-PARTY-LICENSES')
      const { man } = JSON.parse(readFileSync(join(one, 'package.json'), 'utf8'))
      expect(man).toEqual(paths.filter((path) => path.startsWith('docs/man/')).sort())
      expect(paths).toContain('packaging/systemd/svc-search.service')
      expect(paths).toContain('packaging/logrotate/svc-search')
      for (const name of ['Dockerfile', 'health.mjs', 'warm-up.mjs', 'compose.yaml']) {
        expect(paths).toContain(`packaging/container/${name}`)
      }

      const empty = join(folder, 'empty')
      mkdirSync(empty)
      spawnSync('tar', ['xzf', join(one, filename), '-C', empty])
      symlinkSync(join(root, 'node_modules'), join(empty, 'node_modules'))
      const { bin, version } = JSON.parse(readFileSync(join(empty, 'package/package.json'), 'utf8'))
      for (const [name, file] of Object.entries(bin)) {
        const program = join(empty, 'package', String(file))
        expect(readFileSync(program, 'utf8'), name).toMatch(/^#!\/usr\/bin\/env node\n/)
        const { stdout, status } = spawnSync(program, ['--version'], {
          cwd: empty,
          encoding: 'utf8',
        })
        expect([status, stdout.trim().split(' ').at(-1)], name).toEqual([0, version])
      }
    },
    TIMEOUT_MS,
  )

  it('runs a server with a page, keys, backups and tools', { timeout: TIMEOUT_MS }, async () => {
    const cwd = join(folder, 'empty/server')
    mkdirSync(cwd)
    const variables = { SVC_MASTER_KEY: 'the-master-key-of-the-package' }
    const program = (name: string) => join(folder, 'empty/package/dist', name, 'main.js')
    const start = (...words: readonly string[]) =>
      startServer({ command: [program('server'), ...words], cwd, variables })
    const tools = (...words: readonly string[]) => {
      const env = { ...process.env, SVC_API_KEY: variables.SVC_MASTER_KEY }
      const done = spawnSync(program('tools'), words, { cwd, env, encoding: 'utf8' })
      return [done.status, done.stderr + done.stdout]
    }
    const finds = (url: string) =>
      expect(tools('remote', 'search', 'films', 'casinoo', '--url', url)).toEqual([
        0,
        expect.stringContaining('Casino'),
      ])

    const server = await start()
    const page = await (await fetch(server.url, { headers: { accept: 'text/html' } })).text()
    const files = [...page.matchAll(/(?:src|href)="(preview\/[^"]+)"/g)].map(([, path]) => path)
    expect(files.length).toBeGreaterThan(1)
    for (const path of files) expect((await fetch(`${server.url}/${path}`)).status).toBe(200)
    // The build made it, and the server reads it from a file.
    const api = await (await fetch(`${server.url}/openapi.json`)).json()
    expect(api).toEqual(JSON.parse(JSON.stringify(await describeApi())))
    expect((await fetch(`${server.url}/indexes`)).status).toBe(401)
    writeFileSync(join(cwd, 'films.csv'), 'id,title\n1,Heat\n2,Casino\n')
    const imported = tools('remote', 'import', 'films', 'films.csv', '--url', server.url)
    expect(imported).toEqual([0, expect.stringContaining('2 documents are searchable')])
    finds(server.url)
    const client = new Meilisearch({ host: server.url, apiKey: variables.SVC_MASTER_KEY })
    const dumped = await client.createDump().waitTask()
    const snapshot = await client.createSnapshot().waitTask()
    expect([dumped.status, snapshot.status]).toEqual(['succeeded', 'succeeded'])
    expect(await server.stop()).toMatch(/^exit code 0\n[\s\S]* stopping signal=SIGTERM/)

    const backups = {
      dump: `dumps/${dumped.details?.['dumpUid']}.dump`,
      snapshot: 'snapshots/data.ms.snapshot',
    }
    for (const [kind, file] of Object.entries(backups)) {
      expect(tools(kind, 'verify', file), kind).toEqual([0, expect.any(String)])
      const restored = await start('--db-path', `${kind}.ms`, `--import-${kind}`, file)
      finds(restored.url)
      await restored.stop()
      expect(tools('db', 'check', `${kind}.ms`)).toEqual([0, expect.stringContaining('is sound')])
    }
  })

  describe('as a library', () => {
    const app = join(folder, 'empty/app')
    const run = (file: string, text: string, variables: NodeJS.ProcessEnv = {}) => {
      writeFileSync(join(app, file), text)
      const env = { ...process.env, ...variables }
      // An open handle shows as a process that does not end.
      const options = { cwd: app, encoding: 'utf8', timeout: 60_000, env } as const
      return spawnSync(process.execPath, [file], options)
    }

    beforeAll(() => {
      mkdirSync(join(app, 'node_modules/@types'), { recursive: true })
      symlinkSync(join(folder, 'empty/package'), join(app, 'node_modules/svc-search'))
      for (const name of ['@types/node', 'undici-types']) {
        symlinkSync(join(root, 'node_modules', name), join(app, 'node_modules', name))
      }
    })

    it('runs the example of its page, and the process ends', { timeout: TIMEOUT_MS }, () => {
      const page = readFileSync(join(root, 'docs/embedding.md'), 'utf8')
      const example = /```js[^\n]*\n([\s\S]*?)```/.exec(page)![1]!
      const { stdout, stderr, status, signal } = run('example.mjs', example)
      expect([stderr, status, signal]).toEqual(['', 0, null])
      expect(stdout).toContain('The Godfather')
      expect(stdout.trim().split('\n').at(-1)).toBe('invalid_search_filter')
    })

    it('does the same without native packages, and reads what was written with them', {
      timeout: TIMEOUT_MS,
    }, () => {
      const text = `import { openEngine } from 'svc-search'
        const engine = await openEngine({ path: 'natives.ms', searchThreads: 1 })
        const add = engine.addDocuments('a', [{ id: process.argv.length, title: 'Der Hafen' }])
        await engine.waitForTask(await add)
        console.log((await engine.search('a', { q: 'haffen' })).hits.length)
        await engine.addDocuments('a', [{ id: Number(process.env.ID), title: 'Am Hafen' }])
          .then((task) => engine.waitForTask(task))
        console.log((await engine.search('a', { q: 'haffen' })).hits.length)
        await engine.close()`
      const outcome = (variables: NodeJS.ProcessEnv) => {
        const { stdout, stderr, status } = run('natives.mjs', text, variables)
        return [stdout, stderr, status]
      }
      expect(outcome({ ID: '10' })).toEqual(['1\n2\n', '', 0])
      expect(outcome({ ID: '11', SVC_NATIVES: 'off' })).toEqual(['2\n3\n', '', 0])
      expect(outcome({ ID: '12' })).toEqual(['3\n4\n', '', 0])
    })

    it('is required by CommonJS without a warning', { timeout: TIMEOUT_MS }, () => {
      const { stdout, stderr, status } = run(
        'required.cjs',
        `const { openEngine, SvcSearchError } = require('svc-search')
        openEngine({ path: 'required.ms', searchThreads: 1 }).then(async (engine) => {
          await engine.waitForTask(await engine.addDocuments('a', [{ id: 1, title: 'The Godfather' }]))
          const { hits } = await engine.search('a', { q: 'godfahter' })
          const error = await engine.search('none').catch((error) => error)
          await engine.close()
          const library = await import('svc-search')
          const isOne = library.openEngine === openEngine && error instanceof SvcSearchError
          console.log(hits.length, error.code, isOne)
        })`,
      )
      expect([stderr, status]).toEqual(['', 0])
      expect(stdout).toBe('1 index_not_found true\n')
    })

    it.each(['esm', 'cjs'] as const)(
      'is bundled by esbuild (%s)',
      { timeout: TIMEOUT_MS },
      (form) => {
        const text = readFileSync(join(root, 'scripts/bundles/project/program.mjs'), 'utf8')
        writeFileSync(join(app, 'program.mjs'), text)
        const outfile = join(app, `out/bundled.${form === 'esm' ? 'mjs' : 'cjs'}`)
        buildSync({
          absWorkingDir: app,
          entryPoints: ['program.mjs'],
          bundle: true,
          platform: 'node',
          format: form,
          outfile,
          logLevel: 'error',
        })
        const start = (file: string, ...words: readonly string[]) =>
          spawnSync(process.execPath, [file, ...words], { cwd: folder, encoding: 'utf8' })
        expect(start(outfile, join(app, form))).toMatchObject({
          stdout: 'The Godfather\n',
          stderr: '',
        })
        // Outside of the project that has installed the package, it needs the option.
        const moved = join(folder, `moved-${form}`)
        mkdirSync(moved)
        copyFileSync(outfile, join(moved, basename(outfile)))
        symlinkSync(join(root, 'node_modules'), join(moved, 'node_modules'))
        const alone = join(moved, basename(outfile))
        expect(start(alone, join(moved, 'db'))).toMatchObject({ stdout: 'workers_missing\n' })
        const workers = join(app, 'node_modules/svc-search/dist/workers')
        expect(start(alone, join(moved, 'db'), workers)).toMatchObject({
          stdout: 'The Godfather\n',
        })
      },
    )

    it('is loaded by CommonJS, and refuses a database that another process holds', {
      timeout: TIMEOUT_MS,
    }, () => {
      const { stdout, stderr, status } = run(
        'app.cjs',
        `import('svc-search').then(async ({ openEngine, SvcSearchError }) => {
          const engine = await openEngine({ path: 'held.ms', searchThreads: 1 })
          const text = "import { openEngine } from 'svc-search'; await openEngine({ path: 'held.ms' })"
            + ".catch(({ code }) => console.log(code))"
          require('node:fs').writeFileSync('second.mjs', text)
          const second = require('node:child_process').spawnSync(process.execPath, ['second.mjs'])
          console.log(String(second.stdout).trim(), (await engine.stats()).indexes)
          await engine.close()
        })`,
      )
      expect([stderr, status]).toEqual(['', 0])
      expect(stdout).toBe('database_locked {}\n')
    })

    it('has declarations that compile in a strict project', { timeout: TIMEOUT_MS }, () => {
      const text = (wrong: string) => `
        import { type Engine, type EngineOptions, openEngine, SvcSearchError } from 'svc-search'
        type Film = { id: number; title: string }
        const options: EngineOptions = { path: 'x'${wrong} }
        export async function titles(): Promise<string[]> {
          const engine: Engine = await openEngine(options)
          try {
            await engine.waitForTask(await engine.addDocuments('films', [{ id: 1, title: 'x' }]))
            const { hits } = await engine.search<Film>('films', { q: 'x', limit: 3 })
            return hits.map(({ title, _rankingScore: score = 0 }) => title + score.toFixed(2))
          } catch (error) {
            if (error instanceof SvcSearchError) return [error.code, error.link ?? '']
            throw error
          } finally {
            await engine.close()
          }
        }`
      const flags = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--ignoreConfig']
      const modules = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node']
      writeFileSync(join(app, 'right.mts'), text(''))
      writeFileSync(join(app, 'wrong.mts'), text(', treads: 1'))
      const words = [...flags, ...modules, 'right.mts', 'wrong.mts']
      const tsc = join(root, 'node_modules/.bin/tsc')
      const { stdout } = spawnSync(tsc, words, { cwd: app, encoding: 'utf8' })
      expect(
        stdout
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith(' ')),
      ).toEqual([expect.stringMatching(/^wrong\.mts\(.*treads/)])
    })
  })
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined

describe('the systemd unit', () => {
  const unit = readFileSync(join(root, 'packaging/systemd/svc-search.service'), 'utf8')

  it('gives the process access to its data alone', () => {
    const lines = new Set(unit.split('\n'))
    for (const line of [
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'CapabilityBoundingSet=',
      'RestrictNamespaces=yes',
      'StateDirectory=svc-search',
      'KillSignal=SIGTERM',
      'Restart=on-failure',
      'UMask=0077',
    ]) {
      expect(lines, line).toContain(line)
    }
  })

  it.runIf(hasSystemd)('is accepted by systemd, with a good security rating', () => {
    const path = join(folder, 'svc-search.service')
    writeFileSync(path, unit.replace('/usr/local/bin/svc-server', process.execPath))
    const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    expect([verified.status, verified.stderr]).toEqual([0, ''])
    const flags = ['security', '--offline=true', '--threshold=20', path]
    expect(spawnSync('systemd-analyze', flags).status).toBe(0)
  })
})
