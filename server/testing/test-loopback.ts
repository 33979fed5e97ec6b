// A server in this process on the loopback interface, for tests; its handler receives each request
// with its body.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answers a request; if it throws, the connection is closed. */
export type LoopbackAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void | Promise<void>

export type LoopbackServer = { readonly url: string; readonly stop: () => Promise<void> }

export async function startLoopback(answer: LoopbackAnswer): Promise<LoopbackServer> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Uint8Array[] = []
    for await (const piece of request) pieces.push(piece as Uint8Array)
    await answer(request, response, Buffer.concat(pieces).toString())
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${port}`, stop }
}
