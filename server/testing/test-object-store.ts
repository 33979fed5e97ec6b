// A real object store behind a proxy that injects faults. For tests.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestOptions, request, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type StoreStyle, StrictStore } from './test-strict-store.ts'

export const BUCKET = 'backups'
/** Access key and secret key of the store. */
export const STORE_KEY = 'S3RVER'

/** The proxy's treatment of a request: an answer instead of the store's, or a fault. */
export type Trouble =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Cuts the connection before the request is passed on. */
  | { readonly kind: 'reset' }
  /** The request reaches the store; its answer is lost. */
  | { readonly kind: 'lost' }
  /** Sends half of the answer's body. */
  | { readonly kind: 'half' }
  | { readonly kind: 'slow'; readonly ms: number }
  /** Delays the answer until the promise resolves. */
  | { readonly kind: 'held'; readonly until: Promise<void> }
  /** Gives no answer until the connection is closed. */
  | { readonly kind: 'hang' }

type Passed = { readonly method: string; readonly url: string; readonly bytes: number }

export type TestStore = {
  /** Address of the proxy. */
  readonly url: string
  /** Called for every request; null passes it on unchanged. */
  trouble: (method: string, url: string) => Trouble | null
  /** The requests passed on, in order. */
  readonly passed: Passed[]
  /** The most parts and files in transfer at the same time, so far. */
  mostAtOnce: number
  /** Cuts all connections and accepts none for `ms` milliseconds. */
  readonly restart: (ms: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * `s3rver`, our strict store in one of its styles or with `long-pages` of lists, which takes the
 * least time, or `moto` where Python has it.
 */
export type StoreKind = 's3rver' | StoreStyle | 'long-pages' | 'moto'

type S3rver = new (options: object) => { run(): Promise<AddressInfo>; close(): Promise<void> }

/** The store behind the proxy. */
type Inner = { readonly port: number; readonly close: () => Promise<void> }

async function startS3rver(): Promise<Inner> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-store-'))
  const Store = createRequire(import.meta.url)('s3rver') as S3rver
  const configureBuckets = [{ name: BUCKET, configs: [] }]
  const store = new Store({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets,
  })
  const { port } = await store.run()
  const close = async (): Promise<void> => {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { port, close }
}

async function startStrict(kind: StoreStyle | 'long-pages'): Promise<Inner> {
  const keys = { accessKey: STORE_KEY, secretKey: STORE_KEY, region: 'us-east-1' }
  const how =
    kind === 'long-pages' ? { style: 'hyperscale' as const, pageMax: 1000 } : { style: kind }
  const server = new StrictStore({ ...how, bucket: BUCKET, ...keys }).server()
  const port = await listening(server, 0)
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
  }
  return { port, close }
}

const MOTO = 'moto_server'
const MOTO_START_MS_MAX = 60_000

/** Returns whether Python's `moto` is installed with its server. */
export const hasMoto = (): boolean =>
  spawnSync(MOTO, ['--help'], { stdio: 'ignore', timeout: MOTO_START_MS_MAX }).status === 0

async function startMoto(): Promise<Inner> {
  const probe = createServer()
  const port = await listening(probe, 0)
  probe.close()
  const child = spawn(MOTO, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  await bucketMade(child, port)
  const close = async (): Promise<void> => {
    process.removeListener('exit', kill)
    if (child.exitCode !== null) return
    kill()
    await once(child, 'exit')
  }
  return { port, close }
}

/** Creates the bucket as soon as the server answers. @throws if it does not answer in time */
async function bucketMade(child: ChildProcess, port: number): Promise<void> {
  const end = Date.now() + MOTO_START_MS_MAX
  const creation = { host: '127.0.0.1', port, method: 'PUT', path: `/${BUCKET}` }
  while (child.exitCode === null && Date.now() < end) {
    if ((await statusOf(creation)) === 200) return
    await sleep(100)
  }
  throw new Error(`${MOTO} does not answer`)
}

const statusOf = (options: RequestOptions): Promise<number | null> =>
  new Promise((resolve) => {
    const sent = request(options, (response) => {
      response.resume()
      resolve(response.statusCode ?? null)
    })
    sent.on('error', () => resolve(null))
    sent.end()
  })

async function listening(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const startInner = (kind: StoreKind): Promise<Inner> =>
  kind === 's3rver' ? startS3rver() : kind === 'moto' ? startMoto() : startStrict(kind)

export async function startStore(kind: StoreKind = 's3rver'): Promise<TestStore> {
  const inner = await startInner(kind)
  const way = createServer()
  const test: TestStore = {
    url: '',
    trouble: () => null,
    passed: [],
    mostAtOnce: 0,
    restart: async (ms) => {
      const { port } = way.address() as AddressInfo
      way.closeAllConnections()
      const closed = once(way, 'close')
      way.close()
      await closed
      await sleep(ms)
      await listening(way, port)
    },
    stop: async () => {
      way.closeAllConnections()
      way.close()
      await inner.close()
    },
  }
  passOn(way, inner.port, test)
  return Object.assign(test, { url: `http://127.0.0.1:${await listening(way, 0)}` })
}

function passOn(way: Server, port: number, test: TestStore): void {
  let atOnce = 0
  way.on('request', (incoming, answer) => {
    const method = incoming.method ?? ''
    const url = incoming.url ?? ''
    if (method === 'PUT') {
      atOnce++
      test.mostAtOnce = Math.max(test.mostAtOnce, atOnce)
      answer.on('close', () => atOnce--)
    }
    const trouble = test.trouble(method, url)
    if (trouble?.kind === 'reset') return void incoming.socket.destroy()
    if (trouble?.kind === 'hang') return void incoming.resume()
    if (trouble?.kind === 'status') {
      incoming.resume()
      incoming.on('end', () => answer.writeHead(trouble.status).end(trouble.body ?? ''))
      return
    }
    let bytes = 0
    incoming.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
    })
    const { host: _, ...headers } = incoming.headers
    const host = incoming.headers.host
    const inner = request(
      { host: '127.0.0.1', port, method, path: url, headers: { ...headers, host } },
      (found) => {
        test.passed.push({ method, url, bytes })
        if (trouble?.kind === 'lost') return void incoming.socket.destroy()
        const body: Uint8Array[] = []
        found.on('data', (chunk: Uint8Array) => body.push(chunk))
        found.on('end', () => {
          const whole = Buffer.concat(body)
          const send = (): void => {
            answer.writeHead(found.statusCode ?? 500, found.headers)
            if (trouble?.kind !== 'half') return void answer.end(whole)
            answer.write(whole.subarray(0, whole.length / 2), () => incoming.socket.destroy())
          }
          if (trouble?.kind === 'held') trouble.until.then(send, send)
          else setTimeout(send, trouble?.kind === 'slow' ? trouble.ms : 0)
        })
      },
    )
    inner.on('error', () => incoming.socket.destroy())
    // A client was killed in the middle of its body: the store must not wait for the rest.
    incoming.on('close', () => {
      if (!incoming.complete) inner.destroy()
    })
    incoming.pipe(inner)
  })
}
