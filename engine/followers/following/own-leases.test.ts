// Leases of a follower: when they are written, and their renewal during work.
import { expect, it, vi } from 'vitest'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { OwnLeases } from './own-leases.ts'

it('leases are written when they change and when a minute has passed, also during work', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  })
  try {
    const put: { follower: string; snapshot: string; renewedAt: number }[] = []
    let failing = 0
    const source = {
      bucket: Object.assign(new MemoryObjects().bucket(), {
        put: async (_: string, body: { bytes: number; open: () => AsyncIterable<Uint8Array> }) => {
          if (failing-- > 0) throw new Error('away')
          const chunks: Uint8Array[] = []
          for await (const chunk of body.open()) chunks.push(chunk)
          put.push(JSON.parse(Buffer.concat(chunks).toString()))
        },
      }),
      place: { prefix: '', name: 'db' },
    }
    const leases = new OwnLeases(() => 1000 + put.length)
    await leases.hold(source, 'state', 'f', 'one')
    await leases.hold(source, 'state', 'f', 'one')
    await leases.hold(source, 'download', 'f', 'one')
    const [first, second] = [
      { follower: 'f', snapshot: 'one', renewedAt: 1000 },
      { follower: 'f-download', snapshot: 'one', renewedAt: 1001 },
    ]
    expect(put).toEqual([first, second])
    await vi.advanceTimersByTimeAsync(59_999)
    await leases.renew(source)
    expect(put.length).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    await leases.renew(source)
    await leases.renew(source)
    expect(put.slice(2)).toEqual([
      { ...first, renewedAt: 1002 },
      { ...second, renewedAt: 1003 },
    ])
    failing = 1
    const failed = vi.fn()
    const work = (): Promise<string> =>
      new Promise((resolve) => setTimeout(() => resolve('done'), 150_000))
    const working = leases.during(source, work, failed)
    await vi.advanceTimersByTimeAsync(150_000)
    expect(await working).toBe('done')
    expect(failed).toHaveBeenCalledTimes(1)
    // The first minute failed at the first lease, the second renewed both.
    expect(put.length).toBe(6)
    await vi.advanceTimersByTimeAsync(150_000)
    expect(put.length).toBe(6)
    leases.drop('download')
    await leases.renew(source)
    expect(put.slice(6)).toEqual([{ ...first, renewedAt: 1006 }])
    await leases.hold(source, 'state', 'f', 'two')
    expect(put.at(-1)).toMatchObject({ follower: 'f', snapshot: 'two' })
  } finally {
    vi.useRealTimers()
  }
})
