// A server in this process over a database in a temporary folder. For tests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dispatcher, request } from 'undici'
import { openEngine } from '../../engine/open/open-engine.ts'
import { RELEASE, readConfig } from '../config/index.ts'
import { engineOptions } from '../launch/engine-options.ts'
import { run } from '../launch/run.ts'
import { Log } from '../log/index.ts'

type Answer = { readonly status: number; readonly body: unknown }

export type TestServer = {
  readonly url: string
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Waits until no task waits or runs. */
  readonly idle: () => Promise<void>
  readonly stop: () => Promise<void>
}

type Options = { readonly [option: string]: string | undefined }

/** Starts a server without threads over a database in `folder`, which stays. */
export async function openServer(folder: string, options: Options, preview: URL | null = null) {
  const all: Options = {
    HTTP_ADDR: '127.0.0.1:0',
    DB_PATH: join(folder, 'db'),
    SNAPSHOT_DIR: join(folder, 'snapshots'),
    DUMP_DIR: join(folder, 'dumps'),
    EXPERIMENTAL_ALLOWED_IP_NETWORKS: 'any',
    ...options,
  }
  const variables = Object.entries(all).map(([name, value]) => [`SVC_${name}`, value])
  const config = await readConfig(new Map(), Object.fromEntries(variables))
  const log = new Log({ level: 'OFF', mode: 'human', write: () => undefined, now: () => 0 })
  const nowhere = new URL('file:///nowhere')
  const threads = {
    search: nowhere,
    index: nowhere,
    archive: nowhere,
    template: nowhere,
    models: nowhere,
  }
  const engine = await openEngine({
    ...engineOptions(config, RELEASE.version, threads, log),
    workers: null,
  })
  const { address, stop } = await run(config, engine, log, preview)
  return { engine, url: `http://127.0.0.1:${address.port}`, stop }
}

/**
 * `options`: as in the environment, without their prefix. `preview`: the folder of the preview
 * page's files.
 */
export async function startServer(
  options: Options = {},
  preview: URL | null = null,
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-server-'))
  const { engine, url, stop } = await openServer(folder, options, preview)
  return {
    url,
    ask: async (method, path, body) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = body === undefined ? null : JSON.stringify(body)
      // It costs a fraction of `fetch`, and lets no answer be compressed.
      const answer = await request(url + path, {
        method: method as Dispatcher.HttpMethod,
        headers,
        body: sent,
      })
      const text = await answer.body.text()
      return { status: answer.statusCode, body: text === '' ? null : JSON.parse(text) }
    },
    idle: () => engine.idle(),
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}
