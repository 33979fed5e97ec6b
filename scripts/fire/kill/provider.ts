// A slow provider of embeddings on the loopback interface, so that a server is killed while it
// embeds. The vector of a text follows from the text; requested texts are recorded.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pause } from '../parts/client.ts'

const PROVIDED_DIMENSIONS = 4

/** Returns numbers that 32-bit floats hold exactly, none of them zero. */
export function providedVector(text: string): readonly number[] {
  const vector = new Array<number>(PROVIDED_DIMENSIONS).fill(1)
  for (const [at, byte] of Buffer.from(text).entries()) {
    const d = at % PROVIDED_DIMENSIONS
    vector[d] = (vector[d]! * 31 + byte) % 251
  }
  return vector.map((value) => (value - 125.5) / 128)
}

/** Returns the settings of an embedder that uses this provider. */
export const providedEmbedder = (url: string, documentTemplate: string): object => ({
  source: 'rest',
  url,
  dimensions: PROVIDED_DIMENSIONS,
  documentTemplate,
  request: { texts: ['{{text}}', '{{..}}'] },
  response: { vectors: ['{{embedding}}', '{{..}}'] },
})

export class SlowProvider {
  readonly #server = createServer((request, response) => {
    // The server is killed during requests: its connections break.
    this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  #waiting = 0
  #texts: string[] = []
  /** Milliseconds before each answer. */
  delayMs = 0
  url = ''

  static async start(): Promise<SlowProvider> {
    const provider = new SlowProvider()
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve))
    provider.url = `http://127.0.0.1:${(provider.#server.address() as AddressInfo).port}/embed`
    return provider
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Requests that wait for their answer. */
  get waiting(): number {
    return this.#waiting
  }

  /** Returns the texts that were requested since the last call. */
  takeTexts(): readonly string[] {
    return this.#texts.splice(0)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Uint8Array[] = []
    for await (const part of request) parts.push(part as Uint8Array)
    const { texts } = JSON.parse(Buffer.concat(parts).toString()) as { readonly texts: string[] }
    this.#texts.push(...texts)
    this.#waiting++
    try {
      if (this.delayMs > 0) await pause(this.delayMs)
    } finally {
      this.#waiting--
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ vectors: texts.map(providedVector) }))
  }
}
