// Parts of an export: their documents, keys and order of reading.
import { describe, expect, it } from 'vitest'
import { xxh3 } from '../../../format/bytes/index.ts'
import { PART_BYTES, PIECE_BYTES } from '../calls/limits.ts'
import { ExportPieces, keyOfBytes, type ReadPiece } from './export-pieces.ts'

/** Serves documents of `bytes` bytes each, as many as fit in a piece. */
function served(count: number, bytes: number): { read: ReadPiece; running: () => number } {
  let [running, most] = [0, 0]
  const line = Buffer.from(`${'x'.repeat(bytes - 1)}\n`)
  const read: ReadPiece = async (after, bytesMax) => {
    running++
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    const fitting = Math.max(1, Math.floor(bytesMax / bytes))
    const documents = Math.min(fitting, count - after - 1)
    const last = after + documents + 1 < count ? after + documents : null
    const head = Buffer.from(`${JSON.stringify({ total: count, documents, last })}\n`)
    return Buffer.concat([head, ...Array.from({ length: documents }, () => line)])
  }
  return { read, running: () => most }
}

const pieces = (): ExportPieces => new ExportPieces(() => 0)

describe('an export', () => {
  it('joins pieces to parts that hold each document once', async () => {
    const bytes = 1000
    const count = Math.ceil((PART_BYTES * 2.5) / bytes)
    const { read } = served(count, bytes)
    const reader = pieces()
    const sizes: number[] = []
    let documents = 0
    for (let after: number | null = -1; after !== null; ) {
      const part = await reader.part(read, after)
      expect(part.total).toBe(count)
      expect(part.ndjson.length).toBe(part.documents * bytes)
      sizes.push(part.ndjson.length)
      documents += part.documents
      after = part.last
    }
    expect(documents).toBe(count)
    expect(sizes).toHaveLength(3)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(PART_BYTES)
  })

  it('sends a document larger than a piece', async () => {
    const { read } = served(2, PART_BYTES + 1)
    const part = await pieces().part(read, -1)
    expect(part).toMatchObject({ documents: 1, last: 0 })
    expect(part.ndjson.length).toBe(PART_BYTES + 1)
  })

  it('is empty for an index without documents', async () => {
    const part = await pieces().part(served(0, 10).read, -1)
    expect(part).toMatchObject({ total: 0, documents: 0, last: null })
    expect(part.ndjson.length).toBe(0)
  })

  it('gives the same documents the same key, and others another key', async () => {
    const key = async (count: number, bytes: number): Promise<string> =>
      (await pieces().part(served(count, bytes).read, -1)).key
    const many = Math.floor((PIECE_BYTES * 3) / 100)
    expect(await key(many, 100)).toBe(await key(many, 100))
    expect(await key(many, 100)).not.toBe(await key(many - 1, 100))
    expect(Number(await key(many, 100))).toBeLessThan(2 ** 52)
  })

  it('has keys of the lowest 52 bits of hashes', () => {
    for (const text of ['', 'a', 'DELETE /indexes/films ', 'x'.repeat(1000)]) {
      const bytes = new Uint8Array(Buffer.from(text))
      const hash = { high: 0, low: 0 }
      xxh3(new DataView(bytes.buffer), bytes.length, hash)
      const whole = (BigInt(hash.high) << 32n) + BigInt(hash.low)
      expect(keyOfBytes(bytes)).toBe(String(whole % 2n ** 52n))
    }
  })

  it('reads one piece at a time for several remotes', async () => {
    const { read, running } = served(3000, 100)
    const reader = pieces()
    await Promise.all([reader.part(read, -1), reader.part(read, -1), reader.part(read, -1)])
    expect(running()).toBe(1)
  })

  it('continues after a piece that failed', async () => {
    const reader = pieces()
    const failing: ReadPiece = () => Promise.reject(new Error('gone'))
    await expect(reader.part(failing, -1)).rejects.toThrow('gone')
    expect(await reader.part(served(1, 10).read, -1)).toMatchObject({ documents: 1 })
  })
})
