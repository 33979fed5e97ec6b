// A proxy that serves another server below a path. For tests.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PrefixProxy = { readonly url: string; readonly stop: () => Promise<void> }

/** Sends requests below `prefix` to the server at `target`, and answers 404 to all others. */
export async function startPrefixProxy(prefix: string, target: string): Promise<PrefixProxy> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end()
      return
    }
    const forwarded = request(target + url.slice(prefix.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    stop: () =>
      new Promise((resolve) => {
        proxy.closeAllConnections()
        proxy.close(() => resolve())
      }),
  }
}
