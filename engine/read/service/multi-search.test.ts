// Searches in parts: how many run at a time, which failure is thrown, who releases the views.

import { describe, expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import type { Lease } from '../../store/views/index.ts'
import { PLAIN_SEARCH } from '../../testing/index.ts'
import { AnswerRoom } from './answer-room.ts'
import { multiSearch, type Part } from './multi-search.ts'

const roomOf = (bytesMax: number): AnswerRoom => new AnswerRoom(bytesMax, { isOpenAlone: true })

/**
 * Answers each part with its first position, later parts sooner; fails for the parts in `failing`.
 */
function world(failing: readonly number[] = [], share = roomOf(Infinity).share()) {
  let leased = 0
  let working = 0
  const tally = { leasesLeft: 0, workingMax: 0, begun: [] as number[], permits: 0, permitsBack: 0 }
  const run = async ({ first, searches }: Part, leases: readonly Lease[]) => {
    tally.begun.push(first)
    tally.workingMax = Math.max(tally.workingMax, ++working)
    // Later parts end earlier.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 20 - first / 4)))
    working--
    for (const { release } of leases) release()
    if (failing.includes(first)) throw new Error(`part ${first}`)
    return Buffer.from(`${first}:${searches.length}`)
  }
  const lease = (uids: Iterable<string>): readonly Lease[] =>
    [...new Set(uids)].map((uid) => {
      leased++
      tally.leasesLeft = leased
      const release = (): void => {
        leased--
        tally.leasesLeft = leased
      }
      return { ref: { uid }, release } as unknown as Lease
    })
  const ask = (count: number, bytesMax?: number): Promise<string> =>
    multiSearch(
      Array.from({ length: count }, (_, i) => ({
        indexUid: asIndexUid(`i${i % 3}`),
        request: PLAIN_SEARCH,
      })),
      lease,
      run,
      () => {
        tally.permits++
        return Promise.resolve({ release: () => void tally.permitsBack++ })
      },
      share,
      bytesMax,
    ).then((pieces) => Buffer.concat(pieces).toString())
  return { ask, tally }
}

describe('a list of searches', () => {
  it('runs in parts and is joined in its order', async () => {
    const { ask, tally } = world()
    expect(await ask(0)).toBe('{"results":[]}')
    expect(await ask(8)).toBe('{"results":[0:8]}')
    expect(await ask(50)).toBe('{"results":[0:8,8:8,16:8,24:8,32:8,40:8,48:2]}')
    expect(tally.workingMax).toBe(2)
    expect(tally.leasesLeft).toBe(0)
    // A single part acquires its permit in `run`.
    expect([tally.permits, tally.permitsBack]).toEqual([1, 1])
  })

  it('fails with the first failure, starts no further part and releases its views', async () => {
    const { ask, tally } = world([8, 24])
    await expect(ask(400)).rejects.toThrow('part 8')
    expect(Math.max(...tally.begun)).toBeLessThan(80)
    expect(tally.permitsBack).toBe(1)
    expect(tally.leasesLeft).toBe(0)
  })

  it('fails when its answers together are too large', async () => {
    const { ask, tally } = world()
    // Four bytes a part from the second hundred on.
    await expect(ask(400, 60)).rejects.toMatchObject({ code: 'answer_too_large' })
    expect(tally.begun.length).toBeLessThan(30)
    expect([tally.permitsBack, tally.leasesLeft]).toEqual([1, 0])
    expect(await ask(16, 6)).toBe('{"results":[0:8,8:8]}')
  })

  it('fails when there is no room beside the answers of others', async () => {
    const room = roomOf(40)
    const other = room.share()
    other.take(20)
    const { ask, tally } = world([], room.share())
    await expect(ask(400)).rejects.toMatchObject({ code: 'too_many_answers' })
    expect([tally.permitsBack, tally.leasesLeft, room.bytes]).toEqual([1, 0, 20])
    expect(await ask(16)).toBe('{"results":[0:8,8:8]}')
    other.release()
    expect(room.bytes).toBe(0)
  })

  it('does not copy large answers', async () => {
    const large = Buffer.alloc(9 * MiB, 'abc')
    const searches = Array(24).fill({ indexUid: 'i', request: PLAIN_SEARCH })
    const acquire = () => Promise.resolve({ release: () => undefined })
    const whole = await multiSearch(
      searches,
      () => [],
      async () => large,
      acquire,
      roomOf(0).share(),
    )
    const wanted = Buffer.from(`{"results":[${[large, large, large].join(',')}]}`)
    expect(whole.length).toBeGreaterThan(1)
    expect(Buffer.compare(Buffer.concat(whole), wanted)).toBe(0)
  })
})
