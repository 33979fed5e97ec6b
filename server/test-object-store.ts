// A real object store of this process, and what can go wrong on the way to it. For tests.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const BUCKET = 'backups'
/** Both keys of the store. */
export const STORE_KEY = 'S3RVER'

/** What the way does to a request: nothing, an answer of its own, or worse. */
export type Trouble =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** The connection is cut before the request is passed on. */
  | { readonly kind: 'reset' }
  /** It reaches the store; its answer does not come back. */
  | { readonly kind: 'lost' }
  /** Half of the answer's body comes back. */
  | { readonly kind: 'half' }
  | { readonly kind: 'slow'; readonly ms: number }

type Passed = { readonly method: string; readonly url: string; readonly bytes: number }

export type TestStore = {
  /** Of the way to the store. */
  readonly url: string
  /** Asked for every request; null: it goes through. */
  trouble: (method: string, url: string) => Trouble | null
  /** What went through, in order. */
  readonly passed: Passed[]
  /** Parts and files on their way at once, at most, so far. */
  mostAtOnce: number
  readonly stop: () => Promise<void>
}

type S3rver = new (options: object) => { run(): Promise<AddressInfo>; close(): Promise<void> }

export async function startStore(): Promise<TestStore> {
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
  const passed: Passed[] = []
  const way = createServer()
  const test: TestStore = {
    url: '',
    trouble: () => null,
    passed,
    mostAtOnce: 0,
    stop: async () => {
      way.closeAllConnections()
      way.close()
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  passOn(way, port, test)
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  return Object.assign(test, { url: `http://127.0.0.1:${(way.address() as AddressInfo).port}` })
}

function passOn(way: Server, port: number, test: TestStore): void {
  let atOnce = 0
  way.on('request', (asked, answer) => {
    const method = asked.method ?? ''
    const url = asked.url ?? ''
    if (method === 'PUT') {
      atOnce++
      test.mostAtOnce = Math.max(test.mostAtOnce, atOnce)
      answer.on('close', () => atOnce--)
    }
    const trouble = test.trouble(method, url)
    if (trouble?.kind === 'reset') return void asked.socket.destroy()
    if (trouble?.kind === 'status') {
      asked.resume()
      asked.on('end', () => answer.writeHead(trouble.status).end(trouble.body ?? ''))
      return
    }
    let bytes = 0
    asked.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
    })
    const { host: _, ...headers } = asked.headers
    const host = asked.headers.host
    const inner = request(
      { host: '127.0.0.1', port, method, path: url, headers: { ...headers, host } },
      (found) => {
        test.passed.push({ method, url, bytes })
        if (trouble?.kind === 'lost') return void asked.socket.destroy()
        const body: Uint8Array[] = []
        found.on('data', (chunk: Uint8Array) => body.push(chunk))
        found.on('end', () => {
          const whole = Buffer.concat(body)
          setTimeout(
            () => {
              answer.writeHead(found.statusCode ?? 500, found.headers)
              if (trouble?.kind !== 'half') return void answer.end(whole)
              answer.write(whole.subarray(0, whole.length / 2), () => asked.socket.destroy())
            },
            trouble?.kind === 'slow' ? trouble.ms : 0,
          )
        })
      },
    )
    inner.on('error', () => asked.socket.destroy())
    asked.pipe(inner)
  })
}
